"""How the world outside behaves: how long it takes and how often it fails. One seed may be calm, another stormy."""

from dataclasses import dataclass
from random import Random
from typing import Literal

Fate = Literal["answered", "unreached", "unanswered"]
"""`unanswered` was executed, and the caller learns nothing but that no answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """Rates and times."""

    unreached: float = 0.0
    unanswered: float = 0.0
    slow: float = 0.0
    """How often something takes up to `slow_seconds` instead of up to `usual_seconds`."""
    usual_seconds: float = 0.002
    slow_seconds: float = 1.0

    @classmethod
    def drawn(cls, random: Random) -> "Weather":
        """Calm, windy or stormy, each in its degree."""
        strength = random.choice((0.0, 0.2, 1.0)) * random.random()
        return cls(
            unreached=0.06 * strength,
            unanswered=0.06 * strength,
            slow=0.1 * strength,
            usual_seconds=random.choice((0.0005, 0.005, 0.03)),
            slow_seconds=random.choice((0.2, 2.0, 8.0)),
        )

    def fate(self, random: Random) -> Fate:
        """What becomes of one request."""
        drawn = random.random()
        if drawn < self.unreached:
            return "unreached"
        return "unanswered" if drawn < self.unreached + self.unanswered else "answered"

    def latency(self, random: Random) -> float:
        """How long one way takes, in seconds."""
        return random.random() * (self.slow_seconds if random.random() < self.slow else self.usual_seconds)


CALM = Weather()
