"""Sessions nobody would write by hand: any visible event in any order, from a seed."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from batuta.events import (
    AgentHandoff,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Complete,
    ContentDelta,
    ErrorOccurred,
    FeedbackGiven,
    JobProgress,
    PlanCompleted,
    PlanGenerated,
    PlannedStep,
    PlanStepCompleted,
    PlanStepStarted,
    SessionEnd,
    TagStarted,
    Thinking,
    ThinkingDelta,
    TitleChanged,
    ToolProgress,
    ToolRequest,
    ToolResponse,
    Usage,
    UserMessage,
)
from tools.script import ERP, RAG, Script

WORDS = ("baton", "score", "tempo", "niño", "🎻", "rest", "coda")
STATUSES = ("success", "cancelled", "failed", "paused")
Move = Callable[[Script, random.Random], Any]


def _id(rng: random.Random, kind: str) -> str:
    return f"{kind}-{rng.randrange(4)}"


def _message_id(rng: random.Random) -> str | None:
    return rng.choice([None, "019C0000-0000-7000-8000-00000000000A", "019C0000-0000-7000-8000-00000000000B"])


def _plan(script: Script, rng: random.Random) -> None:
    steps = tuple(
        PlannedStep(step_id=f"step-{n}", step_index=n, agent_id="erp", agent_name="ERP", task=rng.choice(WORDS))
        for n in range(rng.randrange(1, 4))
    )
    script.tell(PlanGenerated, plan_id=_id(rng, "plan"), query="?", steps=steps, estimated_steps=len(steps))


def _step_started(script: Script, rng: random.Random) -> None:
    n = rng.randrange(3)
    place = {"plan_id": _id(rng, "plan"), "step_id": f"step-{n}", "step_index": n}
    script.tell(PlanStepStarted, **place, agent_id="rag", agent_name="Documents", task="again")


def _step_completed(script: Script, rng: random.Random) -> None:
    n = rng.randrange(3)
    place = {"plan_id": _id(rng, "plan"), "step_id": f"step-{n}", "step_index": n}
    script.tell(PlanStepCompleted, **place, status=rng.choice(["completed", "failed", "skipped"]), result="r")


def _new_turn(script: Script, rng: random.Random) -> None:
    script.turn()
    script.tell(UserMessage, content=rng.choice(WORDS))


def _message(script: Script, rng: random.Random) -> None:
    usage = Usage(input=rng.randrange(99), output=rng.randrange(99)) if rng.random() < 0.7 else None
    cost = Decimal(rng.randrange(1000)) / 10000
    script.tell(
        AssistantMessage, content=rng.choice(WORDS), message_id=_message_id(rng), usage=usage, cost=cost, model="sim-1"
    )


def _request(script: Script, rng: random.Random) -> None:
    name = rng.choice(["find", "order", "transfer_to_erp"])
    script.tell(ToolRequest, tool_use_id=_id(rng, "call"), tool_name=name, args={"n": rng.randrange(9)})


def _response(script: Script, rng: random.Random) -> None:
    is_good = rng.random() < 0.7
    script.tell(ToolResponse, tool_use_id=_id(rng, "call"), tool_name="find", content="x", success=is_good)


def _approval(script: Script, rng: random.Random) -> None:
    script.tell(
        ApprovalRequested,
        approval_id=_id(rng, "approval"),
        tool_use_id=_id(rng, "call"),
        tool_name="order",
        args={},
        reason="r",
    )


def _decision(script: Script, rng: random.Random) -> None:
    decision = rng.choice(["approved", "rejected", "edited", "expired"])
    script.tell(ApprovalResolved, approval_id=_id(rng, "approval"), decision=decision, by="ana")


def _handoff(script: Script, rng: random.Random) -> None:
    script.tell(AgentHandoff, handoff_id=script.new_id(), from_agent=ERP, to_agent=RAG, reason="clarification")


def _repeat(script: Script, rng: random.Random) -> None:
    stored = [event for event in script.events if event.sequence_number is not None]
    if stored:
        script.repeat(rng.choice(stored))


MOVES: list[tuple[int, Move]] = [
    (2, _new_turn),
    (8, lambda s, r: s.tell(ContentDelta, delta=r.choice(WORDS), message_id=_message_id(r))),
    (4, lambda s, r: s.tell(ThinkingDelta, delta=r.choice(WORDS))),
    (2, lambda s, r: s.tell(TagStarted, tag=r.choice(WORDS))),
    (4, _message),
    (2, lambda s, r: s.tell(Thinking, content=r.choice(WORDS), model="sim-1")),
    (4, _request),
    (4, _response),
    (3, lambda s, r: s.tell(ToolProgress, tool_use_id=_id(r, "call"), tool_name="find", done=r.randrange(9) / 2)),
    (2, lambda s, r: s.tell(JobProgress, job_id=_id(r, "job"), done=1.0)),
    (2, _approval),
    (2, _decision),
    (2, _plan),
    (3, _step_started),
    (3, _step_completed),
    (1, lambda s, r: s.tell(PlanCompleted, plan_id=_id(r, "plan"), status="cancelled")),
    (2, _handoff),
    (1, lambda s, r: s.tell(ErrorOccurred, code="X", message=r.choice(WORDS), category="logical")),
    (1, lambda s, r: s.tell(TitleChanged, title=r.choice(WORDS))),
    (1, lambda s, r: s.tell(FeedbackGiven, target_message_id=_id(r, "message"), rating=r.choice([-1, 0, 1]))),
    (1, lambda s, r: s.tell_unknown("strange", is_stored=r.random() < 0.5, n=r.randrange(9))),
    (2, _repeat),
    (2, lambda s, r: s.tell(Complete, status=r.choice(STATUSES), usage=Usage(input=r.randrange(99)))),
]


def random_session(seed: int, length: int = 60) -> Callable[[Script], None]:
    """A scenario made of `length` random moves, with every turn ended."""

    def scenario(script: Script) -> None:
        rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
        weights, moves = zip(*MOVES, strict=True)
        turns = [script.turn()]
        for move in rng.choices(moves, weights, k=length):
            script.agent = rng.choice(["supervisor", "erp", "rag"])
            script.back_to(rng.choice(turns[-2:]))
            move(script, rng)
            turns += [event.turn_id for event in script.events if event.turn_id and event.turn_id not in turns]
        for turn in turns:
            script.back_to(turn)
            script.tell(Complete, status="success")
        script.tell(SessionEnd)

    return scenario
