"""When the provider or the attempts are exhausted another step stands in, and the result says so."""

import asyncio

from pydantic import BaseModel

from batuta import AgentStep, Pipeline, step
from batuta.events import AgentFallbackTriggered
from batuta.kernel.errors import ProviderRejectedError, ProviderUnavailableError
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel


class Sentiment(BaseModel):
    label: str
    confidence: float


@step
async def by_keywords(text: str) -> Sentiment:
    """What code alone can tell; less sure, and always there."""
    return Sentiment(label="angry" if "refund" in text else "calm", confidence=0.5)


def pipeline(model: ScriptedModel) -> Pipeline[str, Sentiment]:
    judge = AgentStep(name="judge", model=model, instructions="Judge the mood.", output=Sentiment, fallback=by_keywords)
    return Pipeline("mood", judge)


async def main() -> None:
    down = ProviderUnavailableError("503 from the provider: overloaded", status=503)
    sink, clock = CapturingSink(), FakeClock()  # waiting between retries takes no time
    result = await pipeline(ScriptedModel([down] * 3)).run("I want a refund", sink=sink, clock=clock)
    assert result.value.label == "angry"
    [used] = result.metrics.fallbacks
    assert (used.step, used.confidence) == ("by_keywords", 0.5)
    assert result.metrics.retries == 2 and len(clock.sleeps) == 2
    [told] = sink.of(AgentFallbackTriggered)
    assert (told.primary_agent, told.fallback_agent) == ("judge", "by_keywords")

    # Attempts used up: the same.
    stubborn = ScriptedModel([Reply("angry, I think")] * 3)
    result = await pipeline(stubborn).run("I want a refund")
    assert result.value.confidence == 0.5 and result.metrics.attempts == 3

    # A valid answer: no fallback.
    result = await pipeline(ScriptedModel([Reply('{"label": "angry", "confidence": 0.9}')])).run("I want a refund")
    assert result.value.confidence == 0.9 and not result.metrics.fallbacks

    # A request that the provider refuses is nothing a fallback should hide.
    refused = ScriptedModel([ProviderRejectedError("401: no such key", status=401)])
    result = await pipeline(refused).run("I want a refund")
    assert result.is_error and result.error.category == "logical"


asyncio.run(main())
