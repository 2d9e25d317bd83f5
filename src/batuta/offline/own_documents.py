"""Whether a message is about what stands in a person's own documents, rather than about what another agent read in it.

Pure.
"""

import re

from batuta.language.choices import index_for
from batuta.language.folding import fold, stem, words_of
from batuta.language.interpretation import Interpretation
from batuta.offline.requests import Task
from batuta.offline.topics import is_light, tells_nothing

_ORDERS = frozenset(("list", "enumerate", "summarise", "summarize", "compare", "explain",
                     "lista", "enumera", "resume", "resumen", "compara", "explica"))  # fmt: skip
"""Words that open an order to read, and name nothing."""
_ASKS_NO_DAY = re.compile(
    r"^\W*(?:(?:a|con|de|para|por|to|with|by|for) )?(?:who|whom|whose|where|why|quien(?:es)?|donde|por que)\b"
)
_OF_DAYS = frozenset(("date", "end", "period", "flag", "found"))
LEAST_WORDS = 2
"""That stand together in a document, for a message that is no question to be about it."""
LEAST_SHARE = 0.6
"""Of the words that tell something, where nothing else is surely meant."""


def stands_in_documents(task: Task, best: Interpretation | None, *, is_question: bool) -> bool:
    """Whether a person's own documents are meant: they hold all that a message tells of, and the likeliest reading names
    nothing of its own in it; or they hold most of it, and nothing else is surely meant.
    """
    content = [
        word for word in dict.fromkeys(words_of(fold(task.text))) if not tells_nothing(word) and word not in _ORDERS
    ]
    held = [word for word in content if word in task.own_words]
    least = 1 if is_question and any(not is_light(word) for word in held) else LEAST_WORDS
    if len(held) < least or (best is not None and best.intent.effect == "change"):
        return False
    if best is None or not best.is_sure or best.intent.reply is not None or best.intent.tool is None:
        return len(held) >= LEAST_SHARE * len(content)
    return len(held) == len(content) and not _is_named(task.text, best)


def asks_no_day(text: str, meaning: Interpretation) -> bool:
    """Whether a text asks for a person, a place or a reason, and a meaning takes days alone: who was absent on 3 February
    is no count of days.
    """
    slots = meaning.intent.slots
    return _ASKS_NO_DAY.match(fold(text)) is not None and bool(slots) and all(slot.type in _OF_DAYS for slot in slots)


def _is_named(text: str, meaning: Interpretation) -> bool:
    """Whether a text says what a meaning is about in words of its own: a measure, a record by its name, a day, a sum."""
    if meaning.is_specific or not meaning.intent.slots:
        return True
    required = [slot for slot in meaning.intent.slots if slot.is_required and slot.type == "choice"]
    if required:
        return any(index_for(slot).find(text) for slot in required)  # "the rent" may be an account: no figure is named
    said = {stem(word) for word in words_of(fold(text))}
    values = (meaning.values.get(slot.name) for slot in meaning.intent.slots if slot.type not in ("text", "wordings"))
    named = [part for value in values for part in (value if isinstance(value, list) else [value]) if part]
    return any(said & {stem(word) for word in words_of(fold(str(part)))} for part in named)
