"""Whether a run's models think before they answer, chosen for the run over what its agents declare.

    await team.run("Plan the week", thinking=ThinkingOptions(is_on=True, budget_tokens=8_000))

The choice is a wish: models that cannot think, and calls that a provider lets think only by giving up something else
(a tool that must be called), are made as they would be without it.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import Answer, Delta
from batuta.kernel.numbers import check_number
from batuta.llm.model import Model, ModelRequest, ModelSettings
from batuta.llm.settings import MIN_ANTHROPIC_THINKING
from batuta.llm.wrapper import WrappedModel

DEFAULT_BUDGET_TOKENS = 4_000
"""How much an agent thinks that declares no budget of its own."""
LEAST_TOP_P = 0.95

_THINKERS = re.compile(
    r"claude-(?!instant|[12]\b|2\.|3-(?!7)|3\.)"
    r"|o[1-9](?:-|$)|gpt-5(?!.*chat)|gpt-oss"
    r"|gemini-(?:2\.5|[3-9])"
    r"|grok-3-mini|deepseek-r1"
)
"""The models whose providers take a budget or an effort; the others would refuse the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingOptions:
    """What a user wants of the models of a run."""

    is_on: bool
    budget_tokens: int | None = None
    """How many tokens each call may think; without it what the agent declares, or a moderate budget."""

    def __post_init__(self) -> None:
        """Refuse a budget that makes no sense."""
        check_number("budget_tokens", self.budget_tokens, at_least=1, error=SettingsError)


def can_think(model: Model) -> bool:
    """Whether a model can be asked to think."""
    return _THINKERS.match(model.name.rpartition("/")[2]) is not None


class ThinkingModel(WrappedModel):
    """A model that thinks, or does not, as its run wants it."""

    def __init__(self, inner: Model, thinking: ThinkingOptions) -> None:
        super().__init__(inner)
        self._thinking = thinking

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once, after thinking if that is wanted."""
        return await self.inner.generate(self._chosen(request))

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same piece by piece."""
        return self.inner.stream(self._chosen(request))

    def _chosen(self, request: ModelRequest) -> ModelRequest:
        is_on = self._thinking.is_on and can_think(self.inner)
        if is_on and request.tool_choice != "required":
            return replace(request, settings=_thoughtful(request.settings, self._thinking.budget_tokens))
        if request.settings.thinking_budget_tokens is None:
            return request
        return replace(request, settings=replace(request.settings, thinking_budget_tokens=None))


def _thoughtful(settings: ModelSettings, wanted: int | None) -> ModelSettings:
    """With a budget, room for it beside the answer, and without what no provider takes together with it."""
    declared = settings.thinking_budget_tokens
    budget = max(wanted or declared or DEFAULT_BUDGET_TOKENS, MIN_ANTHROPIC_THINKING)
    limit = settings.max_tokens
    is_wide = settings.top_p is None or settings.top_p >= LEAST_TOP_P
    return replace(
        settings,
        thinking_budget_tokens=budget,
        max_tokens=None if limit is None else max(limit, limit - (declared or 0) + budget),
        temperature=None,
        top_p=settings.top_p if is_wide else None,
    )
