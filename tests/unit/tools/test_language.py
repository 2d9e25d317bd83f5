"""What a real model is given instead of working out dates and amounts itself."""

from datetime import UTC, datetime

from batuta.testing.clock import FakeClock
from batuta.tools.builtin.language import resolve_words_tool

NOW = datetime(2026, 11, 15, 20, 30, tzinfo=UTC)


async def test_periods_dates_and_amounts_are_resolved_from_now_and_here() -> None:
    tool = resolve_words_tool(FakeClock(NOW), time_zone="Europe/Madrid")
    found = await tool.call(text="facturas de más de 1.200 € del trimestre pasado, para el viernes")
    assert found["zone"] == "Europe/Madrid"
    assert found["periods"][0]["value"] == {"first": "2026-07-01", "last": "2026-09-30", "grain": "quarter"}
    assert found["money"][0]["value"] == {"amount": "1200", "currency": "EUR"}
    assert found["dates"][0]["value"] == "2026-11-20"


async def test_what_may_be_meant_as_well_is_given() -> None:
    found = await resolve_words_tool(FakeClock(NOW)).call(text="on 3/4")
    assert found["dates"][0]["alternatives"] == ["2027-03-04"]
