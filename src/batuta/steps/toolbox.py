"""The tools an agent is declared with."""

from collections.abc import Sequence

from batuta.kernel.errors import PipelineTypeError
from batuta.tools.tool import Tool


def tools_by_name(agent: str, tools: Sequence[Tool]) -> dict[str, Tool]:
    """Each tool under the name its model calls it by. Raises `PipelineTypeError` for what is none, or there twice."""
    named: dict[str, Tool] = {}
    for tool in tools:
        if not isinstance(tool, Tool):
            raise PipelineTypeError(f"{agent}: {tool!r} is no tool; make one with @tool")
        if tool.name in named:
            raise PipelineTypeError(f"{agent}: two tools are called {tool.name!r}")
        named[tool.name] = tool
    return named
