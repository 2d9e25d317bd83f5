"""A tool: something a model may ask for, with a checked schema and declared limits.

    @tool(effect="read", timeout=2.0)
    async def stock(sku: str) -> int:
        \"\"\"Units on hand of one item.\"\"\"

A tool is an `async def`: only awaiting code can be stopped at its deadline. Blocking work goes to a thread inside it
(`await asyncio.to_thread(…)`). A `Tool` cannot be called like the function it came from, so that it is not run
around the checks by accident; a test uses `await stock.call(sku="A-100")`.
"""

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, overload

from typing_extensions import Unpack

from batuta.kernel.errors import ConfigurationError
from batuta.llm.model import ToolSpec
from batuta.tools.arguments import Arguments, as_json, describe
from batuta.tools.context import ToolContext
from batuta.tools.policy import DEFAULT_POLICY, ToolOptions, ToolPolicy, policy_from

ToolFunction = Callable[..., Awaitable[Any]]
ToolBody = Callable[[dict[str, Any], ToolContext], Awaitable[Any]]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OPTIONS = ToolOptions.__optional_keys__


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Tool:
    """A capability a model may ask for. Equal only to itself."""

    name: str
    description: str
    arguments: Arguments
    body: ToolBody
    policy: ToolPolicy = DEFAULT_POLICY

    def __post_init__(self) -> None:
        """Refuse a name that a provider would refuse."""
        if not _NAME.fullmatch(self.name):
            raise ConfigurationError(
                f"a tool's name has 1 to 64 letters, digits, underscores and hyphens, got {self.name!r}"
            )

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return self.arguments.schema

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model sees it."""
        return ToolSpec(name=self.name, description=self.description, schema=self.schema)

    def renamed(self, name: str) -> "Tool":
        """The same tool under another name."""
        return replace(self, name=name)

    async def call(self, context: ToolContext | None = None, /, **args: Any) -> Any:
        """Check the arguments and run the tool alone: no roles, approval, limits or audit. For tests."""
        return await self.body(self.arguments.check(as_json(args)), context or ToolContext())


@overload
def tool(function: ToolFunction, /) -> Tool: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: ToolFunction | None = None, /, **options: Unpack[ToolOptions]
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a tool of an `async def`, bare or with options (see `ToolOptions` and `ToolPolicy`).

    Raises `ConfigurationError` for a signature no schema can express and for contradicting options.
    """
    if unknown := options.keys() - _OPTIONS:
        raise ConfigurationError(
            f"@tool has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(_OPTIONS))}"
        )
    if function is not None:
        return _tool_of(function, options)
    return lambda decorated: _tool_of(decorated, options)


def _tool_of(function: ToolFunction, options: ToolOptions) -> Tool:
    if not inspect.iscoroutinefunction(function):
        name = getattr(function, "__name__", repr(function))
        raise ConfigurationError(
            f"tool {name} is no async def; make it one and put blocking work into `await asyncio.to_thread(…)`"
        )
    described = describe(function)
    return Tool(
        name=options.get("name", function.__name__),
        description=described.description,
        arguments=described.arguments,
        body=_body_of(function, described.arguments.context_parameter),
        policy=policy_from(options),
    )


def _body_of(function: ToolFunction, context_parameter: str | None) -> ToolBody:
    async def run(args: dict[str, Any], context: ToolContext) -> Any:
        return await function(**args)

    async def run_with_context(args: dict[str, Any], context: ToolContext) -> Any:
        return await function(**args, **{str(context_parameter): context})

    return run if context_parameter is None else run_with_context
