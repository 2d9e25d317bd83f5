"""Working days, exceptions, weeks ahead and joined periods: seen from Monday 7 November 2016, nine in the morning."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from batuta.language import find_dates, find_durations, find_periods, find_recurrences, find_times

NOW = datetime(2016, 11, 7, 9, tzinfo=UTC)

DAYS = {
    "pay it on the last working day of December": ["2016-12-30"],
    "el segundo día hábil de enero de 2017": ["2017-01-03"],
    "the first business day of next month": ["2016-12-01"],
    "the Monday after next": ["2016-11-21"],
    "Friday after next": ["2016-11-18", "2016-11-25"],
    "the eve of 12 October": ["2017-10-11"],
    "la víspera del 3 de mayo": ["2017-05-02"],
    "a 60 días vista": ["2017-01-06"],
    "Wednesday in three weeks": ["2016-11-30"],
    "el viernes de dentro de dos semanas": ["2016-11-25"],
}
PERIODS = {
    "the past fortnight": ["2016-10-25..2016-11-07"],
    "the last five days of April 2016": ["2016-04-26..2016-04-30"],
    "los tres primeros días del mes": ["2016-11-01..2016-11-03"],
    "the same month last year": ["2015-11-01..2015-11-30"],
    "la primera mitad de febrero de 2016": ["2016-02-01..2016-02-15"],
    "de principios de mayo a mediados de julio": ["2016-05-01..2016-07-20"],
    "March and April 2015": ["2015-03-01..2015-03-31", "2015-04-01..2015-04-30"],
    "Q1, Q2 and Q3 2014": ["2014-01-01..2014-03-31", "2014-04-01..2014-06-30", "2014-07-01..2014-09-30"],
    "junio y el julio de 2013": ["2013-06-01..2013-06-30", "2013-07-01..2013-07-31"],
}
TIMES = {
    "un cuarto para las tres": "14:45",
    "faltan veinte para las once de la noche": "22:40",
    "a las 1745 horas": "17:45",
    "mesa para diez a las nueve": "09:00",
}
LENGTHS = {
    "three quarters of an hour": 45,
    "three and a half hours": 210,
    "cinco y media horas": 330,
}
RULES = {
    "every day except Saturday and Sunday": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "todos los días menos los miércoles": "FREQ=WEEKLY;BYDAY=MO,TU,TH,FR,SA,SU",
    "weekdays but not Monday": "FREQ=WEEKLY;BYDAY=TU,WE,TH,FR",
    "todos los días laborables": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "los viernes alternos": "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
    "on alternate Mondays": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO",
    "una vez al mes": "FREQ=MONTHLY",
    "once a quarter": "FREQ=MONTHLY;INTERVAL=3",
    "the first working day of each month": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
    "el último día hábil de cada mes": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
}


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_a_day_is_read(text: str, expected: list[str]) -> None:
    [found] = find_dates(text, now=NOW)
    assert [str(found.value), *(str(each) for each in found.alternatives)] == expected


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_a_period_is_read(text: str, expected: list[str]) -> None:
    assert [f"{each.value.first}..{each.value.last}" for each in find_periods(text, now=NOW)] == expected


@pytest.mark.parametrize(("text", "expected"), TIMES.items())
def test_a_time_is_read(text: str, expected: str) -> None:
    assert [f"{each.value:%H:%M}" for each in find_times(text)] == [expected]


@pytest.mark.parametrize(("text", "minutes"), LENGTHS.items())
def test_a_length_is_read(text: str, minutes: int) -> None:
    assert [each.value for each in find_durations(text)] == [timedelta(minutes=minutes)]


@pytest.mark.parametrize(("text", "expected"), RULES.items())
def test_what_repeats_is_read_with_its_exceptions(text: str, expected: str) -> None:
    assert [each.value.rule(ZoneInfo("Europe/Madrid")) for each in find_recurrences(text)] == [expected]


def test_the_last_working_day_of_a_month_is_found_from_any_day() -> None:
    [found] = find_recurrences("the last working day of every month")
    assert found.value.first_from(date(2016, 12, 1)) == date(2016, 12, 30)
