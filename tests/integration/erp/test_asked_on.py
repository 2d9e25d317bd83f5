"""Conversations that go on: a name that was meant in part, a course over time, a nationality (A-41, A-42)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asked_team import AskedTeam

THIS_YEAR = {"first": "2026-01-01", "last": "2026-12-31", "grain": "year"}


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[AskedTeam]:
    asked = AskedTeam(tmp_path)
    await asked.team.prepare()
    yield asked
    await asked.team.close()


@pytest.mark.parametrize("text", ["How much does Ribalta owe us?", "what's the phone of Ribalta?"])
async def test_it_is_asked_which_of_several_names_is_meant(asked: AskedTeam, text: str) -> None:
    outcome = await asked.ask([text], "en")

    assert outcome.answer.endswith("Hoteles Ribalta, S.C.; Muebles Ribalta, S.A. Which one do you mean?")
    assert not outcome.calls


@pytest.mark.parametrize(
    ("reply", "only"),
    [
        ("Muebles Ribalta", ["Muebles Ribalta, S.A."]),
        ("el primero", ["Hoteles Ribalta, S.C."]),
        ("los dos", None),
        ("todos", ["Hoteles Ribalta, S.C.", "Muebles Ribalta, S.A."]),
    ],
)
async def test_the_reply_answers_the_question_that_was_asked(
    asked: AskedTeam, reply: str, only: list[str] | None
) -> None:
    outcome = await asked.ask(["¿Cuánto vendimos a Ribalta este año?", reply], "es")

    figures = [call.args for call in outcome.calls if call.tool_name == "compute_measure"]
    assert figures == ([{"measure": "sales", "only": only, "period": THIS_YEAR}] if only else [])


@pytest.mark.parametrize(
    ("messages", "language", "figure"),
    [
        (
            ["¿Cuánto compramos en septiembre?", "Hazme un gráfico por mes de este año"],
            "es",
            {"measure": "purchases", "split_by": ["month"], "period": THIS_YEAR},
        ),
        (["margin by category", "draw a graph by month"], "en", {"measure": "gross_margin", "split_by": ["month"]}),
    ],
)
async def test_a_chart_by_month_after_another_figure_reads_it_by_month_and_draws_it(
    asked: AskedTeam, messages: list[str], language: str, figure: dict[str, Any]
) -> None:
    outcome = await asked.ask(messages, language)

    assert [call.tool_name for call in outcome.calls] == ["compute_measure", "draw_chart"]
    assert outcome.calls[0].args == figure


async def test_a_nationality_narrows_a_list(asked: AskedTeam) -> None:
    outcome = await asked.ask(["¿Qué proveedores tenemos?", "solo los españoles"], "es")

    assert [call.args["where"] for call in outcome.calls] == [[{"field": "country", "operator": "eq", "value": "ES"}]]
