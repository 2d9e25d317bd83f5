"""One call of a model, with its beginning and its end told, and on whose account it was made.

Everything that an agent asks a model goes through here, so that the calls in the log add up to what the run cost.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.kernel.answers import Answer
from batuta.kernel.outgoing import current_tool
from batuta.llm.model import Model
from batuta.pipelines.context import Context


@dataclass(frozen=True, slots=True)
class CallAccount:
    """For whom a model is called, and for which of their attempts."""

    agent_id: str
    attempt: int = 1
    is_streaming: bool = False


async def told_call(
    ctx: Context, model: Model, account: CallAccount, call_id: str, act: Callable[[], Awaitable[Answer]]
) -> Answer:
    """Act, and tell the request before and the response after, whichever way it ends."""
    facts: dict[str, Any] = {
        "call_id": call_id,
        "path": ctx.path,
        "provider": model.provider,
        "model": model.name,
        "attempt": account.attempt,
        "caller_tool": current_tool(),
        "source_agent_id": account.agent_id,
    }
    tell = ctx._run.emitter.tell_own
    await tell(LlmRequest, {**facts, "is_streaming": account.is_streaming}, None)
    started = time.perf_counter()
    try:
        answer = await act()
    except BaseException as error:
        failure = {"duration_ms": _since(started), "success": False, "error": type(error).__name__}
        await tell(LlmResponse, {**facts, **failure}, None)
        raise
    brought = {
        "model": answer.model,
        "duration_ms": _since(started),
        "stop_reason": answer.stop_reason,
        "usage": answer.usage,
        "cost": answer.cost,
        "message_id": call_id,
    }
    await tell(LlmResponse, {**facts, **brought}, None)
    return answer


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
