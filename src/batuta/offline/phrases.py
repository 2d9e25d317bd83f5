"""What the built-in model says of its own accord, English and Spanish. Everything else it takes from results."""

import re
from functools import cache

from batuta.language.findings import Language

PHRASES: dict[str, dict[Language, str]] = {
    "greeting": {
        "en": "Hello! Ask me, for example:\n\n{examples}",
        "es": "¡Hola! Pregúntame, por ejemplo:\n\n{examples}",
    },
    "help": {
        "en": "The team can do this:\n\n{team}\n\nI am Batuta's built-in offline model: I find the right agent and tool "
        "for what you ask. I cannot look anything up outside, write freely or chat.",
        "es": "El equipo sabe hacer esto:\n\n{team}\n\nSoy el modelo sin conexión de Batuta: encuentro el agente y la "
        "herramienta para lo que pides. No puedo consultar nada de fuera, redactar textos libres ni conversar.",
    },
    "identity": {
        "en": "I am Batuta's built-in offline model: a program with a small grammar, neither a person nor a language "
        "model. Ask me, for example:\n\n{examples}",
        "es": "Soy el modelo sin conexión de Batuta: un programa con una pequeña gramática, ni una persona ni un "
        "modelo de lenguaje. Pregúntame, por ejemplo:\n\n{examples}",
    },
    "wellbeing": {
        "en": "I am a program, so every day is a good one. Ask me, for example:\n\n{examples}",
        "es": "Soy un programa, así que siempre estoy bien. Pregúntame, por ejemplo:\n\n{examples}",
    },
    "thanks": {"en": "You are welcome. Is there anything else?", "es": "De nada. ¿Necesitas algo más?"},
    "agreement": {"en": "Good. Tell me if you need anything else.", "es": "Bien. Dime si necesitas algo más."},
    "farewell": {
        "en": "Goodbye! The conversation stays here.",
        "es": "¡Hasta luego! La conversación se queda aquí.",
    },
    "bare": {
        "en": "I do not know what that answers. Please say in one sentence what you need.",
        "es": "No sé a qué responde eso. Dime en una frase lo que necesitas.",
    },
    "unknown": {
        "en": "I cannot answer that: it is outside what the built-in offline model knows. I can do this, for example:\n\n"
        "{examples}",
        "es": "No puedo responder a eso: queda fuera de lo que sabe el modelo sin conexión. Puedo hacer esto, por ejemplo:"
        "\n\n{examples}",
    },
    "unknown_alone": {
        "en": "That is outside what the built-in offline model knows. With a provider's key configured, a language "
        "model answers instead.",
        "es": "Eso queda fuera de lo que sabe el modelo sin conexión. Con la clave de un proveedor configurada, "
        "responde un modelo de lenguaje.",
    },
    "is_it_an_order": {
        "en": "I would take “{text}” as I take “{example}”. Shall I do this?",
        "es": "Tomaría «{text}» como «{example}». ¿Lo hago?",
    },
    "did_you_mean": {"en": "Do you mean “{first}”?", "es": "¿Quieres decir «{first}»?"},
    "did_you_mean_either": {
        "en": "Do you mean “{first}” or “{second}”?",
        "es": "¿Quieres decir «{first}» o «{second}»?",
    },
    "unknown_value": {"en": "I do not know “{value}”.", "es": "No conozco «{value}»."},
    "unknown_word": {
        "en": "I do not know what “{value}” means here, and a figure without it might be the wrong one. Could you say it "
        "in other words?",
        "es": "No sé qué significa aquí «{value}», y una cifra sin ello podría no ser la que pides. ¿Puedes decirlo de otra "
        "manera?",
    },
    "which_name": {
        "en": "“{value}” is a part of several names: {names}. Which one do you mean?",
        "es": "«{value}» es parte de varios nombres: {names}. ¿A cuál te refieres?",
    },
    "unknown_place": {
        "en": "I do not know the place “{value}”. Try a larger city near it, or a time zone such as Europe/Madrid.",
        "es": "No conozco el lugar «{value}». Prueba con una ciudad mayor cercana o con una zona horaria como "
        "Europe/Madrid.",
    },
    "missing": {"en": "What is the {name}?", "es": "Me falta un dato: {name}. ¿Cuál es?"},
    "no_source": {
        "en": "What should it show? Ask for the figures first, for example: {example}",
        "es": "¿Qué tiene que mostrar? Pide primero los datos, por ejemplo: {example}",
    },
    "own_or_agent": {
        "en": "Do you mean your table “{table}” or “{agent}”?",
        "es": "¿Te refieres a tu tabla «{table}» o a «{agent}»?",
    },
    "no_table_made": {
        "en": "There is nothing to draw: the step before it brought no table.",
        "es": "No hay nada que dibujar: el paso anterior no trajo ninguna tabla.",
    },
    "example": {"en": "- {text}", "es": "- {text}"},
    "member": {"en": "- **{name}**: {about}", "es": "- **{name}**: {about}"},
    "such_as": {"en": ", such as {examples}", "es": "por ejemplo, {examples}"},
    "quoted": {"en": "“{text}”", "es": "«{text}»"},
    "or": {"en": " or ", "es": " o "},
    "failed": {"en": "I could not do that: {reason}", "es": "No he podido hacerlo: {reason}"},
    "refused": {"en": "I have not done it. {reason}", "es": "No lo he hecho. {reason}"},
    "not_approved": {
        "en": "I have not done it, because it was not approved.",
        "es": "No lo he hecho, porque no se ha aprobado.",
    },
    "not_approved_because": {
        "en": "I have not done it, because it was not approved: {reason}",
        "es": "No lo he hecho, porque no se ha aprobado: {reason}",
    },
    "left_alone": {
        "en": "All right, I leave everything as it is.",
        "es": "De acuerdo, lo dejo todo como está.",
    },
    "nothing_found": {"en": "I found nothing.", "es": "No he encontrado nada."},
    "not_in_documents": {
        "en": "The documents do not say anything about that, and without a language model I know nothing else.",
        "es": "Los documentos no dicen nada sobre eso, y sin un modelo de lenguaje no sé nada más.",
    },
    "documents": {
        "en": "The team can answer from these documents:\n\n{titles}\n\n"
        "Ask about what they say, and the answer quotes it.",
        "es": "El equipo puede responder con estos documentos:\n\n{titles}\n\n"
        "Pregunta por lo que dicen y la respuesta lo cita.",
    },
    "documents_disagree": {"en": "The documents disagree:", "es": "Los documentos no coinciden:"},
    "main_points": {"en": "The main points of “{title}”:", "es": "Los puntos principales de «{title}»:"},
    "from_document": {"en": "From “{title}”: ", "es": "De «{title}»: "},
    "listed_items": {"en": "What “{title}” lists:", "es": "Lo que enumera «{title}»:"},
    "document_unread": {
        "en": "The documents do not say what is in “{file}”: {why}",
        "es": "Los documentos no dicen lo que hay en «{file}»: {why}",
    },
    "not_in_documents_about": {
        "en": "The documents do not say anything about this part: “{question}”.",
        "es": "Los documentos no dicen nada sobre esta parte: «{question}».",
    },
    "not_said_nearest": {
        "en": "The documents do not say anything about “{words}”. What comes nearest:",
        "es": "Los documentos no dicen nada sobre «{words}». Lo más cercano:",
    },
    "no_arithmetic": {
        "en": "I see no arithmetic expression in that. I can calculate, for example, “15% of 1,200”, “(3 + 4) * 12” or "
        "“square root of 144”.",
        "es": "No veo ninguna operación en eso. Puedo calcular, por ejemplo, «el 21% de 350», «(3 + 4) * 12» o «la "
        "raíz cuadrada de 144».",
    },
    "division_by_zero": {
        "en": "I could not do that: division by zero",
        "es": "No he podido hacerlo: no se puede dividir entre cero",
    },
    "rounded": {"en": "rounded", "es": "redondeado"},
    "step_missing": {"en": "{task}: not done ({reason})", "es": "{task}: sin hacer ({reason})"},
    "equals": {"en": "{argument} = {value}", "es": "{argument} = {value}"},
    "at_a_time": {"en": "In {zone} it is {moment}.", "es": "En {zone} son las {moment}."},
    "reasoning": {
        "en": "chosen by the built-in offline model's grammar",
        "es": "elegido por la gramática del modelo sin conexión",
    },
}


IGNORANCE = ("not_in_documents", "unknown", "unknown_word")
"""The phrases of an agent that has nothing to say to a request."""


def says_nothing(text: str) -> bool:
    """Whether an answer is only that an agent does not know or does not understand."""
    return _ignorance().match(text) is not None


def unknown_words(text: str) -> str:
    """The words that an agent says it does not understand."""
    found = _UNKNOWN_WORD.search(text) if says_nothing(text) else None
    return found.group(1) if found else ""


_UNKNOWN_WORD = re.compile(r"^[^“«]{0,60}[“«]([^”»]*)[”»]")


@cache
def _ignorance() -> re.Pattern[str]:
    texts = [text for name in IGNORANCE for text in PHRASES[name].values()]
    parts = [".*?".join(re.escape(part) for part in re.split(r"\{\w+\}", text)) for text in texts]
    return re.compile("|".join(parts), re.DOTALL)


def phrase(name: str, language: Language, /, **facts: object) -> str:
    """A phrase with its facts in place."""
    return PHRASES[name][language].format(**facts)
