"""Tables and charts in a terminal: rows in columns, figures as bars, a course of time as a sparkline."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rich.table import Table
from rich.text import Text

from batuta.datasets.charts.computing import PERIOD_LABEL
from batuta.datasets.charts.labels import number_text
from batuta.events.datasets import Cell, ChartDrawn, Column, DatasetStored

BARS = "▁▂▃▄▅▆▇█"
BAR_WIDTH = 32
MOST_BARS = 24


def table_of(event: DatasetStored, language: str = "en") -> Table:
    """The first rows of a dataset, with its totals below."""
    table = Table(
        title=Text(event.title or event.name), title_justify="left", show_footer=bool(event.totals), expand=False
    )
    for place, column in enumerate(event.columns):
        total = event.totals.get(column.name)
        footer = Text("Σ" if place == 0 and total is None and event.totals else _cell(total, column, language))
        table.add_column(Text(_head(column)), justify="right" if column.is_numeric else "left", footer=footer)
    for row in event.first_rows:
        table.add_row(*(Text(_cell(*one, language)) for one in zip(row, event.columns, strict=True)))
    if event.row_count > len(event.first_rows):
        table.caption = Text(f"{len(event.first_rows)} / {event.row_count}")
    return table


def chart_of(event: ChartDrawn, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Text:
    """The figures of a chart: a line as a sparkline, everything else as bars, each with its figure."""
    title = Text(f"{event.title}\n", style="bold")
    if event.kind in ("line", "area"):
        return title + Text("\n".join(_course(columns, part, event.language) for part in _parts(columns, rows)))
    labels, figures = _figures(columns, rows, event.language)
    texts = _texts(columns, rows, event.language)
    if not figures:
        return title
    width = max(len(label) for label in labels[:MOST_BARS])
    lines = [
        f"{label[:30]:<{min(width, 30)}} {bar(figure, figures):<{BAR_WIDTH}} {text}"
        for label, figure, text in zip(labels, figures, texts, strict=True)
    ]
    return title + Text("\n".join(lines[:MOST_BARS]))


def _course(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], language: str) -> str:
    """One line of a chart as a sparkline, with its ends, its lowest and its highest."""
    labels, figures = _figures(columns, rows, language)
    texts = _texts(columns, rows, language)
    low, high = (texts[figures.index(choose(figures))] for choose in (min, max))
    return f"{sparkline(figures)}  {labels[0]} … {labels[-1]}\n{low} … {high}"


def _parts(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[list[Sequence[Cell]]]:
    """The rows of each line: two currencies are no single course."""
    _, *split = _label_places(columns)
    figure = _figure_place(columns)
    parts: dict[tuple[Cell, ...], list[Sequence[Cell]]] = {}
    for row in rows:
        if figure is not None and row[figure] is not None:
            parts.setdefault(tuple(row[place] for place in split), []).append(row)
    return list(parts.values())


def _label_places(columns: Sequence[Column]) -> list[int]:
    """The columns that say what a figure is of: a period by its name, where it has one."""
    places = [number for number, column in enumerate(columns) if not column.is_numeric]
    named = next((number for number in places if columns[number].name == PERIOD_LABEL), None)
    return places if named is None else [named, *(number for number in places[1:] if number != named)]


def sparkline(figures: Sequence[float]) -> str:
    """One block a figure, from the lowest to the highest."""
    low, high = min(figures), max(figures)
    span = (high - low) or 1.0
    return "".join(BARS[round((figure - low) / span * (len(BARS) - 1))] for figure in figures)


def bar(figure: float, figures: Sequence[float]) -> str:
    """A bar as long as the figure is large; one below zero is hollow."""
    largest = max(abs(one) for one in figures) or 1.0
    length = round(abs(figure) / largest * BAR_WIDTH)
    return ("█" if figure >= 0 else "░") * (length or (1 if figure else 0))


def _figures(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], language: str) -> tuple[list[str], list[float]]:
    place = _figure_place(columns)
    kept = [row for row in rows if place is not None and row[place] is not None]
    texts = _label_places(columns)
    labels = [" · ".join(_cell(row[number], columns[number], language) for number in texts) for row in kept]
    return labels, [float(row[place] or 0) for row in kept if place is not None]


def _texts(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], language: str) -> list[str]:
    place = _figure_place(columns)
    if place is None:
        return []
    measured = columns[place].currency or columns[place].unit or ""
    return [
        f"{_cell(row[place], columns[place], language)} {measured}".strip() for row in rows if row[place] is not None
    ]


def _figure_place(columns: Sequence[Column]) -> int | None:
    numeric = [number for number, column in enumerate(columns) if column.is_numeric]
    counted: dict[str, Any] = {column.name: number for number, column in enumerate(columns)}
    return counted.get("row_count", numeric[0] if numeric else None)


def _head(column: Column) -> str:
    measured = column.currency or column.unit
    return f"{column.title} ({measured})" if measured else column.title


def _cell(value: Cell, column: Column, language: str) -> str:
    if value is None or not column.is_numeric:
        return "" if value is None else str(value)
    number = Decimal(str(value))
    places = max(0, -int(number.normalize().as_tuple().exponent))
    return number_text(number, language, max(places, 2) if column.currency else places)
