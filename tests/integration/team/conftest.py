"""The first team, built with the built-in model as the server would build it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from batuta.agents import appointments, calculator, documents
from batuta.llm.providers import OFFLINE_MODEL
from batuta.orchestration import Orchestrator
from batuta.testing.clock import FakeClock
from batuta.tools.invocation import default_invoker

MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)
ZONE = "Europe/Madrid"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(MONDAY)


@pytest.fixture
async def team(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Orchestrator]:
    library = documents.folder_library(documents.SAMPLES, tmp_path)
    yield Orchestrator(
        supervisor=OFFLINE_MODEL,
        agents=[
            calculator.specialist(OFFLINE_MODEL, clock=clock, time_zone=ZONE),
            documents.specialist(OFFLINE_MODEL, library=library),
            appointments.specialist(OFFLINE_MODEL, data_dir=tmp_path, clock=clock, time_zone=ZONE),
        ],
        is_streaming=True,
    )
    await library.close()


@pytest.fixture(autouse=True)
def _limits_of_its_own() -> None:
    """Tools that write are limited per process: what one test books must not slow the next."""
    default_invoker.cache_clear()
