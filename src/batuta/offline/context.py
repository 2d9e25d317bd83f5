"""What was asked before: the last request, the answer to it, and what a new message may go on from (A-42)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from batuta.language.annotation import annotated
from batuta.language.choices import words_with_places
from batuta.language.findings import Language
from batuta.language.folding import aligned, composed, stem
from batuta.language.interpretation import AMENDED_BY, Interpretation, Interpreter
from batuta.language.vocabulary import filler_stems
from batuta.offline.small_talk import OWN

MAX_AMENDMENTS = 6
LONGEST_FOLLOW_UP = 9
"""Words of a message that may say no more than what changes."""
SURE_OF_ITSELF = 0.62
"""From which confidence on a message is a request of its own, however it begins."""
OPENING = re.compile(
    r"^\W*(?:(?:y|e|and|now|ahora|ok|okay|vale|pero|but|then|entonces|please|por favor|mejor|also)\W+)*"
)
_THE_SAME = re.compile(
    r"(?:(?:the\s+)?same|lo\s+mismo|el\s+mismo|la\s+misma|igual)"
    r"(?:\s+(?:chart|graph|plot|diagram|picture|thing|one|grafic[oa]|diagrama|figura))?(?:\s*,?\s*(?:but|pero))?\s+"
)
"""What says only that the rest stays as it was, folded."""
_WHICH = re.compile(r"\W*[^.?!;\n]{1,60}\? [^;\n]+;")


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


def without_the_same(text: str) -> str:
    """A message without an opening such as "the same chart": what it changes is left."""
    plain = aligned(text)
    opening = OPENING.match(plain)
    same = _THE_SAME.match(plain, opening.end() if opening else 0)
    return text[same.end() :] if same else text


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
        if not each.intent.amends or _is_named(each) or took_part(each.agent_id, context, interpreter, now)
    ]


def took_part(agent_id: str, context: DialogueContext, interpreter: Interpreter, now: datetime) -> bool:
    """Whether an agent made something of the last request: it was asked, or named by what it makes."""
    before = interpreter.interpret(context.request, now=now) if context.request else []
    return any(each.agent_id == agent_id and (place == 0 or _is_named(each)) for place, each in enumerate(before))


def _is_named(meaning: Interpretation) -> bool:
    return any(slot.is_telling and slot.name in meaning.values for slot in meaning.intent.slots)


def is_small_talk(best: Interpretation | None) -> bool:
    return best is not None and best.agent_id == OWN and best.is_sure


def is_bare(text: str, now: datetime, language: Language) -> bool:
    """Whether a message is nothing but a day, a time, a person or an amount: "4pm" after "at what time?"."""
    source = annotated(text, now=now, reader=language)
    spans = [each.span for found in source.findings.values() for each in found]
    words = words_with_places(source.text)
    return bool(spans) and all(
        any(span.start <= start and end <= span.end for span in spans) or stem(word) in filler_stems()
        for word, start, end in words
    )


def with_amendment(request: str, text: str) -> str:
    parts, said = request.split(AMENDED_BY), without_the_same(composed(text)).strip()
    return AMENDED_BY.join([parts[0], *parts[1:][-MAX_AMENDMENTS:], said])
