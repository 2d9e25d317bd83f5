"""As worker: which tool to call next, with arguments from the slots of the intent that is meant.

A result may name the tool that should follow it (`next_tool`); it is called if the result holds everything that it needs.
An agent that brings no intents is served by the descriptions of its tools.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from batuta.kernel.messages import ToolCallBlock, ToolResultBlock
from batuta.language.interpretation import AMENDED_BY, FULLY_EXPLAINED, Interpretation
from batuta.llm.model import ModelRequest, ToolSpec
from batuta.offline.amendments import amendment, context_of, goes_on_from_documents
from batuta.offline.changed_results import goes_on
from batuta.offline.context import DialogueContext
from batuta.offline.own_tables import own_table_for
from batuta.offline.parameters import filled_by_schema, fits_description
from batuta.offline.phrases import phrase
from batuta.offline.planning import Planner
from batuta.offline.requests import Task, content_of, exchange_of, task_of
from batuta.offline.tables import tables_named

MAX_CALLS = 6
MAX_CANDIDATES = 6
"""How many names are offered where a part of them was said."""
LEAST_OF_A_PIECE = 0.3
LEAST_OF_A_TASK = 0.06
"""Below it, a task that was given to an agent has nothing to do with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCalls:
    """What a worker does next: calls, and what it must ask: first where there are no calls, else beside their results."""

    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    question: str | None = None
    meaning: Interpretation | None = field(default=None, repr=False)


def next_calls(request: ModelRequest, now: datetime) -> tuple[tuple[ToolCallBlock, ...], str | None]:
    """The calls to make now, or what to ask; neither if the answer can be written."""
    if not request.tools or request.tool_choice == "none":
        return (), None
    work = _following(request) if exchange_of(request) else _first(request, now)
    blocks = tuple(_block(name, args, request, number) for number, (name, args) in enumerate(work.calls))
    return blocks, None if blocks else work.question


def left_open(request: ModelRequest, now: datetime) -> str:
    """What has to be asked about a part of the task, beside the calls that were made for the rest of it; mostly nothing."""
    work = _first(request, now) if request.tools else NextCalls()
    return work.question or "" if work.calls else ""


def _first(request: ModelRequest, now: datetime) -> NextCalls:
    task = task_of(request)
    own = [each for each in request.understanding if each.intents]
    if not own:
        return _by_description(request, task)
    planner = Planner(own, now, language=task.default_language, has_small_talk=False)
    results = "\n".join(outcome.text for outcome in task.results)  # what `it` may mean, else what was answered last
    context = context_of(request.messages, planner.interpreter, now, task.default_language)
    if goes_on_from_documents(task.text, context, planner.interpreter, now):
        task = replace(task, text=amendment(task.text, context, planner.interpreter, now) or task.text)
    last = results or context.answer
    pieces = _pieces(task, planner, last)
    if task.results and pieces and all(piece.intent.takes == "dataset" for piece in pieces):
        tables = tables_named(last)
        if not tables:
            return NextCalls(question=phrase("no_table_made", task.language))
        pieces = [_of_tables(piece, tables, planner, task.text) for piece in pieces[:1]]
    elif task.own_tables and not task.has_tables and not goes_on(task.text, planner.interpreter):
        table = own_table_for(task.text, task.own_tables)
        maker = planner.maker(task.text)
        if table is not None and maker is not None:
            pieces = [replace(maker, values={**maker.values, "dataset": table.name})]
    works = [_work(piece, request.tools, last) for piece in pieces]
    if not pieces or (
        len(pieces) == 1
        and pieces[0].confidence < LEAST_OF_A_TASK
        and not task.has_tables
        and not pieces[0].intent.is_fallback
        and not task.results
    ):
        return NextCalls(question=planner.unknown(task.language))
    question = next((work.question for work in works if work.question), None)
    calls = _once([call for work in works for call in work.calls])[:MAX_CALLS]
    if calls or question:
        return NextCalls(calls=calls, question=question)
    return _by_description(request, task)


def _once(calls: Sequence[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Calls without those that repeat another: "cash and banks" is one figure."""
    return [call for place, call in enumerate(calls) if call not in calls[:place]]


def _pieces(task: Task, planner: Planner, last: str) -> list[Interpretation]:
    """A task may hold several things for one agent: each becomes a call."""
    text = task.text
    meanings = planner.meanings(text, last)
    whole = [each for each in meanings if each.intent.reply is None and _may_be_done(each)][:1]
    attached = planner.over_tables(task, DialogueContext(answer=last)) if task.has_tables else None
    if attached is None and task.has_tables and all(each.confidence < LEAST_OF_A_PIECE for each in whole):
        attached = planner.maker(text)
    if attached is not None:
        return [attached]
    if AMENDED_BY in text or len(whole) == 0:
        return whole
    best = whole[0]
    is_named = any(slot.is_telling and slot.name in best.values for slot in best.intent.slots)
    changing = planner.changing(text)
    if changing is not None and (not is_named or best.intent.takes == changing.intent.takes):
        return [changing]
    takes_text = any(slot.type == "text" for slot in best.intent.slots)
    if takes_text and not best.intent.is_fallback and "; " not in text and text.count("?") < 2:
        return whole
    if best.intent.takes and not planner.is_sequence(text):
        return whole  # "by country and month" is one picture
    if any({"and", "y"} & set(slot.after) and slot.name in best.values for slot in best.intent.slots):
        return whole  # its own words hold an `and`: "the days between March and May"
    split = [part for part in planner.divided(text, last) if not part.missing and _may_be_done(part)]
    kept = [part for part in split if part.confidence >= LEAST_OF_A_PIECE or (takes_text and part.agent_id)]
    if len(kept) < 2 or (_is_explained(best) and any(_lacks_name(part, best) for part in kept)):
        return whole
    return _sharing(best, kept) if best.intent.reads_every_word else kept


def _is_explained(meaning: Interpretation) -> bool:
    """Whether a meaning accounts for every word of a request."""
    return meaning.intent.reads_every_word and not meaning.unknown and not meaning.missing


def _lacks_name(part: Interpretation, whole: Interpretation) -> bool:
    """Whether a part is read otherwise than the whole, and without whose it is: "the price of the desk and how many are
    left" asks for the desks that are left, and for no other pieces.
    """

    def has_name(meaning: Interpretation) -> bool:
        return any(slot.is_narrowing and meaning.values.get(slot.name) for slot in meaning.intent.slots)

    return part.label != whole.label and has_name(whole) and not has_name(part)


def _sharing(whole: Interpretation, parts: Sequence[Interpretation]) -> list[Interpretation]:
    """Give parts of one intent what only one of them says: "sales and margin by month" are both by month, and "how much
    does Ana owe us and how much is overdue?" asks both of Ana.
    """
    required = {slot.name for slot in whole.intent.slots if slot.is_required}
    bare = [part for part in parts if set(part.values) <= required]
    if not bare or len(bare) == len(parts) or any(part.label != whole.label for part in parts):
        return list(parts)
    is_explained = whole.confidence >= FULLY_EXPLAINED and not whole.unknown
    several = [value for name, value in whole.values.items() if name in required and isinstance(value, list)]
    if is_explained and any(len(value) == len(parts) for value in several):
        return [whole]
    said = [part.values for part in parts if part not in bare]
    shared = {name: value for values in said for name, value in values.items() if name not in required}
    return [replace(part, values={**shared, **part.values}) if part in bare else part for part in parts]


def _of_tables(piece: Interpretation, tables: Sequence[str], planner: Planner, text: str) -> Interpretation:
    """Work on the tables that the steps before made for it; only a message that says so changes what was made before."""
    if planner.changing(text) is not None:
        return piece
    made = piece if not piece.intent.amends else planner.maker(text) or piece
    return replace(made, values={**made.values, "dataset": tables[0] if len(tables) == 1 else list(tables)})


def _may_be_done(meaning: Interpretation) -> bool:
    """Whether it changes nothing, or what it changes was ordered."""
    return meaning.intent.effect != "change" or meaning.stance == "order"


def _work(meaning: Interpretation, tools: Sequence[ToolSpec], last: str) -> NextCalls:
    language = meaning.language
    if meaning.candidates:
        named, more = meaning.candidates[:MAX_CANDIDATES], "; …" if len(meaning.candidates) > MAX_CANDIDATES else ""
        facts = {"value": " ".join(meaning.unknown), "names": "; ".join(named).rstrip(".") + more}
        return NextCalls(question=phrase("which_name", language, **facts), meaning=meaning)
    if meaning.unknown:
        name = {"zone": "unknown_place", "word": "unknown_word"}.get(meaning.unknown_kind, "unknown_value")
        return NextCalls(question=phrase(name, language, value=" ".join(meaning.unknown)), meaning=meaning)
    asking = next((slot for slot in meaning.missing if slot.type != "result"), None)
    if asking is not None:
        asked = asking.question.get(language) or phrase("missing", language, name=asking.name.replace("_", " "))
        return NextCalls(question=asked, meaning=meaning)
    tool = next((tool for tool in tools if tool.name == meaning.intent.tool), None)
    if tool is None:
        return NextCalls(meaning=meaning)
    return NextCalls(calls=[(tool.name, args) for args in _arguments(meaning, tool)], meaning=meaning)


def _arguments(meaning: Interpretation, tool: ToolSpec) -> list[dict[str, Any]]:
    """The arguments of an intent's tool; one call for each of several values that the tool takes one at a time."""
    properties = tool.schema.get("properties", {})
    named: dict[str, Any] = {}
    for name in properties:
        path = meaning.intent.arguments.get(name, name).split(".")
        value: Any = meaning.values
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is None:
            value = meaning.intent.constants.get(name)
        if value is not None:
            named[name] = value
    several = next(
        (name for name, value in named.items() if isinstance(value, list) and not _is_list(properties[name])), None
    )
    if several is None:
        return [named]
    return [{**named, several: each} for each in named[several]]


def _is_list(schema: Mapping[str, Any]) -> bool:
    choices = [schema, *schema.get("anyOf", ())]
    return any(choice.get("type") == "array" for choice in choices)


def _by_description(request: ModelRequest, task: Task) -> NextCalls:
    """Without an intent: the tool whose description has most of the request's words, if the request fills it."""
    scored = [(fits_description(tool, task.text), tool) for tool in request.tools]
    ranked = sorted(scored, key=lambda pair: -pair[0])
    for score, tool in ranked:
        args, missing = filled_by_schema(tool, task.text)
        if not missing and (score > 0 or request.tool_choice == "required"):
            return NextCalls(calls=[(tool.name, args)])
    return NextCalls()


def _following(request: ModelRequest) -> NextCalls:
    """What the newest results ask for, where they succeeded and brought what that needs.

    Of several that one tool gave, all lead on or none does: what keeps one of two orders from being carried out is said
    before the other one is done.
    """
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    led = [(names.get(result.tool_use_id), _led_to(result, request.tools)) for result in request.tool_results]
    stuck = {name for name, call in led if call is None}
    return NextCalls(calls=[call for name, call in led if call is not None and name not in stuck])


def _led_to(result: ToolResultBlock, tools: Sequence[ToolSpec]) -> tuple[str, dict[str, Any]] | None:
    """The call that a result asks for."""
    found = None if result.is_error else content_of(result)
    tool = next((tool for tool in tools if isinstance(found, Mapping) and tool.name == found.get("next_tool")), None)
    if tool is None or not isinstance(found, Mapping):
        return None
    properties, required = tool.schema.get("properties", {}), tool.schema.get("required", ())
    args = {name: found[name] for name in properties if found.get(name) is not None}
    return None if any(name not in args for name in required) else (tool.name, args)


def _block(name: str, args: dict[str, Any], request: ModelRequest, number: int) -> ToolCallBlock:
    facts = (request.metadata, request.messages, name, number)
    return ToolCallBlock(id=f"offline_{hashlib.sha256(repr(facts).encode()).hexdigest()[:24]}", name=name, args=args)
