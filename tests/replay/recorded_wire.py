"""Wire fixtures recorded from the official SDKs' own traffic with the simulator, to the byte.

    SDK (anthropic, openai, google-genai) -> socket -> simulator
     ^------- bytes, kept on the way -----------

The same features as the written ones, in the simulator's words. It knows one answer for all providers; what only one
of them can say is a raw block in the words of that one. A pause is Anthropic's alone: the simulator ends the others.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self

import h11
from anthropic import AsyncAnthropic
from google import genai
from google.genai import types as google_types
from openai import AsyncOpenAI

from batuta.simulator import PROVIDERS, PlannedAnswer, Provider, Scenario, Simulator
from batuta.simulator.answers import Pace
from tests.replay.written_wire import CITED, FEATURES, ORDER, UNICODE, URL

Block = dict[str, Any]

CREATED = 1_760_000_000.0
SEED = 4
PIECE = 5
"""Characters to a chunk: words, escapes and emoji are cut."""


def _said(text: str, **more: Any) -> Block:
    return {"type": "text", "text": text, **more}


def _call(name: str, args: dict[str, Any]) -> Block:
    return {"type": "tool_call", "name": name, "arguments": args}


def _raw(**payloads: Block) -> Block:
    return {"type": "raw", "payloads": payloads}


THOUGHT = "I should look at the prices first."
_THINKING = [{"type": "thinking", "text": THOUGHT}, _raw(openai_chat={"reasoning_content": THOUGHT})]
_ENCRYPTED = {"type": "reasoning.encrypted", "data": "ZW5jcnlwdGVk", "id": "rs_1", "index": 0}
_PAGE = {"cited_text": "prices rose", "url": URL, "title": "Prices"}
_SEARCH = {"name": "web_search", "input": {"query": "prices"}, "results": [{"url": URL, "title": "Prices"}]}
_CODE = {"name": "code_execution", "input": {"code": "print(3)"}, "output": "3\n"}
_HOLOGRAM = {"type": "hologram", "id": "h_1", "data": {"frames": [1, 2]}}
_AUDIO = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1_760_000_900, "transcript": "Hello."}
_FILM = {"fileData": {"fileUri": "https://example.test/film.mp4", "mimeType": "video/mp4"}}

SCENES: dict[str, dict[str, Any]] = {
    "text": {"blocks": [_said("The order is ready.")]},
    "empty_text": {"blocks": [_said("")]},
    "thinking": {"blocks": [*_THINKING, _said("It costs 3 €.")]},
    "hidden_thinking": {
        "blocks": [
            {"type": "thinking", "text": "hidden", "redacted": True},
            _raw(openai_chat={"reasoning_details": [_ENCRYPTED]}),
            _said("Done."),
        ]
    },
    "tool_call": {"blocks": [_call("create_order", ORDER)]},
    "parallel_tools": {"blocks": [_call("create_order", ORDER), _call("list_customers", {})]},
    "text_and_tools": {"blocks": [*_THINKING, _said("I will create it."), _call("create_order", ORDER)]},
    "server_tool": {
        "blocks": [
            {"type": "server_tool", **_SEARCH},
            {"type": "server_tool", **_CODE},
            _said("Found it: 3.", citations=[_PAGE]),
        ]
    },
    "citations": {
        "blocks": [
            _said("As the page says, "),
            _said(CITED, citations=[_PAGE, {"cited_text": "subió", "title": "Tarifas", "document": 0}]),
        ]
    },
    "refusal": {"blocks": [{"type": "refusal", "text": "I cannot help with that."}]},
    "max_tokens": {"blocks": [_said("The order is")], "stop": "max_tokens"},
    "pause": {"blocks": [{"type": "server_tool", **_SEARCH}, _said("One moment.")], "stop": "pause"},
    "cached_usage": {
        "blocks": [_said("Cached.")],
        "usage": {"input": 145, "output": 7, "cached": 100, "cache_write": 40},
    },
    "reasoning_usage": {
        "blocks": [*_THINKING, _said("Thought.")],
        "usage": {"input": 5, "output": 90, "reasoning": 60},
    },
    "unknown_block": {
        "blocks": [
            _said("Look:"),
            _raw(anthropic=_HOLOGRAM, openai_responses=_HOLOGRAM, openai_chat={"audio": _AUDIO}, google=_FILM),
        ]
    },
    "structured_output": {"blocks": [{"type": "text", "json": ORDER}]},
    "unicode": {"blocks": [_said(UNICODE), _call("note", {"text": UNICODE})]},
}

MODELS: dict[Provider, str] = {
    "anthropic": "claude-sonnet-5",
    "openai_chat": "gpt-5",
    "openai_responses": "gpt-5",
    "google": "gemini-3-pro",
}


class Tape:
    """Stands between a client and the simulator, passes every byte on, and keeps those that come back."""

    def __init__(self, simulator: Simulator) -> None:
        self._port = int(simulator.url.rpartition(":")[2])
        self._received = bytearray()
        self.url = ""

    @property
    def body(self) -> bytes:
        """What came back, without the frame of HTTP around it."""
        connection = h11.Connection(h11.CLIENT)
        connection.send(h11.Request(method="POST", target="/", headers=[("Host", "simulator")]))
        connection.send(h11.EndOfMessage())
        connection.receive_data(bytes(self._received))
        body = bytearray()
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            assert event is not h11.NEED_DATA, "the answer is not complete"
            body += event.data if isinstance(event, h11.Data) else b""
        return bytes(body)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Listen on a port of its own."""
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            yield self

    async def _serve(self, asking: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_connection("127.0.0.1", self._port)
        await asyncio.gather(_copy(asking, questions), _copy(answers, answering, self._received))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter, kept: bytearray | None = None) -> None:
    while data := await source.read(65_536):
        if kept is not None:
            kept += data
        target.write(data)
        await target.drain()
    target.close()


async def _anthropic(url: str, stack: AsyncExitStack, streaming: bool) -> list[Any]:
    client = await stack.enter_async_context(AsyncAnthropic(base_url=url, api_key="test", max_retries=0))
    asked: dict[str, Any] = {"max_tokens": 4096, "messages": [{"role": "user", "content": "Hello"}]}
    return await _taken(await client.messages.create(model=MODELS["anthropic"], stream=streaming, **asked))


async def _chat(url: str, stack: AsyncExitStack, streaming: bool) -> list[Any]:
    client = await stack.enter_async_context(AsyncOpenAI(base_url=f"{url}/v1", api_key="test", max_retries=0))
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}]}
    counted: dict[str, Any] = {"stream_options": {"include_usage": True}} if streaming else {}
    created = await client.chat.completions.create(model=MODELS["openai_chat"], stream=streaming, **asked, **counted)
    return await _taken(created)


async def _responses(url: str, stack: AsyncExitStack, streaming: bool) -> list[Any]:
    client = await stack.enter_async_context(AsyncOpenAI(base_url=f"{url}/v1", api_key="test", max_retries=0))
    asked: dict[str, Any] = {"input": "Hello", "include": ["reasoning.encrypted_content"]}
    return await _taken(await client.responses.create(model=MODELS["openai_responses"], stream=streaming, **asked))


async def _google(url: str, stack: AsyncExitStack, streaming: bool) -> list[Any]:
    client = genai.Client(api_key="test", http_options=google_types.HttpOptions(base_url=url))
    stack.push_async_callback(client.aio.aclose)
    asked: dict[str, Any] = {"model": MODELS["google"], "contents": "Hello"}
    if streaming:
        return await _taken(await client.aio.models.generate_content_stream(**asked))
    return [await client.aio.models.generate_content(**asked)]


async def _taken(created: Any) -> list[Any]:
    """What the SDK made of it: one answer, or every chunk of a stream."""
    return [chunk async for chunk in created] if hasattr(created, "__aiter__") else [created]


SDKS: dict[Provider, Callable[[str, AsyncExitStack, bool], Awaitable[list[Any]]]] = {
    "anthropic": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "google": _google,
}


async def exchange(provider: Provider, answer: PlannedAnswer, *, streaming: bool) -> tuple[bytes, list[Any]]:
    """The bytes of one answer, and what the SDK read in them. Each is the first of its simulator: ids are the same."""
    scenario = Scenario(name="fixtures", seed=SEED, answers=(answer,), pace=Pace(chunk_chars=PIECE))
    async with Simulator(scenario, clock=lambda: CREATED) as simulator, Tape(simulator).running() as tape:
        async with AsyncExitStack() as clients:
            understood = await SDKS[provider](tape.url, clients, streaming)
        simulator.assert_finished()
        return tape.body, understood


def scene(feature: str) -> PlannedAnswer:
    """What the simulator says to show a feature."""
    return PlannedAnswer.model_validate({"usage": {"input": 20, "output": 30}, **SCENES[feature]})


async def recorded() -> dict[str, str]:
    """Every recording by its path below `wire`, as text: what comes is UTF-8."""
    made: dict[str, str] = {}
    for provider in PROVIDERS:
        for feature in FEATURES:
            place = f"{provider}/recorded/{feature}"
            made[f"{place}.whole.json"] = (await exchange(provider, scene(feature), streaming=False))[0].decode()
            made[f"{place}.stream.sse"] = (await exchange(provider, scene(feature), streaming=True))[0].decode()
    return made


def played(whole: Any, chunks: list[Any]) -> PlannedAnswer:
    """An answer that the simulator gives word by word as it was written."""
    events = [{"event": chunk.get("type"), "data": chunk} for chunk in chunks]
    return PlannedAnswer.model_validate({"raw": {"any": {"body": json.loads(json.dumps(whole)), "events": events}}})
