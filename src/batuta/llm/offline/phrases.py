"""What the built-in model says of its own accord, English and Spanish. Everything else it takes from results."""

from batuta.llm.offline.lexicon import Language

PHRASES: dict[str, dict[Language, str]] = {
    "greeting": {
        "en": "Hello! I am Batuta's built-in offline model. The team can help with this:\n{team}\nWhat do you need?",
        "es": "¡Hola! Soy el modelo sin conexión de Batuta. El equipo puede ayudarte con esto:\n{team}\n"
        "¿Qué necesitas?",
    },
    "help": {
        "en": "I am Batuta's built-in offline model: a small grammar, no language model. The team can do this:\n{team}",
        "es": "Soy el modelo sin conexión de Batuta: una pequeña gramática, no un modelo de lenguaje. "
        "El equipo sabe hacer esto:\n{team}",
    },
    "thanks": {"en": "You are welcome.", "es": "De nada."},
    "unknown": {
        "en": "That is outside what the built-in offline model knows. The team can do this:\n{team}\n"
        "With a provider's key configured, a language model answers instead.",
        "es": "Eso queda fuera de lo que sabe el modelo sin conexión. El equipo sabe hacer esto:\n{team}\n"
        "Con la clave de un proveedor configurada, responde un modelo de lenguaje.",
    },
    "unknown_alone": {
        "en": "That is outside what the built-in offline model knows. With a provider's key configured, a language "
        "model answers instead.",
        "es": "Eso queda fuera de lo que sabe el modelo sin conexión. Con la clave de un proveedor configurada, "
        "responde un modelo de lenguaje.",
    },
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
    "nothing_found": {"en": "I found nothing.", "es": "No he encontrado nada."},
    "not_in_documents": {
        "en": "The documents do not say anything about that.",
        "es": "Los documentos no dicen nada sobre eso.",
    },
    "step_missing": {"en": "{task}: not done ({reason})", "es": "{task}: sin hacer ({reason})"},
    "equals": {"en": "{argument} = {value}", "es": "{argument} = {value}"},
    "at_a_time": {"en": "In {zone} it is {moment}.", "es": "En {zone} son las {moment}."},
    "reasoning": {
        "en": "chosen by the built-in offline model's grammar",
        "es": "elegido por la gramática del modelo sin conexión",
    },
}


def phrase(name: str, language: Language, **facts: object) -> str:
    """A phrase with its facts in place."""
    return PHRASES[name][language].format(**facts)
