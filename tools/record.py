"""Write the recorded sessions: `python -m tools.record`.

A recording is written once. Later versions of the program must read it as it is, so an existing file is left alone;
to tell a scenario anew, delete its file first.
"""

from collections.abc import Callable
from pathlib import Path

from batuta.events import encode
from tools.random_session import random_session
from tools.scenarios import SCENARIOS, told
from tools.script import Script

SESSIONS = Path(__file__).parent.parent / "tests" / "replay" / "sessions"
RANDOM_SEEDS = range(1, 6)


def all_scenarios() -> dict[str, Callable[[Script], None]]:
    """Every recorded session by name, in the order of their numbers."""
    return SCENARIOS | {f"random-{seed}": random_session(seed) for seed in RANDOM_SEEDS}


def record(folder: Path = SESSIONS) -> list[Path]:
    """Write the sessions that are not there yet; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, (name, scenario) in enumerate(all_scenarios().items(), start=1):
        path = folder / f"{name}.jsonl"
        if not path.exists():
            path.write_bytes(b"".join(encode(event) + b"\n" for event in told(number, scenario)))
            written.append(path)
    return written


if __name__ == "__main__":
    record()
