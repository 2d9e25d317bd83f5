"""Plans: a state machine that refuses illegal moves, and that its events rebuild."""

import random
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from batuta.kernel.ids import new_id
from batuta.orchestration.plans import (
    PLAN_MOVES,
    STEP_MOVES,
    IllegalTransitionError,
    Plan,
    PlanStatus,
    PlanStep,
    StepStatus,
)
from batuta.orchestration.supervisor import Decision, decision_type

NOW = datetime(2026, 11, 15, tzinfo=UTC)
AGENTS = frozenset({"erp", "rag", "chart"})


def plan(*depends: tuple[int, ...], status: PlanStatus = "executing") -> Plan:
    ids = [new_id() for _ in depends]
    steps = tuple(
        PlanStep(step_id=ids[i], step_index=i, agent_id="erp", task="t", depends_on=tuple(ids[d] for d in needs))
        for i, needs in enumerate(depends)
    )
    return Plan(plan_id=new_id(), query="q", status=status, steps=steps, created_at=NOW, updated_at=NOW)


@pytest.mark.parametrize("before", get_args(PlanStatus))
@pytest.mark.parametrize("after", get_args(PlanStatus))
def test_a_plan_moves_only_as_the_table_says(before: PlanStatus, after: PlanStatus) -> None:
    subject = plan((), status=before)
    if after == "completed":
        done = subject.steps[0].model_copy(update={"status": "completed"})
        subject = subject.model_copy(update={"steps": (done,)})
    if after in PLAN_MOVES[before]:
        assert subject.moved(after, NOW).status == after
    else:
        with pytest.raises(IllegalTransitionError):
            subject.moved(after, NOW)


@pytest.mark.parametrize("before", get_args(StepStatus))
@pytest.mark.parametrize("after", get_args(StepStatus))
def test_a_step_moves_only_as_the_table_says(before: StepStatus, after: StepStatus) -> None:
    step = plan(()).steps[0].model_copy(update={"status": before})
    if after in STEP_MOVES[before]:
        assert step.moved(after, NOW).status == after
    else:
        with pytest.raises(IllegalTransitionError):
            step.moved(after, NOW)


def test_a_plan_is_not_completed_before_its_steps_are() -> None:
    with pytest.raises(IllegalTransitionError):
        plan(()).moved("completed", NOW)


def test_a_step_waits_for_what_it_depends_on() -> None:
    subject = plan((), (0,))
    assert [step.step_index for step in subject.ready()] == [0]
    with pytest.raises(IllegalTransitionError):
        subject.step_moved(subject.steps[1].step_id, "in_progress", NOW)


def test_a_failed_step_blocks_those_that_depend_on_it() -> None:
    subject = plan((), (0,), ())
    subject = subject.step_moved(subject.steps[0].step_id, "in_progress", NOW)
    subject = subject.step_moved(subject.steps[0].step_id, "failed", NOW)
    assert [step.step_index for step in subject.blocked()] == [1]
    assert [step.step_index for step in subject.ready()] == [2]


def is_right(proposal: dict[str, Any]) -> bool:
    """The rules of O-22, written a second time and in another way."""
    steps, answer = proposal.get("steps"), proposal.get("answer")
    if not steps:
        return bool(answer and answer.strip())
    if len(steps) > 20:  # words beside steps announce the plan
        return False
    for index, step in enumerate(steps):
        if step["agent_id"] not in AGENTS or not step["task"].strip():
            return False
        if any(not 0 <= other < len(steps) or other == index for other in step["depends_on"]):
            return False
    return all(not _reaches(steps, start, start) for start in range(len(steps)))


def _reaches(steps: list[dict[str, Any]], start: int, goal: int) -> bool:
    """Whether a step depends on itself, directly or not."""
    seen: set[int] = set()
    todo = list(steps[start]["depends_on"])
    while todo:
        place = todo.pop()
        if place == goal:
            return True
        if place not in seen:
            seen.add(place)
            todo.extend(steps[place]["depends_on"])
    return False


def random_proposal(chance: random.Random) -> dict[str, Any]:
    size = chance.choice([0, 1, 1, 2, 3, 3, 5, 8, 20, 21, 60])
    agents = sorted(AGENTS) * 8 + ["crystal_ball"]
    steps = [
        {
            "agent_id": chance.choice(agents),
            "task": chance.choice(["look", "count", "draw it"] * 8 + ["", "  "]),
            "depends_on": [chance.randint(-1, size) for _ in range(chance.choice([0, 0, 0, 1, 2]))]
            if chance.random() < 0.3
            else [chance.randrange(i) for _ in range(chance.choice([0, 0, 1, 2])) if i],
            "expected_output": chance.choice([None, "text", "data", "visualization", "confirmation"]),
        }
        for i in range(size)
    ]
    proposal: dict[str, Any] = {"steps": steps}
    if chance.random() < 0.1:
        proposal["answer"] = chance.choice(["hello", "", " "])
    if chance.random() < 0.2:
        del proposal["steps"]
    return proposal


def test_a_thousand_random_proposals_are_judged_as_the_rules_say() -> None:
    """O-22: cycles, unknown agents, missing tasks, 0 and 60 steps, dependencies out of range."""
    chance = random.Random(20261115)
    expected = decision_type(AGENTS, 20)
    verdicts = {True: 0, False: 0}
    for _ in range(1_000):
        proposal = random_proposal(chance)
        right = is_right(proposal)
        verdicts[right] += 1
        if right:
            assert isinstance(expected.model_validate(proposal), Decision)
        else:
            with pytest.raises(ValidationError):
                expected.model_validate(proposal)
    assert min(verdicts.values()) > 100, verdicts
