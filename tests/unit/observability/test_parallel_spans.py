"""Agents of the same name that work side by side: each span gets its own marks and its own end (T-22)."""

import asyncio
from dataclasses import dataclass, field

import pytest

from batuta import AgentStep, Branch, Context, ParallelStep, Pipeline, Rejected, Step, step
from batuta.events import AgentRetryAttempted
from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.observability.audit_counts import audit
from batuta.observability.runs import Span, SpanKind, assemble
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel
from tests.unit.observability.told import Story
from tests.unit.orchestration.teams import plan, team

SIDES = ("left", "right")


@dataclass
class DeliveredEvent:
    """What the branches brought."""

    answers: list[str] = field(default_factory=list)

    def add(self, answer: str) -> None:
        self.answers.append(answer)


class Traffic:
    """Lets the agents begin together, and end in the order that is asked for."""

    def __init__(self, first: str) -> None:
        self._first = first
        self._both_work = asyncio.Barrier(2)
        self._has_ended = asyncio.Event()

    def clerk(self, side: str, *, is_rejected_once: bool) -> Step[str, str]:
        """An agent called like the one on the other side."""
        tries = 0

        async def judge(answer: str, ctx: Context) -> None:
            nonlocal tries
            tries += 1
            if tries == 1:
                await self._both_work.wait()
                if side != self._first:
                    await self._has_ended.wait()
                if is_rejected_once:
                    raise Rejected(f"{side} must think again")

        @step
        async def leave(answer: str) -> str:
            if side == self._first:
                self._has_ended.set()
            return answer

        model = ScriptedModel([Reply(f"{side} said it")] * 2)
        return Pipeline(
            side, AgentStep(name="clerk", model=model, instructions="", output=str, validate=judge) >> leave
        )


def side_of(agent: Span) -> str:
    """The branch that an agent works in, by the step around it."""
    assert agent.parent is not None
    return str(getattr(agent.parent.start, "path", "")).split("/")[-2]


@pytest.mark.parametrize("first", SIDES)
@pytest.mark.parametrize("corrected", SIDES)
async def test_same_named_agents_side_by_side_keep_their_own_marks_and_ends(first: str, corrected: str) -> None:
    kept = CapturingSink()
    traffic = Traffic(first)
    both = ParallelStep(
        DeliveredEvent,
        [Branch(traffic.clerk(side, is_rejected_once=side == corrected), merge=DeliveredEvent.add) for side in SIDES],
    )
    assert not (await Pipeline("shop", both).run("go", sink=kept)).is_error
    agents = {side_of(span): span for span in assemble(kept.events) if span.kind is SpanKind.AGENT}
    assert set(agents) == set(SIDES)
    for side, span in agents.items():
        assert span.end is not None
        assert getattr(span.end, "output_summary", None) == f"{side} said it"
        retries = ["agent.retry.attempted"] if side == corrected else []
        rejected = ["attempt.rejected"] if side == corrected else []
        assert [mark.type for mark in span.marks] == [*rejected, *retries, "agent.decision.recorded"]
        calls = [child for child in span.children if child.kind is SpanKind.MODEL]
        assert [getattr(call.start, "path", None) for call in calls] == [f"shop/parallel/{side}/clerk"] * len(calls)
        assert len(calls) == 1 + len(retries)
    audit(kept.events).assert_complete()


class Flaky(ScriptedModel):
    """Fails for one task until the agent is asked again; answers the other one after that."""

    def __init__(self) -> None:
        super().__init__([])
        self._fails = 3  # as often as a call is tried
        self._is_mended = asyncio.Event()

    async def generate(self, request: ModelRequest) -> Answer:
        if "the slow one" in request.messages[-1].text:
            await self._is_mended.wait()
            return self._answer(Reply("slow"))
        self._fails -= 1
        if self._fails >= 0:
            raise ProviderUnavailableError("503")
        self._is_mended.set()
        return self._answer(Reply("mended"))


@pytest.mark.parametrize("tasks", [("the flaky one", "the slow one"), ("the slow one", "the flaky one")])
async def test_an_agent_that_is_asked_again_beside_its_twin_leaves_no_mark_on_it(tasks: tuple[str, str]) -> None:
    """The supervisor's retry is of the plan's step; what the agent itself tried again is the agent's."""
    clerk = AgentStep(name="clerk", model=Flaky(), instructions="", output=str)
    supervisor = [plan(*(("clerk", task, []) for task in tasks)), Reply("Both did.")]
    turn = await team(supervisor, clerk).run("q", clock=FakeClock())
    assert turn.answer == "Both did."
    own = f"step-{tasks.index('the flaky one') + 1}"
    retries = [
        (span.kind, str(getattr(span.start, "path", None)).split("/"), mark.source_agent_id)
        for span in assemble(turn.events)
        for mark in span.marks
        if isinstance(mark, AgentRetryAttempted)
    ]
    assert len(retries) == 3
    assert all(own in path for _, path, _ in retries), retries
    assert [(kind, asked_by) for kind, _, asked_by in retries] == [
        *[(SpanKind.AGENT, None)] * 2,
        (SpanKind.STEP, "supervisor"),
    ]
    agents = [span for span in assemble(turn.events) if span.kind is SpanKind.AGENT and span.name == "clerk"]
    assert sorted(getattr(span.end, "output_summary", "failed") for span in agents) == ["failed", "mended", "slow"]
    for span in agents:
        assert span.parent is not None
        _, number = str(getattr(span.parent.start, "path", "")).split("/")[-3].split("-")
        assert tasks[int(number) - 1] in getattr(span.start, "input_summary", "")
    audit(turn.events).assert_complete()


def test_whoever_begins_to_listen_in_the_middle_sees_each_agent_end() -> None:
    """Their steps began before: the agents are known by what they say themselves."""
    story = Story().step("p", "Pipeline").agent("clerk", path="p/left/clerk").agent("clerk", path="p/right/clerk")
    story.agent_done("clerk", path="p/left/clerk").agent_done("clerk", path="p/right/clerk").done("p", "Pipeline")
    ends = {getattr(span.start, "path", ""): span.end for span in assemble(story.events) if span.name == "clerk"}
    assert ends == {"p/left/clerk": story.events[3], "p/right/clerk": story.events[4]}
