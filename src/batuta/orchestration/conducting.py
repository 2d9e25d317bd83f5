"""One turn, conducted: the mutable state of a turn lives here and nowhere else.

    route ─┬─ directed, or a command ─────────────▶ one agent ─────────────▶ end
           └─ supervise ─┬─ an answer ─────────────────────────────────────▶ end
                         └─ a plan ─▶ execute ─▶ conclude (several steps) ─▶ end

The graph is LangGraph's, built once per team; its nodes are methods of the conductor that each turn brings as context.
Handoffs are records in the state and events for observers.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END
from langgraph.types import Command

from batuta.events.conversation import AssistantMessage
from batuta.events.envelope import Event
from batuta.events.plans import AgentIdentity, HandoffReason
from batuta.events.runtime import LlmResponse
from batuta.kernel.errors import LogicalError, StepFailedError, Suspended
from batuta.kernel.ids import MessageId
from batuta.orchestration.attached import ATTACHED_CONTEXT_SERVICE, AttachedContext
from batuta.orchestration.conclusion import Conclusion, conclusion_of
from batuta.orchestration.plan_execution import PlanExecution
from batuta.orchestration.plans import Plan, PlanStep
from batuta.orchestration.specialist import SUPERVISOR_ID, AgentRegistry
from batuta.orchestration.state import (
    AgentState,
    DirectedModeContext,
    OperationMode,
    executions_in,
    is_directed,
    new_state,
)
from batuta.orchestration.supervisor import DirectAnswer, Supervisor, plan_of
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.scope import Scope
from batuta.pipelines.step import Step
from batuta.tools.context import LANGUAGE_SERVICE

if TYPE_CHECKING:
    from batuta.orchestration.orchestrator import Orchestrator

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from batuta.events.plans import AgentChanged, AgentHandoff
from batuta.orchestration.state import ORCHESTRATOR, HandoffRecord

T = TypeVar("T")

_NO_SUCH_COMMAND = {
    "en": "There is no command {command}. There are: {known}. Without the slash it is read as a message.",
    "es": "No existe el comando {command}. Existen: {known}. Sin la barra se lee como un mensaje.",
}

SUPERVISOR = AgentIdentity(agent_id=SUPERVISOR_ID, agent_name="Supervisor", agent_icon="🎼", agent_color="#8B5CF6")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """What a person asks for in one turn."""

    text: str
    target_agent_id: str | None = None
    bypass_routing: bool = True


class Handoffs:
    """The handoffs of one turn."""

    def __init__(self) -> None:
        self.records: list[HandoffRecord] = []
        self.current: AgentIdentity = ORCHESTRATOR

    async def hand_over(
        self,
        ctx: Context,
        giver: AgentIdentity,
        taker: AgentIdentity,
        reason: HandoffReason,
        *,
        explanation: str | None = None,
        plan_step_id: str | None = None,
    ) -> None:
        """Record a handoff, emit it, and change who acts."""
        record = HandoffRecord(
            handoff_id=ctx.stable_id(f"handoff:{plan_step_id or taker.agent_id}:{reason}"),
            from_agent_id=giver.agent_id,
            to_agent_id=taker.agent_id,
            reason=reason,
            explanation=explanation,
            plan_step_id=plan_step_id,
            timestamp=ctx.now,
        )
        self.records.append(record)
        await ctx.emit(
            AgentHandoff(
                handoff_id=record.handoff_id,
                from_agent=giver,
                to_agent=taker,
                reason=reason,
                explanation=explanation,
                plan_step_id=plan_step_id,
                source_agent_id=giver.agent_id,
            )
        )
        await self.become(ctx, taker)

    async def become(self, ctx: Context, who: AgentIdentity) -> None:
        """Another agent acts now."""
        if who.agent_id == self.current.agent_id:
            return
        before, self.current = self.current, who
        await ctx.emit(AgentChanged(previous_agent=before, current_agent=who, source_agent_id=who.agent_id))


@dataclass(slots=True)
class Conductor:
    """Conducts one turn: made for it, passed along, gone with it."""

    team: "Orchestrator"
    request: TurnRequest
    ctx: Context
    history: Sequence[Event]
    """The events of the turn so far."""
    handoffs: Handoffs = field(default_factory=Handoffs)
    mode: OperationMode = "autonomous"
    execution: PlanExecution | None = None
    suspended: Suspended | None = None
    state: AgentState = field(default_factory=new_state)

    @property
    def plan(self) -> Plan | None:
        """The plan, as far as it has come."""
        return self.execution.plan if self.execution is not None else None

    @property
    def attached(self) -> AttachedContext | None:
        """What the files of the message say."""
        found = self.ctx.services.get(ATTACHED_CONTEXT_SERVICE)
        return found if isinstance(found, AttachedContext) else None

    @property
    def registry(self) -> AgentRegistry:
        """The team's members."""
        return self.team.registry

    @property
    def supervisor(self) -> Supervisor:
        """The team's supervisor."""
        return self.team.supervisor

    async def conduct(self) -> str:
        """The answer of the turn."""
        self.state = await self.team.graph.ainvoke(self._opening(), context=self, config={"recursion_limit": 20})
        if self.suspended is not None:
            raise self.suspended
        last = self.state["messages"][-1]
        return str(last.content)

    async def stop(self) -> None:
        """The turn goes no further, and so does its plan."""
        if self.execution is not None:
            await self.execution.stop(self.ctx)

    def close(self) -> None:
        """The turn is over: let go of the execution of its plan, which knows this conductor."""
        self.execution = None

    # the nodes of the graph

    async def route(self, state: AgentState) -> Command[Any]:
        """Directed first, then a slash command, then the supervisor."""
        if self.attached is not None:
            await self.ctx.decide("attached_files", category="context", output_data=self.attached.record)
        if is_directed(state) and self._directed(state).bypass_routing:
            return await self._decided("direct", self._directed(state).target_agent_id, "the user chose the agent")
        command = self.registry.for_command(self.request.text)
        if command is not None and not is_directed(state):
            return await self._decided("direct", command[0], f"the command means {command[0]}")
        return Command(goto="supervise")

    async def direct(self, state: AgentState) -> Command[Any]:
        """One agent answers; the supervisor is not asked."""
        target = state["active_agent"]
        command = self.registry.for_command(self.request.text)
        task = command[1] if command is not None and command[0] == target else self.request.text
        await self.hand_over(self.ctx, self.handoffs.current.agent_id, target, "user_request", None, None)

        async def work() -> Command[Any]:
            answer = await self.ctx.invoke(self.registry[target].step, task or self.request.text)
            return self._answered(answer, target)

        return await self._suspendable(work)

    async def supervise(self, state: AgentState) -> Command[Any]:
        """The supervisor answers, or proposes a plan that code has checked."""
        await self.handoffs.become(self.ctx, SUPERVISOR)
        unknown = None if is_directed(state) else self.registry.unknown_command(self.request.text)
        if unknown is not None:
            return await self._no_such_command(unknown)
        supervisor = self.supervisor
        # Limited by code to the agent that the user asked for.
        planner = supervisor.limited[self._directed(state).target_agent_id] if is_directed(state) else supervisor.plan
        parts = [self.request.text]
        if is_directed(state):
            parts.append(f"(Use only the agent {self._directed(state).target_agent_id}.)")
        if self.attached is not None:
            parts.append(self.attached.prompt)
        proposal = await self._ask(planner, "\n\n".join(parts))
        if isinstance(proposal.decision, DirectAnswer):
            await self.ctx.emit(
                AssistantMessage(
                    content=proposal.decision.answer,
                    model=proposal.answer.model,
                    usage=proposal.answer.usage,
                    cost=proposal.answer.cost,
                    source_agent_id=SUPERVISOR_ID,
                    message_id=MessageId(self.ctx.stable_id("answer")),
                )
            )
            return self._answered(proposal.decision.answer, SUPERVISOR_ID)
        plan = plan_of(proposal.decision, self.request.text, self.ctx)
        return Command(goto="execute", update={"plan": plan, "active_agent": SUPERVISOR_ID})

    async def _no_such_command(self, command: str) -> Command[Any]:
        """Code answers a slash command that no agent has: the model would take it for words."""
        language = str(self.ctx.services.get(LANGUAGE_SERVICE, "en")).partition("-")[0]
        words = _NO_SUCH_COMMAND.get(language, _NO_SUCH_COMMAND["en"])
        answer = words.format(command=command, known=", ".join(self.registry.commands))
        message_id = MessageId(self.ctx.stable_id("answer"))
        await self.ctx.emit(AssistantMessage(content=answer, source_agent_id=SUPERVISOR_ID, message_id=message_id))
        return self._answered(answer, SUPERVISOR_ID)

    async def execute(self, state: AgentState) -> Command[Any]:
        """Run the plan."""
        assert state["plan"] is not None
        execution = self.execution = PlanExecution(state["plan"], self, self.team.failure_policy)

        async def work() -> Command[Any]:
            plan = await execution.run(self.ctx)
            if len(plan.steps) == 1 and plan.status == "completed":
                return self._answered(plan.steps[0].result or "", plan.steps[0].agent_id)
            return Command(goto="conclude", update={"plan": plan})

        return await self._suspendable(work)

    async def conclude(self, state: AgentState) -> Command[Any]:
        """The supervisor writes the answer from the results, citing their sources."""
        plan = state["plan"]
        assert plan is not None
        await self.handoffs.become(self.ctx, SUPERVISOR)
        conclusion = conclusion_of(plan, self.registry.names, self.history)
        answer = await self._ask(self.supervisor.conclude, conclusion.prompt, conclusion=conclusion)
        return self._answered(answer, SUPERVISOR_ID)

    # what nodes and plans share

    async def hand_over(
        self,
        ctx: Context,
        giver: str,
        taker: str,
        reason: HandoffReason,
        explanation: str | None,
        plan_step_id: str | None,
    ) -> None:
        """Hand work from one agent to another, by their ids."""
        await self.handoffs.hand_over(
            ctx,
            self._identity(giver),
            self._identity(taker),
            reason,
            explanation=explanation,
            plan_step_id=plan_step_id,
        )

    async def reassign(self, step: PlanStep, reason: str, ctx: Context) -> str | None:
        """Ask the supervisor who takes a task that its worker cannot do."""
        question = f"The task: {step.task}\n{step.agent_id} says: {reason}"
        try:
            choice = await self._ask(self.supervisor.reassign, question, ctx=ctx)
        except StepFailedError:
            return None
        if choice.agent_id is None or choice.agent_id not in self.registry or choice.agent_id == step.agent_id:
            return None
        await self.hand_over(ctx, step.agent_id, choice.agent_id, "capability_match", reason, step.step_id)
        return choice.agent_id

    def _opening(self) -> AgentState:
        target = self.request.target_agent_id
        if target is not None and target not in self.registry:
            known = ", ".join(self.registry.names)
            raise LogicalError(f"there is no agent {target!r} to direct the request to; there are {known}")
        self.mode = "autonomous" if target is None else "directed"
        directed = (
            None
            if target is None
            else DirectedModeContext(target_agent_id=target, bypass_routing=self.request.bypass_routing)
        )
        return new_state(
            messages=[HumanMessage(self.request.text)],
            operation_mode=self.mode,
            directed_mode_context=directed,
        )

    async def _decided(self, node: str, agent_id: str, why: str) -> Command[Any]:
        await self.ctx.decide(
            "routing",
            category="routing",
            reasoning=why,
            input_data={"request": self.request.text},
            output_data={"agent_id": agent_id},
        )
        return Command(goto=node, update={"active_agent": agent_id})

    def _answered(self, answer: str, agent_id: str) -> Command[Any]:
        return Command(
            goto=END,
            update={
                "messages": [AIMessage(answer, name=agent_id)],
                "active_agent": agent_id,
                "plan": self.plan,
                "current_agent_identity": self._identity(agent_id),
                **self._so_far(),
            },
        )

    def _so_far(self) -> dict[str, Any]:
        """What all agents did in this turn, for the state."""
        models = [event.model for event in self.history if isinstance(event, (AssistantMessage, LlmResponse))]
        return {
            "handoff_history": self.handoffs.records,
            "tool_executions": executions_in(self.history),
            "used_model": next((model for model in reversed(models) if model != "unknown"), None),
        }

    async def _suspendable(self, work: Callable[[], Awaitable[Command[Any]]]) -> Command[Any]:
        """Work that may suspend: LangGraph must not see that as an error of its own."""
        try:
            return await work()
        except Suspended as suspended:
            self.suspended = suspended
            return Command(goto=END, update={"plan": self.plan, **self._so_far()})

    async def _ask(
        self, step: Step[str, T], question: str, *, conclusion: Conclusion | None = None, ctx: Context | None = None
    ) -> T:
        """Ask the supervisor something, in its name; its last words cite the sources of the plan's results."""
        around = ctx or self.ctx
        scope = Scope(None, invocation_of(around).scope, SUPERVISOR_ID, understanding=self.registry.understanding)
        if conclusion is not None:
            scope.cite, scope.check = conclusion.cite, conclusion.check
        try:
            return await invocation_of(around).within(scope).invoke(step, question)
        finally:
            scope.close()

    @staticmethod
    def _directed(state: AgentState) -> DirectedModeContext:
        directed = state["directed_mode_context"]
        assert directed is not None
        return directed

    def _identity(self, agent_id: str) -> AgentIdentity:
        if agent_id in self.registry:
            return self.registry[agent_id].card.identity
        return SUPERVISOR if agent_id == SUPERVISOR_ID else self.handoffs.current


def build_graph() -> Any:
    """The compiled graph of a turn."""
    graph = StateGraph(AgentState, context_schema=Conductor)
    for node in (Conductor.route, Conductor.direct, Conductor.supervise, Conductor.execute, Conductor.conclude):
        graph.add_node(node.__name__, _node(node))
    graph.add_edge(START, "route")
    return graph.compile(name="batuta_turn")


def _node(method: Callable[[Conductor, AgentState], Awaitable[Any]]) -> Any:
    async def run(state: AgentState, runtime: Runtime[Conductor]) -> Any:
        return await method(runtime.context, state)

    return run
