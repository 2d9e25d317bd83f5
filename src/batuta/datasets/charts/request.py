"""What a user wants to see: kind, columns, filters. Plain data, so that a follow-up can change a part of it."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from batuta.datasets.charts.words import say
from batuta.datasets.dataset import DatasetError
from batuta.events.datasets import ChartKind

WantedKind = Literal["auto"] | ChartKind
Aggregate = Literal["sum", "average", "median", "count", "distinct", "minimum", "maximum"]
COUNTING: Final = ("count", "distinct")
"""Figures that are made of any column: how many rows, how many different names."""
Order = Literal["largest", "smallest", "label"]
TimeUnit = Literal["day", "week", "month", "quarter", "year"]
Colour = Literal["blue", "red", "green", "orange", "yellow", "purple", "pink", "grey", "brown", "teal"]
_NAMED_IN_TITLE = frozenset(
    ("x", "y", "series", "time_unit", "only", "excluded", "filters", "aggregate", "is_share", "compared")
)  # fmt: skip


class ChartFilter(BaseModel):
    """Rows to keep: those with one of these values, or within bounds (both included)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    values: tuple[str, ...] = ()
    at_least: str | None = None
    at_most: str | None = None


class ChartRequest(BaseModel):
    """A chart as it was asked for. Columns are names or labels of the dataset's columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    kind: WantedKind = "auto"
    x: str | None = None
    """What is compared: a category, or a time."""
    y: tuple[str, ...] = Field(default=(), max_length=4)
    """The figures; all numeric columns that may be added up, if nothing is said."""
    series: str | None = None
    """What the figures are split by, in colours."""
    aggregate: Aggregate = "sum"
    time_unit: TimeUnit | None = None
    top: int | None = Field(default=None, ge=1, le=1_000)
    has_rest: bool = False
    """Whether what is beyond `top` is shown too, as one figure."""
    last: int | None = Field(default=None, ge=1, le=1_000)
    """Show only so many periods, the latest ones."""
    at_least: Decimal | None = None
    """Show only figures that are not smaller, once they are added up; `at_most` those that are not larger."""
    at_most: Decimal | None = None
    filters: tuple[ChartFilter, ...] = Field(default=(), max_length=10)
    only: tuple[str, ...] = Field(default=(), max_length=10)
    """Values to keep, whichever column holds them: `España`, `Acme`."""
    excluded: tuple[str, ...] = Field(default=(), max_length=20)
    """Values to leave out, whichever column holds them."""
    compared: Literal["year"] | None = None
    """Beside what: the same days of the year before."""
    order: Order | None = None
    """Of categories; along time and for numbers their own order if nothing is said, else the largest first."""
    is_share: bool = False
    """Whether figures are shown as percentages of their sum."""
    colour: Colour | None = None
    """Of all marks, where colours do not tell parts apart."""
    starts_at_zero: bool = True
    title: str = Field(default="", max_length=200)
    language: Literal["en", "es"] = "en"

    def changed(self, **changes: Any) -> "ChartRequest":
        """The same with some parts replaced; the title goes when what it named has changed."""
        title = {"title": ""} if changes.keys() & _NAMED_IN_TITLE else {}
        return request_of(self.model_dump() | title | changes)


def request_of(parts: Mapping[str, Any]) -> ChartRequest:
    """A request of its parts. Raises `DatasetError` that says what is wrong with one, in the reader's language."""
    try:
        return ChartRequest.model_validate(parts)
    except ValidationError as error:
        language = "es" if parts.get("language") == "es" else "en"
        wrong = error.errors(include_url=False)[0]
        part = str(wrong["loc"][0]) if wrong["loc"] else ""
        message = "bad_number" if part in ("top", "last") else "bad_part"
        value = str(wrong["input"])[:80]
        raise DatasetError(say(message, language, part=part, value=value, most="1000")) from error


def amended(before: ChartRequest, words: dict[str, Any], replaced: Collection[str] | None = None) -> ChartRequest:
    """The chart before with what was said about it. Said twice it is the same: a resumed call says it again.

    Args:
        before: The last chart.
        words: What was said.
        replaced: Values that make room for those to keep; all of them if nothing is given.
    """
    changes = {name: value for name, value in words.items() if name in ChartRequest.model_fields}
    if words.get("is_added"):
        _beside_before(before, changes)
    elif "only" in changes:  # another country takes the place of the first one; a status is a condition more
        others = set(before.only) - set(before.only if replaced is None else replaced)
        changes["only"] = [*(one for one in before.only if one in others), *changes["only"]]
    if words.get("is_everything"):
        changes |= {"only": (), "excluded": (), "top": None, "last": None, "at_least": None, "at_most": None}
        changes.setdefault("filters", ())
    elif "excluded" in changes and not words.get("is_added"):
        gone = list(dict.fromkeys([*before.excluded, *changes["excluded"]]))
        changes |= {"excluded": gone, "only": [one for one in changes.get("only", before.only) if one not in gone]}
    if released := set(words.get("released", ())):
        changes.setdefault("only", [one for one in before.only if one not in released])
        changes.setdefault("excluded", [one for one in before.excluded if one not in released])
    if changes.get("filters"):
        changes["filters"] = _filters_after(before, changes["filters"])
    if changes.get("series") is not None and "x" not in changes and changes["series"] == before.x:
        changes["x"] = None  # what was compared by is now split by
    if "y" in changes and before.aggregate in COUNTING:
        changes.setdefault("aggregate", "sum")  # an amount, after a number of rows
    if "top" in changes:
        changes.setdefault("has_rest", False)
    if "time_unit" in changes and changes["time_unit"] is not None and before.time_unit is None:
        changes.setdefault("top", None)  # the largest customers are no largest months
        changes.setdefault("has_rest", False)
    if changes.get("top") is not None and "order" not in changes and before.order == "smallest":
        changes["order"] = None  # the largest, after the smallest
    if "x" in changes and changes["x"] != before.x:
        changes.setdefault("time_unit", None)
        changes.setdefault("kind", before.kind if before.kind not in ("line", "area", "kpi") else "auto")
        if before.series == changes["x"]:
            changes.setdefault("series", None)
    return before.changed(**changes)


def _beside_before(before: ChartRequest, changes: dict[str, Any]) -> None:
    """What is added stands beside what was shown: another figure, another value of those that were kept."""
    if "y" in changes and before.aggregate not in COUNTING:
        changes["y"] = list(dict.fromkeys([*before.y, *changes["y"]]))
    if "only" in changes:
        changes["excluded"] = [one for one in before.excluded if one not in changes["only"]]
        changes["only"] = list(dict.fromkeys([*before.only, *changes["only"]])) if before.only else []
    if changes.get("series") is not None and changes["series"] == before.x:
        del changes["series"]


def _filters_after(before: ChartRequest, filters: Iterable[Any]) -> list[ChartFilter]:
    """The filters of a chart with new ones: of each column the last that was asked for."""
    new = [ChartFilter.model_validate(one) for one in filters]
    return [*(one for one in before.filters if one.column not in {each.column for each in new}), *new]
