"""Worker processes killed at event boundaries and at random moments: every turn ends as if left alone (O-3, O-4).

The short forms; the long ones are `python -m tests.chaos.boundaries` and `python -m tests.chaos.turns` (`make chaos`).
"""

from collections.abc import Iterator

import pytest

from tests.chaos import boundaries
from tests.chaos.eventlog import servers
from tests.chaos.turns import BACKENDS, WORKERS, run
from tests.chaos.workers import CREWS
from tests.support.processes import Zygote


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote([WORKERS, "tests.chaos.boundaries"])
    yield zygote
    zygote.close()


@pytest.mark.parametrize("crew", CREWS)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_turns_whose_workers_are_killed_end_as_if_left_alone(zygote: Zygote, backend: str, crew: str) -> None:
    """A dozen kills, a dozen turns at once: the same view, every write once, unknown outcomes asked."""
    with servers(backend) as place:
        report = await run(zygote, place, kills=12, turns=12, seed=11, crew=crew)
    report.require()


@pytest.mark.parametrize(("crew", "stride"), [("calm", 13), ("busy", 23)])
@pytest.mark.parametrize("backend", BACKENDS)
async def test_cr03_turns_killed_at_event_boundaries_end_as_if_left_alone(
    zygote: Zygote, backend: str, crew: str, stride: int
) -> None:
    """Some of them, before and after an event in turn, each by SIGKILL of a process of its own."""
    with servers(backend) as place:
        report = await boundaries.run(zygote, place, stride=stride, crew=crew)
    report.require()
    assert report.kills > 10
    # Where all but a turn's end was stored nothing is left to take up; beside other load, so it is for one or two more.
    assert report.resumed >= report.kills - 3, "taken up by another process, unless all but its end was told"
