"""What was asked before, read off the conversation alone: so it survives a reload, a resume and another process (A-42)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from batuta.datasets.charts.asked_titles import asked_title
from batuta.kernel.messages import Message
from batuta.language.annotation import annotated
from batuta.language.choices import index_for, words_with_places
from batuta.language.dialogue import (
    corrected,
    is_follow_up,
    is_no,
    is_yes,
    owner_said,
    refers_back,
    with_other_number,
    with_other_ordinal,
)
from batuta.language.expressions import find_expression, refers_to_rate
from batuta.language.findings import LANGUAGES, Language
from batuta.language.folding import aligned, composed, fold, stem
from batuta.language.interpretation import AMENDED_BY, WORTH_ASKING, Interpretation, Interpreter, base_of
from batuta.language.rewording import is_elliptical
from batuta.language.slots import fill_slot, slot_spans
from batuta.language.stance import orders_by_verb, stance_of
from batuta.language.understanding import Intent, Slot
from batuta.language.vocabulary import filler_stems
from batuta.offline.evidence import is_cited
from batuta.offline.names_meant import names_chosen
from batuta.offline.phrases import phrase
from batuta.offline.requests import asked_plainly, is_feedback
from batuta.offline.shown_rows import (
    ShownRows,
    implies_one,
    implies_several,
    shown_rows,
    stands_for_several,
    with_unknown,
)
from batuta.offline.small_talk import OWN
from batuta.offline.tables import charted_table, tables_named

MAX_TURNS = 12
"""How far back it looks."""
MAX_AMENDMENTS = 6
LONGEST_FOLLOW_UP = 9
"""Words of a message that may say no more than what changes."""
LONGEST_PRONOUN = 5
LONGEST_REPLY = 8
SURE_OF_ITSELF = 0.62
"""From which confidence on a message is a request of its own, however it begins."""

SURE_THOUGH_OPENED = 0.9
"""… also where it opens as one that goes on ("and …") and would change the last one."""


_OPENING = re.compile(
    r"^\W*(?:(?:y|e|and|now|ahora|ok|okay|vale|pero|but|then|entonces|please|por favor|mejor|also)\W+)*"
)


_THE_SAME = re.compile(
    r"(?:(?:the\s+)?same|lo\s+mismo|el\s+mismo|la\s+misma|igual)"
    r"(?:\s+(?:chart|graph|plot|diagram|picture|thing|one|grafic[oa]|diagrama|figura))?(?:\s*,?\s*(?:but|pero))?\s+"
)
"""What says only that the rest stays as it was, folded."""
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
_REFUSALS = tuple(phrase("unknown", language, examples="").strip() for language in LANGUAGES)
"""How answers open that leave a request undone: what comes next goes on from the request before it."""
_COMPLETING = re.compile(r"\W*(?:of|from|in|to|for|with|de|del|en|a|al|para|con|y|and)\b")
"""How a message opens that can only complete another, folded."""
_OWNED = re.compile(
    r"\b(?P<owner>sus?|its|his|her|their)\s+(?P<what>\w+(?:\s+\w+){0,3}?)(?=\s+(?:al?|to|into|por|en|from)\s)"
)
"""A possessed thing that is to become something else, folded: "its phone to …"."""
_INSTEAD_OF = re.compile(r"\s+(?:instead\s+of|rather\s+than|en\s+vez\s+del?|en\s+lugar\s+del?)\s.*$", re.IGNORECASE)
"""What is not wanted any more."""


_ORDER_ABOUT_IT = re.compile(
    r"\W*(?:(?:and|then|ok|okay|please|great|y|pues|vale|entonces|genial)\W+)*(?:[a-z]+\s+(?:it|that|them)\b|[a-z]{3,}(?:l[oa]s?)\s)"
)
"""How an order opens that names what it is about by a pronoun, folded: "move it to …", "muévela al …"."""
_WHICH = re.compile(r"\W*[^.?!;\n]{1,60}\? [^;\n]+;")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueContext:
    """What a new message may go on from."""

    request: str = ""
    """The last request, with what was said to it later; empty where there is none."""
    answer: str = ""
    """The last thing the team said."""
    language: Language = "en"
    """Of the user, for messages that show none."""
    tables: frozenset[str] = frozenset()
    """The tables that agents read."""
    is_of_own_table: bool = False
    """Whether the last thing shown is a chart of a table that the user brought: no agent can read it otherwise."""

    @property
    def was_asked(self) -> bool:
        """Whether the team's last words were a question."""
        return self.answer.rstrip().endswith("?")

    @property
    def was_asked_which(self) -> bool:
        """Whether they were a question and the things to choose from."""
        return _WHICH.match(self.answer) is not None


def context_of(
    messages: Sequence[Message], interpreter: Interpreter, now: datetime, language: Language = "en"
) -> DialogueContext:
    """The context before the last message of the user."""
    turns = [each for each in messages if each.role in ("user", "assistant") and each.text and not is_feedback(each)]
    last_user = max((place for place, each in enumerate(turns) if each.role == "user"), default=0)
    context = before = DialogueContext(language=language)
    said = ""
    for message in turns[:last_user][-2 * MAX_TURNS :]:
        if message.role == "assistant":
            is_refused = message.text.startswith(_REFUSALS)
            if said and is_cited(message.text):
                context = replace(context, request=said)  # it was no small talk: documents answered it
            context = replace(before, answer="") if is_refused else _answered(context, message.text)
        else:
            before, said = context, asked_plainly(message.text, language)
            whole = resolved(said, context, interpreter, now)
            context = replace(context, request=whole or context.request, answer="")
            said = "" if whole else said
    return context


def _answered(context: DialogueContext, answer: str) -> DialogueContext:
    read, charted = set(tables_named(answer)), charted_table(answer)
    tables = context.tables | read
    is_of_own = charted not in tables if charted is not None else context.is_of_own_table and not read
    return replace(context, answer=answer, tables=tables, is_of_own_table=is_of_own)


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
    is_meant = found is not None and (context.is_of_own_table or _took_part(found[0], context, interpreter, now))
    return found if is_meant else None


def narrowed(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The last request about fewer records ("only Spain", "since March"), where a message says only that.

    What was read by customer knows nothing of countries or days: it is read again, and shown as it was.
    """
    plain = _OPENING.sub("", fold(text))
    if context.is_of_own_table or changed_result(text, context, interpreter, now) is None:
        return None
    before = next((each for each in interpreter.interpret(context.request, now=now) if each.intent.gives), None)
    slots = () if before is None else before.intent.slots
    is_time = not _LATEST.search(plain)
    said = [
        fill_slot(slot, annotated(text, now=now, reader=context.language), now=now)
        for slot in slots
        if (slot.is_narrowing and _ONLY.match(plain))
        or (slot.type == "period" and is_time)
        or slot.type == "comparison"
    ]
    return _amended(context.request, text) if any(said) else None


def _goes_on_from_chart(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message says how a chart is to be shown otherwise, and is no request of its own."""
    if _GROUPING.match(_OPENING.sub("", fold(_without_the_same(text)))):
        return True
    best = next(iter(interpreter.interpret(text, now=now, reader=context.language)), None)
    return is_follow_up(text) and (best is None or best.confidence < SURE_OF_ITSELF)


def regrouped(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The last request with its rows grouped otherwise ("by month instead"), where a message says only that.

    What was read by country knows nothing of months: it is read again, and shown as it was.
    """
    text = _without_the_same(_ARE_THEY.sub("", _INSTEAD_OF.sub("", composed(text))))
    is_short = len(text.split()) <= LONGEST_FOLLOW_UP
    opened = _OPENING.sub("", fold(text))
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
    whole = _amended(context.request, text)
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


def _without_the_same(text: str) -> str:
    """A message without an opening such as "the same chart": what it changes is left."""
    plain = aligned(text)
    opening = _OPENING.match(plain)
    same = _THE_SAME.match(plain, opening.end() if opening else 0)
    return text[same.end() :] if same else text


def opened_by(text: str, interpreter: Interpreter) -> tuple[str, Intent] | None:
    """The intent with one of whose amending words a message opens."""
    plain = _OPENING.sub("", fold(text))
    for agent_id, intent in interpreter.amending():
        if any(re.match(rf"(?:{pattern})(?!\w)", plain) for pattern in intent.amends):
            return agent_id, intent
    return None


def goes_on(text: str, interpreter: Interpreter) -> bool:
    """Whether a message opens as one that changes the last result: "only …", "and …", "by country"."""
    is_grouping = _GROUPING.match(_OPENING.sub("", fold(_without_the_same(text)))) is not None
    return is_grouping or is_follow_up(text) or opened_by(text, interpreter) is not None


def meanings_of(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> list[Interpretation]:
    """What a message may mean after what was said before."""
    found = interpreter.interpret(text, now=now, reader=context.language, last=context.answer)
    return eligible(found, context, interpreter, now)


def eligible(
    found: Sequence[Interpretation], context: DialogueContext, interpreter: Interpreter, now: datetime
) -> list[Interpretation]:
    """Of what a message may mean, what can be: nothing is changed that was not made."""
    if not context.request or context.is_of_own_table:
        return list(found)
    return [
        each
        for each in found
        if not each.intent.amends or _is_named(each) or _took_part(each.agent_id, context, interpreter, now)
    ]


def _took_part(agent_id: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether an agent made something of the last request: it was asked, or named by what it makes."""
    before = interpreter.interpret(context.request, now=now) if context.request else []
    return any(each.agent_id == agent_id and (place == 0 or _is_named(each)) for place, each in enumerate(before))


def _is_named(meaning: Interpretation) -> bool:
    return any(slot.is_telling and slot.name in meaning.values for slot in meaning.intent.slots)


def resolved(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The whole request that a message makes: itself, or the last one amended by it; none for what asks for nothing."""
    for change in (regrouped, narrowed):
        if (whole := change(text, context, interpreter, now)) is not None:
            return whole
    if changed_result(text, context, interpreter, now) is not None:
        return context.request  # what was changed knows how
    amended = amendment(text, context, interpreter, now)
    if amended is not None:
        return amended
    found = interpreter.interpret(text, now=now, reader=context.language)
    best = next(iter(found), None)
    if best is not None and best.intent.takes and context.tables and not _names_source(found, best.intent.takes):
        first, *later = context.request.split(AMENDED_BY)  # "draw it" says nothing of what is drawn
        return AMENDED_BY.join([f"{first}, {text}", *later])
    return None if best is not None and best.agent_id == OWN and best.is_sure else text


def _names_source(found: Sequence[Interpretation], wanted: str) -> bool:
    """Whether a message that makes something of a result says itself what that is to be made of."""
    return any(
        each.intent.gives == wanted
        and not each.missing
        and any(slot.is_required and slot.name in each.values for slot in each.intent.slots)
        for each in found
    )


def amendment(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
    """The last request together with a message that only changes it or answers a question about it."""
    if not context.request:
        return None
    if chosen := _choice_of_name(text, context, interpreter, now):
        return _amended(context.request, chosen)
    if is_no(text) or is_yes(text):
        return None
    if _asks_of_it(text, context, interpreter, now) or _ranks_it(text, context, interpreter, now):
        return _amended(context.request, text)
    if goes_on_from_documents(text, context, interpreter, now):
        return _amended(context.request, text)
    named = _with_antecedent(text, context, interpreter, now)
    if named is not None:
        return named
    other = with_other_number(context.request, text)
    if other is not None and _takes_number(context, other, interpreter, now):
        return other
    other_period = with_other_ordinal(context.request, text)
    if other_period is not None:
        return other_period
    if refers_to_rate(context.request, text):
        return f"{context.request} {text}"
    words = text.split()
    if len(words) <= LONGEST_FOLLOW_UP and _asks_more(text, context, interpreter, now):
        return _amended(context.request, text)
    best = next(iter(meanings_of(text, context, interpreter, now)), None)
    if best is not None and _is_about_it(text) and _goes_on(text, best, context, interpreter, now):
        return _amended(context.request, text)
    if context.was_asked and len(words) <= LONGEST_REPLY and _answers_a_change(text, best, context, interpreter, now):
        return _amended(context.request, text)
    if best is not None and _orders_on_day(text, best, context, interpreter, now):
        return _amended(context.request, text)
    brings = _brings_something(text, context, interpreter, now)
    if context.was_asked and _asks_anew(text, context, interpreter, now):
        return None
    goes_with_last = context.was_asked or _asked_for_change(context, interpreter, now)
    if goes_with_last and brings and is_bare(text, now, context.language):
        return _amended(context.request, text)
    if brings and _settles_day(text, context, now):
        return _amended(context.request, text)
    if (
        brings
        and _is_own(best)
        and best is not None
        and best.confidence < SURE_THOUGH_OPENED
        and is_bare(text, now, context.language)
    ):
        return _amended(context.request, text)  # "since March" is no farewell
    if (context.was_asked or context.was_asked_which) and _names_only(text, best, context, interpreter, now):
        return _amended(context.request, text)
    sure = SURE_THOUGH_OPENED if is_follow_up(text) and brings else SURE_OF_ITSELF
    if best is not None and best.confidence >= sure and not corrected(text):
        return None
    if best is not None and best.is_sure and best.intent.takes and refers_back(text) and not corrected(text):
        return None  # "draw it" works on the last result, and changes nothing of how it was asked for
    better = corrected(text)
    if better is not None and len(words) <= LONGEST_FOLLOW_UP:
        return _amended(context.request, better)
    if context.was_asked and len(words) <= LONGEST_REPLY and brings and not _is_own(best):
        return _amended(context.request, text)
    is_short = len(words) <= LONGEST_FOLLOW_UP
    if is_short and brings and (is_follow_up(text) or (refers_back(text) and not _is_own(best))):
        return _amended(context.request, text)
    return None


def _choice_of_name(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str:
    """The names that a reply chooses, where it was asked which of several is meant."""
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if before is None or not (before.candidates and context.was_asked):
        return ""
    return "; ".join(names_chosen(text, before.candidates))


def _takes_number(context: DialogueContext, other: str, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a request with another number is the same sum or conversion: "180 pounds in kilos", then "and 200?"."""
    if find_expression(context.request) and find_expression(other):
        return True
    before, after = (
        next(iter(interpreter.interpret(each, now=now, reader=context.language)), None)
        for each in (context.request, other)
    )
    is_same = before is not None and after is not None and before.label == after.label
    return is_same and after is not None and not after.missing and "quantity" in after.values


def _orders_on_day(
    text: str, best: Interpretation, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether an order names no day after a question about one: "is Tuesday free?", then "book the physio at 6"."""
    said, asked = (annotated(each, now=now, reader=context.language).findings for each in (text, context.request))
    if {"date", "period", "recurrence", "soon"} & said.keys() or not {"date", "period"} & asked.keys():
        return False
    if best.intent.effect != "change" or best.confidence < WORTH_ASKING or not orders_by_verb(text):
        return False
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    takes_text = any(slot.type == "text" and slot.is_required for slot in best.intent.slots)
    is_question = before is not None and before.intent.effect == "answer" and before.agent_id == best.agent_id
    return is_question and takes_text


def _asked_for_change(context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether the last request was for a change: "9pm" after it says when, and is no appointment without a name."""
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    return before is not None and before.intent.effect == "change" and before.is_sure


def _names_only(
    text: str, best: Interpretation | None, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether a short reply names a thing and orders nothing by a verb, where it was asked what is to be changed: "the
    dentist", after "which one?".
    """
    said = annotated(text, now=now, reader=context.language).findings.keys()
    is_name = not ({"date", "time", "period", "recurrence", "soon"} & said or orders_by_verb(text))
    asked = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    is_own = best is not None and asked is not None and best.agent_id == asked.agent_id and stance_of(text) == "order"
    return is_name and is_own and len(text.split()) <= LONGEST_REPLY and _asked_for_change(context, interpreter, now)


def _settles_day(text: str, context: DialogueContext, now: datetime) -> bool:
    """Whether a message is a day alone, after a request whose day may be read in two ways: "next Thursday", "the 26th"."""
    said = annotated(context.request, now=now, reader=context.language).findings.get("date", ())
    is_open = any(each.alternatives for each in said)
    return is_open and "date" in annotated(text, now=now).findings and is_bare(text, now, context.language)


def _asks_of_it(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a question names nothing, after one that was looked up: it is about the same thing."""
    if not is_elliptical(text):
        return False
    before = next(iter(interpreter.interpret(base_of(context.request), now=now, reader=context.language)), None)
    return before is not None and (before.intent.is_fallback or is_cited(context.answer))


def goes_on_from_documents(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message asks the same of another thing, after an answer that quoted documents: "and the large one?"."""
    if not is_cited(context.answer) or not is_follow_up(text) or len(text.split()) > LONGEST_FOLLOW_UP:
        return False
    best = next(iter(interpreter.interpret(text, now=now, reader=context.language)), None)
    return best is None or best.intent.is_fallback or not best.is_sure


def _ranks_it(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a short question asks for the first or last of some rows and does not say by what: "margin by product",
    and then "which is the best product?". It goes by what was asked before.
    """
    found = interpreter.interpret(text, now=now, reader=context.language)
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if before is None or before.missing or len(text.split()) > LONGEST_FOLLOW_UP:
        return False
    source = annotated(text, now=now, reader=context.language)
    said = [slot for slot in before.intent.slots if fill_slot(slot, source, now=now) is not None]
    is_ranking = any(slot.type == "ranking" for slot in said)
    if is_ranking and len(said) == 1 and is_follow_up(text):
        return not interpreter.unexplained(before.intent, [source])  # "and the worst?" turns the order round
    again = [each for each in found if each.label == before.label]
    if not again or (found[0] is not again[0] and found[0].is_sure):
        return False
    names_own = any(slot.is_required or (slot.stands_in and not slot.is_grouping) for slot in said)
    return is_ranking and any(slot.is_grouping for slot in said) and not names_own


def _with_antecedent(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> str | None:
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
    if _asks_more(text, context, interpreter, now):
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


def _asks_more(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
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


def _is_about_it(text: str) -> bool:
    """Whether a short message speaks of something by a pronoun, or a longer one opens with an order about it."""
    words = len(text.split())
    return (words <= LONGEST_PRONOUN and refers_back(text)) or (
        words <= LONGEST_FOLLOW_UP and _ORDER_ABOUT_IT.match(fold(text)) is not None and orders_by_verb(text)
    )


def _goes_on(
    text: str, best: Interpretation, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether a message such as "cancel it" speaks of what the last request was about."""
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    takes_text = any(slot.type == "text" for slot in best.intent.slots)
    is_sure = best.is_sure or (best.confidence >= WORTH_ASKING and best.stance == "order")
    if before is None or before.agent_id == OWN or not (takes_text and is_sure):
        return False
    if best.agent_id == before.agent_id:
        return True
    # "is Friday at 6 free?", then "book it": others have books as well
    whole = interpreter.interpret(_amended(context.request, text), now=now, reader=context.language)
    return best.intent.effect == "change" and bool(whole) and whole[0].agent_id == before.agent_id and whole[0].is_sure


def _answers_a_change(
    text: str, best: Interpretation | None, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether a message answers what was asked about a change: it gives a name or a value, and asks for nothing."""
    before = next(iter(interpreter.interpret(context.request, now=now)), None)
    if before is None or not any(slot.is_conclusive and slot.name in before.values for slot in before.intent.slots):
        return False
    asks = best is not None and (best.intent.effect == "change" or _is_own(best)) and best.is_sure
    return not asks and stance_of(text) == "order" and "?" not in text


def _asks_anew(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message, after a request with a word that was not understood, names what it is about itself."""
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if before is None or not before.unknown or _COMPLETING.match(fold(text)):
        return False
    source = annotated(text, now=now, reader=context.language)
    return any(
        slot.is_required and slot.type == "choice" and not slot.takes_names and fill_slot(slot, source, now=now)
        for each in interpreter.interpret(text, now=now, reader=context.language)
        for slot in each.intent.slots
    )


def _is_own(best: Interpretation | None) -> bool:
    return best is not None and best.agent_id == OWN and best.is_sure


def _brings_something(text: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether a message fills a slot of what was asked before, or names something new in it."""
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    if before is None or before.agent_id == OWN:
        return False
    amendment_text = annotated(text, now=now, reader=context.language)
    # As it stands, not settled: "more than 60 days" means nothing without the invoices it is said of.
    telling = any(
        fill_slot(slot, amendment_text, now=now, last=context.answer) is not None
        for slot in before.intent.slots
        if slot.type not in ("text", "result", "ranking", "wordings")
    )
    takes_text = any(slot.type == "text" for slot in before.intent.slots)
    has_content = any(
        amendment_text.findings.get(kind) for kind in ("date", "time", "period", "zone", "person", "soon")
    )
    return telling or (takes_text and (has_content or is_follow_up(text) or context.was_asked))


def is_bare(text: str, now: datetime, language: Language) -> bool:
    """Whether a message is nothing but a day, a time, a person or an amount: "4pm" after "at what time?"."""
    source = annotated(text, now=now, reader=language)
    spans = [each.span for found in source.findings.values() for each in found]
    words = words_with_places(source.text)
    return bool(spans) and all(
        any(span.start <= start and end <= span.end for span in spans) or stem(word) in filler_stems()
        for word, start, end in words
    )


def _amended(request: str, text: str) -> str:
    parts, said = request.split(AMENDED_BY), _without_the_same(composed(text)).strip()
    return AMENDED_BY.join([parts[0], *parts[1:][-MAX_AMENDMENTS:], said])
