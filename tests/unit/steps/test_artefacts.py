"""Artefacts in a stream: the same pieces, however the text is cut."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta import AgentStep, Conversation, Tag
from batuta.events import TagCompleted, TagStarted
from batuta.steps.artefacts import Closed, Inside, Opened, Outside, Piece, TagParser
from batuta.testing import CapturingSink, Reply, ScriptedModel

TEXT = 'See <file path="a.py" mode=new>print("<b>")</file> and <other>x</other> <file>y</fil</file>.'


def parsed(text: str, cuts: list[int]) -> list[Piece]:
    parser = TagParser(["file"])
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [piece for start, end in pairwise(places) for piece in parser.feed(text[start:end])]
    return joined(pieces + parser.close())


def joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring pieces of the same text as one."""
    result: list[Piece] = []
    for piece in pieces:
        match result[-1:], piece:
            case [Outside(before)], Outside(text):
                result[-1] = Outside(before + text)
            case [Inside(tag, before)], Inside(_, text):
                result[-1] = Inside(tag, before + text)
            case _:
                result.append(piece)
    return result


def test_declared_tags_are_found_and_others_are_text() -> None:
    """F-31."""
    assert parsed(TEXT, []) == [
        Outside("See "),
        Opened("file", {"path": "a.py", "mode": "new"}),
        Inside("file", 'print("<b>")'),
        Closed("file", 12),
        Outside(" and <other>x</other> "),
        Opened("file", {}),
        Inside("file", "y</fil"),
        Closed("file", 6),
        Outside("."),
    ]


@given(st.lists(st.integers(min_value=0), max_size=40))
def test_the_cut_does_not_matter(cuts: list[int]) -> None:
    assert parsed(TEXT, cuts) == parsed(TEXT, [])


@given(st.text(alphabet="<>/file ab=\"'", max_size=200), st.lists(st.integers(min_value=0), max_size=20))
def test_no_word_is_lost(text: str, cuts: list[int]) -> None:
    whole = parsed(text, [])
    assert parsed(text, cuts) == whole
    if not any(isinstance(piece, Opened) for piece in whole):
        assert "".join(piece.text for piece in whole if isinstance(piece, Outside)) == text


@pytest.mark.parametrize("is_streaming", [False, True])
async def test_an_agent_hands_artefacts_to_their_handler(is_streaming: bool) -> None:
    """F-31: artefacts are not conversation turns."""
    written: list[Any] = []

    async def write(attributes: dict[str, str], piece: str, *, is_last: bool) -> None:
        written.append((attributes["path"], piece, is_last))

    model = ScriptedModel([Reply('Here: <file path="a.txt">one two</file> done.')])
    agent = AgentStep(name="a", model=model, output=str, tags=[Tag("file", write)], is_streaming=is_streaming)
    sink, conversation = CapturingSink(), Conversation()
    result = await agent.run("x", sink=sink, conversation=conversation)
    assert result.value == "Here:  done."
    assert "".join(piece for _, piece, _ in written) == "one two"
    assert written[-1] == ("a.txt", "", True)
    assert [event.attributes for event in sink.of(TagStarted)] == [{"path": "a.txt"}]
    assert [event.size for event in sink.of(TagCompleted)] == [7]
    assert "one two" not in conversation.messages[-1].text
