"""Hooks: code that runs before and after every step of a run."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from batuta.pipelines.context import Context
    from batuta.pipelines.result import StepResult


class Hook(Protocol):
    """Runs around every step. A `before` that raises fails the step; an `after` that raises is only reported."""

    async def before(self, ctx: "Context", value: Any) -> None:
        """The step is about to begin with this value."""
        ...

    async def after(self, ctx: "Context", result: "StepResult[Any]") -> None:
        """The step ended with this result."""
        ...
