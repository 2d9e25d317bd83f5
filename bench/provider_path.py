"""What our clients add to the official SDKs, over loopback against the simulator (spec 09: provider call, delta).

    python -m bench.provider_path            the table
    python -m bench.provider_path --json     one JSON object per line

Per client, in a process of its own: CPU microseconds per whole call and per streamed delta, best of many short rounds
(the best is the one nobody interrupted), in two passes over all of them, so that a busy minute hits nobody alone. The
server runs in another process and is not counted. `sdk` is the official SDK as it comes, `sdk+aiohttp` the same with
its aiohttp transport, `batuta` our client, `protected` our client as `model()` gives it, with time limit, breaker and
retries.
"""

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

DELTAS = 500
CHARS = 16
PASSES, ROUNDS, CALLS_PER_ROUND, STREAM_ROUNDS = 2, 30, 10, 14
TEXT = ("word" * (CHARS // 4)) * DELTAS
MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai_chat": "gpt-5",
    "openai_responses": "gpt-5",
    "google": "gemini-2.5-flash",
}
WAYS = ("sdk", "sdk+aiohttp", "batuta", "protected")
SCENARIO = {
    "rules": [
        {"when": {"last_user": "stream"}, "answer": {"text": TEXT}},
        {"when": {"last_user": "call"}, "answer": {"text": "A short and fixed answer."}},
    ],
    "pace": {"chunk_chars": CHARS},
}

Call = Callable[[], Awaitable[object]]


async def _serve(port: int) -> None:
    from batuta.simulator import Simulator

    async with Simulator(SCENARIO, port=port):
        await asyncio.Event().wait()


def _batuta(provider: str, url: str, *, is_protected: bool) -> tuple[Call, Call]:
    from batuta.kernel.messages import Message
    from batuta.llm import factory
    from batuta.llm.model import ModelRequest, ModelSettings

    name = {"openai_chat": "openai", "openai_responses": "openai-responses"}.get(provider, provider)
    base = url + "/v1" if provider.startswith("openai") else url
    make = factory.model if is_protected else factory.client
    model = make(f"{name}:{MODELS[provider]}", api_key="k", base_url=base)
    settings = ModelSettings(max_tokens=20_000)

    async def call() -> object:
        return await model.generate(ModelRequest(messages=(Message.user("call"),), settings=settings))

    async def stream() -> int:
        seen = 0
        async for _ in model.stream(ModelRequest(messages=(Message.user("stream"),), settings=settings)):
            seen += 1
        return seen

    return call, stream


def _anthropic(url: str, **client_options: object) -> tuple[Call, Call]:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(base_url=url, api_key="k", **client_options)
    body = {"model": MODELS["anthropic"], "max_tokens": 20_000}

    async def call() -> object:
        return await client.messages.create(**body, messages=[{"role": "user", "content": "call"}])

    async def stream() -> int:
        seen = 0
        events = await client.messages.create(**body, messages=[{"role": "user", "content": "stream"}], stream=True)
        async for event in events:
            seen += event.type == "content_block_delta"
        return seen

    return call, stream


def _openai_chat(url: str, **client_options: object) -> tuple[Call, Call]:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url + "/v1", api_key="k", **client_options)
    body = {"model": MODELS["openai_chat"], "max_completion_tokens": 20_000}

    async def call() -> object:
        return await client.chat.completions.create(**body, messages=[{"role": "user", "content": "call"}])

    async def stream() -> int:
        seen = 0
        messages = [{"role": "user", "content": "stream"}]
        async for chunk in await client.chat.completions.create(**body, messages=messages, stream=True):
            seen += bool(chunk.choices and chunk.choices[0].delta.content)
        return seen

    return call, stream


def _openai_responses(url: str, **client_options: object) -> tuple[Call, Call]:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url + "/v1", api_key="k", **client_options)
    body = {"model": MODELS["openai_responses"], "max_output_tokens": 20_000}

    async def call() -> object:
        return await client.responses.create(**body, input="call")

    async def stream() -> int:
        seen = 0
        async for event in await client.responses.create(**body, input="stream", stream=True):
            seen += event.type == "response.output_text.delta"
        return seen

    return call, stream


def _google(url: str, **client_options: object) -> tuple[Call, Call]:
    from google import genai

    client = genai.Client(api_key="k", http_options={"base_url": url, **client_options})
    config = {"max_output_tokens": 20_000}

    async def call() -> object:
        return await client.aio.models.generate_content(model=MODELS["google"], contents="call", config=config)

    async def stream() -> int:
        seen = 0
        chunks = client.aio.models.generate_content_stream(model=MODELS["google"], contents="stream", config=config)
        async for chunk in await chunks:
            seen += bool(chunk.text)
        return seen

    return call, stream


SDKS = {
    "anthropic": _anthropic,
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "google": _google,
}


def _contender(provider: str, way: str, url: str) -> tuple[Call, Call]:
    if way in ("batuta", "protected"):
        return _batuta(provider, url, is_protected=way == "protected")
    if way == "sdk":
        if provider != "google":
            return SDKS[provider](url)
        import httpx2

        return _google(url, httpx_async_client=httpx2.AsyncClient())
    if provider == "google":
        return _google(url)
    from anthropic import DefaultAioHttpClient as ForAnthropic
    from openai import DefaultAioHttpClient as ForOpenAI

    return SDKS[provider](url, http_client=ForAnthropic() if provider == "anthropic" else ForOpenAI())


async def _measure(provider: str, way: str, url: str) -> dict[str, object]:
    call, stream = _contender(provider, way, url)
    for _ in range(5):
        await call()
    seen = await stream()
    if not isinstance(seen, int) or seen < DELTAS:
        raise RuntimeError(f"{provider} {way}: only {seen} deltas")
    gc.collect()
    gc.freeze()
    per_call = min([await _cpu(call, CALLS_PER_ROUND) for _ in range(ROUNDS)])
    per_stream = min([await _cpu(stream, 1) for _ in range(STREAM_ROUNDS)])
    return {"provider": provider, "way": way, "call_us": per_call * 1e6, "delta_us": per_stream / DELTAS * 1e6}


async def _cpu(act: Call, times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        await act()
    return (time.process_time() - started) / times


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _measured_apart(provider: str, way: str, url: str) -> dict[str, object]:
    command = [sys.executable, "-W", "ignore", "-m", "bench.provider_path", "--one", provider, way, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"{provider} {way} failed: {done.stderr[-500:]}")
    result: dict[str, object] = json.loads(lines[-1])
    return result


def _one_pass(url: str) -> list[dict[str, object]]:
    return [_measured_apart(provider, way, url) for provider in MODELS for way in WAYS]


def _better(rows: tuple[dict[str, object], ...]) -> dict[str, object]:
    """The best of each figure of one contender."""
    return {**rows[0], **{figure: min(row[figure] for row in rows) for figure in ("call_us", "delta_us")}}  # type: ignore[type-var]


def _await_server(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the simulator did not start")


def _print_table(rows: list[dict[str, object]]) -> None:
    print(f"{'provider':<18}{'way':<14}{'µs/call':>10}{'µs/delta':>10}")
    for row in rows:
        print(f"{row['provider']:<18}{row['way']:<14}{row['call_us']:>10.0f}{row['delta_us']:>10.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("PROVIDER", "WAY", "URL"))
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(asyncio.run(_measure(*arguments.one))), flush=True)
        os._exit(0)
    port = _free_port()
    server = multiprocessing.get_context("spawn").Process(target=_run_server, args=(port,), daemon=True)
    server.start()
    try:
        _await_server(port)
        passes = [_one_pass(f"http://127.0.0.1:{port}") for _ in range(PASSES)]
        rows = [_better(same) for same in zip(*passes, strict=True)]
    finally:
        server.terminate()
        server.join()
    if arguments.json:
        for row in rows:
            print(json.dumps(row))
    else:
        _print_table(rows)


def _run_server(port: int) -> None:
    asyncio.run(_serve(port))


if __name__ == "__main__":
    main()
