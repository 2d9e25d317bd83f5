"""As worker: which tool to call next, or none any more.

The tool that knows most of the request is called first. A parameter whose description names another tool in backticks
gets its value from that one, so that one is called before. A result may name the tool that should follow it
(`next_tool`); it is called if the result holds everything that it needs.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest, ToolSpec
from batuta.llm.offline.filling import Source, fill, takes_one_question, zone_parameters
from batuta.llm.offline.reading import content_of, exchange_of, task_of
from batuta.llm.offline.words import Vocabulary, folded, questions_in
from batuta.llm.offline.zones import zones_in

LEAST_SCORE = 0.2
BASE_SCORE = 0.1
"""What any tool has, so that one that can be called is preferred where none fits."""
INCOMPLETE = 0.6
"""What is left of the score of a tool whose arguments the message does not hold."""
MAX_PARALLEL = 4

_MENTION = re.compile(r"`([\w-]+)`")
_FOOTNOTES = re.compile(r"\[\^\w+\](?::[^\n]*)?")


def next_calls(request: ModelRequest) -> tuple[ToolCallBlock, ...]:
    """The calls to make now; none if the answer can be written, or must be."""
    if not request.tools or request.tool_choice == "none":
        return ()
    done = exchange_of(request)
    wanted = _following(request) if done else _first(request)
    return tuple(_block(name, args, request, number) for number, (name, args) in enumerate(wanted))


def _first(request: ModelRequest) -> list[tuple[str, dict[str, Any]]]:
    source = _source(request)
    scores = Vocabulary({tool.name: _texts(tool) for tool in request.tools}).scores(source.text)
    best = max(scores.values())
    if request.tool_choice != "required" and best < LEAST_SCORE:
        return []
    candidates = {tool.name: _prerequisite(tool, request.tools) for tool in request.tools}
    usable = {name: _usability(scores[name], tool, source) for name, tool in candidates.items()}
    if best < LEAST_SCORE:
        chosen = _least_out_of_place(candidates, source)
    else:
        chosen = candidates[max(usable, key=lambda name: usable[name])]
    return [(chosen.name, fill(chosen, each).args) for each in _sources(chosen, source)]


def _usability(score: float, tool: ToolSpec, source: Source) -> float:
    return (score + BASE_SCORE) * (INCOMPLETE if fill(tool, source).missing else 1)


def _least_out_of_place(candidates: Mapping[str, ToolSpec], source: Source) -> ToolSpec:
    """The tool to call where none fits but one must be called: one that says itself what it misses.

    One that needs nothing of the message would answer what nobody asked; one that prepares another is for those who
    want the other.
    """

    def order(name: str) -> tuple[bool, int, bool]:
        tool = candidates[name]
        return not tool.schema.get("required"), len(fill(tool, source).missing), tool.name != name

    return candidates[min(candidates, key=order)]


def _following(request: ModelRequest) -> list[tuple[str, dict[str, Any]]]:
    """What the newest result asks for, if it succeeded and brought what that needs."""
    newest = request.tool_results[-1] if request.tool_results else None
    found = content_of(newest) if newest is not None and not newest.is_error else None
    if not isinstance(found, Mapping):
        return []
    tool = next((tool for tool in request.tools if tool.name == found.get("next_tool")), None)
    if tool is None:
        return []
    filled = fill(tool, _source(request, offered=found))
    return [] if filled.missing else [(tool.name, filled.args)]


def _prerequisite(tool: ToolSpec, tools: tuple[ToolSpec, ...]) -> ToolSpec:
    """The tool to call before this one: the first that a required parameter's description names."""
    described = tool.schema.get("properties", {})
    words = [str(described.get(name, {}).get("description", "")) for name in tool.schema.get("required", ())]
    mentioned = [name for text in words for name in _MENTION.findall(text)]
    return next((other for other in tools if other.name in mentioned and other.name != tool.name), tool)


def _sources(tool: ToolSpec, source: Source) -> list[Source]:
    """One call for each place or question of a message, for a tool that takes one place or question."""
    places = zones_in(folded(source.text))[:MAX_PARALLEL]
    if len(zone_parameters(tool)) == 1 and len(places) > 1:
        return [replace(source, zone=place) for place in places]
    if not takes_one_question(tool):
        return [source]
    parts = [replace(source, text=part) for part in questions_in(source.text, MAX_PARALLEL)]
    return [source] if any(fill(tool, part).missing for part in parts) else parts


def _source(request: ModelRequest, offered: Mapping[str, Any] | None = None) -> Source:
    task = task_of(request)
    results = " ".join(outcome.text for outcome in task.results)
    spoken = (message.text for message in reversed(request.messages) if message.role == "assistant")
    said = next(filter(None, spoken), "")
    return Source(text=task.text, earlier=_FOOTNOTES.sub("", results or said), offered=offered or {})


def _texts(tool: ToolSpec) -> list[str]:
    properties = tool.schema.get("properties", {})
    described = [str(schema.get("description", "")) for schema in properties.values()]
    return [tool.name.replace("_", " "), *tool.description.splitlines(), *described]


def _block(name: str, args: dict[str, Any], request: ModelRequest, number: int) -> ToolCallBlock:
    facts = (request.metadata, request.messages, name, number)
    return ToolCallBlock(id=f"offline_{hashlib.sha256(repr(facts).encode()).hexdigest()[:24]}", name=name, args=args)
