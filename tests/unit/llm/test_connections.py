"""Clients are shared by endpoint and loop, and closed when nobody needs them any more."""

import asyncio

from batuta.llm.connections import Connections


class Client:
    def __init__(self) -> None:
        self.is_closed = False


class Owner:
    pass


class Bench:
    def __init__(self) -> None:
        self.connections = Connections()
        self.made: list[Client] = []

    async def client(self, key: str, owner: Owner) -> Client:
        client: Client = await self.connections.client(key, owner, make=self._make, close=self._close)
        return client

    def _make(self) -> Client:
        self.made.append(Client())
        return self.made[-1]

    async def _close(self, client: Client) -> None:
        await asyncio.sleep(0)
        client.is_closed = True


async def test_owners_of_one_endpoint_share_a_client() -> None:
    bench, first, second = Bench(), Owner(), Owner()
    assert await bench.client("a", first) is await bench.client("a", second)
    assert await bench.client("b", first) is not await bench.client("a", first)


async def test_the_last_owner_closes_it() -> None:
    bench, first, second = Bench(), Owner(), Owner()
    client = await bench.client("a", first)
    await bench.client("a", second)
    await bench.connections.release(first)
    after_the_first = client.is_closed
    await bench.connections.release(second)
    assert (after_the_first, client.is_closed, bench.connections.count()) == (False, True, 0)


async def test_after_closing_a_new_one_is_made() -> None:
    bench, owner = Bench(), Owner()
    first = await bench.client("a", owner)
    await bench.connections.release(owner)
    assert await bench.client("a", owner) is not first


async def test_releasing_what_was_never_used_changes_nothing() -> None:
    bench = Bench()
    await bench.connections.release(Owner())
    assert bench.connections.count() == 0


def test_every_loop_has_clients_of_its_own() -> None:
    bench, owner = Bench(), Owner()
    first = asyncio.run(bench.client("a", owner))
    second = asyncio.run(bench.client("a", owner))
    assert first is not second


def test_a_loop_that_ends_closes_what_was_left_open() -> None:
    """A program that never closes its model leaks nothing."""
    bench, owner = Bench(), Owner()
    client = asyncio.run(bench.client("a", owner))
    assert client.is_closed
