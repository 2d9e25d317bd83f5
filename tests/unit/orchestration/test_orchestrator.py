"""Turns: routing, plans, handoffs, failures, answers."""

import asyncio
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from batuta import Cancellation, Conversation, Message, Pipeline, action, step
from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionStarted,
    AgentHandoff,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Complete,
    ErrorOccurred,
    PlanCompleted,
    PlanGenerated,
    PlanStepCompleted,
    PlanStepStarted,
    ToolRequest,
    ToolResponse,
    Usage,
)
from batuta.kernel.errors import ConfigurationError, ProviderUnavailableError
from batuta.orchestration import (
    CannotHelpError,
    FailurePolicy,
    Orchestrator,
    Specialist,
    allow_below,
    allow_role,
    cannot_help,
)
from batuta.orchestration.orchestrator import Turn
from batuta.orchestration.plans import plan_from_events
from batuta.orchestration.state import AgentState, dump_state, load_state
from batuta.testing import FakeClock, Reply, ScriptedModel, ToolCall
from batuta.tools import ApprovalDecision, ApprovalRequest, ToolUser, tool
from tests.unit.orchestration.teams import agent, answer, plan, team


def kinds(turn: Turn) -> list[str]:
    return [event.type for event in turn.events if not event.is_internal]


def of(turn: Turn, kind: type[Any]) -> list[Any]:
    return [event for event in turn.events if isinstance(event, kind)]


async def test_the_supervisor_answers_what_needs_no_agent() -> None:
    """O-22."""
    turn = await team([answer("Hello!")], agent("erp", [])).run("hi")
    assert (turn.answer, turn.status, turn.plan) == ("Hello!", "success", None)
    (message,) = of(turn, AssistantMessage)
    assert (message.source_agent_id, message.model) == ("supervisor", "scripted")
    assert kinds(turn) == ["session_start", "user_message", "assistant_message", "complete"]


async def test_a_single_workers_answer_passes_through() -> None:
    """O-26."""
    turn = await team([plan(("erp", "look", []))], agent("erp", [Reply("Seven.")])).run("how many?")
    assert turn.answer == "Seven."
    assert [message.source_agent_id for message in of(turn, AssistantMessage)] == ["erp"]


async def test_independent_steps_run_side_by_side_and_results_are_handed_on() -> None:
    """O-23."""
    meeting = asyncio.Barrier(2)

    def specialist(name: str) -> Specialist:
        @step(name=name)
        async def work(task: str) -> str:
            await meeting.wait()
            return f"{name} did it"

        return Specialist(work, name=name.upper())

    tasks: list[str] = []

    @step
    async def last(task: str) -> str:
        tasks.append(task)
        return "merged"

    supervisor = [plan(("a", "do a", []), ("b", "do b", []), ("last", "merge", [0, 1])), Reply("All done [3].")]
    crew = team(supervisor, specialist("a"), specialist("b"), last)
    async with asyncio.timeout(5):
        turn = await crew.run("go")
    assert turn.answer == "All done [3]."
    assert tasks == ["merge\n\nResults of earlier steps:\n[1] A: a did it\n[2] B: b did it"]
    assert turn.plan is not None
    assert turn.plan.status == "completed"
    (last_word,) = [m for m in of(turn, AssistantMessage) if m.source_agent_id == "supervisor"]
    assert [(c.title, c.quote) for c in last_word.citations] == [
        ("A", "a did it"),
        ("B", "b did it"),
        ("LAST", "merged"),
    ]


async def test_the_life_cycle_of_a_plan_is_told_in_order_and_rebuilds_it() -> None:
    """O-11: the plan can be rebuilt from events alone."""
    supervisor = [plan(("erp", "look", []), ("rag", "read", [0])), Reply("done")]
    turn = await team(supervisor, agent("erp", [Reply("7")]), agent("rag", [Reply("8 %")])).run("q")
    told = [e for e in turn.events if isinstance(e, (PlanGenerated, PlanStepStarted, PlanStepCompleted, PlanCompleted))]
    assert [event.type for event in told] == [
        "plan_generated",
        "plan_step_started",
        "plan_step_completed",
        "plan_step_started",
        "plan_step_completed",
        "plan_completed",
    ]
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert turn.plan is not None
    assert [(s.status, s.result) for s in rebuilt.steps] == [(s.status, s.result) for s in turn.plan.steps]
    assert rebuilt.status == turn.plan.status


async def test_agents_of_a_specialist_work_for_the_trace_of_the_turn() -> None:
    """T-1: they are sub-agents; the supervisor is not."""
    turn = await team([plan(("erp", "stock?", []))], agent("erp", [Reply("7 left")])).run("How many?")
    supervisor, worker = of(turn, AgentExecutionStarted)
    assert (worker.agent_name, worker.parent_trace_id) == ("erp", supervisor.trace_id)
    assert (worker.trace_id, supervisor.parent_trace_id) == (supervisor.trace_id, None)


async def test_handoffs_are_records_and_events() -> None:
    supervisor = [plan(("erp", "look", []), ("rag", "read", [0])), Reply("done")]
    turn = await team(supervisor, agent("erp", [Reply("7")]), agent("rag", [Reply("8 %")])).run("q")
    assert [(h.from_agent_id, h.to_agent_id, h.reason) for h in turn.handoffs] == [
        ("supervisor", "erp", "plan_step"),
        ("supervisor", "rag", "plan_step"),
    ]
    assert [event.handoff_id for event in of(turn, AgentHandoff)] == [h.handoff_id for h in turn.handoffs]
    assert turn.state["handoff_history"] == list(turn.handoffs)


async def test_the_user_picks_an_agent() -> None:
    """O-21: directed; the supervisor is not called."""
    turn = await team([], agent("erp", [Reply("Seven.")])).run("how many?", target_agent_id="erp")
    assert (turn.answer, turn.mode) == ("Seven.", "directed")
    (decision,) = [d for d in of(turn, AgentDecisionRecorded) if d.decision_type == "routing"]
    assert decision.output_data == {"agent_id": "erp"}
    assert [h.reason for h in turn.handoffs] == ["user_request"]


async def test_without_bypass_the_supervisor_is_asked_and_limited() -> None:
    """O-13."""
    crew = team([plan(("erp", "look", []))], agent("erp", [Reply("Seven.")]))
    turn = await crew.run("how many?", target_agent_id="erp", bypass_routing=False)
    assert turn.answer == "Seven."
    assert turn.mode == "directed"


async def test_without_bypass_another_agent_is_a_mistake_that_is_corrected() -> None:
    """O-13: limited by code, not by asking nicely."""
    script = [plan(("rag", "look", [])), plan(("erp", "look", []))]
    crew = team(script, agent("erp", [Reply("Seven.")]), agent("rag", []))
    turn = await crew.run("how many?", target_agent_id="erp", bypass_routing=False)
    assert turn.answer == "Seven."
    assert [step.agent_id for step in of(turn, PlanGenerated)[0].steps] == ["erp"]


async def test_the_state_holds_what_was_done() -> None:
    """O-10, O-14: tools, model, identity, mode."""

    @tool(effect="read")
    async def count() -> str:
        """Count."""
        return "7"

    worker = agent("erp", [Reply(tool_calls=[ToolCall("count", {}, id="c1")]), Reply("Seven.")], tools=[count])
    turn = await team([plan(("erp", "look", []))], worker).run("how many?")
    (execution,) = turn.state["tool_executions"]
    assert (execution.tool_use_id, execution.tool_name, execution.result, execution.success) == (
        "c1",
        "count",
        "7",
        True,
    )
    assert turn.state["used_model"] == "scripted"
    assert turn.state["current_agent_identity"].agent_id == "erp"
    assert turn.state["operation_mode"] == "autonomous"
    assert load_state(dump_state(turn.state)) == turn.state


async def test_a_slash_command_goes_to_its_agent() -> None:
    """O-21."""
    worker = agent("erp", [Reply("Seven.")])
    turn = await team([], Specialist(worker, name="ERP", commands=("/erp",))).run("/erp how many?")
    assert turn.answer == "Seven."


@pytest.mark.parametrize("text", ["/docs\ninterest?", "/docs\tinterest?", "  /docs  interest?"])
async def test_a_slash_command_ends_at_any_white_space(text: str) -> None:
    worker = agent("rag", [lambda request: Reply(request.messages[-1].text)])
    assert (await team([], Specialist(worker, name="Docs", commands=("/docs",))).run(text)).answer == "interest?"


async def test_the_agent_that_the_user_picked_goes_before_a_slash_command() -> None:
    docs = Specialist(agent("rag", []), name="Docs", commands=("/docs",))
    turn = await team([plan(("erp", "look", []))], agent("erp", [Reply("seen")]), docs).run(
        "/docs look", target_agent_id="erp", bypass_routing=False
    )
    assert turn.answer == "seen"


async def test_an_unknown_target_is_an_error_that_names_the_team() -> None:
    turn = await team([], agent("erp", [])).run("x", target_agent_id="ghost")
    assert turn.status == "failed"
    assert turn.error is not None
    assert "erp" in turn.error.message
    assert of(turn, ErrorOccurred)


async def test_a_wrong_plan_is_corrected() -> None:
    """O-22: anything else goes through the correction loop."""
    wrong = [plan(("ghost", "x", [])), plan(("erp", "x", [1]), ("erp", "y", [0])), plan(("erp", "look", []))]
    turn = await team(wrong, agent("erp", [Reply("Seven.")])).run("q")
    assert turn.answer == "Seven."


async def test_a_supervisor_that_never_learns_fails_the_turn() -> None:
    turn = await team([plan(("ghost", "x", []))] * 3, agent("erp", [])).run("q")
    assert turn.status == "failed"
    assert kinds(turn)[-2:] == ["error", "complete"]


def failing(name: str, *errors: Exception | None) -> Any:
    outcomes = list(errors)

    @step(name=name)
    async def work(task: str) -> str:
        error = outcomes.pop(0)
        if error is not None:
            raise error
        return f"{name} did it"

    return work


async def test_a_transient_failure_is_tried_again() -> None:
    """O-23: once by default."""
    worker = failing("a", ProviderUnavailableError("503"), None)
    turn = await team([plan(("a", "x", []))], worker).run("q")
    assert turn.answer == "a did it"


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"failure_policy": {"stand_ins": {"erp": "ghost"}}}, "no agent 'ghost'; there are erp"),
        ({"failure_policy": {"stand_ins": {"erp": "erp"}}}, "cannot stand in for itself"),
        ({"failure_policy": {"retries": -1}}, "retries is 0 or more"),
        ({"failure_policy": {"then": "skip"}}, "one of skip_dependents, fail_plan"),
        ({"max_steps": 0}, "max_steps is at least 1"),
    ],
)
def test_a_team_that_could_not_work_is_refused(options: dict[str, Any], words: str) -> None:
    def build() -> None:
        policy = FailurePolicy(**options.pop("failure_policy", {}))
        team([], agent("erp", []), failure_policy=policy, **options)

    with pytest.raises(ConfigurationError, match=words):
        build()


async def test_a_worker_that_cannot_help_says_so_and_the_supervisor_decides() -> None:
    """O-24: workers never call workers."""
    supervisor = [plan(("a", "x", [])), Reply(json.dumps({"agent_id": "b", "reason": "b knows"}))]
    turn = await team(supervisor, failing("a", CannotHelpError("not mine")), failing("b", None)).run("q")
    assert turn.answer == "b did it"
    assert [(h.from_agent_id, h.to_agent_id, h.reason) for h in turn.handoffs][-1] == ("a", "b", "capability_match")


async def test_a_model_says_that_a_task_is_not_its_own_with_a_tool() -> None:
    """O-24: nothing more is asked of it, the call is answered in the log, and the supervisor decides."""
    supervisor = [plan(("a", "x", [])), Reply(json.dumps({"agent_id": "b", "reason": "b knows"}))]
    worker = agent("a", [Reply(tool_calls=[ToolCall("cannot_help", {"reason": "I know stock"})])], tools=[cannot_help])
    turn = await team(supervisor, worker, failing("b", None)).run("q")
    assert turn.answer == "b did it"
    last = turn.handoffs[-1]
    assert (last.from_agent_id, last.to_agent_id, last.reason) == ("a", "b", "capability_match")
    assert last.explanation == "I know stock"
    assert turn.plan is not None
    assert [s.agent_id for s in turn.plan.steps] == ["b"], "the plan names who did it"
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert [s.agent_id for s in rebuilt.steps] == ["b"], "and so do its events"
    assert turn.state["active_agent"] == "b"
    assert [event.content for event in of(turn, ToolResponse)] == ["I know stock"]


async def test_a_worker_answers_from_its_tools_first() -> None:
    """O-25: forced tool choice on the first call of a worker that has tools."""

    @tool
    async def stock(sku: str) -> int:
        """Stock."""
        return 7

    model = ScriptedModel([Reply(tool_calls=[ToolCall("stock", {"sku": "A"})]), Reply("Seven.")])
    worker = agent("erp", [], tools=[stock])
    with worker.override(model=model):
        turn = await team([plan(("erp", "look", []))], worker).run("q")
    assert turn.answer == "Seven."
    assert [request.tool_choice for request in model.requests] == ["required", "auto"]
    assert {event.source_agent_id for event in of(turn, ToolRequest)} == {"erp"}


async def test_a_turn_can_be_stopped_at_once() -> None:
    """O-2, O-23: the user can cancel a running plan."""
    begun = asyncio.Event()

    @step
    async def slow(task: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    handle = Cancellation()
    running = asyncio.create_task(team([plan(("slow", "x", []))], slow).run("q", cancellation=handle))
    await begun.wait()
    handle.cancel()
    turn = await running
    assert turn.status == "cancelled"
    assert of(turn, Complete)[-1].status == "cancelled"
    assert of(turn, PlanCompleted)[-1].status == "cancelled"
    assert [settled.status for settled in of(turn, PlanStepCompleted)] == ["skipped"]
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert turn.plan is not None
    assert (rebuilt.status, rebuilt.is_settled) == (turn.plan.status, turn.plan.is_settled) == ("cancelled", True)


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


def payer() -> Any:
    def last(request: Any) -> Reply:
        return Reply(request.tool_results[-1].content)

    return agent("bank", [Reply(tool_calls=[ToolCall("pay", {"amount": 200})]), last], tools=[pay])


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


async def test_usage_adds_up_over_everybody() -> None:
    """O-27."""
    used = Usage(input=10, output=2)
    supervisor = [Reply(plan(("erp", "x", [])).text, usage=used)]
    turn = await team(supervisor, agent("erp", [Reply("7", usage=used)])).run("q")
    assert turn.usage == Usage(input=20, output=4)
    assert of(turn, Complete)[0].usage == turn.usage


async def test_the_supervisor_sees_what_was_said_and_the_turn_joins_it() -> None:
    conversation = Conversation([Message.user("I am Ana."), Message.assistant("Hello Ana.")])
    model = ScriptedModel([answer("You are Ana.")])
    crew = team([], agent("erp", []))
    with crew.supervisor.plan.override(model=model):
        await crew.run("Who am I?", conversation=conversation)
    assert [m.text for m in model.requests[0].messages] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert [m.text for m in conversation.messages][-2:] == ["Who am I?", "You are Ana."]


async def test_a_langgraph_graph_is_a_specialist() -> None:
    """O-14: what it returns is told as events attributed to it."""

    async def think(state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage("From the graph.", response_metadata={"model_name": "m-1"})]}

    graph = StateGraph(AgentState).add_node("think", think).add_edge(START, "think").add_edge("think", END).compile()
    foreign = Specialist(graph, name="Graph", agent_id="graph", effect="read")
    turn = await team([plan(("graph", "x", []))], foreign).run("q")
    assert turn.answer == "From the graph."
    (message,) = of(turn, AssistantMessage)
    assert (message.source_agent_id, message.content) == ("graph", "From the graph.")


async def test_a_graph_that_says_nothing_fails_with_what_to_do() -> None:
    async def keep(state: AgentState) -> dict[str, Any]:
        return {"context": {"answer": "42"}}

    graph = StateGraph(AgentState).add_node("keep", keep).add_edge(START, "keep").add_edge("keep", END).compile()
    turn = await team([], Specialist(graph, name="Graph", agent_id="graph")).run("q", target_agent_id="graph")
    # What it was asked is no answer.
    assert turn.status == "failed"
    assert turn.error is not None
    assert "answers there" in turn.error.message


def test_what_cannot_be_a_specialist_is_refused_with_a_reason() -> None:
    @step
    async def wrong(number: int) -> str:
        return ""

    for work in (wrong, object()):
        with pytest.raises(ConfigurationError):
            Specialist(work, name="X")
    with pytest.raises(ConfigurationError, match=r"a card has no colour; it has .*color"):
        Specialist(agent("a", []), name="X", colour="#0EA5E9")
    silent = StateGraph(AgentState).add_node("think", lambda state: {}).add_edge(START, "think").compile()
    with pytest.raises(ConfigurationError, match="one of read, idempotent, write"):
        Specialist(silent, name="X", effect="writes")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="made of specialists"):
        Orchestrator(supervisor=ScriptedModel([]), agents=[wrong])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="more than one word"):
        team([], Specialist(agent("a", []), name="A", commands=("/a b",)))
    with pytest.raises(ConfigurationError, match="another agent_id"):
        team([], agent("a", []), agent("a", []))


async def test_two_turns_at_the_same_time_never_see_each_other() -> None:
    """O-1: all mutable state belongs to the turn."""

    @step
    async def echo(task: str) -> str:
        await asyncio.sleep(0)
        return f"echo {task}"

    class Echoes:
        provider, name = "scripted", "echo"

        async def generate(self, request: Any) -> Any:
            task = request.messages[-1].text
            return ScriptedModel([plan(("echo", task, []))])._answer(plan(("echo", task, [])))

        def stream(self, request: Any) -> Any:
            raise NotImplementedError

    crew = team([], echo)
    with crew.supervisor.plan.override(model=Echoes()):
        turns = await asyncio.gather(*(crew.run(f"canary-{n}") for n in range(50)))
    for n, turn in enumerate(turns):
        assert turn.answer == f"echo canary-{n}"
        told = "".join(event.model_dump_json() for event in turn.events)
        assert not any(f'canary-{other}"' in told for other in range(50) if other != n)


async def test_a_graph_that_interrupts_is_told_what_to_do_instead() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("ask", lambda _: interrupt("may I?"))
    graph.add_edge(START, "ask")
    turn = await team([], Specialist(graph.compile(), name="G", agent_id="g", commands=("/g",))).run("/g hi")
    assert turn.error is not None
    assert "g called interrupt()" in turn.error.message
    assert 'approval="always"' in turn.error.message


@pytest.mark.parametrize(("amount", "is_allowed"), [(-5, False), (0, True), (100, True), (101, False)])
def test_a_small_amount_is_neither_negative_nor_above_the_limit(amount: int, *, is_allowed: bool) -> None:
    request = ApprovalRequest(tool_use_id="1", tool_name="pay", args={"amount": amount})
    assert (allow_below("pay", "amount", 100)(request) is not None) is is_allowed
