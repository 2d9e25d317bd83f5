"""The tools of the appointment agent: two that read, three that write after an approval."""

import asyncio
import re
from datetime import date, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from batuta.agents.appointments import wording
from batuta.agents.appointments.calendar_file import CalendarFile, SlotTakenError, starts_of, uid_for
from batuta.agents.appointments.desk import Desk, assess
from batuta.agents.appointments.models import (
    DEFAULT_MINUTES,
    MAX_MINUTES,
    Appointment,
    Language,
    Outcome,
    RequestKind,
    TimeSlot,
)
from batuta.agents.appointments.parsing import kind_of, parse_as, parse_request
from batuta.agents.appointments.resolving import coming_again, in_part_of_day, matching, not_understood, window_of
from batuta.agents.appointments.when import other_day, resolve_date
from batuta.kernel.errors import ToolFailedError
from batuta.language.detection import detect_language
from batuta.language.folding import fold
from batuta.language.stance import without_forbidden
from batuta.language.wording import day_in_words
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext
from batuta.tools.tool import Tool, tool

MAX_LISTED = 30
NEXT_TOOLS = {
    RequestKind.CREATION: "create_appointment",
    RequestKind.RESCHEDULING: "move_appointment",
    RequestKind.CANCELLATION: "cancel_appointment",
}

_ONLY_NEXT = re.compile(
    r"\b(?:next|proxim[oa]|siguiente)\s+(?:appointment|meeting|call|event|engagement|thing|cita|reunion|llamada|compromiso|evento|cosa)\b"
    r"|\b(?:what|who|que)(?:'s|\s+is|\s+es|\s+toca)?\s+(?:my\s+|lo\s+)?(?:next|siguiente|proximo)\W*$"
)
"""What asks for one appointment alone, folded: "what's my next meeting?"."""
_A_RULE = re.compile(r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[A-Z0-9,+-]+)*$")
Minutes = Annotated[int, Field(ge=1, le=MAX_MINUTES)]


def appointment_tools(desk: Desk) -> tuple[Tool, ...]:
    """`check_availability`, `find_appointments`, `create_appointment`, `move_appointment`, `cancel_appointment`.

    Those that read come first: of tools that fit alike, the built-in model takes the first.
    """
    return _check_tool(desk), _find_tool(desk), create_tool(desk), move_tool(desk), cancel_tool(desk)


def checked(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a model reads it. Only what can be done now has a `start` and a `next_tool`."""
    draft = outcome.draft
    facts: dict[str, Any] = {"outcome": outcome.outcome, "summary": wording.summary_of(outcome)}
    facts["conflicts"] = [_shown(each) for each in outcome.conflicts]
    facts["alternatives"] = [slot.start.isoformat() for slot in outcome.alternatives]
    if draft.parsed.intent is RequestKind.CANCELLATION and draft.moved is not None and outcome.outcome == "free":
        there = {"uid": draft.moved.uid, "title": draft.moved.title, "start": draft.moved.start.isoformat()}
        if draft.moved.repeats:
            there["which"] = "all" if draft.parsed.is_several else "one"
        return facts | there | {"outcome": "found", "next_tool": NEXT_TOOLS[RequestKind.CANCELLATION]}
    if outcome.outcome != "free" or draft.slot is None:
        return facts
    facts |= {"start": draft.slot.start.isoformat(), "duration_minutes": draft.slot.minutes}
    facts |= {"other_day": draft.other_day.date().isoformat()} if draft.other_day else {}
    if draft.moved is not None:
        facts |= {"uid": draft.moved.uid, "title": draft.moved.title, "previous_start": draft.moved.start.isoformat()}
    else:
        facts |= {"title": draft.parsed.title, "with_whom": draft.parsed.contact, "place": draft.parsed.place}
        facts |= {"repeats": draft.repeats} if draft.repeats else {}
    return facts | {"next_tool": NEXT_TOOLS.get(draft.parsed.intent)}


def _find_tool(desk: Desk) -> Tool:
    @tool(kind="retrieval")
    async def find_appointments(request: str, context: ToolContext) -> dict[str, Any]:
        """List the user's coming appointments, such as "what meetings do I have today?" or "show my calendar".

        Args:
            request: Which ones, in the user's own words: a day, a week, a month, a person.
            context: The call.
        """
        return await asyncio.to_thread(_found, desk, request, context)

    return find_appointments


def _check_tool(desk: Desk) -> Tool:
    @tool(kind="retrieval")
    async def check_availability(
        request: str, context: ToolContext, kind: Literal["create", "move", "cancel", "question"] | None = None
    ) -> dict[str, Any]:
        """Find out what day and time a request means and whether it is free, such as "am I free on Friday at 3pm?".

        Call it before an appointment is created, moved or cancelled; then call the tool that `next_tool` names, with
        its values.

        Args:
            request: The whole request in the user's own words.
            context: The call.
            kind: What is wanted, where it is clear.
        """
        calendar = desk.calendar(context.user.id, context.services)
        outcome = await asyncio.to_thread(assess, parse_as(request, kind), calendar, desk.moment(context.services))
        context.enrich(outcome=outcome.outcome)
        return checked(outcome)

    return check_availability


def create_tool(desk: Desk) -> Tool:
    """The tool that writes a new appointment."""

    async def made(args: dict[str, Any], context: ToolContext) -> Any:
        calendar = desk.calendar(context.user.id, context.services)
        there = await asyncio.to_thread(calendar.find, uid_for(context.idempotency_key))
        return None if there is None else _created(there)

    @tool(effect="write", kind="side_effect", approval="always", preview=_creation_preview, reconcile=made)
    async def create_appointment(
        title: str,
        start: datetime,
        context: ToolContext,
        duration_minutes: Minutes = DEFAULT_MINUTES,
        with_whom: str | None = None,
        place: str | None = None,
        repeats: str | None = None,
        other_day: date | None = None,
    ) -> dict[str, Any]:
        """Create an appointment in the user's calendar, such as "cita mañana 10am con Dr. Pérez".

        Or "book a meeting today at 6pm".

        Args:
            title: What it is called, as `check_availability` gives it.
            start: When it begins, as `check_availability` gives it.
            context: The call.
            duration_minutes: How long it takes.
            with_whom: The person it is with.
            place: Where it is.
            repeats: How it comes again, as `check_availability` gives it: a recurrence rule of iCalendar.
            other_day: The day the words may mean instead, as `check_availability` gives it; only shown for approval.
        """
        slot = TimeSlot.of(_zoned(start, desk, context), duration_minutes)
        wanted = Appointment(
            uid=uid_for(context.idempotency_key), title=title, start=slot.start, end=slot.end, place=place,
            contact=with_whom, repeats=_known_rule(repeats, slot.start),
        )  # fmt: skip
        return await asyncio.to_thread(_book, desk.calendar(context.user.id, context.services), wanted)

    return create_appointment


def move_tool(desk: Desk) -> Tool:
    """The tool that gives an appointment another time."""

    async def done(args: dict[str, Any], context: ToolContext) -> Any:
        calendar = desk.calendar(context.user.id, context.services)
        there = await asyncio.to_thread(calendar.moved_by, args["uid"], context.idempotency_key)
        return None if there is None else _moved(there, _zoned(args["previous_start"], desk, context))

    @tool(effect="write", kind="side_effect", approval="always", preview=_move_preview, reconcile=done)
    async def move_appointment(
        uid: str,
        title: str,
        previous_start: datetime,
        start: datetime,
        context: ToolContext,
        duration_minutes: Minutes = DEFAULT_MINUTES,
        other_day: date | None = None,
    ) -> dict[str, Any]:
        """Move an appointment to another time, such as "move my meeting with Ana to Friday 3pm" or "mueve la reunión".

        Args:
            uid: The id of the appointment, as `check_availability` gives it.
            title: What it is called, as `check_availability` gives it.
            previous_start: When it began so far, as `check_availability` gives it.
            start: When it begins from now on, as `check_availability` gives it.
            context: The call.
            duration_minutes: How long it takes.
            other_day: The day the words may mean instead, as `check_availability` gives it; only shown for approval.
        """
        slot = TimeSlot.of(_zoned(start, desk, context), duration_minutes)
        calendar = desk.calendar(context.user.id, context.services)
        before = _zoned(previous_start, desk, context)
        return await asyncio.to_thread(_shift, calendar, uid, slot, before, context.idempotency_key)

    return move_appointment


def cancel_tool(desk: Desk) -> Tool:
    """The tool that takes an appointment out of the calendar."""

    async def done(args: dict[str, Any], context: ToolContext) -> Any:
        calendar = desk.calendar(context.user.id, context.services)
        only = _only(args.get("which"), args.get("start"), desk, context)
        there = await asyncio.to_thread(calendar.cancelled_by, args["uid"], context.idempotency_key, only=only)
        return None if there is None else _cancelled(there)

    @tool(effect="write", kind="side_effect", approval="always", preview=_cancellation_preview, reconcile=done)
    async def cancel_appointment(
        uid: str, title: str, start: datetime, context: ToolContext, which: Literal["one", "all"] = "all"
    ) -> dict[str, Any]:
        """Cancel an appointment, such as "cancel my meeting with Ana" or "anula la cita con Dr. Pérez".

        Args:
            uid: The id of the appointment, as `check_availability` gives it.
            title: What it is called, as `check_availability` gives it.
            start: When it begins, as `check_availability` gives it.
            context: The call.
            which: Of one that repeats, only that of `start` or all of them.
        """
        calendar = desk.calendar(context.user.id, context.services)
        only = _only(which, start, desk, context)
        return await asyncio.to_thread(_cancel, calendar, uid, context.idempotency_key, only)

    return cancel_appointment


def _found(desk: Desk, request: str, context: ToolContext) -> dict[str, Any]:
    moment, calendar = desk.moment(context.services), desk.calendar(context.user.id, context.services)
    parsed = parse_request(without_forbidden(request))
    found = matching(parsed, calendar, moment)
    window = window_of(parsed.date_text, moment) if parsed.date_text else None
    if parsed.date_text and window is None:
        return {"appointments": [], "summary": wording.in_both("date")}
    if "no_such_time" in not_understood(parsed, moment.local):
        return {"appointments": [], "summary": wording.in_both("no_such_time")}
    if window is not None:
        found = [each for each in found if each.overlaps(window)]
    found = in_part_of_day(coming_again(found, parsed), parsed)[: 1 if _ONLY_NEXT.search(fold(request)) else MAX_LISTED]
    today = moment.local.date()
    day, other = (read(parsed.date_text, today) if parsed.date_text else None for read in (resolve_date, other_day))
    is_empty = window is not None and not calendar.between(window.start, window.end)
    is_none_such = not found and window is None and kind_of(parsed.title) is not None
    summary = wording.in_both("not_found") if is_none_such else wording.listed(found, day if is_empty else None, other)
    return {"appointments": [_shown(each) for each in found], "summary": _readers_first(summary, context)}


def _readers_first(summary: dict[str, str], context: ToolContext) -> dict[str, str]:
    """The reader's language comes first: it is used where a request is in none, such as "agenda"."""
    spoken = str(context.services.get(LANGUAGE_SERVICE))
    return {spoken: summary[spoken], **summary} if spoken in summary else summary


def _book(calendar: CalendarFile, wanted: Appointment) -> dict[str, Any]:
    try:
        return _created(calendar.add(wanted))
    except SlotTakenError as taken:
        return _refused(wanted, taken.conflicts)


def _shift(calendar: CalendarFile, uid: str, slot: TimeSlot, before: datetime, key: str) -> dict[str, Any]:
    try:
        there = calendar.move(uid, slot, key, before=before)
    except SlotTakenError as taken:
        return _refused(slot, taken.conflicts)
    if there is None:
        raise ToolFailedError(f"there is no appointment {uid[:64]!r}; look it up with check_availability")
    return _moved(there, before)


def _cancel(calendar: CalendarFile, uid: str, key: str, only: datetime | None) -> dict[str, Any]:
    there = calendar.cancel(uid, key, only=only)
    if there is None:
        raise ToolFailedError(f"there is no appointment {uid[:64]!r}; look it up with check_availability")
    return _cancelled(there)


def _created(appointment: Appointment) -> dict[str, Any]:
    return {"outcome": "appointment_created", **_shown(appointment), "summary": wording.created(appointment)}


def _moved(appointment: Appointment, before: datetime) -> dict[str, Any]:
    return {"outcome": "appointment_moved", **_shown(appointment), "summary": wording.moved(appointment, before)}


def _cancelled(appointment: Appointment) -> dict[str, Any]:
    return {"outcome": "appointment_cancelled", **_shown(appointment), "summary": wording.cancelled(appointment)}


def _refused(slot: TimeSlot, conflicts: list[Appointment]) -> dict[str, Any]:
    shown = [_shown(each) for each in conflicts]
    return {"outcome": "conflict_detected", "conflicts": shown, "summary": wording.taken(slot, conflicts)}


def _shown(appointment: Appointment) -> dict[str, Any]:
    return appointment.model_dump(mode="json", exclude_none=True)


def _zoned(moment: datetime, desk: Desk, context: ToolContext) -> datetime:
    """A time in the user's zone; one without a zone is meant there."""
    zone = ZoneInfo(desk.zone(context.services))
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def _only(which: str | None, start: datetime | None, desk: Desk, context: ToolContext) -> datetime | None:
    return _zoned(start, desk, context) if which == "one" and start is not None else None


def _known_rule(rule: str | None, start: datetime) -> str | None:
    """A recurrence rule, once it is one that begins with the appointment itself and comes once a day at most."""
    if not rule:
        return None
    try:
        is_followed = _A_RULE.match(rule) is not None and start in starts_of(rule, start, TimeSlot.of(start, 1))
    except (ValueError, TypeError, KeyError, AttributeError):
        is_followed = False
    if not is_followed:
        raise ToolFailedError(f"{rule[:100]!r} is no recurrence rule for this start; take both from check_availability")
    return rule


def _creation_preview(args: dict[str, Any], context: ToolContext) -> str:
    language = _language(args, context)
    facts = {name: args[name] for name in ("with_whom", "place") if args.get(name)}
    if args.get("repeats"):
        facts["repeated"] = wording.repeats_in_words(args["repeats"], language)
    minutes = args.get("duration_minutes", DEFAULT_MINUTES)
    lines = [str(args["title"]), f"{_when(args['start'], language)}, {minutes} min"]
    lines += [wording.SENTENCES[name][language].format(fact=fact) for name, fact in facts.items()]
    return "\n".join([*lines, *_other_day(args, context)])


def _other_day(args: dict[str, Any], context: ToolContext) -> list[str]:
    other = args.get("other_day")
    return [wording.not_other_day(other, _language(args, context))] if other else []


def _move_preview(args: dict[str, Any], context: ToolContext) -> str:
    language = _language(args, context)
    lines = [str(args["title"]), _when(args["previous_start"], language), f"→ {_when(args['start'], language)}"]
    return "\n".join([*lines, *_other_day(args, context)])


def _cancellation_preview(args: dict[str, Any], context: ToolContext) -> str:
    language = _language(args, context)
    lines = [str(args["title"]), _when(args["start"], language)]
    lines += [wording.SENTENCES[f"only_{args['which']}"][language]] if args.get("which") else []
    return "\n".join(lines)


def _language(args: dict[str, Any], context: ToolContext) -> Language:
    """The reader's language, else the one the appointment is named in."""
    spoken = context.services.get(LANGUAGE_SERVICE)
    return next((known for known in wording.LANGUAGES if known == spoken), detect_language(str(args["title"])))


def _when(moment: datetime, language: Language) -> str:
    """A moment with its distance from UTC, if it says one."""
    offset = f"(UTC{moment.isoformat()[-6:]})" if moment.tzinfo else ""
    return f"{day_in_words(moment, language)}, {moment:%H:%M} {offset}".rstrip()
