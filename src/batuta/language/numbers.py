"""Numbers of a text: digits with the separators of either language, words, and both together ("2,5 millones", "12k").

`1.200` is a thousand and two hundred in Spanish and may be little more than one in English: what a separator means is
taken from the language, and the other reading is kept as an alternative.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from batuta.language.detection import detect_language
from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.folding import aligned, composed
from batuta.language.lexicon import HUNDREDS, SCALES, TENS, UNITS_EN, UNITS_ES

MAX_DIGITS = 30

_SPACES = "\u00a0\u2009\u202f"
_DIGITS = re.compile(
    rf"(?<![\w.,])[-−+]?(?:\d{{1,3}}(?:[{_SPACES}']\d{{3}})+(?:[.,]\d+)?|\d+'\d{{1,2}}(?![\d'])|\d+(?:[.,]\d+)*|[.,]\d+)"
)
_SCALE_AFTER = re.compile(
    r"\s*(?P<scale>k|mm(?!\s+(?:in|to|into|en|a|is|are|son|de|of)\b)|bn|thousand|mil\s+millones|mil|millones|millon|millions?|billions?|hundred)(?![a-z0-9])"
)
_CAPITAL_M = re.compile(r"\s?M(?![A-Za-z0-9])")
_WORD = re.compile(r"[a-z]+")
_JOINT = re.compile(r"[ -]+")
_SCALED = {"k": 10**3, "mm": 10**6, "bn": 10**9, "mil millones": 10**9, **SCALES}
_VALUES = {**UNITS_EN, **UNITS_ES, **TENS, **HUNDREDS}
_ARTICLES = frozenset({"un", "una", "uno", "one", "a"})
"""Words that name a number only next to another: "one" and "una" stand everywhere."""
_HALF_SCALE = re.compile(r"\b(?P<half>half\s+an?|medio|media)\s+(?P<scale>million|millon|billion|dozen|docena)\b")
_DOZENS = re.compile(r"\b(?:(?P<many>\w+)\s+)?(?P<word>dozens?|docenas?)\b")
_AND_A_HALF = re.compile(r"\s+(?:and\s+a\s+half|y\s+medi[oa])\b(?!\s+hora)")


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    value: Decimal
    others: tuple[Decimal, ...] = ()


def find_numbers(text: str, *, language: Language | None = None) -> list[Finding[Decimal]]:
    """The numbers a text names, in order."""
    text = composed(text)
    text_language = language or detect_language(text)
    plain = aligned(text)
    parts = sorted(
        [*_half_scales(plain), *_written(text, plain, text_language)], key=lambda each: (each.start, -each.end)
    )
    spoken = [each for each in _spoken(plain) if not any(each.start < o.end and o.start < each.end for o in parts)]
    found: list[Finding[Decimal]] = []
    for part in sorted([*parts, *spoken], key=lambda each: (each.start, -each.end)):
        if found and part.start < found[-1].span.end:
            continue
        span = TextSpan(start=part.start, end=part.end)
        words = text[part.start : part.end]
        found.append(Finding(value=part.value, span=span, text=words, alternatives=part.others))
    return found


def digits_value(written: str, language: Language) -> tuple[Decimal, tuple[Decimal, ...]]:
    """What digits with separators mean in a language, and what they may mean in the other."""
    sign = -1 if written[:1] in "-−" else 1
    digits = re.sub(r"'(?=\d{1,2}$)", ",", written)
    digits = re.sub(rf"[-−+'{_SPACES}]", "", digits)
    marks = [char for char in digits if char in ".,"]
    if len(set(marks)) == 2:
        decimal = digits[max(digits.rfind("."), digits.rfind(","))]
        thousands = "," if decimal == "." else "."
        return sign * _decimal(digits.replace(thousands, ""), decimal), ()
    if not marks:
        return sign * Decimal(digits), ()
    [mark] = set(marks)
    if len(marks) > 1:
        return sign * Decimal(digits.replace(mark, "")), ()
    whole, _, rest = digits.partition(mark)
    could_group = len(rest) == 3 and 1 <= len(whole) <= 3 and whole.strip("0") != ""
    as_decimal, as_grouped = sign * _decimal(digits, mark), sign * Decimal(whole + rest)
    if not could_group:
        return as_decimal, ()
    groups = {"en": ",", "es": "."}[language] == mark
    return (as_grouped, (as_decimal,)) if groups else (as_decimal, (as_grouped,))


def _decimal(digits: str, mark: str) -> Decimal:
    written = digits.replace(mark, ".")
    return Decimal(f"0{written}" if written.startswith(".") else written)


def _written(text: str, plain: str, language: Language) -> list[_Part]:
    """Numbers in digits, with a word or letter for thousands or millions after them."""
    parts = []
    for match in _DIGITS.finditer(text):
        written, end = match.group(), match.end()
        if written[0] in "-−+" and re.search(r"[\w)]\s*$", text[: match.start()]):
            written = written[1:]
        start = end - len(written)
        if not (end == len(text) or not text[end].isalpha() or _may_follow(text, plain, end)):
            continue
        if len(written) > MAX_DIGITS:
            continue
        value, others = digits_value(written.rstrip(".,"), language)
        scale, end = _scale_after(text, plain, end)
        half = _AND_A_HALF.match(plain, end)
        if half:
            value, others, end = value + Decimal("0.5"), (), half.end()
        parts.append(_Part(start, end, value * scale, tuple(other * scale for other in others)))
    return parts


def _may_follow(text: str, plain: str, place: int) -> bool:
    """Whether letters that touch a number leave it one: a scale, a currency, a unit, but not `3rd` or `4pm`."""
    return not re.match(r"(?:st|nd|rd|th|[ap]\.?m|q|t|h\d)\b", plain[place : place + 6])


def _scale_after(text: str, plain: str, place: int) -> tuple[int, int]:
    capital = _CAPITAL_M.match(text, place)
    if capital:
        return 10**6, capital.end()
    match = _SCALE_AFTER.match(plain, place)
    return (_SCALED[" ".join(match["scale"].split())], match.end()) if match else (1, place)


def _half_scales(plain: str) -> list[_Part]:
    halves = [
        _Part(m.start(), m.end(), (_SCALED.get(m["scale"], 12)) * Decimal("0.5")) for m in _HALF_SCALE.finditer(plain)
    ]
    dozens = []
    for match in _DOZENS.finditer(plain):
        many = _VALUES.get(match["many"] or "", int(match["many"]) if (match["many"] or "").isdigit() else None)
        start = match.start() if many is not None or match["many"] in _ARTICLES else match.start("word")
        dozens.append(_Part(start, match.end(), Decimal(12) * (many if many is not None else 1)))
    return [*halves, *dozens]


def _spoken(plain: str) -> list[_Part]:
    """Numbers in words: runs of them, joined by spaces, hyphens, `and` or `y`."""
    parts: list[_Part] = []
    words = list(_WORD.finditer(plain))
    place = 0
    while place < len(words):
        run = _run(words, place, plain)
        if run:
            value = _value_of([match.group() for match in run])
            said = [match.group() for match in run]
            is_alone = len(said) == 1 and (said[0] in _ARTICLES or said[0] == "hundred")
            is_percent = said == ["ciento"] and plain[: run[0].start()].endswith("por ")
            has_half = _AND_A_HALF.match(plain, run[-1].end())
            if value is not None and not is_percent and (has_half or not is_alone):
                parts.append(_with_half(plain, run[0].start(), run[-1].end(), value))
            place += len(run)
        else:
            place += 1
    return parts


def _with_half(plain: str, start: int, end: int, value: Decimal) -> _Part:
    """Two and a half; after millions it is half a million more."""
    half = _AND_A_HALF.match(plain, end)
    last = SCALES.get(plain[start:end].rsplit(maxsplit=1)[-1], 1)
    return _Part(start, half.end(), value + last * Decimal("0.5")) if half else _Part(start, end, value)


def _run(words: list[re.Match[str]], place: int, plain: str) -> list[re.Match[str]]:
    """The longest run of number words from a place on that makes a number."""
    run: list[re.Match[str]] = []
    for index in range(place, len(words)):
        match = words[index]
        gap = plain[run[-1].end() : match.start()] if run else " "
        word = match.group()
        is_number = word in _VALUES or word in SCALES
        is_number = is_number or (
            word == "a" and not run and index + 1 < len(words) and words[index + 1].group() in SCALES
        )
        is_joint = word in ("and", "y") and run and index + 1 < len(words) and words[index + 1].group() in _VALUES
        if not _JOINT.fullmatch(gap) or not (is_number or is_joint):
            break
        run.append(match)
    while run and (run[-1].group() in ("and", "y") or _value_of([m.group() for m in run]) is None):
        run.pop()
    return run


def _value_of(words: list[str]) -> Decimal | None:
    """The value of number words that belong together; none where they do not ("two three")."""
    total, group, last = 0, 0, 10**12
    for index, word in enumerate(words):
        if word == "and":
            if index == 0 or words[index - 1] not in SCALES:
                return None
            continue
        if word == "y":
            if index == 0 or words[index - 1] not in TENS:
                return None
            continue
        if word == "a":
            if index or len(words) < 2 or words[1] not in SCALES:
                return None
            group, last = 1, 10
            continue
        if word in SCALES and SCALES[word] >= 1000:
            if index and words[index - 1] in SCALES and SCALES[words[index - 1]] >= SCALES[word]:
                return None
            total, group, last = (total + (group or 1) * SCALES[word]), 0, 10**12
            if word.startswith("millon") and total > 10**9 and index > 1 and words[index - 1] == "mil":
                return None
            continue
        if word == "hundred":
            if not 0 < group < 10:
                return None
            group, last = group * 100, 100
            continue
        value = _VALUES[word]
        size = 100 if value >= 100 else 10 if value >= 20 and word in TENS else 1
        if size >= last or (value < 20 and last == 1) or (value >= 10 and size == 1 and last == 10):
            return None
        group, last = group + value, size
    return Decimal(total + group)
