"""The deterministic steps of the pipeline: temporal, geo, validation, availability. Each takes a draft further.

Time arrives as a parameter; only availability looks at the calendar.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.models import (
    DEFAULT_MINUTES,
    MAX_MINUTES,
    Appointment,
    Draft,
    Outcome,
    ParsedRequest,
    RequestKind,
    TimeSlot,
)
from batuta.agents.appointments.parsing import kind_of
from batuta.agents.appointments.when import (
    days_beside,
    is_weekday,
    other_day,
    resolve_date,
    resolve_repeats,
    resolve_soon,
    resolve_span,
    resolve_time,
    settle,
)
from batuta.language.calendar_math import monday_of
from batuta.language.folding import fold, nearest, stem, stems_of, words_of
from batuta.language.lexicon import WEEKDAY
from batuta.language.places import find_clocks, find_zones
from batuta.language.recurrences import find_recurrences
from batuta.language.times import HourRange, find_day_parts

OPENS, CLOSES = time(9), time(18)
STEP = timedelta(minutes=30)
MAX_ALTERNATIVES = 3
SEARCHED = timedelta(days=7)
SATURDAY = 5

LAST_HOUR = 21
_WEEKDAY_AND_NUMBER = re.compile(rf"(?:on\s+|el\s+)?{WEEKDAY}\s+(?:the\s+|el\s+)?(\d{{1,2}})")
_ARTICLE = re.compile(r"^(?:el|la|the|my|mi)\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """From when and where a request is seen."""

    now: datetime
    zone: str

    @property
    def local(self) -> datetime:
        """The time where the user is."""
        return self.now.astimezone(ZoneInfo(self.zone))


def resolve_temporal(parsed: ParsedRequest, moment: Moment, moved: Appointment | None = None) -> Draft:
    """The day and time a request means. What is not said is taken from the appointment that is moved, if one is."""
    return _placed(Draft(parsed=parsed, zone=moment.zone, moved=moved), moment)


def resolve_geo(draft: Draft, moment: Moment) -> Draft:
    """A place in another time zone: the time that was said is the time there, unless it is said whose time it is."""
    place = draft.parsed.zone_text or draft.parsed.place
    zones = [each.value for each in find_zones(f"en {place}")] if place else []
    zones += [each.value for each in find_clocks(f"10:00 {place}") if each.value] if place else []
    if not zones or zones[0] == draft.zone:
        return draft
    elsewhere = draft.model_copy(update={"zone": zones[0], "slot": None, "day": None, "problems": ()})
    return _placed(elsewhere, moment)


def validate(draft: Draft, moment: Moment) -> Draft:
    """What keeps a draft from being looked up: no time, a time gone by, an implausible length."""
    problems = list(draft.problems)
    minutes = draft.parsed.duration_minutes
    if minutes is not None and not 0 < minutes <= MAX_MINUTES:
        problems.append("duration")
    if draft.slot is not None and draft.slot.start < moment.now:
        problems.append("past")
    if draft.slot is not None and draft.moved is not None:
        stays = (draft.moved.start, draft.moved.end) == (draft.slot.start, draft.slot.end)
        problems += ["unchanged"] if stays else []
    return draft.model_copy(update={"problems": tuple(dict.fromkeys(problems))})


def look_up(draft: Draft, calendar: CalendarFile, moment: Moment) -> Outcome:
    """Whether the slot is free; if not, what is in it and when else would be."""
    if draft.problems and not (
        draft.problems == ("time",) and draft.parsed.intent is RequestKind.QUESTION and draft.day
    ):
        return Outcome(outcome="needs_information", draft=draft, confidence=draft.parsed.confidence)
    if draft.slot is None:
        return _day_overview(draft, calendar, moment)
    conflicts = calendar.conflicts(draft.slot, moved=draft.moved, repeats=draft.repeats)
    if not conflicts:
        return Outcome(outcome="free", draft=draft, confidence=draft.parsed.confidence)
    alternatives = free_slots(draft.slot.start, draft.slot.minutes, calendar, moment)
    return Outcome(
        outcome="conflict_detected",
        draft=draft,
        conflicts=tuple(conflicts),
        alternatives=tuple(alternatives),
        confidence=draft.parsed.confidence,
    )


def free_slots(
    start: datetime, minutes: int, calendar: CalendarFile, moment: Moment, hours: tuple[time, time] = (OPENS, CLOSES)
) -> list[TimeSlot]:
    """The next free slots of a length within some hours, from a moment on; at weekends only if that is one's."""
    busy = calendar.between(start, start + SEARCHED)
    found: list[TimeSlot] = []
    for number in range(SEARCHED // STEP):
        slot = TimeSlot.of(start + STEP * number, minutes)
        is_free = not any(each.overlaps(slot) for each in busy)
        is_working_day = slot.start.weekday() < SATURDAY or slot.start.date() == start.date()
        if is_free and is_working_day and slot.start >= moment.now and _is_within(slot, hours):
            found.append(slot)
        if len(found) == MAX_ALTERNATIVES:
            break
    return found


def _is_within(slot: TimeSlot, hours: tuple[time, time]) -> bool:
    """Whether a slot lies within some hours of one day: after midnight it ends early only by the clock."""
    return slot.start.date() == slot.end.date() and slot.start.time() >= hours[0] and slot.end.time() <= hours[1]


def _hours_meant(parsed: ParsedRequest) -> tuple[time, time]:
    """The hours of the part of the day that is named, from the office's first on; else those of the office."""
    parts = find_day_parts(parsed.part_text) if parsed.part_text else []
    if not parts:
        return OPENS, CLOSES
    first, last = parts[0].value.start, parts[0].value.end
    return max(first, OPENS), last


def matching(parsed: ParsedRequest, calendar: CalendarFile, moment: Moment) -> list[Appointment]:
    """The coming appointments a request may mean: those that name its contact, or are of its kind, else all.

    Several with one contact differ by their kind and by other words: a lunch with Ana is not the meeting.
    """
    named = (window_of(words, moment) for words in (parsed.date_text, parsed.from_date_text) if words)
    coming = calendar.coming(moment.now, asked=[window for window in named if window is not None])
    kind = kind_of(parsed.contact or "")
    if parsed.contact and kind is None:
        wanted = _ARTICLE.sub("", fold(parsed.contact))
        coming = [each for each in coming if wanted in fold(f"{each.title} {each.contact or ''}")]
    if parsed.owner:
        coming = [each for each in coming if stem(fold(parsed.owner)) in stems_of(f"{each.title} {each.contact or ''}")]
    kind = kind_of(parsed.title) if kind is None else kind  # an appointment with the dentist is one of that kind
    of_kind = [each for each in coming if kind is not None and kind_of(each.title) == kind]
    if parsed.intent not in (RequestKind.RESCHEDULING, RequestKind.CANCELLATION):
        is_other = bool(kind) and not parsed.contact  # "when is the vet?" is no call; what has no kind may be it
        return of_kind or [each for each in coming if not is_other or kind_of(each.title) is None]
    found = of_kind or ([] if kind else coming)  # "cancel the lunch" means no call; a meeting may be any of them
    by_name = [each for each in found if frozenset(map(stem, parsed.named)) & stems_of(each.title)]
    if not by_name and not parsed.contact and kind is None:
        titles = {word for each in found for word in words_of(each.title)}
        meant = frozenset(stem(near) for word in parsed.named if (near := nearest(word, titles)))
        by_name = [each for each in found if meant & stems_of(each.title)]
    if parsed.named and not by_name and not parsed.contact and kind is None:
        return []  # "cancel my flight" means no appointment, however few there are
    return by_name or found


def window_of(words: str, moment: Moment) -> TimeSlot | None:
    """The day, week or month that words name."""
    today = moment.local.date()
    day = resolve_date(words, today)
    span = (day, day + timedelta(days=1)) if day else resolve_span(words, today)
    if span is None:
        return None
    start, end = (datetime.combine(each, time(), ZoneInfo(moment.zone)) for each in span)
    return TimeSlot(start=start, end=end)


def coming_again(found: list[Appointment], parsed: ParsedRequest) -> list[Appointment]:
    """Those on the weekdays that a request names: "what do I have on Mondays?"."""
    said = [each.value.weekdays for each in find_recurrences(parsed.repeat_text or "")]
    days = {day for each in said for day in each}
    return [each for each in found if each.start.weekday() in days] if days else found


def in_part_of_day(found: list[Appointment], parsed: ParsedRequest) -> list[Appointment]:
    """Those in the part of the day that a request names: "what do I have tomorrow morning?"."""
    parts = find_day_parts(parsed.part_text or "")
    return [each for each in found if _overlaps(each, parts[0].value)] if parts else found


def _overlaps(appointment: Appointment, part: HourRange) -> bool:
    return appointment.start.time() < part.end and appointment.end.time() > part.start


def at_the_time_said(found: list[Appointment], parsed: ParsedRequest, moment: Moment) -> list[Appointment]:
    """Those on the day and at the time that a request names, as far as it names them."""
    return _at(found, parsed.date_text, parsed.time_text, moment)


def from_the_time_said(found: list[Appointment], parsed: ParsedRequest, moment: Moment) -> list[Appointment]:
    """Of several to move, those on the day and at the time from which a request moves one: "tomorrow's meeting"."""
    return _at(found, parsed.from_date_text, parsed.from_time_text, moment)


def _at(found: list[Appointment], date_text: str | None, time_text: str | None, moment: Moment) -> list[Appointment]:
    today = moment.local.date()
    days = {resolve_date(date_text, today), other_day(date_text, today)} - {None} if date_text else set()
    spoken = resolve_time(time_text) if time_text else None
    soon = resolve_soon(time_text, moment.now) if time_text else None
    local = [(each, each.start.astimezone(ZoneInfo(moment.zone))) for each in found]
    return [
        each
        for each, start in local
        if (not days or start.date() in days)
        and (spoken is None or start.time() == spoken[0])
        and (soon is None or abs(start - soon) <= STEP)
    ]


def not_understood(parsed: ParsedRequest, moment: datetime) -> tuple[str, ...]:
    """What a request says of day and time that means none, or not one: to be asked about."""
    problems = []
    soon = resolve_soon(parsed.time_text, moment) if parsed.time_text else None
    day = resolve_date(parsed.date_text, moment.date()) if parsed.date_text else None
    if parsed.date_text and (day is None or (soon and soon.date() != day) or _may_be_an_hour(parsed, day, moment)):
        problems.append("repeats" if find_recurrences(parsed.date_text) else "date")
    if parsed.time_text and soon is None and resolve_time(parsed.time_text) is None:
        problems.append("no_such_time")
    if parsed.unread and not problems:
        problems.append("unread")
    return tuple(problems)


def _may_be_an_hour(parsed: ParsedRequest, day: date, moment: datetime) -> bool:
    """Whether the number after a weekday may be its hour: "Friday 11", where no time is said and the 11th is far."""
    number = _WEEKDAY_AND_NUMBER.fullmatch(fold(parsed.date_text or ""))
    is_hour = number is not None and OPENS.hour <= int(number[1]) <= LAST_HOUR
    return is_hour and parsed.time_text is None and day - moment.date() > timedelta(days=7)


def _placed(draft: Draft, moment: Moment) -> Draft:
    parsed, zone = draft.parsed, ZoneInfo(draft.zone)
    now = moment.now.astimezone(zone)
    today = now.date()
    problems = not_understood(parsed, now)
    if problems:
        return draft.model_copy(update={"problems": problems})
    soon = resolve_soon(parsed.time_text, moment.now) if parsed.time_text else None
    if soon is not None:
        return draft.model_copy(update={"slot": TimeSlot.of(soon.astimezone(zone), _minutes(draft)), "notes": ()})
    spoken = resolve_time(parsed.time_text) if parsed.time_text else None
    day = resolve_date(parsed.date_text, today) if parsed.date_text else None
    beside = days_beside(parsed.date_text) if parsed.date_text and draft.moved else None
    if draft.moved and beside is not None:
        day = draft.moved.start.astimezone(zone).date() + timedelta(days=beside)
    if parsed.repeat_text and draft.moved is None:
        return _placed_again_and_again(draft, parsed.repeat_text, day, spoken, moment)
    if day and draft.moved and is_weekday(parsed.date_text or ""):
        before = draft.moved.start.astimezone(zone)
        own = _in_week_of(before.date(), day)
        is_over = datetime.combine(day, spoken[0] if spoken else before.time(), zone) <= moment.now
        if is_over and own > today:
            day = own  # said on a Thursday evening, "Thursday at the same time" cannot be today
        elif own not in (day, before.date()) and own > today:
            both = tuple(datetime.combine(each, time(12), zone) for each in sorted((day, own)))
            return draft.model_copy(update={"problems": ("which_week",), "days": both})
    is_changed = day or spoken or (parsed.duration_minutes and not parsed.shift_minutes)
    kept = draft.moved.start.astimezone(zone) if draft.moved and is_changed else None
    if draft.moved and parsed.shift_minutes and not (day or spoken):
        shifted = draft.moved.start.astimezone(zone) + timedelta(minutes=parsed.shift_minutes)
        return draft.model_copy(update={"slot": TimeSlot.of(shifted, _minutes(draft)), "notes": ()})
    wanted = spoken[0] if spoken else kept.time() if kept else None
    if wanted is None:
        other = other_day(parsed.date_text, today) if parsed.date_text else None
        days = {"day": _noon(day, zone), "other_day": _noon(other, zone)}
        return draft.model_copy(update={"problems": ("time",), **days})
    if day is None and not kept and parsed.named:
        return draft.model_copy(update={"problems": ("date",)})  # one of the words may have been meant as the day
    if day is None:
        day = kept.date() if kept else today
        if not kept and datetime.combine(day, wanted, zone) <= moment.now:
            day += timedelta(days=1)
    if spoken and spoken[0] == time(0) and day != today and not re.search(r"\d", parsed.time_text or ""):
        both = (datetime.combine(day, time(12), zone), datetime.combine(day + timedelta(days=1), time(12), zone))
        return draft.model_copy(update={"problems": ("which_midnight",), "days": both})
    is_over = day == today and datetime.combine(day, wanted, zone) <= moment.now
    if is_over and parsed.date_text and is_weekday(parsed.date_text):
        day += timedelta(days=7)
    start, shift = settle(day, wanted, zone)
    notes = [note for note in (shift, "afternoon" if spoken and spoken[1] else None) if note]
    other = _noon(other_day(parsed.date_text, today) if parsed.date_text else None, zone)
    slot = TimeSlot.of(start, _minutes(draft))
    return draft.model_copy(update={"slot": slot, "notes": tuple(notes), "other_day": other})


def _noon(day: date | None, zone: ZoneInfo) -> datetime | None:
    return datetime.combine(day, time(12), zone) if day else None


def _placed_again_and_again(
    draft: Draft, words: str, day: date | None, spoken: tuple[time, bool] | None, moment: Moment
) -> Draft:
    """The first of a series and its rule."""
    zone = ZoneInfo(draft.zone)
    said = resolve_repeats(words, moment.now.astimezone(zone).date())
    if said is None:
        return draft.model_copy(update={"problems": ("repeats",)})
    recurrence, bounds = said
    from_day = day or bounds.first
    if spoken is None:
        return draft.model_copy(update={"problems": ("time",)})
    if from_day is None and not recurrence.names_its_days:
        return draft.model_copy(update={"problems": ("first_day",)})
    now = moment.now.astimezone(zone)
    earliest = now.date() if now.time() < spoken[0] else now.date() + timedelta(days=1)
    start, shift = settle(recurrence.first_from(max(from_day or earliest, earliest)), spoken[0], zone)
    limited = bounds.limit(recurrence, start.date())
    if limited.until is not None and limited.until < start.date():
        return draft.model_copy(update={"problems": ("ends_before",)})
    notes = [note for note in (shift, "afternoon" if spoken[1] else None) if note]
    slot = TimeSlot.of(start, _minutes(draft))
    return draft.model_copy(update={"slot": slot, "repeats": limited.rule(zone), "notes": tuple(notes)})


def _in_week_of(week: date, day: date) -> date:
    """The same weekday in the week of another day: "to Thursday" may mean that of the appointment's own week."""
    return monday_of(week) + timedelta(days=day.weekday())


def _minutes(draft: Draft) -> int:
    kept = draft.moved.minutes if draft.moved else DEFAULT_MINUTES
    return min(max(draft.parsed.duration_minutes or kept, 1), MAX_MINUTES)


def _day_overview(draft: Draft, calendar: CalendarFile, moment: Moment) -> Outcome:
    assert draft.day is not None
    hours = _hours_meant(draft.parsed)
    opening, closing = (datetime.combine(draft.day.date(), each, draft.day.tzinfo) for each in hours)
    busy = calendar.between(opening, closing)
    slots = free_slots(opening, _minutes(draft), calendar, moment, hours)
    slots = [slot for slot in slots if slot.start < closing]
    return Outcome(outcome="free", draft=draft, conflicts=tuple(busy), alternatives=tuple(slots))
