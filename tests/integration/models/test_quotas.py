"""What a provider says is left of its quota is known after any answer of it (T-23)."""

import pytest

from batuta.llm.quotas import QUOTAS
from batuta.simulator import Simulator
from tests.integration.models.stage import Stage, said

SAID = {
    "anthropic": {"anthropic": 400_000},
    "openai_chat": {"openai": 150_000},
    "openai_responses": {"openai": 150_000},
}


@pytest.mark.parametrize("provider", SAID, ids=list(SAID))
async def test_an_answer_tells_what_is_left(
    simulator: Simulator, provider: str, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QUOTAS, "_left", {})
    stage = Stage(simulator, provider)
    await stage.ask(said(), streaming=streaming)
    await stage.bare.aclose()
    assert QUOTAS.left() == SAID[provider]
