"""Several figures of one sentence: what is said of one of them holds for the others that say nothing (A-41)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asked_team import AskedTeam

DEBTOR = ["Terrazas Sotomar, S.C."]
OCTOBER = {"first": "2026-10-01", "last": "2026-10-31", "grain": "month"}


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[AskedTeam]:
    asked = AskedTeam(tmp_path)
    await asked.team.prepare()
    yield asked
    await asked.team.close()


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "sales and margin by month",
            "en",
            [{"measure": "sales", "split_by": ["month"]}, {"measure": "gross_margin", "split_by": ["month"]}],
        ),
        (
            "ventas y compras del mes pasado",
            "es",
            [{"measure": "sales", "period": OCTOBER}, {"measure": "purchases", "period": OCTOBER}],
        ),
        (
            "¿Cuánto nos debe Terrazas Sotomar y cuánto está vencido?",
            "es",
            [{"measure": "receivables", "only": DEBTOR}, {"measure": "overdue_receivables", "only": DEBTOR}],
        ),
        (
            "sales by month and margin by customer",
            "en",
            [{"measure": "sales", "split_by": ["month"]}, {"measure": "gross_margin", "split_by": ["customer"]}],
        ),
    ],
)
async def test_what_is_said_of_one_figure_holds_for_those_that_say_nothing(
    asked: AskedTeam, text: str, language: str, expected: list[dict[str, Any]]
) -> None:
    found = await asked.ask([text], language)

    assert [dict(call.args) for call in found.calls if call.tool_name == "compute_measure"] == expected, str(found)
