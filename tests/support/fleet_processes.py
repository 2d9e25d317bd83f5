"""The processes of a fleet: what `batuta serve` and `batuta worker` run, with a team of the test's choice."""

import asyncio
import importlib
import logging
import signal
import sys
from contextlib import AbstractAsyncContextManager
from typing import Any

from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.app import serve
from batuta.server.config import ModelChoice, load_settings
from batuta.server.startup import when_available
from batuta.server.wiring import Platform, open_platform, open_worker
from tests.support.processes import say


async def web(settings: dict[str, Any], team: str, about: dict[str, Any]) -> None:
    """Serve until a signal comes."""
    _log_to_stderr()
    chosen, conductor = load_settings({}, **settings), _team(team, about)

    def opening() -> AbstractAsyncContextManager[Platform]:
        return open_platform(chosen, conductor, model=ModelChoice(label="chosen"))

    async with when_available(chosen, opening, has_page=True) as platform:
        await serve(platform, on_start=lambda address: say(ready=True, address=address))


async def worker(settings: dict[str, Any], team: str, about: dict[str, Any]) -> None:
    """Run turns until a signal comes."""
    _log_to_stderr()
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


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
