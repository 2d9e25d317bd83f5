"""What the documents can be asked, as data (A-41): any question about how things are done here, and what there is to read."""

from collections.abc import Callable, Iterable

from batuta.language.findings import Language
from batuta.language.understanding import Intent, Slot, Understanding

_LISTED: dict[Language, str] = {
    "en": "I can answer from these documents:\n\n{titles}\n\nAsk about what they say, and the answer quotes it.",
    "es": "Puedo responder con estos documentos:\n\n{titles}\n\nPregunta por lo que dicen y la respuesta lo cita.",
}


def understanding(titles: Callable[[], Iterable[str]]) -> Understanding:
    """What can be asked; `titles` are those of the documents there are."""
    return Understanding(
        intents=(
            Intent(
                id="search",
                tool="search_documents",
                is_fallback=True,
                label={"en": "How much can I spend on meals when travelling?", "es": "¿Cuánto puedo gastar en comidas durante un viaje?"},
                examples={
                    "en": (
                        "How much can I spend on meals when travelling?", "How many days of holidays do I have?", "What does the Team plan cost?",
                        "what does the travel policy say about hotels", "can I work from home", "when does the office open", "who do I call in an emergency",
                        "is alcohol reimbursed", "do I need a receipt for a taxi", "what is the limit for hotels in London", "how long do I have to claim expenses",
                        "where is our data stored", "is there a free plan", "what happens if I am sick", "may I fly business class", "what are the opening hours on Friday",
                        "how do I get my laptop", "what must I do in my first week", "are backups kept", "how many people can use the starter plan",
                        "who approves claims above 500 euros", "what is the budget for equipment", "find the rule about remote work abroad", "policy for lost receipts", "maximum for a hotel in London", "limit for dinners", "max price of a flight", "hotel budget in Zurich",
                        "tell me about the security course", "are flights booked in advance?", "how much may a hotel in Paris cost", "do you have a policy for gifts", "are trains paid", "mileage for my own car", "money per km with a private car", "is a copy of the receipt enough", "a taxi at night?", "until when can I claim", "how far in advance must I book", "how far ahead are flights booked", "search the documents for parking", "I am ill today, what should I do", "do they pay my taxi at night", "do I get my money back if I cancel my subscription", "I broke my laptop, what now", "how much do they pay per kilometre", "what do the documents say about training?", "summarise the travel policy", "give me a summary of the contract", "what is the onboarding guide about?", "the main points of this file",
                        "I have a fever, what do I have to do?", "until what time is reception open", "until what time can I call support", "where do I enter my address", "my boss asks whether we can travel by train", "what time does support close", "when are claims paid?", "I'm not well today", "I feel sick today", "I have lost my badge, what do I have to do now", "I don't feel well today, whom do I tell?", "can I expense a taxi?", "who signs off an expense of 900 euros",
                        "list all error codes of the manual", "list every obligation in the contract", "compare the lease with the offer", "what is the difference between the two contracts",
                        "how long does delivery take", "how long does cleaning the filter take", "is breakfast free?", "is the wifi free for guests", "when was the company founded", "when is the next inspection of the van", "who drives the van", "how long is the notice period", "when does the lease end",
                    ),
                    "es": (
                        "¿Cuánto puedo gastar en comidas durante un viaje?", "¿Cuántos días de vacaciones tengo?", "¿Cuánto cuesta el plan Equipo?",
                        "¿Qué dice la política de viajes sobre los hoteles?", "puedo teletrabajar", "a qué hora abre la oficina", "a quién llamo en una emergencia",
                        "se reembolsa el alcohol", "necesito justificante para un taxi", "cuál es el límite de hotel en Londres", "qué plazo tengo para presentar gastos",
                        "dónde se guardan los datos", "hay un plan gratuito", "qué pasa si me pongo enfermo", "puedo volar en business", "cuál es el horario del viernes",
                        "cómo consigo el portátil", "qué tengo que hacer la primera semana", "se guardan copias de seguridad", "cuántas personas pueden usar el plan inicial",
                        "quién aprueba gastos de más de 500 euros", "qué presupuesto hay para equipamiento", "busca la norma sobre teletrabajo desde otro país", "qué hago si pierdo un justificante", "máximo para un hotel en Londres", "tope para cenas", "límite de precio de un vuelo", "presupuesto de hotel en Zúrich", "la empresa paga los desayunos",
                        "háblame del curso de seguridad", "se reservan los vuelos con antelación", "cuánto puede costar un hotel en París", "tenéis una política de regalos", "se pagan los trenes", "kilometraje con coche propio", "dinero por km con el coche particular", "vale una copia del recibo", "¿un taxi por la noche?", "hasta cuándo puedo presentar gastos", "con cuánta antelación hay que reservar", "busca en los documentos algo sobre aparcamiento", "estoy enfermo, qué tengo que hacer", "me pagan el taxi por la noche", "me devuelven el dinero si cancelo la suscripción", "se me ha roto el portátil, y ahora qué", "cuánto pagan por kilómetro", "qué dicen los documentos sobre formación", "resume la política de viajes", "hazme un resumen del contrato", "¿de qué trata la guía de bienvenida?", "los puntos principales de este archivo",
                        "tengo fiebre, ¿qué tengo que hacer?", "hasta qué hora está abierta la recepción", "hasta qué hora puedo llamar a soporte", "dónde pongo mi dirección", "mi jefe pregunta si podemos ir en tren", "hasta qué hora hay atención telefónica", "¿cuándo se pagan los gastos aprobados?", "hoy estoy malo", "me he puesto malo hoy", "he perdido la tarjeta, ¿qué hago ahora?", "hoy no me encuentro bien, ¿a quién aviso?", "¿puedo pasar un taxi como gasto?", "quién firma un gasto de 900 euros",
                        "enumera todos los códigos de error del manual", "lista todas las obligaciones del contrato", "compara el contrato con la oferta", "qué diferencia hay entre los dos contratos",
                        "cuánto tarda la entrega", "¿es gratis el desayuno?", "el wifi es gratuito para invitados", "cuándo se fundó la empresa", "cuándo es la próxima inspección de la furgoneta", "quién conduce la furgoneta", "qué preaviso hace falta", "cuándo termina el alquiler",
                    ),
                },
                slots=(Slot(name="query", type="text", is_required=True), Slot(name="other_wordings", type="wordings", is_many=True)),
            ),
            Intent(
                id="list",
                reply=lambda language: _LISTED[language].format(titles="\n".join(f"- {title}" for title in titles())),
                label={"en": "What documents do you have?", "es": "¿Qué documentos tienes?"},
                examples={
                    "en": ("What documents do you have?", "list the documents", "which files can you read", "show me all the policies", "what can I read here"),
                    "es": ("¿Qué documentos tienes?", "lista los documentos", "qué archivos puedes leer", "muéstrame todas las políticas", "qué documentos hay"),
                },
            ),
        )
    )  # fmt: skip
