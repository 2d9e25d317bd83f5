"""Messages that change how the last result is read or shown: "only Spain", "by month instead", "as a line"."""

import re
from datetime import datetime

from batuta.datasets.charts.asked_titles import asked_title
from batuta.language.annotation import annotated
from batuta.language.dialogue import is_follow_up
from batuta.language.folding import composed, fold
from batuta.language.interpretation import AMENDED_BY, Interpreter
from batuta.language.slots import fill_slot
from batuta.language.understanding import Intent
from batuta.offline.context import (
    LONGEST_FOLLOW_UP,
    OPENING,
    SURE_OF_ITSELF,
    DialogueContext,
    took_part,
    with_amendment,
    without_the_same,
)

_CHART_NOUN = r"(?:charts?|graphs?|plots?|diagrams?|grafic[oa]s?|diagramas?)"
_GROUPING = re.compile(
    rf"(?:(?:(?:draw|plot|make|show|haz|hazme|dibuja|dibujame|pinta|muestra|muestrame)\s+)?(?:(?:me|a|an|un|una|the|el|la)\s+)*{_CHART_NOUN}\s+)?"
    r"(?:(?:split|break it down|broken down|group(?:ed)?|desglos\w+|separ\w+|agrup\w+|dividid\w+)\s+)?"
    r"(?:by|per|por|segun)\b"
)
"""How a message opens that says what rows are to be grouped by."""
_OF_WHICH = re.compile(
    r"(?:from|of|to)\s+(?:which|what)\b|(?:de|a)\s+(?:que|cual(?:es)?)\b"
    r"|(?:which|what|que|cuales)\s+\w+\W*$"
)
"""How a short message asks whose or which the rows are: "from which vendors?", "which invoices are they?"."""
_ARE_THEY = re.compile(r"\s+(?:are\s+(?:they|those|these)|son)\W*$", re.IGNORECASE)
"""What a question for the rows may end with, and says nothing."""
_ONLY = re.compile(r"(?:only|just|solo|solamente|unicamente)\b")
_LATEST = re.compile(r"\b(?:last|latest|past|ultim\w+)\b")
"""The end of what a chart shows: it holds that already."""
_INSTEAD_OF = re.compile(r"\s+(?:instead\s+of|rather\s+than|en\s+vez\s+del?|en\s+lugar\s+del?)\s.*$", re.IGNORECASE)
"""What is not wanted any more."""


def changed_result(
    text: str, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> tuple[str, Intent] | None:
    """The intent that a short message changes the last result by: "only Spain" after a chart."""
    has_result = bool(context.request) or context.is_of_own_table
    found = opened_by(text, interpreter) if has_result else None
    words = text if found is None else asked_title(text)[1]  # a title may be long
    if not has_result or len(words.split()) > LONGEST_FOLLOW_UP:
        return None
    if context.is_of_own_table and found is None and _goes_on_from_chart(text, context, interpreter, now):
        return next(iter(interpreter.amending()), None)
    is_meant = found is not None and (context.is_of_own_table or took_part(found[0], context, interpreter, now))
    return found if is_meant else None


def narrowed(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The last request about fewer records ("only Spain", "only the overdue", "since March"), where it says only that.

    What was read by customer knows nothing of countries or days: it is read again, and shown as it was.
    """
    plain = OPENING.sub("", fold(text))
    if context.is_of_own_table or changed_result(text, context, interpreter, now) is None:
        return None
    before = next((each for each in interpreter.interpret(context.request, now=now) if each.intent.gives), None)
    slots = () if before is None else before.intent.slots
    is_time = not _LATEST.search(plain)
    said = [
        fill_slot(slot, annotated(text, now=now, reader=context.language), now=now)
        for slot in slots
        if ((slot.is_narrowing or slot.is_required) and _ONLY.match(plain))
        or (slot.type == "period" and is_time)
        or slot.type == "comparison"
    ]
    return with_amendment(context.request, text) if any(said) else None


def _goes_on_from_chart(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message says how a chart is to be shown otherwise, and is no request of its own."""
    if _GROUPING.match(OPENING.sub("", fold(without_the_same(text)))):
        return True
    best = next(iter(interpreter.interpret(text, now=now, reader=context.language)), None)
    return is_follow_up(text) and (best is None or best.confidence < SURE_OF_ITSELF)


def regrouped(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The last request with its rows grouped otherwise ("by month instead"), where a message says only that.

    What was read by country knows nothing of months: it is read again, and shown as it was.
    """
    text = without_the_same(_ARE_THEY.sub("", _INSTEAD_OF.sub("", composed(text))))
    is_short = len(text.split()) <= LONGEST_FOLLOW_UP
    opened = OPENING.sub("", fold(text))
    is_grouping = is_short and any(each.match(opened) for each in (_GROUPING, _OF_WHICH))
    if not context.request or context.is_of_own_table or not is_grouping:
        return None
    read = [each for each in interpreter.interpret(context.request, now=now) if each.intent.gives]
    grouped = [
        (each, slot)
        for place, each in enumerate(read)
        for slot in each.intent.slots
        if slot.is_grouping and (place == 0 or not (each.missing or each.unknown))
    ]
    if not grouped:
        return None
    before, grouping = grouped[0]
    said = fill_slot(grouping, annotated(text, now=now, reader=context.language), now=now) or ()
    earlier = [
        fill_slot(grouping, annotated(part, now=now, reader=context.language), now=now) or ()
        for part in context.request.split(AMENDED_BY)
    ]
    whole = with_amendment(context.request, text)
    after = interpreter.filled(
        before.agent_id, before.intent, [annotated(part, now=now) for part in whole.split(AMENDED_BY)], now
    )
    names_another = bool(set(said) - {value for values in earlier[-1:] for value in values})
    # "evolución por trimestre" tells of months as well, and was grouped by quarter alone.
    names_another |= bool(said) and after.values.get(grouping.name) != before.values.get(grouping.name)
    return whole if names_another and not after.missing and not after.unknown else None


def names_chart(text: str) -> bool:
    """Whether a message asks for a chart by its name."""
    return re.search(rf"\b{_CHART_NOUN}\b", fold(text)) is not None


def opened_by(text: str, interpreter: Interpreter) -> tuple[str, Intent] | None:
    """The intent with one of whose amending words a message opens."""
    plain = OPENING.sub("", fold(text))
    for agent_id, intent in interpreter.amending():
        if any(re.match(rf"(?:{pattern})(?!\w)", plain) for pattern in intent.amends):
            return agent_id, intent
    return None


def goes_on(text: str, interpreter: Interpreter) -> bool:
    """Whether a message opens as one that changes the last result: "only …", "and …", "by country"."""
    is_grouping = _GROUPING.match(OPENING.sub("", fold(without_the_same(text)))) is not None
    return is_grouping or is_follow_up(text) or opened_by(text, interpreter) is not None
