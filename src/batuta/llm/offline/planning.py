"""As supervisor: divide a request, find the agent of each part, or answer directly what needs no agent.

"15% of 1,200, and then book a meeting tomorrow at 10"  ->  calculator, then appointments (depends on the first)
"""

import re
from dataclasses import dataclass
from typing import Any

from batuta.llm.offline.lexicon import (
    ABOUT_DOCUMENTS,
    ACTIONS,
    ADDITION,
    AGREEMENTS,
    BARE_REPLIES,
    CONTINUATION,
    FAREWELLS,
    GREETINGS,
    HELP,
    IDENTITY,
    LOOSE,
    OUTSIDE,
    SEQUENCE,
    THANKS,
    WELLBEING,
    WHOM_TO_ASK,
    Language,
)
from batuta.llm.offline.phrases import phrase
from batuta.llm.offline.reading import Card, Task
from batuta.llm.offline.words import Vocabulary, features, folded, is_question, language_of

LEAST_SCORE = 0.45
"""The share of a request an agent must know to be given it."""
LEAST_LOOSE_SCORE = 0.5
"""… to be given a part that only an `and` divides from the rest."""
MAX_PARTS = 8
MAX_PLANNED_CHARS = 4_000
LONGEST_CONTINUATION = 6
MAX_EXAMPLES = 2

_SEQUENCE = re.compile(SEQUENCE, re.IGNORECASE)
_DIVIDER = re.compile(f"({SEQUENCE}|{ADDITION})", re.IGNORECASE)
_LOOSE = re.compile(LOOSE, re.IGNORECASE)
_CONTINUATION = re.compile(CONTINUATION, re.IGNORECASE)
_OUTSIDE = re.compile(OUTSIDE)
_ABOUT_DOCUMENTS = re.compile(ABOUT_DOCUMENTS)
_WHOM_TO_ASK = re.compile(WHOM_TO_ASK)
_CIRCUMSTANCES = frozenset({"#day", "#time", "#zone", "#question", "#listing"})
_THANKS = re.compile(THANKS)
_WORDS = re.compile(r"[a-z']+")
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("help", re.compile(HELP)),
    ("identity", re.compile(IDENTITY)),
    ("wellbeing", re.compile(WELLBEING)),
)
"""Questions about the team itself, by the phrase that answers them."""
_ONLY: tuple[tuple[str, frozenset[str]], ...] = (
    ("bare", frozenset(BARE_REPLIES.split())),
    ("agreement", frozenset(AGREEMENTS.split())),
    ("farewell", frozenset(FAREWELLS.split())),
    ("greeting", frozenset(GREETINGS.split())),
)
"""Words of which a message consists that asks for nothing, by the phrase that answers it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a request; `follows` if it needs the piece before it."""

    text: str
    follows: bool


class Planner:
    """Plans for the team that a system prompt describes."""

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self._cards = cards
        self._vocabulary = Vocabulary({card.agent_id: card.texts for card in cards})

    def decision(self, task: Task, earlier: str = "", *, is_reply: bool = False) -> dict[str, Any]:
        """`{"steps": […]}` or `{"answer": …}`, as the supervisor is asked for; `is_reply` if the user was asked."""
        replied = self._continued(task, earlier, is_reply=True) if is_reply else []
        if replied:
            return {"steps": replied}
        direct = self._direct_answer(task)
        if direct is not None:
            return {"answer": direct}
        steps = self._steps(task) or self._continued(task, earlier)
        return {"steps": steps} if steps else {"answer": self._kind_words(task) or self.unknown(task)}

    def best_agent(self, text: str, least: float = LEAST_SCORE) -> str | None:
        """Who knows most of a request, if anybody knows enough."""
        if _OUTSIDE.search(folded(text)):
            return None
        if _WHOM_TO_ASK.search(folded(text)):
            return self._reader()
        known = self._vocabulary.scores(text)
        scores = {agent_id: score for agent_id, score in known.items() if self._can(agent_id, text)}
        best = max(scores, key=lambda agent_id: scores[agent_id], default=None)
        if best is not None and scores[best] >= least:
            return best
        return self._reader() if is_question(text) and least <= LEAST_SCORE else None

    def unknown(self, task: Task) -> str:
        """Say honestly that nobody here knows, and what is known instead."""
        if not self._cards:
            return phrase("unknown_alone", task.language)
        return phrase("unknown", task.language, team=self._team(task.language))

    def _direct_answer(self, task: Task) -> str | None:
        """What needs nobody's work: small talk, and questions about the team."""
        plain = folded(task.text)
        words = set(_WORDS.findall(plain))
        if not words and not re.search(r"\d", plain):
            return self.unknown(task)
        if _ABOUT_DOCUMENTS.search(plain):
            return self._titles(task)
        only = (name for name, known in _ONLY if words and words <= known and words != {"manana"})
        said = (name for name, pattern in _SAID if pattern.search(plain))
        name = next(only, None) or next(said, None)
        return None if name is None else phrase(name, task.language, team=self._team(task.language))

    def _titles(self, task: Task) -> str | None:
        """What the documents are called: what the reader's card lists besides what it can do."""
        reader = next((card for card in self._cards if card.agent_id == self._reader()), None)
        titles = [each for each in reader.capabilities if each[:1].isupper()] if reader else []
        listed = "\n".join(f"- {title}" for title in titles)
        return phrase("documents", task.language, titles=listed) if titles else None

    def _kind_words(self, task: Task) -> str | None:
        """Thanks, where nothing else is asked for."""
        return phrase("thanks", task.language) if _THANKS.search(folded(task.text)) else None

    def _steps(self, task: Task) -> list[dict[str, Any]]:
        if task.only_agent in {card.agent_id for card in self._cards}:
            return [{"agent_id": task.only_agent, "task": task.text, "depends_on": []}]
        parts = self._parts(task.text)
        agents = [self.best_agent(part.text) for part in parts]
        if None in agents:
            return self._whole(task.text)
        return [
            {"agent_id": agent, "task": part.text, "depends_on": [index - 1] if part.follows and index else []}
            for index, (agent, part) in enumerate(zip(agents, parts, strict=True))
        ]

    def _whole(self, text: str) -> list[dict[str, Any]]:
        """The request undivided: what looked like a divider was part of it."""
        agent = self.best_agent(text)
        return [] if agent is None else [{"agent_id": agent, "task": text, "depends_on": []}]

    def _continued(self, task: Task, earlier: str, *, is_reply: bool = False) -> list[dict[str, Any]]:
        """A short addition to what was asked before ("and in Tokyo?", "at 10") is asked together with it."""
        is_short = len(task.text.split()) <= LONGEST_CONTINUATION
        is_addition = _CONTINUATION.search(task.text) or (is_reply and features(task.text) & {"#day", "#time"})
        if not earlier or not is_short or not is_addition:
            return []
        return self._whole(f"{earlier} {task.text}")

    def _parts(self, text: str) -> list[Part]:
        parts: list[Part] = []
        follows, start = False, 0
        for match in _DIVIDER.finditer(text, 0, MAX_PLANNED_CHARS):
            if len(parts) < MAX_PARTS - 1 and text[start : match.start()].strip():
                parts.append(Part(_trimmed(text[start : match.start()]), follows))
                follows, start = _SEQUENCE.fullmatch(match.group()) is not None, match.end()
        parts.append(Part(_trimmed(text[start:]), follows))
        return [piece for part in parts if part.text for piece in self._loose(part)]

    def _loose(self, part: Part) -> list[Part]:
        """Divide at an `and` where each side clearly belongs to another agent."""
        for match in _LOOSE.finditer(part.text):
            left, right = part.text[: match.start()], part.text[match.end() :]
            owners = [self.best_agent(side, LEAST_LOOSE_SCORE) for side in (left, right)]
            if None not in owners and owners[0] != owners[1]:
                return [Part(_trimmed(left), part.follows), *self._loose(Part(_trimmed(right), follows=False))]
        return [part]

    def _can(self, agent_id: str, text: str) -> bool:
        """Whether an agent knows what is asked to be done; a question may be about anything it has a word for."""
        wanted = ACTIONS & features(text)
        can_do = is_question(text) or all(self._vocabulary.knows(agent_id, action) for action in wanted)
        return can_do and self._has_the_subject(agent_id, text)

    def _has_the_subject(self, agent_id: str, text: str) -> bool:
        """A day, a time or a place alone says nothing about a subject that nobody knows ("rain tomorrow at 5?")."""
        asked = features(text)
        if any(self._vocabulary.knows(agent_id, feature) for feature in asked - _CIRCUMSTANCES):
            return True
        is_entry = {"#day", "#time"} <= asked and not is_question(text)
        return is_entry or not self._vocabulary.strange(text)

    def _reader(self) -> str | None:
        """Who answers questions from documents: the one to ask what nobody else knows."""
        readers = (card.agent_id for card in self._cards if self._vocabulary.knows(card.agent_id, "@document"))
        return next(readers, None)

    def _team(self, language: Language) -> str:
        return "\n".join(
            phrase("member", language, name=card.name, about=_about(card, language)) for card in self._cards
        )


def _about(card: Card, language: Language) -> str:
    """What an agent does, in the user's language: what is described in the other is told by examples."""
    fitting = [text for text in card.examples if language_of(text) == language][:MAX_EXAMPLES]
    described = card.description.rstrip(".") if language_of(card.description) == language else ""
    quoted = phrase("or", language).join(phrase("quoted", language, text=text) for text in fitting)
    examples = phrase("such_as", language, examples=quoted) if fitting else ""
    return f"{described}{examples}".lstrip(", ") or card.description


def _trimmed(text: str) -> str:
    return text.strip().strip(",;").strip()
