"""Workers killed at random moments: every turn ends as if nothing had happened (O-3, O-4)."""

from collections.abc import Iterator

import pytest

from tests.chaos.eventlog import servers
from tests.chaos.turns import BACKENDS, WORKERS, run
from tests.support.processes import Zygote


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote([WORKERS])
    yield zygote
    zygote.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_turns_whose_workers_are_killed_end_as_if_left_alone(zygote: Zygote, backend: str) -> None:
    """Twenty kills, twenty turns at once: the same view, every write once, unknown outcomes asked."""
    with servers(backend) as place:
        report = await run(zygote, place, kills=20, turns=20, seed=11)
    report.require()
