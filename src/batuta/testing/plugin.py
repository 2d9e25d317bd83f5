"""The pytest plugin: `crash_matrix` as a fixture, there as soon as Batuta is installed.

async def test_my_team_survives(crash_matrix):
report = await crash_matrix(build_team, "book monday")
report.check()
"""

import importlib
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def crash_matrix() -> Callable[..., Any]:
    """Kills a team before and after every event of a turn; see `batuta.testing.crashes`."""
    matrix: Callable[..., Any] = importlib.import_module("batuta.testing.crashes").crash_matrix
    return matrix
