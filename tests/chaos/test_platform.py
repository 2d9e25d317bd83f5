"""Short form of the distributed kill test: twenty seconds, a dozen people, every figure zero."""

import asyncio
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.chaos.platform import MODULES, TEAM, Load, files_in, run
from tests.support.fleet import Fleet, distributed_place
from tests.support.node_clients import run_client
from tests.support.processes import Zygote
from tests.support.verifier import percentile

pytestmark = pytest.mark.chaos

HOUR = 3_600.0
EIGHT_DAYS = 8 * 24 * HOUR
"""More than an approval lives."""
"""A question that a late worker asked is over for a process that is a whole week early: approvals last seven days."""
SOCKETS = int(os.environ.get("BATUTA_SOCKETS", "200"))


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(MODULES)
    yield zygote
    zygote.close()


async def test_cr01_cr02_cr15_is16_killed_processes_and_a_forgetful_redis_cost_no_message_and_no_view(
    zygote: Zygote, record_property: Callable[[str, object], None]
) -> None:
    """P-2: two web and two worker processes die; nothing is lost, doubled or different, nor an answer uncounted."""
    report = await run(zygote, Load(users=12, seconds=16, kills_every=(1.5, 3.0), seed=7))
    report.require(messages=24, kills=3)
    kills = sum(report.kills.values())
    figure = f"{kills} kills, {report.served} calls served, all counted, {report.lost_calls} of them as lost"
    record_property("figure", figure)


async def test_cr04_cr08_servers_that_go_away_and_come_back_cost_no_message_and_no_process(zygote: Zygote) -> None:
    """CR-08, CR-04: PostgreSQL and Redis are killed in turn under load; every process lives on and works on."""
    load = Load(users=6, seconds=24, kills_every=None, servers_every=(3.0, 6.0), seed=11)
    report = await run(zygote, load)
    report.require(messages=6, kills=3)


async def test_cr11_processes_that_are_replaced_one_by_one_fail_no_turn(
    zygote: Zygote, record_property: Callable[[str, object], None]
) -> None:
    """CR-11: each is told to end under load, ends by itself in time, and the next one takes its place."""
    report = await run(zygote, Load(users=6, seconds=10, kills_every=None, is_rolling=True, seed=5))
    report.require(messages=6, kills=4)
    resumed = f"resume p95 {percentile(report.resumed, 0.95):.1f} s"
    record_property("figure", f"{sum(report.kills.values())} replaced, {report.accepted} turns, 0 failed, {resumed}")


async def test_ft11_processes_with_a_wrong_time_of_day_change_nothing(zygote: Zygote) -> None:
    """FT-11: hours or days early or late, while workers die: no lease is stolen, no order changed, no approval over."""
    clocks = {"web-0": EIGHT_DAYS, "web-1": -2 * HOUR, "worker-0": 2 * HOUR, "worker-1": -EIGHT_DAYS}
    report = await run(zygote, Load(users=6, seconds=12, kills_every=(2.0, 4.0), clocks=clocks, seed=13))
    report.require(messages=6, kills=2)


async def test_cr19_sockets_come_back_and_not_in_step_when_all_web_processes_are_killed(
    zygote: Zygote, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """CR-19: with the page's own way to reconnect. Of those who try again, few do so in the same moment."""
    with distributed_place(tmp_path) as place:
        fleet = Fleet(zygote, place, TEAM, about=files_in(tmp_path), workers=0)
        async with fleet.running():
            connected = tmp_path / "connected"
            task = {"addresses": fleet.addresses, "secrets": await fleet.people(SOCKETS // 10), "sockets": SOCKETS}
            waiting = asyncio.create_task(run_client("crowd", seconds=240, connected=str(connected), **task))
            while not connected.exists():
                assert not waiting.done(), await waiting
                await asyncio.sleep(0.05)
            await asyncio.gather(*(fleet.kill(f"web-{number}") for number in range(fleet.webs)))
            report = await waiting
    assert len(report["connected_ms"]) == SOCKETS
    most = most_at_once(report["tried_ms"], within_ms=50)
    assert most <= SOCKETS / 2
    seconds = max(report["connected_ms"]) / 1000
    record_property("figure", f"{SOCKETS} sockets back in {seconds:.1f} s, at most {most} tries within 50 ms")


def most_at_once(moments: Sequence[float], *, within_ms: float) -> int:
    """The most of them within a time."""
    ordered = sorted(moments)
    return max(bisect_right(ordered, first + within_ms) - place for place, first in enumerate(ordered))


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
