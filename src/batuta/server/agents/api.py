"""The team's cards."""

from typing import Annotated

from pydantic import BaseModel

from batuta.orchestration.conducting import SUPERVISOR
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.config import ModelChoice
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router

router = new_router(tags=["agents"])


class AgentFace(BaseModel):
    """How an agent shows itself."""

    agent_id: str
    name: str
    icon: str | None
    color: str | None


class AgentView(AgentFace):
    """All that the screen knows about an agent."""

    description: str
    capabilities: list[str]
    tools: list[str]
    commands: list[str]
    examples: dict[str, list[str]]


class Team(BaseModel):
    """The agents, and who conducts them."""

    items: list[AgentView]
    supervisor: AgentFace
    models: list[str]
    """The models one can choose from, the default first; empty where there is no choice."""


@router.get("/api/agents")
async def list_agents(
    caller: CurrentCaller,
    team: Annotated[Orchestrator, provided(Orchestrator)],
    model: Annotated[ModelChoice, provided(ModelChoice)],
) -> Team:
    """The team."""
    cards = [
        AgentView(
            **card.model_dump(exclude={"model_role", "instructions", "examples"}), examples=_listed(card.examples)
        )
        for card in team.registry.cards
    ]
    supervisor = AgentFace(
        agent_id=SUPERVISOR.agent_id,
        name=SUPERVISOR.agent_name,
        icon=SUPERVISOR.agent_icon,
        color=SUPERVISOR.agent_color,
    )
    return Team(items=cards, supervisor=supervisor, models=list(model.choices))


def _listed(examples: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {language: list(sentences) for language, sentences in examples.items()}
