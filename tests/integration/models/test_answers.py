"""Our clients over real sockets: whole equals streamed, and both are what the official SDKs understand (F-40, F-41)."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from batuta.kernel.messages import Answer, Delta, DocumentBlock, ImageBlock, Message, ToolResultBlock
from batuta.llm.model import ModelRequest, OutputSpec, ToolSpec
from batuta.simulator import Provider, Simulator
from tests.integration.models.stage import NAMES, Stage, said
from tests.integration.simulator.clients import Clients, open_clients

WEATHER = ToolSpec(
    name="get_weather",
    description="The weather of a city.",
    schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
PERSON = OutputSpec(
    name="person",
    schema={"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 1}}},
)
PICTURE = ImageBlock(media_type="image/png", data=b"aGVsbG8=")
PAPER = DocumentBlock(media_type="application/pdf", name="bill.pdf", data=b"aGVsbG8=")

ANSWERS: dict[str, dict[str, Any]] = {
    "text": {"text": "Words, words, wörds and 🎻 more of them."},
    "thinking": {"blocks": [{"type": "thinking", "text": "Let me see."}, {"type": "text", "text": "Yes."}]},
    "redacted": {"blocks": [{"type": "thinking", "text": "x", "redacted": True}, {"type": "text", "text": "Yes."}]},
    "tools": {
        "blocks": [
            {"type": "text", "text": "I look."},
            {"type": "tool_call", "name": "get_weather", "arguments": {"city": "Oslo"}},
            {"type": "tool_call", "name": "get_weather", "arguments": {"city": "Rome"}},
        ]
    },
    "json": {"blocks": [{"type": "text", "json": {"name": "Ana", "age": 3}}]},
    "bad arguments": {"blocks": [{"type": "tool_call", "name": "get_weather", "arguments_text": '{"city": '}]},
    "usage": {"text": "ok", "usage": {"input": 100, "output": 30, "cached": 40, "reasoning": 10}},
    "max tokens": {"text": "cut off", "stop": "max_tokens"},
}


def thoughtful() -> ModelRequest:
    return said(thinking_budget_tokens=2_000, max_tokens=9_000)


def without_ids(answer: Answer) -> Answer:
    """An answer without what the simulator draws anew for each request."""
    text = answer.model_copy(update={"response_id": None}).model_dump_json()
    text = re.sub(r'(?<="thought_signature":")[^"]+', "signed", text)
    return Answer.model_validate_json(re.sub(r"(rs|msg|fc|call|toolu|resp)_[0-9a-f]{12,}", r"\1", text))


@pytest.fixture
async def clients(simulator: Simulator) -> AsyncIterator[Clients]:
    async for opened in open_clients(simulator):
        yield opened


@pytest.mark.parametrize("kind", ANSWERS)
async def test_a_streamed_answer_equals_the_whole_one(stage: Stage, kind: str) -> None:
    """F-40: the last item of a stream is what `generate` gives."""
    stage.play({"answers": [ANSWERS[kind]], "otherwise": "repeat"})
    request = replace(thoughtful(), tools=(WEATHER,))
    whole = await stage.ask(request, streaming=False)
    streamed = await stage.ask(request, streaming=True)
    if kind == "bad arguments" and stage.provider in ("anthropic", "google"):
        return  # these send arguments whole as JSON: only a stream can hold broken ones
    assert without_ids(streamed) == without_ids(whole)


async def test_the_deltas_of_a_stream_add_up_to_the_answer(stage: Stage) -> None:
    stage.play({"answers": [ANSWERS["thinking"]]})
    items = [item async for item in stage.bare.stream(thoughtful())]
    deltas = [item for item in items if isinstance(item, Delta)]
    answer = items[-1]
    assert isinstance(answer, Answer)
    assert "".join(delta.text for delta in deltas if delta.kind == "text") == answer.text
    assert "".join(delta.text for delta in deltas if delta.kind == "thinking") == answer.thinking


@pytest.mark.parametrize("kind", ["text", "tools", "usage", "json"])
async def test_our_client_understands_what_the_official_one_does(
    stage: Stage, clients: Clients, kind: str, streaming: bool
) -> None:
    stage.play({"answers": [ANSWERS[kind]], "otherwise": "repeat"})
    model = stage.name.partition(":")[2]
    theirs = await clients.ask(stage.provider, streaming=streaming, model=model)("hi")
    ours = await stage.ask(said(), streaming=streaming)
    assert (ours.text, ours.thinking) == (theirs.text, theirs.thinking)
    assert tuple((call.name, call.args) for call in ours.tool_calls) == theirs.calls
    assert ours.raw_stop_reason == theirs.stop or stage.provider in ("openai_responses", "google")
    assert ours.usage is not None
    assert ours.usage.output == theirs.output_tokens
    assert ours.usage.cache_read == theirs.cached_tokens


async def test_usage_is_counted_the_same_everywhere(stage: Stage, streaming: bool) -> None:
    """F-45: input holds cached tokens, output holds thinking, whichever way the provider counts."""
    stage.play({"answers": [ANSWERS["usage"]]})
    usage = (await stage.ask(said(), streaming=streaming)).usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read, usage.thinking) == (100, 30, 40, 10)


async def test_the_cost_comes_with_the_answer(stage: Stage, streaming: bool) -> None:
    stage.play({"answers": [ANSWERS["text"]]})
    answer = await stage.ask(said(), streaming=streaming)
    is_known = stage.name.startswith(("anthropic", "openai"))  # the other models have no list price
    assert (answer.cost is not None and answer.cost > Decimal(0)) is is_known


@pytest.mark.parametrize("kind", ["text", "thinking", "redacted", "tools"])
async def test_an_answer_goes_back_in_a_form_the_provider_accepts(stage: Stage, kind: str, streaming: bool) -> None:
    """F-27: thinking with its signature, calls with their results, exactly as the provider wants them back."""
    stage.play({"answers": [ANSWERS[kind]], "otherwise": "repeat"})
    first = replace(thoughtful(), tools=(WEATHER,), system="Be kind.")
    answer = await stage.ask(first, streaming=streaming)
    results = [ToolResultBlock(tool_use_id=call.id, tool_name=call.name, content="sun") for call in answer.tool_calls]
    history = [*first.messages, answer.as_message(), *([Message.tool(results)] if results else [])]
    await stage.ask(replace(first, messages=(*history, Message.user("And now?"))), streaming=streaming)
    assert [exchange.problems for exchange in stage.simulator.requests] == [[], []]


async def test_thinking_goes_back_within_a_tool_loop(stage: Stage, streaming: bool) -> None:
    call = {"type": "tool_call", "name": "get_weather", "arguments": {"city": "Oslo"}}
    stage.play({"answers": [{"blocks": [{"type": "thinking", "text": "Look it up."}, call]}, "Sunny."]})
    first = replace(thoughtful(), tools=(WEATHER,))
    answer = await stage.ask(first, streaming=streaming)
    result = ToolResultBlock(tool_use_id=answer.tool_calls[0].id, tool_name="get_weather", content="sun")
    again = replace(first, messages=(*first.messages, answer.as_message(), Message.tool([result])))
    assert (await stage.ask(again, streaming=streaming)).text == "Sunny."
    assert stage.simulator.requests[-1].problems == []


@pytest.mark.parametrize("other", NAMES)
async def test_an_answer_of_one_provider_goes_to_another(stage: Stage, other: Provider) -> None:
    """A conversation may change its model: what only the first provider can read is left out."""
    sender = Stage(stage.simulator, other)
    call = {"type": "tool_call", "name": "get_weather", "arguments": {"city": "Oslo"}}
    stage.play({"answers": [{"blocks": [{"type": "thinking", "text": "Look it up."}, call]}], "otherwise": "repeat"})
    first = replace(thoughtful(), tools=(WEATHER,))
    answer = await sender.ask(first, streaming=False)
    await sender.bare.aclose()
    result = ToolResultBlock(tool_use_id=answer.tool_calls[0].id, tool_name="get_weather", content="sun")
    history = (*first.messages, answer.as_message(), Message.tool([result]), Message.user("And now?"))
    await stage.ask(replace(first, messages=history), streaming=False)
    assert stage.simulator.requests[-1].problems == []


REQUESTS: dict[str, ModelRequest] = {
    "forced tool": replace(said(), tools=(WEATHER,), tool_choice="required"),
    "no tool": replace(said(), tools=(WEATHER,), tool_choice="none"),
    "structured": replace(said(), output=PERSON),
    "structured with tools": replace(said(), output=PERSON, tools=(WEATHER,)),
    "cached": replace(said(caches_prompt=True), system="A long prompt.", tools=(WEATHER,)),
    "sampling": said(temperature=0.3, top_p=0.9, max_tokens=500),
    "picture": replace(said(), messages=(Message.user("look", PICTURE, PAPER),)),
    "hollow messages": replace(
        said(),
        tools=(WEATHER,),
        messages=(
            Message.user("hi"),
            Message.assistant([]),
            Message.user(""),
            Message.system("Be brief."),
            Message.user("hello?"),
        ),
    ),
}


@pytest.mark.parametrize("kind", REQUESTS)
async def test_what_we_send_breaks_no_rule_of_the_provider(stage: Stage, kind: str, streaming: bool) -> None:
    await stage.ask(REQUESTS[kind], streaming=streaming)
    [exchange] = stage.simulator.requests
    assert exchange.problems == []
    assert exchange.streaming is streaming


@pytest.mark.parametrize("name", ["ollama:gpt-oss", "vllm:qwen3", "deepseek:deepseek-chat"])
@pytest.mark.parametrize("kind", REQUESTS)
async def test_every_dialect_of_a_compatible_endpoint_breaks_no_rule(
    simulator: Simulator, name: str, kind: str
) -> None:
    """Older fields; no effort; neither effort nor schema."""
    stage = Stage(simulator, name)
    await stage.ask(REQUESTS[kind], streaming=False)
    await stage.close_without_a_trace()
    [exchange] = simulator.requests
    assert exchange.problems == []
    assert "max_completion_tokens" not in exchange.body
