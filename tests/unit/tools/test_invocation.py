"""One call through the ladder: what is refused, what runs, what the model is told, what is audited."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from batuta.kernel.errors import RunCancelledError, ToolFailedError, ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.testing.clock import FakeClock
from batuta.tools import (
    ApprovalDecision,
    ApprovalRequest,
    CallScope,
    Execution,
    PreparedCall,
    RateLimit,
    Refusal,
    Tool,
    ToolAudit,
    ToolContext,
    ToolInvoker,
    ToolOutcome,
    ToolSet,
    ToolUser,
    tool,
)


@dataclass
class AuditList:
    entries: list[ToolAudit] = field(default_factory=list)

    def record(self, entry: ToolAudit) -> None:
        self.entries.append(entry)


@dataclass
class Decider:
    decision: ApprovalDecision
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        return self.decision


runs: list[tuple[str, Any]] = []


@pytest.fixture(autouse=True)
def _forget_runs() -> None:
    runs.clear()


@tool
async def stock(sku: str) -> int:
    """Units on hand."""
    runs.append(("stock", sku))
    return {"A-100": 7}[sku]


@tool(effect="write", roles={"buyer"})
async def order(sku: str, quantity: int) -> str:
    """Order more."""
    runs.append(("order", (sku, quantity)))
    return f"ordered {quantity} of {sku}"


@tool(effect="write", approval=lambda args: args["amount"] > 1000, preview=lambda args: f"pay {args['amount']} €")
async def pay(amount: int) -> str:
    """Pay somebody."""
    runs.append(("pay", amount))
    return "paid"


def call(tool_name: str, /, **args: Any) -> ToolCallBlock:
    return ToolCallBlock(id="call-1", name=tool_name, args=args)


async def invoke(used: Tool, block: ToolCallBlock, **scope: Any) -> ToolOutcome:
    return await ToolInvoker().invoke(block, CallScope(tools=ToolSet.of([used]), **scope))


async def test_a_good_call_brings_its_value_as_content() -> None:
    """F-82: anything but text is JSON."""
    outcome = await invoke(stock, call("stock", sku="A-100"))

    assert (outcome.result.content, outcome.result.is_error) == ("7", False)
    assert (outcome.result.tool_use_id, outcome.result.tool_name) == ("call-1", "stock")
    assert (outcome.refusal, outcome.is_security_event) == (None, False)


class Item(BaseModel):
    sku: str


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("plain", "plain"),
        (None, "null"),
        ([1, 2], "[1,2]"),
        (Item(sku="é"), '{"sku":"é"}'),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, '{"at":"2026-01-01T00:00:00Z"}'),
        (float("nan"), '"NaN"'),
    ],
)
async def test_values_become_text_or_json(value: object, content: str) -> None:
    """F-82."""

    @tool
    async def give() -> Any:
        return value

    assert (await invoke(give, call("give"))).result.content == content


async def test_a_value_that_is_no_json_is_an_error_result() -> None:
    @tool
    async def give() -> Any:
        return object()

    outcome = await invoke(give, call("give"))

    assert outcome.result.is_error
    assert "no JSON" in outcome.result.content


async def test_a_long_result_is_cut_and_says_so() -> None:
    @tool(max_result_chars=10)
    async def give() -> str:
        return "x" * 50

    content = (await invoke(give, call("give"))).result.content

    assert content.startswith("x" * 10 + "\n[cut: 50 characters")


@pytest.mark.parametrize(
    ("used", "block", "refusal", "is_security_event", "words"),
    [
        (stock, call("order", sku="A", quantity=1), Refusal.UNKNOWN_TOOL, True, "there are: stock"),
        (order, call("order", sku="A", quantity=1), Refusal.MISSING_ROLE, True, "role buyer"),
        (stock, call("stock", item=3), Refusal.INVALID_ARGUMENTS, False, "sku: is required; item: is not an argument"),
        (stock, call("stock", sku=3), Refusal.INVALID_ARGUMENTS, False, "sku: Input should be a valid string"),
        (stock, call("stock", sku="x" * 70_000), Refusal.OVERSIZED_ARGUMENTS, True, "larger than 65536 bytes"),
        (stock, call("stock", sku="€" * 30_000), Refusal.OVERSIZED_ARGUMENTS, True, "larger than 65536 bytes"),
        (stock, ToolCallBlock(id="1", name="stock", invalid_args="{"), Refusal.INVALID_ARGUMENTS, False, "no JSON"),
        (stock, call("stock", sku=float("nan")), Refusal.INVALID_ARGUMENTS, False, "no JSON"),
        (stock, call("stock", sku="\ud800"), Refusal.INVALID_ARGUMENTS, False, "unicode"),
        (pay, call("pay", amount=5000), Refusal.APPROVAL_NEEDED, True, "approval needed"),
    ],
)
async def test_a_refused_call_is_not_executed_and_the_model_learns_why(
    used: Tool, block: ToolCallBlock, refusal: Refusal, is_security_event: bool, words: str
) -> None:
    """F-50, F-51, F-53."""
    outcome = await invoke(used, block)

    assert (outcome.refusal, outcome.is_security_event) == (refusal, is_security_event)
    assert outcome.result.is_error
    assert words in outcome.result.content
    assert runs == []


async def test_a_user_with_the_role_may_call() -> None:
    """F-51."""
    user = ToolUser(id="ada", roles=frozenset({"buyer"}))

    outcome = await invoke(order, call("order", sku="A", quantity=2), user=user)

    assert outcome.result.content == "ordered 2 of A"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("B-200"), "KeyError: 'B-200'"),
        (ToolFailedError("the ERP is closed on Sundays"), "the ERP is closed on Sundays"),
        (ExceptionGroup("both", [ValueError("a"), ValueError("b")]), "ExceptionGroup"),
        (TimeoutError("its own"), "TimeoutError: its own"),
    ],
)
async def test_what_a_tool_raises_is_an_answer_to_the_model(error: Exception, words: str) -> None:
    """F-25."""

    @tool
    async def broken() -> None:
        raise error

    outcome = await invoke(broken, call("broken"))

    assert outcome.result.is_error
    assert words in outcome.result.content
    assert outcome.refusal is None


async def test_a_tool_that_refuses_is_a_security_event() -> None:
    """F-56."""

    @tool
    async def read(path: str) -> str:
        raise ToolRefusedError("the path is outside the root")

    outcome = await invoke(read, call("read", path="/etc/passwd"))

    assert (outcome.refusal, outcome.is_security_event) == (Refusal.FORBIDDEN, True)
    assert "outside the root" in outcome.result.content


async def test_a_tool_that_takes_too_long_is_stopped() -> None:
    """F-52."""
    stopped = asyncio.Event()

    @tool(timeout=0.01)
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    outcome = await invoke(slow, call("slow"))

    assert outcome.error == "DEADLINE_EXCEEDED"
    assert "within 0.01 s" in outcome.result.content
    assert stopped.is_set()


class Pause(BaseException):
    """Control flow of some caller."""


@pytest.mark.parametrize("error", [Pause(), RunCancelledError("stopped")])
async def test_control_flow_passes_through(error: BaseException) -> None:
    @tool
    async def pausing() -> None:
        raise error

    with pytest.raises(type(error)):
        await invoke(pausing, call("pausing"))


async def test_cancellation_passes_through_and_is_audited() -> None:
    audit = AuditList()
    started = asyncio.Event()

    @tool
    async def waiting() -> None:
        started.set()
        await asyncio.Event().wait()

    invoker = ToolInvoker(audit=audit)
    task = asyncio.create_task(invoker.invoke(call("waiting"), CallScope(tools=ToolSet.of([waiting]))))
    await started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert [entry.outcome for entry in audit.entries] == ["cancelled"]


async def test_a_cancellation_that_nobody_asked_for_is_the_tools_own_error() -> None:
    @tool
    async def odd() -> None:
        raise asyncio.CancelledError

    assert (await invoke(odd, call("odd"))).result.is_error


async def test_the_approver_sees_what_would_be_executed() -> None:
    """F-53, O-30."""
    decider = Decider(ApprovalDecision.approve("ada"))

    outcome = await invoke(pay, call("pay", amount=5000), approver=decider, agent_id="clerk")

    (asked,) = decider.asked
    assert (asked.tool_name, asked.args, asked.preview) == ("pay", {"amount": 5000}, "pay 5000 €")
    assert (asked.agent_id, asked.tool_use_id) == ("clerk", "call-1")
    assert outcome.result.content == "paid"


async def test_a_predicate_lets_small_calls_pass_unasked() -> None:
    """F-53."""
    assert (await invoke(pay, call("pay", amount=10))).result.content == "paid"


async def test_a_predicate_that_fails_asks() -> None:
    @tool(approval=lambda args: args["no such argument"])
    async def risky() -> str:
        return "done"

    assert (await invoke(risky, call("risky"))).refusal is Refusal.APPROVAL_NEEDED


async def test_a_rejection_reaches_the_model_with_its_reason() -> None:
    outcome = await invoke(
        pay, call("pay", amount=5000), approver=Decider(ApprovalDecision.reject("too much this month"))
    )

    assert outcome.refusal is Refusal.APPROVAL_REJECTED
    assert "too much this month" in outcome.result.content
    assert runs == []


async def test_an_edited_call_runs_with_the_new_arguments() -> None:
    outcome = await invoke(pay, call("pay", amount=5000), approver=Decider(ApprovalDecision.edit({"amount": 900})))

    assert runs == [("pay", 900)]
    assert outcome.args == {"amount": 900}


async def test_edited_arguments_are_checked_like_any_others() -> None:
    outcome = await invoke(pay, call("pay", amount=5000), approver=Decider(ApprovalDecision.edit({"amount": "all"})))

    assert outcome.refusal is Refusal.INVALID_ARGUMENTS
    assert runs == []


async def test_an_edit_that_does_not_fit_is_asked_about_again_with_what_is_wrong() -> None:
    asked: list[ApprovalRequest] = []

    class Learns:
        async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
            asked.append(request)
            return ApprovalDecision.edit({"amount": 900 if request.refused_edits else "all"})

    await invoke(pay, call("pay", amount=5000), approver=Learns())

    assert runs == [("pay", 900)]
    assert [request.args for request in asked] == [{"amount": 5000}, {"amount": 5000}]
    assert "amount" in asked[1].reason
    assert asked[0].idempotency_key != asked[1].idempotency_key


async def test_a_broken_preview_does_not_keep_a_person_from_deciding() -> None:
    decider = Decider(ApprovalDecision.approve())

    @tool(approval="always", preview=lambda args: str(1 / 0))
    async def act() -> str:
        return "done"

    assert (await invoke(act, call("act"), approver=decider)).result.content == "done"
    assert decider.asked[0].preview == "(no preview: ZeroDivisionError)"


async def test_calls_beyond_the_rate_are_refused_until_time_passes() -> None:
    """F-52, F-73."""
    clock = FakeClock()
    invoker = ToolInvoker(clock=clock)

    @tool(rate=RateLimit(2, timedelta(minutes=1)))
    async def ask() -> str:
        return "ok"

    async def attempt(user: str = "ada") -> Refusal | None:
        scope = CallScope(tools=ToolSet.of([ask]), user=ToolUser(id=user))
        return (await invoker.invoke(call("ask"), scope)).refusal

    assert [await attempt() for _ in range(3)] == [None, None, Refusal.RATE_LIMITED]
    assert await attempt(user="grace") is None
    clock.advance(30)
    assert [await attempt() for _ in range(2)] == [None, Refusal.RATE_LIMITED]


async def test_a_refused_call_is_told_how_long_to_wait() -> None:
    @tool(rate=RateLimit(1, timedelta(seconds=8)))
    async def ask() -> str:
        return "ok"

    invoker, scope = ToolInvoker(clock=FakeClock()), CallScope(tools=ToolSet.of([ask]))
    await invoker.invoke(call("ask"), scope)
    second = await invoker.invoke(call("ask"), scope)

    assert "try again in 8.0 s" in second.result.content


async def test_an_outside_system_that_keeps_failing_is_left_alone_for_a_while() -> None:
    """F-72."""
    clock = FakeClock()
    invoker = ToolInvoker(clock=clock)
    is_well = False

    @tool(kind="external", rate=RateLimit(100, timedelta(seconds=1)))
    async def ask() -> str:
        runs.append(("ask", None))
        if not is_well:
            raise ConnectionError("refused")
        return "ok"

    async def attempt() -> ToolOutcome:
        return await invoker.invoke(call("ask"), CallScope(tools=ToolSet.of([ask])))

    errors = [(await attempt()).error for _ in range(6)]
    assert errors == ["CONNECTION"] * 5 + ["CIRCUIT_OPEN"]
    assert len(runs) == 5
    is_well = True
    clock.advance(61)
    assert (await attempt()).result.content == "ok"


async def test_no_more_calls_run_at_once_than_declared() -> None:
    """F-52: also when different agents ask."""
    running = 0
    most = 0

    @tool(max_concurrency=2)
    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    invoker = ToolInvoker()
    scopes = [CallScope(tools=ToolSet.of([work]), agent_id=f"agent-{number}") for number in range(8)]
    outcomes = await asyncio.gather(*(invoker.invoke(call("work"), scope) for scope in scopes))

    assert most == 2
    assert not any(outcome.result.is_error for outcome in outcomes)


async def test_a_call_that_finds_no_free_slot_in_time_is_told_busy() -> None:
    started, release = asyncio.Event(), asyncio.Event()

    @tool(max_concurrency=1, timeout=0.02)
    async def stubborn() -> None:
        started.set()
        with suppress(asyncio.CancelledError):
            await release.wait()
        await release.wait()

    invoker = ToolInvoker()
    scope = CallScope(tools=ToolSet.of([stubborn]))
    first = asyncio.create_task(invoker.invoke(call("stubborn"), scope))
    await started.wait()
    second = await invoker.invoke(call("stubborn"), scope)
    release.set()
    await first

    assert second.refusal is Refusal.BUSY


async def test_one_invoker_serves_several_event_loops() -> None:
    invoker = ToolInvoker()

    @tool(max_concurrency=1)
    async def work() -> str:
        await asyncio.sleep(0)
        return "ok"

    async def twice() -> list[ToolOutcome]:
        scope = CallScope(tools=ToolSet.of([work]))
        return list(await asyncio.gather(*(invoker.invoke(call("work"), scope) for _ in range(2))))

    outcomes = await twice() + await asyncio.to_thread(lambda: asyncio.run(twice()))

    assert [outcome.result.content for outcome in outcomes] == ["ok"] * 4


async def test_the_context_tells_the_tool_about_its_call() -> None:
    """F-53, F-54."""
    progress: list[tuple[str, str, float | None, float | None]] = []

    async def listen(block: ToolCallBlock, message: str, done: float | None, total: float | None) -> None:
        progress.append((block.id, message, done, total))

    @tool
    async def work(ctx: ToolContext) -> str:
        await ctx.progress("half", done=1, total=2)
        ctx.enrich(rows=12)
        return f"{ctx.idempotency_key} {ctx.user.id} {ctx.correlation_id} {ctx.services['db']} {ctx.tool_use_id}"

    scope = CallScope(
        tools=ToolSet.of([work]),
        user=ToolUser(id="ada"),
        correlation_id="C",
        services={"db": "ledger"},
        on_progress=listen,
    )
    outcome = await ToolInvoker().invoke(call("work"), scope, idempotency_key="turn-1:work:0")

    assert outcome.result.content == "turn-1:work:0 ada C ledger call-1"
    assert outcome.details == {"rows": 12}
    assert progress == [("call-1", "half", 1, 2)]


async def test_what_a_failing_tool_added_to_its_event_is_kept() -> None:
    @tool
    async def work(ctx: ToolContext) -> str:
        ctx.enrich(rows=3)
        raise ValueError("no more")

    assert (await invoke(work, call("work"))).details == {"rows": 3}


async def test_a_recorded_result_is_returned_instead_of_a_second_run() -> None:
    """O-3: the caller's journal stands around the execution."""
    journal: dict[str, str] = {}

    async def around(prepared: PreparedCall, execute: Callable[[], Awaitable[Execution]]) -> Execution:
        key = prepared.idempotency_key
        if key not in journal:
            journal[key] = (await execute()).model_dump_json()
        return Execution.model_validate_json(journal[key])

    audit = AuditList()
    invoker = ToolInvoker(audit=audit)
    scope = CallScope(tools=ToolSet.of([stock]), around=around)
    outcomes = [await invoker.invoke(call("stock", sku="A-100"), scope, idempotency_key="k") for _ in range(2)]

    assert [outcome.result.content for outcome in outcomes] == ["7", "7"]
    assert runs == [("stock", "A-100")]
    assert len(audit.entries) == 1


async def test_refused_calls_do_not_reach_the_journal() -> None:
    async def around(prepared: PreparedCall, execute: Callable[[], Awaitable[Execution]]) -> Execution:
        raise AssertionError

    assert (await invoke(stock, call("stock", sku=1), around=around)).refusal is Refusal.INVALID_ARGUMENTS


async def test_every_execution_and_refusal_is_audited() -> None:
    """F-52."""
    clock, audit = FakeClock(), AuditList()

    @tool(effect="write", redact={"pin"}, version="3")
    async def open_safe(pin: str, room: int) -> str:
        clock.advance(2)
        return "open"

    scope = CallScope(tools=ToolSet.of([open_safe]), agent_id="clerk", user=ToolUser(id="ada"), correlation_id="C")
    invoker = ToolInvoker(audit=audit, clock=clock)
    await invoker.invoke(call("open_safe", pin="1234", room=7), scope, idempotency_key="k")
    await invoker.invoke(call("open_safe", pin="1234"), scope)

    done, refused = audit.entries
    assert (done.outcome, done.duration_seconds, done.effect, done.tool_version) == ("succeeded", 2, "write", "3")
    assert (done.agent_id, done.user_id, done.correlation_id, done.idempotency_key) == ("clerk", "ada", "C", "k")
    assert done.args == {"pin": "[redacted]", "room": 7}
    assert (refused.outcome, refused.detail, refused.args) == (
        "refused",
        "invalid_arguments",
        {"pin": "[redacted]"},
    )


@pytest.mark.parametrize("block", [call("unheard_of", pin="1234"), call("stock", sku="1234" * 20_000)])
async def test_arguments_that_cannot_be_redacted_or_are_too_large_are_not_kept(block: ToolCallBlock) -> None:
    audit = AuditList()

    await ToolInvoker(audit=audit).invoke(block, CallScope(tools=ToolSet.of([stock])))

    assert list(audit.entries[0].args.values()) == ["[not kept]"]


async def test_without_an_audit_sink_the_log_keeps_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="batuta.tools.audit"):
        await invoke(stock, call("stock", sku="B-200"), agent_id="clerk")

    assert "tool.failed tool=stock agent=clerk" in caplog.text
    assert "B-200" not in caplog.text
