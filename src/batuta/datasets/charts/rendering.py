"""Charts as pictures, without a browser: for files, mails and reports.

svg = await render(spec, figures, "svg", language="es", theme="light")
"""

import base64
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal

from batuta.datasets.charts.checking import checked_spec
from batuta.datasets.charts.labels import PARTS
from batuta.datasets.charts.spec import DATA_NAME
from batuta.datasets.charts.words import SEPARATORS
from batuta.datasets.dataset import Dataset
from batuta.datasets.processes import ProcessLimit, run_child
from batuta.events.datasets import as_cell
from batuta.kernel.errors import ToolFailedError
from batuta.kernel.extras import load_extra
from batuta.language.lexicon import SHORT_MONTH_NAMES

CHILD = Path(__file__).with_name("render_child.py")
LIMIT = ProcessLimit(seconds=30)
WIDTH = 640
TITLE_LETTERS, BELOW_LETTERS = 88, 104
"""Of one line above a picture; a longer title goes on below, nothing of it is cut off."""
MAX_DRAWN_ROWS = 5_000
DAY_FORMAT = "%-d %b %Y"
"""A day as both languages write it: 5 Jan 2026, 5 ene 2026."""

PictureFormat = Literal["png", "svg"]
Theme = Literal["light", "dark"]

_INK = {"light": "#1c1917", "dark": "#e7e5e4"}
_GRID = {"light": "#e7e5e4", "dark": "#44403c"}
_PAPER = {"light": "#ffffff", "dark": "#1c1917"}
_DAYS = {
    "en": ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    "es": ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
}


async def render(
    spec: dict[str, Any], figures: Dataset, wanted: PictureFormat, *, language: str = "en", theme: Theme = "light"
) -> bytes:
    """A chart as a picture. Raises `SpecError`, `ToolFailedError`, `DeadlineExceededError`, `MissingExtraError`."""
    load_extra("vl_convert", extra="charts", needed_for="charts as pictures")
    (picture,) = await pictures([bound(spec, figures, language=language, theme=theme)], wanted)
    return base64.b64decode(picture) if wanted == "png" else str(picture).encode()


async def pictures(specs: Sequence[dict[str, Any]], wanted: str, limit: ProcessLimit = LIMIT) -> list[Any]:
    """Several charts in one process."""
    request = {"specs": list(specs), "format": wanted, "max_seconds": limit.seconds}
    answer = json.loads(await run_child(CHILD, request, limit))
    if "error" in answer:
        raise ToolFailedError(f"the chart cannot be drawn: {answer['error']}")
    found: list[Any] = answer["pictures"]
    return found


def bound(spec: dict[str, Any], figures: Dataset, *, language: str = "en", theme: Theme = "light") -> dict[str, Any]:
    """A checked specification with its data, language and colours: what a renderer takes."""
    names = [column.name for column in figures.columns]
    checked = checked_spec(spec, names)
    values = [dict(zip(names, map(_plotted, row), strict=True)) for row in figures.rows[:MAX_DRAWN_ROWS]]
    whole = {
        **checked,
        "data": {"name": DATA_NAME, "values": values},
        "width": WIDTH,
        "config": config(language, theme),
    }
    return whole | ({"title": _heading(figures.title, theme)} if figures.title else {})


def _heading(title: str, theme: Theme) -> dict[str, Any]:
    """What a picture shows, for a reader who has nothing else: its particulars stand below its title."""
    text, _, rest = title.partition(PARTS)
    below = {"subtitle": wrap(rest, BELOW_LETTERS), "subtitleColor": _INK[theme]} if rest else {}
    return {"text": wrap(text, TITLE_LETTERS), "color": _INK[theme], "anchor": "start", "offset": 12, **below}


def config(language: str, theme: Theme) -> dict[str, Any]:
    """Separators and names of a language, and the colours of a theme."""
    thousands, point = SEPARATORS[language]
    months = list(SHORT_MONTH_NAMES[language])
    days = _DAYS[language]
    text = {"labelColor": _INK[theme], "titleColor": _INK[theme]}
    return {
        "background": _PAPER[theme],
        "timeFormat": DAY_FORMAT,
        "axis": {**text, "gridColor": _GRID[theme], "domainColor": _GRID[theme], "tickColor": _GRID[theme]},
        "legend": text,
        "view": {"stroke": None},
        "locale": {
            "number": {"decimal": point, "thousands": thousands, "grouping": [3], "currency": ["", ""]},
            "time": {
                "dateTime": "%d %b %Y %H:%M", "date": "%d/%m/%Y", "time": "%H:%M", "periods": ["AM", "PM"],
                "days": days, "shortDays": [day[:3] for day in days], "months": months, "shortMonths": months,
            },
        },
    }  # fmt: skip


def _plotted(value: Any) -> Any:
    """A value as a renderer computes with it; the picture's numbers are the nearest binary ones."""
    return float(value) if isinstance(value, Decimal) else as_cell(value)
