"""Clients that others have written, run in Node: they get a task as JSON and report as JSON."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).parents[1] / "acceptance" / "clients"
NODE = Path(sys.executable).parent / "node"


async def run_client(name: str, *, seconds: float = 60, **task: Any) -> dict[str, Any]:
    """Run a client; what it reports."""
    process = await asyncio.create_subprocess_exec(
        *(str(NODE), str(CLIENTS / f"{name}.mjs"), json.dumps(task)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(seconds):
            said, complained = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    assert process.returncode == 0, complained.decode()
    report: dict[str, Any] = json.loads(said)
    return report
