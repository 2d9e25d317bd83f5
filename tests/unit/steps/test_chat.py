"""Chat agents: a conversation seen through a window."""

import asyncio

import pytest

from batuta import ChatAgentStep, Conversation, Message
from batuta.conversations.tokens import estimate
from batuta.conversations.window import SlidingWindow
from batuta.kernel.errors import ProviderRejectedError
from batuta.kernel.messages import ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.testing import Reply, ScriptedModel


async def test_a_chat_agent_remembers_what_was_said() -> None:
    """F-27."""
    model = ScriptedModel([Reply("Hello Ana."), Reply("You are Ana.")])
    chat = ChatAgentStep(name="chat", model=model, conversation=Conversation())
    await chat.run("I am Ana.")
    await chat.run("Who am I?")
    assert [message.text for message in model.requests[1].messages] == ["I am Ana.", "Hello Ana.", "Who am I?"]


async def test_the_conversation_of_the_run_goes_before_its_own() -> None:
    model = ScriptedModel([Reply("hi")])
    own, given = Conversation(), Conversation()
    chat = ChatAgentStep(name="chat", model=model, conversation=own)
    await chat.run("hello", conversation=given)
    assert len(given.messages) == 2
    assert not own.messages


async def test_two_users_of_one_agent_never_see_what_the_other_said() -> None:
    """F-80: an agent at module level serves many; without a conversation each run is one of its own."""
    model = ScriptedModel([Reply("Noted.")] * 22)
    chat = ChatAgentStep(name="chat", model=model)
    await chat.run("I am Ana, my PIN is 1234.")
    await asyncio.gather(*(chat.run(f"I am user {n}.") for n in range(20)))
    await chat.run("Who am I?")
    assert all(len(request.messages) == 1 for request in model.requests)


async def test_an_empty_conversation_that_is_given_is_used() -> None:
    """It is a conversation, though nothing was said in it yet."""
    given = Conversation()
    await ChatAgentStep(name="chat", model=ScriptedModel([Reply("hi")]), conversation=given).run("hello")
    assert [message.text for message in given.messages] == ["hello", "hi"]


async def test_the_model_sees_what_fits_the_window_and_everything_is_kept() -> None:
    past = [
        m for n in range(40) for m in (Message.user(f"question {n} " + "x" * 200), Message.assistant(f"answer {n}"))
    ]
    conversation = Conversation(past)
    model = ScriptedModel([Reply("ok")])
    chat = ChatAgentStep(name="chat", model=model, window=SlidingWindow(limit_tokens=500), summarizes=False)
    await chat.run("and now?", conversation=conversation)
    seen = model.requests[0].messages
    assert seen[0] == past[0]
    assert seen[-1].text == "and now?"
    assert len(seen) < 20
    assert len(conversation.messages) == 82


@pytest.mark.parametrize("summarizes", [False, True])
async def test_a_long_request_takes_its_room_in_the_window(summarizes: bool) -> None:
    """F-61: the budget holds for what is sent, the new request included, whatever was said before."""
    past = [m for n in range(4) for m in (Message.user(f"question {n} " + "x" * 300), Message.assistant(f"answer {n}"))]
    window = SlidingWindow(limit_tokens=500)
    request = "y " * 600
    for asked in ("short", request):
        model = ScriptedModel([Reply("ok")])
        chat = ChatAgentStep(
            name="chat", model=model, window=window, summarizes=summarizes, summary_model=ScriptedModel([])
        )
        await chat.run(asked, conversation=Conversation(past))
        sent = model.requests[0].messages
        assert sent[-1].text == asked
        assert estimate(sent) <= window.limit_tokens
        assert len(sent) > 1


async def test_a_broken_history_is_mended_before_it_is_sent() -> None:
    """F-27: no orphan call reaches a provider."""
    orphan = Message.assistant([ToolCallBlock(id="1", name="look")])
    model = ScriptedModel([Reply("ok")])
    await ChatAgentStep(name="chat", model=model).run(
        "go on", conversation=Conversation([Message.user("look"), orphan])
    )
    sent = model.requests[0].messages
    calls = [call.id for message in sent for call in message.tool_calls]
    results = [result.tool_use_id for message in sent for result in message.tool_results]
    assert calls == results


async def test_what_is_old_gives_way_to_a_summary() -> None:
    """F-61: every ten messages; the summary is made by a model and counted."""
    past = [m for n in range(6) for m in (Message.user(f"question {n}"), Message.assistant(f"answer {n}"))]
    conversation = Conversation(past)
    writer = ScriptedModel([Reply("They talked about questions.", usage=Usage(input=9, output=3))])
    model = ScriptedModel([Reply("ok", usage=Usage(input=1, output=1))])
    chat = ChatAgentStep(name="chat", model=model, summary_model=writer)
    result = await chat.run("and now?", conversation=conversation)
    seen = [message.text for message in model.requests[0].messages]
    assert any("They talked about questions." in text for text in seen)
    assert len(seen) < len(past)
    assert len(conversation.messages) == 14
    assert result.metrics.usage == Usage(input=10, output=4)


async def test_a_model_that_cannot_sum_up_costs_nothing_but_the_summary() -> None:
    past = [m for n in range(6) for m in (Message.user(f"question {n}"), Message.assistant(f"answer {n}"))]
    model = ScriptedModel([Reply("ok")])
    chat = ChatAgentStep(name="chat", model=model, summary_model=ScriptedModel([ProviderRejectedError("no")]))
    result = await chat.run("and now?", conversation=Conversation(past))
    assert result.value == "ok"
