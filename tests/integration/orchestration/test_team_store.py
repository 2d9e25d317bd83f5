"""A team's store in one object, as a user of the library wires a durable team (O-2, O-4, O-30)."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from batuta import AgentStep, step
from batuta.events import (
    ApprovalRequested,
    AssistantMessage,
    Complete,
    ErrorOccurred,
    ToolRequest,
    UserMessage,
)
from batuta.events.queue import Lease, WorkStatus
from batuta.eventstore.teams import TeamStore, open_team_store
from batuta.kernel.errors import ConflictError, LogicalError
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist, TurnWorker, WorkerSettings, worker
from batuta.pipelines.options import RunOptions
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import ApprovalDecision, ToolContext, ToolUser, tool
from tests.integration.orchestration.crew import Ledger, build


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[TeamStore]:
    async with open_team_store(tmp_path / "team.db") as opened:
        yield opened


@step
async def echo(task: str) -> str:
    return f"echo {task}"


def echoing() -> Orchestrator:
    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(echo, name="Echo")])


async def test_a_message_is_a_turn_that_a_worker_answers(store: TeamStore) -> None:
    session, live = new_id(), CapturingSink()
    turn_id = await store.say(session, "hello", target_agent_id="echo")
    assert await TurnWorker.at(store, echoing(), live=live).run_until_idle() == 1
    events = await store.events(session)
    assert [event.content for event in events if isinstance(event, UserMessage)] == ["hello"]
    assert [event.content for event in events if isinstance(event, AssistantMessage)] == ["echo hello"]
    assert {event.turn_id for event in events} == {turn_id}
    assert live.of(AssistantMessage)


async def test_a_message_that_says_nothing_is_refused(store: TeamStore) -> None:
    session = new_id()
    with pytest.raises(LogicalError, match="a message says something"):
        await store.say(session, " \n")
    assert await store.events(session) == []


async def test_a_message_for_an_agent_that_the_team_does_not_have_is_answered_by_who_there_is(store: TeamStore) -> None:
    """The store knows no team: the worker that takes the turn says so in the turn, and goes on with the next."""
    session = new_id()
    turn_id = await store.say(session, "hello", target_agent_id="ecco")
    await store.say(session, "hello", target_agent_id="echo")
    assert await TurnWorker.at(store, echoing()).run_until_idle() == 2
    work = await store.queue.get(turn_id)
    assert work is not None
    assert work.status is WorkStatus.FAILED
    events = await store.events(session)
    (error,) = [event for event in events if isinstance(event, ErrorOccurred)]
    assert error.message == "there is no agent 'ecco' to direct the request to; there are echo"
    assert [event.status for event in events if isinstance(event, Complete)] == ["failed", "success"]


async def test_the_same_message_sent_twice_is_one_turn(store: TeamStore) -> None:
    session = new_id()
    first = await store.say(session, "hello", target_agent_id="echo", client_key="m1")
    again = await store.say(session, "hello", target_agent_id="echo", client_key="m1")
    assert first == again
    assert await TurnWorker.at(store, echoing()).run_until_idle() == 1


async def test_a_turn_goes_on_in_another_process_with_the_same_file(tmp_path: Path) -> None:
    path, session = tmp_path / "team.db", new_id()
    async with open_team_store(path) as store:
        turn_id = await store.say(session, "hello", target_agent_id="echo")
    async with open_team_store(path) as store:
        await TurnWorker.at(store, echoing()).run_until_idle()
        work = await store.queue.get(turn_id)
        assert work is not None
        assert work.status is WorkStatus.COMPLETED


async def test_edited_arguments_are_what_is_executed(store: TeamStore) -> None:
    """O-30: the decision resumes the turn; a call is made once."""
    ledger, session = Ledger(), new_id()
    await store.say(session, "go")
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    (asked,) = await store.waiting(session)
    assert asked.args == {"day": "monday"}
    await store.decide(asked, ApprovalDecision.edit({"day": "tuesday"}, by="ana"))
    assert await store.waiting(session) == []
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    assert any("booked tuesday" in event.model_dump_json() for event in await store.events(session))
    assert set(ledger.writes.values()) == {1}


async def test_what_people_say_and_decide_is_in_the_trace_of_the_turn(store: TeamStore) -> None:
    """T-25: whoever looks for the trace finds the question and the decision in it."""
    session = new_id()
    await store.say(session, "go")
    await TurnWorker.at(store, build(Ledger())).run_until_idle()
    (asked,) = await store.waiting(session)
    await store.decide(asked, ApprovalDecision.approve(by="ana"))
    events = await store.events(session)
    assert [event.type for event in (events[0], events[-1])] == ["user_message", "approval_resolved"]
    assert {(event.correlation_id, event.trace_id) for event in events} == {(asked.correlation_id, asked.trace_id)}


async def test_an_edit_that_does_not_fit_is_asked_about_again(store: TeamStore) -> None:
    """O-30: a mistake in an edit does not use up the decision; the next question says what is wrong."""
    ledger, session = Ledger(), new_id()
    turn = await store.say(session, "go")
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    (first,) = await store.waiting(session)
    await store.decide(first, ApprovalDecision.edit({"day": 7}, by="ana"))
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    (again,) = await store.waiting(session)
    assert again.approval_id != first.approval_id
    assert again.args == {"day": "monday"}
    assert "day" in again.reason
    assert "Decide again" in again.reason
    await store.decide(again, ApprovalDecision.edit({"day": "tuesday"}, by="ana"))
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    assert any("booked tuesday" in event.model_dump_json() for event in await store.events(session))
    assert [count for key, count in ledger.writes.items() if key.startswith("book ")] == [1]
    work = await store.queue.get(turn)
    assert work is not None
    assert work.status is WorkStatus.COMPLETED


async def test_a_question_that_was_never_asked_cannot_be_decided(store: TeamStore) -> None:
    session = new_id()
    await store.say(session, "go")
    await TurnWorker.at(store, build(Ledger())).run_until_idle()
    (asked,) = await store.waiting(session)
    made_up = asked.model_copy(update={"approval_id": new_id()})
    with pytest.raises(ConflictError, match=f"{made_up.approval_id} was asked for in no turn here"):
        await store.decide(made_up, ApprovalDecision.approve(by="eve"))
    assert await store.waiting(session) == [asked]


async def test_the_first_decision_counts(store: TeamStore) -> None:
    session = new_id()
    await store.say(session, "go")
    await TurnWorker.at(store, build(Ledger())).run_until_idle()
    (asked,) = await store.waiting(session)
    await store.decide(asked, ApprovalDecision.approve(by="ana"))
    await store.decide(asked, ApprovalDecision.approve(by="ana"))
    with pytest.raises(ConflictError, match="book was decided otherwise already"):
        await store.decide(asked, ApprovalDecision.reject("no", by="eve"))


async def test_an_approval_of_no_turn_cannot_be_decided(store: TeamStore) -> None:
    alone = ApprovalRequested(approval_id=new_id(), tool_use_id="1", tool_name="book", args={}, reason="")
    with pytest.raises(ConflictError, match="was asked for in no turn here"):
        await store.decide(alone, ApprovalDecision.approve())


async def test_the_user_and_their_roles_reach_the_tools(store: TeamStore) -> None:
    seen: list[ToolUser] = []

    @tool(effect="read", roles={"buyer"})
    async def who(ctx: ToolContext) -> str:
        """Who asks."""
        seen.append(ctx.user)
        return "you"

    model = ScriptedModel([Reply(tool_calls=[ToolCall("who")]), Reply("you")])
    clerk = AgentStep(name="clerk", model=model, output=str, tools=[who])
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(clerk, name="Clerk")])
    session, ana = new_id(), ToolUser(id="ana", roles=frozenset({"buyer"}))
    await store.say(session, "who am I?", target_agent_id="clerk", user=ana)
    await TurnWorker.at(store, team).run_until_idle()
    assert seen == [ana]
    assert any(isinstance(event, ToolRequest) for event in await store.events(session))


def test_two_workers_never_share_a_name_by_default() -> None:
    assert WorkerSettings().owner != WorkerSettings().owner


async def test_a_turn_that_breaks_every_time_ends_for_its_user_and_can_be_revived(
    store: TeamStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I9: nobody waits for ever; who mends the cause has the turn answered after all."""
    monkeypatch.setattr(worker, "RETRY_DELAY", timedelta())
    session = new_id()
    turn_id = await store.say(session, "hello", target_agent_id="echo")

    def broken(lease: Lease) -> RunOptions:
        raise RuntimeError("no key")

    await TurnWorker.at(store, echoing(), WorkerSettings(options=broken)).run_until_idle()
    _, failure, end = await store.events(session)
    assert isinstance(failure, ErrorOccurred)
    assert failure.message == "the turn was given up after 5 attempts: no key"
    assert isinstance(end, Complete)
    assert end.status == "failed"
    assert not await store.stop(turn_id), "it is over"
    assert await store.queue.revive(turn_id)
    await TurnWorker.at(store, echoing()).run_until_idle()
    events = await store.events(session)
    assert [event.content for event in events if isinstance(event, AssistantMessage)] == ["echo hello"]
    assert [event.status for event in events if isinstance(event, Complete)] == ["failed", "success"]
