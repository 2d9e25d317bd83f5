"""Calls that need consent: asked, shown, decided, told (O-30, O-31)."""

import asyncio
from typing import Any

import pytest

from batuta import Cancellation, Step, step
from batuta.events import (
    ApprovalRequested,
    ApprovalResolved,
    Complete,
    Event,
)
from batuta.orchestration import (
    allow_below,
    allow_role,
)
from batuta.orchestration.plans import plan_from_events
from batuta.testing import Reply, ToolCall
from batuta.tools import ApprovalDecision, ApprovalRequest, ToolUser, tool
from tests.unit.orchestration.teams import agent, kinds, of, plan, team


class Decides:
    def __init__(self, decision: ApprovalDecision) -> None:
        self.asked: list[ApprovalRequest] = []
        self._decision = decision

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        return self._decision


@tool(effect="write", approval="always", preview=lambda args: f"pay {args['amount']}")
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def payer(name: str = "bank") -> Any:
    def last(request: Any) -> Reply:
        return Reply(request.tool_results[-1].content)

    return agent(name, [Reply(tool_calls=[ToolCall("pay", {"amount": 200})]), last], tools=[pay])


@pytest.mark.parametrize(
    ("decision", "said", "verdict"),
    [
        (ApprovalDecision.approve(by="ana"), "paid 200", "approved"),
        (ApprovalDecision.edit({"amount": 50}, by="ana"), "paid 50", "edited"),
        (ApprovalDecision.reject("too much", by="ana"), "too much", "rejected"),
    ],
)
async def test_an_approval_is_asked_shown_decided_and_told(decision: ApprovalDecision, said: str, verdict: str) -> None:
    """O-30: what is shown is what is executed."""
    turn = await team([plan(("bank", "pay", []))], payer()).run("pay 200", approver=Decides(decision))
    assert turn.answer is not None
    assert said in turn.answer
    (requested,) = of(turn, ApprovalRequested)
    assert (requested.args, requested.preview, requested.source_agent_id) == ({"amount": 200}, "pay 200", "bank")
    (resolved,) = of(turn, ApprovalResolved)
    assert (resolved.decision, resolved.by, resolved.approval_id) == (verdict, "ana", requested.approval_id)


async def test_without_somebody_to_ask_the_turn_pauses_and_says_what_it_waits_for() -> None:
    """O-4: it holds nothing."""
    turn = await team([plan(("bank", "pay", []))], payer()).run("pay 200")
    assert (turn.status, turn.answer) == ("paused", None)
    assert turn.waiting_for == of(turn, ApprovalRequested)[0].approval_id
    assert kinds(turn)[-2:] == ["turn_paused", "complete"]
    assert not [event for event in turn.events if event.type in ("step.failed", "agent.execution.failed")]


async def test_a_policy_decides_by_amount() -> None:
    """O-31."""
    policies = [allow_below("pay", "amount", 500)]
    turn = await team([plan(("bank", "pay", []))], payer(), approval_policies=policies).run("pay 200")
    assert turn.answer == "paid 200"
    assert not of(turn, ApprovalRequested)


async def test_a_policy_decides_by_role() -> None:
    """O-31: whoever holds the role is not asked; everybody else is."""
    crew = [plan(("bank", "pay", []))] * 2
    policies = [allow_role("pay", "treasurer")]
    trusted = ToolUser(id="ana", roles=frozenset({"treasurer"}))
    turn = await team(crew, payer(), approval_policies=policies).run("pay 200", user=trusted)
    assert turn.answer == "paid 200"
    asked = await team(crew, payer(), approval_policies=policies).run("pay 200", user=ToolUser(id="eve"))
    assert asked.status == "paused"


@pytest.mark.parametrize(("amount", "is_allowed"), [(-5, False), (0, True), (100, True), (101, False)])
def test_a_small_amount_is_neither_negative_nor_above_the_limit(amount: int, *, is_allowed: bool) -> None:
    request = ApprovalRequest(tool_use_id="1", tool_name="pay", args={"amount": amount})
    assert (allow_below("pay", "amount", 100)(request) is not None) is is_allowed


class StopsSoonAfter:
    """Stops a run some turns of the loop after it asked for consent."""

    never_blocks = True

    def __init__(self, handle: Cancellation, turns_of_the_loop: int) -> None:
        self._handle = handle
        self._left = turns_of_the_loop

    def emit(self, event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            self._wait()

    def _wait(self) -> None:
        self._left -= 1
        if self._left < 0:
            self._handle.cancel()
        else:
            asyncio.get_running_loop().call_soon(self._wait)


async def test_a_turn_that_is_stopped_when_it_decides_to_wait_ends_its_plan() -> None:
    """O-2, O-23: wherever the stop finds it between the question and the pause, no plan is left half done."""
    ends = set()
    for turns_of_the_loop in range(60):
        handle = Cancellation()
        watcher = StopsSoonAfter(handle, turns_of_the_loop)
        turn = await team([plan(("bank", "pay", []))], payer()).run("pay 200", cancellation=handle, sink=watcher)
        told = [end.status for end in of(turn, Complete)]
        if told == ["cancelled"]:
            rebuilt = plan_from_events(turn.events)
            assert rebuilt is not None
            assert (rebuilt.status, rebuilt.is_settled) == ("cancelled", True), f"after {turns_of_the_loop}"
        ends.add(tuple(told))
    assert {("cancelled",), ("paused",)} <= ends


class Asked:
    """Opens when a question has been asked."""

    never_blocks = True

    def __init__(self) -> None:
        self._asked = asyncio.Event()

    def emit(self, event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            self._asked.set()

    def late(self, name: str) -> Step[str, str]:
        """A step that ends when the one that asked has suspended."""

        @step(name=name)
        async def work(task: str) -> str:
            await self._asked.wait()
            await asyncio.sleep(0.02)
            return f"{name} did it"

        return work


async def test_steps_that_do_not_depend_on_a_waiting_one_run_to_their_end_before_the_turn_pauses() -> None:
    """O-23, O-30: also those that become ready after the question was asked."""
    asked = Asked()
    steps = plan(("bank", "pay", []), ("chain", "first", []), ("chain", "second", [1]), ("chain", "third", [0]))
    turn = await team([steps], payer(), asked.late("chain")).run("go", sink=asked)
    assert turn.status == "paused"
    assert turn.plan is not None
    assert [step.status for step in turn.plan.steps] == ["in_progress", "completed", "completed", "pending"]


async def test_every_call_that_needs_consent_is_asked_about_before_the_turn_pauses() -> None:
    """Nobody has to answer one question to be shown the next, unless it depends on the answer."""
    asked = Asked()
    steps = plan(("bank", "pay", []), ("scout", "look", []), ("till", "pay", [1]))
    turn = await team([steps], payer(), asked.late("scout"), payer("till")).run("go", sink=asked)
    assert [question.source_agent_id for question in of(turn, ApprovalRequested)] == ["bank", "till"]
    assert turn.waiting_for == of(turn, ApprovalRequested)[0].approval_id
