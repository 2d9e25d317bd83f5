"""Sockets whose clients vanish: they are let go, with what they held."""

import asyncio
from pathlib import Path

import pytest

from batuta.server.live import sockets
from tests.support.faultproxy import fault_proxy
from tests.support.platform import running, settings_for


async def test_ft06_clients_that_vanish_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FT-06: no FIN, no answer to a ping; in a fifteenth of the time that production waits."""
    monkeypatch.setattr(sockets, "PING_SECONDS", 1)
    monkeypatch.setattr(sockets, "PONG_SECONDS", 1)
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        async with fault_proxy(int(site.address.rpartition(":")[2])) as proxy:
            for _ in range(15):
                await ana.tab(through=proxy.through(site.address), Host=site.address.removeprefix("http://"))
            assert site.platform.connections.counts()["socket"] >= 15
            proxy.half_open()
            async with asyncio.timeout(30):
                while site.platform.connections.counts()["socket"]:
                    await asyncio.sleep(0.05)
