"""What Google's generateContent demands of a request.

A turn with function calls comes after a user turn or a function response turn, and is followed at once by a turn with
as many function responses of the same names. Gemini 3 and later also want the thought signature of the first call of
every step since the user last spoke.
"""

import re
from collections import Counter
from collections.abc import Iterator

from batuta.simulator.answers import Json
from batuta.simulator.rules.common import out_of_range, quoted, repeated, run
from batuta.simulator.wire.asked import as_list, dicts, mapping
from batuta.simulator.wire.google import either, signs_calls

ROLES = ("user", "model", "function")
FUNCTION_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
DATA_FIELDS = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)


def problems(body: Json) -> list[str]:
    return run(CHECKS, body)


def _contents(body: Json) -> Iterator[str]:
    contents = dicts(body.get("contents"))
    if not contents:
        yield "contents: must not be empty"
    for index, content in enumerate(contents):
        role = content.get("role")
        if role not in (None, *ROLES):
            yield f"contents[{index}].role: {role!r} is not valid, use user or model"
        if role is None and len(contents) > 1:
            yield f"contents[{index}].role: is required in a conversation of several turns"
        if not dicts(content.get("parts")):
            yield f"contents[{index}].parts: must not be empty"
    if len(contents) == 1 and contents[0].get("role") == "model":
        yield "contents: a single turn must have the role user"


def _parts(body: Json) -> Iterator[str]:
    for index, content in enumerate(dicts(body.get("contents"))):
        for position, part in enumerate(dicts(content.get("parts"))):
            where = f"contents[{index}].parts[{position}]"
            given = [name for name in DATA_FIELDS if either(part, name) is not None]
            if len(given) != 1:
                yield f"{where}: exactly one data field must be set, found {quoted(given) or 'none'}"
            wrong = "functionResponse" if content.get("role") == "model" else "functionCall"
            if wrong in given:
                yield f"{where}: {wrong} does not fit the role {content.get('role', 'user')}"


def _calls_are_answered(body: Json) -> Iterator[str]:
    contents = dicts(body.get("contents"))
    for index, content in enumerate(contents):
        calls = _of(content, "functionCall")
        if not calls:
            continue
        responses = _of(contents[index + 1], "functionResponse") if index + 1 < len(contents) else []
        if not responses:
            yield f"contents[{index}]: a function call turn must be followed at once by a function response turn"
        elif len(responses) != len(calls):
            yield (
                f"contents[{index + 1}]: the number of function response parts ({len(responses)}) must equal "
                f"the number of function call parts ({len(calls)}) of the call turn"
            )
        else:
            yield from _same_functions(calls, responses, f"contents[{index + 1}]")


def _same_functions(calls: list[Json], responses: list[Json], where: str) -> Iterator[str]:
    called, answered = (Counter(str(item.get("name")) for item in items) for items in (calls, responses))
    if called != answered:
        yield f"{where}: function responses {quoted(answered)} do not match the calls {quoted(called)}"
    call_ids = [item["id"] for item in calls if item.get("id")]
    strangers = [item["id"] for item in responses if item.get("id") and item["id"] not in call_ids]
    if strangers:
        yield f"{where}: function response ids match no call: {quoted(strangers)}"
    for twice in repeated(item["id"] for item in responses if item.get("id")):
        yield f"{where}: more than one function response for id {twice}"


def _responses_follow_calls(body: Json) -> Iterator[str]:
    contents = dicts(body.get("contents"))
    for index, content in enumerate(contents):
        before = contents[index - 1] if index else {}
        if _of(content, "functionResponse") and not _of(before, "functionCall"):
            yield f"contents[{index}]: a function response turn must come right after a function call turn"


def _calls_follow_users(body: Json) -> Iterator[str]:
    contents = dicts(body.get("contents"))
    for index, content in enumerate(contents):
        before = contents[index - 1] if index else {}
        if _of(content, "functionCall") and before.get("role") not in ("user", "function"):
            yield f"contents[{index}]: a function call turn must come right after a user or function response turn"


def _signatures(body: Json) -> Iterator[str]:
    if not signs_calls(str(body.get("model", ""))):
        return
    contents = dicts(body.get("contents"))
    for index in range(_current_turn(contents), len(contents)):
        calls = [part for part in dicts(contents[index].get("parts")) if either(part, "functionCall")]
        if calls and not either(calls[0], "thoughtSignature"):
            name = mapping(either(calls[0], "functionCall")).get("name")
            yield f"contents[{index}]: the function call {name!r} is missing its thought_signature"


def _current_turn(contents: list[Json]) -> int:
    """Where the user last spoke, results of functions aside."""
    spoken = (
        index
        for index in range(len(contents) - 1, -1, -1)
        if contents[index].get("role") != "model" and not _of(contents[index], "functionResponse")
    )
    return next(spoken, 0)


def _tools(body: Json) -> Iterator[str]:
    tools = dicts(body.get("tools"))
    functions = [item for tool in tools for item in dicts(either(tool, "functionDeclarations"))]
    names = [str(function.get("name", "")) for function in functions]
    for name in names:
        if not FUNCTION_NAME.fullmatch(name):
            yield f"tools: function name {name!r} must match {FUNCTION_NAME.pattern}"
    for name in repeated(names):
        yield f"tools: duplicate function declaration {name}"
    for function in functions:
        if function.get("parameters") is not None and either(function, "parametersJsonSchema") is not None:
            yield f"tools: {function.get('name')} has both parameters and parametersJsonSchema"
    yield from _choice(body, names)


def _choice(body: Json, names: list[str]) -> Iterator[str]:
    config = mapping(either(mapping(either(body, "toolConfig")), "functionCallingConfig"))
    allowed = as_list(either(config, "allowedFunctionNames"))
    mode = str(config.get("mode", "AUTO")).upper()
    if allowed and mode not in ("ANY", "VALIDATED"):
        yield "toolConfig: allowedFunctionNames may only be set when the mode is ANY or VALIDATED"
    strangers = [name for name in allowed if name not in names]
    if strangers:
        yield f"toolConfig: allowedFunctionNames {quoted(strangers)} are not declared"
    if mode == "ANY" and not names:
        yield "toolConfig: the mode ANY needs function declarations"


def _generation_config(body: Json) -> Iterator[str]:
    config = mapping(either(body, "generationConfig"))
    schemas = [name for name in ("responseSchema", "responseJsonSchema") if either(config, name) is not None]
    if len(schemas) > 1:
        yield "generationConfig: only one of responseSchema and responseJsonSchema may be set"
    mime_type = either(config, "responseMimeType")
    if schemas and mime_type not in ("application/json", "text/x.enum"):
        yield f"generationConfig: {schemas[0]} needs the responseMimeType application/json"
    thinking = mapping(either(config, "thinkingConfig"))
    if either(thinking, "thinkingBudget") is not None and either(thinking, "thinkingLevel") is not None:
        yield "generationConfig: only one of thinkingBudget and thinkingLevel may be set"
    yield from out_of_range(config, "temperature", 0, 2)
    is_older = "gemini-" in str(body.get("model", "")) and not signs_calls(str(body["model"]))
    has_functions = any(either(tool, "functionDeclarations") for tool in dicts(body.get("tools")))
    if is_older and has_functions and mime_type == "application/json":
        yield "generationConfig: function calling with the responseMimeType application/json is not supported"


def _of(content: Json, kind: str) -> list[Json]:
    found = (either(part, kind) for part in dicts(content.get("parts")))
    return [item for item in found if isinstance(item, dict)]


CHECKS = (
    _contents,
    _parts,
    _calls_are_answered,
    _responses_follow_calls,
    _calls_follow_users,
    _signatures,
    _tools,
    _generation_config,
)
