"""Anthropic's rules for a request (F-46): what it accepts, and what it refuses with which reason."""

from typing import Any

import pytest

from batuta.simulator import validate_request
from batuta.simulator.wire.turn import signature_for

ASK = {"role": "user", "content": "What is 1 + 2?"}
TOOL = {"name": "add", "input_schema": {"type": "object", "properties": {}}}
THOUGHT = {"type": "thinking", "thinking": "Use the tool.", "signature": signature_for("Use the tool.")}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
SERVER_USE = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}}


def use(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [_use(call_id) for call_id in ids]}


def _use(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "add", "input": {}}


def result(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [_result(call_id) for call_id in ids]}


def _result(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "3"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def body(*messages: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-5", "max_tokens": 4096, "messages": list(messages), **extra}


ACCEPTED = {
    "one question": body(ASK),
    "a tool loop": body(ASK, use("a"), result("a")),
    "parallel calls answered in another order": body(ASK, use("a", "b"), result("b", "a")),
    "parallel results in two user messages": body(ASK, use("a", "b"), result("a"), result("b")),
    "text after the results": body(ASK, use("a"), {"role": "user", "content": [_result("a"), text("go on")]}),
    "consecutive user messages": body(ASK, ASK),
    "a system message inside": body(ASK, {"role": "system", "content": "Be brief."}, ASK),
    "thinking kept in a tool loop": body(
        ASK, {"role": "assistant", "content": [THOUGHT, _use("a")]}, result("a"), **THINKING
    ),
    "a foreign signature that cannot be judged": body(
        ASK, {"role": "assistant", "content": [{**THOUGHT, "signature": "EqQBCgIYAhIM"}, text("3")]}, ASK
    ),
    "thinking left out once the turn is over": body(
        ASK, {"role": "assistant", "content": [text("3")]}, ASK, **THINKING
    ),
    "thinking with temperature 1": body(ASK, temperature=1, **THINKING),
    "a prefilled answer": body(ASK, {"role": "assistant", "content": "The sum is"}),
    "a paused turn sent back": body(
        ASK, {"role": "assistant", "content": [SERVER_USE, text("Searching.")]}, **THINKING
    ),
    "a forced tool without thinking": body(ASK, tools=[TOOL], tool_choice={"type": "tool", "name": "add"}),
    "a server tool without a schema": body(ASK, tools=[{"type": "web_search_20260318", "name": "web_search"}]),
}

REFUSED = {
    "no messages": (body(), "at least one message"),
    "no model": ({"max_tokens": 10, "messages": [ASK]}, "model: field required"),
    "no max_tokens": ({"model": "m", "messages": [ASK]}, "max_tokens: field required"),
    "an unknown role": (body({"role": "tool", "content": "x"}), "messages.0.role"),
    "an assistant first": (body({"role": "assistant", "content": "Hi"}, ASK), "first message"),
    "an assistant right after a system message": (
        body({"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "Hi"}, ASK),
        "first message",
    ),
    "an empty message": (body(ASK, {"role": "assistant", "content": ""}, ASK), "messages.1: content must not be empty"),
    "an empty text block": (body({"role": "user", "content": [text("")]}), "text blocks must not be empty"),
    "a call without a result": (body(ASK, use("a"), ASK), "`tool_use` without a `tool_result` in the next message: a"),
    "a call at the end": (body(ASK, use("a")), "without a `tool_result`"),
    "one of two results missing": (body(ASK, use("a", "b"), result("a")), "in the next message: b"),
    "a result too late": (
        body(ASK, use("a"), ASK, {"role": "assistant", "content": "?"}, result("a")),
        "next message: a",
    ),
    "a result without a call": (body(ASK, {"role": "assistant", "content": "3"}, result("a")), "without a `tool_use`"),
    "a result with a wrong id": (body(ASK, use("a"), result("x")), "in the previous message: x"),
    "a result twice": (body(ASK, use("a"), result("a", "a")), "more than one `tool_result` for a"),
    "text before the result": (
        body(ASK, use("a"), {"role": "user", "content": [text("here"), _result("a")]}),
        "must come before all other content",
    ),
    "a call id used twice": (body(ASK, use("a"), result("a"), use("a"), result("a")), "must be unique, a"),
    "a call by the user": (body({"role": "user", "content": [_use("a")]}, result("a")), "belong in assistant messages"),
    "thinking without signature": (
        body(ASK, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}, text("3")]}, ASK),
        "signature: field required",
    ),
    "thinking that was changed": (
        body(ASK, {"role": "assistant", "content": [{**THOUGHT, "thinking": "Do not."}, text("3")]}, ASK),
        "invalid `signature`",
    ),
    "thinking dropped in a tool loop": (body(ASK, use("a"), result("a"), **THINKING), "expected `thinking`"),
    "thinking with temperature": (body(ASK, temperature=0.2, **THINKING), "temperature: may only be 1"),
    "thinking with top_k": (body(ASK, top_k=5, **THINKING), "top_k: must be unset"),
    "thinking with a low top_p": (body(ASK, top_p=0.5, **THINKING), "between 0.95 and 1"),
    "thinking with a forced tool": (
        body(ASK, tools=[TOOL], tool_choice={"type": "any"}, **THINKING),
        "tool_choice forces tool use",
    ),
    "adaptive thinking with a forced tool": (
        body(ASK, tools=[TOOL], tool_choice={"type": "any"}, thinking={"type": "adaptive"}),
        "tool_choice forces tool use",
    ),
    "a budget below the minimum": (body(ASK, thinking={"type": "enabled", "budget_tokens": 100}), "at least 1024"),
    "a budget beyond max_tokens": (
        body(ASK, thinking={"type": "enabled", "budget_tokens": 4096}),
        "greater than thinking.budget_tokens",
    ),
    "prefilling with thinking": (body(ASK, {"role": "assistant", "content": "So"}, **THINKING), "cannot be prefilled"),
    "prefilling with spaces at the end": (body(ASK, {"role": "assistant", "content": "So "}), "end with whitespace"),
    "a tool without a schema": (body(ASK, tools=[{"name": "add"}]), "tools.0.input_schema.type"),
    "a tool name with spaces": (body(ASK, tools=[{**TOOL, "name": "add it"}]), "tools.0.name"),
    "two tools of one name": (body(ASK, tools=[TOOL, TOOL]), "names must be unique, add"),
    "a choice among no tools": (body(ASK, tool_choice={"type": "any"}), "together with tools"),
    "a choice of an unknown tool": (body(ASK, tools=[TOOL], tool_choice={"type": "tool", "name": "x"}), "not among"),
    "a temperature above one": (body(ASK, temperature=1.5), "temperature: must be between 0 and 1"),
    "five cache points": (
        body({"role": "user", "content": [{**text("x"), "cache_control": {"type": "ephemeral"}}] * 5}),
        "at most 4",
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts(name: str) -> None:
    assert validate_request("anthropic", ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_and_says_why(name: str) -> None:
    request, reason = REFUSED[name]

    assert reason in "; ".join(validate_request("anthropic", request))
