"""Numbers read back from the drawn scene are those of the dataset (A-20)."""

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from batuta.datasets.charts.checking import SpecError
from batuta.datasets.charts.computing import PERIOD_LABEL
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.labels import value_text
from batuta.datasets.charts.planning import ChartPlan, plan_chart
from batuta.datasets.charts.rendering import Theme, bound, pictures, render
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import vega_lite
from batuta.datasets.dataset import Column
from batuta.datasets.processes import ProcessLimit
from batuta.kernel.errors import DeadlineExceededError, ToolFailedError
from tests.unit.datasets import hostile_specs as hostile
from tests.unit.datasets.chart_cases import generated_cases, sales

CASES = int(os.environ.get("BATUTA_CHART_CASES", "40"))
"""How many charts are drawn, each light and dark; the whole run of 500 takes minutes."""
THEMES: tuple[Theme, ...] = ("light", "dark")


def marks(scene: Any) -> Iterator[str]:
    """What each item of the scene that stands for data says of itself."""
    if isinstance(scene, list):
        for one in scene:
            yield from marks(one)
    elif isinstance(scene, dict):
        if scene.get("role") == "mark" and scene.get("marktype") != "group":
            yield from (item["description"] for item in scene["items"] if "description" in item)
        else:
            yield from marks(list(scene.values()))


def read_back(text: str, language: str) -> float:
    """A number as it is written in a language."""
    plain = text.replace("−", "-").replace("\u2212", "-")
    plain = plain.replace(".", "").replace(",", ".") if language == "es" else plain.replace(",", "")
    return float(re.sub(r"[^\d.\-]", "", plain))


def as_written(value: Any) -> Decimal:
    """A figure with two places; a renderer writes half a cent as a whole one."""
    return Decimal(float(value)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def plans(count: int) -> list[ChartPlan]:
    made = []
    for dataset, request in generated_cases(10 * count, seed=11):
        try:
            plan = plan_chart(dataset, request)
        except ChartRefusedError:
            continue
        if plan.kind not in ("kpi", "table"):
            made.append(plan)
        if len(made) == count:
            break
    return made


@pytest.mark.timeout(1800)
async def test_numbers_in_the_scene_are_those_of_the_data() -> None:
    """Every figure that a reader can point at, in light and dark, in English and Spanish, for every kind."""
    chosen = plans(CASES)
    assert len(chosen) == CASES
    assert len({plan.kind for plan in chosen}) >= 8
    for start in range(0, CASES, 50):
        part = chosen[start : start + 50]
        drawn = [(plan, theme) for plan in part for theme in THEMES]
        specs = [
            bound(vega_lite(plan), plan.figures, language=plan.request.language, theme=theme) for plan, theme in drawn
        ]
        scenes = await pictures(specs, "scene", ProcessLimit(seconds=300))
        for (plan, _), scene in zip(drawn, scenes, strict=True):
            assert_same_figures(plan, scene)


def assert_same_figures(plan: ChartPlan, scene: Any) -> None:
    """Each figure of the data is in the scene, and nothing else is."""
    found = list(marks(scene))
    assert found, (plan.kind, plan.request)
    for column in plan.y:
        place = [one.name for one in plan.figures.columns].index(column.name)
        title = f"{column.title} ({column.currency or column.unit})" if column.currency or column.unit else column.title
        names = compared_by(plan)
        expected = {
            (*(as_named(row[number], plan.request.language) for number in names), as_written(row[place]))
            for row in plan.figures.rows
            if row[place] is not None
        }
        shown = {
            (
                *(said(text, one.title) for one in names.values()),
                as_written(read_back(str(figure), plan.request.language)),
            )
            for text in found
            if (figure := said(text, title)) not in (None, "null")
        }
        assert shown == expected, (plan.kind, plan.request)


def compared_by(plan: ChartPlan) -> dict[int, Column]:
    """The columns that say what a figure belongs to, by place: names, and days where no period stands for them."""
    columns = plan.figures.columns
    has_label = any(column.name == PERIOD_LABEL for column in columns)
    is_hidden = {column.name for column in columns if has_label and column.type == "date"}
    kinds = ("text",) if plan.kind == "scatter" else ("text", "date")
    return {n: one for n, one in enumerate(columns) if one.type in kinds and one.name not in is_hidden}


def as_named(value: Any, language: str) -> str:
    """A name, or a day as a reader of the language writes it; nothing in a chart is nameless."""
    assert value not in (None, "")
    return value_text(value, language)


def said(text: str, title: str) -> str | None:
    """What a mark says of itself under a title."""
    match = re.search(rf"(?:^|; ){re.escape(title)}: ([^;]+)", text)
    return None if match is None else match.group(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_chart_becomes_a_picture(theme: Any) -> None:
    plan = plan_chart(sales(), ChartRequest(dataset="sales", x="customer", language="es"))
    png = await render(vega_lite(plan), plan.figures, "png", language="es", theme=theme)
    svg = await render(vega_lite(plan), plan.figures, "svg", language="es", theme=theme)
    assert png.startswith(b"\x89PNG")
    assert b"Acme" in svg
    assert b"Importe (EUR)" in svg
    assert b"Importe (EUR) por" in svg or b"Importe (EUR) by" in svg


async def test_a_picture_that_takes_too_long_is_ended_with_its_process() -> None:
    plan = plan_chart(sales(), ChartRequest(dataset="sales", x="customer"))
    spec = bound(vega_lite(plan), plan.figures)
    with pytest.raises((ToolFailedError, DeadlineExceededError)):
        await pictures([spec] * 500, "png", ProcessLimit(seconds=0))


@contextlib.asynccontextmanager
async def listener() -> AsyncIterator[tuple[str, list[str]]]:
    """An address on this machine, and who called it."""
    calls: list[str] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append("called")
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x.csv", calls
    finally:
        server.close()


async def test_no_hostile_specification_reaches_the_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred and more: each is refused with a reason before a process is started, and none takes long."""
    plan = plan_chart(sales(), ChartRequest(dataset="sales", x="customer"))
    async with listener() as (address, calls):
        monkeypatch.setattr(hostile, "URL", address)
        specs = hostile.hostile_specs()
        assert len(specs) >= 200
        async with asyncio.timeout(30):
            for spec in specs:
                with pytest.raises(SpecError) as raised:
                    await render(spec, plan.figures, "svg")
                assert 5 < len(str(raised.value)) < 300
    assert calls == []


async def test_the_renderer_itself_fetches_nothing() -> None:
    """Behind the check is a second wall: a specification that got past it finds no network and no file."""
    plan = plan_chart(sales(), ChartRequest(dataset="sales", x="customer"))
    good = bound(vega_lite(plan), plan.figures)
    async with listener() as (address, calls):
        for data in (
            {"url": address},
            {"url": "file:///etc/passwd", "format": {"type": "csv"}},
            {"url": "/etc/passwd"},
        ):
            with contextlib.suppress(ToolFailedError):
                (picture,) = await pictures([{**good, "data": data}], "svg")
                assert "root:" not in picture
        image = {**good, "mark": {"type": "image", "url": address}}
        with contextlib.suppress(ToolFailedError):
            await pictures([image], "svg")
    assert calls == []
