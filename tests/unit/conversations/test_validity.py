"""Histories that every provider accepts, whatever happened to them (F-27)."""

import pytest
from hypothesis import given, settings

from batuta.conversations.validity import NO_RESULT, OPENING, exchanges, problems_of, valid_history
from batuta.kernel.messages import ContentBlock, Message, Role, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from tests.unit.conversations.histories import broken_histories, lived_histories


def ask(*ids: str, text: str = "") -> Message:
    words: list[ContentBlock] = [TextBlock(text=text)] if text else []
    return Message.assistant([*words, *(ToolCallBlock(id=name, name="stock") for name in ids)])


def got(name: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id=name, tool_name="stock", content="7")


def answer(*ids: str) -> Message:
    return Message.tool(map(got, ids))


def lost(name: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id=name, tool_name="stock", content=NO_RESULT, is_error=True)


hello = Message.user("hello")
bye = Message.assistant("bye")

VALID = [hello, ask("a", "b"), answer("a", "b"), ask("c"), answer("c"), bye, hello, bye]


def test_a_valid_history_is_returned_as_it_is() -> None:
    assert valid_history(VALID) == tuple(VALID)
    assert valid_history([]) == ()


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        ([hello, ask("a")], [hello, ask("a"), Message.tool([lost("a")])]),
        ([hello, ask("a", "b"), answer("b")], [hello, ask("a", "b"), Message.tool([lost("a"), got("b")])]),
        ([hello, answer("z"), bye], [hello, bye]),
        ([answer("z"), hello], [hello]),
        ([hello, ask("a", "b"), answer("b", "a")], [hello, ask("a", "b"), answer("a", "b")]),
        ([hello, ask("a", "b"), answer("a"), answer("b")], [hello, ask("a", "b"), answer("a", "b")]),
        ([hello, ask("a"), hello, answer("a")], [hello, ask("a"), answer("a"), hello]),
        ([hello, ask("a"), answer("a", "a")], [hello, ask("a"), answer("a")]),
        (
            [hello, ask("a"), answer("a"), ask("a"), answer("a")],
            [hello, ask("a"), answer("a"), ask("a_2"), answer("a_2")],
        ),
        ([hello, ask("a", "a"), answer("a", "a")], [hello, ask("a", "a_2"), answer("a", "a_2")]),
        ([bye, hello], [Message.user(OPENING), bye, hello]),
        ([hello, bye, ask("a"), answer("a")], [hello, ask("a", text="bye"), answer("a")]),
        ([hello, Message.assistant(""), hello], [hello, hello]),
        ([hello, Message.assistant([ThinkingBlock(text="hm")]), hello], [hello, hello]),
        ([hello, Message.assistant([TextBlock(text=" "), TextBlock(text="x")])], [hello, Message.assistant("x")]),
    ],
    ids=[
        "cancelled call", "one of two results", "orphan result", "orphan first", "results out of order",
        "results in two messages", "result too late", "result twice", "id used again", "id twice in one message",
        "assistant first", "text then calls", "empty answer", "thinking alone", "blank text",
    ],
)  # fmt: skip
def test_each_fault_has_its_repair(broken: list[Message], repaired: list[Message]) -> None:
    assert problems_of(broken)
    assert valid_history(broken) == tuple(repaired)


@pytest.mark.parametrize(
    ("role", "block"),
    [
        ("user", ToolCallBlock(id="a", name="stock")),
        ("user", ToolResultBlock(tool_use_id="a", content="7")),
        ("user", ThinkingBlock(text="hm")),
        ("assistant", ToolResultBlock(tool_use_id="a", content="7")),
    ],
)
def test_a_block_in_the_wrong_place_is_left_out(role: Role, block: ContentBlock) -> None:
    misplaced = Message(role=role, content=(TextBlock(text="words"), block))

    *_, last = valid_history([hello, misplaced, answer("z")])

    assert last.content == (TextBlock(text="words"),)


@settings(max_examples=200, deadline=None)
@given(broken_histories)
def test_any_history_becomes_valid(history: list[Message]) -> None:
    """F-27: orphans, repeated ids, wrong places, empty texts."""
    repaired = valid_history(history)

    assert problems_of(repaired) == []
    assert valid_history(repaired) == repaired


@settings(max_examples=200, deadline=None)
@given(broken_histories)
def test_no_word_of_the_user_is_lost_or_moved(history: list[Message]) -> None:
    said = [message.text for message in history if message.role == "user" and message.text.strip()]

    repaired = [message.text for message in valid_history(history) if message.role == "user"]

    assert [text for text in repaired if text != OPENING] == [
        "".join(block.text for block in message.content if isinstance(block, TextBlock) and block.text.strip())
        for message in history
        if message.role == "user" and message.text.strip()
    ]
    assert len(said) == len([text for text in repaired if text != OPENING])


@settings(max_examples=200, deadline=None)
@given(lived_histories())
def test_every_result_that_was_given_is_kept(history: list[Message]) -> None:
    asked = {call.id for message in history for call in message.tool_calls}
    given_results = {
        result.tool_use_id for message in history for result in message.tool_results if result.tool_use_id in asked
    }

    repaired = valid_history(history)

    kept = {
        result.tool_use_id for message in repaired for result in message.tool_results if result.content != NO_RESULT
    }
    assert kept == given_results


def test_what_the_provider_ran_itself_stays_in_the_answer() -> None:
    """It is answered inside the assistant's message; nobody here owes it a result."""
    searched = Message.assistant(
        [
            ToolCallBlock(id="s", name="web_search", is_server_side=True),
            ToolResultBlock(tool_use_id="s", content="found", is_server_side=True),
            TextBlock(text="It is so."),
        ]
    )

    assert valid_history([hello, searched]) == (hello, searched)
    assert valid_history([hello, searched, ask("a")])[1].content[:3] == searched.content


def test_exchanges_keep_a_call_and_its_results_together() -> None:
    assert [len(part) for part in exchanges(VALID)] == [1, 2, 2, 1, 1, 1]
