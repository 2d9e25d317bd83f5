"""Whatever agents lived through, what they send next is accepted by every provider (F-27).

The judge is the simulator's own book of rules, which shares nothing with what it judges.
"""

import os
from collections import Counter
from dataclasses import replace

import pytest

from batuta.llm.model import ModelRequest, ModelSettings
from batuta.simulator import validate_request
from tests.support.encoders import ENCODERS
from tests.unit.steps.lives import SIGNED, Life

LIVES = int(os.environ.get("BATUTA_LIVES", "500"))
BATCHES = 5

HAPPENS = {
    "answered",
    "failed",
    "cancelled",
    "summaries",
    "cut by a window",
    "attempt.rejected",
    "tool.refused",
    "tool_response",
}
"""What must have happened in a hundred lives; else they show nothing."""


def judged(request: ModelRequest) -> list[str]:
    """What providers would say against a request, were it sent to them."""
    problems = []
    for provider, (encode, model) in ENCODERS.items():
        body = encode(replace(request, settings=ModelSettings(max_tokens=1000)), model)
        problems += [f"{provider}: {problem}" for problem in validate_request(provider, body)]
        text = str(body)
        foreign = [name for name in SIGNED if name != provider.partition("_")[0] and f"by-{name}" in text]
        problems += [f"{provider}: a signature of {name}" for name in foreign]
    return problems


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_every_provider_accepts_what_agents_send(batch: int) -> None:
    """Cancellations, windows, summaries, corrections, denied and failing tools, models that change."""
    size = LIVES // BATCHES
    seen: Counter[str] = Counter()
    for seed in range(batch * size, (batch + 1) * size):
        life = Life(seed, judged)
        await life.live()
        assert life.problems == [], f"seed {seed}"
        seen += life.seen
    assert seen.keys() >= HAPPENS
