"""The sliding window: the first messages, the last that fit, and never half an exchange (F-61)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batuta.conversations.tokens import estimate, estimate_text
from batuta.conversations.validity import problems_of
from batuta.conversations.window import SlidingWindow
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.messages import Message, ToolCallBlock, ToolResultBlock
from tests.unit.conversations.histories import broken_histories, lived_histories


def one_each(message: Message) -> int:
    return 1


def user(number: int) -> Message:
    return Message.user(f"question {number}")


def assistant(number: int) -> Message:
    return Message.assistant(f"answer {number}")


def exchange(number: int) -> list[Message]:
    call = ToolCallBlock(id=f"call-{number}", name="stock")
    result = ToolResultBlock(tool_use_id=call.id, tool_name="stock", content="7")
    return [Message.assistant([call]), Message.tool([result])]


def turns(count: int) -> list[Message]:
    return [message for number in range(count) for message in (user(number), assistant(number))]


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.text for message in messages]


def test_a_history_that_fits_is_sent_whole() -> None:
    history = turns(3)

    assert SlidingWindow().apply(history) == tuple(history)


def test_the_first_and_the_last_messages_are_kept() -> None:
    window = SlidingWindow(limit_tokens=5, keep_first=2, count_tokens=one_each)

    seen = window.apply([*turns(5), user(5)])

    assert texts(seen) == ["question 0", "answer 0", "question 4", "answer 4", "question 5"]


def test_a_call_and_its_result_go_together() -> None:
    """One more would fit, but not the pair."""
    history = [*turns(1), user(1), *exchange(1), assistant(1), user(2)]
    window = SlidingWindow(limit_tokens=5, keep_first=2, count_tokens=one_each)

    assert texts(window.apply(history)) == ["question 0", "answer 0", "answer 1", "question 2"]


def test_the_present_turn_is_kept_even_when_it_is_larger_than_the_window() -> None:
    history = [*turns(3), user(3), *exchange(1), *exchange(2)]
    window = SlidingWindow(limit_tokens=2, keep_first=2, count_tokens=one_each)

    assert window.apply(history) == tuple(history[6:])


def test_the_first_messages_give_way_to_the_present_turn() -> None:
    window = SlidingWindow(limit_tokens=2, keep_first=2, count_tokens=one_each)

    assert texts(window.apply([*turns(3), user(3)])) == ["question 0", "question 3"]


def test_without_first_messages_the_user_still_speaks_first() -> None:
    window = SlidingWindow(limit_tokens=3, keep_first=0, count_tokens=one_each)

    seen = window.apply([*turns(5), user(5)])

    assert problems_of(seen) == []
    assert texts(seen)[-1] == "question 5"


@settings(max_examples=200, deadline=None)
@given(st.one_of(broken_histories, lived_histories()), st.integers(1, 400), st.integers(0, 4))
def test_what_a_window_shows_is_always_valid(history: list[Message], limit_tokens: int, keep_first: int) -> None:
    """F-27."""
    window = SlidingWindow(limit_tokens=limit_tokens, keep_first=keep_first)

    seen = window.apply([*history, Message.user("and now?")])

    assert problems_of(seen) == []
    assert seen[-1] == Message.user("and now?")


@settings(max_examples=200, deadline=None)
@given(lived_histories(), st.integers(200, 800))
def test_a_window_stays_within_its_budget(history: list[Message], limit_tokens: int) -> None:
    """The opening that a history of the assistant's alone gets is the only thing a window adds."""
    seen = SlidingWindow(limit_tokens=limit_tokens).apply([*history, Message.user("and now?")])

    assert estimate(seen) <= limit_tokens + 20


@pytest.mark.parametrize("settings_", [{"limit_tokens": 0}, {"keep_first": -1}])
def test_a_window_has_room_for_something(settings_: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError):
        SlidingWindow(**settings_)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("word", 1), ("x" * 400, 100), ("ñ" * 100, 75), ("日本語日本語日本", 6)],
)
def test_tokens_are_estimated_from_the_length(text: str, tokens: int) -> None:
    assert estimate_text(text) == tokens
