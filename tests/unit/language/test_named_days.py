"""Holidays, days by their distance from others, seasons, decades and what is left: seen from Monday 7 November 2016."""

from datetime import UTC, datetime

import pytest

from batuta.language import find_dates, find_periods
from batuta.language.feasts import easter_sunday

NOW = datetime(2016, 11, 7, 9, tzinfo=UTC)

DAYS = {
    "el día siguiente": "2016-11-08",
    "the previous day": "2016-11-06",
    "trasanteayer": "2016-11-04",
    "dos semanas a partir de ahora": "2016-11-21",
    "hoy hace un año": "2015-11-07",
    "tres días después del 1 de enero": "2017-01-04",
    "a week before Christmas": "2016-12-18",
    "el día antes de navidad": "2016-12-24",
    "the day after Thanksgiving": "2016-11-25",
    "the day after tomorrow": "2016-11-09",
    "la víspera de año nuevo": "2016-12-31",
    "día de todos los santos": "2017-11-01",
    "viernes santo de 2017": "2017-04-14",
    "Easter Sunday 2017": "2017-04-16",
    "jueves santo": "2017-04-13",
    "black friday": "2016-11-25",
    "1 de enero de dos mil dieciséis": "2016-01-01",
    "3 May twenty eighteen": "2018-05-03",
    "el tercer jueves de 2017": "2017-01-19",
    "the last friday of 2016": "2016-12-30",
    "the twenty first of June": "2017-06-21",
    "twenty-first June 2018": "2018-06-21",
    "the fifteenth": "2016-11-15",
    "third of next month": "2016-12-03",
    "el primero del mes que viene": "2016-12-01",
    "el día quince": "2016-11-15",
    "el pasado día 3": "2016-11-03",
    "1-mar-2015": "2015-03-01",
    "two Mondays from now": "2016-11-21",
    "Sunday after next": "2016-11-20",
    "the Friday before Christmas": "2016-12-23",
    "el viernes antes de Navidad": "2016-12-23",
    "el lunes después del 1 de enero": "2017-01-02",
    "Friday the 13th": "2017-01-13",
    "viernes 13": "2017-01-13",
    "Thursday 10th": "2016-11-10",
    "8/May/2018": "2018-05-08",
    "7. April": "2017-04-07",
    "by eom": "2016-11-30",
}
PERIODS = {
    "del 4 al 22 de este mes": "2016-11-04..2016-11-22",
    "from the 4th to the 22nd of next month": "2016-12-04..2016-12-22",
    "ene/2016": "2016-01-01..2016-01-31",
    "el resto de la semana": "2016-11-07..2016-11-13",
    "the rest of the year": "2016-11-07..2016-12-31",
    "lo que queda de año": "2016-11-07..2016-12-31",
    "verano de 2016": "2016-06-21..2016-09-22",
    "last summer": "2016-06-21..2016-09-22",
    "el invierno que viene": "2016-12-21..2017-03-20",
    "los años 70": "1970-01-01..1979-12-31",
    "the nineties": "1990-01-01..1999-12-31",
    "the 1980s": "1980-01-01..1989-12-31",
    "la década pasada": "2000-01-01..2009-12-31",
    "el siglo XXI": "2001-01-01..2100-12-31",
    "the 19th century": "1801-01-01..1900-12-31",
    "la semana del 15 de septiembre": "2016-09-12..2016-09-18",
    "the week of 3 October": "2016-10-03..2016-10-09",
    "2014-2016": "2014-01-01..2016-12-31",
    "a principios de 2016": "2016-01-01..2016-06-30",
    "late 2015": "2015-07-01..2015-12-31",
    "el primer cuatrimestre de 2016": "2016-01-01..2016-04-30",
    "semana santa de 2017": "2017-04-09..2017-04-16",
    "de lunes a viernes": "2016-10-31..2016-11-04",
}
NO_PERIODS = ("los 20 mejores clientes", "los 30 días", "los 50 euros", "fall by 10 %", "a spring clean")


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_a_named_day_is_read(text: str, expected: str) -> None:
    assert [str(each.value) for each in find_dates(text, now=NOW)] == [expected]


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_a_long_period_is_read(text: str, expected: str) -> None:
    assert [f"{each.value.first}..{each.value.last}" for each in find_periods(text, now=NOW)] == [expected]


@pytest.mark.parametrize("text", NO_PERIODS)
def test_a_number_or_a_word_is_no_decade_and_no_season(text: str) -> None:
    assert find_periods(text, now=NOW) == []


def test_in_eight_days_is_a_week_and_may_be_eight_days() -> None:
    [found] = find_dates("de hoy en ocho", now=NOW)
    assert (str(found.value), [str(each) for each in found.alternatives]) == ("2016-11-14", ["2016-11-15"])


@pytest.mark.parametrize(
    ("year", "day"), [(1961, "1961-04-02"), (2000, "2000-04-23"), (2024, "2024-03-31"), (2038, "2038-04-25")]
)
def test_easter_falls_on_its_day(year: int, day: str) -> None:
    assert str(easter_sunday(year)) == day
