"""Periods in both languages, seen from Sunday 15 November 2026 in Madrid."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from batuta.language import Period, find_comparisons, find_periods

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=ZoneInfo("Europe/Madrid"))

PERIODS = {
    "desde el 3 hasta el 19 de este mes": "2026-11-03..2026-11-19",
    "from the 5th till the 12th of March": "2026-03-05..2026-03-12",
    "desde el 6 hasta el 14 de set": "2026-09-06..2026-09-14",
    "este diciembre": "2026-12-01..2026-12-31",
    "this september": "2026-09-01..2026-09-30",
    "el último sept": "2026-09-01..2026-09-30",
    "las anteriores 2 semanas": "2026-11-02..2026-11-15",
    "las pasadas 3 semanas": "2026-10-26..2026-11-15",
    "la primera mitad de 2027": "2027-01-01..2027-06-30",
    "la tercera semana de 2027": "2027-01-18..2027-01-24",
    "the last week of 2026": "2026-12-28..2027-01-03",
    "oct-dic 2025": "2025-10-01..2025-12-31",
    "la siguiente primavera": "2027-03-21..2027-06-20",
    "antes de 2020": "2019-01-01..2019-12-31",
    "Q3": "2026-07-01..2026-09-30",
    "sales in Q3 2025": "2025-07-01..2025-09-30",
    "3T25": "2025-07-01..2025-09-30",
    "el trimestre pasado": "2026-07-01..2026-09-30",
    "el último trimestre": "2026-07-01..2026-09-30",
    "the quarter before last": "2026-04-01..2026-06-30",
    "el tercer trimestre del año pasado": "2025-07-01..2025-09-30",
    "trimestre 2": "2026-04-01..2026-06-30",
    "last 12 months": "2025-11-16..2026-11-15",
    "los últimos 30 días": "2026-10-17..2026-11-15",
    "en los dos ultimos años": "2024-11-16..2026-11-15",
    "este mes": "2026-11-01..2026-11-30",
    "el mes pasado": "2026-10-01..2026-10-31",
    "el pasado mes de agosto": "2026-08-01..2026-08-31",
    "de enero a marzo": "2026-01-01..2026-03-31",
    "ventas de enero a marzo de 2025": "2025-01-01..2025-03-31",
    "from October 2025 to february": "2025-10-01..2026-02-28",
    "del 1 al 15 de marzo": "2026-03-01..2026-03-15",
    "March 1-15": "2026-03-01..2026-03-15",
    "between 2022 and 2024": "2022-01-01..2024-12-31",
    "year to date": "2026-01-01..2026-11-15",
    "ytd": "2026-01-01..2026-11-15",
    "en lo que va de año": "2026-01-01..2026-11-15",
    "lo que llevamos de trimestre": "2026-10-01..2026-11-15",
    "this year so far": "2026-01-01..2026-11-15",
    "in March": "2026-03-01..2026-03-31",
    "¿y en febrero?": "2026-02-01..2026-02-28",
    "how did may go?": "2026-05-01..2026-05-31",
    "marzo del año pasado": "2025-03-01..2025-03-31",
    "december": "2025-12-01..2025-12-31",
    "2025-03": "2025-03-01..2025-03-31",
    "03/2025": "2025-03-01..2025-03-31",
    "first half of 2025": "2025-01-01..2025-06-30",
    "primer semestre": "2026-01-01..2026-06-30",
    "H2 2024": "2024-07-01..2024-12-31",
    "2024": "2024-01-01..2024-12-31",
    "el año en curso": "2026-01-01..2026-12-31",
    "last year": "2025-01-01..2025-12-31",
    "hace dos meses": "2026-09-01..2026-09-30",
    "two months ago": "2026-09-01..2026-09-30",
    "la semana pasada": "2026-11-02..2026-11-08",
    "week 32": "2026-08-03..2026-08-09",
    "la primera semana de octubre": "2026-10-01..2026-10-07",
    "primera quincena de marzo": "2026-03-01..2026-03-15",
    "since January": "2026-01-01..2026-11-15",
    "desde el 1 de octubre": "2026-10-01..2026-11-15",
    "hasta marzo": "2026-01-01..2026-03-31",
    "yesterday": "2026-11-14..2026-11-14",
    "next quarter": "2027-01-01..2027-03-31",
    "el trimestr pasado": "2026-07-01..2026-09-30",
}


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_a_period_is_read(text: str, expected: str) -> None:
    [found] = find_periods(text, now=NOW)
    assert f"{found.value.first}..{found.value.last}" == expected
    assert found.text == text[found.span.start : found.span.end]
    assert found.reference == NOW


@pytest.mark.parametrize(
    "text", ["1200 euros", "which customers owe us most?", "calcula 12 por 3", "marcha", "vencidas hace más de 30 días"]
)
def test_other_words_are_no_period(text: str) -> None:
    assert find_periods(text, now=NOW) == []


def test_what_may_be_meant_as_well_is_kept() -> None:
    """The last twelve months end today, or with the last whole month."""
    [found] = find_periods("last 12 months", now=NOW)
    assert found.alternatives == (Period(first=date(2025, 11, 1), last=date(2026, 10, 31), grain="range"),)


def test_two_periods_are_two_findings() -> None:
    assert [each.text for each in find_periods("Q1 and Q2", now=NOW)] == ["Q1", "Q2"]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("revenue this month and last", "2026-11-01", "2026-10-01"),
        ("¿cuánto gastamos este trimestre y cuánto el anterior?", "2026-10-01", "2026-07-01"),
        ("pagos de este año y los del pasado", "2026-01-01", "2025-01-01"),
    ],
)
def test_the_last_one_beside_a_period_is_the_one_before_it(text: str, first: str, second: str) -> None:
    assert [each.value.first.isoformat() for each in find_periods(text, now=NOW)] == [first, second]


@pytest.mark.parametrize(
    ("text", "period", "compared"),
    [
        ("sales this month vs last month", "2026-11-01..2026-11-30", "2026-10-01..2026-10-31"),
        ("ventas de marzo respecto al mismo mes del año pasado", "2026-03-01..2026-03-31", "2025-03-01..2025-03-31"),
        ("Q3 compared with the year before", "2026-07-01..2026-09-30", "2025-07-01..2025-09-30"),
        ("ventas 2025 frente a 2024", "2025-01-01..2025-12-31", "2024-01-01..2024-12-31"),
        ("YTD vs previous year", "2026-01-01..2026-11-15", "2025-01-01..2025-11-15"),
        ("crecimiento interanual del mes pasado", "2026-10-01..2026-10-31", "2025-10-01..2025-10-31"),
        ("beneficio del primer semestre frente al del año pasado", "2026-01-01..2026-06-30", "2025-01-01..2025-06-30"),
        ("compara las ventas de este mes con las del pasado", "2026-11-01..2026-11-30", "2026-10-01..2026-10-31"),
        ("compara los gastos de este año con los del anterior", "2026-01-01..2026-12-31", "2025-01-01..2025-12-31"),
        ("¿hemos vendido más este mes que el mes pasado?", "2026-11-01..2026-11-30", "2026-10-01..2026-10-31"),
        ("diferencia de compras entre 2025 y 2026", "2025-01-01..2025-12-31", "2026-01-01..2026-12-31"),
        ("difference in sales between July and August", "2026-07-01..2026-07-31", "2026-08-01..2026-08-31"),
        ("ventas del trimestre pasado comparado con el trimestre anterior", "2026-07-01..2026-09-30", "2026-04-01..2026-06-30"),
        ("resultado de 2026 frente al mismo periodo de 2025", "2026-01-01..2026-12-31", "2025-01-01..2025-12-31"),
        ("margin of Q3 2026 versus the same quarter of 2025", "2026-07-01..2026-09-30", "2025-07-01..2025-09-30"),
    ],
)  # fmt: skip
def test_what_a_period_is_compared_with_is_no_second_period(text: str, period: str, compared: str) -> None:
    [found] = find_periods(text, now=NOW)
    [comparison] = find_comparisons(text, now=NOW)
    other = comparison.value.of(found.value)
    assert f"{found.value.first}..{found.value.last}" == period
    assert f"{other.first}..{other.last}" == compared


def test_months_back_from_the_end_of_one_are_whole() -> None:
    """Six months back from 30 September begin on 1 April, and not with the last day of March."""
    [found] = find_periods("los últimos 6 meses", now=datetime(2026, 9, 30, 12, tzinfo=UTC))
    assert (found.value.first, found.value.last) == (date(2026, 4, 1), date(2026, 9, 30))


def test_a_period_refuses_to_end_before_it_begins() -> None:
    with pytest.raises(ValueError, match="cannot end"):
        Period(first=date(2026, 2, 1), last=date(2026, 1, 1))
