"""What a person's words say about a chart, read against the table it is drawn of. Words are data (`vocabulary`).

    "ventas por región, solo España, sin Acme, las 5 mayores"
        -> x = region, y = (ventas,), only = (España,), excluded = (Acme,), top = 5

Only what the words name surely is taken: a column by its name, label or a synonym, a value that the table holds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from batuta.datasets.charts.asked_bounds import asked_bounds, bounded_figure
from batuta.datasets.charts.asked_counts import are_rows_of, counted_column, subject_of
from batuta.datasets.charts.asked_currencies import asked_currency
from batuta.datasets.charts.asked_kinds import KINDS, kind_named
from batuta.datasets.charts.asked_names import folded as _folded
from batuta.datasets.charts.asked_names import with_numbered_columns, with_short_names
from batuta.datasets.charts.asked_periods import asked_comparison, asked_period
from batuta.datasets.charts.asked_superlatives import asked_superlative, is_only_sum
from batuta.datasets.charts.asked_titles import asked_title
from batuta.datasets.charts.parts_of_time import with_asked_parts
from batuta.datasets.charts.request import ChartFilter
from batuta.datasets.charts.table_words import (
    are_alike,
    different,
    forms_of,
    is_called,
    is_period_column,
    known_words,
    named_values,
    names_of,
    table_words,
    values_beside,
    with_joints,
)
from batuta.datasets.charts.unread import unread_words
from batuta.datasets.charts.vocabulary import (
    ADDING,
    AGAINST_WORDS,
    AGGREGATE_WORDS,
    BOTTOM_WORDS,
    BY_WORDS,
    CHART_WORDS,
    COLOUR_WORDS,
    COLUMN_WORDS,
    COMPARE_WORDS,
    COMPARED_VALUES,
    EVERYTHING_WORDS,
    EXTREME_WORDS,
    FIGURES,
    INSTEAD_WORDS,
    LATEST_WORDS,
    NUMBER_WORDS,
    OF_WORDS,
    ONE_FIGURE_WORDS,
    ONLY_WORDS,
    ORDER_WORDS,
    PERIOD_WORDS,
    REST_WORDS,
    SHARE_WORDS,
    SPLIT_WORDS,
    TIME_UNIT_WORDS,
    TOP_WORDS,
    WHICH_WORDS,
    WITHOUT_WORDS,
    Words,
)
from batuta.datasets.charts.words import UNIT_NAMES
from batuta.datasets.dataset import Column, Dataset
from batuta.language.detection import detect_language

MAX_ASKED_CHARS = 2_000
_COMPARED = ("x", "series", "kind", "top", "last", "time_unit", "order", "is_share", "dropped")
"""Parts of a request that a single figure has not."""
_ONE_OF = frozenset({"average", "median", "maximum", "minimum"})
"""Of the figures that rows come to: a chart shows one of these."""
MAX_FIGURES = 4
SHORTEST_BARE = 3
"""Letters of a value that is understood without a word before it such as "only"."""
Span = tuple[int, int]
_LISTED = re.compile(r",\s+(?=[^\W\d_A-ZÁÉÍÓÚÑ][^\W\d_]*(?:,|\s+(?:y|and|e)\s))")
"""Between the words of a list, like its last `and`; the name of a company may hold a comma too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartReading:
    """What a text says of a chart of one table, and the words that say nothing of it."""

    changes: dict[str, Any]
    """The parts of a `ChartRequest` that the text names; what it does not name is not in it.

    `is_everything` says that what was left out before is wanted again, `released` which values of one column are ("all
    countries"), `dropped` that so many of the largest or the smallest are not wanted, `is_added` that what is named
    stands beside what was shown: they are said of a chart, and are no part of a request.
    """
    unread: tuple[str, ...]
    """Words that are neither of the table nor of charts, as they were written: a chart without them may show something
    else than was asked for."""
    asks_unread: bool
    """Whether one of them stands where a column or a value is asked for: "by planet", "only Mars"."""
    asks_chart: bool
    """Whether a picture is asked for by its name."""
    unplaced: tuple[str, ...]
    """Titles of columns that were asked for beside two others: a chart compares by one and splits by another."""
    kinds_in_names: tuple[str, ...] = ()
    """Kinds of charts whose words stand in the name of a column: no line is asked for "by line of business"."""
    replaced: tuple[str, ...] = ()
    """All values of the columns that `only` keeps to: of what was kept before these make room."""

    @property
    def names_table(self) -> bool:
        """Whether a column or a value of the table is named."""
        return bool(self.changes.keys() & {"x", "y", "series", "only", "excluded", "filters", "time_unit"})


def reading_of(text: str, table: Dataset) -> ChartReading:
    """A text read against a table."""
    text = text[:MAX_ASKED_CHARS]
    title, rest = asked_title(text)
    bounds, rest = asked_bounds(rest)
    known = known_words(table)
    compared, rest = asked_comparison(rest, table)
    period, rest = asked_period(rest, table, known)
    ranked, rest = asked_superlative(rest, table)
    currency = asked_currency(f" {_folded(_LISTED.sub(' y ', rest.replace('€', ' euros ')))} ", table)
    known |= {name for column in table.columns for name in names_of(column)}
    said, table = with_asked_parts(with_short_names(currency.text, table.columns, known), table, detect_language(text))
    reading = _Reading(said.strip(), table)
    changes = ranked | reading.changes() | bounds | compared | ({"title": title} if title else {})
    if reading.bounded is not None and bounds:
        limits = {name: str(changes.pop(name)) for name in bounds}
        changes["filters"] = [*changes.get("filters", ()), ChartFilter(column=reading.bounded.name, **limits)]
    if period is not None:
        changes["filters"] = [*period, *changes.get("filters", ())]
    if currency.is_asked and not reading.asks_count:
        changes.pop("aggregate" if changes.get("aggregate") == "count" else "", None)
    if currency.only is not None:
        changes.setdefault("only", []).append(currency.only)
    names = [form for word in table_words(table) for form in forms_of(word)]
    names += [name for one in table.columns for name in names_of(one)]
    unread = unread_words(reading.rest, names)
    for value in reading.bare_values(unread):
        changes.setdefault("only", []).append(value)
        unread = [word for word in unread if word not in _folded(value).split()]
    changes |= reading.beside(changes)
    if reading.asks_one and changes.keys().isdisjoint(_COMPARED) and is_only_sum(changes, table):
        changes["kind"] = "kpi"
    refused = [*reading.uncounted, *filter(None, [currency.unread])]
    unread = [*refused, *unread]
    spelled = {_folded(word): word for word in re.findall(r"[\w%]+", text)}
    return ChartReading(
        changes=changes,
        unread=tuple(spelled.get(word, word) for word in unread),
        asks_unread=bool(refused) or any(reading.asks_for(word) for word in unread),
        asks_chart=any(f" {_folded(word)} " in f" {_folded(text)} " for word in CHART_WORDS),
        unplaced=reading.unplaced,
        kinds_in_names=reading.kinds_in_names,
        replaced=tuple(values_beside(changes.get("only") or (), table)),
    )


def asked_of(text: str, table: Dataset) -> dict[str, Any]:
    """What a text changes of a chart of a table."""
    return reading_of(text, table).changes


class _Reading:
    """One text over one table. Words that were understood are taken out, so that nothing is read twice."""

    def __init__(self, text: str, table: Dataset) -> None:
        # "The units instead of the amount" names what is not wanted any more.
        text, self._is_instead = re.subn(rf" (?:{'|'.join(INSTEAD_WORDS)}) .*$", " ", f" {text} ")
        # "The total of the units" and "total hours" are a sum, and no column called total.
        figures = "|".join(re.escape(name) for one in table.columns if one.is_numeric for name in names_of(one))
        self._asked = text
        self._is_added = re.match(ADDING, text) is not None
        text = re.sub(ADDING, " ", text) if self._is_added else text
        self._text = with_numbered_columns(
            re.sub(rf" total (?=(?:de|del|of|in|en|{figures or 'of'}) )", " ", text), table
        )
        self._table = table
        self.asks_one = re.search(rf" (?:{'|'.join(ONE_FIGURE_WORDS)}) ", text) is not None
        self.asks_count = any(f" {word} " in text for word in AGGREGATE_WORDS["count"])
        self._found: dict[str, Any] = {}
        self._is_split_by_time, self._top_of = False, ""
        free = self._outside_names(KINDS)
        self.kinds_in_names = tuple(kind for kind, words in KINDS.items() if len(free[kind]) < len(words))
        self.unplaced: tuple[str, ...] = ()
        self.uncounted: tuple[str, ...] = ()
        self.bounded: Column | None = None

    @property
    def rest(self) -> str:
        """What was not taken out: names of columns, and words that were not understood."""
        return self._text

    def bare_values(self, unread: Sequence[str]) -> list[str]:
        """Values of the table that stand among words which mean nothing else: "Spain by month"."""
        return [
            value
            for start, end, value in self._values()
            if end - start >= SHORTEST_BARE and set(self._text[start:end].split()) <= set(unread)
        ]

    def asks_for(self, word: str) -> bool:
        """Whether a word stands where a column or a value is asked for."""
        match = re.search(rf"(?<= ){re.escape(word)}(?= )", self._text)
        return match is not None and self._is_after(
            (*BY_WORDS, *SPLIT_WORDS, *ONLY_WORDS, *WITHOUT_WORDS, *(one.rstrip("l?") for one in AGAINST_WORDS)),
            match.start(),
        )

    def changes(self) -> dict[str, Any]:
        if self._take_any(EVERYTHING_WORDS) or self._text.strip() in ("all", "todo", "todos", "todas"):
            self._found |= {"only": [], "excluded": [], "top": None, "is_everything": True}
        if self._is_added:
            self._found["is_added"] = True
        self._read_released()
        self._read_dropped()
        stacked = re.search(r" (?:stacked|stack (?:it|them)|apila(?:d[oa]s?|l[oa]s?)?)(?= (?:by|por) )", self._text)
        if stacked:  # what follows are the parts of the stack
            self._found["kind"] = "stacked"
            self._cut(
                (stacked.start() + 1, stacked.end()), "split" if " by " in self._text[stacked.end() :] else "separado"
            )
        if (named := kind_named(self._text)) is not None:
            self._found["kind"] = named.kind
            self._cut(named.span, "")
        for name, words in (("order", ORDER_WORDS), ("kind", KINDS), ("time_unit", TIME_UNIT_WORDS)):
            if name not in self._found and (key := self._take_choice(self._outside_names(words))) is not None:
                self._found[name] = key
        self._read_order_column()
        self._is_split_by_time = is_split_by_time = "time_unit" not in self._found and self._read_joined_unit()
        if self._take_any(self._outside_names({"share": SHARE_WORDS})["share"]):
            self._found["is_share"] = True
        self._read_last()
        has_rest = self._take_any(REST_WORDS)
        self._read_top()
        if has_rest:
            self._found["has_rest"] = True
        self._read_values()
        self._read_flags()
        self._read_colour()
        self._read_counted()
        self._read_columns()
        times = [column.name for column in self._table.columns if column.type in ("date", "datetime")]
        times += [column.name for column in self._periods()]
        is_other_time = is_split_by_time and times and self._found.get("x", times[0]) != times[0]
        if is_other_time and self._found.setdefault("series", times[0]) != times[0]:
            self.unplaced = (*self.unplaced, self._table.column(times[0]).title)
        how = self._take_choice(AGGREGATE_WORDS)
        others = {key: AGGREGATE_WORDS[key] for key in _ONE_OF - {how}}
        if how in _ONE_OF and (other := self._take_choice(others)) is not None:
            self.uncounted = (*self.uncounted, *(word for word in others[other] if f" {word} " in self._asked))
        if how is not None and "aggregate" not in self._found and not (how == "count" and self._names_a_count()):
            self._found["aggregate"] = how
        if self.asks_one and self._found.keys().isdisjoint(_COMPARED) and self._found.keys() & {"y", "aggregate"}:
            self._found["kind"] = "kpi"
        return self._found

    def _outside_names(self, choices: Words) -> Words:
        """Words without those that are part of a column's name in the text: "Annual budget", "Línea de negocio"."""
        titles = [f" {form} " for column in self._table.columns for form in forms_of(_folded(column.title))]
        named = [title for title in titles if title in self._text]
        return {
            unit: [word for word in words if not any(f" {_folded(word)} " in title for title in named)]
            for unit, words in choices.items()
        }

    def _read_joined_unit(self) -> bool:
        """Read "by country and month": a period that is named after what else is compared by."""
        units = {_folded(name): unit for unit, names in UNIT_NAMES.items() for name in names.values()}
        match = re.search(
            rf" (?:{'|'.join(BY_WORDS)}) .* (?:and|y|e) (?:(?:by|per|por) )?({'|'.join(units)}) ", self._text
        )
        if match is None:
            return False
        self._found["time_unit"] = units[match[1]]
        self._cut((match.start(1) - 1, match.end()))
        return True

    def _names_a_count(self) -> bool:
        """Whether the table has what is counted as a figure: that is added up, and its rows are not counted."""
        named = [column for column in self._table.columns if column.name in self._found.get("y", ())]
        return any(column.currency is None and column.currency_column is None for column in named)

    def _read_order_column(self) -> None:
        """By a name or a day it is the category that orders, by a figure the figure."""
        if self._found.get("order") != "column":
            return
        del self._found["order"]
        place = re.search(r" #order (?:the |el |la |los |las )?", self._text)
        rest = self._text[place.end() :] if place else ""
        column = next(
            (one for one in self._table.columns if any(f"{rest} ".startswith(f"{name} ") for name in names_of(one))),
            None,
        )
        is_label = column is not None and not column.is_numeric
        is_label = is_label or re.match(r"(?:name|nombre|alphabet|alfabet|label|fecha|date)", rest) is not None
        self._found["order"] = "label" if is_label else "largest"
        if place:
            end = place.end() + len(_first_words(rest, column))
            self._text = f"{self._text[: place.start()]} {self._text[end:]}"

    def _read_last(self) -> None:
        """Read "the last 6 months": the end of a time, not the smallest figures."""
        number = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
        latest, periods = "|".join(LATEST_WORDS), "|".join(PERIOD_WORDS)
        for pattern in (rf" (?:{latest}) {number} (?:{periods}) ", rf" {number} (?:{latest}) (?:{periods}) "):
            if match := re.search(pattern, self._text):
                self._found["last"] = int(NUMBER_WORDS.get(match["n"], match["n"]))
                self._cut(match.span())
                return

    def _read_released(self) -> None:
        """Read "all countries": none of them is left out any more."""
        for column in self._table.columns:
            names = "|".join(sorted(map(re.escape, names_of(column)), key=len, reverse=True))
            match = re.search(rf" (?:all|todos|todas)(?: of)?(?: the| los| las)? (?:{names}) ", self._text)
            if match and column.type == "text" and not self._is_after(BY_WORDS, match.start() + 1):
                self._found["released"] = different(self._table.values(column.name))
                self._cut(match.span())
                return

    def _read_dropped(self) -> None:
        """Read "without the biggest one", "sin los dos menores"."""
        number = rf"(?:(?P<n>\d{{1,3}}|{'|'.join(NUMBER_WORDS)}) )?(?:\w+ )?"
        without = "|".join(with_joints(WITHOUT_WORDS))
        for which, words in EXTREME_WORDS.items():
            if match := re.search(rf" (?:{without}) {number}(?:{'|'.join(words)}) ", self._text):
                self._found["dropped"] = (which, int(NUMBER_WORDS.get(match["n"], match["n"]) if match["n"] else 1))
                self._cut(match.span())
                return

    def _read_top(self) -> None:
        """Read "top 5", "the five biggest customers", "los 5 clientes que más compran"."""
        number = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
        for words, most, order in ((BOTTOM_WORDS, "menos|least|fewest", "smallest"), (TOP_WORDS, "mas|most", None)):
            patterns = [rf" {number} (?P<of>\w+) (?:que|who|that|which) (?:\w+ )?(?:{most}) "]
            patterns += [
                form for word in words for form in (rf" {word} {number} ", rf" {number}(?: (?P<of>\w+))? {word} ")
            ]
            match = next((found for one in patterns if (found := re.search(one, self._text))), None)
            if match is None:
                continue
            self._found["top"] = int(NUMBER_WORDS.get(match["n"], match["n"]))
            following = self._text[match.end() :].split()
            self._top_of = match.groupdict().get("of") or (following[0] if following else "")
            if order:
                self._found["order"] = order
            self._cut(match.span())
            return

    def _read_values(self) -> None:
        """Values that the table holds, each with the word before it: only, without, of."""
        for start, end, value in self._values():
            before = self._without_column_name(self._text[:start])
            if any(before.endswith(f" {word} ") for word in with_joints(WITHOUT_WORDS)) or self._continues(
                before, "excluded"
            ):
                self._found.setdefault("excluded", []).append(value)
            elif (
                any(before.endswith(f" {word} ") for word in with_joints((*ONLY_WORDS, *OF_WORDS, *COMPARE_WORDS)))
                or self._continues(before, "only")
                or (self._is_added and not before.strip())
            ):
                self._found.setdefault("only", []).append(value)
            else:
                continue
            self._text = f"{self._text[:start]}{'~' * (end - start)}{self._text[end:]}"

    def _read_flags(self) -> None:
        """Read "reimbursed claims", "only those not reimbursed": rows of which a column says yes, or no."""
        for column in self._table.columns:
            span = self._span_of(column) if column.type == "boolean" else None
            if span is None or self._is_after((*BY_WORDS, *SPLIT_WORDS), span[0]):
                continue
            if re.search(rf" (?:{'|'.join(AGAINST_WORDS)}) ", self._text):
                self._found["x"] = column.name
                continue
            is_no = self._is_after((*WITHOUT_WORDS, "no"), span[0])
            wanted = ChartFilter(column=column.name, values=("false" if is_no else "true",))
            self._found["filters"] = [*self._found.get("filters", ()), wanted]
            self._text = f"{self._text[: span[0]]}{'~' * (span[1] - span[0])}{self._text[span[1] :]}"

    def _read_colour(self) -> None:
        """Read "in red" and "make it blue", where no value of the table is called so."""
        named = {self._text[start:end] for start, end, _ in self._values()}
        words = {key: [word for word in group if word not in named] for key, group in COLOUR_WORDS.items()}
        if (colour := self._take_choice(words)) is not None:
            self._found["colour"] = colour

    def _without_column_name(self, before: str) -> str:
        """A text without the name of a column at its end: "only category A"."""
        names = sorted({name for column in self._table.columns for name in names_of(column)}, key=len, reverse=True)
        named = next((name for name in names if before.endswith(f" {name} ")), None)
        return before if named is None else before[: -len(named) - 1]

    def _continues(self, before: str, part: str) -> bool:
        """Whether a value goes on a list: "solo España y Portugal"."""
        return (
            bool(self._found.get(part))
            and re.search(r"~ (?:(?:y|e|and|or|o|ni) )?(?:el |la |the )?$", before) is not None
        )

    def _values(self) -> list[tuple[int, int, str]]:
        """Where values of text columns stand, the longest first where they overlap; in the order of the text."""
        known = named_values(self._table)
        found: list[tuple[int, int, str]] = []
        for folded in sorted(known, key=len, reverse=True):
            if not folded or f" {folded} " not in self._text:
                continue
            for match in re.finditer(rf"(?<= ){re.escape(folded)}(?= )", self._text):
                if not any(match.start() < end and start < match.end() for start, end, _ in found):
                    found.append((*match.span(), known[folded]))
        return sorted(found)

    def _read_columns(self) -> None:
        """Columns by name, label or synonym; what stands after "by" is compared or split by."""
        keys: list[Column] = []
        periods = self._periods()
        is_timed = "time_unit" in self._found and any(one.type in ("date", "datetime") for one in self._table.columns)
        figures: list[tuple[int, Column]] = []
        self.bounded = self._bounded_rows()
        for place, column in self._named_columns():
            if column is self.bounded:
                continue
            # "Customers by sales" ranks them, "sales by age" compares ages: what adds up is the figure.
            if column.is_numeric and (column.is_additive or not self._is_after(BY_WORDS, place)):
                figures.append((place, column))
            elif (
                self._is_after((*BY_WORDS, *SPLIT_WORDS, *WHICH_WORDS), place)
                or ((keys or periods or is_timed) and self._is_joined(place))
                or (self._found.get("kind") == "heatmap" and not self._is_subject(column))
                or self._is_instead
            ):
                keys.append(column)
        if not keys and not periods and (ranked := self._ranked_column(figures)) is not None:
            keys = [ranked]
        keys = [*periods, *(column for column in keys if column not in periods)]
        first = (self._place_of(keys[0]) or 0) if keys else 0
        # "By quarter and country" goes along time, and is split by the country.
        is_along_time = is_timed and not self._is_split_by_time and not periods
        is_beside_time = is_along_time and keys and keys[0].type not in ("date", "datetime")
        if keys and (self._is_after(SPLIT_WORDS, first) or is_beside_time):
            self._found["series"] = keys[0].name
        elif keys:
            self._found["x"] = keys[0].name
            if len(keys) > 1:
                self._found["series"] = keys[1].name
            self.unplaced = tuple(column.title for column in keys[2:])
        is_against = re.search(rf" (?:{'|'.join(AGAINST_WORDS)}) ", self._text) is not None
        if len(figures) > 1 and is_against and not (keys and are_alike([column for _, column in figures])):
            self._found.setdefault("kind", "scatter")
        if not figures and not self.asks_count:
            self._read_count(is_timed=is_timed)
        if figures:
            named = [column for _, column in sorted(figures, key=lambda pair: pair[0])]
            self._found["y"] = [column.name for column in self._with_those_between(named)][:MAX_FIGURES]

    def _with_those_between(self, named: Sequence[Column]) -> Sequence[Column]:
        """Figures from one column to another: "Q1 to Q4" are four."""
        spans = [self._span_of(column) for column in named]
        if len(named) != 2 or spans[0] is None or spans[1] is None:
            return named
        first, last = (self._table.columns.index(column) for column in named)
        is_range = re.fullmatch(r" (?:to|through|until|hasta|al?) (?:el |la )?", self._text[spans[0][1] : spans[1][0]])
        numeric = [column for column in self._table.columns[first : last + 1] if column.is_numeric]
        return numeric if is_range and first < last else named

    def beside(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Values of one column that are compared are shown apart: "compare Spain and France by quarter"."""
        shown = set(changes.get("only") or ())
        if len(shown) < (1 if self._is_added else 2) or not re.search(COMPARED_VALUES, self._asked):
            return {}
        texts = [one for one in self._table.columns if one.type == "text"]
        held = next((one.name for one in texts if shown <= set(self._table.values(one.name))), None)
        is_shown = held is None or "series" in changes or changes.get("x") == held
        return {} if is_shown else {"series" if self._is_added or changes.keys() & {"x", "time_unit"} else "x": held}

    def _is_subject(self, column: Column) -> bool:
        """Whether a column is only named because its rows are: "heat map of tickets"."""
        start, end = self._span_of(column) or (0, 0)
        return are_rows_of(self._text[start:end], self._table)

    def _ranked_column(self, figures: Sequence[tuple[int, Column]]) -> Column | None:
        """What a ranking is of: "customers by quantity", and "the three biggest customers" after months were drawn."""
        named = [(place, column) for place, column in self._named_columns() if column.type == "text"]
        by = [place for place, _ in figures if self._is_after(BY_WORDS, place)]
        ranked = next((column for place, column in named if any(place < figure for figure in by)), None)
        return ranked or next((column for _, column in named if self._top_of in names_of(column)), None)

    def _read_counted(self) -> None:
        """Read "how many customers by country": their different names, or rows where each has one of its own."""
        counted = counted_column(self._text, self._table)
        if counted is None:
            return
        self._found["aggregate"] = "count" if counted.is_each_once else "distinct"
        if not counted.is_each_once:
            self._found["y"] = [counted.column.name]
        self._cut(counted.span)

    def _bounded_rows(self) -> Column | None:
        """The figure that rows are chosen by, where rows are counted: "tickets of more than 40 hours by team"."""
        subject = subject_of(self._text, self._table)
        is_count = self.asks_count or bool(subject and are_rows_of(subject[0], self._table))
        return bounded_figure(self._text, self._table.columns, self._span_of) if is_count else None

    def _read_count(self, *, is_timed: bool) -> None:
        """Read "tickets per week", "hires by year": rows, called as the table is, or as what tells them apart.

        What a table holds many times is not counted by its rows: "customers by country" of invoices is not understood.
        """
        words = subject_of(self._text, self._table)
        if not words or not self._found.keys() & {"x", "series", "time_unit"}:
            return
        if are_rows_of(words[0], self._table):
            self._found["aggregate"] = "count"
            return
        word = " ".join(words)
        measured = {_folded(each) for name in FIGURES for each in (name, *COLUMN_WORDS[name])}
        named = None if word in measured else next((one for one in self._table.columns if is_called(one, word)), None)
        if named is None:
            return
        values = self._table.values(named.name)
        is_day = named.type in ("date", "datetime") and is_timed
        if is_day:
            self._found.setdefault("x", named.name)
            self._text = self._text.replace(f" {word} ", " ", 1)
        if is_day or len(set(values)) == len(values) > 1:
            self._found["aggregate"] = "count"
        elif named.type == "text" and named.name not in self._found.values():
            self.uncounted = (word,)

    def _named_columns(self) -> list[tuple[int, Column]]:
        """The columns that are named, by their places; "gasto usd" is not the other column that begins with "gasto"."""
        spans = [(span, column) for column in self._table.columns if (span := self._span_of(column)) is not None]
        return sorted(
            (
                (start, column)
                for (start, end), column in spans
                if not any(s <= start and end <= e and (s, e) != (start, end) for (s, e), _ in spans)
            ),
            key=lambda pair: pair[0],
        )

    def _periods(self) -> list[Column]:
        """The column that holds the periods which were named, where a table has them as text: `month` of 2026-04."""
        if any(column.type in ("date", "datetime") for column in self._table.columns):
            return []
        unit = self._found.get("time_unit")
        return [column for column in self._table.columns if unit is not None and is_period_column(column, unit)]

    def _place_of(self, column: Column) -> int | None:
        span = self._span_of(column)
        return None if span is None else span[0]

    def _span_of(self, column: Column) -> Span | None:
        """Where a column is named first, by the longest of its names there."""
        spans = [
            (place + 1, place + 1 + len(name))
            for name in names_of(column)
            if (place := self._text.find(f" {name} ")) >= 0
        ]
        return min(spans, key=lambda span: (span[0], -span[1])) if spans else None

    def _is_after(self, words: Iterable[str], place: int) -> bool:
        before = self._text[:place]
        return any(before.endswith(f" {word} ") for word in with_joints(words))

    def _is_joined(self, place: int) -> bool:
        return re.search(r" (?:y|and|e) (?:(?:por|by) )?$", self._text[:place]) is not None

    def _take_choice(self, words: Words) -> str | None:
        pairs = sorted(((word, key) for key, group in words.items() for word in group), key=lambda pair: -len(pair[0]))
        for word, key in pairs:
            if (found := f" {_folded(word)} ") in self._text:
                self._text = self._text.replace(found, " #order " if key == "column" else " ", 1)
                return key
        return None

    def _take_any(self, words: Sequence[str]) -> bool:
        for word in sorted(words, key=len, reverse=True):
            if (found := f" {_folded(word)} ") in self._text:
                self._text = self._text.replace(found, " ", 1)
                return True
        return False

    def _cut(self, span: Span, instead: str = " ") -> None:
        self._text = f"{self._text[: span[0]]}{instead}{self._text[span[1] :]}"


def _first_words(text: str, column: Column | None) -> str:
    if column is not None:
        named = [name for name in names_of(column) if f"{text} ".startswith(f"{name} ")]
        return max(named, key=len)
    match = re.match(r"\S+", text)
    return match.group() if match else ""
