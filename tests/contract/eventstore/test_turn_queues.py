"""The queues in memory, SQLite and PostgreSQL keep the contract."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from batuta.events.queue import TurnQueue
from batuta.testing.turns import QueueSubject, TurnQueueContract
from tests.support.stores import Opener


class TestTurnQueues(TurnQueueContract):
    @pytest.fixture
    async def subject(self, opener: Opener) -> AsyncIterator[QueueSubject]:
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opener())

            async def another() -> TurnQueue:
                return (await stack.enter_async_context(opener())).queue

            async def project() -> None:
                await store.projector.catch_up()

            yield QueueSubject(queue=store.queue, log=store.log, another=another, project=project)
