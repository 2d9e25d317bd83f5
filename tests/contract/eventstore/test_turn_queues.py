"""The queues in memory, SQLite and PostgreSQL keep the contract."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from batuta.events.queue import TurnQueue
from batuta.testing.turns import QueueSubject, TurnQueueContract
from tests.support.stores import Opener, postgres_opener, redis_opener


@asynccontextmanager
async def subject_at(opener: Opener) -> AsyncIterator[QueueSubject]:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opener())

        async def another() -> TurnQueue:
            return (await stack.enter_async_context(opener())).queue

        async def project() -> None:
            await store.projector.catch_up()

        yield QueueSubject(queue=store.queue, log=store.log, another=another, project=project)


class TestTurnQueues(TurnQueueContract):
    @pytest.fixture
    async def subject(self, opener: Opener) -> AsyncIterator[QueueSubject]:
        async with subject_at(opener) as subject:
            yield subject


class TestWithOneConnection(TurnQueueContract):
    """Nobody who holds a connection asks for another: as many callers as connections would wait for ever."""

    @pytest.fixture(params=["postgres", "redis"])
    async def subject(
        self, request: pytest.FixtureRequest, log_url: str, redis_url: str
    ) -> AsyncIterator[QueueSubject]:
        narrow = {
            "postgres": postgres_opener(log_url, pool_size=1),
            "redis": redis_opener(redis_url, log_url, pool_size=1),
        }
        async with subject_at(narrow[request.param]) as subject:
            yield subject
