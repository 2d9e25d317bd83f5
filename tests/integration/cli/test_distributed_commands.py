"""The commands of the deployment guide, as an operator types them: real processes of `batuta`, PostgreSQL and Redis."""

import asyncio
import os
import re
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.support.platform import has_ended

PROGRAM = (sys.executable, "-c", "from batuta.cli import main; main()")
START_SECONDS, ANSWER_SECONDS = 180, 120
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


@asynccontextmanager
async def batuta(folder: Path, settings: dict[str, str], *words: str) -> AsyncIterator[tuple[Process, Path]]:
    """A command that runs until the end of the block, and where it says what."""
    clean = {name: value for name, value in os.environ.items() if name not in KEYS and not name.startswith("BATUTA_")}
    environment = {**clean, **settings, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    said = folder / f"{words[0]}-{len(list(folder.iterdir()))}.txt"
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(*PROGRAM, *words, env=environment, stderr=stderr)
    try:
        yield process, said
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def until_said(said: Path, pattern: str) -> str:
    async with asyncio.timeout(START_SECONDS):
        while (found := re.search(pattern, said.read_text())) is None:
            await asyncio.sleep(0.1)
    return found.group()


async def test_web_and_worker_run_by_configuration_and_a_killed_worker_is_replaced(
    postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    """P-2: `migrate`, `serve` without a worker in it, `worker`; the turn waits for whoever comes."""
    settings = {
        "BATUTA_ENV": "production",
        "BATUTA_DATABASE_URL": postgres_url,
        "BATUTA_REDIS_URL": redis_url,
        "BATUTA_DATA_DIR": str(tmp_path / "data"),
        "BATUTA_WORKER_CONCURRENCY": "0",
    }
    async with batuta(tmp_path, settings, "migrate") as (migrating, _):
        assert await migrating.wait() == 0
    async with batuta(tmp_path, settings, "serve", "--port", "0") as (_, said):
        address = await until_said(said, r"http://[\d.]+:\d+")
        async with httpx.AsyncClient(base_url=address, timeout=ANSWER_SECONDS) as owner:
            token = (await until_said(said, r"#setup=([\w-]+)")).removeprefix("#setup=")
            session = await _set_up(owner, token)
            async with batuta(tmp_path, settings, "worker") as (worker, told):
                await until_said(told, "the worker is ready")
                await _ask(owner, session, "first", "What is 6 * 7?")
                worker.kill()
            turn = await _say(owner, session, "second", "What is 6 * 8?")
            async with batuta(tmp_path, settings, "worker"):
                assert "48" in str(await _ended(owner, session, turn))


async def _set_up(owner: httpx.AsyncClient, token: str) -> str:
    account = {"email": "owner@example.com", "name": "Owner", "password": "correct horse battery", "token": token}
    me = (await owner.post("/api/auth/setup", json=account)).json()
    owner.headers["X-CSRF-Token"] = me["csrf_token"]
    return str((await owner.post("/api/sessions", json={})).json()["session_id"])


async def _ask(owner: httpx.AsyncClient, session: str, name: str, text: str) -> None:
    assert await _ended(owner, session, await _say(owner, session, name, text))


async def _say(owner: httpx.AsyncClient, session: str, name: str, text: str) -> str:
    body = {"client_message_id": name, "text": text}
    answer = await owner.post(f"/api/sessions/{session}/messages", json=body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["turn_id"])


async def _ended(owner: httpx.AsyncClient, session: str, turn: str) -> list[dict[str, object]]:
    """The events of a turn, once it has ended."""
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            events = (await owner.get(f"/api/sessions/{session}/events")).json()["items"]
            if has_ended(events, turn):
                return [event for event in events if event["turn_id"] == turn]
            await asyncio.sleep(0.2)
