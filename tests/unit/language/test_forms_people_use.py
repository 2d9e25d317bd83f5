"""Days, times and stretches as people shorten and turn them: seen from Monday 7 November 2016, nine in the morning."""

from datetime import UTC, datetime

import pytest

from batuta.language import find_dates, find_hour_ranges, find_moments, find_periods, find_times

NOW = datetime(2016, 11, 7, 9, tzinfo=UTC)

DAYS = {
    "el primer martes del mes": "2016-12-06",
    "el último viernes del mes": "2016-11-25",
    "it was 1 year, 2 months and 3 days ago": "2015-09-04",
    "hace 1 año y 2 meses": "2015-09-07",
    "dentro de 1 mes y 10 días": "2016-12-17",
    "1 month and 4 days from today": "2016-12-11",
    "Friday the 4th": "2016-11-04",
    "Thursday the third": "2016-11-03",
    "Tuesday the fifteenth": "2016-11-15",
    "book it for the 19": "2016-11-19",
    "due by the 12, at noon": "2016-11-12",
    "pagado el 03/02, 2015": "2015-02-03",
    "last Halloween we met": "2016-10-31",
    "next Easter Monday": "2017-04-17",
    "esta Nochebuena": "2016-12-24",
    "born on 12/06/85": "1985-06-12",
    "four days hence": "2016-11-11",
    "three weeks from right now": "2016-11-28",
    "last week's Thursday": "2016-11-03",
    "the Friday from last week": "2016-11-04",
    "el jueves de la siguiente semana": "2016-11-17",
    "el jueves de la última semana": "2016-11-03",
    "the fifth day of December": "2016-12-05",
    "last day in June 2018": "2018-06-30",
    "el último día de mayo de 2018": "2018-05-31",
    "the last day of 2018": "2018-12-31",
    "the end of next year": "2017-12-31",
    "April second": "2017-04-02",
    "abril dieciséis": "2017-04-16",
    "el vigésimo tercero de abril": "2017-04-23",
    "Fri 11th": "2016-11-11",
    "Wed, 9 November": "2016-11-09",
    "vie 11": "2016-11-11",
    "lunch thurs 2pm": "2016-11-10",
    "sat at 10": "2016-11-12",
    "el 9-12": "2016-12-09",
    "9pm del 12": "2016-11-12",
    "sun.": "2016-11-13",
    "Dec-24": "2016-12-24",
    "June twenty-six": "2017-06-26",
    "Saturday, 5 November": "2016-11-05",
    "the second Monday after Christmas": "2017-01-02",
    "el segundo lunes antes de Navidad": "2016-12-12",
}
NO_DAYS = (
    "we sat on the sun terrace",
    "I may first ask Ana",
    "17-2",
    "un mar en calma",
    "casas junto al mar",
    "we had sea, sun, sand",
    "they wed in church",
)
TIMES = {
    "at 25 past 6pm": "18:25",
    "a quarter past 5pm": "17:15",
    "ten to midnight": "23:50",
    "a quarter to midday": "11:45",
    "7 in the am": "07:00",
    "4ish pm": "16:00",
    "6:40p": "18:40",
    "at 1145": "11:45",
    "640 p.m.": "18:40",
    "8 this evening": "20:00",
    "3 o'clock am": "03:00",
    "4:20 in the afternon": "16:20",
    "7 menos cuarto de la tarde": "18:45",
    "16.45": "16:45",
    "weds 4:45": "16:45",
    "weds 04:45": "04:45",
    "el martes a las 2:30": "14:30",
    "at 7:15": "07:15",
    "nine tonight": "21:00",
    "on Sunday for 7pm": "19:00",
    "las cinco en la mañana": "05:00",
    "mañana por la mañana a las 6": "06:00",
    "tomorrow morning at 7": "07:00",
}
SOON = {
    "in 3/4 of an hour": "2016-11-07T09:45",
    "in 1/2 hour": "2016-11-07T09:30",
    "in 2h": "2016-11-07T11:00",
    "in 1.5 hours": "2016-11-07T10:30",
    "in 4 more minutes": "2016-11-07T09:04",
    "in a couple hours": "2016-11-07T11:00",
    "in three and a half hours": "2016-11-07T12:30",
    "en 1,5 horas": "2016-11-07T10:30",
    "call me back right now": "2016-11-07T09:00",
    "ven ahora mismo": "2016-11-07T09:00",
    "cuanto antes": "2016-11-07T09:00",
    "now move it to 5pm": "2016-11-07T17:00",
}
STRETCHES = {"10:30-12:45": "10:30-12:45", "11:15-1:15": "11:15-13:15", "from 9a to 11a": "09:00-11:00", "22:00-06:00": "22:00-06:00"}  # fmt: skip
PERIODS = {
    "away in December between 5 and 9": "2016-12-05..2016-12-09",
    "en marzo del 3 al 6": "2017-03-03..2017-03-06",
    "the weekend after next": "2016-11-26..2016-11-27",
    "the month after the next": "2017-01-01..2017-01-31",
    "the next few days": "2016-11-07..2016-11-09",
    "how does my week look": "2016-11-07..2016-11-13",
    "this spring": "2016-03-21..2016-06-20",
    "the first quarter of two thousand and twenty one": "2021-01-01..2021-03-31",
    "in the summer of twenty twenty four": "2024-06-21..2024-09-22",
    "May 3 thru 9": "2017-05-03..2017-05-09",
    "this week-end": "2016-11-12..2016-11-13",
    "next yr": "2017-01-01..2017-12-31",
    "dos pasadas semanas": "2016-10-25..2016-11-07",
    "las 2 semanas que vienen": "2016-11-07..2016-11-20",
    "the current winter": "2016-12-21..2017-03-20",
}


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_a_day_is_read(text: str, expected: str) -> None:
    assert [str(each.value) for each in find_dates(text, now=NOW)] == [expected]


@pytest.mark.parametrize("text", NO_DAYS)
def test_a_word_that_only_looks_like_a_day_is_none(text: str) -> None:
    assert find_dates(text, now=NOW) == []


@pytest.mark.parametrize(("text", "expected"), TIMES.items())
def test_a_time_is_read(text: str, expected: str) -> None:
    assert [f"{each.value:%H:%M}" for each in find_times(text)] == [expected]


@pytest.mark.parametrize(("text", "expected"), SOON.items())
def test_a_moment_near_now_is_read(text: str, expected: str) -> None:
    found = [f"{each.value:%Y-%m-%dT%H:%M}" for each in find_moments(text, now=NOW)]
    assert found == [expected]


@pytest.mark.parametrize(("text", "expected"), STRETCHES.items())
def test_a_stretch_of_hours_ends_after_it_begins(text: str, expected: str) -> None:
    found = [f"{each.value.start:%H:%M}-{each.value.end:%H:%M}" for each in find_hour_ranges(text)]
    assert found == [expected]


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_a_period_is_read(text: str, expected: str) -> None:
    found = find_periods(text, now=NOW, prefer="future")
    assert [f"{each.value.first}..{each.value.last}" for each in found] == [expected]


def test_the_next_days_may_begin_tomorrow_and_the_next_months_may_be_whole() -> None:
    [found] = find_periods("los próximos 3 meses", now=NOW)
    others = [f"{each.first}..{each.last}" for each in found.alternatives]
    assert others == ["2016-11-08..2017-02-07", "2016-12-01..2017-02-28"]


def test_a_week_of_a_month_may_be_one_of_the_calendar() -> None:
    [found] = find_periods("the first week of March 2017", now=NOW)
    assert f"{found.value.first}..{found.value.last}" == "2017-03-01..2017-03-07"
    assert [f"{each.first}..{each.last}" for each in found.alternatives] == ["2017-02-27..2017-03-05"]
