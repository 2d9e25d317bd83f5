"""What a model is sent is accepted by every provider, whatever happened to the conversation before (F-27).

The judge is the simulator's own book of rules, which shares nothing with what it judges.
"""

import random

import pytest

from batuta.conversations.conversation import Conversation
from batuta.conversations.validity import valid_history
from batuta.conversations.window import SlidingWindow
from batuta.kernel.messages import ContentBlock, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest, ModelSettings, ToolSpec
from batuta.simulator import Provider, validate_request
from tests.support.encoders import ENCODERS

HISTORIES = 10_000
BATCHES = 10

SIGNED = {
    "anthropic": ThinkingBlock(text="hm", signature="by-anthropic", extra={"anthropic": {}}),
    "openai": ThinkingBlock(text="hm", signature="by-openai", extra={"openai": {"id": "rs_1"}}),
    "google": ThinkingBlock(text="hm", signature="by-google", extra={"google": {}}),
}
TOOLS = (ToolSpec(name="stock", description="Units on hand.", schema={"type": "object", "properties": {}}),)


class Life:
    """One conversation as it may happen: answers, tool rounds, denials, cancellations, corrections, noise."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.conversation = Conversation()
        self._calls = 0

    def happen(self) -> list[Message]:
        for _ in range(self._random.randint(0, 6)):
            self._random.choice([self._turn, self._turn, self._turn, self._correction, self._greeting, self._noise])()
        history = list(self.conversation.messages)
        if self._random.random() < 0.3:
            history = history[self._random.randint(0, 3) :]
        if history and self._random.random() < 0.3:
            del history[self._random.randrange(len(history))]
        return history

    def _turn(self) -> None:
        self.conversation.add(Message.user(self._words()))
        for _ in range(self._random.randint(0, 3)):
            if not self._round():
                return
        if self._random.random() < 0.9:
            self.conversation.add(Message.assistant([*self._thought(), TextBlock(text=self._words())]))

    def _round(self) -> bool:
        """Calls and what came of them; whether the turn goes on."""
        ids = [self._call_id() for _ in range(self._random.randint(1, 3))]
        words: list[ContentBlock] = [TextBlock(text=self._words())] if self._random.random() < 0.4 else []
        calls = [ToolCallBlock(id=name, name="stock", args={"sku": "A"}) for name in ids]
        self.conversation.add(Message.assistant([*self._thought(), *words, *calls]))
        results = [
            ToolResultBlock(
                tool_use_id=name, tool_name="stock", content=self._words(), is_error=self._random.random() < 0.3
            )
            for name in ids
        ]
        if self._random.random() < 0.15:
            self._random.shuffle(results)
            results = results[: self._random.randint(0, len(results))]
        self.conversation.add(Message.tool(results))
        return self._random.random() < 0.85

    def _correction(self) -> None:
        """An attempt that is taken back, or only half of it is."""
        bookmark = self.conversation.history.bookmark()
        self._turn()
        if self._random.random() < 0.7:
            self.conversation.history.clear_after(bookmark)

    def _greeting(self) -> None:
        self.conversation.add(Message.assistant(self._words()))

    def _noise(self) -> None:
        result = ToolResultBlock(tool_use_id=f"lost-{self._random.random()}", tool_name="stock", content="7")
        self.conversation.add(
            self._random.choice(
                [Message.tool([result]), Message.assistant(""), Message.system("A note."), Message.user(" ")]
            )
        )

    def _call_id(self) -> str:
        self._calls += self._random.random() < 0.9
        return f"call_{self._calls}"

    def _thought(self) -> list[ContentBlock]:
        """Often none; else unsigned, or signed by one of those who answered in this conversation."""
        if self._random.random() < 0.7:
            return []
        return [self._random.choice([ThinkingBlock(text="hm"), *SIGNED.values()])]

    def _words(self) -> str:
        return self._random.choice(["", "yes", "how many?", "x" * 300]) if self._random.random() < 0.5 else "some words"


def sent(seed: int) -> tuple[Message, ...]:
    """What a chat would send: the history, cut in one way or another, and a new request."""
    history = [*Life(seed).happen(), Message.user("and now?")]
    choice = random.Random(-seed)
    if choice.random() < 0.5:
        return valid_history(history)
    return SlidingWindow(limit_tokens=choice.randint(5, 600), keep_first=choice.randint(0, 4)).apply(history)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_provider_accepts_what_is_sent(batch: int) -> None:
    size = HISTORIES // BATCHES
    for seed in range(batch * size, (batch + 1) * size):
        request = ModelRequest(
            messages=sent(seed), system="Be kind.", tools=TOOLS, settings=ModelSettings(max_tokens=1000)
        )
        for provider, (encode, model) in ENCODERS.items():
            body = encode(request, model)
            assert validate_request(provider, body) == [], (seed, provider)
            foreign = [f"by-{name}" for name in SIGNED if name != provider.partition("_")[0]]
            assert not any(signature in str(body) for signature in foreign), (seed, provider)


CALL = ToolCallBlock(id="call_1", name="stock", args={"sku": "A"})
RESULT = ToolResultBlock(tool_use_id="call_1", tool_name="stock", content="7")
BROKEN: dict[str, tuple[Message, ...]] = {
    "a call without a result": (Message.user("how many?"), Message.assistant([CALL]), Message.user("well?")),
    "a result without a call": (Message.user("how many?"), Message.tool([RESULT]), Message.user("well?")),
    "a result twice": (
        Message.user("how many?"),
        Message.assistant([CALL]),
        Message.tool([RESULT, RESULT]),
        Message.user("well?"),
    ),
}


@pytest.mark.parametrize("provider", ENCODERS)
@pytest.mark.parametrize("what", BROKEN)
def test_the_judge_refuses_a_history_that_is_not_repaired(provider: Provider, what: str) -> None:
    """Otherwise the test above could not fail."""
    encode, model = ENCODERS[provider]

    def problems(messages: tuple[Message, ...]) -> list[str]:
        request = ModelRequest(messages=messages, tools=TOOLS, settings=ModelSettings(max_tokens=1000))
        return validate_request(provider, encode(request, model))

    assert problems(BROKEN[what])
    assert problems(valid_history(BROKEN[what])) == []


@pytest.mark.parametrize("provider", ENCODERS)
def test_the_judge_would_refuse_many_of_these_histories_as_they_are(provider: Provider) -> None:
    encode, model = ENCODERS[provider]
    refused = 0
    for seed in range(300):
        history = (*Life(seed).happen(), Message.user("and now?"))
        request = ModelRequest(messages=history, tools=TOOLS, settings=ModelSettings(max_tokens=1000))
        refused += bool(validate_request(provider, encode(request, model)))

    assert refused > 50
