"""The first team, built with the built-in model as the server would build it."""

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
def team(tmp_path: Path, clock: FakeClock) -> Orchestrator:
    return Orchestrator(
        supervisor=OFFLINE_MODEL,
        agents=[
            calculator.specialist(OFFLINE_MODEL, clock=clock, time_zone=ZONE),
            documents.specialist(OFFLINE_MODEL, data_dir=tmp_path),
            appointments.specialist(OFFLINE_MODEL, data_dir=tmp_path, clock=clock, time_zone=ZONE),
        ],
        is_streaming=True,
    )


@pytest.fixture(autouse=True)
def _limits_of_its_own() -> None:
    """Tools that write are limited per process: what one test books must not slow the next."""
    default_invoker.cache_clear()
