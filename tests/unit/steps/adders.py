"""An agent that adds, for the tests of agents."""

from typing import Any

from pydantic import BaseModel

from batuta import AgentStep
from batuta.testing import Reply, ScriptedModel


class Sum(BaseModel):
    total: int
    confidence: float = 1.0


UNASKED = ScriptedModel([])


GOOD = Reply('{"total": 3}')


def adder(model: ScriptedModel, **options: Any) -> AgentStep[str, Sum]:
    return AgentStep(name="add", model=model, instructions="Add.", output=Sum, **options)
