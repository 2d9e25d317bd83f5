"""The conversation read into one request: what a message adds to the last one, so that it survives a reload (A-42)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from batuta.kernel.messages import Message
from batuta.language.annotation import annotated
from batuta.language.dialogue import (
    corrected,
    is_follow_up,
    is_no,
    is_yes,
    refers_back,
    with_other_name,
    with_other_number,
    with_other_ordinal,
)
from batuta.language.expressions import find_expression, refers_to_rate
from batuta.language.findings import LANGUAGES, Language
from batuta.language.folding import fold
from batuta.language.interpretation import AMENDED_BY, WORTH_ASKING, Interpretation, Interpreter, base_of
from batuta.language.rewording import is_elliptical
from batuta.language.slots import fill_slot
from batuta.language.stance import orders_by_verb, stance_of
from batuta.offline.antecedents import asks_more, with_antecedent
from batuta.offline.changed_results import changed_result, narrowed, regrouped
from batuta.offline.context import (
    LONGEST_FOLLOW_UP,
    SURE_OF_ITSELF,
    DialogueContext,
    is_bare,
    is_small_talk,
    meanings_of,
    with_amendment,
)
from batuta.offline.evidence import is_cited
from batuta.offline.names_meant import names_chosen
from batuta.offline.phrases import phrase
from batuta.offline.requests import asked_plainly, is_feedback
from batuta.offline.small_talk import OWN
from batuta.offline.tables import charted_table, tables_named

MAX_TURNS = 12
"""How far back it looks."""
LONGEST_PRONOUN = 5
LONGEST_REPLY = 8
SURE_THOUGH_OPENED = 0.9
"""… also where it opens as one that goes on ("and …") and would change the last one."""
_REFUSALS = tuple(phrase("unknown", language, examples="").strip() for language in LANGUAGES)
"""How answers open that leave a request undone: what comes next goes on from the request before it."""
_COMPLETING = re.compile(r"\W*(?:of|from|in|to|for|with|de|del|en|a|al|para|con|y|and)\b")
"""How a message opens that can only complete another, folded."""
_ORDER_ABOUT_IT = re.compile(
    r"\W*(?:(?:and|then|ok|okay|please|great|y|pues|vale|entonces|genial)\W+)*(?:[a-z]+\s+(?:it|that|them)\b|[a-z]{3,}(?:l[oa]s?)\s)"
)
"""How an order opens that names what it is about by a pronoun, folded: "move it to …", "muévela al …"."""


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
        return with_amendment(context.request, chosen)
    if is_no(text) or is_yes(text):
        return None
    if renamed := with_other_name(context.request, text):
        return renamed
    if _asks_of_it(text, context, interpreter, now) or _ranks_it(text, context, interpreter, now):
        return with_amendment(context.request, text)
    if goes_on_from_documents(text, context, interpreter, now):
        return with_amendment(context.request, text)
    named = with_antecedent(text, context, interpreter, now)
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
    if len(words) <= LONGEST_FOLLOW_UP and asks_more(text, context, interpreter, now):
        return with_amendment(context.request, text)
    found = meanings_of(text, context, interpreter, now)
    best = _ordered_of_last(text, found, context, interpreter, now) or next(iter(found), None)
    if best is not None and _is_about_it(text) and _goes_on(text, best, context, interpreter, now):
        return with_amendment(context.request, text)
    if context.was_asked and len(words) <= LONGEST_REPLY and _answers_a_change(text, best, context, interpreter, now):
        return with_amendment(context.request, text)
    if best is not None and _orders_on_day(text, best, context, interpreter, now):
        return with_amendment(context.request, text)
    brings = _brings_something(text, context, interpreter, now)
    if context.was_asked and _asks_anew(text, context, interpreter, now):
        return None
    goes_with_last = context.was_asked or _asked_for_change(context, interpreter, now)
    if goes_with_last and brings and is_bare(text, now, context.language):
        return with_amendment(context.request, text)
    if brings and _settles_day(text, context, now):
        return with_amendment(context.request, text)
    if (
        brings
        and is_small_talk(best)
        and best is not None
        and best.confidence < SURE_THOUGH_OPENED
        and is_bare(text, now, context.language)
    ):
        return with_amendment(context.request, text)  # "since March" is no farewell
    if (context.was_asked or context.was_asked_which) and _names_only(text, best, context, interpreter, now):
        return with_amendment(context.request, text)
    sure = SURE_THOUGH_OPENED if is_follow_up(text) and brings else SURE_OF_ITSELF
    if best is not None and best.confidence >= sure and not corrected(text):
        return None
    if best is not None and best.is_sure and best.intent.takes and refers_back(text) and not corrected(text):
        return None  # "draw it" works on the last result, and changes nothing of how it was asked for
    better = corrected(text)
    if better is not None and len(words) <= LONGEST_FOLLOW_UP:
        return with_amendment(context.request, better)
    if context.was_asked and len(words) <= LONGEST_REPLY and brings and not is_small_talk(best):
        return with_amendment(context.request, text)
    is_short = len(words) <= LONGEST_FOLLOW_UP
    if is_short and brings and (is_follow_up(text) or (refers_back(text) and not is_small_talk(best))):
        return with_amendment(context.request, text)
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


def _is_about_it(text: str) -> bool:
    """Whether a short message speaks of something by a pronoun, or a longer one opens with an order about it."""
    words = len(text.split())
    return (words <= LONGEST_PRONOUN and refers_back(text)) or (
        words <= LONGEST_FOLLOW_UP and _ORDER_ABOUT_IT.match(fold(text)) is not None and orders_by_verb(text)
    )


def _ordered_of_last(
    text: str, found: Sequence[Interpretation], context: DialogueContext, interpreter: Interpreter, now: datetime
) -> Interpretation | None:
    """What an order by a pronoun means to the agent that was asked last: after "when is the dentist?", "retrásalo un día"
    delays that, whatever else is late.
    """
    if not (refers_back(text) and len(text.split()) <= LONGEST_PRONOUN and orders_by_verb(text)):
        return None
    before = next(iter(interpreter.interpret(context.request, now=now, reader=context.language)), None)
    changes = (each for each in found if each.intent.effect == "change" and each.confidence >= WORTH_ASKING)
    return next((each for each in changes if before is not None and each.agent_id == before.agent_id), None)


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
    whole = interpreter.interpret(with_amendment(context.request, text), now=now, reader=context.language)
    return best.intent.effect == "change" and bool(whole) and whole[0].agent_id == before.agent_id and whole[0].is_sure


def _answers_a_change(
    text: str, best: Interpretation | None, context: DialogueContext, interpreter: Interpreter, now: datetime
) -> bool:
    """Whether a message answers what was asked about a change: it gives a name or a value, and asks for nothing."""
    before = next(iter(interpreter.interpret(context.request, now=now)), None)
    if before is None or not any(slot.is_conclusive and slot.name in before.values for slot in before.intent.slots):
        return False
    asks = best is not None and (best.intent.effect == "change" or is_small_talk(best)) and best.is_sure
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
