"""Processes that are started while PostgreSQL is away: they wait, say so, and work as soon as it is there."""

import asyncio
from pathlib import Path

import httpx
import pytest

from batuta.kernel.errors import ConfigurationError
from batuta.server.startup import when_available
from tests.support.platform import Running, running, settings_for
from tests.support.servers import PostgresServer
from tests.support.workplace import free_port


async def ready(http: httpx.AsyncClient, status: int) -> dict[str, object]:
    """What `/readyz` says once it answers with this status."""
    async with asyncio.timeout(60):
        while True:
            try:
                answer = await http.get("/readyz")
            except httpx.TransportError:
                await asyncio.sleep(0.05)
                continue
            if answer.status_code == status:
                found: dict[str, object] = answer.json()
                return found
            await asyncio.sleep(0.05)


async def test_a_page_under_a_foreign_name_is_refused_while_waiting(
    private_postgres: PostgresServer, tmp_path: Path
) -> None:
    private_postgres.stop()
    settings = settings_for(tmp_path, database_url=private_postgres.url(), port=free_port())

    async def wait_for_it() -> None:
        async with when_available(settings, lambda: running(settings), has_page=True):
            pass

    waiting = asyncio.create_task(wait_for_it())
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}") as http:
        await ready(http, 503)
        answer = await http.get("/readyz", headers={"Host": "evil.test"})
        assert (answer.status_code, answer.json()["code"]) == (400, "UNKNOWN_HOST")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        with pytest.raises(httpx.TransportError):
            await http.get("/readyz")


async def test_what_only_people_can_mend_is_not_waited_for(postgres_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, database_url=postgres_url)
    with pytest.raises(ConfigurationError, match="migrate"):
        async with when_available(settings, lambda: running(settings)) as site:
            assert isinstance(site, Running)
