"""As supervisor: divide a request, find the agent of each part, or answer directly what needs no agent.

"15% of 1,200, and then book a meeting tomorrow at 10"  ->  calculator, then appointments (depends on the first)
"""

import re
from dataclasses import dataclass
from typing import Any

from batuta.llm.offline.lexicon import ACTIONS, ADDITION, CONTINUATION, GREETINGS, HELP, LOOSE, SEQUENCE, THANKS
from batuta.llm.offline.phrases import phrase
from batuta.llm.offline.reading import Card, Task
from batuta.llm.offline.words import Vocabulary, features, folded, is_question

LEAST_SCORE = 0.45
"""The share of a request an agent must know to be given it."""
LEAST_LOOSE_SCORE = 0.5
"""… to be given a part that only an `and` divides from the rest."""
MAX_PARTS = 8
MAX_PLANNED_CHARS = 4_000
LONGEST_CONTINUATION = 6

_SEQUENCE = re.compile(SEQUENCE, re.IGNORECASE)
_DIVIDER = re.compile(f"({SEQUENCE}|{ADDITION})", re.IGNORECASE)
_LOOSE = re.compile(LOOSE, re.IGNORECASE)
_CONTINUATION = re.compile(CONTINUATION, re.IGNORECASE)
_HELP = re.compile(HELP)
_WORDS = re.compile(r"[a-z']+")
_GREETINGS = frozenset(GREETINGS.split())
_THANKS = frozenset(THANKS.split())


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

    def decision(self, task: Task, earlier: str = "") -> dict[str, Any]:
        """`{"steps": […]}` or `{"answer": …}`, as the supervisor is asked for."""
        direct = self._direct_answer(task)
        if direct is not None:
            return {"answer": direct}
        steps = self._steps(task) or self._continued(task, earlier)
        return {"steps": steps} if steps else {"answer": self.unknown(task)}

    def best_agent(self, text: str, least: float = LEAST_SCORE) -> str | None:
        """Who knows most of a request, if anybody knows enough."""
        known = self._vocabulary.scores(text)
        scores = {agent_id: score for agent_id, score in known.items() if self._can(agent_id, text)}
        best = max(scores, key=lambda agent_id: scores[agent_id], default=None)
        if best is not None and scores[best] >= least:
            return best
        return self._reader() if is_question(text) and least <= LEAST_SCORE else None

    def unknown(self, task: Task) -> str:
        """Say honestly that nobody here knows, and what is known instead."""
        return phrase("unknown", task.language, team=self._team()) if self._cards else _alone(task)

    def _direct_answer(self, task: Task) -> str | None:
        plain = folded(task.text)
        words = set(_WORDS.findall(plain))
        if not words and not re.search(r"\d", plain):
            return self.unknown(task)
        if words and words <= _GREETINGS:
            return phrase("greeting", task.language, team=self._team())
        if words and words <= _THANKS:
            return phrase("thanks", task.language)
        return phrase("help", task.language, team=self._team()) if _HELP.search(plain) else None

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

    def _continued(self, task: Task, earlier: str) -> list[dict[str, Any]]:
        """A short addition to what was asked before ("and in Tokyo?") is asked together with it."""
        is_short = len(task.text.split()) <= LONGEST_CONTINUATION
        if not earlier or not is_short or not _CONTINUATION.search(task.text):
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
        """Whether an agent knows what is asked to be done; a question may be about anything."""
        wanted = ACTIONS & features(text)
        return is_question(text) or all(self._vocabulary.knows(agent_id, action) for action in wanted)

    def _reader(self) -> str | None:
        """Who answers questions from documents: the one to ask what nobody else knows."""
        readers = (card.agent_id for card in self._cards if self._vocabulary.knows(card.agent_id, "@document"))
        return next(readers, None)

    def _team(self) -> str:
        return "\n".join(f"- {card.name}: {card.description}" for card in self._cards)


def _alone(task: Task) -> str:
    return phrase("unknown_alone", task.language)


def _trimmed(text: str) -> str:
    return text.strip().strip(",;").strip()
