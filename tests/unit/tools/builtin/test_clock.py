"""The clock tool (F-56)."""

from datetime import UTC, datetime

import pytest

from batuta.kernel.errors import ToolFailedError
from batuta.testing.clock import FakeClock
from batuta.tools.builtin.clock import clock_tool


async def test_it_tells_the_time_in_a_zone() -> None:
    told = await clock_tool(FakeClock()).call(zone="Europe/Madrid")

    assert told == {"time": "2026-01-01T01:00:00+01:00", "weekday": "Thursday", "iso_week": 1, "zone": "Europe/Madrid"}


async def test_it_uses_the_users_zone_when_none_is_named() -> None:
    told = await clock_tool(FakeClock(), time_zone="Asia/Tokyo").call()

    assert told["time"] == "2026-01-01T09:00:00+09:00"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../../etc/passwd", "/etc/localtime", "a\0b", "x" * 5000])
async def test_an_unknown_zone_is_an_error(zone: str) -> None:
    with pytest.raises(ToolFailedError, match="no time zone"):
        await clock_tool().call(zone=zone)


async def test_it_tells_the_time_some_minutes_from_now() -> None:
    told = await clock_tool(FakeClock(), time_zone="Europe/Madrid").call(offset_minutes=120)
    before = await clock_tool(FakeClock(), time_zone="Europe/Madrid").call(offset_minutes=-90)

    assert (told["time"], told["offset_minutes"]) == ("2026-01-01T03:00:00+01:00", 120)
    assert (before["time"], before["weekday"]) == ("2025-12-31T23:30:00+01:00", "Wednesday")


async def test_minutes_are_counted_as_they_pass_also_when_the_clocks_change() -> None:
    """In Madrid it is 01:30; half an hour later the clocks jump from 02:00 to 03:00."""
    night = FakeClock(datetime(2026, 3, 29, 0, 30, tzinfo=UTC))
    told = await clock_tool(night, time_zone="Europe/Madrid").call(offset_minutes=60)

    assert told["time"] == "2026-03-29T03:30:00+02:00"


@pytest.mark.parametrize("minutes", [10**9, -(10**9)])
async def test_a_time_that_is_too_far_is_an_error(minutes: int) -> None:
    with pytest.raises(ToolFailedError, match="too far"):
        await clock_tool().call(offset_minutes=minutes)
