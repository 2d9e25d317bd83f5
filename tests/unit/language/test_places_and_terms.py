"""Places by their initials, clocks by their names, days in short, and the day on which a term ends."""

from datetime import UTC, date, datetime

import pytest

from batuta.language import find_dates, find_zones
from batuta.language.annotation import annotated
from batuta.language.periods import find_periods
from batuta.language.places import unknown_places
from batuta.language.slots import fill_slot
from batuta.language.understanding import Slot

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zones"),
    [
        ("9am in LA in spain?", ["America/Los_Angeles", "Europe/Madrid"]),
        ("qué hora es en LA", ["America/Los_Angeles"]),
        ("qué hora es en la oficina", []),
        ("3pm est in cet?", ["America/New_York", "Europe/Paris"]),
        ("las 3 de la tarde est en cet", ["America/New_York", "Europe/Paris"]),
        ("which est is it", []),
    ],
)
def test_places_are_known_by_their_initials_and_their_clocks(text: str, zones: list[str]) -> None:
    assert [each.value for each in find_zones(text)] == zones


def test_unknown_initials_are_said_to_be_unknown() -> None:
    assert [each.value for each in unknown_places("9am in XQ in spain")] == ["XQ"]


@pytest.mark.parametrize(
    "text", ["the time in singapore when it's 10:30 here", "qué hora es en singapur cuando aquí son las 10:30"]
)
def test_a_time_that_is_said_to_be_the_one_here_is_converted_from_here(text: str) -> None:
    read = annotated(text, now=NOW)
    assert fill_slot(Slot(name="from", type="zone_from"), read, now=NOW) is None
    assert fill_slot(Slot(name="to", type="zone_to"), read, now=NOW) == "Asia/Singapore"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("invoice dated 10 nov at 30 days", date(2026, 12, 10)),
        ("factura del 10 de nov a 30 días", date(2026, 12, 10)),
        ("a bill from 20 october at 60 days", date(2026, 12, 19)),
        ("60 days after 15 january 2027", date(2027, 3, 16)),
    ],
)
def test_a_term_is_counted_from_the_day_of_the_invoice(text: str, day: date) -> None:
    assert [each.value for each in find_dates(text, now=NOW)] == [day]


@pytest.mark.parametrize(
    ("text", "day"),
    [("nxt tuesday", date(2026, 11, 24)), ("tmw at 3", date(2026, 11, 17)), ("mñna a las 10", date(2026, 11, 17))],
)
def test_a_day_in_short_is_the_same_day(text: str, day: date) -> None:
    assert [each.value for each in find_dates(text, now=NOW)] == [day]


def test_the_end_of_a_term_is_no_period_that_records_are_of() -> None:
    found = find_periods("invoices dated 10 nov at 30 days", now=NOW)
    assert all(each.value.grain != "day" for each in found)
