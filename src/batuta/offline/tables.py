"""Tables and charts in words: what a tool brought is named, its first rows are quoted, no figure is computed here."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.language.findings import LANGUAGES, Language

SHOWN_ROWS = 5
_WORDS: dict[str, dict[Language, str]] = {
    "more": {
        "en": "… and {count} more; the table shows all {total}.",
        "es": "… y {count} más; la tabla muestra los {total}.",
    },
    "none": {"en": "{title}: there is nothing.", "es": "{title}: no hay nada."},
    "total": {"en": "Total", "es": "Total"},
    "reference": {"en": "(dataset `{name}`)", "es": "(dataset `{name}`)"},
    "chart": {"en": "Here is the chart: {title}.", "es": "Aquí está el gráfico: {title}."},
    "chart_of": {"en": "Here is the chart of `{name}`: {title}.", "es": "Aquí está el gráfico de `{name}`: {title}."},
}
_TABLE_NAME = re.compile(r"\(dataset `(\w+)`\)")
_CHARTED_NAME = re.compile(r"(?:the chart of|el gráfico de) `(\w+)`")


_MARKUP = re.compile(r"([\\`*_\[\]<>~|])")
_OPENS_A_BLOCK = re.compile(r"^(\s*)([#+-]|\d+(?=[.)]))")


def as_text(value: object) -> str:
    """What a table or a chart says, so that a page shows it as it is: a cell is never mark-up."""
    text = " ".join(_MARKUP.sub(r"\\\1", str(value)).split())
    return _OPENS_A_BLOCK.sub(r"\1\\\2", text) if not re.match(r"[+-]?\d", text) else text


def is_table(value: Any) -> bool:
    """Whether a result is a dataset: a name, columns, and how many rows there are."""
    return (
        isinstance(value, Mapping) and isinstance(value.get("dataset"), str) and isinstance(value.get("columns"), list)
    )


def is_chart(value: Any) -> bool:
    """Whether a result is a chart that was drawn."""
    return isinstance(value, Mapping) and isinstance(value.get("chart"), str)


def table_in_words(table: Mapping[str, Any], language: Language) -> str:
    """What a dataset says of itself, else its title, first rows and totals; and the name by which others take it."""
    reference = _WORDS["reference"][language].format(name=table["dataset"])
    own = table.get("summary")
    if isinstance(own, Mapping) and own.get(language):
        return f"{own[language]} {reference}"
    columns = [each for each in table["columns"] if isinstance(each, Mapping)]
    rows = [each for each in table.get("first_rows", []) if isinstance(each, Mapping)]
    title = as_text(table.get("title") or table["dataset"])
    count = int(table.get("row_count") or len(rows))
    if not rows:
        return _WORDS["none"][language].format(title=title)
    lines = [f"- {_row(row, columns, language)}" for row in rows[:SHOWN_ROWS]]
    if count > SHOWN_ROWS:
        lines.append(_WORDS["more"][language].format(count=count - SHOWN_ROWS, total=count))
    totals = table.get("totals")
    if isinstance(totals, Mapping) and totals and count > 1:
        shown = [
            f"{_label(columns, name)} {_cell(value, _column(columns, name), language)}"
            for name, value in totals.items()
        ]
        lines.append(f"{_WORDS['total'][language]}: {', '.join(shown)}")
    if table.get("warning"):
        lines.append(str(table["warning"]))
    return "\n".join([f"{title} {reference}", "", *lines])


def chart_in_words(chart: Mapping[str, Any], language: Language) -> str:
    """What a chart shows, as its tool says it, with every note, and in the language that the tool says it in."""
    spoken = next((one for one in LANGUAGES if one == chart.get("language")), language)
    words = _WORDS["chart_of" if chart.get("source") else "chart"][spoken]
    said = [words.format(title=as_text(chart["chart"]), name=chart.get("source"))]
    said += [as_text(shows)] if isinstance(shows := chart.get("shows"), str) else []
    notes = chart.get("notes")
    said += [as_text(note) for note in notes] if isinstance(notes, list | tuple) else []
    return " ".join(said)


def tables_named(answer: str) -> list[str]:
    """The tables that an agent read for an answer, by their names, in its order."""
    return list(dict.fromkeys(_TABLE_NAME.findall(answer)))


def charted_table(answer: str) -> str | None:
    """The table that the last chart of an answer was drawn of."""
    return next(iter(reversed(_CHARTED_NAME.findall(answer))), None)


def _row(row: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Names first, then figures with their unit."""
    names = [
        as_text(value)
        for name, value in row.items()
        if not _is_figure(_column(columns, name)) and value not in (None, "")
    ]
    figures = [
        _cell(value, _column(columns, name), language)
        for name, value in row.items()
        if _is_figure(_column(columns, name)) and value is not None
    ]
    return ": ".join(part for part in (", ".join(names), ", ".join(figures)) if part)


def _column(columns: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    return next((column for column in columns if column.get("name") == name), {})


def _label(columns: Sequence[Mapping[str, Any]], name: str) -> str:
    return as_text(_column(columns, name).get("label") or name.replace("_", " "))


def _is_figure(column: Mapping[str, Any]) -> bool:
    return column.get("type") in ("integer", "decimal", "float", "number")


def _cell(value: Any, column: Mapping[str, Any], language: Language) -> str:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    text = f"{number:,f}"
    if language == "es":
        text = text.translate(str.maketrans(",.", ".,"))
    unit = column.get("currency") or column.get("unit") or ""
    return f"{text} {unit}".strip()
