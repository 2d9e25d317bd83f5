"""What understanding costs: memory of a trained team, work for a sentence, and nothing at import (A-40).

Work is counted in calls of functions, which a busy machine does not change; `bench/language.py` measures the time.
"""

import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime

from batuta.language.interpretation import Interpreter
from tests.unit.offline.asking import TEAM

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
MAX_BYTES = 30_000_000
MAX_CALLS = 60_000
"""Of Python functions, for a sentence that was never read before: about 5 milliseconds of an idle core."""
SENTENCES = (
    "could you book a meeting with Nora on the 3rd of December at a quarter past four?",
    "¿cuánto es el 15% de 2.350 y cuántos días faltan para el 12 de enero?",
)


def test_a_trained_team_holds_less_than_thirty_megabytes() -> None:
    tracemalloc.start()
    try:
        interpreter = Interpreter(TEAM)
        interpreter.interpret(SENTENCES[0], now=NOW)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < MAX_BYTES


def test_a_sentence_takes_a_bounded_amount_of_work() -> None:
    interpreter = Interpreter(TEAM)
    interpreter.interpret("warm", now=NOW)
    for sentence in SENTENCES:
        assert _calls_of(interpreter, sentence) < MAX_CALLS, sentence


def test_importing_batuta_trains_and_loads_nothing_of_it() -> None:
    code = "import sys, batuta; print([name for name in sys.modules if name.startswith(('batuta.language', 'batuta.offline'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _calls_of(interpreter: Interpreter, sentence: str) -> int:
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        interpreter.interpret(sentence, now=NOW)
    finally:
        sys.setprofile(None)
    return calls
