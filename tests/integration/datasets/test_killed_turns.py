"""A worker dies at an event of a turn with tables and charts: same tables, same pictures, nothing paid twice (A-6)."""

import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.server.config import Settings
from batuta.testing.mortality import DEATHS
from batuta.testing.views import difference
from tests.support.dataset_turns import CALLS, DatasetStage, memory_stage, platform_stage, play
from tests.support.platform import settings_for

STRIDE = int(os.environ.get("BATUTA_DATASET_KILLS_STRIDE", "29"))
"""Every so many boundaries; 1 takes all of them."""


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings | None:
    """Of the platform; none where everything is in memory."""
    if request.param == "memory":
        return None
    url = {"database_url": request.getfixturevalue("platform_url")} if request.param == "postgres" else {}
    return settings_for(tmp_path, worker_concurrency=0, **url)


@pytest.fixture
async def stage(settings: Settings | None) -> AsyncIterator[DatasetStage]:
    async with memory_stage() if settings is None else platform_stage(settings) as found:
        yield found


@pytest.mark.timeout(3600)
async def test_cr03_a_killed_turn_leaves_the_same_tables_and_the_same_pictures(stage: DatasetStage) -> None:
    """CR-03: before and after every event, and with what was on its way; the next worker ends the turn."""
    calm = await play(stage)
    assert len(calm.tables) == len(CALLS)
    assert calm.orphans == []
    assert set(calm.calls.values()) == {1}
    boundaries = [(place, how) for place in range(1, calm.event_count + 1) for how in DEATHS]
    for place, how in boundaries[::STRIDE]:
        found = await play(stage, kill_at=place, how=how)
        where = f"killed at event {place} of {calm.event_count}, {how}"
        assert found.view == calm.view, f"{where}: {difference(found.view, calm.view)}"
        assert found.tables == calm.tables, where
        assert found.specs == calm.specs, where
        assert found.orphans == [], where
        assert found.repeated == [], where
        assert sum((found.calls - calm.calls).values()) <= 1, f"{where}: {found.calls}"


async def test_a_turn_that_is_resumed_pays_only_for_the_call_that_was_under_way(stage: DatasetStage) -> None:
    """Killed after an answer is in the log: no model is asked for it again."""
    calm = await play(stage)
    found = await play(stage, kill_at=calm.event_count - 1, how="after")
    assert found.calls == Counter(dict.fromkeys(calm.calls, 1))
