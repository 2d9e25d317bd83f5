"""The four official clients behind one shape, so that a story can be told once for all of them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeAlias

from anthropic import AsyncAnthropic
from google import genai
from google.genai import types as google_types
from openai import AsyncOpenAI

from batuta.simulator import Provider, Simulator

TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a client understood, in words all of them share."""

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    stop: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


Ask: TypeAlias = Callable[[str], Awaitable[Reply]]


@dataclass(frozen=True)
class Clients:
    anthropic: AsyncAnthropic
    openai: AsyncOpenAI
    google: genai.Client

    def ask(self, provider: Provider, *, streaming: bool, model: str | None = None) -> Ask:
        table: dict[tuple[Provider, bool], Callable[[str, str], Awaitable[Reply]]] = {
            ("anthropic", False): self._anthropic,
            ("anthropic", True): self._anthropic_stream,
            ("openai_chat", False): self._chat,
            ("openai_chat", True): self._chat_stream,
            ("openai_responses", False): self._responses,
            ("openai_responses", True): self._responses_stream,
            ("google", False): self._google,
            ("google", True): self._google_stream,
        }
        chosen = model or MODELS[provider]
        return lambda prompt: table[provider, streaming](prompt, chosen)

    async def _anthropic(self, prompt: str, model: str) -> Reply:
        message = await self.anthropic.messages.create(
            model=model, max_tokens=4096, messages=[{"role": "user", "content": prompt}]
        )
        return read_anthropic(message)

    async def _anthropic_stream(self, prompt: str, model: str) -> Reply:
        async with self.anthropic.messages.stream(
            model=model, max_tokens=4096, messages=[{"role": "user", "content": prompt}]
        ) as stream:
            return read_anthropic(await stream.get_final_message())

    async def _chat(self, prompt: str, model: str) -> Reply:
        return read_chat(
            await self.openai.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
        )

    async def _chat_stream(self, prompt: str, model: str) -> Reply:
        async with self.openai.chat.completions.stream(
            model=model, messages=[{"role": "user", "content": prompt}], stream_options={"include_usage": True}
        ) as stream:
            return read_chat(await stream.get_final_completion())

    async def _responses(self, prompt: str, model: str) -> Reply:
        return read_response(await self.openai.responses.create(model=model, input=prompt))

    async def _responses_stream(self, prompt: str, model: str) -> Reply:
        async with self.openai.responses.stream(model=model, input=prompt) as stream:
            return read_response(await stream.get_final_response())

    async def _google(self, prompt: str, model: str) -> Reply:
        return read_google([await self.google.aio.models.generate_content(model=model, contents=prompt)])

    async def _google_stream(self, prompt: str, model: str) -> Reply:
        stream = await self.google.aio.models.generate_content_stream(model=model, contents=prompt)
        return read_google([chunk async for chunk in stream])


MODELS: dict[Provider, str] = {
    "anthropic": "claude-sonnet-5",
    "openai_chat": "gpt-5",
    "openai_responses": "gpt-5",
    "google": "gemini-3-pro",
}


async def open_clients(simulator: Simulator, seconds: float = TIMEOUT_SECONDS) -> AsyncIterator[Clients]:
    """Clients without retries of their own, closed at the end."""
    async with AsyncExitStack() as stack:
        common: dict[str, Any] = {"api_key": "test", "max_retries": 0, "timeout": seconds}
        anthropic = await stack.enter_async_context(AsyncAnthropic(base_url=simulator.url, **common))
        openai = await stack.enter_async_context(AsyncOpenAI(base_url=f"{simulator.url}/v1", **common))
        options = google_types.HttpOptions(
            base_url=simulator.url,
            timeout=int(seconds * 1000),
            retry_options=google_types.HttpRetryOptions(attempts=1),
        )
        google = genai.Client(api_key="test", http_options=options)
        stack.push_async_callback(google.aio.aclose)
        yield Clients(anthropic, openai, google)


def read_anthropic(message: Any) -> Reply:
    return Reply(
        text="".join(block.text for block in message.content if block.type == "text"),
        thinking="".join(block.thinking for block in message.content if block.type == "thinking"),
        calls=tuple((block.name, block.input) for block in message.content if block.type == "tool_use"),
        stop=message.stop_reason,
        input_tokens=message.usage.input_tokens + message.usage.cache_read_input_tokens,
        output_tokens=message.usage.output_tokens,
        cached_tokens=message.usage.cache_read_input_tokens,
    )


def read_chat(completion: Any) -> Reply:
    choice = completion.choices[0]
    calls = choice.message.tool_calls or ()
    return Reply(
        text=choice.message.content or "",
        calls=tuple((call.function.name, json.loads(call.function.arguments)) for call in calls),
        stop=choice.finish_reason,
        input_tokens=completion.usage.prompt_tokens,
        output_tokens=completion.usage.completion_tokens,
        cached_tokens=completion.usage.prompt_tokens_details.cached_tokens,
    )


def read_response(response: Any) -> Reply:
    calls = [item for item in response.output if item.type == "function_call"]
    summaries = [part.text for item in response.output if item.type == "reasoning" for part in item.summary]
    return Reply(
        text=response.output_text,
        thinking="".join(summaries),
        calls=tuple((item.name, json.loads(item.arguments)) for item in calls),
        stop=response.status,
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        cached_tokens=response.usage.input_tokens_details.cached_tokens,
    )


def read_google(chunks: list[Any]) -> Reply:
    contents = [chunk.candidates[0].content for chunk in chunks]
    parts = [part for content in contents if content for part in content.parts or ()]
    usage = chunks[-1].usage_metadata
    return Reply(
        text="".join(part.text for part in parts if part.text and not part.thought),
        thinking="".join(part.text for part in parts if part.text and part.thought),
        calls=tuple((part.function_call.name, part.function_call.args) for part in parts if part.function_call),
        stop=chunks[-1].candidates[0].finish_reason.value,
        input_tokens=usage.prompt_token_count,
        output_tokens=usage.candidates_token_count + (usage.thoughts_token_count or 0),
        cached_tokens=usage.cached_content_token_count or 0,
    )
