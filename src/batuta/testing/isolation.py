"""One step alone: what it asks to have run is recorded and answered from a script, not run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack

from batuta.conversations.conversation import Conversation
from batuta.kernel.errors import LogicalError
from batuta.pipelines.context import Invocation
from batuta.pipelines.options import InvocationOptions, RunOptions
from batuta.pipelines.result import StepResult
from batuta.pipelines.runner import Run
from batuta.pipelines.step import Step

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A step that was asked for, and its input."""

    name: str
    value: Any


async def run_alone(
    step: Step[A, B], value: A, answers: Mapping[str, Any], **options: Unpack[RunOptions]
) -> tuple[StepResult[B], list[AskedStep]]:
    """Run a step by itself: its result, and the steps it asked for. `answers` are given by the steps' names."""
    run = _IsolatedRun(step, answers, options)
    result: StepResult[B] = await run.execute(step, value, InvocationOptions.of(options))
    return result, run.asked


class _IsolatedRun(Run):
    def __init__(self, alone: Step[Any, Any], answers: Mapping[str, Any], options: RunOptions) -> None:
        super().__init__(options)
        self._alone = alone
        self._answers = answers
        self.asked: list[AskedStep] = []

    async def invoke(
        self, step: Step[Any, Any], value: Any, parent: Invocation, conversation: Conversation | None = None
    ) -> Any:
        """Run the one step; record and answer any other."""
        if step is self._alone or step.is_transparent:
            return await super().invoke(step, value, parent, conversation)
        self.asked.append(AskedStep(step.name, value))
        if step.name not in self._answers:
            raise LogicalError(f"{self._alone.name} asked for {step.name!r}, which has no answer in this test")
        answer = self._answers[step.name]
        if isinstance(answer, Exception):
            raise answer
        return answer
