"""The model an agent calls, protected and budgeted as its run asks; one call of it, its events,
and the account it is charged to.

Everything that an agent asks a model goes through here, so that the calls in the log add up to what the run cost.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from batuta import events, llm
from batuta.events.envelope import trusted
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.ids import MessageId
from batuta.kernel.messages import Answer, Message
from batuta.kernel.outgoing import current_tool
from batuta.kernel.usage import Amount, LostTries
from batuta.llm.model import Model, ModelRequest
from batuta.llm.resilient import ImposedProtection, Protection, ResilientModel
from batuta.pipelines.context import Context, Invocation, invocation_of

if TYPE_CHECKING:
    from batuta.llm.budget import MemoryBudgetLedger


def with_run_policies(model: Model | str, ctx: Context) -> Model:
    """A model ready for one execution: protection outside, budget inside, the client at the core.

    A model that is protected already, inside whatever is wrapped around it, gets no second protection: two policies
    would multiply their tries. It keeps its own unless the run has one (`protection=`), which goes before it. One from
    a name shares the breakers of the process. A bare model object is retried, but has no breaker: its maker
    knows what it stands for.

    A run may put another model in the place of one that is named (`models=`), and say whether models think
    (`thinking=`).
    """
    policies = invocation_of(ctx).run.policies
    if isinstance(model, str):
        model = llm.named_model(policies.models.get(model, model))
    ready = _protected(model, ctx)
    return ready if policies.thinking is None else llm.ThinkingModel(ready, policies.thinking)


def _protected(model: Model, ctx: Context) -> Model:
    run = invocation_of(ctx).run
    policies, clock = run.policies, run.clock
    protected = _protected_core(model)
    of_the_run = policies.protection
    if clock is not SYSTEM_CLOCK:  # tries and breakers wait by the run's clock
        if of_the_run is None and protected is not None:
            of_the_run = replace(protected.protection, clock=clock)
        elif of_the_run is not None and of_the_run.clock is SYSTEM_CLOCK:
            of_the_run = replace(of_the_run, clock=clock)
    protection = of_the_run
    if isinstance(model, ResilientModel):
        protection = protection or model.protection
        model = model.inner
    if policies.budgets:
        model = llm.BudgetedModel(model, policies.ledger or _process_ledger(), policies.budgets)
    elif run.emitter.is_recorded and model.provider not in llm.FREE:
        model = llm.LostTriesModel(model)
    if _protected_core(model) is not None:
        return model if of_the_run is None else ImposedProtection(model, of_the_run)
    if protection is None:
        protection = _RETRIES_ALONE if clock is SYSTEM_CLOCK else replace(_RETRIES_ALONE, clock=clock)
    return ResilientModel(model, protection)


def _protected_core(model: object) -> ResilientModel | None:
    """The protected model inside what is wrapped around it, if there is one."""
    while model is not None and not isinstance(model, ResilientModel):
        model = getattr(model, "inner", None)
    return model


_RETRIES_ALONE = Protection(breaker=None)


@cache
def _process_ledger() -> "MemoryBudgetLedger":
    return llm.MemoryBudgetLedger()


log = logging.getLogger("batuta.steps")

Redact = Callable[[dict[str, Any]], dict[str, Any]]
"""A tool call as it may be shown."""


def _as_given(call: dict[str, Any]) -> dict[str, Any]:
    return call


class CallAccount(NamedTuple):
    """For whom a model is called, and for which of their attempts."""

    agent_id: str
    attempt: int = 1
    is_streaming: bool = False
    redact: Redact = _as_given


async def recorded_call(
    ctx: Context,
    model: Model,
    request: ModelRequest,
    account: CallAccount,
    *,
    call_id: str,
    act: Callable[[], Awaitable[Answer]],
) -> Answer:
    """Act, and tell the request before and the response after, whichever way it ends."""
    if not ctx.is_heard:
        return await act()
    tool, place = current_tool(), invocation_of(ctx)
    emitter = place.run.emitter
    # A model in this process dies with it: nothing else counts what it said.
    is_metered = emitter.is_recorded and model.provider not in llm.FREE
    reserved = llm.worst_case(request, model) if is_metered else None
    said = zip(_SETTINGS, _settings_of(request.settings), strict=True)
    chosen = {name: value for name, value in said if value is not None and value != ()}
    await place.emit(
        trusted(events.LlmRequest)(
            call_id=call_id,
            path=place.path,
            provider=model.provider,
            model=model.name,
            attempt=account.attempt,
            caller_tool=tool,
            is_streaming=account.is_streaming,
            settings=chosen,
            output_type="text" if request.output is None else "json",
            reserved_tokens=None if reserved is None else reserved.tokens,
            reserved_cost=None if reserved is None else reserved.money,
            source_agent_id=account.agent_id,
        ),
        live=True,
    )
    started = time.perf_counter()
    answer: Answer | None = None
    failure: str | None = None
    lost: list[Amount] = []
    try:
        # That a model was asked is durable before it is: a kill cannot hide a call that has to be paid for.
        await emitter.barrier()
        with LostTries() as lost:
            answer = await act()
    except BaseException as error:
        failure = type(error).__name__
        raise
    finally:
        without_answer = sum(lost, Amount()) if lost else _NOTHING_LOST
        if emitter.is_asked_for_contents:
            _disclose(place, call_id, request, answer, account)
        await place.emit(
            trusted(events.LlmResponse)(
                call_id=call_id,
                path=place.path,
                provider=model.provider,
                model=model.name if answer is None else answer.model,
                attempt=account.attempt,
                caller_tool=tool,
                duration_ms=(time.perf_counter() - started) * 1000,
                success=answer is not None,
                error=failure,
                stop_reason=None if answer is None else answer.stop_reason,
                tool_calls=0 if answer is None else len(answer.tool_calls),
                response_id=None if answer is None else answer.response_id,
                usage=None if answer is None else answer.usage,
                cost=None if answer is None else answer.cost,
                lost_tokens=without_answer.tokens,
                lost_cost=without_answer.money if lost else None,
                message_id=None if answer is None else MessageId(call_id),
                source_agent_id=account.agent_id,
            ),
            live=True,
        )
    return answer


_NOTHING_LOST = Amount()
_SETTINGS = ("temperature", "max_tokens", "thinking_budget_tokens", "top_p", "stop", "seed")
_settings_of = attrgetter(*_SETTINGS)


def _disclose(
    place: Invocation, call_id: str, request: ModelRequest, answer: Answer | None, account: CallAccount
) -> None:
    """Show what was asked and answered to observers that want it. What cannot be shown does not fail the run."""
    try:
        exchanged = events.LlmExchanged(
            call_id=call_id,
            path=place.path,
            source_agent_id=account.agent_id,
            system=request.system,
            messages=tuple(_shown(message, account.redact) for message in request.messages),
            tools=tuple(
                {"name": tool.name, "description": tool.description, "parameters": tool.schema}
                for tool in request.tools
            ),
            answer=None if answer is None else _shown(answer.as_message(account.agent_id), account.redact),
        )
    except Exception as error:  # for instance, arguments nested deeper than anything that can be written down
        log.warning("the contents of a call of %s are not shown: %s", account.agent_id, type(error).__name__)
        return
    place.run.emitter.disclose(exchanged)


def _shown(message: Message, redact: Redact) -> dict[str, Any]:
    """A message as plain data, without what a tool declares as sensitive.

    A model of one's own may bring arguments that are no JSON: their text is shown, an observer cannot fail the run.
    """
    plain: dict[str, Any] = message.model_dump(
        mode="json", fallback=str, exclude={"content": {"__all__": {"data", "extra"}}}
    )
    plain["content"] = [redact(block) if block["type"] == "tool_call" else block for block in plain["content"]]
    return plain
