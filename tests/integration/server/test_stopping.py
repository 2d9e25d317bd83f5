"""The server stops in good order whoever is connected or just leaving: at once, without a complaint (P-3)."""

import asyncio
import gc
import logging
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from batuta.server.app import Server
from batuta.server.wiring import open_platform
from tests.support.platform import Person, Stage, Tab, running, settings_for

TIMES, TABS, STREAMS = 20, 6, 3


async def follow(person: Person, session: str) -> None:
    with suppress(httpx.HTTPError):
        async with person.http.stream("GET", f"/api/sessions/{session}/stream", timeout=None) as answer:
            async for _ in answer.aiter_bytes():
                pass


async def joined(person: Person, session: str) -> Tab:
    tab = await person.tab()
    await tab.command("session:join", {"session_id": session})
    return tab


async def stop_while_connected(folder: Path, number: int) -> None:
    """Half of the tabs leave in the moment in which the server is told to stop, each time a little earlier."""
    async with running(settings_for(folder, shutdown_seconds=10)) as site:
        ana = await site.person()
        session = await ana.session()
        streams = [asyncio.create_task(follow(ana, session)) for _ in range(STREAMS)]
        tabs = [await joined(ana, session) for _ in range(TABS)]
        site._people.clear()  # nobody else says goodbye for them before the server does
        leaving = [asyncio.create_task(tab.client.disconnect()) for tab in tabs[::2]]
        await asyncio.sleep(number * 0.0005)
    await asyncio.gather(*leaving, *streams, return_exceptions=True)
    for tab in tabs:
        await tab.close()
    await ana.http.aclose()


async def test_it_stops_in_good_order_while_clients_are_connected_or_leaving(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loose: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: loose.append(context))
    with caplog.at_level(logging.WARNING):
        for number in range(TIMES):
            await stop_while_connected(tmp_path / str(number), number)
    complaints = [record.getMessage() for record in caplog.records if record.name.startswith(("uvicorn", "batuta"))]
    assert (complaints, loose) == ([], [])


@pytest.mark.parametrize("turns_of_the_loop", range(5))
async def test_whoever_connects_in_the_moment_of_the_stop_is_not_forgotten(
    tmp_path: Path, turns_of_the_loop: int
) -> None:
    """A connection that nobody closes would warn when it is collected, and warnings are errors here."""
    async with open_platform(settings_for(tmp_path), Stage().team()) as platform:
        server = Server(platform)
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup()
        with socket.create_connection(server.servers[0].sockets[0].getsockname()):
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            await server.shutdown()
    gc.collect()
