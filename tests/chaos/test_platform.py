"""Short form of the distributed kill test: twenty seconds, a dozen people, every figure zero."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.platform import MODULES, TEAM, Load, run
from tests.support.fleet import Fleet, distributed_place
from tests.support.processes import Zygote

pytestmark = pytest.mark.chaos


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(MODULES)
    yield zygote
    zygote.close()


@pytest.mark.timeout(180)
async def test_cr01_cr02_cr15_killed_processes_and_a_forgetful_redis_cost_no_message_and_no_view(
    zygote: Zygote,
) -> None:
    """P-2, CR-01, CR-02, CR-15: two web and two worker processes die; nothing is lost, doubled or different."""
    report = await run(zygote, Load(users=12, seconds=16, kills_every=(1.5, 3.0), seed=7))
    report.require(messages=24, kills=3)


@pytest.mark.timeout(300)
async def test_cr04_cr08_servers_that_go_away_and_come_back_cost_no_message_and_no_process(zygote: Zygote) -> None:
    """CR-08, CR-04: PostgreSQL and Redis are killed in turn under load; every process lives on and works on."""
    load = Load(users=6, seconds=24, kills_every=None, servers_every=(3.0, 6.0), seed=11)
    report = await run(zygote, load)
    report.require(messages=6, kills=3)


async def test_no_run_is_of_a_fleet_that_sees_through_row_level_security(zygote: Zygote, tmp_path: Path) -> None:
    """What is loaded and killed is what is deployed: it serves as a role that owns nothing."""
    with distributed_place(tmp_path) as place:
        fleet = Fleet(zygote, place, TEAM, webs=0, workers=0)
        async with fleet.running():
            assert place.postgres is not None
            owned = "SELECT count(*) FROM pg_class WHERE relowner = 'batuta_app'::regrole"
            assert place.postgres.execute(owned, place.database) == "0"
            place.postgres.execute("ALTER ROLE batuta_app SUPERUSER")
        with pytest.raises(AssertionError, match="row-level security"):
            async with fleet.running():
                pass
