"""Answers that use everything a scenario can say; played over every wire format by several tests."""

from typing import Any

from batuta.simulator import PlannedAnswer
from batuta.simulator.answers import Json, Pace, Provider
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.turn import WireTurn

WEB = {"cited_text": "Oslo is the capital.", "url": "https://example.com/oslo", "title": "Oslo"}
DOCUMENT = {"cited_text": "Clause 4", "title": "Contract", "document": 0}

RICH: dict[str, Any] = {
    "text": {"blocks": [{"type": "text", "text": "Grüße aus Málaga, ☀️ und viel mehr Text als ein Stück fasst."}]},
    "nothing": {"blocks": []},
    "thinking": {
        "blocks": [
            {"type": "thinking", "text": "First weigh the options, then choose."},
            {"type": "text", "text": "The second option."},
        ]
    },
    "redacted thinking": {
        "blocks": [{"type": "thinking", "text": "secret", "redacted": True}, {"type": "text", "text": "Done."}]
    },
    "parallel calls": {
        "blocks": [
            {"type": "text", "text": "Looking both up."},
            {"type": "tool_call", "name": "find_order", "arguments": {"number": "Ñ-1", "lines": [1, 2]}},
            {"type": "tool_call", "name": "find_customer", "arguments": {}},
        ]
    },
    "thinking and a call": {
        "blocks": [
            {"type": "thinking", "text": "A tool knows this."},
            {"type": "tool_call", "name": "find_order", "arguments": {"number": "7"}},
        ]
    },
    "refusal": {"blocks": [{"type": "refusal", "text": "I will not do that."}]},
    "structured": {"blocks": [{"type": "text", "json": {"city": "Oslo", "people": 709000}}]},
    "web citation": {"blocks": [{"type": "text", "text": "Oslo is the capital.", "citations": [WEB]}]},
    "document citation": {"blocks": [{"type": "text", "text": "See clause 4.", "citations": [DOCUMENT]}]},
    "web search": {
        "blocks": [
            {
                "type": "server_tool",
                "name": "web_search",
                "input": {"query": "capital of Norway"},
                "results": [{"url": "https://example.com/oslo", "title": "Oslo"}],
            },
            {"type": "text", "text": "Oslo.", "citations": [WEB]},
        ]
    },
    "code": {
        "blocks": [
            {"type": "server_tool", "name": "code_execution", "input": {"code": "print(6*7)"}, "output": "42\n"},
            {"type": "text", "text": "42"},
        ]
    },
    "out of tokens": {"blocks": [{"type": "text", "text": "It was a dark and"}], "stop": "max_tokens"},
    "pause": {"blocks": [{"type": "text", "text": "Still searching."}], "stop": "pause"},
    "stop sequence": {
        "blocks": [{"type": "text", "text": "One, two"}],
        "stop": "stop_sequence",
        "stop_sequence": "three",
    },
    "usage": {
        "blocks": [{"type": "text", "text": "Counted."}],
        "usage": {"input": 1000, "output": 200, "cached": 600, "cache_write": 100, "reasoning": 150},
    },
}

BODIES: dict[Provider, Json] = {
    "anthropic": {
        "model": "claude-sonnet-5",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Hello"}],
    },
    "openai_chat": {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream_options": {"include_usage": True},
    },
    "openai_responses": {"model": "gpt-5", "input": "Hello", "include": ["reasoning.encrypted_content"]},
    "google": {"model": "gemini-3-pro", "contents": [{"role": "user", "parts": [{"text": "Hello"}]}]},
}


def rich(name: str) -> PlannedAnswer:
    return PlannedAnswer.model_validate(RICH[name])


def turn_for(provider: Provider, *, seed: int = 0, pace: Pace | None = None) -> WireTurn:
    asked = DIALECTS[provider].read(BODIES[provider])
    return WireTurn(asked=asked, seed=seed, number=1, created=1_760_000_000, pace=pace or Pace(chunk_chars=5))
