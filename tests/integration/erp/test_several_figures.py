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
            "purchases by country in percent compared with last year",
            "en",
            [{"measure": "purchases", "split_by": ["country"], "compare": {"kind": "previous_year"}}],
        ),
        (
            "did we buy more in August or in September?",
            "en",
            [
                {"measure": "purchases", "period": {"first": "2026-08-01", "last": "2026-08-31", "grain": "month"}},
                {"measure": "purchases", "period": {"first": "2026-09-01", "last": "2026-09-30", "grain": "month"}},
            ],
        ),
        (
            "ventas del mes pasado y del anterior",
            "es",
            [
                {"measure": "sales", "period": OCTOBER},
                {"measure": "sales", "period": {"first": "2026-09-01", "last": "2026-09-30", "grain": "month"}},
            ],
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


RIBALTA = "Hoteles Ribalta, S.C."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "price of Olivo joven and how many are in stock",
            [
                ("find_record", {"which": "Olivo joven", "fields": ["unitPrice"]}),
                ("compute_measure", {"measure": "stock_quantity", "only": ["Olivo joven"]}),
            ],
        ),
        (
            "what's the phone of Hoteles Ribalta and how much did they buy this year?",
            [
                ("find_record", {"which": RIBALTA, "fields": ["phoneNumber"]}),
                ("compute_measure", {"measure": "sales", "only": [RIBALTA]}),
            ],
        ),
        (
            "¿cuánto debemos a Plásticos Lanamar y cuánto les compramos este año?",
            [
                ("compute_measure", {"measure": "payables", "only": ["Plásticos Lanamar, S.A."]}),
                ("compute_measure", {"measure": "purchases", "only": ["Plásticos Lanamar, S.A."]}),
            ],
        ),
    ],
)
async def test_two_questions_about_one_name_are_both_about_it(
    asked: AskedTeam, text: str, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    """A figure of everything beside the record of one would be taken for that one's."""
    found = await asked.ask([text], "es" if "¿" in text else "en")

    said = [(call.tool_name, call.args) for call in found.calls]
    assert [name for name, _ in said] == [name for name, _ in expected], str(found)
    assert all(wanted.items() <= args.items() for (_, args), (_, wanted) in zip(said, expected, strict=True)), said


async def test_a_part_that_is_not_understood_is_asked_about_beside_the_answer_to_the_rest(asked: AskedTeam) -> None:
    found = await asked.ask(["phone of Hoteles Ribalta; sales of fridges this year"], "en")

    assert "+32 678832005" in found.answer, str(found)
    assert "I do not know what “fridges” means here" in found.answer, str(found)
