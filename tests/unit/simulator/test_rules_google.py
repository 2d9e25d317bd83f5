"""The rules of Google's generateContent (F-46): what it accepts, and what it refuses with which reason."""

from typing import Any

import pytest

from batuta.simulator import validate_request

ASK = {"role": "user", "parts": [{"text": "What is 1 + 2?"}]}
SAID = {"role": "model", "parts": [{"text": "3"}]}
DECLARED: dict[str, Any] = {"tools": [{"functionDeclarations": [{"name": "add"}]}]}
JSON_SCHEMA = {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT"}}


def call(*names: str, signature: str | None = None, ids: bool = False) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"functionCall": {"name": name, "args": {}, **({"id": f"id-{name}"} if ids else {})}} for name in names
    ]
    if signature:
        parts[0]["thoughtSignature"] = signature
    return {"role": "model", "parts": parts}


def answer(*names: str, ids: tuple[str, ...] = ()) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"functionResponse": {"name": name, "response": {"result": 3}}} for name in names]
    for part, call_id in zip(parts, ids, strict=False):
        part["functionResponse"]["id"] = call_id
    return {"role": "user", "parts": parts}


def body(*contents: dict[str, Any], model: str = "gemini-2.5-flash", **extra: Any) -> dict[str, Any]:
    return {"model": model, "contents": list(contents), **extra}


ACCEPTED = {
    "one question": body(ASK),
    "one question without a role": body({"parts": [{"text": "Hi"}]}),
    "a conversation": body(ASK, SAID, ASK),
    "a function call": body(ASK, call("add"), answer("add")),
    "snake case": body(
        ASK,
        {"role": "model", "parts": [{"function_call": {"name": "add", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "add", "response": {}}}]},
    ),
    "parallel calls with ids in another order": body(
        ASK, call("add", "sub", ids=True), answer("sub", "add", ids=("id-sub", "id-add"))
    ),
    "two rounds of calls": body(ASK, call("add"), answer("add"), call("sub"), answer("sub")),
    "text before a call": body(
        ASK, {"role": "model", "parts": [{"text": "Let me add."}, *call("add")["parts"]]}, answer("add")
    ),
    "a signed call of Gemini 3": body(
        ASK, call("add", "sub", signature="c2ln"), answer("add", "sub"), model="gemini-3-pro"
    ),
    "an unsigned call of an earlier turn": body(ASK, call("add"), answer("add"), SAID, ASK, model="gemini-3-pro"),
    "a JSON answer": body(ASK, generationConfig=JSON_SCHEMA),
    "a JSON answer with functions on Gemini 3": body(
        ASK, model="gemini-3-pro", generationConfig=JSON_SCHEMA, **DECLARED
    ),
    "a forced function": body(
        ASK, toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["add"]}}, **DECLARED
    ),
}

REFUSED = {
    "no contents": (body(), "contents: must not be empty"),
    "an unknown role": (body({"role": "assistant", "parts": [{"text": "x"}]}), "contents[0].role"),
    "a missing role in a conversation": (body(ASK, {"parts": [{"text": "x"}]}), "contents[1].role: is required"),
    "no parts": (body({"role": "user", "parts": []}), "contents[0].parts: must not be empty"),
    "a part without data": (body({"role": "user", "parts": [{}]}), "exactly one data field"),
    "a part with two data fields": (
        body({"role": "user", "parts": [{"text": "x", "inlineData": {}}]}),
        "found text, inlineData",
    ),
    "only a model": (body(SAID), "must have the role user"),
    "a call by the user": (
        body({**call("add"), "role": "user"}, answer("add")),
        "functionCall does not fit the role user",
    ),
    "a response by the model": (
        body(ASK, call("add"), {**answer("add"), "role": "model"}),
        "functionResponse does not fit",
    ),
    "a call without a response": (body(ASK, call("add"), ASK), "followed at once by a function response turn"),
    "a call at the end": (body(ASK, call("add")), "followed at once"),
    "fewer responses than calls": (body(ASK, call("add", "sub"), answer("add")), "parts (1) must equal"),
    "more responses than calls": (body(ASK, call("add"), answer("add", "add")), "parts (2) must equal"),
    "responses split over two turns": (
        body(ASK, call("add", "sub"), answer("add"), answer("sub")),
        "parts (1) must equal",
    ),
    "a response of another name": (body(ASK, call("add"), answer("sub")), "do not match the calls"),
    "a response of another id": (body(ASK, call("add", ids=True), answer("add", ids=("x",))), "ids match no call: x"),
    "one id answered twice": (
        body(
            ASK,
            {"role": "model", "parts": call("add", ids=True)["parts"] * 2},
            answer("add", "add", ids=("id-add", "id-add")),
        ),
        "more than one function response for id id-add",
    ),
    "a response without a call": (body(ASK, SAID, answer("add")), "right after a function call turn"),
    "a call after the model spoke": (body(ASK, SAID, call("add"), answer("add")), "right after a user"),
    "a call first": (body(call("add"), answer("add")), "right after a user"),
    "an unsigned call of Gemini 3": (body(ASK, call("add"), answer("add"), model="gemini-3-pro"), "thought_signature"),
    "a second step unsigned": (
        body(ASK, call("add", signature="c2ln"), answer("add"), call("sub"), answer("sub"), model="gemini-3-pro"),
        "'sub' is missing its thought_signature",
    ),
    "a schema without its type": (body(ASK, generationConfig={"responseSchema": {}}), "needs the responseMimeType"),
    "two schemas": (
        body(ASK, generationConfig={**JSON_SCHEMA, "responseJsonSchema": {}}),
        "only one of responseSchema",
    ),
    "two thinking settings": (
        body(ASK, generationConfig={"thinkingConfig": {"thinkingBudget": 1, "thinkingLevel": "LOW"}}),
        "only one of thinkingBudget",
    ),
    "a JSON answer with functions before Gemini 3": (
        body(ASK, generationConfig=JSON_SCHEMA, **DECLARED),
        "not supported",
    ),
    "a function name with spaces": (body(ASK, tools=[{"functionDeclarations": [{"name": "a b"}]}]), "'a b' must match"),
    "two functions of one name": (
        body(ASK, tools=[{"functionDeclarations": [{"name": "add"}, {"name": "add"}]}]),
        "duplicate function declaration add",
    ),
    "two kinds of parameters": (
        body(ASK, tools=[{"functionDeclarations": [{"name": "a", "parameters": {}, "parametersJsonSchema": {}}]}]),
        "both parameters",
    ),
    "allowed names in auto mode": (
        body(ASK, toolConfig={"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["add"]}}, **DECLARED),
        "may only be set when the mode is ANY",
    ),
    "allowed names nobody declared": (
        body(ASK, toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["x"]}}, **DECLARED),
        "x are not declared",
    ),
    "forced functions without any": (
        body(ASK, toolConfig={"functionCallingConfig": {"mode": "ANY"}}),
        "needs function",
    ),
    "a temperature above two": (body(ASK, generationConfig={"temperature": 3}), "between 0 and 2"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts(name: str) -> None:
    assert validate_request("google", ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_and_says_why(name: str) -> None:
    request, reason = REFUSED[name]

    assert reason in "; ".join(validate_request("google", request))
