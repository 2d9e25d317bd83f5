"""Trained classifiers kept as files, so that a process starts with what another has learnt.

A file is named after everything it was learnt from: the examples, the values their slots take, and the code that reads
them. What changes any of these is learnt again.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from batuta.language.matching import SentenceClassifier
from batuta.language.understanding import Intent, Slot

MAX_FILES = 32
"""How many are kept: an ERP whose names change leaves files behind."""


def kept_classifier(
    folder: Path, intents: Mapping[str, Intent], choices: Sequence[Slot], train: Callable[[], SentenceClassifier]
) -> SentenceClassifier:
    """The classifier of some intents by their labels: from its file, or trained now and written to one."""
    path = folder / f"{_digest(intents, choices)}.json"
    known = _read(path)
    if known is not None:
        return known
    made = train()
    try:
        _write(path, made)
    except OSError:
        return made  # a folder that cannot be written costs time at the next start, nothing else
    return made


def _digest(intents: Mapping[str, Intent], choices: Sequence[Slot]) -> str:
    examples = {
        label: {language: list(texts) for language, texts in i.examples.items()} for label, i in intents.items()
    }
    values = {slot.name: sorted((value, *words) for value, words in slot.known_values().items()) for slot in choices}
    learnt_from = json.dumps([_code(), examples, values], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(learnt_from.encode()).hexdigest()


@lru_cache(maxsize=1)
def _code() -> str:
    """The code that reads sentences, in short."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()


def _read(path: Path) -> SentenceClassifier | None:
    """What a file holds; none where there is none, or it was damaged."""
    try:
        return SentenceClassifier.restored(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _write(path: Path, classifier: SentenceClassifier) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(classifier.state(), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    unfinished.replace(path)
    newest = sorted(path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
    for old in newest[MAX_FILES:]:
        old.unlink(missing_ok=True)
