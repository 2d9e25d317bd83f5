"""Steps that fail: tried again, handed on, skipped, and never written twice (O-23)."""

from typing import Any, get_args

import pytest

from batuta import Pipeline, action, step
from batuta.events import (
    AgentRetryAttempted,
    PlanCompleted,
    PlanStepStarted,
)
from batuta.events.fold import fold
from batuta.events.wire import Delivered
from batuta.kernel.errors import ProviderUnavailableError
from batuta.observability.audit_counts import audit
from batuta.observability.timeline import timeline_of
from batuta.orchestration import (
    FailurePolicy,
)
from batuta.orchestration.plan_execution import AfterFailure
from batuta.orchestration.plans import plan_from_events
from batuta.testing import FakeClock, Reply, ToolCall
from batuta.tools import tool
from tests.unit.orchestration.teams import agent, failing, of, plan, team


async def test_a_transient_failure_is_tried_again() -> None:
    """O-23: once by default."""
    worker = failing("a", ProviderUnavailableError("503"), None)
    turn = await team([plan(("a", "x", []))], worker).run("q")
    assert turn.answer == "a did it"


async def test_an_agent_that_is_asked_again_is_told_as_a_retry() -> None:
    """T-5: when it is decided, and with what it came to; the calls of each attempt count once."""
    worker = agent("a", [*[ProviderUnavailableError("503")] * 3, Reply("done")])
    turn = await team([plan(("a", "x", []))], worker).run("q", clock=FakeClock())
    assert turn.answer == "done"
    decided, settled = (event for event in of(turn, AgentRetryAttempted) if event.source_agent_id == "supervisor")
    assert (decided.agent_name, decided.retry_attempt, decided.retry_reason) == ("a", 1, "error")
    assert (decided.retry_successful, settled.retry_successful) == (None, True)
    assert settled.caused_by == decided.event_id
    supervised, asked = 1, 4
    found = audit(turn.events, provider_calls=supervised + asked)
    assert found.is_complete, found.problems()
    within_calls = 2
    assert timeline_of(turn.events).summary.retries == within_calls + 1


async def test_an_agent_that_fails_again_is_told_as_a_retry_in_vain() -> None:
    worker = failing("a", ProviderUnavailableError("503"), ProviderUnavailableError("503"))
    turn = await team([plan(("a", "x", [])), Reply("Nothing.")], worker).run("q")
    assert [event.retry_successful for event in of(turn, AgentRetryAttempted)] == [None, False]


async def test_a_failed_step_skips_its_dependents_and_the_answer_is_written_from_what_there_is() -> None:
    """O-23: the default policy."""
    supervisor = [plan(("a", "x", []), ("b", "y", [0]), ("c", "z", [])), Reply("Only c worked.")]
    crew = team(supervisor, failing("a", ValueError("broken")), failing("b"), failing("c", None))
    turn = await crew.run("q")
    assert turn.answer == "Only c worked."
    assert turn.plan is not None
    assert [s.status for s in turn.plan.steps] == ["failed", "skipped", "completed"]
    (completed,) = of(turn, PlanCompleted)
    assert completed.status == "failed"
    assert "broken" in completed.failure_reason
    assert turn.status == "success"


async def test_a_plan_can_be_failed_as_a_whole() -> None:
    supervisor = [plan(("a", "x", []), ("b", "y", []), ("c", "z", [1])), Reply("nothing worked")]
    policy = FailurePolicy(then="fail_plan")
    turn = await team(
        supervisor, failing("a", ValueError("broken")), failing("b", None), failing("c"), failure_policy=policy
    ).run("q")
    assert turn.plan is not None
    assert [s.status for s in turn.plan.steps] == ["failed", "completed", "skipped"]


async def test_a_stand_in_takes_over() -> None:
    """O-23: reassigned, as an `error_recovery` handoff."""
    policy = FailurePolicy(stand_ins={"a": "b"})
    turn = await team(
        [plan(("a", "x", []))], failing("a", ValueError("no")), failing("b", None), failure_policy=policy
    ).run("q")
    assert turn.answer == "b did it"
    assert [h.reason for h in turn.handoffs] == ["plan_step", "error_recovery"]


async def test_a_step_that_changes_hands_is_told_to_be_worked_on_by_whoever_does() -> None:
    """O-23: live, reloaded and rebuilt alike."""
    policy = FailurePolicy(stand_ins={"a": "b"})
    crew = [failing("a", ValueError("no")), failing("b", None)]
    turn = await team([plan(("a", "x", []))], *crew, failure_policy=policy).run("q")
    started = of(turn, PlanStepStarted)
    assert [(event.agent_id, event.agent_name, event.task) for event in started] == [("a", "A", "x"), ("b", "B", "x")]
    view = fold(Delivered(event, 1) for event in turn.events)
    (shown,) = [item for told in view.turns for item in told.items if item.kind == "plan"]
    assert [(step.agent_id, step.agent_name, step.status) for step in shown.steps] == [("b", "B", "completed")]
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert [(step.agent_id, step.status) for step in rebuilt.steps] == [("b", "completed")]


@pytest.mark.parametrize("stand_ins", [{}, {"clerk": "other"}], ids=["nobody stands in", "somebody stands in"])
async def test_a_step_that_has_written_is_not_repeated(stand_ins: dict[str, str]) -> None:
    """The provider fails after the tool has paid: whoever did the task again would pay again."""
    paid: list[int] = []

    @tool(effect="write")
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return "paid"

    def line(request: Any) -> Reply:
        if request.tool_results:
            raise ProviderUnavailableError("overloaded", status=503)
        return Reply(tool_calls=[ToolCall("pay", {"amount": 7})])

    turn = await team(
        [plan(("clerk", "pay 7", [])), Reply("It was paid, but the clerk did not finish.")],
        agent("clerk", [line] * 20, tools=[pay]),
        agent("other", [line] * 20, tools=[pay]),
        failure_policy=FailurePolicy(retries=3, stand_ins=stand_ins),
    ).run("pay", clock=FakeClock())
    assert paid == [7]
    assert turn.plan is not None
    assert turn.plan.status == "failed"
    assert len(turn.handoffs) == 1


async def test_a_step_whose_write_was_undone_is_tried_again() -> None:
    booked: list[str] = []
    tries: list[str] = []

    async def cancel(task: str) -> None:
        booked.remove("room")

    @action(mode="transactional", rollback=cancel)
    async def book(task: str) -> str:
        booked.append("room")
        return task

    @step
    async def confirm(task: str) -> str:
        tries.append(task)
        if len(tries) == 1:
            raise ProviderUnavailableError("overloaded", status=503)
        return "booked"

    turn = await team([plan(("booking", "book", []))], Pipeline("booking", book >> confirm)).run("book")
    assert turn.answer == "booked"
    assert booked == ["room"]
    assert len(tries) == 2


@pytest.mark.parametrize("then", get_args(AfterFailure))
async def test_a_failed_step_undoes_its_own_work_and_leaves_that_of_completed_steps(then: AfterFailure) -> None:
    """O-23, F-9: the answer is written from what there is, so that must still be there."""
    world: list[str] = []

    def booking(name: str, *, is_failing: bool = False) -> Pipeline[str, str]:
        @action(mode="transactional", rollback=lambda _: world.remove(name), name=f"book-{name}")
        async def book(task: str) -> None:
            world.append(name)

        @step(name=f"confirm-{name}")
        async def confirm(task: str) -> str:
            if is_failing:
                raise ValueError(f"no {name}")
            return f"{name} is booked"

        return Pipeline(name, book >> confirm)

    turn = await team(
        [plan(("hotel", "book", []), ("flight", "book", [0])), Reply("There is a hotel, and no flight.")],
        booking("hotel"),
        booking("flight", is_failing=True),
        failure_policy=FailurePolicy(then=then),
    ).run("a trip")
    assert world == ["hotel"]
    assert turn.plan is not None
    assert [one.status for one in turn.plan.steps] == ["completed", "failed"]
    assert (turn.status, turn.plan.status) == ("success", "failed")
    assert turn.answer == "There is a hotel, and no flight."
