"""Days of ctparse's public corpus, ours beside dateparser. Nothing of it is kept here, and nothing is installed.

    pip download --no-deps --no-binary :all: ctparse && tar xf ctparse-*.tar.gz
    python -m bench.language_public ctparse-*/ctparse/time/corpus.py path/to/a/python/with/dateparser

The corpus is German and English: counted are the items that name one day in English words or in digits.
"""

import ast
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from batuta.language import find_dates

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
    day = dateparser.parse(text, languages=["en"], settings=settings)
    found.append(str(day.date()) if day else None)
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


def main() -> None:
    """Print both scores, and what we read otherwise."""
    items = items_of(Path(sys.argv[1]))
    asked = json.dumps([(text, moment) for text, moment, _ in items])
    done = subprocess.run([sys.argv[2], "-c", _DATEPARSER], input=asked, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    right = 0
    for text, moment, day in items:
        now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
        found = [str(each.value) for each in find_dates(text, now=now, language="en")][:1]
        right += found == [day]
        if found != [day]:
            print(f"{text!r}: {day}, read as {found[0] if found else None}")
    same = sum(found == day for found, (_, _, day) in zip(theirs, items, strict=True))
    print(f"days of {len(items)} items: batuta {right}, dateparser {same}")


if __name__ == "__main__":
    main()
