"""What an MCP server offers, turned into a tool of ours (F-55)."""

from typing import Any

import mcp_types as wire
import pytest

from batuta.kernel.errors import ToolFailedError
from batuta.kernel.messages import ImageBlock
from batuta.tools import ToolContext
from batuta.tools.mcp_tools import McpServer, content_of, digest_of, tool_of

SERVER = McpServer(name="tests", command=["server"])


async def nothing(args: dict[str, Any], context: ToolContext) -> str:
    return ""


def offered(name: str = "add", **facts: Any) -> wire.Tool:
    return wire.Tool(**{"name": name, "input_schema": {"type": "object"}, **facts})


def name_of(name: str) -> str:
    tool = tool_of(offered(name), SERVER, nothing)
    assert tool is not None
    return tool.name


def test_a_usual_name_stays_as_it_is() -> None:
    assert name_of("get-sum_2") == "get-sum_2"


@pytest.mark.parametrize("name", ["files/read", "a.b", "ünïcode", "x" * 100, "with space"])
def test_an_unusual_name_is_changed_to_one_that_providers_take(name: str) -> None:
    changed = name_of(name)

    assert changed != name
    assert len(f"{SERVER.name}__{changed}") <= 64


def test_two_names_stay_two() -> None:
    assert len({name_of("a/b"), name_of("a.b"), name_of("a_b")}) == 3


def test_a_schema_that_is_none_leaves_the_tool_out() -> None:
    assert tool_of(offered(input_schema={"type": "thing"}), SERVER, nothing) is None


@pytest.mark.parametrize(
    ("facts", "description"),
    [
        ({"description": "Adds."}, "Adds."),
        ({"title": "Sum"}, "Sum"),
        ({}, "add"),
        ({"description": "x" * 5_000}, "x" * 2_000),
    ],
)
def test_a_description_is_found_and_bounded(facts: dict[str, Any], description: str) -> None:
    tool = tool_of(offered(**facts), SERVER, nothing)

    assert tool is not None
    assert tool.description == description


@pytest.mark.parametrize(
    "facts",
    [
        {"description": "other"},
        {"title": "other"},
        {"input_schema": {"type": "object", "properties": {"x": {}}}},
        {"annotations": wire.ToolAnnotations(read_only_hint=True)},
    ],
)
def test_se21_whatever_a_person_approved_is_in_the_digest(facts: dict[str, Any]) -> None:
    """SE-21."""
    assert digest_of(offered(**facts)) != digest_of(offered())
    assert digest_of(offered(**facts)) == digest_of(offered(**facts))


def text(words: str) -> wire.TextContent:
    return wire.TextContent(type="text", text=words)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ([text("one"), text("two")], "one\ntwo"),
        ([wire.AudioContent(type="audio", data="AAAA", mime_type="audio/wav")], "[audio: audio/wav, 3 bytes]"),
        ([wire.ResourceLink(type="resource_link", name="r", uri="file:///r")], "[resource: file:///r]"),
        (
            [wire.EmbeddedResource(type="resource", resource=wire.TextResourceContents(uri="file:///r", text="in"))],
            "in",
        ),
        (
            [wire.EmbeddedResource(type="resource", resource=wire.BlobResourceContents(uri="file:///r", blob="AAAA"))],
            "[resource: file:///r]",
        ),
    ],
)
def test_every_other_kind_of_content_becomes_text(content: list[Any], shown: str) -> None:
    assert content_of(wire.CallToolResult(content=content)) == shown


def test_an_image_stays_an_image() -> None:
    """The model sees it as a picture, not as base64 text."""
    picture = wire.ImageContent(type="image", data="AAAA", mime_type="image/png")
    assert content_of(wire.CallToolResult(content=[picture])) == [ImageBlock(media_type="image/png", data="AAAA")]


def test_a_result_of_structure_alone_is_json() -> None:
    assert content_of(wire.CallToolResult(content=[], structured_content={"sum": 5})) == '{"sum": 5}'


@pytest.mark.parametrize(("content", "words"), [([text("no paper")], "no paper"), ([], "no reason")])
def test_a_result_that_is_an_error_is_raised(content: list[Any], words: str) -> None:
    with pytest.raises(ToolFailedError, match=words):
        content_of(wire.CallToolResult(content=content, is_error=True))
