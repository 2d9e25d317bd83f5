"""The tools of the appointment agent: resolve, conflict, approve, write once (A-30)."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from batuta.agents.appointments.desk import Desk
from batuta.agents.appointments.tools import appointment_tools
from batuta.kernel.errors import ConfigurationError, ToolFailedError
from batuta.language.interpretation import AMENDED_BY
from batuta.testing.clock import FakeClock
from batuta.tools import ToolContext, ToolUser

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(folder=tmp_path, clock=FakeClock(NOW), time_zone="Europe/Madrid")


def call(desk: Desk, name: str, *, key: str = "k", user: str = "ana", zone: str | None = None, **args: Any) -> Any:
    tool = next(tool for tool in appointment_tools(desk) if tool.name == name)
    services = {"timezone": zone} if zone else {}
    context = ToolContext(idempotency_key=key, user=ToolUser(id=user), services=services)
    return tool.call(context, **args)


async def book(desk: Desk, start: str = "2026-11-17T10:00:00+01:00", **options: Any) -> Any:
    return await call(desk, "create_appointment", title="Cita con Ana", start=start, with_whom="Ana", **options)


async def test_a_free_slot_names_the_tool_that_books_it(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="cita mañana 10am con Dr. Pérez")
    assert found["outcome"] == "free"
    assert found["next_tool"] == "create_appointment"
    assert (found["start"], found["title"]) == ("2026-11-17T10:00:00+01:00", "Cita con Dr. Pérez")


@pytest.mark.parametrize(
    ("language", "words"), [("es", "No hay citas."), ("en", "There are no appointments."), (None, "There are no appo")]
)
async def test_a_list_is_told_first_in_the_language_of_its_reader(desk: Desk, language: str | None, words: str) -> None:
    """The word "agenda" is one of both languages: whoever answers it takes the first."""
    tool = next(tool for tool in appointment_tools(desk) if tool.name == "find_appointments")
    found = await tool.call(ToolContext(services={"language": language} if language else {}), request="agenda")
    assert next(iter(found["summary"].values())).startswith(words)
    assert set(found["summary"]) == {"en", "es"}


async def test_a_taken_slot_has_no_start_but_alternatives(desk: Desk) -> None:
    await book(desk)
    found = await call(desk, "check_availability", request="cita mañana 10:30 con Luis")
    assert found["outcome"] == "conflict_detected"
    assert "start" not in found
    assert found["alternatives"][0] == "2026-11-17T11:00:00+01:00"
    assert "está ocupado: Cita con Ana" in found["summary"]["es"]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("cita con Marta mañana", "¿A qué hora?"),
        ("cita ayer a las 10:00", "ya ha pasado"),
        ("cita hoy a las 8:00", "ya ha pasado"),
        ("cita el 31/2 a las 10", "¿Qué día?"),
        ("cita mañana a las 10 durante 900 horas", "dura entre"),
    ],
)
async def test_what_is_missing_is_asked_for(desk: Desk, request_text: str, words: str) -> None:
    found = await call(desk, "check_availability", request=request_text)
    assert found["outcome"] == "needs_information"
    assert words in found["summary"]["es"]
    assert "next_tool" not in found


async def test_a_question_books_nothing(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="Am I free tomorrow at 10am?")
    assert found["next_tool"] is None
    assert "is free" in found["summary"]["en"]


async def test_a_day_is_looked_over(desk: Desk) -> None:
    await book(desk)
    found = await call(desk, "check_availability", request="¿estoy libre mañana?")
    assert "ocupado: Cita con Ana" in found["summary"]["es"]
    assert "09:00–10:00" in found["summary"]["es"]


async def test_a_move_finds_the_appointment_and_keeps_what_is_not_said(desk: Desk) -> None:
    await book(desk)
    found = await call(desk, "check_availability", request="move my meeting with Ana to Friday")
    assert found["next_tool"] == "move_appointment"
    assert found["start"] == "2026-11-20T10:00:00+01:00"
    assert found["previous_start"] == "2026-11-17T10:00:00+01:00"


async def test_a_move_of_nothing_says_so(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="move my meeting with Bob to Friday")
    assert found["outcome"] == "not_found"


async def test_a_move_that_could_mean_several_asks_which(desk: Desk) -> None:
    await book(desk, key="1")
    await book(desk, start="2026-11-18T10:00:00+01:00", key="2")
    found = await call(desk, "check_availability", request="move my meeting with Ana to Friday")
    assert found["outcome"] == "needs_information"
    assert "Which one" in found["summary"]["en"]


async def test_an_appointment_is_moved(desk: Desk) -> None:
    uid = (await book(desk))["uid"]
    times = {"previous_start": "2026-11-17T10:00:00+01:00", "start": "2026-11-20T15:00:00+01:00"}
    moved = await call(desk, "move_appointment", uid=uid, title="Cita con Ana", **times)
    assert moved["outcome"] == "appointment_moved"
    listed = await call(desk, "find_appointments", request="what do I have on Friday?")
    assert [each["uid"] for each in listed["appointments"]] == [uid]


async def test_an_unknown_appointment_cannot_be_moved(desk: Desk) -> None:
    times = {"previous_start": "2026-11-17T10:00:00+01:00", "start": "2026-11-20T15:00:00+01:00"}
    with pytest.raises(ToolFailedError, match="no appointment 'x'"):
        await call(desk, "move_appointment", uid="x", title="t", **times)


async def test_a_repeated_call_books_once(desk: Desk) -> None:
    first, again = await book(desk, key="same"), await book(desk, key="same")
    assert first == again
    assert len((await call(desk, "find_appointments", request=""))["appointments"]) == 1


async def test_writing_looks_again_because_somebody_may_have_been_faster(desk: Desk) -> None:
    await book(desk, key="1")
    assert (await book(desk, key="2"))["outcome"] == "conflict_detected"


async def test_reconciling_tells_whether_an_interrupted_booking_happened(desk: Desk) -> None:
    tool = next(tool for tool in appointment_tools(desk) if tool.name == "create_appointment")
    reconcile = tool.policy.reconcile
    assert reconcile is not None
    context = ToolContext(idempotency_key="k", user=ToolUser(id="ana"))
    assert await reconcile({}, context) is None
    booked = await book(desk)
    assert await reconcile({}, context) == booked


WRITERS = ["create_appointment", "move_appointment", "cancel_appointment"]


def test_writing_needs_approval(desk: Desk) -> None:
    writers = [tool for tool in appointment_tools(desk) if tool.policy.effect == "write"]
    assert [tool.name for tool in writers] == WRITERS
    assert {tool.policy.approval for tool in writers} == {"always"}


@pytest.mark.parametrize(
    ("name", "language", "shown"),
    [
        ("create_appointment", "en", "Cita\nTuesday, 17 November 2026, 10:00 (UTC+00:00), 60 min\nWith: Ana"),
        ("create_appointment", "es", "Cita\nmartes, 17 de noviembre de 2026, 10:00 (UTC+00:00), 60 min\nCon: Ana"),
        ("move_appointment", "es", "Cita\nlunes, 16 de noviembre de 2026, 10:00 (UTC+00:00)\n→ martes"),
        ("cancel_appointment", "es", "Cita\nmartes, 17 de noviembre de 2026, 10:00 (UTC+00:00)"),
        ("cancel_appointment", None, "Cita\nmartes, 17 de noviembre de 2026, 10:00 (UTC+00:00)"),
    ],
)
def test_what_would_happen_is_shown_in_the_readers_language(
    desk: Desk, name: str, language: str | None, shown: str
) -> None:
    """Where nobody says which language is read, it is that of the appointment's name."""
    preview: Any = next(tool for tool in appointment_tools(desk) if tool.name == name).policy.preview
    times = {"start": datetime(2026, 11, 17, 10, tzinfo=UTC), "previous_start": datetime(2026, 11, 16, 10, tzinfo=UTC)}
    context = ToolContext(services={"language": language} if language else {})
    assert preview({"title": "Cita", "with_whom": "Ana", "uid": "x", **times}, context).startswith(shown)


@pytest.mark.parametrize(
    ("request_text", "start", "other"),
    [
        ("book a call with Bob next Thursday at 11", "2026-11-19T11:00", "2026-11-26"),
        ("pon una llamada con Bob el próximo jueves a las 11", "2026-11-19T11:00", "2026-11-26"),
        ("book a call with Bob next Tuesday at 11", "2026-11-24T11:00", "2026-11-17"),
        ("book a call with Bob on 3/12 at 11", "2026-12-03T11:00", "2027-03-12"),
        ("book a call with Bob on Thursday at 11", "2026-11-19T11:00", None),
        ("pon una llamada con Bob el jueves de la semana que viene a las 11", "2026-11-26T11:00", None),
    ],
)
async def test_the_other_day_that_may_be_meant_is_on_the_card(
    desk: Desk, request_text: str, start: str, other: str | None
) -> None:
    """Said on a Monday, "next Thursday" may be that of this week or of the next one: one is taken, one offered."""
    found = await call(desk, "check_availability", request=request_text, kind="create")
    assert (found["start"][:16], found.get("other_day")) == (start, other)
    preview: Any = next(tool for tool in appointment_tools(desk) if tool.name == found["next_tool"]).policy.preview
    args = {"title": found["title"], "start": datetime.fromisoformat(found["start"])}
    args |= {"other_day": date.fromisoformat(other)} if other else {}
    assert ("?" in preview(args, ToolContext())) == (other is not None)


async def test_an_answer_says_which_day_it_took_and_which_it_did_not(desk: Desk) -> None:
    asked = await call(desk, "check_availability", request="am I free next Thursday at 11?", kind="question")
    assert asked["summary"]["en"].endswith(" is free. If you mean Thursday, 26 November 2026, say so.")
    listed = await call(desk, "find_appointments", request="¿qué tengo el próximo jueves?")
    no_day = "No hay citas el jueves, 19 de noviembre de 2026."
    assert listed["summary"]["es"] == f"{no_day} Si te refieres al jueves, 26 de noviembre de 2026, dilo."


async def test_of_two_days_that_may_be_meant_both_are_asked_about_where_both_are_taken(desk: Desk) -> None:
    await book(desk, "2026-11-19T10:00:00+01:00")
    found = await call(desk, "check_availability", request="cancel what I have next Thursday", kind="cancel")
    assert found["start"][:10] == "2026-11-19"
    await book(desk, "2026-11-26T10:00:00+01:00", key="other")
    found = await call(desk, "check_availability", request="cancel what I have next Thursday", kind="cancel")
    assert found["summary"]["en"].startswith("Which one is meant?")


@pytest.mark.parametrize("later", ["next week", "el de la semana que viene", "the 26th", "Thursday 26"])
async def test_the_other_day_is_taken_once_it_is_said(desk: Desk, later: str) -> None:
    request_text = f"book a call with Bob next Thursday at 11{AMENDED_BY}{later}"
    found = await call(desk, "check_availability", request=request_text, kind="create")
    assert (found["start"][:16], found.get("other_day")) == ("2026-11-26T11:00", None)


async def test_what_is_to_be_cancelled_is_found_first(desk: Desk) -> None:
    await book(desk)
    found = await call(desk, "check_availability", request="Cancela la cita con Ana")
    assert found["next_tool"] == "cancel_appointment"
    assert (found["title"], found["start"]) == ("Cita con Ana", "2026-11-17T10:00:00+01:00")


async def test_a_mistyped_name_finds_what_is_called_so(desk: Desk) -> None:
    await call(desk, "create_appointment", title="Dentist", start="2026-11-19T09:30:00+01:00")
    await book(desk, key="other")
    found = await call(desk, "check_availability", request="move the dentst one hour later", kind="move")
    assert (found["title"], found["start"][:16]) == ("Dentist", "2026-11-19T10:30")


@pytest.mark.parametrize("request_text", ["cancel my meeting on Wednesday", "anula la cita de las 12:00"])
async def test_a_day_or_time_tells_which_one_is_cancelled(desk: Desk, request_text: str) -> None:
    await book(desk, key="1")
    wanted = await book(desk, start="2026-11-18T12:00:00+01:00", key="2")
    found = await call(desk, "check_availability", request=request_text)
    assert found["uid"] == wanted["uid"]


async def test_a_cancellation_that_could_mean_several_asks_which(desk: Desk) -> None:
    await book(desk, key="1")
    await book(desk, start="2026-11-18T10:00:00+01:00", key="2")
    found = await call(desk, "check_availability", request="cancel my meeting with Ana")
    assert "Which one" in found["summary"]["en"]
    assert "next_tool" not in found


@pytest.mark.parametrize(
    ("listing", "cancelling"),
    [
        ("What appointments do I have on 2031-03-04?", "cancel my appointment on 2031-03-04"),
        ("¿Qué citas tengo el 4 de marzo de 2031?", "anula la cita del 4 de marzo de 2031"),
        ("what do I have with Ana?", "cancel my appointment with Ana"),
        ("¿qué tengo con Ana?", "anula la cita con Ana"),
    ],
)
async def test_an_appointment_years_ahead_is_listed_and_cancelled(desk: Desk, listing: str, cancelling: str) -> None:
    booked = await book(desk, start="2031-03-04T10:00:00+01:00")
    listed = await call(desk, "find_appointments", request=listing)
    assert [each["uid"] for each in listed["appointments"]] == [booked["uid"]]
    found = await call(desk, "check_availability", request=cancelling)
    assert (found.get("next_tool"), found.get("uid")) == ("cancel_appointment", booked["uid"])


@pytest.mark.parametrize("listing", ["What do I have on 2031-03-04?", "¿Qué tengo el 4 de marzo de 2031?"])
async def test_what_repeats_is_listed_on_a_day_years_ahead(desk: Desk, tmp_path: Path, listing: str) -> None:
    """A Tuesday; without a day a year of it is listed, not all of them."""
    await book(desk)
    [file] = tmp_path.rglob("*.ics")
    file.write_bytes(file.read_bytes().replace(b"END:VEVENT", b"RRULE:FREQ=WEEKLY\r\nEND:VEVENT"))
    listed = (await call(desk, "find_appointments", request=listing))["appointments"]
    assert [each["start"][:10] for each in listed] == ["2031-03-04"]


async def test_what_is_cancelled_is_listed_no_more_and_its_time_is_free(desk: Desk) -> None:
    booked = await book(desk)
    done = await call(desk, "cancel_appointment", uid=booked["uid"], title="Cita con Ana", start=booked["start"])
    assert done["outcome"] == "appointment_cancelled"
    assert (await call(desk, "find_appointments", request=""))["appointments"] == []
    assert (await call(desk, "check_availability", request="cita mañana 10am"))["outcome"] == "free"


async def test_a_repeated_cancellation_changes_nothing_more(desk: Desk, tmp_path: Path) -> None:
    booked = await book(desk)
    args = {"uid": booked["uid"], "title": "Cita con Ana", "start": booked["start"], "key": "same"}
    first = await call(desk, "cancel_appointment", **args)
    written = next(tmp_path.glob("*.ics")).read_bytes()
    assert await call(desk, "cancel_appointment", **args) == first
    assert next(tmp_path.glob("*.ics")).read_bytes() == written


async def test_an_interrupted_cancellation_is_known_by_its_key(desk: Desk) -> None:
    booked = await book(desk)
    await call(desk, "cancel_appointment", uid=booked["uid"], title="t", start=booked["start"], key="mine")
    tool = next(tool for tool in appointment_tools(desk) if tool.name == "cancel_appointment")
    assert tool.policy.reconcile is not None
    for key, is_done in (("mine", True), ("other", False)):
        context = ToolContext(idempotency_key=key, user=ToolUser(id="ana"))
        assert (await tool.policy.reconcile({"uid": booked["uid"]}, context) is not None) is is_done


async def test_an_unknown_appointment_cannot_be_cancelled(desk: Desk) -> None:
    with pytest.raises(ToolFailedError, match="no appointment 'x'"):
        await call(desk, "cancel_appointment", uid="x", title="t", start="2026-11-17T10:00:00+01:00")


async def test_users_have_calendars_of_their_own(desk: Desk, tmp_path: Path) -> None:
    await book(desk, user="ana")
    await book(desk, user="../../etc/passwd")
    assert len(list(tmp_path.glob("*.ics"))) == 2
    assert (await call(desk, "find_appointments", request="", user="bob"))["appointments"] == []


async def test_the_run_may_say_the_users_time_zone(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="cita mañana 10am", zone="America/Mexico_City")
    assert found["start"] == "2026-11-17T10:00:00-06:00"


async def test_a_place_elsewhere_has_its_own_time(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="lunch with Sam tomorrow at noon in London")
    assert found["start"] == "2026-11-17T12:00:00+00:00"


async def test_a_weekday_whose_time_is_over_is_next_week(desk: Desk) -> None:
    found = await call(desk, "check_availability", request="meeting on Monday at 8am")
    assert found["start"] == "2026-11-23T08:00:00+01:00"


def test_an_unknown_zone_is_a_mistake_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Mars"):
        Desk(folder=tmp_path, time_zone="Mars/Base")


async def test_what_is_offered_instead_lies_in_office_hours(desk: Desk) -> None:
    await book(desk, "2026-11-17T22:30:00+01:00")
    found = await call(desk, "check_availability", request="book a call with Luis tomorrow at 22:30")
    assert [start[:16] for start in found["alternatives"]] == [
        "2026-11-18T09:00",
        "2026-11-18T09:30",
        "2026-11-18T10:00",
    ]


async def test_nobody_is_offered_a_weekend_instead_of_a_friday(desk: Desk) -> None:
    await book(desk, "2026-11-20T17:00:00+01:00")
    found = await call(desk, "check_availability", request="book a call with Luis on friday at 17:00")
    assert found["alternatives"][0].startswith("2026-11-23T09:00")


async def test_appointments_are_told_at_the_readers_time(desk: Desk) -> None:
    await book(desk, "2026-11-17T15:00:00+00:00", zone="UTC")
    there = await call(desk, "find_appointments", zone="America/New_York", request="what do I have tomorrow?")
    assert "10:00–11:00" in there["summary"]["en"]
    busy = await call(desk, "check_availability", zone="America/New_York", request="am I free tomorrow at 10?")
    assert "10:00–11:00" in busy["summary"]["en"]
    assert "15:00" not in busy["summary"]["en"]


async def test_another_time_for_what_was_not_booked_is_booked_then(desk: Desk) -> None:
    """A booking that was not approved is no appointment to move."""
    request = "book a call with Pedro tomorrow at 5pm ▸ make it 18:00"
    found = await call(desk, "check_availability", request=request, kind="move")
    assert (found["next_tool"], found["start"]) == ("create_appointment", "2026-11-17T18:00:00+01:00")
    await call(desk, "create_appointment", title="Call with Pedro", start="2026-11-17T17:00:00+01:00")
    found = await call(desk, "check_availability", request=request, kind="move")
    assert (found["next_tool"], found["start"]) == ("move_appointment", "2026-11-17T18:00:00+01:00")


@pytest.mark.parametrize(
    "request_text",
    ["don't cancel anything, just tell me what I have tomorrow", "no canceles nada, solo dime qué tengo mañana"],
)
async def test_what_must_not_be_done_names_no_appointment(desk: Desk, request_text: str) -> None:
    await book(desk)
    found = await call(desk, "find_appointments", request=request_text)
    assert [each["title"] for each in found["appointments"]] == ["Cita con Ana"]


async def test_an_hour_that_something_is_moved_to_needs_no_more_words(desk: Desk) -> None:
    await book(desk)
    found = await call(desk, "check_availability", request="bring the meeting with Ana forward to 9", kind="move")
    assert (found["next_tool"], found["start"]) == ("move_appointment", "2026-11-17T09:00:00+01:00")
