"""The registry and the sets of tools that agents get from it."""

import pytest

from batuta.kernel.errors import ConfigurationError
from batuta.tools import Tool, ToolRegistry, ToolSet, tool


def named(name: str) -> Tool:
    @tool(name=name)
    async def something() -> str:
        return name

    return something


def test_an_agent_sees_only_the_tools_it_names() -> None:
    """F-51."""
    view = ToolRegistry([named("read"), named("write"), named("count")]).view(["count", "read"])

    assert list(view) == ["count", "read"]
    assert "write" not in view
    assert [spec.name for spec in view.specs] == ["count", "read"]


def test_a_view_of_an_unknown_tool_is_refused_when_built() -> None:
    with pytest.raises(ConfigurationError, match="no tool wirte; there are: write"):
        ToolRegistry([named("write")]).view(["wirte"])


def test_a_used_name_is_refused_and_nothing_of_the_batch_is_registered() -> None:
    registry = ToolRegistry([named("read")])

    with pytest.raises(ConfigurationError, match="two tools are named 'read'"):
        registry.register(named("count"), named("read"))

    assert [tool.name for tool in registry] == ["read"]


def test_the_same_tool_may_be_registered_twice() -> None:
    read = named("read")

    assert len(ToolRegistry([read, read])) == 1


def test_two_tools_of_one_name_cannot_be_given_to_an_agent() -> None:
    with pytest.raises(ConfigurationError):
        ToolSet.of([named("read"), named("read")])


def test_a_namespace_keeps_equal_names_apart() -> None:
    """F-55."""
    registry = ToolRegistry([named("search")])

    registry.register(named("search"), namespace="wiki")

    assert [tool.name for tool in registry] == ["search", "wiki__search"]


def test_a_tool_that_leaves_the_registry_leaves_every_set() -> None:
    registry = ToolRegistry([named("read"), named("count")])
    view = registry.view(["read", "count"])

    registry.unregister("read")

    assert list(view) == ["count"]
    assert view.get("read") is None


def test_se36_a_new_tool_of_a_namespace_is_granted_to_nobody() -> None:
    """A server cannot widen what an agent may do."""
    registry = ToolRegistry()
    registry.replace_namespace("wiki", [named("search")])
    view = registry.view(["wiki__search"])

    registry.replace_namespace("wiki", [named("search"), named("erase")])

    assert "wiki__erase" in registry
    assert list(view) == ["wiki__search"]


def test_replacing_a_namespace_leaves_the_others_alone() -> None:
    registry = ToolRegistry([named("wikipedia"), named("read")])
    registry.replace_namespace("wiki", [named("search")])

    registry.replace_namespace("wiki", [])

    assert [tool.name for tool in registry] == ["wikipedia", "read"]
