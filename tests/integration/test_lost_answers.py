"""Executed, but the caller saw a timeout, on the wire: every answer of every operation is lost once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from batuta.kernel.errors import StoreUnavailableError
from batuta.testing.eventlog import LOG_CASES
from batuta.testing.eventlog.unanswered import state_of_log
from batuta.testing.lost_answers import Case, Send, check
from batuta.testing.turns import QUEUE_CASES
from batuta.testing.turns.unanswered import Aftermath
from tests.support.faultproxy import FaultProxy, fault_proxy
from tests.support.servers import PostgresServer, RedisServer
from tests.support.stores import Store, postgres_opener, redis_opener
from tests.support.triggers import nth_request

LET_GO_SECONDS = 0.1
"""Until the server has noticed that its client is gone and let go of the rows it had locked."""
ROUND_TRIPS = 40
"""More than any operation makes."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A store, and the wire whose answers get lost."""

    store: Store
    proxy: FaultProxy


@pytest.fixture(params=["postgres", "redis", "the database behind redis"])
async def line(
    request: pytest.FixtureRequest,
    postgres_server: PostgresServer,
    redis_server: RedisServer,
    log_url: str,
    redis_url: str,
) -> AsyncIterator[Line]:
    server: PostgresServer | RedisServer = redis_server if request.param == "redis" else postgres_server
    async with fault_proxy(server.port) as proxy:
        openers = {
            "postgres": postgres_opener(proxy.through(log_url)),
            "redis": redis_opener(proxy.through(redis_url), log_url),
            "the database behind redis": redis_opener(redis_url, proxy.through(log_url)),
        }
        async with openers[request.param]() as store:
            yield Line(store=store, proxy=proxy)


@dataclass
class Thief:
    """Takes one answer away: the first of the operation, then the second, and so on until there is none left."""

    proxy: FaultProxy
    number: int = 1
    taken: int = 0
    is_done: bool = False

    async def lose(self, send: Send) -> None:
        before = self.proxy.counters.dropped_responses
        self.proxy.drop_response(nth_request(self.number))
        try:
            await send()
        except StoreUnavailableError:
            pass
        finally:
            await self.proxy.heal()
            await asyncio.sleep(LET_GO_SECONDS)
        self.is_done = self.proxy.counters.dropped_responses == before
        self.taken += not self.is_done
        self.number += 1


async def steal_every_answer(case: Case, store: Any, left_behind: Any, proxy: FaultProxy) -> int:
    """How many answers there were to take."""
    thief = Thief(proxy)
    while not thief.is_done:
        assert thief.number < ROUND_TRIPS, f"{case} never ends"
        await check(case, store, left_behind, thief.lose)
    return thief.taken


@pytest.mark.parametrize("case", LOG_CASES, ids=str)
async def test_ft01_any_lost_answer_of_the_log_makes_no_difference(line: Line, case: Case) -> None:
    """FT-01."""
    log = line.store.log
    taken = await steal_every_answer(case, log, lambda session: state_of_log(log, session), line.proxy)
    assert taken or case.operation in ("append", "read", "read_stored", "head", "heads"), "nothing crossed the wire"


@pytest.mark.parametrize("case", QUEUE_CASES, ids=str)
async def test_ft01_any_lost_answer_of_the_queue_makes_no_difference(line: Line, case: Case) -> None:
    """FT-01."""
    queue = line.store.queue
    await steal_every_answer(case, queue, Aftermath(queue, line.store.log), line.proxy)
