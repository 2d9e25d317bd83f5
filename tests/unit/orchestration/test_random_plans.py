"""Random proposals, each as a whole turn: accepted, corrected or refused, and always a legal life cycle."""

import asyncio
import json
import os
import random
from collections import Counter
from typing import Any

import pytest

from batuta import step
from batuta.events import (
    AgentHandoff,
    Complete,
    ErrorOccurred,
    Event,
    PlanCompleted,
    PlanGenerated,
    PlanStepCompleted,
    PlanStepStarted,
)
from batuta.kernel.errors import LogicalError, TransientError
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.orchestration import FailurePolicy, Orchestrator, Specialist, Turn
from batuta.orchestration.plans import plan_from_events
from batuta.testing import Reply, ScriptedModel
from tests.unit.orchestration.test_plans import AGENTS, is_right, random_proposal

TURNS = int(os.environ.get("BATUTA_PLANS", "300"))
"""For each policy."""
WORDS = Reply("Written from what there is.")


STAND_INS = dict(zip(sorted(AGENTS), [*sorted(AGENTS)[1:], min(AGENTS)], strict=True))


@pytest.mark.parametrize(
    "policy",
    [
        FailurePolicy(),
        FailurePolicy(retries=0, then="fail_plan"),
        FailurePolicy(stand_ins=STAND_INS),
        FailurePolicy(then="fail_plan", stand_ins=STAND_INS),
    ],
    ids=["skip_dependents", "fail_plan", "skip_dependents-stand_ins", "fail_plan-stand_ins"],
)
async def test_random_proposals_run_as_the_rules_say(policy: FailurePolicy) -> None:
    """O-22, O-23: a wrong proposal is corrected by the next one or refused; whatever runs may fail on the way."""
    chance = random.Random(20261116)
    seen: Counter[str] = Counter()
    supervisor = Rehearsed()
    agents = [Specialist(_worker(name, chance), name=name.upper()) for name in sorted(AGENTS)]
    team = Orchestrator(supervisor=supervisor, agents=agents, failure_policy=policy)
    for _ in range(TURNS):
        proposals = [random_proposal(chance) for _ in range(chance.choice([1, 2, 3]))]
        supervisor.rehearse(proposals)
        seen[_check(await team.run("do it", recorder=Hesitant(chance)), proposals, policy)] += 1
    assert all(seen[kind] for kind in ("accepted", "corrected", "refused", "answered", "failed")), seen


class Hesitant:
    """A recorder that lets others go on while it writes, as one with a disk does: so steps interleave."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def record(self, event: Event) -> Event:
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)
        return event


class Rehearsed:
    """A supervisor's model that proposes what it is told to, the last proposal again and again, and then concludes."""

    provider, name = "rehearsed", "rehearsed-1"

    def rehearse(self, proposals: list[dict[str, Any]]) -> None:
        said = [Reply(json.dumps(proposal)) for proposal in proposals]
        right = next((n for n, proposal in enumerate(proposals) if is_right(proposal)), None)
        self._script = ScriptedModel([*said, *[said[-1]] * 3] if right is None else [*said[: right + 1], WORDS])

    async def generate(self, request: ModelRequest) -> Answer:
        return await self._script.generate(request)

    def stream(self, request: ModelRequest) -> Any:
        return self._script.stream(request)


def _worker(name: str, chance: random.Random) -> Any:
    async def work(task: str) -> str:
        fate = chance.random()
        if fate < 0.1:
            raise LogicalError(f"{name} does not know how")
        if fate < 0.2:
            raise TransientError(f"{name} is away")
        return f"{name} did {task[:20]}"

    work.__name__ = name
    return step(work)


def _check(turn: Turn, proposals: list[dict[str, Any]], policy: FailurePolicy) -> str:
    """What became of a turn, after everything about it was found in order."""
    place = next((n for n, proposal in enumerate(proposals) if is_right(proposal)), None)
    assert [event.status for event in turn.events if isinstance(event, Complete)] == [turn.status]
    if place is None:
        assert turn.status == "failed"
        assert turn.plan is None
        assert [event for event in turn.events if isinstance(event, ErrorOccurred)]
        assert not _lives(turn.events), "nothing of a refused plan runs"
        return "refused"
    assert turn.status == "success", turn.error
    if not proposals[place].get("steps"):
        assert turn.answer == proposals[place]["answer"]
        assert turn.plan is None
        return "answered"
    _check_life_cycle(turn.events, proposals[place]["steps"], policy)
    assert turn.plan is not None
    assert _settled(plan_from_events(turn.events)) == _settled(turn.plan)
    if turn.plan.status == "failed":
        return "failed"
    return "corrected" if place else "accepted"


def _check_life_cycle(events: tuple[Event, ...], proposed: list[dict[str, Any]], policy: FailurePolicy) -> None:
    """Announced, each step begun after what it needs and ended once, or skipped unbegun; then the plan's end."""
    lives = _lives(events)
    generated, *between, completed = lives
    assert isinstance(generated, PlanGenerated)
    assert isinstance(completed, PlanCompleted)
    index_of = {planned.step_id: planned.step_index for planned in generated.steps}
    assert [(s.agent_id, s.task) for s in generated.steps] == [(p["agent_id"], p["task"]) for p in proposed]
    begun: dict[int, str] = {}
    ended: dict[int, str] = {}
    for event in between:
        assert isinstance(event, (PlanStepStarted, PlanStepCompleted))
        index = index_of[event.step_id]
        needs = set(proposed[index]["depends_on"])
        if isinstance(event, PlanStepStarted):
            assert index not in begun or policy.stand_ins.get(begun[index]) == event.agent_id
            assert {ended.get(other) for other in needs} <= {"completed"}, "begun before what it needs"
            begun[index] = event.agent_id
            continue
        assert index not in ended, "ended twice"
        assert (index in begun) == (event.status != "skipped")
        stopped_by = set(ended) if policy.then == "fail_plan" else needs
        assert event.status != "skipped" or {ended.get(other) for other in stopped_by} & {"failed", "skipped"}
        ended[index] = event.status
    assert len(ended) == len(proposed), "a step was forgotten"
    assert completed.status == ("completed" if set(ended.values()) == {"completed"} else "failed")
    handed = [event for event in events if isinstance(event, AgentHandoff) and event.reason == "plan_step"]
    assert len(handed) == len(begun)


def _lives(events: tuple[Event, ...]) -> list[Event]:
    return [e for e in events if isinstance(e, (PlanGenerated, PlanStepStarted, PlanStepCompleted, PlanCompleted))]


def _settled(plan: Any) -> Any:
    """The plan rebuilt from events takes from them its times, and which of the steps that moved at once was the last;
    what it says of every step must be the same.
    """
    times = {"created_at", "updated_at", "started_at", "completed_at", "current_step_index"}
    return plan.model_dump(exclude={**dict.fromkeys(times, True), "steps": {"__all__": times}})
