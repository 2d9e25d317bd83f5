"""Which tools there are, and which of them one agent may see.

A registry holds every tool of an application. An agent gets a `ToolSet`: the names it was granted and nothing else.
A tool that leaves the registry leaves every set; a new one enters none by itself.
"""

from collections.abc import Iterable, Iterator, Mapping

from batuta.kernel.errors import ConfigurationError
from batuta.llm.model import ToolSpec
from batuta.tools.tool import Tool

SEPARATOR = "__"


class ToolSet(Mapping[str, Tool]):
    """The tools one agent may use, by name, in the order they were named."""

    __slots__ = ("_granted", "_source")

    def __init__(self, source: Mapping[str, Tool], granted: Iterable[str]) -> None:
        self._source = source
        self._granted = dict.fromkeys(granted)

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> "ToolSet":
        """A set of exactly these tools. Raises `ConfigurationError` for a name used twice."""
        by_name: dict[str, Tool] = {}
        for tool in tools:
            _add(by_name, tool)
        return cls(by_name, by_name)

    def __getitem__(self, name: str) -> Tool:
        """The tool of a name that was granted and still exists."""
        if name not in self._granted:
            raise KeyError(name)
        return self._source[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the tools that exist now."""
        return (name for name in self._granted if name in self._source)

    def __len__(self) -> int:
        """How many of the granted tools exist now."""
        return sum(1 for _ in self)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model sees them."""
        return tuple(tool.spec for tool in self.values())


class ToolRegistry:
    """Every tool of an application. Names are unique; tools of a server live in a namespace of their own."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self.register(*tools)

    def __contains__(self, name: object) -> bool:
        """Whether there is a tool of this name."""
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        """All tools, in the order they were registered."""
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._tools)

    def register(self, *tools: Tool, namespace: str | None = None) -> tuple[Tool, ...]:
        """Add tools, under `namespace__name` if one is given. All or none: a used name is a `ConfigurationError`."""
        named = tuple(_in_namespace(tool, namespace) for tool in tools)
        extended = dict(self._tools)
        for tool in named:
            _add(extended, tool)
        self._tools.update((tool.name, tool) for tool in named)
        return named

    def replace_namespace(self, namespace: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
        """Exchange all tools of a namespace for others, for a server whose list changed."""
        named = tuple(_in_namespace(tool, namespace) for tool in tools)
        kept = {name: tool for name, tool in self._tools.items() if not name.startswith(namespace + SEPARATOR)}
        for tool in named:
            _add(kept, tool)
        self._tools.clear()
        self._tools.update(kept)
        return named

    def unregister(self, name: str) -> None:
        """Take a tool away; agents that were granted it lose it at once."""
        self._tools.pop(name, None)

    def view(self, names: Iterable[str]) -> ToolSet:
        """The tools an agent may use. A name that does not exist is a `ConfigurationError`."""
        granted = tuple(names)
        if missing := [name for name in granted if name not in self._tools]:
            known = ", ".join(sorted(self._tools)) or "none"
            raise ConfigurationError(f"there is no tool {', '.join(missing)}; there are: {known}")
        return ToolSet(self._tools, granted)


def _in_namespace(tool: Tool, namespace: str | None) -> Tool:
    return tool if namespace is None else tool.renamed(f"{namespace}{SEPARATOR}{tool.name}")


def _add(tools: dict[str, Tool], tool: Tool) -> None:
    if tools.get(tool.name, tool) is not tool:
        raise ConfigurationError(f"two tools are named {tool.name!r}; rename one or give it a namespace")
    tools[tool.name] = tool
