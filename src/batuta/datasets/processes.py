"""A child process that can be ended: for engines that hold the interpreter or run away.

    await run_child(script, request, limit=ProcessLimit(seconds=10))

The child gets no environment, its request on standard input, and a folder of its own that is gone afterwards.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from batuta.kernel.errors import DeadlineExceededError, ToolFailedError
from batuta.kernel.tasks import await_shielded

GRACE_SECONDS = 5.0
"""For starting Python and loading the engine."""
MAX_ANSWER_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimit:
    """How long a child may take, and how much memory."""

    seconds: int = 20
    max_bytes: int = 1024**3


async def run_child(script: Path, request: dict[str, Any], limit: ProcessLimit) -> bytes:
    """What a child answered on standard output.

    Raises:
        DeadlineExceededError: it took too long, and was killed.
        ToolFailedError: it died: out of memory, or a crash.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(script),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
        limit=MAX_ANSWER_BYTES,
    )
    try:
        async with asyncio.timeout(limit.seconds + GRACE_SECONDS):
            answer, _ = await child.communicate(json.dumps(request).encode())
    except TimeoutError as error:
        raise DeadlineExceededError(f"it did not end within {limit.seconds} s") from error
    finally:
        if child.returncode is None:
            child.kill()
            await await_shielded(child.wait())
    if child.returncode != 0:
        raise ToolFailedError(f"it needed more than {limit.max_bytes >> 20} MB or {limit.seconds} s, and was ended")
    return answer
