"""Small teams for the tests of orchestration."""

import json
from collections.abc import Sequence
from typing import Any

from batuta import AgentStep, step
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.orchestrator import Turn
from batuta.testing import Reply, ScriptedModel


def plan(*steps: tuple[str, str, list[int]]) -> Reply:
    """A supervisor's answer that is a plan."""
    return Reply(json.dumps({"steps": [{"agent_id": a, "task": t, "depends_on": d} for a, t, d in steps]}))


def answer(text: str) -> Reply:
    """A supervisor's answer that is an answer."""
    return Reply(json.dumps({"answer": text}))


def agent(name: str, script: Sequence[Any], **options: Any) -> AgentStep[str, str]:
    """A worker that plays a script."""
    return AgentStep(name=name, model=ScriptedModel(script), instructions=name, output=str, **options)


def failing(name: str, *errors: Exception | None) -> Any:
    outcomes = list(errors)

    @step(name=name)
    async def work(task: str) -> str:
        error = outcomes.pop(0)
        if error is not None:
            raise error
        return f"{name} did it"

    return work


def team(supervisor: Sequence[Any], *workers: Any, **options: Any) -> Orchestrator:
    """A team of workers, named by their capitals."""
    agents = [w if isinstance(w, Specialist) else Specialist(w, name=w.name.upper()) for w in workers]
    return Orchestrator(supervisor=ScriptedModel(supervisor), agents=agents, **options)


def kinds(turn: Turn) -> list[str]:
    """What a turn told the user, in order."""
    return [event.type for event in turn.events if not event.is_internal]


def of(turn: Turn, kind: type[Any]) -> list[Any]:
    """What a turn told of one kind."""
    return [event for event in turn.events if isinstance(event, kind)]
