"""Which tools of a team change something without an approval."""

from collections.abc import Iterator
from typing import Any

from batuta.orchestration.orchestrator import Orchestrator
from batuta.pipelines.step import Step
from batuta.steps.agent import AgentStep


def unasked_writes(team: Orchestrator, *, is_platform: bool = True) -> tuple[str, ...]:
    """`agent.tool` of each write without approval: declared so, or, in a bare run, undeclared."""
    found = {
        f"{agent.name}.{tool.name}"
        for specialist in team.registry
        for agent in _agents_below(specialist.step)
        for tool in agent.tools.values()
        if tool.policy.effect == "write"
        and (tool.policy.approval == "never" or (tool.policy.approval is None and not is_platform))
    }
    return tuple(sorted(found))


def _agents_below(step: Step[Any, Any]) -> Iterator[AgentStep[Any, Any]]:
    if isinstance(step, AgentStep):
        yield step
    for child in step.children():
        yield from _agents_below(child)
