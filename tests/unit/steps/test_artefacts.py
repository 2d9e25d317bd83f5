"""Artefacts in a stream: the same pieces, however the text is cut."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta import AgentStep, Context, Conversation, Rejected, Tag
from batuta.events import AssistantMessage, TagCompleted, TagStarted
from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.messages import Answer, Delta
from batuta.steps.artefacts import Closed, Inside, Opened, Outside, Piece, TagParser
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel
from tests.unit.llm.doubles import PlayedModel, answer

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
    (message,) = sink.of(AssistantMessage)
    assert {event.message_id for event in (*sink.of(TagStarted), *sink.of(TagCompleted))} == {message.message_id}
    assert "one two" not in conversation.messages[-1].text


class Shelf:
    """Keeps artefacts by their path, and takes back what is void."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.discarded: list[str] = []

    async def write(self, attributes: dict[str, str], piece: str, *, is_last: bool) -> None:
        path = attributes["path"]
        self.files[path] = self.files.get(path, "") + piece

    async def take_back(self, attributes: dict[str, str]) -> None:
        self.discarded.append(attributes["path"])
        del self.files[attributes["path"]]

    @property
    def tag(self) -> Tag:
        return Tag("file", self.write, self.take_back)


WHOLE = 'See <file path="a">one two</file> and <file path="b">three</file>.'


@pytest.mark.parametrize("breaks_after", range(1, len(WHOLE), 7))
async def test_a_stream_that_breaks_within_an_artefact_begins_it_anew(breaks_after: int) -> None:
    """F-30, F-31: nothing of the broken stream stays, neither in an artefact nor in the words."""
    broken: list[Delta | Answer | BaseException | float] = [
        Delta("text", WHOLE[:breaks_after]),
        ProviderUnavailableError("reset"),
    ]
    again: list[Delta | Answer | BaseException | float] = [
        Delta("text", WHOLE[:20]),
        Delta("text", WHOLE[20:]),
        answer(WHOLE),
    ]
    shelf = Shelf()
    agent = AgentStep(name="a", model=PlayedModel([broken, again]), output=str, tags=[shelf.tag], is_streaming=True)
    result = await agent.run("x", clock=FakeClock())
    assert result.value == "See  and ."
    assert shelf.files == {"a": "one two", "b": "three"}


@pytest.mark.parametrize("is_streaming", [False, True])
async def test_artefacts_of_a_rejected_answer_are_taken_back(is_streaming: bool) -> None:
    """F-23, F-31."""

    async def short(value: str, ctx: Context) -> None:
        if "too long" in value:
            raise Rejected("too long")

    shelf = Shelf()
    model = ScriptedModel([Reply('too long <file path="a">1</file>'), Reply('ok <file path="b">2</file>')])
    agent = AgentStep(name="a", model=model, output=str, tags=[shelf.tag], validate=short, is_streaming=is_streaming)
    assert (await agent.run("x")).value == "ok "
    assert (shelf.files, shelf.discarded) == ({"b": "2"}, ["a"])
