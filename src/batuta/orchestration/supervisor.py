"""The supervisor: proposes a typed plan or answers itself, reassigns what a worker cannot do, writes the last word.

What it proposes is checked by code before anything runs; a wrong proposal is a structural failure that the agent
corrects.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, model_validator

from batuta.events.plans import ExpectedOutput
from batuta.kernel.messages import Answer
from batuta.llm.model import Model, ModelSettings
from batuta.orchestration.plans import Plan, PlanStep
from batuta.orchestration.specialist import SUPERVISOR_ID, AgentRegistry
from batuta.pipelines.context import Context, invocation_of
from batuta.steps.agent import AgentStep, In_contra, Out_co

MAX_PLAN_STEPS = 20
RESULTS_HEADING = "Results of earlier steps:"


class ProposedStep(BaseModel):
    """A step as the supervisor proposes it; `depends_on` holds positions of earlier steps."""

    model_config = ConfigDict(extra="forbid")

    agent_id: str
    task: str
    depends_on: list[int] = []
    expected_output: ExpectedOutput | None = None


class ProposedPlan(BaseModel):
    """What agents do; the answer comes when they have."""

    model_config = ConfigDict(extra="forbid")

    steps: list[ProposedStep]


class DirectAnswer(BaseModel):
    """The answer itself, if no agent is needed."""

    model_config = ConfigDict(extra="forbid")

    answer: str


def _form_of(given: Any) -> str | None:
    """Which of the two a decision is, as it was given or as it was read."""
    if isinstance(given, BaseModel):
        return "plan" if isinstance(given, ProposedPlan) else "answer"
    fields = given if isinstance(given, dict) else ()
    return "plan" if "steps" in fields else "answer" if "answer" in fields else None


class Decision(BaseModel):
    """Steps or an answer, never both: the schema has no place for the other."""

    model_config = ConfigDict(extra="forbid")

    decision: Annotated[
        Annotated[ProposedPlan, Tag("plan")] | Annotated[DirectAnswer, Tag("answer")],
        Discriminator(_form_of, custom_error_type="form", custom_error_message='give either "steps" or "answer"'),
    ]

    known_agents: ClassVar[frozenset[str]] = frozenset()
    max_steps: ClassVar[int] = MAX_PLAN_STEPS

    @model_validator(mode="before")
    @classmethod
    def _plain_meaning(cls, given: Any) -> Any:
        """Take what is clearly meant: a decision without its cover, words beside steps, which announce the plan, and
        an empty field, which says nothing.
        """
        if not isinstance(given, dict):
            return given
        covered = given.get("decision")
        meant = covered if isinstance(covered, dict) else {**given, "decision": None}
        said = {name: value for name, value in meant.items() if value not in (None, "", [])}
        if "steps" in said:
            said.pop("answer", None)
        return {"decision": said}

    @model_validator(mode="after")
    def _check(self) -> "Decision":
        """Say everything that is wrong at once."""
        problems = list(self._problems())
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _problems(self) -> Iterator[str]:
        if isinstance(self.decision, DirectAnswer):
            if not self.decision.answer.strip():
                yield "the answer is empty"
            return
        steps = self.decision.steps
        if not 1 <= len(steps) <= self.max_steps:
            yield f"a plan has 1 to {self.max_steps} steps, not {len(steps)}"
        for index, step in enumerate(steps):
            if step.agent_id not in self.known_agents:
                known = ", ".join(sorted(self.known_agents))
                yield f"step {index}: there is no agent {step.agent_id!r}; there are {known}"
            if not step.task.strip():
                yield f"step {index}: the task is empty"
            for other in step.depends_on:
                if not 0 <= other < len(steps) or other == index:
                    yield f"step {index}: it cannot depend on step {other}"
        if _has_cycle(steps):
            yield "the dependencies go in a circle"


class Reassignment(BaseModel):
    """Who takes over a task, if any agent does."""

    agent_id: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A checked decision, and what it took."""

    decision: ProposedPlan | DirectAnswer
    answer: Answer


class _Aside(AgentStep[In_contra, Out_co]):
    """What a supervisor is asked by code is no part of the conversation: the turn remembers its request and its answer
    itself.
    """

    remembers = False


class _Planner(_Aside[str, Proposal]):
    """Gives the decision together with the answer it stood in: a direct answer reports its model and tokens."""

    def finished(self, output: Any, value: Any, answer: Answer) -> Proposal:
        """The proposal."""
        return Proposal(decision=output.decision, answer=answer)


class Supervisor:
    """The three things a supervisor is asked."""

    def __init__(
        self,
        model: Model | str,
        registry: AgentRegistry,
        *,
        instructions: str = "",
        settings: ModelSettings | None = None,
        max_steps: int = MAX_PLAN_STEPS,
        is_streaming: bool = False,
    ) -> None:
        shared: dict[str, Any] = {"model": model, "settings": settings or ModelSettings()}
        cards = _cards_text(registry)
        agent_ids = frozenset(card.agent_id for card in registry.cards)
        planning = "\n\n".join(part for part in (instructions, _PLAN_INSTRUCTIONS, cards) if part)
        self.plan = _planner(decision_type(agent_ids, max_steps), planning, shared)
        self.limited = {
            agent_id: _planner(decision_type(frozenset({agent_id}), max_steps), planning, shared)
            for agent_id in agent_ids
        }
        """For requests that are meant for one agent: any other agent is a mistake to be corrected."""
        self.reassign: AgentStep[str, Reassignment] = _Aside(
            name="reassign",
            output=Reassignment,
            instructions=f"{_REASSIGN_INSTRUCTIONS}\n\n{cards}",
            decision_type="reassignment",
            is_speaking=False,
            **shared,
        )
        self.conclude: AgentStep[str, str] = _Aside(
            name="conclude",
            output=str,
            instructions="\n\n".join(part for part in (instructions, _CONCLUDE_INSTRUCTIONS) if part),
            is_streaming=is_streaming,
            validate=_checked_by_the_turn,
            **shared,
        )


async def _checked_by_the_turn(answer: str, ctx: Context) -> None:
    """The supervisor's steps serve every turn; what an answer may say depends on the one it is asked in."""
    asker = invocation_of(ctx).scope.parent
    if asker is not None and asker.check is not None:
        asker.check(answer)


def _planner(output: type[Decision], instructions: str, shared: dict[str, Any]) -> _Planner:
    planner = _Planner(
        name=SUPERVISOR_ID,
        output=output,
        instructions=instructions,
        decision_type="planning",
        decision_category="planning",
        is_speaking=False,
        **shared,
    )
    planner.output_type = Proposal
    return planner


def decision_type(known_agents: frozenset[str], max_steps: int) -> type[Decision]:
    """The structure of a decision for one team."""
    return type("Decision", (Decision,), {"known_agents": known_agents, "max_steps": max_steps, "__module__": __name__})


def plan_of(proposed: ProposedPlan, query: str, ctx: Context) -> Plan:
    """A checked proposal as a plan, with ids that are the same whenever the turn is run again."""
    steps = proposed.steps
    ids = [ctx.stable_id(f"plan-step:{index}") for index in range(len(steps))]
    now = ctx.now
    return Plan(
        plan_id=ctx.stable_id("plan"),
        query=query,
        created_at=now,
        updated_at=now,
        steps=tuple(
            PlanStep(
                step_id=ids[index],
                step_index=index,
                agent_id=step.agent_id,
                task=step.task,
                expected_output=step.expected_output,
                depends_on=tuple(ids[other] for other in dict.fromkeys(step.depends_on)),
            )
            for index, step in enumerate(steps)
        ),
    )


def task_with_results(step: PlanStep, plan: Plan, names: dict[str, str]) -> str:
    """A step's task, with the results of what it directly depends on."""
    results = [
        f"[{other.step_index + 1}] {names[other.agent_id]}: {other.result}"
        for other in (plan.step(step_id) for step_id in step.depends_on)
    ]
    return "\n\n".join([step.task, "\n".join([RESULTS_HEADING, *results])]) if results else step.task


def _has_cycle(steps: list[ProposedStep]) -> bool:
    """Whether the dependencies leave no order to run in."""
    waiting = {index: {o for o in step.depends_on if 0 <= o < len(steps)} for index, step in enumerate(steps)}
    while ready := [index for index, others in waiting.items() if not others]:
        for index in ready:
            del waiting[index]
        for others in waiting.values():
            others.difference_update(ready)
    return bool(waiting)


def _cards_text(registry: AgentRegistry) -> str:
    lines = ["The agents:"]
    for card in registry.cards:
        skills = f" It can: {', '.join(card.capabilities)}." if card.capabilities else ""
        asked = [f'"{example}"' for examples in card.examples.values() for example in examples]
        shown = f" Examples: {'; '.join(asked)}." if asked else ""
        about = (card.description or card.name).rstrip(".")
        lines.append(f"- {card.agent_id} ({card.name}): {about}.{skills}{shown}")
    return "\n".join(lines)


_PLAN_INSTRUCTIONS = (
    "You conduct a team of agents. Decide what the request needs. If agents are needed, answer "
    '{"decision": {"steps": [{"agent_id": …, "task": …, "depends_on": [positions of earlier steps]}]}}: one step per '
    "agent and task, each task complete in itself; steps that do not need one another's results depend on nothing. If "
    'no agent is needed (a greeting, a question about the conversation), answer {"decision": {"answer": …}}. Answer in '
    "the language of the request."
)
_REASSIGN_INSTRUCTIONS = (
    "An agent said that a task is not its own. Name the agent that should take it, or null if none can."
)
_CONCLUDE_INSTRUCTIONS = (
    "Write the answer to the request from the results of your agents and from nothing else, in the language of the "
    "request. Say everything once and briefly: the user has seen the results. Numbers like [1] stand for sources: keep "
    "them behind what you take over. Say plainly what failed or is missing."
)
