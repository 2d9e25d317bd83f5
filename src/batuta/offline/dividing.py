"""What the pieces of a request mean: where it is divided, and what a piece says only together with the one before.

"Ana's phone and sales this year"  ->  her phone; her sales this year
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from batuta.language.annotation import annotated
from batuta.language.findings import Language
from batuta.language.folding import fold
from batuta.language.interpretation import FULLY_EXPLAINED, Interpretation, Interpreter
from batuta.language.rewording import is_elliptical, standing_alone
from batuta.offline.antecedents import called, with_name, without_pronouns
from batuta.offline.context import SURE_OF_ITSELF, DialogueContext, is_bare
from batuta.offline.division import (
    RequestPart,
    adds_a_name,
    changes_it,
    completes,
    is_read_whole,
    is_sum,
    names_only,
    replaces_it,
    says_nothing,
    shares_object,
    strong_pieces,
    two_subjects,
    weak_joints,
    without_instead,
)
from batuta.offline.questions import is_question, opens_a_question
from batuta.offline.small_talk import OUTSIDE, OWN

MAX_PARTS = 6
LEAST_SPLIT = 0.34
"""How sure each side of an `and` must be for it to divide two requests."""

_OF_ALL = re.compile(
    r"\b(?:we|our|us|all|every|total|overall|todos?|todas?|nosotros|nuestr[oa]s?|empresa|company|\w{3,}(?:amos|emos|imos))\b"
)
"""What is ours, or of all, folded."""
_BY_TIME = re.compile(r"\b(?:by|per|por)\s+(?:day|week|month|quarter|year|dia|semana|mes|trimestre|ano)s?\b")

Meanings = Callable[[str, DialogueContext], list[Interpretation]]
"""What a text may mean, the likeliest first."""


class RequestDivider:
    """Divides requests by what a team understands of their pieces."""

    def __init__(self, interpreter: Interpreter, meanings: Meanings, now: datetime, language: Language) -> None:
        self._interpreter = interpreter
        self._meanings = meanings
        self._now = now
        self._language: Language = language

    def divided(self, text: str, context: DialogueContext) -> list[Interpretation]:
        """What each piece of a request means, where it has several."""
        parts = [part for piece, _ in strong_pieces(text) for part in self._every_and(piece, context)]
        return [self._of_named(part, parts[:place], context) for place, part in enumerate(parts)]

    def parts(self, text: str, context: DialogueContext) -> list[RequestPart]:
        """A request divided where each piece is one; nothing where it is only one."""
        pieces = strong_pieces(text)
        found: list[RequestPart] = []
        for piece, follows in pieces:
            found += [
                RequestPart(text=part.text, meaning=part.meaning, follows=part.follows or (follows and number == 0))
                for number, part in enumerate(self._weak_parts(piece, context))
            ]
        real = [part for part in found if part.meaning.agent_id != OWN or part.meaning.intent.id == OUTSIDE]
        if len(real) < 2 or not all(part.meaning.is_sure and part.meaning.agent_id != OWN for part in real):
            return (
                [real[0]]
                if len(real) == 1 and len(found) > 1 and real[0].meaning.is_sure and real[0].meaning.agent_id != OWN
                else []
            )
        return real[:MAX_PARTS]

    def _weak_parts(self, text: str, context: DialogueContext) -> list[RequestPart]:
        """Divide at an `and` where each side is clearly a request, of another intent."""
        whole = self._meanings(text, context)[0]
        is_explained = whole.intent.reads_every_word and whole.confidence >= FULLY_EXPLAINED and not whole.missing
        for match in weak_joints(text, self._now, self._language):
            left, right = text[: match.start()].strip(), text[match.end() :].strip()
            is_part = any(self._is_part(side, context) for side in (left, right))
            if is_part or len(left.split()) < 2 or len(right.split()) < 2:
                continue
            sides = [self._meanings(side, context)[0] for side in (left, right)]
            if sides[0].intent.effect == "change" and (rest := without_instead(right)):
                right, sides[1] = rest, self._meanings(rest, context)[0]
            are_sure = all(side.is_sure and side.confidence >= LEAST_SPLIT and side.agent_id != OWN for side in sides)
            is_worth = sides[0].label != sides[1].label and min(s.confidence for s in sides) >= 0.8 * whole.confidence
            if (is_explained and self._says_of(whole, right)) or completes(whole, sides[0]):
                continue
            if is_explained and whole.label == sides[0].label and says_nothing(sides[1]):
                continue
            if is_read_whole(whole) or changes_it(right, sides[1]) or replaces_it(sides[0], right, sides[1]):
                continue
            if names_only(sides[0], right, sides[1]):
                continue
            if sides[1].intent.is_fallback and is_elliptical(right):
                continue  # "it shows F4, what should I do?" says only together what is looked up
            if are_sure and is_worth and not any(side.missing for side in sides):
                part = RequestPart(text=left, meaning=sides[0])
                return [part, *self._weak_parts(self._of_same(right, part, context), context)]
        return [RequestPart(text=text, meaning=whole)]

    def _is_part(self, text: str, context: DialogueContext) -> bool:
        """Whether a side says only a value ("and on Friday"), and is no question: "what do I have on Friday" is one."""
        if not is_bare(text, self._now, self._language) or is_sum(text):
            return False
        return not (opens_a_question(text) and self._meanings(text, context)[0].confidence >= SURE_OF_ITSELF)

    def _says_of(self, meaning: Interpretation, text: str) -> bool:
        """Whether a text says something of an intent: "and month" goes on with a split, "and draw it" does not."""
        said = self._interpreter.filled(
            meaning.agent_id, meaning.intent, [annotated(text, now=self._now, reader=self._language)], self._now
        )
        return any(
            slot.type not in ("text", "result") and said.values.get(slot.name) not in (None, slot.default)
            for slot in meaning.intent.slots
        )

    def _of_same(self, text: str, left: RequestPart, context: DialogueContext) -> str:
        """What an `and` joins to a question about one record, with that one's name where it names no one: "Ana's phone and
        sales this year" asks for her sales. What we ourselves do, or what is of all, is no one's.
        """
        right = self._meanings(text, context)[0]
        slots = [slot for slot in left.meaning.intent.slots if slot.is_narrowing]
        said = next((value for slot in slots if (value := left.meaning.values.get(slot.name))), None)
        if not isinstance(said, str) or right.agent_id != left.meaning.agent_id or _OF_ALL.search(fold(text)):
            return text
        own = [slot for slot in right.intent.slots if slot.is_narrowing or slot.is_grouping]
        named = {slot.is_narrowing for slot in own if right.values.get(slot.name)}
        is_by_time = named == {False} and _BY_TIME.search(fold(text)) is not None
        if not own or (named and not is_by_time):
            return text
        whole = with_name(text, called(slots[0], said))
        meant = self._meanings(whole, context)[0]
        return whole if meant.label == right.label and not meant.unknown and not meant.missing else text

    def _of_named(self, part: RequestPart, before: Sequence[RequestPart], context: DialogueContext) -> Interpretation:
        """What a part means, with the name that a pronoun in it stands for: "Ana's phone, and how much did they buy?"."""
        meaning = part.meaning
        for each in reversed(before):
            known = [
                (slot, said)
                for slot in each.meaning.intent.slots
                if slot.is_narrowing and (said := each.meaning.values.get(slot.name))
            ]
            if not known or each.meaning.agent_id != meaning.agent_id or not meaning.unknown:
                continue
            slot, said = known[0]
            name = ", ".join(called(slot, one) for one in ([said] if isinstance(said, str) else said))
            named = self._meanings(with_name(without_pronouns(part.text), name), context)[0]
            if named.agent_id == meaning.agent_id and not named.unknown and not named.missing:
                return named
        return meaning

    def _every_and(self, text: str, context: DialogueContext) -> list[RequestPart]:
        """Divide at each `and` whose sides both are requests, be it of the same intent."""
        for match in weak_joints(text, self._now, self._language):
            sides = [text[: match.start()].strip(), text[match.end() :].strip()]
            found = [self._meanings(side, context)[0] for side in sides]
            whole = self._meanings(text, context)[0]
            if completes(whole, found[0]) or changes_it(sides[1], found[1]) or shares_object(whole, *found):
                continue
            if any(is_bare(side, self._now, self._language) and not is_sum(side) for side in sides):
                continue
            if adds_a_name(whole, found[0], sides[1], self._now):
                continue
            are_texts = any(slot.type == "text" for each in found for slot in each.intent.slots)
            if are_texts and not (is_question(sides[0]) and opens_a_question(sides[1])):
                continue
            is_whole = are_texts or all(each.is_sure and not each.missing for each in found)
            if is_whole and all(each.agent_id != OWN and each.intent.slots for each in found):
                later = standing_alone(sides[0], sides[1]) if are_texts and is_elliptical(sides[1]) else sides[1]
                left = RequestPart(text=sides[0], meaning=found[0])
                return [left, *self._every_and(self._of_same(later, left, context), context)]
        subjects = two_subjects(text) if is_question(text) else []
        return [RequestPart(text=each, meaning=self._meanings(each, context)[0]) for each in subjects or [text]]
