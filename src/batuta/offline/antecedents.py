"""What a pronoun, a possessive or a silence stands for: "its phone", "what do they owe us?", "is it paid?"."""

import re
from collections.abc import Sequence
from datetime import datetime

from batuta.language.annotation import annotated
from batuta.language.choices import index_for, words_with_places
from batuta.language.dialogue import owner_said, refers_back
from batuta.language.folding import aligned, composed, fold, stem
from batuta.language.interpretation import Interpretation, Interpreter, base_of
from batuta.language.slots import fill_slot, slot_spans
from batuta.language.understanding import Intent, Slot
from batuta.language.vocabulary import filler_stems
from batuta.offline.context import LONGEST_FOLLOW_UP, DialogueContext
from batuta.offline.shown_rows import (
    ShownRows,
    implies_one,
    implies_several,
    shown_rows,
    stands_for_several,
    with_unknown,
)

_OWNED = re.compile(
    r"\b(?P<owner>sus?|its|his|her|their)\s+(?P<what>\w+(?:\s+\w+){0,3}?)(?=\s+(?:al?|to|into|por|en|from)\s)"
)
"""A possessed thing that is to become something else, folded: "its phone to …"."""
_DOCUMENT = re.compile(r"\b(?:purchase\s+)?(?:invoice|order|quote|factura|pedido|oferta)\b(?:\s+de\s+compra\b)?")
_ASKS_ONE = re.compile(
    rf"\b(?:customer|client|vendor|supplier|item|product|cliente|proveedor|producto|articulo)\b|{_DOCUMENT.pattern}"
)
"""One of a kind, named in the singular."""
_MOST = re.compile(
    r"\b(?:most|least|best|worst|biggest|largest|highest|smallest|lowest|top|mas|menos|mayor|menor|mejor|peor)\b"
)
_PRONOUN = re.compile(r"\b(?:it|they|them|he|she|ellos|ellas|ella|él)\b", re.IGNORECASE)
_SHOWN_ALONE = re.compile(r"\*\*(?P<name>[^*]+)\*\*\s+·[^·\n]+(?:·\s+(?P<number>[\w/-]*\d)\b)?")
"""How an answer opens that shows one record."""
_FIRST_ROW = re.compile(r"\): (?P<name>[^;:*]+?) -?[\d.,]+(?: \S{1,3})?(?=;|\.)")
"""The first row of an answer that names several, with its figure."""


def with_antecedent(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """A request of its own about what the last one named: "its overdue invoices" with the name of whose they are.

    Also one that is understood only with the name: "what is their phone number?", "¿cuándo pagó por última vez?".
    """
    is_owned = bool(owner_said(text))
    found = interpreter.interpret(text, now=now, reader=context.language)
    if is_owned and found and found[0].intent.effect == "change":
        return _changed_of_named(text, found[0].agent_id, context, interpreter, now)
    if whole := _asked_of_several(text, found, context, interpreter, now):
        return whole
    if whole := _asked_of_one(text, found, context, interpreter, now):
        return whole
    for rank, each in enumerate(found):
        slot = next((one for one in each.intent.slots if one.is_narrowing), None)
        if slot is None or each.values.get(slot.name) or not (is_owned or slot in each.missing):
            continue
        names = _named_before(slot, context, interpreter, now)
        whole = with_name(text, ", ".join(names)) if names else None
        is_sure = is_owned and rank == 0
        is_asking = is_owned or _asks_something(text, each.intent, context, now)
        if whole is not None and is_asking and (is_sure or _is_explained(whole, each, context, interpreter, now)):
            return whole
    return None


def _asked_of_several(
    text: str, found: Sequence[Interpretation], context: DialogueContext, interpreter: Interpreter, now: datetime
) -> str | None:
    """A question about those that were shown last, with their names: "the 3 best customers", "what do they owe us?".

    Where the answer did not name all of them, it is left open who they are: a figure of all would be taken for theirs.
    """
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if before is None or len(text.split()) > LONGEST_FOLLOW_UP or (found and found[0].intent.effect == "change"):
        return None
    source = annotated(text, now=now, reader=context.language)
    naming = [slot for slot in before.intent.slots if slot.is_narrowing]
    is_named = any(fill_slot(slot, source, now=now) for slot in before.intent.slots if slot.is_grouping)
    is_implied = implies_several(text) or implies_one(text)
    is_about_them = stands_for_several(text) or (is_implied and not is_named)
    has_several = any(before.values.get(slot.name, 1) != 1 for slot in before.intent.slots if slot.type == "limit")
    if not naming or not is_about_them or fill_slot(naming[0], source, now=now):
        return None
    rows = shown_rows(context.answer, naming[0].known_values())
    is_limited = _is_limited(before)
    # "which customer owes us the most?" shows several, and asks for one
    one = "" if has_several else _only_answer(context)
    if one and is_implied and one in naming[0].known_values():
        rows = ShownRows(names=(one,), is_all=True)
    elif one or len(rows.names) < 2 or not (stands_for_several(text) or implies_several(text)):
        return None
    if not (rows.is_all or is_limited):
        return None
    names = [called(naming[0], name) for name in rows.names]
    for said in dict.fromkeys((text, without_pronouns(text))):
        whole = with_name(said, ", ".join(names))
        meant = next(iter(interpreter.interpret(whole, now=now, reader=context.language)), None)
        if meant is None or meant.agent_id != before.agent_id or not _is_whole([meant]):
            continue
        is_of_all = len(names) == 1 or len(meant.values.get(naming[0].name) or ()) == len(names)  # a record is of one
        if is_of_all and _asks_something(said, meant.intent, context, now):
            return whole if rows.is_all else with_unknown(text, context.language)
    return with_unknown(text, context.language) if is_limited and _is_whole(found) else None


def _is_limited(meaning: Interpretation) -> bool:
    """Whether an answer holds some rows only: a ranking cut short, a bound, the records of a place."""
    kept = {
        slot.name
        for slot in meaning.intent.slots
        if slot.is_required or slot.is_grouping or slot.type in ("period", "comparison")
    }
    ordered = meaning.values.get("ranking") in ("most", "least")
    return bool(meaning.values.keys() - kept - ({"ranking"} if ordered else set()))


def _asked_of_one(
    text: str, found: Sequence[Interpretation], context: DialogueContext, interpreter: Interpreter, now: datetime
) -> str | None:
    """A short question about the one thing that was shown or named last, with its name: "is it paid? (invoice 103125)".

    Only where every word of it then has a meaning, and it has none of its own.
    """
    if len(text.split()) > LONGEST_FOLLOW_UP or (_is_whole(found) and not (owner_said(text) or refers_back(text))):
        return None
    if _is_whole(found) and any(slot.is_narrowing and found[0].values.get(slot.name) for slot in found[0].intent.slots):
        return None  # "compara las ventas de Suiza e Italia" names its own
    if asks_more(text, context, interpreter, now):
        return None  # the last request names the record itself
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    slots = [] if before is None else [slot for slot in before.intent.slots if slot.is_narrowing]
    one = _only_answer(context)
    if not one:
        names = [name for slot in slots for name in _named_before(slot, context, interpreter, now)]
        one = names[0] if len(names) == 1 else ""
    if before is None or not one:
        return None
    kind = _DOCUMENT.search(fold(base_of(context.request))) if re.fullmatch(r"[\w/-]*\d", one) else None
    for said in dict.fromkeys((text, without_pronouns(text))):
        whole = with_name(said, f"{kind.group()} {one}" if kind else one)
        meant = interpreter.interpret(whole, now=now, reader=context.language)
        if not _is_whole(meant) or meant[0].agent_id != before.agent_id or meant[0].intent.effect == "change":
            continue
        if _asks_something(said, meant[0].intent, context, now):
            return whole
    return None


def _asks_something(text: str, intent: Intent, context: DialogueContext, now: datetime) -> bool:
    """Whether a message itself says what is asked of a record: "and in 2025?" and "since when?" ask for none."""
    slots = [slot for slot in intent.slots if not slot.is_narrowing]
    asking = [slot for slot in slots if slot.asks_more and slot.type != "flag"]
    asking = asking or [slot for slot in slots if slot.is_required]
    return any(fill_slot(slot, annotated(text, now=now, reader=context.language), now=now) for slot in asking)


def with_name(text: str, name: str) -> str:
    """A message with what it is about, as one sentence: after a question mark the name would be a request of its own."""
    return f"{text.rstrip(' ?!.')} ({name})"


def without_pronouns(text: str) -> str:
    """A message without the pronouns that stand for what was named."""
    return " ".join(_PRONOUN.sub("", text).split())


def _is_whole(found: Sequence[Interpretation]) -> bool:
    """Whether the likeliest meaning accounts for every word."""
    best = next(iter(found), None)
    return best is not None and best.intent.reads_every_word and not best.missing and not best.unknown


def _changed_of_named(
    text: str, agent_id: str, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> str | None:
    """A change of something of the one that was named: "change its phone to 5" is that of Ana; none where several were."""
    owned = _OWNED.search(aligned(composed(text)))
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if owned is None or before is None or before.agent_id != agent_id:
        return None
    slots = [slot for slot in before.intent.slots if slot.is_narrowing]
    names = [name for slot in slots for name in _named_before(slot, context, interpreter, now)]
    if len(names) != 1:
        return None
    what = composed(text)[owned.start("what") : owned.end("what")]
    is_spanish = owned["owner"] in ("su", "sus")
    whole = f"el {what} de {names[0]}" if is_spanish else f"the {what} of {names[0]}"
    return f"{composed(text)[: owned.start()]}{whole}{composed(text)[owned.end() :]}"


def _named_before(slot: Slot, context: DialogueContext, interpreter: Interpreter, now: datetime) -> list[str]:
    """What the last request named that a slot may take."""
    named = (
        value
        for each in interpreter.interpret(context.request, now=now, reader=context.language)
        for other in each.intent.slots
        if other.values == slot.values and (value := each.values.get(other.name))
    )
    found: str | Sequence[str] = next(named, ())
    known = slot.known_values()  # the number of a document is no name
    names = [called(slot, name) for name in ([found] if isinstance(found, str) else found) if name in known]
    return names or [each.value for each in index_for(slot).find(_only_answer(context))][:1]


def called(slot: Slot, value: str) -> str:
    """A value by a word that a slot knows it by: a code of two letters is known by the name behind it alone."""
    index = index_for(slot)
    words = (value, *slot.known_values()[value])
    return next((word for word in words if [each.value for each in index.find(word)] == [value]), value)


def _only_answer(context: DialogueContext) -> str:
    """The one thing that the last answer was about: a record that was shown alone, or the first of a ranking that asked
    for one ("which customer owes us the most?"); empty where it was about several.
    """
    asked = fold(base_of(context.request))
    if shown := _SHOWN_ALONE.match(context.answer):
        return shown["number"] if shown["number"] and _DOCUMENT.search(asked) else shown["name"]
    first = _FIRST_ROW.search(context.answer) if _ASKS_ONE.search(asked) and _MOST.search(asked) else None
    return first["name"] if first else ""


def _is_explained(
    text: str, meant: Interpretation, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether every word of a text is accounted for by an intent."""
    best = next(iter(interpreter.interpret(text, now=now, reader=context.language)), None)
    is_same = best is not None and best.label == meant.label and best.intent.reads_every_word
    return best is not None and is_same and not best.unknown and not best.missing


def asks_more(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message says nothing but what can be asked of the thing that the last request named."""
    before = next(iter(interpreter.interpret(base_of(context.request), now=now, reader=context.language)), None)
    slots = [] if before is None else [slot for slot in before.intent.slots if slot.asks_more]
    if before is None or not slots or before.missing or not before.is_sure:
        return False
    source = annotated(text, now=now, reader=context.language)
    spans = [span for slot in slots for span in slot_spans(slot, source)]
    fillers = filler_stems(tuple(before.intent.fillers))
    return bool(spans) and all(
        stem(word) in fillers or any(span.start <= start and end <= span.end for span in spans)
        for word, start, end in words_with_places(source.text)
    )
