"""Appointments that repeat: booked as one series, one of them moved or cancelled, or all of them (A-30)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from batuta.agents.appointments.desk import Desk
from batuta.agents.appointments.tools import appointment_tools
from batuta.agents.appointments.wording import repeats_in_words
from batuta.kernel.errors import ToolFailedError
from batuta.testing.clock import FakeClock
from batuta.tools import ToolContext, ToolUser

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
"""A Monday, 10:00 in Madrid."""
YOGA = "yoga every tuesday at 7pm until 20 december"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(folder=tmp_path, clock=FakeClock(NOW), time_zone="Europe/Madrid")


async def call(desk: Desk, name: str, *, key: str = "k", language: str = "en", **args: Any) -> Any:
    tool = next(tool for tool in appointment_tools(desk) if tool.name == name)
    services = {"language": language}
    return await tool.call(ToolContext(idempotency_key=key, user=ToolUser(id="ana"), services=services), **args)


async def carried_out(desk: Desk, request: str, kind: str, *, key: str) -> dict[str, Any]:
    """What a request leads to, by the tool that it is said to need."""
    found = await call(desk, "check_availability", request=request, kind=kind)
    assert "next_tool" in found, found
    skipped = ("outcome", "summary", "conflicts", "alternatives", "next_tool")
    args = {name: value for name, value in found.items() if name not in skipped and value is not None}
    done: dict[str, Any] = await call(desk, found["next_tool"], key=key, **args)
    return done


async def starts(desk: Desk, request: str = "list my appointments") -> list[str]:
    listed = await call(desk, "find_appointments", request=request)
    return [each["start"][:16] for each in listed["appointments"]]


@pytest.mark.parametrize(
    ("request_text", "start", "rule"),
    [
        (YOGA, "2026-11-17T19:00", "FREQ=WEEKLY;BYDAY=TU;UNTIL=20261220T225959Z"),
        ("standup every weekday at 9:15 for 15 minutes", "2026-11-17T09:15", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("gym on mondays and thursdays at 8pm", "2026-11-16T20:00", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("call with Ana every two weeks on friday at 10", "2026-11-20T10:00", "FREQ=WEEKLY;INTERVAL=2"),
        ("review the first monday of every month at 12", "2026-12-07T12:00", "FREQ=MONTHLY;BYDAY=1MO"),
        ("pilates los martes a las 18:00, 8 veces", "2026-11-17T18:00", "FREQ=WEEKLY;BYDAY=TU;COUNT=8"),
        ("gym los martes a las 6 durante un mes", "2026-11-17T18:00", "FREQ=WEEKLY;BYDAY=TU;UNTIL=20261216T225959Z"),
        ("cena cada dos viernes a las 21:00 desde enero", "2027-01-01T21:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("alquiler el día 5 de cada mes a las 9", "2026-12-05T09:00", "FREQ=MONTHLY;BYMONTHDAY=5"),
        ("medicación todos los días a las 8:00", "2026-11-17T08:00", "FREQ=DAILY"),
        ("review with Eva el primer lunes de mes a las 9", "2026-12-07T09:00", "FREQ=MONTHLY;BYDAY=1MO"),
        ("cena los últimos viernes de mes a las 21:00", "2026-11-27T21:00", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("physio every fortnight on Tuesdays at 5pm", "2026-11-17T17:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("yoga every day except Sunday at 7am", "2026-11-17T07:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA"),
        (
            "parte el último día laborable de cada mes a las 9",
            "2026-11-30T09:00",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        ),
        ("fisio cada quince días los martes a las 17", "2026-11-17T17:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("fisio un martes de cada dos a las 17", "2026-11-17T17:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("fisio los martes sí, martes no a las 17", "2026-11-17T17:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("physio weekly on Tuesday at 5pm", "2026-11-17T17:00", "FREQ=WEEKLY"),
        ("the weekly meeting on Tuesday at 5pm", "2026-11-17T17:00", None),
        ("gimnasio los fines de semana a las 11", "2026-11-21T11:00", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("inglés todos los martes a las 18 menos cuarto", "2026-11-17T17:45", "FREQ=WEEKLY;BYDAY=TU"),
        ("dentista cada tres meses a las 14:00 desde el 1 de mayo", "2027-05-01T14:00", "FREQ=MONTHLY;INTERVAL=3"),
    ],
)  # fmt: skip
async def test_words_become_the_first_day_and_a_rule(
    desk: Desk, request_text: str, start: str, rule: str | None
) -> None:
    found = await call(desk, "check_availability", request=request_text, kind="create")
    assert (found["outcome"], found.get("start", "")[:16], found.get("repeats")) == ("free", start, rule)


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        ("yoga every tuesday", "At what time?"),
        ("yoga every week at 7pm", "From which day on?"),
        ("yoga every tuesday at 7pm until yesterday", "end before"),
        ("yoga every day and every month at 7pm", "how often"),
        ("yoga every tuesday at 7pm except on feasts", "how often"),
        ("yoga todos los martes a las 19 menos festivos", "how often"),
    ],
)
async def test_what_is_missing_in_a_series_is_asked_about(desk: Desk, request_text: str, asked: str) -> None:
    found = await call(desk, "check_availability", request=request_text, kind="create")
    assert found["outcome"] == "needs_information"
    assert asked in found["summary"]["en"]


async def test_a_series_is_booked_once_and_seen_on_each_of_its_days(desk: Desk, tmp_path: Path) -> None:
    done = await carried_out(desk, YOGA, "create", key="yoga")
    assert done["summary"]["en"].endswith("19:00–20:00, every week, on Tuesday, until 20 December 2026.")
    await carried_out(desk, YOGA.replace("yoga", "tennis").replace("tuesday", "monday"), "create", key="tennis")
    assert await starts(desk, "what do I have in December with yoga") != []
    days = ["2026-11-17", "2026-11-24", "2026-12-01", "2026-12-08", "2026-12-15"]
    assert [one for one in await starts(desk) if one[:10] in days] == [f"{day}T19:00" for day in days]
    [file] = tmp_path.glob("*.ics")
    assert file.read_text("utf-8").count("BEGIN:VEVENT") == 2


async def test_a_series_that_meets_something_else_in_a_later_week_is_a_conflict(desk: Desk) -> None:
    await carried_out(desk, "dinner with Eva on 8 december at 19:30", "create", key="dinner")
    found = await call(desk, "check_availability", request=YOGA, kind="create")
    assert found["outcome"] == "conflict_detected"
    refused = await call(
        desk, "create_appointment", key="b", title="Yoga", start="2026-11-17T19:00:00+01:00", repeats="FREQ=WEEKLY"
    )
    assert (refused["outcome"], [each["title"] for each in refused["conflicts"]]) == (
        "conflict_detected",
        ["Dinner with Eva"],
    )


async def test_one_of_a_series_is_cancelled_and_the_others_stay(desk: Desk) -> None:
    await carried_out(desk, YOGA, "create", key="yoga")
    request = "cancel yoga on 24 november"
    done = await carried_out(desk, request, "cancel", key="c")
    assert done["summary"]["en"] == "Cancelled: Yoga, Tuesday, 24 November 2026, 19:00–20:00."
    assert [day[:10] for day in await starts(desk)] == ["2026-11-17", "2026-12-01", "2026-12-08", "2026-12-15"]
    again = await call(
        desk, "cancel_appointment", key="c", uid=done["uid"], title="Yoga", start=done["start"], which="one"
    )
    assert again["outcome"] == "appointment_cancelled"
    assert len(await starts(desk)) == 4


@pytest.mark.parametrize(
    ("request_text", "left"),
    [
        ("cancel yoga ▸ all of them", 0),
        ("cancel yoga ▸ only the next one", 4),
        ("cancela el yoga ▸ todas", 0),
        ("cancela el yoga ▸ solo la próxima", 4),
        ("cancel all the yoga", 0),
        ("cancel yoga every tuesday", 0),
    ],
)
async def test_whether_one_or_all_are_cancelled_is_asked_and_heard(desk: Desk, request_text: str, left: int) -> None:
    await carried_out(desk, YOGA, "create", key="yoga")
    asked = await call(desk, "check_availability", request=request_text.split(" ▸ ", maxsplit=1)[0], kind="cancel")
    if "▸" in request_text:
        assert asked["outcome"] == "needs_information"
        assert asked["summary"]["en"].startswith("Yoga repeats: every week, on Tuesday, until 20 December 2026. Only")
    await carried_out(desk, request_text, "cancel", key="c")
    assert len(await starts(desk)) == left


async def test_one_of_a_series_is_moved_and_the_others_stay(desk: Desk) -> None:
    booked = await carried_out(desk, YOGA, "create", key="yoga")
    for _ in range(2):  # a repeated call changes nothing more
        found = await call(
            desk, "move_appointment", key="m", uid=booked["uid"], title="Yoga",
            previous_start="2026-11-24T19:00:00+01:00", start="2026-11-25T18:00:00+01:00",
        )  # fmt: skip
        assert found["summary"]["en"].startswith("Moved: Yoga is now on Wednesday, 25 November 2026, 18:00")
    assert [day[:13] for day in await starts(desk)] == [
        "2026-11-17T19", "2026-11-25T18", "2026-12-01T19", "2026-12-08T19", "2026-12-15T19",
    ]  # fmt: skip


async def test_another_programs_exceptions_are_kept_to(desk: Desk, tmp_path: Path) -> None:
    """EXDATE leaves one out, and an event with a RECURRENCE-ID stands in the place of another."""
    event = (
        "BEGIN:VEVENT\nUID:a\nSUMMARY:Yoga\nDTSTART:20261117T180000Z\nDTEND:20261117T190000Z\n"
        "RRULE:FREQ=WEEKLY;COUNT=4\nEXDATE:20261124T180000Z\nEND:VEVENT\n"
        "BEGIN:VEVENT\nUID:a\nSUMMARY:Yoga\nRECURRENCE-ID:20261201T180000Z\nDTSTART:20261202T180000Z\n"
        "DTEND:20261202T190000Z\nEND:VEVENT\n"
    )
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{event}END:VCALENDAR\n".replace("\n", "\r\n")
    (tmp_path / "ana.ics").write_text(text, "utf-8")
    assert [day[:10] for day in await starts(desk)] == ["2026-11-17", "2026-12-02", "2026-12-08"]


@pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "nonsense", "FREQ=WEEKLY;BYDAY=FR", "FREQ=DAILY;UNTIL=2"])
async def test_a_rule_that_cannot_be_followed_is_refused(desk: Desk, rule: str) -> None:
    start = "2026-11-17T19:00:00+01:00"
    with pytest.raises(ToolFailedError, match="recurrence rule"):
        await call(desk, "create_appointment", title="Yoga", start=start, repeats=rule)


@pytest.mark.parametrize(
    ("rule", "english", "spanish"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,WE", "every week, on Monday and Wednesday", "cada semana, lunes y miércoles"),
        ("FREQ=MONTHLY;INTERVAL=3;COUNT=4", "every 3 months, 4 times", "cada 3 meses, 4 veces"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month, on the last Friday", "cada mes, el último viernes"),
        ("FREQ=MONTHLY;BYMONTHDAY=5", "every month, on day 5", "cada mes, el día 5"),
        ("FREQ=DAILY;UNTIL=20270501T215959Z", "every day, until 1 May 2027", "cada día, hasta el 1 de mayo de 2027"),
    ],
)  # fmt: skip
def test_a_rule_is_said_in_words(rule: str, english: str, spanish: str) -> None:
    assert (repeats_in_words(rule, "en"), repeats_in_words(rule, "es")) == (english, spanish)


async def test_a_list_of_a_weekday_or_a_part_of_the_day_holds_no_others(desk: Desk) -> None:
    await carried_out(desk, "yoga every tuesday at 7pm until 30 november", "create", key="yoga")
    await carried_out(desk, "call with Ana on 20 november at 10", "create", key="call")
    assert await starts(desk, "what do I have on tuesdays?") == ["2026-11-17T19:00", "2026-11-24T19:00"]
    assert await starts(desk, "what do I have on friday morning?") == ["2026-11-20T10:00"]
    assert await starts(desk, "¿qué tengo el viernes por la tarde?") == []


@pytest.mark.parametrize(
    ("request_text", "first"),
    [
        ("when am I free on Wednesday afternoon?", "2026-11-18T12:00:00+01:00"),
        ("¿cuándo estoy libre el miércoles por la tarde?", "2026-11-18T13:00:00+01:00"),
        ("when am I free on Wednesday morning?", "2026-11-18T09:00:00+01:00"),
        ("any gap on Wednesday evening?", "2026-11-18T17:00:00+01:00"),
    ],
)
async def test_free_times_are_those_of_the_part_of_the_day_that_is_asked(
    desk: Desk, request_text: str, first: str
) -> None:
    found = await call(desk, "check_availability", request=request_text, kind="question")
    assert found["alternatives"][0] == first


@pytest.mark.parametrize("later", ["11", "make it 11", "a las 11"])
async def test_a_number_that_is_said_later_is_the_hour(desk: Desk, later: str) -> None:
    await carried_out(desk, "call with Peter on Monday at 10", "create", key="call")
    found = await call(desk, "check_availability", request=f"call with Peter on Monday at 10 ▸ {later}", kind="move")
    assert (found["next_tool"], found["start"]) == ("move_appointment", "2026-11-23T11:00:00+01:00")


@pytest.mark.parametrize(
    "request_text", ["move my call with Peter to Monday at 10", "call with Peter on Monday at 10 ▸ at 10"]
)
async def test_nothing_is_moved_to_where_it_is(desk: Desk, request_text: str) -> None:
    await carried_out(desk, "call with Peter on Monday at 10", "create", key="call")
    found = await call(desk, "check_availability", request=request_text, kind="move")
    assert (found["outcome"], found.get("next_tool")) == ("needs_information", None)
    assert found["summary"]["en"].startswith("It is already there on Monday, 23 November 2026")


async def test_a_weekday_that_may_be_this_weeks_or_that_of_the_appointment_is_asked_about(desk: Desk) -> None:
    await carried_out(desk, "interview with Nuria on 25 november at 12", "create", key="a")
    request = "move the interview with Nuria to thursday at 9"
    asked = await call(desk, "check_availability", request=request, kind="move")
    assert asked["outcome"] == "needs_information"
    assert asked["summary"]["en"] == "Which day: Thursday, 19 November 2026 or Thursday, 26 November 2026?"
    found = await call(desk, "check_availability", request=f"{request} ▸ the 26th", kind="move")
    assert found["start"] == "2026-11-26T09:00:00+01:00"


@pytest.mark.parametrize(
    ("request_text", "title", "start"),
    [
        ("padel with Jorge on friday at 20:00", "Padel with Jorge", "2026-11-20T20:00:00+01:00"),
        ("tenis con Eva el viernes a las 20:00", "Tenis con Eva", "2026-11-20T20:00:00+01:00"),
        ("gym on friday half six in the evening", "Gym", "2026-11-20T18:30:00+01:00"),
        ("meet Tom friday half nine", "Appointment", "2026-11-20T09:30:00+01:00"),
    ],
)
async def test_what_it_is_called_and_half_hours_are_heard(
    desk: Desk, request_text: str, title: str, start: str
) -> None:
    found = await call(desk, "check_availability", request=request_text, kind="create")
    assert (found["title"].startswith(title), found["start"]) == (True, start)
