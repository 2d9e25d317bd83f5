"""The processes of a fleet: what `batuta serve` and `batuta worker` run, with a team of the test's choice."""

import asyncio
import importlib
import logging
import signal
import sys
import time
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

from batuta.kernel.clock import SystemClock
from batuta.kernel.ids import new_id
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.app import serve
from batuta.server.config import ModelChoice, load_settings
from batuta.server.startup import when_available
from batuta.server.wiring import Platform, open_platform, open_worker
from tests.support.processes import say


async def web(settings: dict[str, Any], team: str, about: dict[str, Any], clock_is_ahead: float = 0) -> None:
    """Serve until a signal comes."""
    _log_to_stderr()
    _set_clock(clock_is_ahead)
    chosen, conductor = load_settings({}, **settings), _team(team, about)

    def opening() -> AbstractAsyncContextManager[Platform]:
        return open_platform(chosen, conductor, model=ModelChoice(label="chosen"))

    async with when_available(chosen, opening, has_page=True) as platform:
        await serve(platform, on_start=lambda address: say(ready=True, address=address))


async def worker(settings: dict[str, Any], team: str, about: dict[str, Any], clock_is_ahead: float = 0) -> None:
    """Run turns until a signal comes."""
    _log_to_stderr()
    _set_clock(clock_is_ahead)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    chosen, conductor = load_settings({}, **settings), _team(team, about)
    async with when_available(chosen, lambda: open_worker(chosen, conductor)) as process:
        say(ready=True)
        await process.run(stop)


def _team(target: str, about: dict[str, Any]) -> Orchestrator:
    module, _, name = target.partition(":")
    team: Orchestrator = getattr(importlib.import_module(module), name)(**about)
    return team


def _set_clock(seconds: float) -> None:
    """Have a wrong time of day, in ids as well; how fast time goes stays right."""
    if seconds:
        ahead, time_ns = timedelta(seconds=seconds), time.time_ns

        def wrong_now() -> datetime:
            return datetime.now(UTC) + ahead

        SystemClock.now = staticmethod(wrong_now)
        new_id._time_ns = lambda: time_ns() + int(seconds * 1e9)


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
