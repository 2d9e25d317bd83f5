"""The clock tool (F-56)."""

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
