"""Summaries of what is old, and what they and the window save together (F-61)."""

import pytest

from batuta.conversations.conversation import Conversation, KeptBookmark
from batuta.conversations.summaries import ConversationView, Summarizer, summaries_of, transcript, with_summaries
from batuta.conversations.tokens import estimate
from batuta.conversations.validity import NO_RESULT, problems_of
from batuta.conversations.window import SlidingWindow
from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.messages import Answer, Message, TextBlock, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest


class SummaryModel:
    """Answers every request with a summary of about 100 tokens."""

    provider = "tests"
    name = "summary"

    def __init__(self, text: str = "They spoke of stock. " * 19) -> None:
        self.text = text
        self.requests: list[ModelRequest] = []
        self.error: Exception | None = None

    async def generate(self, request: ModelRequest) -> Answer:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        return Answer(content=(TextBlock(text=self.text),))

    def stream(self, request: ModelRequest) -> object:
        raise NotImplementedError


def summarizer(model: SummaryModel) -> Summarizer:
    return Summarizer(model=model)  # type: ignore[arg-type]


def said(number: int, size: int = 400) -> Message:
    text = f"message {number} ".ljust(size, "x")
    return Message.user(text) if number % 2 == 0 else Message.assistant(text)


async def talk(view: ConversationView, count: int) -> tuple[Conversation, tuple[Message, ...]]:
    """A conversation of so many messages, seen by the model at every one of the user's."""
    conversation = Conversation()
    seen: tuple[Message, ...] = ()
    for number in range(count):
        conversation.add(said(number))
        if number % 2 == 0:
            seen = await view.messages(conversation)
    return conversation, seen


async def test_ten_messages_are_shown_as_they_are() -> None:
    model = SummaryModel()
    conversation = Conversation([said(number) for number in range(10)])

    assert await summarizer(model).update(conversation) is None
    assert model.requests == []


async def test_beyond_ten_the_older_ones_give_way_to_a_summary() -> None:
    model = SummaryModel("They agreed on 7 units.")
    conversation = Conversation([said(number) for number in range(11)])

    seen = await ConversationView(summarizer=summarizer(model)).messages(conversation)

    assert conversation.bookmarks[0].first == 2
    assert conversation.bookmarks[0].end == 8
    assert [message.text[:10].strip() for message in seen] == [
        "message 0", "message 1", "Summary of", "message 8", "message 9", "message 10",
    ]  # fmt: skip
    assert "They agreed on 7 units." in seen[2].text


async def test_the_original_stays_in_the_conversation() -> None:
    conversation, _ = await talk(ConversationView(summarizer=summarizer(SummaryModel())), 31)

    assert conversation.messages == tuple(said(number) for number in range(31))
    assert len(conversation.bookmarks) > 2


async def test_summaries_cover_what_is_old_without_gap_or_overlap() -> None:
    conversation, _ = await talk(ConversationView(summarizer=summarizer(SummaryModel())), 61)

    marks = summaries_of(conversation)
    assert [mark.first for mark in marks[1:]] == [mark.end for mark in marks[:-1]]
    assert all(conversation.messages[mark.end].role == "user" for mark in marks)


async def test_a_message_is_summed_up_once() -> None:
    model = SummaryModel()
    await talk(ConversationView(summarizer=summarizer(model)), 41)

    told = "\n".join(request.text for request in model.requests)
    assert [told.count(f"message {number} ") for number in range(2, 36)] == [1] * 34


@pytest.mark.parametrize(
    ("count", "least"), [*((n, 0.30) for n in range(11, 51, 2)), *((n, 0.60) for n in range(51, 121, 2))]
)
async def test_the_model_is_sent_less(count: int, least: float) -> None:
    """F-61: at least 30 % less beyond 10 messages, 60 % beyond 50, with messages of about 100 tokens."""
    conversation, seen = await talk(ConversationView(summarizer=summarizer(SummaryModel())), count)

    saved = 1 - estimate(seen) / estimate(conversation.messages)

    assert saved >= least


async def test_a_tool_exchange_is_not_cut_by_a_summary() -> None:
    model = SummaryModel()
    conversation = Conversation()
    for turn in range(6):
        call = ToolCallBlock(id=f"c{turn}", name="stock")
        result = ToolResultBlock(tool_use_id=call.id, tool_name="stock", content="7")
        conversation.add(
            Message.user(f"question {turn}"),
            Message.assistant([call]),
            Message.tool([result]),
            Message.assistant(f"answer {turn}"),
        )
        seen = await ConversationView(summarizer=summarizer(model)).messages(conversation)
        assert problems_of(seen) == []
        assert not any(result.content == NO_RESULT for message in seen for result in message.tool_results)

    assert all(conversation.messages[mark.end].role == "user" for mark in conversation.bookmarks)
    assert "asks stock" in model.requests[0].text
    assert "stock answers: 7" in model.requests[0].text


async def test_a_model_that_fails_costs_only_the_summary() -> None:
    model = SummaryModel()
    model.error = ProviderUnavailableError("overloaded")
    conversation = Conversation([said(number) for number in range(21)])

    seen = await ConversationView(summarizer=summarizer(model)).messages(conversation)

    assert seen == conversation.messages
    assert conversation.bookmarks == []


async def test_an_empty_summary_is_none() -> None:
    conversation = Conversation([said(number) for number in range(21)])

    assert await summarizer(SummaryModel("  ")).update(conversation) is None


async def test_a_long_summary_is_cut() -> None:
    conversation = Conversation([said(number) for number in range(21)])

    mark = await summarizer(SummaryModel("x" * 10_000)).update(conversation)

    assert mark is not None
    assert len(mark.text) == 800


async def test_many_summaries_leave_room_for_messages() -> None:
    """Of too many the newest are shown."""
    conversation = Conversation([said(number) for number in range(60)])
    conversation.bookmarks = [
        KeptBookmark(kind="summary", first=2 + start, end=4 + start, text=f"part {start} ".ljust(400, "y"))
        for start in range(0, 50, 2)
    ]

    seen = await ConversationView(window=SlidingWindow(limit_tokens=4_000)).messages(conversation)

    assert "part 48" in seen[2].text
    assert "part 0 " not in seen[2].text
    assert estimate(seen) <= 4_000


def test_a_summary_of_messages_that_are_gone_is_not_shown() -> None:
    conversation = Conversation([said(0), said(1)])
    conversation.bookmarks = [KeptBookmark(kind="summary", first=0, end=5, text="old")]

    assert with_summaries(conversation) == conversation.messages


def test_other_bookmarks_change_nothing() -> None:
    conversation = Conversation([said(0), said(1)])
    conversation.bookmarks = [KeptBookmark(kind="manual", first=0, end=1, text="important")]

    assert with_summaries(conversation) == conversation.messages


async def test_without_window_and_summaries_all_is_shown() -> None:
    conversation = Conversation([said(number) for number in range(60)])

    assert await ConversationView(window=None).messages(conversation) == conversation.messages


def test_a_transcript_cuts_long_parts() -> None:
    assert len(transcript([Message.user("x" * 5_000)])) == 1_006
