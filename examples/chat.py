"""A long conversation: the model sees a window and summaries, the conversation keeps every word."""

import asyncio

from batuta import ChatAgentStep, Conversation, Message
from batuta.conversations import ConversationView, SlidingWindow, Summarizer
from batuta.testing import Reply, ScriptedModel


async def main() -> None:
    # A chat agent remembers, and its model sees the first messages and as many of the last as fit the window.
    model = ScriptedModel([Reply("Hello Ana."), Reply("Noted: " + "long " * 200), Reply("Gladly."), Reply("You are Ana.")])
    chat = ChatAgentStep(name="chat", model=model, window=SlidingWindow(limit_tokens=60, keep_first=2))
    conversation = Conversation(system_prompt="You are a patient assistant.")
    for line in ("I am Ana.", "Remember this.", "Thanks."):
        await chat.run(line, conversation=conversation)
    result = await chat.run("Who am I?", conversation=conversation)
    assert result.value == "You are Ana."

    assert len(conversation.messages) == 8  # everything is kept
    seen = [message.text for message in model.requests[3].messages]
    assert seen == ["I am Ana.", "Hello Ana.", "Thanks.", "Gladly.", "Who am I?"]  # what is long did not fit
    assert model.requests[3].system.startswith("You are a patient assistant.")

    # What is old gives way to a summary that a model writes once; the original stays.
    past = [m for n in range(20) for m in (Message.user(f"question {n} " + "word " * 30), Message.assistant(f"answer {n}"))]
    long = Conversation([*past, Message.user("And now?")])
    clerk = ScriptedModel([Reply("Twenty questions were asked and answered.")])
    view = ConversationView(window=SlidingWindow(), summarizer=Summarizer(model=clerk))

    shown = await view.messages(long)

    assert len(long.messages) == 41 and 4 * len(shown) < len(long.messages)
    assert any("Twenty questions were asked" in message.text for message in shown)
    assert shown[-1].text == "And now?"
    [summary] = long.bookmarks
    assert summary.kind == "summary" and summary.first == 2
    spared = 1 - sum(len(message.text) for message in shown) / sum(len(message.text) for message in long.messages)
    assert spared > 0.6

    await view.messages(long)  # nothing new has become old: the model is not asked again
    clerk.assert_finished()


asyncio.run(main())
