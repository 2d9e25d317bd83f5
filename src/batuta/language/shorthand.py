"""Words as people shorten them on a phone, spelled out: "lunch w marta fri 1pm", "q tengo el jue x la tarde"."""

import re
from functools import partial

from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import composed, fold
from batuta.language.lexicon import MONTH_NAMES, SHORT_WEEKDAYS, WEEKDAY_NAMES, one_of

SHORTENED: dict[Language, dict[str, str]] = {
    "en": {
        "u": "you", "ur": "your", "r": "are", "w": "with", "w/": "with", "wat": "what", "wats": "what's", "wen": "when", "hav": "have",
        "rn": "right now", "n": "and", "yday": "yesterday", "aft": "afternoon", "hols": "holidays", "appt": "appointment",
        "mtg": "meeting", "resched": "reschedule", "mv": "move", "abt": "about", "bc": "because", "ppl": "people", "wk": "week",
        "yr": "year", "hrs": "hours", "hr": "hour",
    },
    "es": {
        "q": "que", "k": "que", "d": "de", "x": "por", "xq": "por que", "pq": "por que", "cn": "con", "c/": "con", "tb": "tambien",
        "tmb": "tambien", "xfa": "por favor", "pf": "por favor", "dnd": "donde", "cdo": "cuando", "reu": "reunion",
        "grax": "gracias", "sem": "semana",
    },
}  # fmt: skip
_NEVER_WORDS = frozenset(
    ("tue", "tues", "weds", "thu", "thur", "thurs", "fri", "lun", "mie", "mierc", "jue", "juev", "vie", "vier")
)
"""Short names of days that are no other word."""
_AFTER_DAY = r"(?=\s+(?:\d|at\b|from\b|a\s+la|de\s+\d|morning|aft|evening|night|noon|por\b|x\s)|\s*[?!.,]?\s*$)"
_DAY = re.compile(rf"(?<![\w/.-])(?P<day>{one_of(SHORT_WEEKDAYS)}|sáb|mié)\b\.?{_AFTER_DAY}", re.IGNORECASE)
_HOUR_BEHIND = re.compile(r"\s+(?:(?:at|from|de|a\s+las?)\s+)?\d")
_MONTH = re.compile(
    r"(?<=[a-z]\s)(?P<month>jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec|ene|abr|dic)\.?(?=\s*[?!]?$|\s+20\d\d)",
    re.IGNORECASE,
)
_WORDS = {
    language: re.compile(rf"(?<![\w'’/.%-])(?P<word>{one_of(table)})(?=\s|$|[?!,])")
    for language, table in SHORTENED.items()
}
_IN_A_SUM = re.compile(r"\d\s*$")


def spelled_out(text: str, reader: Language = "en") -> str:
    """A text with its shortened words in full; capitals and letters between numbers are left: "Plan B", "3 x 4"."""
    text = composed(text)
    language = detect_language(text, reader)
    text = _DAY.sub(lambda match: _full_day(match, language), text)
    text = _MONTH.sub(lambda match: _full_month(match["month"], language), text)
    for spoken in dict.fromkeys((language, reader)):
        text = _WORDS[spoken].sub(partial(_full_word, SHORTENED[spoken]), text)
    return text


def _full_day(match: re.Match[str], language: Language) -> str:
    word = fold(match["day"])
    is_other = word not in _NEVER_WORDS and not _HOUR_BEHIND.match(match.string, match.end())
    if is_other or word == "mar":
        return match.group()
    is_spanish = word in ("lun", "mie", "mierc", "jue", "juev", "vie", "vier", "sab", "dom")
    return WEEKDAY_NAMES["es" if is_spanish else "en"][SHORT_WEEKDAYS[word]]


def _full_month(word: str, language: Language) -> str:
    named = [name for name in MONTH_NAMES[language] if name.lower().startswith(word.lower()[:3])]
    return named[0] if named else word


def _full_word(words: dict[str, str], match: re.Match[str]) -> str:
    is_between_numbers = _IN_A_SUM.search(match.string[: match.start()]) and re.match(
        r"\s*\d", match.string[match.end() :]
    )
    is_measure = match["word"] in ("hr", "hrs", "h")
    return match.group() if is_between_numbers and not is_measure else words[match["word"]]
