"""A sandbox that is ready to use: store, business, demo companies, notifications.

sandbox = open_sandbox()                                     # in memory, small companies
sandbox = open_sandbox(Path("demo.db"), size="M")            # kept in a file; made once, opened quickly afterwards
"""

import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business import business_central
from batuta.sandbox.demo import DEMO_TODAY, create_demo
from batuta.sandbox.media import with_media
from batuta.sandbox.platform_sets import with_platform_sets
from batuta.sandbox.records import MEMORY, SandboxStore
from batuta.sandbox.service import Sandbox, SandboxSettings

SMALL: Final = "S"


def full_behaviour() -> Behaviour:
    """All rules, ledgers and reports, with the sets that the platform answers."""
    return with_media(with_platform_sets(business_central()))


def open_sandbox(
    path: Path | str = MEMORY,
    *,
    size: str = SMALL,
    settings: SandboxSettings | None = None,
    today: date | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Sandbox:
    """Open a sandbox; an empty file (or memory) is filled with the demo companies first."""
    behaviour = full_behaviour()
    store = SandboxStore(path, behaviour=behaviour)
    sandbox = Sandbox(store, behaviour, settings, clock=time.monotonic)
    if not store.records("").exists("companies"):
        _fill(store, behaviour, size, progress)
    if today is not None:
        store.set_today(today)
    return sandbox


_made: dict[str, bytes] = {}
"""The demo companies by size, as this process has made them: a second sandbox in memory costs next to nothing."""


def _fill(store: SandboxStore, behaviour: Behaviour, size: str, progress: Callable[[str, float], None] | None) -> None:
    if size in _made:
        store.load(_made[size])
        return
    create_demo(store, behaviour, size=size, today=DEMO_TODAY, progress=progress)
    if size == SMALL:
        _made[size] = store.dump()


def reset_file(path: Path) -> None:
    """Remove a database with what SQLite keeps beside it."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)
