"""What a request says, found by rules: English and Spanish, no model. The fallback of the parsing agent, and what the
tools use.
"""

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

from batuta.agents.appointments.models import AmendedRequest, Language, ParsedRequest, RequestKind
from batuta.agents.appointments.when import (
    ANY_DAY,
    DOUBT,
    When,
    is_weekday,
    read_when,
    shifted_day,
    unread_figures,
    week_said,
)
from batuta.language.dates import find_dates
from batuta.language.detection import detect_language
from batuta.language.dialogue import is_yes
from batuta.language.findings import Finding
from batuta.language.folding import aligned, composed, fold
from batuta.language.interpretation import AMENDED_BY
from batuta.language.lexicon import WEEKDAY
from batuta.language.matching import without_pronoun
from batuta.language.names import find_contact
from batuta.language.places import find_clocks, find_zones
from batuta.language.stance import orders_by_verb, stance_of, without_forbidden
from batuta.language.times import find_durations, read_time
from batuta.language.vocabulary import CHANGE_VERBS, STOP_WORDS

CONFIDENCE = 0.65
MAX_CHARS = 1_000
MAX_TITLE_CHARS = 60
NOON = 12
NEAR_MINUTES = 120
"""So far from the time that it corrects one may be that does not say its half of the day."""
MAX_TARGETS = 12
"""How many places of a text may say where something is moved to."""
KINDS: tuple[tuple[str, str], ...] = (
    ("Meeting", "Reunión"), ("Call", "Llamada"), ("Breakfast", "Desayuno"), ("Lunch", "Comida Almuerzo"),
    ("Dinner", "Cena"),
    ("Coffee", "Café"), ("Interview", "Entrevista"), ("Dentist", "Dentista"), ("Doctor", "Médico"), ("Physio", "Fisio"),
    ("Haircut Hairdresser", "Peluquería Peluquero"), ("Checkup Review", "Revisión"), ("Workshop", "Taller"),
    ("Training", "Formación"), ("Demo", "Demo"), ("Vet", "Veterinario Veterinaria"),
    ("Optician", "Oculista"), ("Lawyer", "Abogado Abogada"), ("Notary", "Notario Notaría"),
)  # fmt: skip
"""What an appointment may be, for its title, in English and Spanish."""

KINDS_WANTED = {
    "create": RequestKind.CREATION,
    "move": RequestKind.RESCHEDULING,
    "cancel": RequestKind.CANCELLATION,
    "question": RequestKind.QUESTION,
}

_HALF_SAID = re.compile(r"\b[ap]\.?m\b|\d[ap]\.?m?\b|\b0\d|morning|manana|madrugada|tarde|noche|evening|night|noon")
_HALVES = (
    (re.compile(r"(?:dinner|supper|drinks|cen(?:a|as|ar|amos)|copas)\b"), True),
    (re.compile(r"(?:breakfast|desayun\w+)\b"), False),
)
"""What begins in the later half of the day and what in the earlier, by its title."""
_NAME = r"[A-ZÁÉÍÓÚÑ][\w'’-]*"
_PLACE = re.compile(
    rf"\b(?:[Aa]t|[Ii]n|[Ee]n)\s+(?P<place>(?:(?:the|el|la)\s+)?(?:(?:room|sala|office|oficina|despacho)\s+[\w-]+|"
    rf"{_NAME}(?:\s+(?:(?:de|del|la|of)\s+)*{_NAME})*(?:\s+(?:office|branch|room|hall|cent(?:re|er))\b)?))"
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,120})[\"”»]")
_SUBJECT = re.compile(r"\b(?:about|regarding|sobre|para\s+hablar\s+de)\s+(?P<subject>[^,.;\0]{2,80})", re.IGNORECASE)
_LOOSE_END = re.compile(r"(?:\s+(?:on|at|in|from|the|with|for|el|la|a|al|de|en|con|para|por))+\s*$", re.IGNORECASE)
_MOVE = re.compile(
    r"\b(?:move|make\s+it|extend|shorten|lengthen|change|reschedule|shift|postpone|push|bring\s+\w+\s+\w*\s*forward|mueve\w*|mover|cambia\w*|reprograma\w*|"
    r"aplaza\w*|pospon\w*|adelanta\w*|retrasa\w*|alarga\w*|acorta\w*|pasa(?:la|lo|me)?)\b"
)
_CANCEL = re.compile(
    r"\b(?:cancel|delete|remove|drop|call\s+off|cancela\w*|borra\w*|elimina\w*|anula\w*|quita\w*|suprime)\b"
)
_CALL_OFF = re.compile(
    r"\bcall\s+((?:(?!off\b)[\w'’.]+\s+){0,5})off\b(?!\s+(?:the|my|your)\s+record)\s*", re.IGNORECASE
)
"""Cancels, and is no call: "call off the dentist", "call the dentist off"."""
_REPLACED = re.compile(
    r"(?P<lead>^.*?)\b(?P<verb>(?P<english>cancel|delete|remove|drop|scrap|erase)|(?:cancela|anula|borra|elimina|quita|suprime)(?:me|nos)?)"
    r"\s+(?P<what>(?:(?!\b(?:cancel|cancela|anula)\b).)+?)\s*(?:,|(?:,\s*)?\b(?:and|y))\s+(?:(?:then|luego|despues|instead|mejor)\s+)*"
    r"(?:(?:re)?(?:book|schedule|put|set|make|add|arrange|move)\s+(?:it|that|that\s+one)(?:\s+(?:back|in|again|instead|on|for|to|at))*|"
    r"(?:pon|reserva|agenda|apunta|anota|mete|programa|fija|pasa|mueve|vuelve\s+a\s+poner)(?:me|nos)?l[oa]s?(?:\s+(?:mejor|otra\s+vez|de\s+nuevo))*)"
    r"\s+(?P<when>\S.*)$"
)
"""Cancels an appointment and makes the same at another time, which moves it: "cancel the call and put it on Friday"."""
_SAYS_SO = {
    "move": re.compile(
        rf"{_MOVE.pattern}|\b(?:put|switch|swap|rearrange|delay|bring|bump|set|let'?s|make|should\s+be|has\s+to\s+be|instead|later|earlier|sooner|forward|back|last|dur[ea]n?|durar|"
        r"pon\w*|recoloca\w*|hagamos|hacer|haz\w*|atrasa\w*|tiene\s+que\s+ser|en\s+vez|en\s+lugar|mas\s+tarde|antes|despues|adelant\w+|retras\w+|aplaz\w+|"
        r"pasar\w*|cambiar\w*|reprogramar\w*|posponer\w*)\b"
    ),
    "cancel": re.compile(
        rf"{_CANCEL.pattern}|\b(?:no\s+longer\s+(?:need|want)|(?:don'?t|do\s+not)\s+(?:need|want)|ya\s+no\s+(?:necesit\w+|quier\w+|quer\w+|hace\s+falta)|get\s+rid|take\b.*\b(?:off|out)|erase|scrap|scratch|forget|clear|kill|ditch|olvida\w*|tacha\w*|anular\w*|borrar\w*|eliminar\w*|quitar\w*)\b"
    ),
}
"""Words that say that something is moved or cancelled: a verb that is none of them may mean anything."""
_ASK = re.compile(
    r"\b(?:free|available|availability|busy|libres?|disponible|disponibilidad|huecos?|ocupad[oa]|gap|slot|(?<!\byou\s)fit\s+in|me\s+cabe|"
    r"do\s+i\s+have\s+time|tengo\s+tiempo)\b"
)
_TARGET = re.compile(r"\s(?:to|para|al|a)\s")
_BARE_HOUR = re.compile(
    r"(?<!\d\s)\bto\s+(\d{1,2})(?=\s*(?:$|[?!,;]|please\b|pls\b|instead\b|on\b|tomorrow\b))", re.IGNORECASE
)
"""An hour that something is moved to: "bring it forward to 9"."""
_HOUR_ALONE = re.compile(r"^\W*(?:(?:make\s+it|mejor|que\s+sean?)\W+)?(\d{1,2})\W*$", re.IGNORECASE)
"""A later message that is a number and nothing else says the hour: "11", "make it 11"."""
_SERIES = (RequestKind.CREATION, RequestKind.CANCELLATION)
"""What can be done with something that repeats, all of it at once."""
_MADE = re.compile(r"\b(make\s+it)\s+(\d{1,2})(?=\s*(?:$|[?!.,;]|please\b|pls\b|instead\b))", re.IGNORECASE)
_TO_THE = re.compile(r"\bal\s+(?=\d{1,2}(?![\d:.%/-]|\s+(?:de|del|%)\b))", re.IGNORECASE)
"""Before a day of the month: "pasa el dentista al 25"; an hour is "a las 5"."""
_BETTER = re.compile(
    r"^(?!\W*(?:book|schedule|put|add|set|make|arrange|plan|pon|agenda|apunta|reserva|mete|crea|anade|quiero|need|i)\w*\b).*\w\W+"
    r"(?:mejor|better)\s+(?:el|al|a\s+las?|on|at|to)\b"
)
"""Says of something named before that it is to be at another time: "the dentist, better on the 26th"."""
_INSTEAD = re.compile(
    r"[,;.]\s*(?=(?:(?:better|mejor|please|por\s+favor|so|asi\s+que)\s+)?(?:make|move|change|put|push)\s+it\b|"
    r"(?:mejor\s+)?(?:que\s+sea|(?:pon|cambia|pasa|mueve|deja)l[ao])\b)"
)
"""Before a clause that says what something is changed to: "it can't be at 10, make it 12"."""
_SEVERAL = re.compile(r"\b(?:all|every|everything|both|each|several|tod[oa]s?|ambas|ambos|cada|varias|varios)\b")
_NEXT_ONLY = re.compile(r"\b(?:only|just|next|sol[oa]|solamente|proxim[oa]|siguiente)\b")
_OWNER = re.compile(
    r"\b(?!(?:let|it|that|what|here|there|who|he|she|today|tomorrow|tonight|week|month|dr|doctor|hairdresser|\w+day)['’])(\w{2,})['’]s\b|"
    r"\b(his|her|their|sus?)\s+(?!way|to\b|on\b|at\b|from\b|by\b|back\b|forward\b|instead\b)\w+|\b(?:de|del)\s+(?:mi|tu|su)\s+(?!agenda|calendario|cita|reunion|parte)(\w+)|"
    r"\b(?:de|of)\s+(?!(?:la|las|los|el|lo|mi|tu|su|mis|the|my|our|me|it|hora|horas|appointment|today|hoy|tarde)\b)([a-z]{3,})"
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead\s+of|rather\s+than|en\s+vez\s+de|en\s+lugar\s+de)(?:l|\s+at|\s+on|\s+a|\s+el)?\s+(?:las?\s+)?[\w:.]+(?:\s+\d{1,2}(?::\d\d)?\b)?"
)
"""The day or time that something is moved from."""
_ORIGIN = re.compile(r"(?:\bdel?|\bfrom|\bof|\bdesde)\s+(?:the\s+|el\s+)?$")
_EARLIER = re.compile(r"\b(?:earlier|forward|sooner|antes|adelant\w+|bring)\b")
_LATER = re.compile(
    r"\b(?:later|back|delay\w*|postpone\w*|push\w*|despues|mas\s+tarde|retras\w+|aplaz\w+|pospon\w+|atrasa\w*)\b"
)
_LASTS = re.compile(
    r"\b(?:last|extend|shorten|lengthen|cut|minutes?\s+long|hours?\s+long|dure|duren|alarga\w*|acorta\w*|amplia\w*|extiende\w*|"
    r"make\b(?!\s+it\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d)?\s*(?:$|[ap]m|on\b|instead))(?!.*\b(?:earlier|later|sooner|forward|back)\b))\b"
)
"""How long something is to be from now on, not by how much it is moved: "make the lunch two hours", "que dure 1 h"."""
_ALL_BUT = re.compile(
    r"\b(?:except|excepto|salvo|menos|other\s+than|apart\s+from|isn'?t|not|no)\s+(?:(?:for|es|sea|sean|son|is|are|the|one|ones|el|la|las|los|que)\s+)*"
    r"(?:with|con|de|of)\s+\w+"
)
"""Names by whom an appointment is not: which one it is, is to be asked."""
_UNACCOUNTED = re.compile(
    r"\b(?:(?:\w+\s+)?(?:times|veces)|twice|thrice|alternate|(?:per|during|durante|while|mientras|unless|except|excepto|salvo)(?=\s+\w))"
    r"(?:\s*\w+){0,3}"
)
"""Says how often, while what or on which condition; what is left of it once the rest is read was not accounted for."""
_BESIDE_ANOTHER = re.compile(
    r"\b(?:before|after|antes\s+del?|despues\s+del?|tras)\s+(?!that\b|eso\b)\w+(?:\s+\w+){0,2}"
)
"""Says when by something else, which no reading looks up; beside a time it says no more than that."""
_PARTY = re.compile(
    r"\b(?P<place>table|booth|mesa|party|fiesta|group|grupo)\s+(?:for|of|para|de)\s+(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|"
    r"un[oa]|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce)|\d{1,2}(?![\d:.]|\s*(?:[ap]\.?m|hours?|horas?)\b))\b|"
    r"\b(?:for|of|para|de)\s+\d{1,3}\s+(?:people|persons|guests|personas|invitados|comensales)\b",
    re.IGNORECASE,
)
"""For how many people something is: "table for 4" says no hour."""
_IT = re.compile(r"\b(?:it|that|them)\b|\b\w{3,}l[oa]s?\b(?=\W*(?:$|\s(?:al?|el|para|en|mejor)\b))")
_PLAIN_KIND = {"en": "Appointment", "es": "Cita"}
_AS_WELL = re.compile(r"\b(?:too|also|as\s+well|tambien|ademas)\b")
_AND = {"en": "and", "es": "y"}
_WITH = {"en": "with", "es": "con"}


def parse_request(text: str) -> ParsedRequest:
    """What a request says, with what was said to it later. It never fails; what is not said is `None`."""
    first, *later = _said(text)
    is_better = intent_of(first) is RequestKind.CREATION and _BETTER.search(aligned(first)) is not None
    is_asked = bool(later) and stance_of(first) == "question" and intent_of(first) is RequestKind.CREATION
    wanted = RequestKind.RESCHEDULING if is_better else None
    parsed = _parse_part(first, RequestKind.QUESTION if is_asked else wanted)
    for part in later:
        parsed = _amended(parsed, _parse_part(part, RequestKind.RESCHEDULING if _is_shift(part) else None), part)
    return _at_its_hour(parsed)


def _at_its_hour(parsed: ParsedRequest) -> ParsedRequest:
    """With the half of the day in which such a thing is: "dinner at 8" is in the evening, "breakfast at 7" is not."""
    spoken = read_time(parsed.time_text) if parsed.time_text else None
    half = next((late for words, late in _HALVES if words.match(fold(parsed.title))), None)
    if spoken is None or not spoken[1] or half is None:
        return parsed
    meant = (max if half else min)(spoken[0], *spoken[1])
    return parsed.model_copy(update={"time_text": f"{meant:%H:%M}"})


def parse_as(text: str, kind: str | None) -> ParsedRequest:
    """What a request says, given what is wanted where that is known; words that say otherwise count more.

    A question stays one whatever its words: "should I move it?" moves nothing.
    """
    parsed = parse_request(text)
    if kind == "question":
        return parsed.model_copy(update={"intent": RequestKind.QUESTION})
    first, *later = _said(text)
    if kind is None or later or parsed.intent is KINDS_WANTED[kind]:
        return parsed
    is_said = kind == "create" or _SAYS_SO[kind].search(fold(first))
    if parsed.intent is not RequestKind.CREATION and not (is_said and kind != "create"):
        return parsed
    # "scrap the dentist, I have a shift": the verb that was taken for the order counts, not another word like one
    wanted = _at_its_hour(_parse_part(first, KINDS_WANTED[kind]))
    return wanted if is_said else wanted.model_copy(update={"unread": (first.split()[0], *wanted.unread)})


def _said(text: str) -> list[str]:
    """A request and what was said to it later, a mere yes aside."""
    plain = _moved(_CALL_OFF.sub(r"cancel \1", composed(text)[:MAX_CHARS]))
    first, *later = plain.split(AMENDED_BY)
    first = _without_spared(first)
    return [first, *(_HOUR_ALONE.sub(r"at \1", part) for part in later if not is_yes(part))]


def _without_spared(text: str) -> str:
    """A request without what it says to leave alone, where it names what is to be changed itself: "don't cancel the
    dentist but move the lunch"; "don't cancel it, put it on Friday" does not.
    """
    rest = without_forbidden(text)
    is_first = rest != composed(text).strip() and composed(text).strip().endswith(rest)
    is_of_another = is_first and (kind_named(rest) or _contact(rest)) and not _IT.search(aligned(rest))
    return rest if is_of_another else text


def _moved(text: str) -> str:
    """A request that cancels an appointment to make it anew, said as the move that it is."""
    found = _REPLACED.match(aligned(text))
    if found is None:
        return text
    lead, what, when = (text[slice(*found.span(part))] for part in ("lead", "what", "when"))
    return f"{lead}move {what} to {when}" if found["english"] else f"{lead}mueve {what} para {when}"


def intent_of(text: str) -> RequestKind:
    """Whether something is to be made, moved, cancelled, or only asked about."""
    plain = fold(text)
    if _CANCEL.search(plain):
        return RequestKind.CANCELLATION
    if _MOVE.search(plain):
        return RequestKind.RESCHEDULING
    return RequestKind.QUESTION if _ASK.search(plain) else RequestKind.CREATION


def _parse_part(text: str, wanted: RequestKind | None = None) -> ParsedRequest:
    language: Language = detect_language(text)
    intent = wanted or intent_of(text)
    clocks = find_clocks(text)
    for clock in clocks:
        text = text[: clock.span.start] + " " * len(clock.text) + text[clock.span.end :]
    if intent is RequestKind.RESCHEDULING and read_when(text).time is None:
        text = _BARE_HOUR.sub(r"to at \1", text)
    if intent is RequestKind.RESCHEDULING:
        text = _TO_THE.sub("al día ", _MADE.sub(r"\1 at \2", text))
    origin = ""
    if intent is RequestKind.RESCHEDULING and (instead := _INSTEAD_OF.search(aligned(text))):
        origin, text = text[instead.start() :], text[: instead.start()] + text[instead.end() :]
    target = _target(text) if intent is RequestKind.RESCHEDULING else text
    whole, reading = read_when(text), read_when(target)
    contact = _contact(whole.rest)
    is_from_to = intent is RequestKind.RESCHEDULING and target is text and reading.date is None
    time, minutes = (reading.end_time, None) if is_from_to and reading.end_time else (reading.time, reading.minutes)
    length = _duration(whole) if minutes is None else minutes
    is_length = _LASTS.search(aligned(text)) is not None
    is_moved_by = length is not None and not (time or is_length) and intent is RequestKind.RESCHEDULING
    # "push tomorrow's call back an hour": the day tells which one is meant
    is_shift = is_moved_by and (reading.date is None or (target is text and _signed(text, length or 0) is not None))
    source = read_when(origin or text.removesuffix(target)) if origin or target is not text else None
    source, day = (reading, None) if is_shift and reading.date else (source, reading.date)
    readings = [reading] if target is text else [reading, read_when(text.removesuffix(target))]
    is_new = intent is RequestKind.CREATION
    found = [name for name, value in (("contact", contact), ("date", reading.date), ("time", time)) if value]
    return ParsedRequest(
        intent=intent,
        language=language,
        date_text=day if intent in _SERIES or not whole.repeats else f"{whole.repeats} {DOUBT}",
        time_text=time,
        repeat_text=whole.repeats if is_new else None,
        part_text=whole.part if time is None else None,
        duration_minutes=None if is_shift else length,
        shift_minutes=_signed(text, length) if is_shift and length else None,
        from_date_text=source.date if source else None,
        from_time_text=source.time if source else None,
        contact=contact,
        place=_place(reading.rest),
        zone_text=_zone_said(clocks),
        is_several=_SEVERAL.search(fold(whole.rest)) is not None or (bool(whole.repeats) and not is_new),
        is_next=_NEXT_ONLY.search(fold(whole.rest)) is not None,
        owner=_owner(whole.rest) if intent in (RequestKind.RESCHEDULING, RequestKind.CANCELLATION) else None,
        named=_named(whole.rest, contact) if intent is not RequestKind.QUESTION else (),
        unread=(*_unread(readings, contact, clocks), *_second(whole.rest, contact, is_new=is_new))
        if intent is not RequestKind.QUESTION
        else (),
        title=_title(text, whole.rest, language, contact),
        confidence=CONFIDENCE if found else 0.2,
        reasoning=f"found by rules: {', '.join(found) or 'nothing'}",
    )


def _zone_said(clocks: Sequence[Finding[str | None]]) -> str | None:
    """The words for the place whose time is meant; its zone, where it is named elsewhere ("at 3, their time")."""
    if not clocks:
        return None
    is_named = any(each.value for each in find_clocks(f"10:00 {clocks[0].text}"))
    return clocks[0].text if is_named or clocks[0].value is None else clocks[0].value


def _is_shift(text: str) -> bool:
    """Whether a later message only says by how much something is moved: "better an hour later"."""
    when = read_when(text)
    length = _duration(when)
    return length is not None and not (when.date or when.time) and _signed(text, length) is not None


def _signed(text: str, minutes: int) -> int | None:
    """By how much something is moved, where it is said whether earlier or later."""
    plain = fold(text)
    if _EARLIER.search(plain):
        return -minutes
    return minutes if _LATER.search(plain) else None


def _amended(before: ParsedRequest, said: ParsedRequest, words: str) -> ParsedRequest:
    """What a later message changes: the time, the person, or what is to be done with the appointment."""
    if said.intent in (RequestKind.RESCHEDULING, RequestKind.CANCELLATION):
        carried = {"contact": said.contact or before.contact, "language": before.language}
        if said.intent is RequestKind.CANCELLATION:
            carried |= {
                "date_text": said.date_text or before.date_text,
                "time_text": said.time_text or before.time_text,
            }
        else:
            carried |= {
                "from_date_text": said.from_date_text or before.date_text,
                "from_time_text": said.from_time_text or before.time_text,
            }
        is_same = not said.contact and kind_of(words) is None
        if is_same:
            carried["title"] = before.title
        changed = said.model_copy(update=carried)
        is_new = is_same and said.intent is RequestKind.RESCHEDULING and before.intent is RequestKind.CREATION
        return _with_history(_as_long_as(words, changed), before) if is_new else changed
    if before.intent is RequestKind.QUESTION and said.intent is RequestKind.CREATION and orders_by_verb(words):
        asked = {"date_text": before.date_text} if said.date_text is None else {}
        asked |= {"time_text": before.time_text} if said.time_text is None else {}
        return said.model_copy(update=asked)
    if before.intent is RequestKind.CANCELLATION and (said.is_several or said.is_next) and not said.date_text:
        return before.model_copy(update={"is_several": said.is_several and not said.is_next, "is_next": said.is_next})
    changes = {
        name: value
        for name in (
            "date_text", "time_text", "part_text", "zone_text", "repeat_text", "duration_minutes", "contact", "place"
        )
        if (value := getattr(said, name)) is not None
    }  # fmt: skip
    if not changes and before.zone_text and find_zones(f"en {words}"):
        changes["zone_text"] = words  # "9 Chicago time", then "no, New York"
    if said.time_text and before.time_text:
        changes["time_text"] = _in_same_half(said.time_text, before.time_text)
    weekday = re.search(rf"\b{WEEKDAY}\b", aligned(before.date_text or ""))
    week = week_said(said.date_text or "")
    if before.date_text and (shifted := shifted_day(before.date_text, words)):
        changes = {"date_text": shifted}
    else:
        changes |= _renamed(before, said, words)
        if before.repeat_text and said.date_text and not said.repeat_text and said.is_next:
            changes["repeat_text"] = None  # "every Monday", then "just this Monday"
        if weekday and week:  # "next Thursday", then "I meant next week"
            changes["date_text"] = f"{weekday.group()}, {week}"
        elif is_weekday(said.date_text or "") and (week := week_said((before.date_text or "").replace(DOUBT, ""))):
            changes["date_text"] = f"{said.date_text}, {week}"  # "next week", then "on Wednesday"
    if changes.get("zone_text") == words:
        said = said.model_copy(update={"unread": ()})
    ignored = () if changes else (words,)  # what was said and not understood is asked about, never left out
    changed = before.model_copy(update=changes | {"unread": (*before.unread, *said.unread, *ignored)})
    return _with_history(changed, before) if before.intent is RequestKind.CREATION else changed


def _in_same_half(words: str, before: str) -> str:
    """The words for a time that takes the place of another: after "at 6pm", "no, at 6:30" is in the afternoon too."""
    said, earlier = read_time(words), read_time(before)
    if (
        said is None
        or earlier is None
        or _HALF_SAID.search(aligned(words))
        or not 1 <= said[0].hour < NOON <= earlier[0].hour
    ):
        return words
    later = (said[0].hour + NOON) * 60 + said[0].minute
    is_near = abs(later - earlier[0].hour * 60 - earlier[0].minute) <= NEAR_MINUTES
    return f"{later // 60:02}:{later % 60:02}" if is_near else words


def _renamed(before: ParsedRequest, said: ParsedRequest, words: str) -> dict[str, Any]:
    """What a later message says of which appointment is meant, or what a new one is: "no, the call", "no, dinner"."""
    names_kind = kind_of(words) is not None
    if before.intent is RequestKind.CREATION:
        if not names_kind and not said.contact:
            return {}
        kind = (said if names_kind else before).title.partition(f" {_WITH[before.language]} ")[0]
        contact = said.contact or before.contact
        if said.contact and before.contact and _AS_WELL.search(fold(words)):
            contact = f"{before.contact} {_AND[before.language]} {said.contact}"
            return {"title": f"{kind} {_WITH[before.language]} {contact}", "contact": contact}
        return {"title": f"{kind} {_WITH[before.language]} {contact}" if contact else kind}
    is_question = before.intent is RequestKind.QUESTION
    if not (names_kind or (said.contact if is_question else said.named)):
        return {}
    another = {"title": said.title, "contact": said.contact, "named": said.named, "owner": said.owner}
    if is_question or before.intent is RequestKind.CANCELLATION:
        return another | {"date_text": said.date_text, "time_text": said.time_text}
    return another | {"from_date_text": None, "from_time_text": None}


def _as_long_as(words: str, changed: ParsedRequest) -> ParsedRequest:
    """How long something new is to be, where no words say that it is moved by that: "make it 45 minutes"."""
    if changed.shift_minutes is not None or changed.duration_minutes is not None:
        return changed
    return changed.model_copy(update={"duration_minutes": _duration(read_when(words))})


def _with_history(changed: ParsedRequest, before: ParsedRequest) -> AmendedRequest:
    plain = ParsedRequest(**before.model_dump(exclude={"earlier"}))
    earlier = (*(before.earlier if isinstance(before, AmendedRequest) else ()), plain)
    return AmendedRequest(**{**changed.model_dump(exclude={"earlier"}), "earlier": earlier})


def _target(text: str) -> str:
    """The part of a request that says where something is moved to; all of it if there is no such part."""
    instead = [text[match.end() :] for match in islice(_INSTEAD.finditer(aligned(text)), MAX_TARGETS)]
    for rest in reversed(instead):
        reading = read_when(rest)
        if reading.date or reading.time:
            return rest
    for match in islice(_TARGET.finditer(text), MAX_TARGETS):
        rest = text[match.start() :]
        reading = read_when(rest)
        if match.start() > 0 and (reading.date or reading.time):
            day = _day_beside(text[: match.start()]) if not reading.date else None
            if day is not None:
                return text[day:]
            before = read_when(text[: match.start()])
            return text if before.time and reading.time and not before.date and not reading.date else rest
    return text


def _day_beside(before: str) -> int | None:
    """Where a day begins that stands at the end of a text and is no origin: "on Friday (at 12)", not "from Friday"."""
    days = find_dates(before, now=ANY_DAY)
    if not days or before[days[-1].span.end :].strip():
        return None
    start = days[-1].span.start
    return None if _ORIGIN.search(aligned(before[:start])) else start


def _contact(rest: str) -> str | None:
    found = find_contact(rest)
    return found.value.strip() if found else None


def _named(rest: str, contact: str | None) -> tuple[str, ...]:
    """What is left to tell which appointment is meant: no verb, no small word, nothing that any appointment is."""
    left = fold((rest.replace(contact, " ") if contact else rest).replace("\0", " "))
    return tuple(
        word
        for word in re.findall(r"[a-z]{3,}", left)
        if word not in _GENERIC and word not in _KIND_WORDS and not _MOVE.match(word) and not _CANCEL.match(word)
    )


def _owner(rest: str) -> str | None:
    """Whose appointment is meant, where it is another person's: "my wife's dentist", "el dentista de mi hija"."""
    found = _OWNER.search(fold(rest.replace("\0", ".")))
    return next((word for word in found.groups() if word), None) if found else None


def _unread(readings: Sequence[When], contact: str | None, clocks: Sequence[Finding[str | None]]) -> tuple[str, ...]:
    """What a request names and its reading leaves out: a second time, how many there will be, the time of nowhere."""
    found = [match.group() for match in islice(_ALL_BUT.finditer(aligned(readings[0].rest)), 1)] if contact else []
    found += [clock.text for clock in clocks if clock.value is None]
    found += [clock.text for clock in clocks[1:] if clock.value not in (None, clocks[0].value)]
    for each in readings:
        rest = each.rest.replace(contact, "\0" * len(contact)) if contact else each.rest
        place, length = _PLACE.search(rest), find_durations(rest.replace("\0", " "))
        spans = [place.span("place")] if place else []
        spans += [match.span() for match in _PARTY.finditer(rest)]
        spans += [(length[0].span.start, length[0].span.end)] if length else []
        for start, end in [*spans, *(match.span() for match in _SUBJECT.finditer(rest))]:
            rest = rest[:start] + "\0" * (end - start) + rest[end:]
        found += unread_figures(rest)
        left = aligned(rest.replace("\0", "."))
        patterns = (_UNACCOUNTED,) if any(reading.time for reading in readings) else (_UNACCOUNTED, _BESIDE_ANOTHER)
        found += [" ".join(match.group().split()) for pattern in patterns for match in pattern.finditer(left)]
    return tuple(dict.fromkeys(found))


def _second(rest: str, contact: str | None, *, is_new: bool) -> tuple[str, ...]:
    """Another appointment that a request to move or cancel one names: "the lunch with Marta and the call with Luis"."""
    other = _contact(rest.replace(contact, "\0" * len(contact))) if contact else None
    kinds = [word for word in re.finditer(r"\w+", aligned(rest)) if word.group() in _KIND_WORDS]
    joined = [
        word.group()
        for first, word in pairwise(kinds)
        if _KIND_WORDS[first.group()] != _KIND_WORDS[word.group()]
        and re.search(r"\b(?:and|or|y|o)\b", aligned(rest)[first.end() : word.start()])
    ]
    return () if is_new else ((other,) if other else tuple(joined))


def _place(rest: str) -> str | None:
    found = _PLACE.search(rest)
    return found["place"] if found else None


def _duration(when: When) -> int | None:
    found = find_durations(when.rest.replace("\0", " "))
    return int(found[0].value.total_seconds() // 60) if found else None


def _title(text: str, rest: str, language: Language, contact: str | None) -> str:
    quoted, subject = _QUOTED.search(text), _SUBJECT.search(rest)
    if quoted:
        return quoted.group(1)
    named = rest.replace(contact, " ") if contact else rest
    kind = _kind(_SUBJECT.sub(" ", named), language)
    if contact and kind == _PLAIN_KIND[language]:
        kind = _called_with(rest, contact) or kind
    if contact:
        kind = f"{kind} {_WITH[language]} {contact}"
    elif kind == _PLAIN_KIND[language]:
        party = _PARTY.search(rest)
        kind = party.group().capitalize() if party and party["place"] else _called(rest) or kind
    return f"{kind}: {_LOOSE_END.sub('', subject['subject']).strip()}" if subject else kind


def _called(rest: str) -> str:
    """What something of no known kind is called: from the first to the last word of a request that tells of it."""
    for piece in rest.split("\0"):
        names = [word for word in re.finditer(r"[^\W\d_]{3,}", piece) if _tells(fold(word.group()))]
        if names:
            found = " ".join(piece[names[0].start() : names[-1].end()].split())[:MAX_TITLE_CHARS]
            return found[:1].upper() + found[1:]
    return ""


def _called_with(rest: str, contact: str) -> str:
    """What something of no known kind is called that stands right before the person: "padel with Jorge"."""
    found = re.search(rf"\b([^\W\d_]{{4,}})\s+(?:with|con)\s+{re.escape(contact)}", rest)
    return found[1].capitalize() if found and _tells(fold(found[1])) else ""


def _tells(word: str) -> bool:
    is_said = {word, without_pronoun(word)} & _GENERIC
    return not is_said and word not in _MEETING_VERBS and not _MOVE.match(word) and not _CANCEL.match(word)


def kind_named(text: str) -> str | None:
    """The word of a text that says what an appointment is: "dentist", "comida"."""
    return next((word for word in re.findall(r"\w+", fold(text)) if word in _KIND_WORDS), None)


def kind_of(text: str) -> int | None:
    """Which of the kinds a text names first, by its place in the table: "dentista" and "dentist" are the same."""
    word = kind_named(text)
    return None if word is None else _KIND_WORDS[word]


def _kind(rest: str, language: Language) -> str:
    """The first word that says what it is."""
    words = re.findall(r"\w+", aligned(rest))
    named = {fold(kind): kind for pair in KINDS for kind in pair[language == "es"].split()}
    return next((named[word] for word in words if word in named), _PLAIN_KIND[language])


_OF_ANY = (
    "appointment appointments cita citas event evento thing cosa one time hora same misma mismo hour hours horas "
    "minutes half media back later earlier forward tarde antes instead better mejor pasar retrasar aplazar "
    "anular cancelar borrar eliminar quitar adelantar cambiar posponer delay off down able unable go ir won't wont "
    "can't cant voy poder podre puedes podrias calendar calendario thanks gracias pls porfa session sesion slot "
    "hueco agenda date fecha day week semana next proximo proxima anulala cancelala cancelalo borrala quitala "
    "muevela cambiala cambialo pasala pasalo aplazala retrasala adelantala eliminala suprimela reserva reserved "
    "please everything todo whatever tenga tengamos haya"
)
"""Words of a request to move or cancel that name no appointment."""
_ASIDE = "see ver verme meet met have quedar reunirme kindly hola hey oye buenas hello dear every each cada todos todas"
_MEETING_VERBS = frozenset(_ASIDE.split())
_GENERIC = frozenset(" ".join([_OF_ANY, *STOP_WORDS.values(), *map(" ".join, CHANGE_VERBS.values())]).split())
_KIND_WORDS = {fold(word): place for place, pair in enumerate(KINDS) for words in pair for word in words.split()}
