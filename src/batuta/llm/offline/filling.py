"""Arguments of a tool, taken from a message by what the schema says about each of them.

A value that an earlier result offers under the same name comes first; then the kind of thing the parameter's name and
description speak of; then its type. What cannot be found is left out if it may be, and reported if it must not.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from batuta.llm.model import ToolSpec
from batuta.llm.offline.expressions import expression_in, numbers_in
from batuta.llm.offline.lexicon import BARE_OPERATION, UNIT_SECONDS, Language
from batuta.llm.offline.structures import Structure
from batuta.llm.offline.words import folded, language_of
from batuta.llm.offline.zones import zones_in

MAX_ARGUMENT_CHARS = 1_000

_QUOTED = re.compile(r"[\"“«']([^\"”»']{1,200})[\"”»']")
_PERSON = re.compile(
    r"\b(?:with|con)\s+((?:(?:el|la|the|my|mi)\s+)?(?:(?:Dra?|Sra?|Mr|Mrs|Ms|Prof)\.?\s+)?[A-ZÁÉÍÓÚÑ][\w'-]*(?:\s+[A-ZÁÉÍÓÚÑ][\w'-]*)*)"
)
_TIME = re.compile(
    r"\b\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|a\.m\.?|p\.m\.?|h)\b|\b\d{1,2}:\d\d\b|\b(?:noon|midnight|mediod[ií]a|medianoche)\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?")
_FILE = re.compile(r"[\w.-]+\.(?:md|markdown|txt|csv|json|pdf)\b")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_REFERENCE = re.compile(
    r"\b(?:that|it|this|the\s+result|the\s+total|eso|esto|ese\s+resultado|el\s+resultado|ese\s+total|lo)\b",
    re.IGNORECASE,
)
_ATTACHED = (
    (r"\b(div[ií]de|multipl[ií]ca|red[uú]ce|aum[eé]nta|increm[eé]nta|s[uú]be|b[aá]ja)l[oa]\b", r"\1 eso"),
    (r"\b(?:s[uú]ma|a[ñn][aá]de)(?:le|la)\s+(\d[\d.,]*)", r"eso más \1"),
    (r"\b(?:r[eé]sta|qu[ií]ta)(?:le|la)\s+(\d[\d.,]*)", r"eso menos \1"),
    (r"\b(?:s[aá]cale|calc[uú]lale)\s+(?:el\s+)?(\d[\d.,]*\s*%)", r"\1 de eso"),
)
"""Pronouns that Spanish joins to a verb, as words of their own: "divídelo entre 4" is "divide eso entre 4"."""
_BARE_OPERATION = re.compile(BARE_OPERATION)
_ONE_QUESTION = re.compile(r"\bquery\b|\bquestion\b|\bexpression\b")
_ORIGIN = re.compile(r"\b(?:from|de|desde|when|cuando|si|if)\b[^.?]*?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where arguments come from."""

    text: str
    earlier: str = ""
    """What was answered before, which `that` and `it` may mean."""
    offered: Mapping[str, Any] = field(default_factory=dict)
    """Values of earlier results by name."""
    zone: str | None = None
    """The one place a call is about, where a message names several."""

    @property
    def language(self) -> Language:
        """The language of the message."""
        return language_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Arguments, and the required ones among them that had to be made up."""

    args: dict[str, Any]
    missing: tuple[str, ...]


def fill(tool: ToolSpec, source: Source) -> Filled:
    """The arguments of one call; they always fit the schema."""
    required = tool.schema.get("required", ())
    args: dict[str, Any] = {}
    missing: list[str] = []
    for name, schema in tool.schema.get("properties", {}).items():
        value = _value(name, _resolved(schema, tool.schema), source)
        if value is None and name in required:
            missing.append(name)
            value = Structure(
                {**schema, "$defs": tool.schema.get("$defs", {})}, source.text[:MAX_ARGUMENT_CHARS]
            ).value()
        if value is not None:
            args[name] = value
    return Filled(args=args, missing=tuple(missing))


def zone_parameters(tool: ToolSpec) -> list[str]:
    """The parameters that take a time zone."""
    properties = tool.schema.get("properties", {})
    return [name for name, schema in properties.items() if _is_about("zone", name, schema)]


def takes_one_question(tool: ToolSpec) -> bool:
    """Whether it answers a single question or sum at a time."""
    properties = tool.schema.get("properties", {})
    wanted = (properties.get(name, {}) | {"name": name} for name in tool.schema.get("required", ()))
    return any(_ONE_QUESTION.search(f"{each['name']}: {each.get('description', '')}".lower()) for each in wanted)


def _value(name: str, schema: Mapping[str, Any], source: Source) -> Any:
    if source.offered.get(name) is not None:
        return source.offered[name]
    if "enum" in schema:
        return _member(schema["enum"], source)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return _number(name, source, is_whole=kind == "integer")
    if kind != "string":
        return None
    for topic, extract in EXTRACTORS.items():
        if _is_about(topic, name, schema):
            return extract(name, source)
    return None


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a parameter's schema that says what it is: references followed, `or null` left out."""
    if "$ref" in schema:
        return {**root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2], {}), **schema}
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    return {**_resolved(choices[0], root), **schema} if choices else schema


def _is_about(topic: str, name: str, schema: Mapping[str, Any]) -> bool:
    return TOPICS[topic].search(f"{name.replace('_', ' ')}: {schema.get('description', '')}".lower()) is not None


def _zone(name: str, source: Source) -> str | None:
    if source.zone is not None:
        return source.zone
    found = zones_in(folded(source.text))
    if len(found) < 2:
        return found[0] if found and not name.startswith(("from", "source")) else None
    start = _origin(source.text, found)
    others = [zone for zone in found if zone != start]
    return start if name.startswith(("from", "source")) else others[-1]


def _origin(text: str, zones: list[str]) -> str:
    """The place a conversion starts from: the one after "from" or "when", else the first."""
    plain = folded(text)
    marked = [zone for zone in zones for before in [_before(plain, zone)] if before and _ORIGIN.search(before[-14:])]
    return marked[0] if marked else zones[0]


def _before(plain: str, zone: str) -> str:
    """The text in front of the first mention of a zone."""
    for place in range(len(plain)):
        if (place == 0 or not plain[place - 1].isalnum()) and zones_in(plain[place:])[:1] == [zone]:
            earliest = place
            while zones_in(plain[earliest + 1 :])[:1] == [zone]:
                earliest += 1
            return plain[:earliest]
    return ""


def _expression(_: str, source: Source) -> str | None:
    found = expression_in(source.text, source.language)
    text = _completed(_detached(source.text))
    if found is not None or not source.earlier or not _REFERENCE.search(text):
        return found
    number = _number_meant(source.earlier)
    if number is None:
        return None
    written = number if source.language == "en" else number.replace(".", ",")
    return expression_in(_REFERENCE.sub(written, text), source.language)


def _number_meant(earlier: str) -> str | None:
    """The one number an answer states; where it states several, what "it" means would be a guess."""
    _, sign, result = earlier.rpartition(" = ")
    numbers = set(numbers_in(result.replace(",", "."), "en") if sign else numbers_in(earlier, language_of(earlier)))
    return numbers.pop() if len(numbers) == 1 else None


def _completed(text: str) -> str:
    """A sum that leaves out its first number, with a word for it: "times 3" is "that times 3"."""
    bare = _BARE_OPERATION.match(folded(text))
    if bare is None:
        return text
    sign = {"add": "+", "suma": "+", "subtract": "-", "resta": "-"}.get(bare["sign"], bare["sign"])
    return f"eso {sign} {bare['number']}"


def _detached(text: str) -> str:
    for pattern, words in _ATTACHED:
        text = re.sub(pattern, words, text, flags=re.IGNORECASE)
    return text


def _time_of_day(_: str, source: Source) -> str | None:
    found = _TIME.search(source.text)
    return found.group() if found else None


def _moment(_: str, source: Source) -> str | None:
    found = _ISO.search(source.text)
    return found.group() if found else None


def _person(_: str, source: Source) -> str | None:
    found = _PERSON.search(source.text)
    return found.group(1) if found else None


def _file(_: str, source: Source) -> str | None:
    found = _FILE.search(source.text)
    return found.group() if found else None


def _quoted(_: str, source: Source) -> str | None:
    found = _QUOTED.search(source.text)
    return found.group(1) if found else None


def _words(_: str, source: Source) -> str | None:
    return source.text[:MAX_ARGUMENT_CHARS] or None


Extract = Callable[[str, Source], str | None]

TOPICS: dict[str, re.Pattern[str]] = {
    "zone": re.compile(r"time zone|timezone|\biana\b"),
    "expression": re.compile(r"\bexpression\b|\barithmetic\b"),
    "moment": re.compile(r"date-time|\biso\b|\bstart\b|\bend\b"),
    "time": re.compile(r"time of day"),
    "words": re.compile(r"in the user's (?:own )?words|\bquery\b|\bquestion\b|what to (?:search|look)"),
    "person": re.compile(r"\bperson\b|\bwhom?\b|\battendee"),
    "file": re.compile(r"^(?:file|path|document)\b|file name"),
    "quoted": re.compile(r"\btitle\b|\bname\b|\btext\b"),
}
"""How the name and description of a parameter say what it takes; the first that fits counts."""
EXTRACTORS: dict[str, Extract] = {
    "zone": _zone,
    "expression": _expression,
    "words": _words,
    "time": _time_of_day,
    "moment": _moment,
    "person": _person,
    "file": _file,
    "quoted": _quoted,
}


def _member(members: list[Any], source: Source) -> Any:
    plain = folded(source.text)
    return next((member for member in members if isinstance(member, str) and folded(member) in plain), None)


def _number(name: str, source: Source, *, is_whole: bool) -> float | None:
    """A quantity in the unit the parameter's name ends with, or any number for one without a unit."""
    unit = UNIT_SECONDS.get(name.rpartition("_")[2])
    if unit is not None:
        return _quantity(unit, source, is_whole=is_whole)
    found = numbers_in(source.text, source.language)
    if not found:
        return None
    return int(float(found[0])) if is_whole else float(found[0])


def _quantity(unit: int, source: Source, *, is_whole: bool) -> float | None:
    for amount, word in _QUANTITY.findall(folded(source.text)):
        if word in UNIT_SECONDS and word not in ("h", "s"):
            value = float(amount) * UNIT_SECONDS[word] / unit
            return int(value) if is_whole else value
    return None
