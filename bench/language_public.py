"""Days, moments and periods of two public corpora, ours beside dateparser. Nothing of them is kept here or installed.

    pip download --no-deps --no-binary :all: ctparse && tar xf ctparse-*.tar.gz
    python -m bench.language_public ctparse-*/ctparse/time/corpus.py path/to/a/python/with/dateparser
    pip download --no-deps duckling && unzip duckling-*.whl 'duckling/jars/*'
    python -m bench.language_public duckling/jars/duckling-*.jar path/to/a/python/with/dateparser

ctparse's is German and English: counted are the items that name one day in English words or in digits. Of duckling's
all English and Spanish items are that name one day, one minute or a period of days; dateparser is right about a period
where it finds any day of it, we where we find its first and last day.
"""

import ast
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

from batuta.language import Language, find_dates, find_moments, find_periods
from batuta.language.calendar_math import Period, unit_of

_ONE_DAY = re.compile(r"Time\[\]\{(\d{4}-\d\d-\d\d) \S+ \(X/X\)\}")
_GERMAN = re.compile(
    r"\b(?:morgen|heute|jetzt|gerade|gestern|vor|uhr|um|bis|nach|am|ab|im|in|der|den|des|dem|erste[nr]|letzte[nr]|januar|februar|"
    r"märz|mai|juni|juli|oktober|dezember|montag|dienstags?|mittwoch|donnerstag|freitag|samstag|sonntag|mo|di|die|mi|do|sa|so|früh|"
    r"abends?|nachmittag|vormittag|mittags?|nachts?|spät|ende|anfang|zwischen|von|und|gegen|kommenden?|nächste\w*|diese\w*|"
    r"übermorgen|vorgestern|tage?|wochen?|monat|jahre?|ca|zu|zeit|halb|viertel|später|okt|dez)\b|[äöüß]",
    re.IGNORECASE,
)
_DATEPARSER = """
import json, sys, warnings
from datetime import datetime
import dateparser
warnings.filterwarnings("ignore")
found = []
for text, now in json.load(sys.stdin):
    base = datetime.fromisoformat(now)
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future"}
    day = dateparser.parse(text, languages=[sys.argv[1]], settings=settings)
    found.append(day.replace(tzinfo=None).isoformat(timespec="minutes") if day else None)
print(json.dumps(found))
"""


def items_of(path: Path) -> list[tuple[str, str, str]]:
    """Text, moment and day of every item that is counted."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    corpora = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "corpus"
    ]
    return [
        (text, moment, day[1])
        for corpus in corpora
        for result, moment, texts in corpus
        if (day := _ONE_DAY.fullmatch(result))
        for text in texts
        if not _GERMAN.search(text)
    ]


def dateparser_on(items: list[tuple[str, str]], language: Language, python: str) -> list[str | None]:
    """What it finds in each text, seen from each moment, to the minute."""
    command = [python, "-c", _DATEPARSER, language]
    done = subprocess.run(command, input=json.dumps(items), capture_output=True, text=True, check=True)
    found: list[str | None] = json.loads(done.stdout)
    return found


def ctparse(path: Path, python: str) -> None:
    """Print both scores, and what we read otherwise."""
    items = items_of(path)
    theirs = dateparser_on([(text, moment) for text, moment, _ in items], "en", python)
    right = 0
    for text, moment, day in items:
        now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
        found = [str(each.value) for each in find_dates(text, now=now, language="en")][:1]
        right += found == [day]
        if found != [day]:
            print(f"{text!r}: {day}, read as {found[0] if found else None}")
    same = sum(found is not None and found[:10] == day for found, (_, _, day) in zip(theirs, items, strict=True))
    print(f"days of {len(items)} items: batuta {right}, dateparser {same}")


DUCKLING_NOW = datetime(2013, 2, 12, 4, 30, tzinfo=timezone(timedelta(hours=-2)))
_COMMENT = re.compile(r"(?m)^\s*;.*$|;[^\"\n]*$")
_ENTRY = re.compile(r'"(?:[^"\\]|\\.)*"|\([^()]*(?:\([^()]*\)[^()]*)*\)')
_PLACE = re.compile(r"\(datetime\s+((?:\d+\s*)+)")
_INTERVAL = re.compile(r"\[([\d\s]+)\]")


def duckling_items(jar: Path, language: Language) -> list[tuple[str, date | Period]]:
    """Texts with the day, minute or period that each means; what is said of stretches of hours is left out."""
    source = zipfile.ZipFile(jar).read(f"languages/{language}/corpus/time.clj").decode()
    source = _COMMENT.sub("", source)
    items: list[tuple[str, date | Period]] = []
    texts: list[str] = []
    for entry in _ENTRY.findall(source[source.index("}") + 1 :]):
        if entry.startswith('"'):
            texts.append(entry[1:-1])
            continue
        meant = _meant(entry)
        items += [(text, meant) for text in texts if meant is not None]
        texts = []
    return items


def _meant(form: str) -> date | Period | None:
    bounds = [[int(part) for part in each.split()] for each in _INTERVAL.findall(form)]
    if form.startswith("(datetime-interval") and len(bounds) == 2 and max(map(len, bounds)) <= 3:
        first, end = (date(*[*parts, 1, 1][:3]) for parts in bounds)
        return Period(first=first, last=end - timedelta(days=1))
    place = _PLACE.match(form)
    if place is None or ":direction" in form:
        return None
    parts = [int(part) for part in place[1].split()]
    grain = re.search(r":grain :(week|quarter)", form)
    if len(parts) < 3 or grain:
        unit = grain[1] if grain else {1: "year", 2: "month"}[len(parts)]
        return unit_of(unit, date(*[*parts, 1, 1][:3]))  # type: ignore[arg-type]
    return date(*parts) if len(parts) == 3 else datetime(*parts[:5])  # type: ignore[arg-type] # noqa: DTZ001


def is_read(text: str, meant: date | Period, language: Language) -> bool:
    """Whether our first reading is what is meant."""
    if isinstance(meant, Period):
        read = [find_periods(text, now=DUCKLING_NOW, prefer=side, language=language) for side in ("past", "future")]
        return any(f and (f[0].value.first, f[0].value.last) == (meant.first, meant.last) for f in read)
    if isinstance(meant, datetime):
        moments = find_moments(text, now=DUCKLING_NOW, language=language)
        return bool(moments) and moments[0].value.replace(tzinfo=None) == meant
    days = find_dates(text, now=DUCKLING_NOW, language=language)
    return bool(days) and days[0].value == meant


def is_found(found: str | None, meant: date | Period) -> bool:
    """Whether dateparser's reading is what is meant, or lies in it."""
    if found is None:
        return False
    if isinstance(meant, Period):
        return meant.covers(date.fromisoformat(found[:10]))
    return found == meant.isoformat(timespec="minutes") if isinstance(meant, datetime) else found[:10] == str(meant)


def duckling(jar: Path, python: str) -> None:
    """Print both scores by language and kind."""
    for language in ("en", "es"):
        items = duckling_items(jar, language)
        now = DUCKLING_NOW.replace(tzinfo=None).isoformat()
        theirs = dateparser_on([(text, now) for text, _ in items], language, python)
        ours, other, all_of = Counter[str](), Counter[str](), Counter[str]()
        for (text, meant), found in zip(items, theirs, strict=True):
            kind = {date: "days", datetime: "moments", Period: "periods"}[type(meant)]
            all_of[kind] += 1
            ours[kind] += is_read(text, meant, language)
            other[kind] += is_found(found, meant)
        for kind, count in all_of.items():
            print(f"{language} {kind:8} of {count:3}: batuta {ours[kind]:3}, dateparser {other[kind]:3}")
        print(f"{language} all      of {len(items):3}: batuta {ours.total():3}, dateparser {other.total():3}")


def main() -> None:
    """Score the corpus that is given."""
    path = Path(sys.argv[1])
    (duckling if path.suffix == ".jar" else ctparse)(path, sys.argv[2])


if __name__ == "__main__":
    main()
