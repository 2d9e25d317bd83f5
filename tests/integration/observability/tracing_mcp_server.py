"""An MCP server on stdio that answers with the meta data of the request."""

import json
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import ToolAnnotations

server = MCPServer("tests")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def whence(ctx: Context[Any]) -> str:
    """Say where the call comes from."""
    return json.dumps(dict(ctx.request_context.meta or {}), default=str)


if __name__ == "__main__":
    server.run("stdio")
