"""What the appointment agent says, English and Spanish: sentences from outcomes, and previews for approvals."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from batuta.agents.appointments.models import Appointment, Language, Outcome, TimeSlot
from batuta.language.lexicon import WEEKDAY_NAMES
from batuta.language.recurrences import DAY_CODES
from batuta.language.wording import date_in_words, day_in_words

LANGUAGES: tuple[Language, ...] = ("en", "es")

SENTENCES: dict[str, dict[Language, str]] = {
    "free": {"en": "{slot} is free.", "es": "{slot}: está libre."},
    "created": {"en": "Booked: {title}, {slot}.", "es": "Reservado: {title}, {slot}."},
    "moved": {
        "en": "Moved: {title} is now on {slot} (before: {before}).",
        "es": "Cambiado: {title} pasa a {slot} (antes: {before}).",
    },
    "cancelled": {"en": "Cancelled: {title}, {slot}.", "es": "Cancelado: {title}, {slot}."},
    "or_other_day": {"en": " If you mean {day}, say so.", "es": " Si te refieres al {day}, dilo."},
    "not_other_day": {
        "en": "Not {day}? If that is meant, reject this and say so",
        "es": "¿No el {day}? Si es ese, recházalo y dilo",
    },
    "to_cancel": {"en": "To be cancelled: {title}, {slot}.", "es": "Se cancelará: {title}, {slot}."},
    "conflict": {
        "en": "{slot} is taken: {others}.{instead}",
        "es": "{slot} está ocupado: {others}.{instead}",
    },
    "instead": {"en": " Free instead: {slots}.", "es": " Libre en su lugar: {slots}."},
    "overview": {"en": "{day}: {busy} Free: {slots}.", "es": "{day}: {busy} Libre: {slots}."},
    "busy": {"en": "taken: {others}.", "es": "ocupado: {others}."},
    "not_busy": {"en": "nothing is booked.", "es": "no hay nada reservado."},
    "no_slots": {"en": "no time in office hours", "es": "ninguna hora de oficina"},
    "time": {"en": "At what time?", "es": "¿A qué hora?"},
    "date": {
        "en": "I do not understand which day is meant; a date such as 3 December helps. Which day?",
        "es": "No entiendo a qué día te refieres; ayuda una fecha como 3 de diciembre. ¿Qué día?",
    },
    "repeats": {
        "en": "I do not understand how often it is meant; “every Monday until June” helps. Which day?",
        "es": "No entiendo cada cuánto es; ayuda algo como «todos los lunes hasta junio». ¿Qué día?",
    },
    "which_week": {"en": "Which day: {days}?", "es": "¿Qué día: {days}?"},
    "which_midnight": {
        "en": "Is that 0:00 of the first of these days or of the second: {days}? Which day?",
        "es": "¿Son las 0:00 del primero de estos días o del segundo: {days}? ¿Qué día?",
    },
    "first_day": {"en": "From which day on?", "es": "¿Desde qué día?"},
    "ends_before": {
        "en": "It would end before it first takes place. Until when?",
        "es": "Terminaría antes de la primera vez. ¿Hasta cuándo?",
    },
    "unchanged": {
        "en": "It is already there on {slot}. What do you want to change?",
        "es": "Ya está ahí: {slot}. ¿Qué quieres cambiar?",
    },
    "series": {
        "en": "{title} repeats: {repeats}. Only {slot}, or all of them?",
        "es": "{title} se repite: {repeats}. ¿Solo {slot}, o todas?",
    },
    "only_one": {"en": "Only this one of those that repeat", "es": "Solo esta de las que se repiten"},
    "only_all": {"en": "This and all that repeat", "es": "Esta y todas las que se repiten"},
    "with_whom": {"en": "With: {fact}", "es": "Con: {fact}"},
    "place": {"en": "Place: {fact}", "es": "Lugar: {fact}"},
    "repeated": {"en": "Repeats: {fact}", "es": "Se repite: {fact}"},
    "no_such_time": {"en": "There is no such time of day. At what time?", "es": "Esa hora no existe. ¿A qué hora?"},
    "unread": {
        "en": "I do not know what “{unread}” means here. Which day and time do you want?",
        "es": "No sé qué significa aquí «{unread}». ¿Qué día y a qué hora?",
    },
    "past": {"en": "{slot} has gone by.", "es": "{slot} ya ha pasado."},
    "duration": {
        "en": "An appointment takes between one minute and twelve hours.",
        "es": "Una cita dura entre un minuto y doce horas.",
    },
    "not_found": {
        "en": "I find no coming appointment that this could mean.",
        "es": "No encuentro ninguna cita próxima a la que se refiera.",
    },
    "not_found_with": {
        "en": "I find no coming appointment with {contact}.",
        "es": "No encuentro ninguna cita próxima con {contact}.",
    },
    "choices": {"en": "Which one is meant? {others}.", "es": "¿Cuál de ellas? {others}."},
    "listed": {"en": "Your appointments:\n{lines}", "es": "Tus citas:\n{lines}"},
    "none": {"en": "There are no appointments.", "es": "No hay citas."},
    "none_on": {"en": "There are no appointments on {day}.", "es": "No hay citas el {day}."},
    "afternoon": {"en": " I took the time for the afternoon.", "es": " He entendido que es por la tarde."},
    "skipped": {
        "en": " The clocks skip that time, so it is the next one there is.",
        "es": " El reloj se salta esa hora, así que es la siguiente.",
    },
    "doubled": {
        "en": " The clocks have that time twice; the first is meant.",
        "es": " El reloj repite esa hora; es la primera.",
    },
}

_OR: dict[Language, str] = {"en": " or ", "es": " o "}
_REPEATS: dict[Language, dict[str, Any]] = {
    "en": {
        "every": "every",
        "units": {
            "DAILY": ("day", "days"),
            "WEEKLY": ("week", "weeks"),
            "MONTHLY": ("month", "months"),
            "YEARLY": ("year", "years"),
        },
        "on": "on", "and": " and ", "monthday": "on day {}", "times": "{} times", "until": "until",
        "places": {"1": "the first", "2": "the second", "3": "the third", "4": "the fourth", "-1": "the last"},
    },
    "es": {
        "every": "cada",
        "units": {
            "DAILY": ("día", "días"),
            "WEEKLY": ("semana", "semanas"),
            "MONTHLY": ("mes", "meses"),
            "YEARLY": ("año", "años"),
        },
        "on": "", "and": " y ", "monthday": "el día {}", "times": "{} veces", "until": "hasta el",
        "places": {"1": "el primer", "2": "el segundo", "3": "el tercer", "4": "el cuarto", "-1": "el último"},
    },
}  # fmt: skip


def in_both(name: str, **facts: dict[Language, str]) -> dict[str, str]:
    """A sentence in both languages; each fact comes in both."""
    words = {language: {key: value[language] for key, value in facts.items()} for language in LANGUAGES}
    return {language: SENTENCES[name][language].format(**words[language]) for language in LANGUAGES}


def summary_of(outcome: Outcome) -> dict[str, str]:
    """What came of a request, in both languages."""
    draft = outcome.draft
    slot = both(lambda language: slot_in_words(draft.slot, language) if draft.slot else "")
    other = _or_other_day(draft.other_day)
    if outcome.outcome == "conflict_detected":
        instead = _instead(outcome.alternatives)
        return _joined(in_both("conflict", slot=slot, others=named(outcome.conflicts), instead=instead), other)
    if outcome.choices:
        return in_both("choices", others=named(outcome.choices))
    if outcome.outcome == "not_found":
        contact = draft.parsed.contact
        return in_both("not_found_with", contact=_same(contact)) if contact else in_both("not_found")
    if outcome.outcome == "needs_information":
        problem = draft.problems[0]
        facts = {"past": {"slot": slot}, "unread": {"unread": _same(", ".join(draft.parsed.unread))}}
        days = both(lambda language: _OR[language].join(day_in_words(day, language) for day in draft.days))
        facts |= {
            "which_week": {"days": days},
            "which_midnight": {"days": days},
            "unchanged": {"slot": slot},
            "series": _series(draft.moved) if draft.moved else {},
        }
        return in_both(problem, **facts.get(problem, {}))
    if draft.moved is not None and draft.slot is None:
        moved_slot = both(lambda language: slot_in_words(draft.moved, language) if draft.moved else "")
        return in_both("to_cancel", title=_same(draft.moved.title), slot=moved_slot)
    if draft.slot is None:
        return _joined(_overview(outcome), other)
    notes = both(lambda language: "".join(SENTENCES[note][language] for note in draft.notes))
    return _joined(in_both("free", slot=slot), _again(draft.repeats), notes, other)


def created(appointment: Appointment) -> dict[str, str]:
    """That an appointment has been made."""
    again = _again(appointment.repeats)
    return in_both(
        "created",
        title=_same(appointment.title),
        slot=both(lambda lang: slot_in_words(appointment, lang) + again[lang].rstrip(".").replace(" ", ", ", 1)),
    )


def moved(appointment: Appointment, before: datetime) -> dict[str, str]:
    """That an appointment has another time."""
    return in_both(
        "moved",
        title=_same(appointment.title),
        slot=both(lambda language: slot_in_words(appointment, language)),
        before=both(lambda language: f"{day_in_words(before, language)}, {before:%H:%M}"),
    )


def cancelled(appointment: Appointment) -> dict[str, str]:
    """That an appointment takes place no more."""
    slot = both(lambda language: slot_in_words(appointment, language))
    return in_both("cancelled", title=_same(appointment.title), slot=slot)


def taken(slot: TimeSlot, others: Iterable[Appointment]) -> dict[str, str]:
    """That a slot is no longer free."""
    words = both(lambda language: slot_in_words(slot, language))
    return in_both("conflict", slot=words, others=named(others), instead=_same(""))


def _or_other_day(day: date | None) -> dict[Language, str]:
    """That another day may be meant: nothing where none may."""
    return both(
        lambda language: SENTENCES["or_other_day"][language].format(day=day_in_words(day, language)) if day else ""
    )


def not_other_day(day: date, language: Language) -> str:
    """The same, on the card of what is about to be written."""
    return SENTENCES["not_other_day"][language].format(day=day_in_words(day, language))


def listed(
    appointments: list[Appointment], empty_day: date | None = None, other_day: date | None = None
) -> dict[str, str]:
    """Appointments, one a line, or on which day there are none; and the other day that may be meant."""
    other = _or_other_day(other_day)
    if not appointments and empty_day is not None:
        return _joined(in_both("none_on", day=both(lambda language: day_in_words(empty_day, language))), other)
    if not appointments:
        return _joined(in_both("none"), other)
    other = both(lambda language: other[language].replace(" ", "\n", 1))
    lines = both(lambda lang: "\n".join(f"- {slot_in_words(each, lang)}: {each.title}" for each in appointments))
    return _joined(in_both("listed", lines=lines), other)


def named(appointments: Iterable[Appointment]) -> dict[Language, str]:
    """Appointments in one line."""
    all_of_them = list(appointments)
    return both(lambda lang: "; ".join(f"{each.title} ({slot_in_words(each, lang)})" for each in all_of_them))


def slot_in_words(slot: TimeSlot, language: Language) -> str:
    """`Monday, 16 November 2026, 10:00–11:00`."""
    return f"{day_in_words(slot.start, language)}, {slot.start:%H:%M}–{slot.end:%H:%M}"


def repeats_in_words(rule: str, language: Language) -> str:
    """A recurrence rule of iCalendar: `every 2 weeks, on Friday, until 31 January 2027`."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    words = _REPEATS[language]
    one, several = words["units"].get(parts.get("FREQ", ""), (parts.get("FREQ", ""),) * 2)
    every = int(parts.get("INTERVAL", "1"))
    said = [f"{words['every']} {one}" if every == 1 else f"{words['every']} {every} {several}"]
    codes = re.findall(r"([+-]?\d*)([A-Z]{2})", parts.get("BYDAY", ""))
    days = [WEEKDAY_NAMES[language][DAY_CODES.index(code)] for _, code in codes if code in DAY_CODES]
    places = [words["places"].get(place, place) for place, _ in codes]
    named = [f"{place} {day}".strip() for place, day in zip(places, days, strict=False)]
    said += [f"{words['on']} {words['and'].join(named)}".strip()] if named else []
    said += [words["monthday"].format(parts["BYMONTHDAY"])] if "BYMONTHDAY" in parts else []
    said += [words["times"].format(parts["COUNT"])] if "COUNT" in parts else []
    if "UNTIL" in parts:
        last = datetime.strptime(parts["UNTIL"][:8], "%Y%m%d").replace(tzinfo=UTC)
        said.append(f"{words['until']} {date_in_words(last, language)}")
    return ", ".join(said)


def both(say: Callable[[Language], str]) -> dict[Language, str]:
    """What a function says in each language."""
    return {language: say(language) for language in LANGUAGES}


def _overview(outcome: Outcome) -> dict[str, str]:
    day = outcome.draft.day
    assert day is not None
    busy = in_both("busy", others=named(outcome.conflicts)) if outcome.conflicts else in_both("not_busy")
    slots = _slots(outcome.alternatives) if outcome.alternatives else SENTENCES["no_slots"]
    words: dict[Language, str] = {"en": busy["en"], "es": busy["es"]}
    return in_both("overview", day=both(lambda language: day_in_words(day, language)), busy=words, slots=slots)


def _again(rule: str | None) -> dict[Language, str]:
    return both(lambda language: f" {repeats_in_words(rule, language)}." if rule else "")


def _series(appointment: Appointment) -> dict[str, dict[Language, str]]:
    return {
        "title": _same(appointment.title),
        "slot": both(lambda language: slot_in_words(appointment, language)),
        "repeats": both(lambda language: repeats_in_words(appointment.repeats or "", language)),
    }


def _instead(slots: tuple[TimeSlot, ...]) -> dict[Language, str]:
    if not slots:
        return _same("")
    found = in_both("instead", slots=_slots(slots))
    return {"en": found["en"], "es": found["es"]}


def _slots(slots: tuple[TimeSlot, ...]) -> dict[Language, str]:
    """The day is said where it changes."""
    days = [slot.start.date() for slot in slots]
    is_new = [index == 0 or days[index] != days[index - 1] for index in range(len(slots))]
    hours = [f"{slot.start:%H:%M}–{slot.end:%H:%M}" for slot in slots]
    return both(
        lambda language: "; ".join(
            slot_in_words(slot, language) if new else time for slot, new, time in zip(slots, is_new, hours, strict=True)
        )
    )


def _joined(*sentences: Mapping[Any, str]) -> dict[str, str]:
    return {language: "".join(each[language] for each in sentences) for language in LANGUAGES}


def _same(text: str) -> dict[Language, str]:
    return dict.fromkeys(LANGUAGES, text)
