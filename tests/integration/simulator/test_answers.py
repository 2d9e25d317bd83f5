"""The official clients understand what the simulator says, streamed or not (F-46)."""

from typing import Any

import pytest

from batuta.simulator import PROVIDERS, Provider, Simulator
from tests.integration.simulator.clients import Clients, Reply
from tests.unit.simulator.rich_answers import RICH

BOTH = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
EVERYONE = pytest.mark.parametrize("provider", PROVIDERS)
# The stream helpers of OpenAI's client raise on these instead of returning the message; see test_faults.
HELPER_RAISES = {("openai_chat", "out of tokens"), ("openai_responses", "out of tokens")}
SAME = [(provider, name) for provider in PROVIDERS for name in RICH if (provider, name) not in HELPER_RAISES]


@EVERYONE
@BOTH
async def test_without_a_scenario_the_question_is_echoed(clients: Clients, provider: Provider, streaming: bool) -> None:
    reply = await clients.ask(provider, streaming=streaming)("Hello there")

    assert reply.text == "You said: Hello there"


@EVERYONE
@BOTH
async def test_parallel_calls_arrive_with_their_arguments(
    clients: Clients, simulator: Simulator, provider: Provider, streaming: bool
) -> None:
    simulator.play({"answers": [RICH["parallel calls"]]})

    reply = await clients.ask(provider, streaming=streaming)("Look both up")

    assert reply.text == "Looking both up."
    assert reply.calls == (("find_order", {"number": "Ñ-1", "lines": [1, 2]}), ("find_customer", {}))


@EVERYONE
@BOTH
async def test_thinking_arrives_apart_from_the_text(
    clients: Clients, simulator: Simulator, provider: Provider, streaming: bool
) -> None:
    simulator.play({"answers": [RICH["thinking"]]})

    reply = await clients.ask(provider, streaming=streaming)("Which one?")

    shown = "" if provider == "openai_chat" else "First weigh the options, then choose."
    assert (reply.thinking, reply.text) == (shown, "The second option.")


@EVERYONE
@BOTH
async def test_usage_arrives_with_cached_tokens(
    clients: Clients, simulator: Simulator, provider: Provider, streaming: bool
) -> None:
    usage = {"input": 900, "output": 200, "cached": 600, "reasoning": 150}
    simulator.play({"answers": [{"text": "Counted.", "usage": usage}]})

    reply = await clients.ask(provider, streaming=streaming)("Count")

    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (900, 200, 600)


@pytest.mark.parametrize(("provider", "name"), SAME)
async def test_a_stream_adds_up_to_the_whole_answer(
    clients: Clients, simulator: Simulator, provider: Provider, name: str
) -> None:
    pace = {"chunk_chars": 3, "vary": True, "bytes_per_write": 7}
    simulator.play({"answers": [RICH[name], RICH[name]], "pace": pace, "seed": 11})

    whole: Reply = await clients.ask(provider, streaming=False)("Hello")
    streamed: Reply = await clients.ask(provider, streaming=True)("Hello")

    assert streamed == whole


@EVERYONE
async def test_one_scenario_plays_over_every_wire_format(
    clients: Clients, simulator: Simulator, provider: Provider
) -> None:
    weather = {"when": {"last_user": "weather"}, "answer": "It rains."}
    simulator.play({"rules": [weather], "answers": ["One.", "Two."], "otherwise": "repeat"})
    ask = clients.ask(provider, streaming=True)

    texts = [(await ask(question)).text for question in ("first", "the weather?", "second", "third")]

    assert texts == ["One.", "It rains.", "Two.", "Two."]


async def test_anthropic_blocks_are_the_same_streamed_and_whole(clients: Clients, simulator: Simulator) -> None:
    blocks = [
        block for name in ("thinking", "web search", "code", "redacted thinking") for block in RICH[name]["blocks"]
    ]
    fixed = [{**block, "id": "toolu_fixed"} if block["type"] == "tool_call" else block for block in blocks]
    simulator.play({"answers": [{"blocks": fixed}], "otherwise": "repeat"})
    request: dict[str, Any] = {"model": "claude", "max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]}

    whole = await clients.anthropic.messages.create(**request)
    async with clients.anthropic.messages.stream(**request) as stream:
        streamed = await stream.get_final_message()

    def comparable(message: Any) -> list[Any]:
        ids = {"id", "tool_use_id"}
        return [block.model_dump(exclude=ids, exclude_none=True) for block in message.content]

    assert comparable(streamed) == comparable(whole)
    assert [block.type for block in whole.content] == [
        "thinking",
        "text",
        "server_tool_use",
        "web_search_tool_result",
        "text",
        "server_tool_use",
        "code_execution_tool_result",
        "text",
        "redacted_thinking",
        "text",
    ]


async def test_anthropic_streams_pings_and_a_citation(clients: Clients, simulator: Simulator) -> None:
    simulator.play({"answers": [RICH["web citation"]]})

    async with clients.anthropic.messages.stream(
        model="claude", max_tokens=99, messages=[{"role": "user", "content": "Hi"}]
    ) as stream:
        kinds = [event.type async for event in stream]
        message = await stream.get_final_message()

    assert "citation" in kinds
    assert message.content[0].model_dump()["citations"][0]["url"] == "https://example.com/oslo"


async def test_anthropic_refusal_explains_itself(clients: Clients, simulator: Simulator) -> None:
    simulator.play({"answers": [RICH["refusal"]]})

    message = await clients.anthropic.messages.create(
        model="claude", max_tokens=99, messages=[{"role": "user", "content": "Hi"}]
    )

    assert message.stop_reason == "refusal"
    assert message.stop_details is not None
    assert message.stop_details.explanation == "I will not do that."


async def test_openai_refusals_have_their_own_field(clients: Clients, simulator: Simulator) -> None:
    simulator.play({"answers": [RICH["refusal"]], "otherwise": "repeat"})

    chat = await clients.openai.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Hi"}])
    response = await clients.openai.responses.create(model="gpt-5", input="Hi")

    assert chat.choices[0].message.refusal == "I will not do that."
    assert response.output[0].model_dump()["content"][0]["refusal"] == "I will not do that."


async def test_a_block_of_an_unknown_type_reaches_the_client(clients: Clients, simulator: Simulator) -> None:
    raw = {"type": "raw", "payloads": {"any": {"type": "hologram", "id": "h_1", "beam": 3}}}
    simulator.play({"answers": [{"blocks": [raw, {"type": "text", "text": "Look!"}]}], "otherwise": "repeat"})

    message = await clients.anthropic.messages.create(
        model="claude", max_tokens=99, messages=[{"role": "user", "content": "Hi"}]
    )
    response = await clients.openai.responses.create(model="gpt-5", input="Hi")

    assert message.content[0].to_dict() == {"type": "hologram", "id": "h_1", "beam": 3}
    assert response.output[0].to_dict() == {"type": "hologram", "id": "h_1", "beam": 3}


async def test_a_raw_answer_is_sent_verbatim(clients: Clients, simulator: Simulator) -> None:
    event = {"event": "message_start", "data": {"type": "message_start", "message": {"id": "msg_raw"}}}
    simulator.play({"answers": [{"raw": {"anthropic": {"events": [event]}}}]})

    stream = await clients.anthropic.messages.create(
        model="claude", max_tokens=99, messages=[{"role": "user", "content": "Hi"}], stream=True
    )
    events = [item.model_dump(exclude_unset=True) async for item in stream]

    assert events == [event["data"]]
