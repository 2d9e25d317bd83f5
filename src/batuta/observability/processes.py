"""Which processes share a `/metrics` and which of them are no more (`PROMETHEUS_MULTIPROC_DIR`).

Prometheus' client keeps a file per process id; a process that was killed leaves its live gauges there for ever. Each
process therefore leaves a note of who it is: the machine, as this process sees it, and when it began. One that starts
or is asked takes the live gauges of those out that are surely gone: noted on the same machine, in the same process
namespace, and without a process of that id and that beginning. Files without a note, of other hosts or of other
containers are left alone.
"""

import json
import os
import socket
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")


@lru_cache(maxsize=1)
def machine() -> str:
    """This machine since it was started, as far as process ids are its own: another container is another machine."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(_BOOT_ID.read_text().strip())
        parts.append(str(_NAMESPACE.readlink()))
    return " ".join(parts)


def beginning_of(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; unknown where there is no `/proc`."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def sign_in(directory: Path) -> None:
    """Note who this process is; what an earlier one of the same id left goes first."""
    pid = os.getpid()
    mine = {"machine": machine(), "began": beginning_of(pid)}
    note = _note(directory, pid)
    if _read(note) == mine:
        return
    forget(directory, pid)
    written = note.with_suffix(".new")
    written.write_text(json.dumps(mine))
    written.replace(note)


def forget_dead(directory: Path) -> list[int]:
    """Take the live gauges of processes out that are gone; their counts stay. Returns their ids."""
    gone: list[int] = []
    for note in directory.glob("process_*.json"):
        number = note.stem.partition("_")[2]
        noted = _read(note)
        if number.isdigit() and noted.get("machine") == machine() and not _lives(int(number), noted.get("began")):
            forget(directory, int(number))
            gone.append(int(number))
    return gone


def forget(directory: Path, pid: int) -> None:
    """Take the live gauges of a process out, and its note."""
    for left in (*directory.glob(f"gauge_live*_{pid}.db"), _note(directory, pid)):
        left.unlink(missing_ok=True)


def _lives(pid: int, began: str | None) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's: it lives
        pass
    now = beginning_of(pid)
    return began is None or now is None or now == began


def _note(directory: Path, pid: int) -> Path:
    return directory / f"process_{pid}.json"


def _read(note: Path) -> dict[str, Any]:
    try:
        found = json.loads(note.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
