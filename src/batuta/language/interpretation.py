"""From a request to what is asked of whom: the likeliest intent, its slots filled, and how sure that is.

    Interpreter(understandings).interpret("ventas por país este año", now=…)
        ->  [Interpretation(agent_id="erp_agent", intent=measure, values={"measure": …, "split": …, "period": …}, confidence=0.7)]

A follow-up is interpreted together with what it follows (`text ▸ follow-up`): what it says takes the place of what was said.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from batuta.language.amounts import find_units
from batuta.language.annotation import AnnotatedText, annotated
from batuta.language.choices import index_for, words_with_places
from batuta.language.dialogue import is_yes
from batuta.language.expressions import is_one_sum
from batuta.language.findings import Finding, Language
from batuta.language.folding import fold, stem, words_of
from batuta.language.matching import LabelScore, SentenceClassifier, without_pronoun
from batuta.language.places import unknown_places
from batuta.language.rewording import divided_follow_up, standing_alone
from batuta.language.slots import fill_slot, slot_spans
from batuta.language.stance import Stance, opening_verb, ordering_clause, stance_of
from batuta.language.trained_files import kept_classifier
from batuta.language.understanding import Intent, Slot, Understanding
from batuta.language.vocabulary import CHANGE_VERBS, filler_stems

AMENDED_BY = " ▸ "
"""Between a request and what was said to it later."""
SURE_ENOUGH = {"answer": 0.30, "change": 0.42}
"""From which confidence on something is done without asking."""
SURE_WHEN_SPECIFIC = 0.32
"""… where the request also names a day, a time or a person."""
WORTH_ASKING = 0.18
"""From which confidence on it is asked whether something is meant."""
RIVAL_SHARE = 0.85
"""How near another intent of another kind may come before it is asked which is meant."""
MISSING_FACTOR = {
    "found": 0.25,
    "expression": 0.25,
    "choice": 0.6,
    "zone": 0.6,
    "time": 0.5,
    "quantity": 0.5,
    "result": 1.0,
    "text": 1.0,
}
"""What is left of an intent's confidence when a required slot of a type is missing: no sum, no calculation."""
MISSING_OTHER = 0.75
STRANGE_FACTOR = 0.6
"""What is left of a change's confidence for each word that no example has, where nothing else tells what is meant."""
UNORDERED_FACTOR = 0.3
"""What is left of a change's confidence where the sentence asks, reports or forbids instead of ordering it."""
UNUSED_FACTORS = {"date": 0.6, "zone": 0.6, "quantity": 0.85}
"""What is left for each kind of thing a request names and an intent has no use for: a date asked of the clock."""
EXCLUDED_FACTOR = 0.1
"""What is left of an intent's confidence for a request that it says not to take."""
FILLED_FACTOR = 1.05
UNEXPLAINED_FACTOR = 0.75
"""What is left for each word that an intent which reads every word cannot account for."""
FULLY_EXPLAINED = 0.8
"""How sure an intent is at least that accounts for every word of a request."""
RIVAL_LEAD = 2.0
"""How much likelier another agent's change must be by its examples to count more than a conclusive reading."""
SURE_BY_VALUES = 0.5
"""How sure an answer is at least whose values are all there and can mean nothing else: a whole sum, a conversion."""
CONCLUSIVE = 0.95
"""How sure one is at least whose own reader took the request as an order."""
MOST_LIKELY = 3
"""How many intents are read for their slots by their examples alone."""
_CHANGING = frozenset((*CHANGE_VERBS["en"], *CHANGE_VERBS["es"], *CHANGE_VERBS["es_infinitive"]))
_SPECIFIC = ("date", "time", "soon", "person", "period", "recurrence")
_REFERENCE = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""From where examples are read: any day will do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """One thing that a request may mean."""

    agent_id: str
    intent: Intent
    confidence: float
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the slots take, by name, as JSON holds it."""
    missing: tuple[Slot, ...] = ()
    """Required slots that the request does not fill."""
    unknown: tuple[str, ...] = ()
    """What the request names for a slot and is not known, such as a place."""
    unknown_kind: str = ""
    """What the unknown is: a `word`, the place of a `zone`, or a part of several a `name` may be."""
    candidates: tuple[str, ...] = ()
    """The names that a part of them may stand for, where it is not known which is meant."""
    is_specific: bool = False
    """Whether it names a day, a week, a time or a person."""
    stance: Stance = "order"
    """Whether the request asks for it to be done, asks about it, reports or forbids it."""
    is_by_verb: bool = False
    """Whether the request opens with a verb of change that its examples open with."""
    language: Language = "en"

    @property
    def is_sure(self) -> bool:
        """Whether it may be done without asking: a change only where it is ordered."""
        if self.intent.effect == "change" and self.stance != "order":
            return False
        least = SURE_ENOUGH[self.intent.effect]
        return self.confidence >= (least if not self.is_specific else min(least, SURE_WHEN_SPECIFIC))

    @property
    def is_to_confirm(self) -> bool:
        """Whether it would be done if it were certain that the request orders it."""
        return self.stance == "unclear" and replace(self, stance="order").is_sure

    @property
    def is_forbidden(self) -> bool:
        """Whether the request says that it must not be done."""
        return self.stance == "refusal" and self.confidence >= SURE_WHEN_SPECIFIC * UNORDERED_FACTOR

    @property
    def label(self) -> str:
        """The intent among all of a team."""
        return f"{self.agent_id}/{self.intent.id}"


class Interpreter:
    """What a team understands, trained once."""

    def __init__(self, understandings: Sequence[Understanding], folder: Path | None = None) -> None:
        """`folder` keeps what was learnt for the next process; without one it is learnt each time."""
        self._intents = {
            f"{each.agent_id}/{intent.id}": (each.agent_id, intent)
            for each in understandings
            for intent in each.intents
        }
        self._choices = {
            slot.name: slot
            for _, intent in self._intents.values()
            for slot in intent.slots
            if slot.type in ("choice", "flag")
        }
        self._verbs = {
            label: frozenset(opening_verb(text) for texts in intent.examples.values() for text in texts)
            for label, (_, intent) in self._intents.items()
            if intent.effect == "change"
        }
        self._telling = tuple(slot for _, intent in self._intents.values() for slot in intent.slots if slot.is_telling)
        intents = {label: intent for label, (_, intent) in self._intents.items()}
        self._classifier = (
            self._learnt()
            if folder is None
            else kept_classifier(folder, intents, tuple(self._choices.values()), self._learnt)
        )

    def _learnt(self) -> SentenceClassifier:
        examples = tuple(
            (
                label,
                tuple(
                    tuple(self._tokens(annotated(text, now=_REFERENCE, language=language)))
                    for language, texts in intent.examples.items()
                    for text in texts
                ),
            )
            for label, (_, intent) in self._intents.items()
        )
        return _trained(examples)

    def interpret(self, text: str, *, now: datetime, reader: Language = "en", last: str = "") -> list[Interpretation]:
        """What a request may mean, the likeliest first. `last` is what was answered before, which `it` may mean;
        `reader` the language of the user, for words that are of none.
        """
        parts = text.split(AMENDED_BY)
        first = annotated(parts[0], now=now, reader=reader)
        amendments = [annotated(part, now=now, reader=first.language) for part in parts[1:]]
        for said in reversed(amendments):
            found = self._ranked(said, [first, *amendments], now, last)
            found = self._by_owner(found, first, now)
            if found and found[0].intent.effect == "change" and found[0].is_sure:
                return found  # "what do I have tomorrow?" and then "cancel it": the later one says what is to be done
        found = self._ranked(first, [first, *amendments], now, last)
        if amendments and found:
            asked = next(iter(self._ranked(first, [first], now, "")))
            # Of two that account for every word, the one that was asked first goes on.
            found.sort(key=lambda each: (-each.confidence, each.label != asked.label))
        order = None if found and found[0].is_sure else ordering_clause(parts[0])
        if order is not None:
            ordered = self._ranked(annotated(order, now=now, reader=first.language), [first, *amendments], now, last)
            if ordered and ordered[0].is_sure and ordered[0].intent.effect == "change":
                return ordered
        return found

    def _ranked(
        self, leading: AnnotatedText, texts: list[AnnotatedText], now: datetime, last: str
    ) -> list[Interpretation]:
        """The intents that a text may mean, its slots filled by all texts."""
        named = self._named(leading)
        scores = self._classifier.scores(leading.tokens(named))
        is_order = _stance(texts[texts.index(leading) :] if leading in texts else [leading]) == "order"
        likely = [
            score
            for place, score in enumerate(scores)
            if place < MOST_LIKELY or self._is_worth_reading(score.label, named, texts, is_order=is_order)
        ]
        found = [self._interpretation(score, leading, texts, now, last) for score in likely]
        return _orders_first(sorted(_with_rivals(found, scores), key=lambda each: -each.confidence))

    def _is_worth_reading(
        self, label: str, named: Mapping[str, Any], texts: Sequence[AnnotatedText], *, is_order: bool
    ) -> bool:
        """Whether an intent that is not among the likeliest may be meant all the same, however unlike its examples a
        request is: a value that tells of it is named, its own reader may take an order, or it may account for every word.
        """
        _, intent = self._intents[label]
        if any(slot.is_telling and named.get(slot.name) for slot in intent.slots):
            return True
        if any(slot.is_conclusive for slot in intent.slots) and is_order:
            return True
        choices = [slot for slot in intent.slots if (slot.is_required or slot.stands_in) and slot.type == "choice"]
        if intent.reads_every_word:
            # A value may be named by a part of its name: "Sotomar". Several may have it.
            is_named = any(
                named.get(slot.name)
                or (slot.takes_names and (slot_spans(slot, texts[-1]) or index_for(slot).find_shared(texts[-1].text)))
                for slot in choices
            )
            return len(texts) > 1 or not choices or is_named
        takes_values = any(slot.is_required and slot.type in ("expression", "quantity") for slot in intent.slots)
        return takes_values and texts[-1].has_values

    def _by_owner(self, found: list[Interpretation], first: AnnotatedText, now: datetime) -> list[Interpretation]:
        """Without other agents' changes where the one that was asked first can be meant: `it` is what that one named."""
        owner = next(iter(self._ranked(first, [first], now, "")), None)
        own = [each for each in found if owner is not None and each.agent_id == owner.agent_id]
        if not own or not own[0].is_sure or own[0].intent.effect != "change":
            return found
        return [*own, *(each for each in found if each.agent_id != own[0].agent_id and each.intent.effect != "change")]

    def amending(self) -> list[tuple[str, Intent]]:
        """The intents that change what was made last, with whose they are."""
        return [(agent_id, intent) for agent_id, intent in self._intents.values() if intent.amends]

    def fallback(self) -> tuple[str, Intent] | None:
        """Who takes questions that nothing else understands."""
        return next(((agent, intent) for agent, intent in self._intents.values() if intent.is_fallback), None)

    def filled(
        self, agent_id: str, intent: Intent, texts: Sequence[AnnotatedText], now: datetime, last: str = ""
    ) -> Interpretation:
        """An intent that is known to be meant, with what some texts say of its slots; later ones win."""
        values: dict[str, Any] = {}
        for each in texts:
            for slot in intent.slots:
                value = fill_slot(slot, each, now=now, last=last)
                if value is not None and not (slot.type == "text" and slot.name in values):
                    values[slot.name] = value
        unsettled: tuple[str, ...] = ()
        if intent.settle is not None:
            settled = intent.settle(values, [each.text for each in texts])
            values, unsettled = dict(settled.values), settled.unknown
        if len(texts) > 1:
            whole = (
                standing_alone(texts[0].text, texts[-1].text, texts[0].language)
                if intent.is_fallback
                else AMENDED_BY.join(each.text for each in texts)
            )
            values.update({slot.name: whole for slot in intent.slots if slot.type == "text"})
            _, subject = divided_follow_up(whole) if intent.is_fallback else (whole, "")
            plain = [slot.name for slot in intent.slots if slot.type == "wordings" and slot.name in values]
            values.update({name: [_together(each, subject) for each in values[name]] for name in plain})
        missing = tuple(slot for slot in intent.slots if slot.is_required and slot.name not in values)
        defaults = {slot.name: slot.default for slot in intent.slots if slot.default is not None}
        has_place = any(slot.type.startswith("zone") for slot in intent.slots)
        strange = [each.value for each in unknown_places(texts[-1].text)] if has_place and texts else []
        kind = "zone" if strange else ""
        candidates: tuple[str, ...] = ()
        if intent.reads_every_word and (not missing or any(slot.is_narrowing for slot in missing)):
            words, shared = self._explained_by_names(intent, texts)
            if shared is not None and not words:
                strange, kind, candidates = [shared.text], "name", (shared.value, *shared.alternatives)
                missing = ()
            elif not missing and (words := [*words, *([shared.text] if shared else []), *unsettled]):
                strange, kind = words, "word"
        return Interpretation(
            agent_id=agent_id,
            intent=intent,
            confidence=1.0,
            values={**defaults, **values},
            missing=missing,
            unknown=tuple(strange),
            unknown_kind=kind,
            candidates=candidates,
            is_specific=any(each.findings.get(kind) for each in texts for kind in _SPECIFIC),
            language=texts[-1].language if texts else "en",
        )

    def _interpretation(
        self, score: LabelScore, leading: AnnotatedText, texts: list[AnnotatedText], now: datetime, last: str
    ) -> Interpretation:
        agent_id, intent = self._intents[score.label]
        filled = self.filled(agent_id, intent, texts, now, last)
        confidence = score.confidence
        later = texts[texts.index(leading) :] if leading in texts else [leading]
        stance = _stance(later, self._verbs[score.label]) if intent.effect == "change" else "order"
        for slot in filled.missing:
            if slot.type == "expression" and texts[-1].is_about_last_result:
                continue
            if slot.type == "found" and stance != "order":
                continue  # its reader takes orders only; what is asked or forbidden is about it all the same
            confidence *= MISSING_FACTOR.get(slot.type, MISSING_OTHER)
        if intent.effect == "change" and not leading.findings:
            strange = [word for word in words_of(leading.text) if not self._classifier.knows(word)]
            confidence *= STRANGE_FACTOR ** len(strange)
        if stance not in ("order", "unclear"):
            confidence *= UNORDERED_FACTOR
        confidence *= _unused(intent, leading)
        telling = [
            slot
            for slot in intent.slots
            if slot.name in filled.values and slot.type not in ("text", "result", "wordings")
        ]
        if telling and not filled.missing:
            confidence *= FILLED_FACTOR
        if not filled.missing and _is_told_by_values(intent, texts[-1]):
            confidence = max(confidence, SURE_BY_VALUES)
        is_certain = any(slot.is_conclusive and slot.name in filled.values for slot in intent.slots)
        if is_certain and stance == "order" and not filled.missing:
            confidence = max(confidence, CONCLUSIVE)
        if intent.reads_every_word and not filled.missing:
            unexplained = 0 if filled.candidates else len(filled.unknown)
            confidence = (
                confidence * UNEXPLAINED_FACTOR**unexplained if unexplained else max(confidence, FULLY_EXPLAINED)
            )
        verb = opening_verb(leading.text)
        is_by_verb = stance == "order" and bool(
            {verb, without_pronoun(verb)} & self._verbs.get(score.label, frozenset()) & _CHANGING
        )
        says_how = filled.is_specific or bool(leading.findings.get("duration"))
        if len(texts) > 1 and is_by_verb and says_how and confidence >= WORTH_ASKING:
            confidence = max(confidence, SURE_WHEN_SPECIFIC)  # an order on what was asked before
        return replace(
            filled,
            confidence=min(confidence, 1.0),
            stance=stance,
            is_by_verb=is_by_verb,
            language=texts[0].language,
        )

    def _explained_by_names(
        self, intent: Intent, texts: Sequence[AnnotatedText]
    ) -> tuple[list[str], Finding[str] | None]:
        """The words left unexplained, and the first part of several names that no later text tells which one it is of."""
        slots = [slot for slot in intent.slots if slot.is_narrowing and slot.takes_names]
        strange, open_part = list[str](), None
        for place, text in enumerate(texts):
            named = {each.value for slot in slots for one in texts[place:] for each in index_for(slot).find(one.text)}
            left = self.unexplained(intent, [text])
            shared = [each for slot in slots for each in index_for(slot).find_shared(text.text)] if left else []
            for each in shared:
                words = [word for word, _, _ in words_with_places(each.text)]
                if not set(words) <= {fold(word) for word in left}:
                    continue
                left = [word for word in left if fold(word) not in words]
                if not named & {each.value, *each.alternatives}:
                    open_part = open_part or each
            strange += left
        return strange, open_part

    def unexplained(self, intent: Intent, texts: Sequence[AnnotatedText]) -> list[str]:
        """The words that no slot of an intent takes, nor one that tells of another intent, and that are no fillers."""
        fillers = filler_stems(tuple(intent.fillers))
        found: list[str] = []
        for text in texts:
            spans = [span for slot in (*intent.slots, *self._telling) for span in slot_spans(slot, text)]
            for word, start, end in words_with_places(text.text):
                is_taken = any(span.start <= start and end <= span.end for span in spans)
                if not is_taken and stem(word) not in fillers:
                    found.append(text.text[start:end])
        return found

    def _tokens(self, text: AnnotatedText) -> list[str]:
        return text.tokens(self._named(text))

    def _named(self, text: AnnotatedText) -> dict[str, list[Finding[str]]]:
        """The values of choices that a text names, by their slots."""
        return {name: index_for(slot).find(text.text) for name, slot in self._choices.items()}


def _with_rivals(found: list[Interpretation], scores: Sequence[LabelScore]) -> list[Interpretation]:
    """What its own reader took is not certain where the words are clearly another's: lunch is no invoice."""
    own = {score.label: score.confidence for score in scores}
    changes = [each for each in found if each.intent.effect == "change" and each.is_sure]

    def is_anothers(each: Interpretation) -> bool:
        is_read = any(slot.is_conclusive and slot.name in each.values for slot in each.intent.slots)
        return is_read and any(
            other.agent_id != each.agent_id and own[other.label] >= RIVAL_LEAD * own[each.label] for other in changes
        )

    return [replace(each, confidence=own[each.label]) if is_anothers(each) else each for each in found]


def _orders_first(found: list[Interpretation]) -> list[Interpretation]:
    """An order by its own verb before the answer that is as likely: "cancel everything I have on Monday" lists nothing."""
    best = next(iter(found), None)
    if best is None or best.intent.effect == "change":
        return found
    near = [each for each in found if each.confidence >= RIVAL_SHARE * best.confidence]
    order = next((each for each in near if each.is_by_verb and each.is_sure), None)
    return found if order is None else [order, *(each for each in found if each is not order)]


def _is_told_by_values(intent: Intent, text: AnnotatedText) -> bool:
    """Whether an intent takes a sum that holds every number of a text, or a quantity and the unit it is asked in."""
    types = {slot.type for slot in intent.slots if slot.is_required}
    if "expression" in types:
        return is_one_sum(text.text, text.expression, language=text.language)
    if not {"quantity", "unit"} <= types or any(
        text.findings.get(kind) for kind in ("date", "time", "person", "money")
    ):
        return False
    taken = [each.span for each in (*text.findings.get("quantity", ()), *find_units(text.text))]
    words = [(stem(word), start) for word, start, _ in words_with_places(text.text)]
    return all(word in filler_stems() or any(span.start <= at < span.end for span in taken) for word, at in words)


def _stance(texts: Sequence[AnnotatedText], verbs: frozenset[str] = frozenset()) -> Stance:
    """Of a request and what was said to it later: the last that is no order, else an order; `yes` makes it one."""
    if is_yes(texts[-1].text):
        return "order"
    return next((found for each in reversed(texts) if (found := stance_of(each.text, verbs)) != "order"), "order")


_USED_BY = {
    "date": {"date", "moment", "period", "text", "comparison", "end"},
    "zone": {"zone", "zone_from", "zone_to", "text"},
    "quantity": {"quantity", "duration", "unit", "text", "number", "integer", "limit", "expression"},
}


def _unused(intent: Intent, text: AnnotatedText) -> float:
    """What is left of a confidence for what an intent excludes and for findings that no slot of it takes; today is what
    the clock tells.

    What is outside takes nothing from a request: the weather of tomorrow is as much outside as that of today.
    """
    if not intent.slots and intent.tool is None:
        return 1.0
    if any(re.search(rf"\b(?:{pattern})", fold(text.text)) for pattern in intent.excludes):
        return EXCLUDED_FACTOR
    types = {slot.type for slot in intent.slots}
    named = {
        kind
        for kind in _USED_BY
        if any(fold(each.text) not in ("today", "hoy") for each in text.findings.get(kind, ()))
    }
    return math.prod(UNUSED_FACTORS[kind] for kind in named if not types & _USED_BY[kind])


@lru_cache(maxsize=16)
def _trained(examples: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]) -> SentenceClassifier:
    """The classifier of some examples: teams that understand the same share it."""
    return SentenceClassifier(dict(examples))


def interpreter_for(understandings: Sequence[Understanding], folder: Path | None = None) -> Interpreter:
    """The interpreter of a team, trained when it is first asked for; `folder` keeps what was learnt for other processes."""
    team = tuple(understandings)
    if team not in _INTERPRETERS:
        while len(_INTERPRETERS) >= MAX_INTERPRETERS:
            _INTERPRETERS.pop(next(iter(_INTERPRETERS)))
        _INTERPRETERS[team] = Interpreter(team, folder)
    return _INTERPRETERS[team]


MAX_INTERPRETERS = 32
_INTERPRETERS: dict[tuple[Understanding, ...], Interpreter] = {}
"""By the team, the oldest first."""


def _together(wording: str, subject: str) -> str:
    return " ".join(dict.fromkeys([*wording.split(), *subject.split()]))


def base_of(text: str) -> str:
    """A request without what was said to it later."""
    return re.split(re.escape(AMENDED_BY), text, maxsplit=1)[0]
