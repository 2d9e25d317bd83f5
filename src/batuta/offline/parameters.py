"""Arguments of a tool from its schema alone, for agents that bring no intents: by type, format and description."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from batuta.language.annotation import AnnotatedText, annotated
from batuta.language.folding import fold, stems_of
from batuta.language.slots import fill_slot
from batuta.language.understanding import Slot, SlotType
from batuta.language.vocabulary import STOP_WORDS
from batuta.llm.model import ToolSpec

_SEEN_FROM = datetime(2026, 1, 1, 12, tzinfo=UTC)
_TOPICS: tuple[tuple[re.Pattern[str], SlotType], ...] = (
    (re.compile(r"time zone|timezone|\biana\b"), "zone"),
    (re.compile(r"\bexpression\b|\barithmetic\b"), "expression"),
    (re.compile(r"time of day"), "time"),
    (re.compile(r"date-time|\biso\b.*time"), "moment"),
    (re.compile(r"\bdate\b|\bday\b"), "date"),
    (re.compile(r"\bperson\b|\bwhom?\b|\battendee"), "person"),
    (re.compile(r"\btitle\b"), "quoted"),
    (
        re.compile(r"in the user's (?:own )?words|\bquery\b|\bquestion\b|\btext\b|\brequest\b|what to (?:search|look)"),
        "text",
    ),
)
"""What a text parameter takes, as its name and description say it; the first that fits counts."""
_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split())


def fits_description(tool: ToolSpec, text: str) -> float:
    """Which share of a request's content words a tool's name and description know."""
    properties = tool.schema.get("properties", {})
    described = " ".join(str(schema.get("description", "")) for schema in properties.values())
    known = stems_of(f"{tool.name.replace('_', ' ')} {tool.description} {described}")
    asked = list(stems_of(" ".join(word for word in fold(text).split() if word not in _STOP)))
    return sum(each in known for each in asked) / len(asked) if asked else 0.0


def filled_by_schema(tool: ToolSpec, text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a text gives a tool, and which required arguments it does not."""
    required = tool.schema.get("required", ())
    source = annotated(text, now=_SEEN_FROM)
    args: dict[str, Any] = {}
    for name, schema in tool.schema.get("properties", {}).items():
        value = _value(name, _resolved(schema, tool.schema), source)
        if value is not None:
            args[name] = value
    return args, tuple(name for name in required if name not in args)


def _value(name: str, schema: Mapping[str, Any], source: AnnotatedText) -> Any:
    if "enum" in schema:
        members = {str(member): (str(member).replace("_", " "),) for member in schema["enum"]}
        return fill_slot(Slot(name=name, type="choice", values=members), source, now=_SEEN_FROM)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        is_minutes = name.endswith(("minutes", "minutos"))
        slot_type: SlotType = "duration" if is_minutes else "integer" if kind == "integer" else "number"
        return fill_slot(Slot(name=name, type=slot_type), source, now=_SEEN_FROM)
    if kind != "string":
        return None
    described = f"{name.replace('_', ' ')}: {schema.get('description', '')} {schema.get('format', '')}".lower()
    for pattern, topic in _TOPICS:
        if pattern.search(described):
            return fill_slot(Slot(name=name, type=topic), source, now=_SEEN_FROM)
    return None


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a parameter's schema that says what it is: references followed, `or null` left out."""
    if "$ref" in schema:
        return {**root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2], {}), **schema}
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    return {**_resolved(choices[0], root), **schema} if choices else schema
