"""What an MCP server offers, as tools of ours: same checks, same limits, and no trust beyond what was given.

A server's word about its own tools counts only if an administrator says so: otherwise each of them writes and needs
approval.
"""

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from batuta.kernel.effects import EffectKind
from batuta.kernel.errors import (
    ConfigurationError,
    MissingExtraError,
    ToolFailedError,
)
from batuta.kernel.messages import ImageBlock
from batuta.tools.foreign_schema import SchemaArguments
from batuta.tools.policy import KIND_LIMITS, Approval, Reconcile, ToolBounds, ToolPolicy
from batuta.tools.registry import SEPARATOR
from batuta.tools.tool import Tool, ToolBody

try:
    import mcp_types as wire
    from jsonschema.exceptions import SchemaError
except ImportError as error:
    raise MissingExtraError("mcp", needed_for="tools of MCP servers") from error

log = logging.getLogger("batuta.tools.mcp")

TIMEOUT = timedelta(seconds=30)
MAX_DESCRIPTION_CHARS = 2_000
MAX_NAME_CHARS = 64

_SERVER_NAME = re.compile(r"[A-Za-z0-9-]{1,24}")
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server that an administrator chose, and how far it is trusted. Never made from what a model or user says."""

    name: str
    """The namespace of its tools."""
    command: Sequence[str] = ()
    """The program to start and its arguments, for a server on standard input and output."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str | None = None
    """The address of a server on streamable HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    protocol: str = "auto"
    """`auto` asks the server; `legacy` is the handshake of 2025; or a revision such as `2026-07-28`."""
    trusts_annotations: bool = False
    """Believe the server when it says that a tool only reads."""
    effects: Mapping[str, EffectKind] = field(default_factory=dict)
    """What the administrator knows about single tools, by the server's own names."""
    approval: Approval = "always"
    """For every tool that does more than read."""
    reconcile: Mapping[str, Reconcile] = field(default_factory=dict)
    """How to find out about single tools, by the server's own names, whether a call happened whose answer was lost.
    Without one a person is asked.
    """
    roles: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    """The tools to take, by the server's own names; all when `None`."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Tools as they were approved in an earlier run; one that differs stays out."""
    timeout: timedelta = TIMEOUT
    connect_timeout: timedelta = TIMEOUT

    def __post_init__(self) -> None:
        """Refuse a server that cannot be reached by exactly one way."""
        if not _SERVER_NAME.fullmatch(self.name):
            raise ConfigurationError(f"an MCP server's name has 1 to 24 letters, digits and hyphens, got {self.name!r}")
        if bool(self.command) == (self.url is not None):
            raise ConfigurationError(f"MCP server {self.name}: give either a command or a url")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise ConfigurationError(f"MCP server {self.name}: the url begins with http:// or https://")


def tool_of(offered: wire.Tool, server: McpServer, body: ToolBody) -> Tool | None:
    """A server's tool as one of ours; `None`, with a warning, if its schema is none."""
    arguments = _arguments_of(offered, server)
    if arguments is None:
        return None
    return Tool(
        name=_local_name(offered.name, server),
        description=(offered.description or offered.title or offered.name)[:MAX_DESCRIPTION_CHARS],
        arguments=arguments,
        body=body,
        policy=_policy_of(offered, server),
    )


def digest_of(offered: wire.Tool) -> str:
    """A fingerprint of everything that a model or a person sees of a tool."""
    facts = offered.model_dump(mode="json", include={"name", "title", "description", "input_schema", "annotations"})
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def content_of(result: wire.CallToolResult) -> str | list[str | ImageBlock]:
    """A result as text, with the pictures in it. Raises `ToolFailedError` if the server says that the tool failed."""
    parts = [_shown(block) for block in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content)]
    words = [part if isinstance(part, str) else f"[{part.type}: {part.media_type}]" for part in parts]
    if result.is_error:
        raise ToolFailedError("\n".join(words) or "the server gives no reason")
    return "\n".join(words) if words == parts else parts


def _arguments_of(offered: wire.Tool, server: McpServer) -> SchemaArguments | None:
    schema = {"type": "object", "properties": {}, **offered.input_schema}
    try:
        return SchemaArguments.of(schema)
    except SchemaError as error:
        log.warning("MCP server %s: tool %s is left out: %s", server.name, offered.name, error.message)
        return None


def _local_name(name: str, server: McpServer) -> str:
    """The name without what providers refuse; one that had to be changed gets a mark, so that two stay two."""
    room = MAX_NAME_CHARS - len(server.name) - len(SEPARATOR)
    clean = _UNUSUAL.sub("_", name)
    if clean == name and 0 < len(name) <= room:
        return name
    return f"{clean[: room - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _policy_of(offered: wire.Tool, server: McpServer) -> ToolPolicy:
    effect = _effect_of(offered, server)
    defaults = KIND_LIMITS["external"]
    return ToolPolicy(
        effect=effect,
        kind="external",
        limits=ToolBounds(timeout=server.timeout, rate=defaults.rate, max_concurrency=defaults.max_concurrency),
        approval="never" if effect == "read" else server.approval,
        roles=server.roles,
        reconcile=server.reconcile.get(offered.name),
        version=digest_of(offered)[:12],
    )


def _effect_of(offered: wire.Tool, server: McpServer) -> EffectKind:
    if offered.name in server.effects:
        return server.effects[offered.name]
    hints = offered.annotations
    if hints is None or not server.trusts_annotations:
        return "write"
    if hints.read_only_hint:
        return "read"
    return "idempotent" if hints.idempotent_hint else "write"


def _shown(block: wire.ContentBlock) -> str | ImageBlock:
    if isinstance(block, wire.TextContent):
        return block.text
    if isinstance(block, wire.ImageContent):
        return ImageBlock(media_type=block.mime_type, data=block.data.encode())
    if isinstance(block, wire.AudioContent):
        return f"[{block.type}: {block.mime_type}, {len(block.data) * 3 // 4} bytes]"
    if isinstance(block, wire.ResourceLink):
        return f"[resource: {block.uri}]"
    inside = block.resource
    return inside.text if isinstance(inside, wire.TextResourceContents) else f"[resource: {inside.uri}]"
