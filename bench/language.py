"""What `language` understands beside dateparser and a TF-IDF classifier, and what a sentence takes.

    python -m bench.language

Dates and periods are sentences of our own making in both languages (`language_cases`); dateparser is
right where it says the same day, month or year; in brackets, where any day it finds lies in the period. Intents are learnt from generated sentences and asked in others, with typing errors.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from batuta.agents.appointments.understanding import UNDERSTANDING as AGENDA
from batuta.agents.calculator.understanding import UNDERSTANDING as CALCULATOR
from batuta.language import Understanding, find_dates, find_periods
from batuta.language.interpretation import Interpreter
from batuta.language.matching import SentenceClassifier, tokens_of
from bench.language_cases import DATES, NOW, PERIODS, intent_sentences
from bench.peers import peer_python
from bench.tables import verdict

MAX_MILLISECONDS, MAX_MEGABYTES = 5, 30


def ours() -> dict[str, tuple[int, int]]:
    """How many dates and periods are read right."""
    now = datetime.fromisoformat(NOW).astimezone(ZoneInfo("Europe/Madrid"))
    scores = {}
    for language in ("en", "es"):
        found = {text: [str(each.value) for each in find_dates(text, now=now)] for text in DATES[language]}
        scores[f"dates {language}"] = (sum(found[text] == [day] for text, day in DATES[language].items()), len(found))
    for language in ("en", "es"):
        read = {
            text: [f"{e.value.first}..{e.value.last}" for e in find_periods(text, now=now)]
            for text in PERIODS[language]
        }
        scores[f"periods {language}"] = (sum(read[text] == [one] for text, one in PERIODS[language].items()), len(read))
    return scores


def our_intents(train: list[tuple[str, str]], test: list[tuple[str, str]]) -> tuple[int, int, float]:
    """How many sentences get their label, and how long one takes."""
    examples: dict[str, list[list[str]]] = {}
    for text, label in train:
        examples.setdefault(label, []).append(tokens_of(text))
    classifier = SentenceClassifier(examples)
    started = time.process_time()
    right = sum(classifier.scores(tokens_of(text))[0].label == label for text, label in test)
    return right, len(test), (time.process_time() - started) / len(test) * 1000


def cost_of_a_sentence() -> tuple[float, float, float, float]:
    """Seconds to train a team and to read what was learnt, milliseconds a sentence, megabytes it holds."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    team = [
        Understanding(agent_id="calculator", intents=CALCULATOR.intents),
        Understanding(agent_id="appointments", intents=AGENDA.intents),
    ]
    interpreter = Interpreter(team)
    trained = time.process_time() - started
    with tempfile.TemporaryDirectory() as folder:
        Interpreter(team, Path(folder))
        started = time.process_time()
        Interpreter(team, Path(folder))
        read = time.process_time() - started
    now = datetime.fromisoformat(NOW)
    texts = [f"book a meeting with Ana on {day} May at {day % 12 + 1}" for day in range(1, 29)]
    interpreter.interpret("warm up", now=now)
    started = time.process_time()
    for text in texts:
        interpreter.interpret(text, now=now)
    each = (time.process_time() - started) / len(texts) * 1000
    held = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return trained, read, each, held


def main() -> None:
    """Print the tables and how many aims were missed."""
    train, test = intent_sentences()
    asked = {"now": NOW, "dates": DATES, "periods": PERIODS, "train": train, "test": test}
    python = Path(sys.argv[1]) if len(sys.argv) > 1 else peer_python("language")
    trained, read, each, held = cost_of_a_sentence()
    mine, labels = ours(), our_intents(train, test)
    script = Path(__file__).with_name("language_peers.py")
    done = subprocess.run([python, script], input=json.dumps(asked), capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    print(f"{'':12}{'batuta':>10}{'dateparser':>16}")
    for kind, (right, count) in mine.items():
        print(f"{kind:12}{right:>5} / {count:<3}{theirs['found'][kind][0]:>7} ({theirs['found'][kind][1]}) / {count}")
    print(f"\nintents, held out ({len(train)} learnt, {len(test)} asked)")
    rows = {"batuta": list(labels), **theirs["intents"]}
    for name, (right, count, milliseconds) in rows.items():
        print(f"{name:40}{right / count:>7.3f}{milliseconds:>9.2f} ms")
    print(f"\na team is learnt in {trained:.1f} s, and read from its file in {read:.2f} s (decision 0103)")
    print(f"a sentence takes {each:.1f} ms, all of it holds {held:.0f} MB")
    total, other = (sum(right for right, *_ in scores.values()) for scores in (mine, theirs["found"]))
    best = max(right / count for right, count, _ in theirs["intents"].values())
    missed = [total < 2 * other, labels[0] / labels[1] < best, each > MAX_MILLISECONDS, held > MAX_MEGABYTES]
    print(verdict(sum(missed)))


if __name__ == "__main__":
    main()
