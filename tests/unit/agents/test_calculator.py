"""The calculation and clock agent."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from batuta.agents import calculator
from batuta.agents.calculator.calendar_days import working_days
from batuta.agents.calculator.time_zones import convert_time_tool, parsed_time, time_after_tool, time_between_tool
from batuta.agents.calculator.units import converted
from batuta.kernel.errors import ToolFailedError
from batuta.llm.providers import OFFLINE_MODEL
from batuta.testing.clock import FakeClock

SUMMER = datetime(2026, 7, 1, 12, tzinfo=UTC)


def convert(**args: Any) -> Any:
    return convert_time_tool(FakeClock(SUMMER), time_zone="Europe/Madrid").call(**args)


async def test_a_time_is_converted_between_places() -> None:
    result = await convert(time_of_day="3pm", from_zone="Europe/Madrid", to_zone="America/New_York")
    assert result["to"] == "2026-07-01T09:00-04:00"
    assert result["summary"]["en"] == "15:00 in Madrid is 09:00 in New York."


async def test_the_users_own_zone_is_meant_when_none_is_named() -> None:
    assert (await convert(time_of_day="10:00", to_zone="UTC"))["from"] == "2026-07-01T10:00+02:00"


async def test_a_day_further_is_said() -> None:
    result = await convert(time_of_day="20:00", to_zone="Asia/Tokyo")
    assert "03:00 the next day" in result["summary"]["en"]
    assert "03:00 del día siguiente" in result["summary"]["es"]


async def test_the_difference_is_that_of_the_day() -> None:
    result = await convert(time_of_day="12:00", to_zone="UTC", on="2026-12-01")
    assert result["to"] == "2026-12-01T11:00+00:00"


async def test_a_time_that_the_clocks_skip_is_refused() -> None:
    with pytest.raises(ToolFailedError, match="skip 02:30"):
        await convert(time_of_day="02:30", to_zone="UTC", on="2026-03-29")


@pytest.mark.parametrize("text", ["25:00", "13pm", "0am", "10:75", "soon", ""])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(ToolFailedError, match="time of day"):
        parsed_time(text)


@pytest.mark.parametrize(("text", "hour"), [("12am", 0), ("12pm", 12), ("7 p.m.", 19), ("18h", 18), ("mediodía", 12)])
def test_halves_of_the_day_are_understood(text: str, hour: int) -> None:
    assert parsed_time(text).hour == hour


async def test_an_unknown_zone_is_named() -> None:
    with pytest.raises(ToolFailedError, match="Mars/Base"):
        await convert(time_of_day="10:00", to_zone="Mars/Base")


def test_the_card_says_what_it_can_do() -> None:
    card = calculator.specialist(OFFLINE_MODEL).card
    assert card.tools == (
        "calculate",
        "current_time",
        "convert_time",
        "time_difference",
        "time_after",
        "time_between",
        "convert_units",
        "count_days",
        "resolve_words",
    )
    assert card.commands == ("/calc",)
    assert set(card.examples) == {"en", "es"}


def test_a_small_amount_does_not_become_nothing() -> None:
    assert converted(Decimal(5), "mg", "kg") == Decimal("0.000005")


@pytest.mark.parametrize(
    ("args", "time", "said"),
    [
        ({"time_of_day": "22:15", "minutes": 470}, "06:05", "22:15 + 7 h 50 min = 06:05 the next day."),
        ({"time_of_day": "9:00", "minutes": 35, "is_backwards": True}, "08:25", "09:00 − 35 min = 08:25."),
        ({"time_of_day": "10:30", "minutes": 3000}, "12:30", "10:30 + 50 h = 12:30 (+2 days)."),
    ],
)
async def test_a_time_of_day_is_counted_on_from_another(args: dict[str, Any], time: str, said: str) -> None:
    result = await time_after_tool().call(**args)
    assert (result["time"], result["summary"]["en"]) == (time, said)


@pytest.mark.parametrize(
    ("amount", "start", "end", "value"),
    [
        ("15", "m2", "ft2", "161.4587"),
        ("3", "m3", "l", "3000"),
        ("5", "kWh", "J", "18000000"),
        ("150", "cv", "kW", "110.3248"),
    ],
)
def test_areas_volumes_energies_and_powers_are_converted(amount: str, start: str, end: str, value: str) -> None:
    assert converted(Decimal(amount), start, end) == Decimal(value)


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [
        ("2026-11-16", "2026-12-25", 29),
        ("2026-11-14", "2026-11-16", 0),
        ("2026-11-16", "2026-11-23", 5),
        ("2026-11-23", "2026-11-16", -5),
    ],
)
def test_working_days_are_mondays_to_fridays(start: str, end: str, count: int) -> None:
    assert working_days(date.fromisoformat(start), date.fromisoformat(end)) == count


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("8:45", "17:20", "08:45 – 17:20: 8 h 35 min."),
        ("22:00", "6:00", "22:00 – 06:00 the next day: 8 h."),
        ("9:00", "9:00", "09:00 – 09:00: 0 min."),
    ],
)
async def test_the_time_between_two_times_of_day_is_told(start: str, end: str, said: str) -> None:
    result = await time_between_tool().call(start=start, end=end)
    assert result["summary"]["en"] == said
