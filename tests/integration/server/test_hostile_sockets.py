"""Sockets of clients that vanish, send what they like, or do not read: they are let go, with what they held."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import psutil
import pytest

from batuta.server.http import protocols
from batuta.server.live import connections, sockets
from batuta.server.live.frames import MAX_WAITING_BYTES
from tests.support.faultproxy import fault_proxy
from tests.support.platform import Person, Running, running, settings_for
from tests.support.raw_sockets import RawSocket, frame, narrow_connection, raw_socket

FRAMES = int(os.environ.get("BATUTA_FRAMES", "5000"))
IDLE_SOCKETS = 200
TURNS = 64
"""With some 100 KB of events each: more than the kernel keeps for a client that does not read."""
KNOWN = ("40", "41", "3", "1", '42["session:join",{"session_id":"x"}]', '421["session:leave",{}]', '40{"token":"x"}')
UNKNOWN = (
    '4510000-["x",{"_placeholder":true,"num":0}]',
    '451-["x",{"_placeholder":true,"num":0}]',
    '461-0[{"_placeholder":true,"num":0}]',
    "",
    "x",
    "4",
    "2probe",
    "5",
    "42{}",
    "42[",
    "42[]",
    "42[1]",
    '4299999999999999999999["x"]',
    "43[]",
    "44{}",
    "49",
    "bAAAA",
    "b!",
    "40[]",
    "40/other,",
    '42["x",' + "[" * 20_000 + "]" * 20_000 + "]",
)


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


@pytest.mark.parametrize("is_known", [True, False], ids=["logged in", "a stranger"])
async def test_bi02_frames_that_no_client_of_ours_sends_end_their_connection_and_hold_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """BI-02: attachments that are announced and never sent, other packets, broken ones: closed, and hardly logged."""
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(protocols, "GOODBYE_SECONDS", 0.1)
    async with running(settings_for(tmp_path)) as site:
        cookie = _cookie(await site.person()) if is_known else ""
        for text in UNKNOWN:
            async with raw_socket(site.address, cookie=cookie) as socket:
                if is_known:
                    await socket.send("40")
                await socket.send(text)
                await asyncio.wait_for(socket.ended(), 10)
        async with raw_socket(site.address, cookie=cookie) as socket:
            await socket.send(b"\x00binary")
            await asyncio.wait_for(socket.ended(), 10)
        await _until(lambda: not site.platform.sockets.server.eio.sockets)
        assert not site.platform.sockets.callers
        assert len(caplog.text) < 5_000


async def test_a_second_login_on_one_socket_is_refused(tmp_path: Path) -> None:
    """Nothing of the first is left behind when the connection ends."""
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        async with raw_socket(site.address, cookie=_cookie(ana)) as socket:
            await socket.send("40")
            await socket.send("40")
            await asyncio.wait_for(socket.ended(), 10)
        await _until(lambda: not site.platform.sockets.callers)


async def test_bi01_mutated_frames_end_no_process_and_hold_nothing(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """BI-01: frames with changed bytes, by the thousand, over raw connections; people are served beside them."""
    draw, process = Random(1), psutil.Process()
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        await _throw(site, ana, draw, FRAMES // 5)
        held, threads, files = process.memory_info().rss, threading.active_count(), process.num_fds()
        await _throw(site, ana, draw, FRAMES)
        assert (await ana.http.get("/api/me")).status_code == 200
        await _until(lambda: not site.platform.sockets.server.eio.sockets)
        grown = (process.memory_info().rss - held) / 2**20
        record_property("figure", f"{FRAMES} frames, {grown:+.1f} MB, {threading.active_count() - threads:+d} threads")
        assert grown < 50
        assert threading.active_count() <= threads
        assert process.num_fds() <= files


async def test_ft21_a_client_that_does_not_read_is_let_go_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """FT-21: bounded memory, then the end of its connection; others are served, and rights are still taken away."""
    monkeypatch.setattr(sockets, "SLOW_CLIENT_SECONDS", 1.0)
    monkeypatch.setattr(sockets, "LOGIN_SECONDS", 0.1)
    monkeypatch.setattr(connections, "REVALIDATE_SECONDS", 0.1)
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session()
        for _ in range(TURNS):
            await ana.ask(session, "x" * 30_000, target_agent_id="echo")
        async with AsyncExitStack() as stack:
            slow = [await stack.enter_async_context(raw_socket(site.address, cookie=_cookie(ana))) for _ in range(5)]
            for each in slow:
                await each.send("40")
                await each.command("session:join", {"session_id": session})
            most = 0
            tab = await ana.tab()
            assert (await tab.command("session:join", {"session_id": session}))["ok"]
            engine = site.platform.sockets.server.eio
            async with asyncio.timeout(60):
                while len(engine.sockets) > 1:
                    most = max(most, *(each.queue.waiting_bytes for each in engine.sockets.values()))
                    await _pong(slow)
                    await asyncio.sleep(0.02)
            await tab.until(lambda: len({event["turn_id"] for event in tab.stored}) == TURNS)
            assert most <= MAX_WAITING_BYTES + 100_000
            record_property("figure", f"at most {most // 1024} KiB wait for a client")
            await ana.http.post("/api/auth/logout")
            await tab.until(lambda: not tab.client.connected)


async def test_ft21_an_answer_that_nobody_reads_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FT-21: also over HTTP."""
    monkeypatch.setattr(protocols, "UNREAD_SECONDS", 0.3)
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session()
        for _ in range(TURNS):
            await ana.ask(session, "x" * 30_000, target_agent_id="echo")
        host = site.address.removeprefix("http://")
        asked = f"GET /api/sessions/{session}/stream HTTP/1.1\r\nHost: {host}\r\nCookie: {_cookie(ana)}\r\n"
        asked += "Last-Event-ID: 1:0\r\n\r\n"
        _, writer = await narrow_connection(site.address)
        try:
            writer.write(asked.encode())
            await _until(lambda: site.platform.connections.counts()["stream"] == 1)
            await _until(lambda: site.platform.connections.counts()["stream"] == 0)
        finally:
            writer.transport.abort()


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "GET /api/me HTTP/1.1\r\nHost: ",
        "POST /api/auth/login HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\nContent-Length: 9000\r\n\r\n{{",
    ],
    ids=["nothing", "half a head", "half a body"],
)
async def test_ld06_requests_that_stop_in_the_middle_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    """LD-06: however they drip; a whole request on a kept connection is answered after them."""
    monkeypatch.setattr(protocols, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(protocols, "BODY_SECONDS", 0.5)
    async with running(settings_for(tmp_path)) as site:
        host = site.address.removeprefix("http://")
        reader, writer = await asyncio.open_connection(*host.split(":"))
        writer.write(sent.format(host=host).encode())
        ended = asyncio.create_task(reader.read())
        async with asyncio.timeout(30):
            while not ended.done():
                if sent:
                    writer.write(b"a")
                await asyncio.sleep(0.05)
        writer.close()
        assert (await site.stranger().http.get("/healthz")).status_code == 200


async def test_ld04_an_idle_socket_costs_little(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """LD-04: at most 100 KB, also for clients that offer compression."""
    offered = "permessage-deflate; client_max_window_bits"
    process = psutil.Process()
    async with (
        running(settings_for(tmp_path, max_connections_of_a_user=2 * IDLE_SOCKETS)) as site,
        AsyncExitStack() as stack,
    ):
        ana = await site.person()

        async def open_some(count: int) -> None:
            for _ in range(count):
                opened = await stack.enter_async_context(
                    raw_socket(site.address, cookie=_cookie(ana), extensions=offered)
                )
                await opened.send("40")

        await open_some(IDLE_SOCKETS // 4)
        await _until(lambda: len(site.platform.sockets.callers) == IDLE_SOCKETS // 4)
        before = process.memory_info().rss
        await open_some(IDLE_SOCKETS)
        await _until(lambda: len(site.platform.sockets.callers) == IDLE_SOCKETS + IDLE_SOCKETS // 4)
        each = (process.memory_info().rss - before) / IDLE_SOCKETS / 1000
        record_property("figure", f"{each:.0f} KB for a socket, with the client's side of it")
        assert each < 100


def _cookie(person: Person) -> str:
    return "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())


async def _throw(site: Running, ana: Person, draw: Random, count: int) -> None:
    """Frames, mutated in their text or in their bytes, until they are thrown; connections end of it."""
    thrown = 0
    while thrown < count:
        cookie = _cookie(ana) if draw.random() < 0.7 else ""
        async with raw_socket(site.address, cookie=cookie) as socket:
            try:
                await socket.send("40")
                for _ in range(draw.randrange(1, 8)):
                    thrown += 1
                    await socket.send_bytes(_mutated(draw))
                    await asyncio.sleep(0)
            except ConnectionError:
                pass


def _mutated(draw: Random) -> bytes:
    text = bytearray(draw.choice(KNOWN + UNKNOWN[:-1]).encode())
    for _ in range(draw.randrange(4)):
        if text:
            text[draw.randrange(len(text))] = draw.randrange(256)
    whole = bytearray(frame(bytes(text), draw.choice((0, 1, 1, 1, 2, 8, 9, 10)), is_final=draw.random() < 0.9))
    if draw.random() < 0.2:
        whole[draw.randrange(len(whole))] = draw.randrange(256)
    return bytes(whole)


async def _pong(slow: list[RawSocket]) -> None:
    for each in slow:
        try:
            await each.send("3")
        except ConnectionError:
            continue


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.02)
