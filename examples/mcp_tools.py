"""Tools of an MCP server, over standard input and output: namespaced, checked and approved like local ones.

The server is this same file, started with `serve`.
"""

import asyncio
import sys

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

from batuta import AgentStep, Pipeline
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ApprovalDecision, ApprovalRequest, ToolRegistry
from batuta.tools.mcp import McpConnection
from batuta.tools.mcp_tools import McpServer

server = MCPServer("warehouse", log_level="ERROR")
SHELF = {"A-100": 7}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def stock(sku: str) -> int:
    """Units on hand of one item."""
    return SHELF[sku]


@server.tool()
def move(sku: str, units: int) -> str:
    """Take units off the shelf."""
    SHELF[sku] -= units
    return f"{SHELF[sku]} of {sku} are left"


class Foreman:
    """Decides about calls that change something."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(f"{request.tool_name} {request.args}")
        return ApprovalDecision.edit({**request.args, "units": 2}, by="foreman")


async def main() -> None:
    warehouse = McpServer(name="warehouse", command=(sys.executable, __file__, "serve"), trusts_annotations=True)
    registry = ToolRegistry()
    async with McpConnection(warehouse, registry):
        assert {tool.name for tool in registry} == {"warehouse__stock", "warehouse__move"}
        tools = registry.view(["warehouse__stock", "warehouse__move"])
        assert tools["warehouse__stock"].policy.effect == "read"
        assert tools["warehouse__move"].policy.effect == "write"  # a server that says nothing is not trusted

        model = ScriptedModel(
            [
                Reply(
                    tool_calls=[
                        ToolCall("warehouse__stock", {"sku": "A-100"}),
                        ToolCall("warehouse__stock", {"sku": 3}),  # wrong arguments: never sent to the server
                    ]
                ),
                Reply(tool_calls=[ToolCall("warehouse__move", {"sku": "A-100", "units": 5})]),
                Reply("Two were moved."),
            ]
        )
        clerk = AgentStep(name="clerk", model=model, output=str, tools=list(tools.values()))
        foreman = Foreman()

        result = await Pipeline("shop", clerk).run("Move five chairs.", approver=foreman)

        assert result.value == "Two were moved."
        right, wrong = model.requests[1].tool_results
        assert right.content == "7" and wrong.is_error
        [moved] = model.requests[2].tool_results
        assert moved.content == "5 of A-100 are left"  # what was approved is what was executed
        assert foreman.asked == ["warehouse__move {'sku': 'A-100', 'units': 5}"]
    assert not list(registry)  # the tools leave with their server


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        server.run("stdio")
    else:
        asyncio.run(main())
