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
from batuta.sandbox.demo import DEMO_TODAY, SIZE_SETTING, SIZES, create_demo, unknown_size
from batuta.sandbox.media import with_media
from batuta.sandbox.platform_sets import with_platform_sets
from batuta.sandbox.records import MEMORY, SandboxFileError, SandboxStore
from batuta.sandbox.service import Sandbox, SandboxSettings
from batuta.sandbox.snapshots import snapshot_files

SMALL: Final = "S"


def full_behaviour() -> Behaviour:
    """All rules, ledgers and reports, with the sets that the platform answers."""
    return with_media(with_platform_sets(business_central()))


def open_sandbox(
    path: Path | str = MEMORY,
    *,
    size: str | None = None,
    settings: SandboxSettings | None = None,
    today: date | None = None,
    traded_until: date = DEMO_TODAY,
    progress: Callable[[str, float], None] | None = None,
) -> Sandbox:
    """Open a sandbox; an empty file (or memory) is filled with the demo companies first, of size S unless one is given.

    Companies that are made now have traded until `traded_until`; `today` only sets the working date of those there are.
    A file that holds companies of another size than the one that is asked for is refused: `SandboxFileError`.
    """
    if size is not None and size not in SIZES:
        raise ValueError(unknown_size(size))
    behaviour = full_behaviour()
    store = SandboxStore(path, behaviour=behaviour)
    sandbox = Sandbox(store, behaviour, settings, clock=time.monotonic)
    if not store.records("").exists("companies"):
        _fill(store, behaviour, size or SMALL, traded_until, progress)
    elif size is not None and store.setting(SIZE_SETTING) not in (size, None):
        kept = store.setting(SIZE_SETTING)
        store.close()
        raise SandboxFileError(
            f"{path} holds companies of size {kept}, not {size}: start with --reset to make them anew, or without "
            "--company-size"
        )
    if today is not None:
        store.set_today(today)
    return sandbox


_made: dict[date, bytes] = {}
"""The small demo companies by their last day, as this process has made them: a second sandbox costs next to nothing."""


def _fill(
    store: SandboxStore,
    behaviour: Behaviour,
    size: str,
    traded_until: date,
    progress: Callable[[str, float], None] | None,
) -> None:
    if size == SMALL and traded_until in _made:
        store.load(_made[traded_until])
        return
    # In memory first: a file would write and read its pages again and again, and could be left half made.
    made = SandboxStore(behaviour=behaviour)
    create_demo(made, behaviour, size=size, today=traded_until, progress=progress)
    store.take_over(made)
    if size == SMALL:
        _made[traded_until] = made.dump()
    made.close()


def reset_file(path: Path) -> None:
    """Remove a database with what SQLite keeps beside it, and its snapshots."""
    snapshots = snapshot_files(path) if path.parent.is_dir() else []
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"), *snapshots):
        name.unlink(missing_ok=True)
