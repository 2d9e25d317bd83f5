"""The facts of one exchange that an encoder needs: ids, time, pace. All of them derive from the scenario's seed."""

import base64
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from batuta.simulator.answers import (
    Pace,
    PlannedAnswer,
    PlannedRefusal,
    PlannedThinking,
    PlannedToolCall,
    PlannedUsage,
    Text,
)
from batuta.simulator.wire.asked import WireRequest

SIGNATURE_MARK = "batuta-simulator:"
CHARS_PER_TOKEN = 4
TRANSPORT_FIELDS = ("stream", "stream_options")


@dataclass(frozen=True, kw_only=True)
class WireTurn:
    asked: WireRequest
    seed: int
    number: int
    created: int
    pace: Pace

    def digest(self, *facts: object, length: int = 24) -> str:
        joined = ":".join(map(str, (self.seed, self.number, *facts)))
        return hashlib.sha256(joined.encode()).hexdigest()[:length]

    def id(self, prefix: str, *facts: object) -> str:
        return prefix + self.digest(prefix, *facts)

    def chunks(self, text: str, *facts: object) -> Iterator[str]:
        """Cut a text as the stream will carry it; the pieces join to the text again."""
        size = self.pace.chunk_chars
        draw = random.Random(self.digest("chunks", *facts))
        start = 0
        while start < len(text):
            step = draw.randint(1, 2 * size - 1) if self.pace.vary else size
            yield text[start : start + step]
            start += step

    def usage(self, answer: PlannedAnswer) -> PlannedUsage:
        """The usage written in the answer, or an estimate from the sizes of question and answer."""
        if answer.usage is not None:
            return answer.usage
        prompt = {key: value for key, value in self.asked.body.items() if key not in TRANSPORT_FIELDS}
        asked = len(json.dumps(prompt, ensure_ascii=False, default=str))
        reasoning = _tokens(sum(len(block.text) for block in answer.blocks if isinstance(block, PlannedThinking)))
        said = _tokens(sum(map(_visible_size, answer.blocks)))
        return PlannedUsage(input=max(1, _tokens(asked)), output=max(1, said + reasoning), reasoning=reasoning)


def signature_for(text: str) -> str:
    """A signature that only this very thinking text carries, so that a changed block is found out."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return base64.b64encode(f"{SIGNATURE_MARK}{digest}".encode()).decode()


def is_foreign_signature(text: str, signature: str) -> bool:
    """Whether a signature issued here belongs to another text; signatures from elsewhere cannot be judged."""
    try:
        plain = base64.b64decode(signature, validate=True).decode()
    except ValueError:
        return False
    return plain.startswith(SIGNATURE_MARK) and signature != signature_for(text)


def _visible_size(block: object) -> int:
    if isinstance(block, Text):
        return len(block.content)
    if isinstance(block, PlannedToolCall):
        return len(block.name) + len(block.arguments_json)
    return len(block.text) if isinstance(block, PlannedRefusal) else 0


def _tokens(characters: int) -> int:
    return -(-characters // CHARS_PER_TOKEN)
