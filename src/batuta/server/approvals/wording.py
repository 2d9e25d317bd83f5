"""What the platform says in the name of an agent whose approval was set aside, in the language of the request."""

from collections.abc import Iterable

from batuta.events.conversation import UserMessage
from batuta.events.envelope import Event
from batuta.language.detection import detect_language

SET_ASIDE = {
    "en": "Set aside: nothing was carried out, and nothing will be later. Ask again whenever you want it done.",
    "es": "Apartado: no se ha ejecutado nada ni se ejecutará más tarde. Pídelo otra vez cuando quieras que se haga.",
}


def set_aside_words(history: Iterable[Event]) -> str:
    """The end of a turn that was set aside; `history` holds the turn's events."""
    asked = next((event.content for event in history if isinstance(event, UserMessage)), "")
    return SET_ASIDE[detect_language(asked)]
