"""The processes of a fleet: what `batuta serve` and `batuta worker` run, with a team of the test's choice."""

import asyncio
import importlib
import logging
import signal
import sys
from typing import Any

from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.app import serve
from batuta.server.config import ModelChoice, load_settings
from batuta.server.wiring import open_platform, open_worker
from tests.support.processes import say


async def web(settings: dict[str, Any], team: str, about: dict[str, Any]) -> None:
    """Serve until a signal comes."""
    _log_to_stderr()
    async with open_platform(
        load_settings({}, **settings), _team(team, about), model=ModelChoice(label="chosen")
    ) as platform:
        await serve(platform, on_start=lambda address: say(ready=True, address=address))


async def worker(settings: dict[str, Any], team: str, about: dict[str, Any]) -> None:
    """Run turns until a signal comes."""
    _log_to_stderr()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with open_worker(load_settings({}, **settings), _team(team, about)) as process:
        say(ready=True)
        await process.run(stop)


def _team(target: str, about: dict[str, Any]) -> Orchestrator:
    module, _, name = target.partition(":")
    team: Orchestrator = getattr(importlib.import_module(module), name)(**about)
    return team


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
