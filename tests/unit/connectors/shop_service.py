"""A small OData v4 service of our own that is no Business Central: other names, keys of other types, no companies.

Products (key: a number, ETags, derived from a base type, an action), Labels (key: a text, no ETags), Lines (a key of
two parts, read only by annotation). It understands the filters that a client of ours sends, and refuses the rest.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

METADATA = """<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema Namespace="Shop.Model" Alias="Self" xmlns="http://docs.oasis-open.org/odata/ns/edm">
  <EnumType Name="Mood"><Member Name="Calm" Value="0"/><Member Name="Loud" Value="1"/></EnumType>
  <EntityType Name="Thing" Abstract="true"><Key><PropertyRef Name="Nr"/></Key>
    <Property Name="Nr" Type="Edm.Int32" Nullable="false"/></EntityType>
  <EntityType Name="Product" BaseType="Self.Thing">
    <Property Name="Title" Type="Edm.String" MaxLength="80"/>
    <Property Name="Price" Type="Edm.Decimal" Scale="2"/>
    <Property Name="Mood" Type="Self.Mood"/>
    <Property Name="Sku" Type="Edm.String"/>
    <NavigationProperty Name="Lines" Type="Collection(Self.Line)"/></EntityType>
  <EntityType Name="Label"><Key><PropertyRef Name="Text"/></Key>
    <Property Name="Text" Type="Edm.String"/><Property Name="Weight" Type="Edm.Decimal"/>
    <Property Name="Note" Type="Edm.String"/></EntityType>
  <EntityType Name="Line"><Key><PropertyRef Name="ProductNr"/><PropertyRef Name="Lot"/></Key>
    <Property Name="ProductNr" Type="Edm.Int32"/><Property Name="Lot" Type="Edm.String"/>
    <Property Name="Pieces" Type="Edm.Int32"/></EntityType>
  <Action Name="Discontinue" IsBound="true"><Parameter Name="it" Type="Self.Thing"/></Action>
  <EntityContainer Name="Container">
    <EntitySet Name="Products" EntityType="Self.Product"/>
    <EntitySet Name="Labels" EntityType="Self.Label"/>
    <EntitySet Name="Lines" EntityType="Self.Line">
      <Annotation Term="Org.OData.Capabilities.V1.InsertRestrictions"><Record>
        <PropertyValue Property="Insertable" Bool="false"/></Record></Annotation></EntitySet>
  </EntityContainer>
  <Annotations Target="Shop.Model.Container/Lines">
    <Annotation Term="Capabilities.UpdateRestrictions"><Record>
      <PropertyValue Property="Updatable" Bool="false"/></Record></Annotation>
    <Annotation Term="Capabilities.DeleteRestrictions"><Record>
      <PropertyValue Property="Deletable" Bool="false"/></Record></Annotation></Annotations>
</Schema></edmx:DataServices></edmx:Edmx>"""

KEYS = {"Products": ("Nr",), "Labels": ("Text",), "Lines": ("ProductNr", "Lot")}
TEXT_KEYS = {"Text", "Lot"}
PAGE = 3
_LITERAL = r"'(?:[^']|'')*'|[\w.:+-]+(?:'(?:[^']|'')*')?"
_TEST = re.compile(rf"(\w+) (eq|ne|gt|ge|lt|le) ({_LITERAL})|(contains|startswith|endswith)\((\w+),({_LITERAL})\)")
_SEGMENT = re.compile(r"^(?P<set>\w+)(?:\((?P<key>.*)\))?$")


class ShopService:
    """Answers one request after the other; also loses the answer of a write when asked to."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {
            "Products": [
                {"Nr": n, "Title": f"Thing {n} O'Neil", "Price": 1.5 * n, "Mood": "Calm", "Sku": f"S{n}"}
                for n in range(1, 8)
            ],
            "Labels": [{"Text": f"it's {n}", "Weight": n, "Note": f"note {n}"} for n in range(1, 6)],
            "Lines": [{"ProductNr": n, "Lot": f"A,{n}'s", "Pieces": n} for n in range(1, 6)],
        }
        self.versions: dict[int, int] = {}
        self.loses_next_answer = False
        self.requests: list[tuple[str, str]] = []

    def handle(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        """One request in, one answer out."""
        self.requests.append((method, url))
        parts = urlsplit(url)
        path = unquote(parts.path.partition("/shop/")[2])
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if path == "$metadata":
            return 200, {"Content-Type": "application/xml"}, METADATA.encode()
        try:
            status, answer = self._answered(method, path, query, headers, body)
        except (LookupError, ValueError) as error:
            status, answer = 400, {"error": {"code": "Bad", "message": f"cannot read the request: {error}"}}
        if self.loses_next_answer and method != "GET":
            self.loses_next_answer = False
            raise ConnectionResetError("the answer got lost")
        text = b"" if answer is None else (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        return status, {"Content-Type": "application/json"}, text

    def _answered(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Any]:
        main, _, rest = path.partition(")/") if ")/" in path else (path, "", "")
        counts = main.endswith("/$count")
        found = _SEGMENT.match(main.removesuffix("/$count") + (")" if rest else ""))
        if found is None or found["set"] not in self.rows:
            return 404, {"error": {"code": "NotFound", "message": "no such set"}}
        rows = self.rows[found["set"]]
        if found["key"] is None:
            if method == "POST":
                return self._created(found["set"], json.loads(body))
            matching = [row for row in rows if _passes(query.get("$filter", ""), row)]
            return (200, str(len(matching))) if counts else (200, self._page(found["set"], matching, query))
        row = next((one for one in rows if _key(found["set"], found["key"]) == self._key_of(found["set"], one)), None)
        if row is None:
            return 404, {"error": {"code": "NotFound", "message": "no such record"}}
        return self._one(method, found["set"], row, rest, headers, body)

    def _one(
        self, method: str, name: str, row: dict[str, Any], rest: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Any]:
        if method == "GET":
            return 200, self._shown(name, row)
        if method == "POST" and rest == "Shop.Model.Discontinue":
            row["Title"] += " (discontinued)"
            self._touch(row)
            return 204, None
        given = headers.get("If-Match")
        if name == "Products" and given != self._etag(row):
            return (428 if given is None else 412), {"error": {"code": "Precondition", "message": "another version"}}
        if method == "DELETE":
            self.rows[name].remove(row)
            return 204, None
        row.update(json.loads(body))
        self._touch(row)
        return 204, None

    def _created(self, name: str, row: dict[str, Any]) -> tuple[int, Any]:
        if name == "Lines":
            return 405, {"error": {"code": "ReadOnly", "message": "lines are read only"}}
        if name == "Products":
            row = {"Nr": max(one["Nr"] for one in self.rows[name]) + 1, "Price": 0, "Mood": "Calm", "Sku": "", **row}
        self.rows[name].append(row)
        return 201, self._shown(name, row)

    def _page(self, name: str, rows: list[dict[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
        for order in reversed([one for one in query.get("$orderby", "").split(",") if one]):
            field, _, direction = order.partition(" ")
            rows = sorted(rows, key=lambda row, field=field: row[field], reverse=direction == "desc")  # type: ignore[misc]
        rows = rows[: int(query["$top"])] if "$top" in query else rows
        start = int(query.get("$skiptoken", 0))
        shown = [self._shown(name, row) for row in rows[start : start + PAGE]]
        if chosen := query.get("$select"):
            shown = [{key: row[key] for key in row if key in chosen.split(",") or "@" in key} for row in shown]
        link = f"{name}?" + "&".join(f"{key}={value}" for key, value in query.items() if key != "$skiptoken")
        more = {"@odata.nextLink": f"{link}&$skiptoken={start + PAGE}"} if start + PAGE < len(rows) else {}
        return {"value": shown, **more}

    def _shown(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        return {"@odata.etag": self._etag(row), **row} if name == "Products" else dict(row)

    def _etag(self, row: Mapping[str, Any]) -> str:
        return f'W/"{self.versions.get(row["Nr"], 0)}"'

    def _touch(self, row: Mapping[str, Any]) -> None:
        if "Nr" in row:
            self.versions[row["Nr"]] = self.versions.get(row["Nr"], 0) + 1

    @staticmethod
    def _key_of(name: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[field] for field in KEYS[name])


def _key(name: str, text: str) -> tuple[Any, ...]:
    fields = KEYS[name]
    if len(fields) == 1:
        return (_key_value(fields[0], text),)
    parts = dict(re.findall(rf"(\w+)=({_LITERAL})(?:,|$)", text))
    return tuple(_key_value(field, parts[field]) for field in fields)


def _key_value(field: str, text: str) -> Any:
    if field not in TEXT_KEYS:
        return int(text)
    if not re.fullmatch(r"'(?:[^']|'')*'", text):
        raise ValueError("a text key is quoted")
    return text[1:-1].replace("''", "'")


def _passes(test: str, row: Mapping[str, Any]) -> bool:
    if not test:
        return True
    if test.startswith("(") and test.endswith(")") and " and " not in test:
        return _passes(test[1:-1], row)
    parts = _split(test, " and ")
    if len(parts) > 1:
        return all(_passes(part, row) for part in parts)
    parts = _split(test, " or ")
    if len(parts) > 1:
        return any(_passes(part, row) for part in parts)
    found = _TEST.fullmatch(test)
    if found is None:
        raise ValueError(f"a filter that is none: {test}")
    field, operator, value, call, called_on, text = found.groups()
    if call:
        own, wanted = row[called_on].lower(), _value(text).lower()
        return bool(
            {"contains": wanted in own, "startswith": own.startswith(wanted), "endswith": own.endswith(wanted)}[call]
        )
    ours, theirs = row[field], _value(value)
    if not isinstance(theirs, str):
        ours = Decimal(str(ours))
    outcomes = {
        "eq": ours == theirs, "ne": ours != theirs, "gt": ours > theirs, "ge": ours >= theirs, "lt": ours < theirs,
        "le": ours <= theirs,
    }  # fmt: skip
    return bool(outcomes[operator])


def _split(text: str, word: str) -> list[str]:
    """Split outside of quotes and parentheses."""
    parts, depth, is_quoted, start = [], 0, False, 0
    for place, char in enumerate(text):
        is_quoted ^= char == "'"
        depth += 0 if is_quoted else (char == "(") - (char == ")")
        if not is_quoted and depth == 0 and text.startswith(word, place):
            parts.append(text[start:place])
            start = place + len(word)
    return [*parts, text[start:]]


def _value(text: str) -> Any:
    if text.endswith("'"):
        kind, _, quoted = text.partition("'")
        if kind not in ("", "Shop.Model.Mood"):
            raise ValueError(f"an unknown type {kind}")
        return quoted[:-1].replace("''", "'")
    return Decimal(text)
