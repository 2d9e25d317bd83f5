"""Tools that answer from a script: the checks are real, the calls are not."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import LogicalError
from batuta.kernel.messages import ToolCallBlock
from batuta.tools.context import ToolContext
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.outcome import ToolOutcome
from batuta.tools.tool import Tool


class ScriptedTools(ToolInvoker):
    """Hand it to `run(invoker=…)`: a tool gives its answer, raises its error, or calls its function of the arguments.

    Everything before a call is as always: unknown tools, roles, arguments and approvals are checked. A tool without
    an answer fails; `calls` keeps what was asked, in order.
    """

    def __init__(
        self, answers: Mapping[str, Any], *, latency_seconds: float = 0.0, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        super().__init__(clock=clock)
        self._answers = dict(answers)
        self._latency_seconds = latency_seconds
        self._time = clock
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def invoke(self, call: ToolCallBlock, scope: CallScope, *, idempotency_key: str = "") -> ToolOutcome:
        """Answer one call from the script."""
        tools = {name: self._scripted(tool) for name, tool in scope.tools.items()}
        return await super().invoke(call, replace(scope, tools=tools), idempotency_key=idempotency_key)

    def _scripted(self, tool: Tool) -> Tool:
        async def answer(values: dict[str, Any], ctx: ToolContext) -> Any:
            self.calls.append((tool.name, values))
            if self._latency_seconds:
                await self._time.sleep(self._latency_seconds)
            return self._answer(tool.name, values)

        return replace(tool, body=answer)

    def _answer(self, name: str, values: dict[str, Any]) -> Any:
        if name not in self._answers:
            raise LogicalError(f"the script has no answer for the tool {name!r}")
        answer = self._answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer(**values) if callable(answer) else answer
