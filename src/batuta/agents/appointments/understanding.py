"""What the calendar can be asked, as data (A-41). Its tools read days and times from the request's own words."""

from batuta.agents.appointments.parsing import kind_named
from batuta.language.understanding import Intent, Slot, Understanding

_ALARMS = r"(?:alarms?|alarmas?|despertador(?:es)?|timers?|temporizador(?:es)?|cronometro|countdown)"
_SERVICES = (
    r"(?:taxis?|cabs?|ubers?|lyft|cabify|bolt|vtc|flights?|planes?|hotels?|trains?\s+tickets?|tickets?|vuelos?|hotel(?:es)?|avion|"
    r"billetes?|entradas?|tables?|mesas?|(?:hotel\s+)?rooms?\s+(?:at|in)\s+(?:the|an?)\s+hotel|habitacion(?:es)?|(?:rental|hire)\s+car|coche\s+de\s+alquiler)"
)
_SETS = (
    r"(?:set|put|start|switch\s+on|turn\s+on|activate|give|make|create|add|need|want|pon\w*|programa\w*|activa\w*|conecta\w*|"
    r"crea\w*|configura\w*|fija\w*|quiero|quisiera|necesito)"
)
_GETS = (
    r"(?:order|call|get|book|hail|hire|find|fetch|send|arrange|reserve|buy|need|want|pid[ae]\w*|pedir\w*|llama\w*|"
    r"consigue\w*|conseguir\w*|reserva\w*|coge\w*|busca\w*|buscar\w*|compra\w*|solicita\w*|contrata\w*|quiero|quisiera|necesito)"
)
_A = r"(?:\s+(?:me|us|to|in|a|an|the|my|our|another|two|one|un|una|el|la|mi|otr[oa]|dos|unos|unas|some))*\s+"
_NO_NAME_GOES_ON = r"\b(?=\W*$|\s*[,.;!?]|\s+(?:for|at|on|to|in|by|from|the|please|pls|tomorrow|today|tonight|this|next|a|al|de|del|desde|para|por|el|la|en|hoy|manana|esta|dentro|\d))"
_DIARY = r"(?!.*\b(?:calendar|agenda|diary|calendario)\b)"
_NO_APPOINTMENTS = (
    rf"{_SETS}{_A}{_ALARMS}{_NO_NAME_GOES_ON}{_DIARY}",
    rf"{_GETS}{_A}{_SERVICES}{_NO_NAME_GOES_ON}{_DIARY}",
    r"(?:wake\s+(?:me|us)\b|despiertame|despiertanos|despertar(?:me|nos))",
)
"""Alarms, and what is ordered of others, for which a calendar is of no use: a taxi would not come."""
_REQUEST = Slot(name="request", type="text", is_required=True)
_KIND = Slot(name="kind_of_appointment", type="found", find=lambda text, _: kind_named(text))
"""What stands in a calendar by its name alone: "when is the dentist?" asks for no document."""

UNDERSTANDING = Understanding(
    intents=(
        Intent(
            id="create",
            tool="check_availability",
            constants={"kind": "create"},
            effect="change",
            label={"en": "Book a meeting with Ana tomorrow at 10am", "es": "Cita mañana 10am con Dr. Pérez"},
            examples={
                "en": (
                    "Book a meeting with Ana tomorrow at 10am", "schedule a call with John on Friday at 3pm", "set up a meeting with the "
                    "sales team next Tuesday at 11", "put lunch with Maria on Thursday at 1pm in my calendar", "dentist on 3 March at 9:30",
                    "I need an appointment with Dr. Smith next week on Monday at 10", "arrange a 30 minute call with Pedro tomorrow",
                    "add a meeting on 12 December from 10 to 11", "book the room for a demo on Monday at 4", "meeting with Luis at noon tomorrow",
                    "can you book me a meeting with Marta on wednesday at 5?", "new appointment friday 12:00 with the bank",
                    "call with Bob in two hours", "create an appointment for tomorrow", "haircut saturday 10am", "gym tuesday 18:30 please", "workshop from 9:30 to 12 on thursday", "coffee with Laura tomorrow at half past nine",
                    "reserve an hour with Carla on Thursday morning", "meeting with Ana", "help me book a meeting", "can you fit in a call with Bob on Tuesday at 9", "book Tom next week", "add a company lunch the last Friday of May at 2", "I need a meeting with Mrs. Gray the 5th of January in the afternoon at 4", "book a meeting next month at 10", "meeting next week", "I want to make an appointment", "I would like to see the doctor on Tuesday", "schedule interview tomorrow 15:00", "remind me to call John tomorrow at 9", "tomorrow at 10 with Bob", "gym tomorrow at 7", "vet on 3 may at 10:00", "I want to get together with Tom on Monday at nine", "book me in with Sara tomorrow at 6pm",
                    "keep Friday from 2 to 3pm free for the report", "reserve monday from 9 to 10 for planning", "appointment with Dr. Lee next tuesday 9.15", "block tomorrow morning from 8 to 9","block monday from 9 to 10", "training on tuesday at 12", "I have to see the lawyer on friday at 4", "pick up the car on thursday at 17:30", "plumber on wednesday 8:00", "physio on fridays at 7pm",
                    "put in a call with Nadia for next Tuesday 9:45", "could you get me in with the accountant on Monday at 11", "yoga every monday at 6", "squeeze in a quick chat with Tom tomorrow at 12", "squeeze Rosa in on monday at 10",
                    "I'd like to book a table-top review with Nina on friday at 10", "need to see Paul on tuesday 11:30 for half an hour", "need to block an hour on monday afternoon from 4 for the audit", "set a reminder to water the plants on 3 may at 8", "reminder to call the bank on monday at 9", "reserve the dentist for the day after tomorrow, quarter to five", "let me see Rosa on friday at 1", "pencil in a review with Jon on monday at 3", "book something with Tom", "make an appointment with the vet on tuesday at noon", "slot in a quick call with Eva tomorrow at 5", "fix a date with the lawyers for the 12th at 11", "concert with Ana on saturday at 9pm", "doctor monday 12:15", "could we do a call with Bob on tuesday at ten?", "get me an appointment at the hairdresser's on friday at 6", "I want to see the doctor on wednesday at 9:15", "I have to meet Carla on thursday at 10 for an hour", "let's have lunch with Eva on friday at 2", "could we do sometime next week with Nina?", "I have to see the lawyer some day soon", "block the whole morning of the 5th", "keep all of tuesday afternoon free for me", "yoga class on tuesdays and fridays at 6", "board meeting on the first monday of every month at 9", "I need half an hour with Tom on monday morning at 10.15", "table for six on saturday at 9pm, put it in my diary", "I have yoga on Monday at 7, put it in", "we have a tasting on Friday at 8pm, please note it down",
                ),
                "es": (
                    "Cita mañana 10am con Dr. Pérez", "agenda una llamada con Juan el viernes a las 15h", "ponme una reunión con el equipo de "
                    "ventas el martes que viene a las 11", "pon comida con María el jueves a las 14:00 en mi calendario", "dentista el 3 de marzo a las 9:30",
                    "necesito una cita con la doctora Gil el lunes de la semana que viene a las 10", "organiza una llamada de 30 minutos con Pedro mañana",
                    "añade una reunión el 12 de diciembre de 10 a 11", "resérvame una demo el lunes a las 4", "reunión con Luis mañana al mediodía",
                    "¿me puedes poner una reunión con Marta el miércoles a las 5?", "nueva cita viernes 12:00 con el banco",
                    "llamada con Roberto dentro de dos horas", "crea una cita para mañana", "peluquería el sábado a las 10", "gimnasio el martes 18:30 por favor", "curso de 9:30 a 12 el jueves", "café con Laura mañana a las nueve y media",
                    "quedo con Ana mañana a las 10, apúntalo", "agéndame una entrevista mañana a las 15:00", "cita con Marta", "quiero pedir una cita", "necesito una reunión con el señor Gómez el 5 de enero por la tarde a las 4", "cita el mes que viene a las 10", "cita hoy a las 18:00", "reunión la semana que viene", "ayúdame a poner una reunión", "mañana a las 10 con Marta", "gimnasio mañana a las 7", "veterinario el 3 de mayo a las 10:00", "quiero verme con Tomás el lunes a las nueve", "quiero reunirme con Sara el jueves a las 10", "apúntame con Sara mañana a las 6",
                    "guarda el viernes de 2 a 3 para el informe", "reserva el lunes de 9 a 10 para planificar", "cita con la Dra. Gil el próximo martes 9.15", "bloquea el lunes de 9 a 10", "formación el martes a las 12", "tengo que ver al abogado el viernes a las 4", "recoger el coche el jueves a las 17:30", "fontanero el miércoles a las 8", "pon fisio los viernes a las 19", "recuérdame llamar a Juan mañana a las 9", "apunta cita con el dentista pasado mañana a las 4 menos cuarto",
                    "apúntame una llamada con Nadia para el martes que viene a las 9:45", "¿me coges hora con el contable el lunes a las 11?", "apunta pilates todos los lunes a las 6", "hazme un hueco con Tom mañana a las 12", "me metes a Rosa el lunes a las 10", "ponme a Juan la semana que viene", "apunta a Marta el martes a las 10", "agenda un ensayo el sábado 21 a las 6 de la tarde", "agenda partido el domingo a las 11", "añade comida de empresa el último viernes de mayo a las 2",
                    "me gustaría quedar con Nina el viernes a las 10", "necesito ver a Pablo el martes a las 11:30 media hora", "pon un recordatorio para regar las plantas el 3 de mayo a las 8", "recordatorio de llamar al banco el lunes a las 9", "reserva el dentista para pasado mañana, cinco menos cuarto", "quisiera ver a Rosa el viernes a la 1", "apúntame una revisión con Jon el lunes a las 3", "pide hora en el veterinario el martes a mediodía", "mete una llamada rápida con Eva mañana a las 5", "reserva algo con Tom", "fija una fecha con los abogados para el 12 a las 11", "concierto con Ana el sábado a las 9 de la noche", "médico lunes 12:15", "¿podemos hacer una llamada con Bob el martes a las diez?", "cógeme cita en la peluquería el viernes a las 6", "he quedado con Ana mañana a las 10, anótalo", "quiero ver al médico el miércoles a las 9:15", "tengo que reunirme con Carla el jueves a las 10 una hora", "comamos con Eva el viernes a las 2", "quiero ver al doctor mañana a las 12", "podemos quedar algún día de la semana que viene con Nina?", "tengo que ver al abogado algún día", "tengo que ir al veterinario un día de estos", "bloquéame toda la mañana del día 5", "resérvame toda la tarde del martes", "clase de yoga los martes y viernes a las 6", "reunión de socios el primer lunes de cada mes a las 9", "mesa para seis el sábado a las 9 de la noche, ponlo en mi agenda", "necesito media hora con Tom el lunes por la mañana, tipo 10.15",
                ),
            },
            slots=(_REQUEST,),
            excludes=_NO_APPOINTMENTS,
        ),
        Intent(
            id="move",
            tool="check_availability",
            constants={"kind": "move"},
            effect="change",
            label={"en": "Move my meeting with Ana to Friday 3pm", "es": "Mueve la reunión con Ana al viernes a las 15h"},
            examples={
                "en": (
                    "Move my meeting with Ana to Friday 3pm", "reschedule the call with John to Monday at 9", "change the appointment with Dr. Smith "
                    "to next week", "postpone my meeting with Luis to Thursday at 4pm", "push the demo to 5pm", "move John to 4pm", "can we shift the lunch with Maria to 2pm",
                    "move the dentist from Monday to Tuesday at 10", "bring the interview forward to 9am", "put my meeting with Ana on Thursday instead", "delay the call with John until 6pm", "change my meeting with Ana to 11", "move it to friday", "make it 11am", "change it to monday", "push the call with Eva back half an hour", "delay my meeting by 30 minutes",
                    "move tomorrow's call to Monday at the same time", "the dentist: move it to Tuesday at 12", "I need to move the demo one hour later", "bring the meeting with Ana forward by an hour", "switch my appointment with Bob to Wednesday", "postpone the physio by two days", "I need to shift what I have with John to monday at 10", "can you switch the dentist and put it on friday at 9", "let's do the call with Eva at 6 instead", "the interview should be on tuesday instead of monday", "rearrange the lunch with Tom for thursday at 1", "swap my meeting with Bob to tuesday", "move what I have on monday to wednesday", "the call with John two hours later please", "the demo half an hour earlier", "the demo needs to be two hours earlier", "my call with Bob has to be half an hour later", "push Monday's call to the day after at the same time", "move the physio to the following day", "the interview must be on Tuesday instead", "put the interview off by a week", "postpone the haircut to next week", "the call with John can't be at 9, make it 11", "I can't do 4pm with Eva, change it to 5pm", "instead of Monday put the demo on Tuesday",
                    "make the meeting with Ana two hours long", "extend the call with John to 45 minutes", "shorten the demo to half an hour",
                ),
                "es": (
                    "Mueve la reunión con Ana al viernes a las 15h", "cambia la llamada con Juan al lunes a las 9", "pasa la cita del doctor Pérez a la "
                    "semana que viene", "aplaza mi reunión con Luis al jueves a las 16h", "retrasa la demo a las 5", "puedes mover lo de Juan a las 4 de la tarde", "reprograma la comida con María a las 14:00",
                    "mueve el dentista del lunes al martes a las 10", "adelanta la entrevista a las 9", "mejor pon la reunión con Ana el jueves en vez del lunes", "cambiame la reunion con Ana a las 11", "pospón la cita con Marta al viernes", "pospón mi llamada con Bob a las 11", "retrasa media hora la llamada con Eva", "retrasa mi reunión 30 minutos", "pasa la llamada de mañana al lunes a la misma hora", "el dentista: pásalo al martes a las 12",
                    "necesito mover la demo una hora más tarde", "necesito retrasar la reunión con Eva", "adelanta una hora la reunión con Ana", "puedes cambiar mi cita con Bob al miércoles", "retrasa la reunión a mañana a las 10", "muévela al viernes", "cámbiala a las 12", "aplaza el fisio dos días", "necesito pasar lo de Juan al lunes a las 10", "puedes cambiar el dentista y ponerlo el viernes a las 9", "hagamos la llamada con Eva a las 6 en su lugar", "la entrevista tiene que ser el martes en vez del lunes", "recoloca la comida con Tom el jueves a la 1", "cambia mi reunión con Bob al martes", "pasa lo que tengo el lunes al miércoles", "la llamada con Juan dos horas más tarde por favor", "la demo media hora antes", "la llamada con Bob tiene que ser media hora más tarde", "pasa el fisio del lunes al día siguiente a la misma hora", "aplaza la entrevista una semana", "pospón la peluquería a la semana que viene", "la llamada con Juan no puede ser a las 9, ponla a las 11", "no puedo a las 4 con Eva, cámbialo a las 5", "en vez del lunes pon la demo el martes",
                    "que la reunión con Ana dure dos horas", "alarga la llamada con Juan a 45 minutos", "acorta la demo a media hora",
                ),
            },
            slots=(_REQUEST,),
        ),
        Intent(
            id="cancel",
            tool="check_availability",
            constants={"kind": "cancel"},
            effect="change",
            label={"en": "Cancel my meeting with Ana", "es": "Cancela la cita con Dr. Pérez"},
            examples={
                "en": (
                    "Cancel my meeting with Ana", "delete the appointment with Dr. Smith", "remove the call with John on Friday", "call off the meeting tomorrow "
                    "at 10", "please cancel tomorrow's dentist", "remove Friday's demo", "drop the demo on Monday", "get rid of the meeting with John", "drop my appointment on Monday at 9", "I can't make the meeting with Luis, cancel it", "cancel my appointment", "cancel it", "delete that one", "cancel the dentist", "I won't be able to go to the dinner with Eva, please cancel it", "take the call with John off my calendar", "delete the physio", "I can't come to the physio, please cancel it", "I can't go to the doctor, cancel it", "cancel our meeting", "delete my dinner on Monday", "forget the call with John, cancel it", "erase the appointment of tomorrow", "I don't need the physio any more, take it out", "please cancel what I have on Tuesday", "John is sick, cancel our call", "I'm not going to the interview, cancel it please", "scrap the interview on Thursday", "cancel everything I have on Friday", "cancel tennis", "scrap the thing with Tom", "I don't need the call with Bob any more", "cancel whatever I have on Monday morning", "drop that thing with Eva on Monday", "cancel the gym", "delete swimming",
                ),
                "es": (
                    "Cancela la cita con Dr. Pérez", "anula la reunión con Ana", "borra la llamada con Juan del viernes", "elimina la reunión de mañana a las 10",
                    "por favor cancela el dentista de mañana", "quita la demo del lunes", "no puedo ir a la reunión con Luis, anúlala", "cancela mi cita", "cancélala", "anúlala", "cancela el dentista", "no voy a poder ir a la cena con Eva, cancélala por favor", "quita de mi agenda la llamada con Juan", "¿podrías cancelar la cena del lunes?", "puedes anular la llamada de mañana", "suprime la cita con Marta", "borra el fisio", "no puedo ir al fisio, cancélalo por favor", "no puedo ir al médico, cancélalo", "cancela nuestra reunión", "borra mi cena del lunes", "olvida la llamada con Juan, cancélala", "elimina la cita de mañana", "ya no necesito el fisio, quítalo", "por favor cancela lo que tengo el martes", "Juan está enfermo, cancela nuestra llamada", "no voy a la entrevista, cancélala por favor", "quita el médico", "quita lo de Tomás", "ya no hace falta la llamada con Bob", "ya no necesito el fisio", "cancela lo que haya el lunes por la mañana", "borra lo del médico", "anula lo de mañana con Bob", "borra la entrevista del jueves", "borra todo lo que tengo el jueves", "cancela tenis", "cancela el gimnasio", "borra natación",
                ),
            },
            slots=(_REQUEST,),
        ),
        Intent(
            id="availability",
            tool="check_availability",
            constants={"kind": "question"},
            label={"en": "Am I free on Thursday at 11am?", "es": "¿Estoy libre el jueves a las 11?"},
            examples={
                "en": (
                    "Am I free on Thursday at 11am?", "what time would be good for a meeting on Monday?", "when would suit me for a call on Friday", "do I have room for a 2 hour session on Tuesday", "do I have time tomorrow afternoon", "is Friday at 3pm free", "am I busy on Monday", "when am I free tomorrow",
                    "any free slot on Wednesday?", "check my availability for 12 December at 10", "can I fit in a meeting tomorrow at 4?", "is there a gap on Tuesday morning", "find me a free slot on Monday", "look for a free hour on Friday", "is tuesday afternoon free", "when could I meet Ana on Thursday?", "should I move my call to Friday?", "would Monday at 10 work for me?", "do I have time for a quick chat on Tuesday at 9?", "could I see Bob on Monday at 11?",
                ),
                "es": (
                    "¿Estoy libre el jueves a las 11?", "¿qué hora me viene bien para una reunión el lunes?", "cuándo me vendría bien una llamada el viernes", "tengo sitio para una sesión de 2 horas el martes", "tengo hueco mañana por la tarde", "está libre el viernes a las 15h", "estoy ocupado el lunes", "cuándo estoy libre mañana",
                    "¿hay algún hueco el miércoles?", "mira mi disponibilidad el 12 de diciembre a las 10", "me cabe una reunión mañana a las 4?", "tengo libre el martes por la mañana", "búscame un hueco el lunes", "busca una hora libre el viernes", "está libre la tarde del martes", "cuándo podría ver a Ana el jueves?", "¿debería mover mi llamada al viernes?", "¿me va bien el lunes a las 10?", "¿tengo tiempo para una llamada rápida el martes a las 9?", "tengo tiempo el lunes a las 12?", "el lunes a las 11 podría ver a Juan?", "¿podría hablar con Marta el martes a las 10?",
                ),
            },
            slots=(_REQUEST,),
        ),
        Intent(
            id="list",
            tool="find_appointments",
            label={"en": "What appointments do I have this week?", "es": "¿Qué citas tengo esta semana?"},
            examples={
                "en": (
                    "What appointments do I have this week?", "give me an overview of my day", "do I have to be anywhere on Tuesday?", "what's coming up on Monday", "what does my Friday look like", "show my calendar", "what meetings do I have today", "what's on my agenda tomorrow", "list my appointments",
                    "do I have any meetings on Friday?", "is there anything on Monday before 12", "when is my meeting with Ana", "was the call with John at 9 or at 10?", "is the demo at 4 or at 5", "when am I seeing Maria?", "how long is the demo with Luis", "when was my appointment with Tom again", "my agenda for next week", "when do I see Dr. Smith?", "what do I have on monday",
                    "agenda", "today", "tomorrow", "this week", "any appointments today?", "do I have meetings next week?", "at what time is my call with John", "what's my next appointment?", "who am I meeting on Monday?", "who do I have dinner with tomorrow?", "how many meetings do I have tomorrow", "did I book the dentist?", "did I cancel the call with Ana?", "have I got anything on Thursday", "how long is my meeting with Ana", "what time does the call with Bob finish?", "how long does the demo on Monday take?", "what time does my dinner on Saturday start", "anything on monday afternoon?", "anything tomorrow morning?", "did I have something with Bob?", "have I anything with John these days", "what's on for me today",
                ),
                "es": (
                    "¿Qué citas tengo esta semana?", "dame un resumen de mi día", "¿tengo que estar en algún sitio el martes?", "qué me espera mañana", "cómo tengo el viernes", "enséñame el calendario", "qué reuniones tengo hoy", "qué hay en mi agenda mañana", "lista mis citas",
                    "¿tengo alguna reunión el viernes?", "hay algo el lunes antes de las 12", "cuándo es mi reunión con Ana", "la llamada con Juan era a las 9 o a las 10?", "la demo es a las 4 o a las 5", "cuándo veo a María?", "cuánto dura la demo con Luis", "cuándo era lo de Tomás", "a qué hora era lo del médico", "mi agenda de la semana que viene", "¿cuándo veo al doctor Pérez?", "que tengo el lunes",
                    "agenda", "hoy", "mañana", "esta semana", "alguna cita hoy?", "¿tengo reuniones la semana que viene?", "a qué hora es mi llamada con Juan", "¿cuál es mi próxima cita?", "¿con quién me reúno el lunes?", "¿con quién ceno mañana?", "con quién como el jueves", "cuántas reuniones tengo mañana", "¿reservé el dentista?", "¿he cancelado la llamada con Ana?", "tengo algo el jueves", "cuánto dura mi reunión con Ana", "¿a qué hora veo a Juan?", "¿a qué hora acaba la llamada con Bob?", "cuándo termina mi demo", "¿cuánto dura la demo del lunes?", "a qué hora empieza mi cena del sábado", "con quién quedo el lunes", "¿con quién he quedado hoy?", "a quién veo mañana", "muéstrame la agenda", "muéstrame mis citas del mes que viene", "algo el lunes por la tarde?", "¿algo mañana por la mañana?", "¿tenía algo con Bob?", "tengo algo con Juan estos días",
                ),
            },
            slots=(_REQUEST, _KIND),
        ),
    )
)  # fmt: skip
