"""A router: free text becomes a member of an enum. The model classifies; code decides what follows."""

from dataclasses import replace
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, Unpack

from pydantic import BaseModel, Field, create_model

from batuta.kernel.messages import Answer
from batuta.llm.model import Model, ModelSettings
from batuta.steps.agent import AgentOptions, AgentStep
from batuta.steps.intention import Intention, Option, described

E = TypeVar("E", bound=Enum)

ROUTER_TEMPERATURE = 0.3


class RouterAgentStep(AgentStep[str, Intention[E]], Generic[E]):
    """Classifies a request by the descriptions and examples of an enum's members.

    It reads the conversation and never writes it.
    """

    remembers = False

    def __init__(
        self, options: type[E], *, name: str = "router", model: Model | str, **others: Unpack[AgentOptions]
    ) -> None:
        members = described(options, name)
        settings = others.get("settings", ModelSettings())
        if settings.temperature is None and settings.thinking_budget_tokens is None:
            settings = replace(settings, temperature=ROUTER_TEMPERATURE)
        instructions = "\n\n".join(part for part in (others.get("instructions", ""), _few_shot(members)) if part)
        merged: Any = {
            "decision_type": "routing",
            "decision_category": "classification",
            **others,
            "settings": settings,
            "instructions": instructions,
        }
        super().__init__(name=name, model=model, output=_classification(members), **merged)
        self._options = options
        self.output_type = Intention[options]  # type: ignore[valid-type] # known when it is built

    def finished(self, output: Any, value: Any, answer: Answer) -> Intention[E]:
        """The intention, with the request as it was made."""
        intention: type[Intention[E]] = self.output_type
        return intention(
            option=self._options[output.option],
            reasoning=output.reasoning,
            prompt=output.prompt,
            confidence=output.confidence,
            request=value,
        )


def _classification(members: dict[str, Option]) -> type[BaseModel]:
    """What the model answers: a member by name, and why."""
    names: Any = Literal[tuple(members)]
    return create_model(
        "Classification",
        option=(names, ...),
        reasoning=(str, ""),
        prompt=(str, Field(description="the request, reworded for the agent that acts on it")),
        confidence=(float, Field(ge=0, le=1)),
    )


def _few_shot(members: dict[str, Option]) -> str:
    lines = ["Classify the request as exactly one of these options:"]
    for name, option in members.items():
        lines.append(f"- {name}: {option.description}")
        lines.extend(f'  for example: "{example}"' for example in option.examples)
    return "\n".join(lines)
