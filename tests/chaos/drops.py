"""The real socket.io-client loses its connection a thousand times while turns run, and misses nothing.

    python -m tests.chaos.drops --drops 1000 [--turns 400]

Two web processes and a worker on PostgreSQL and Redis; after every drop the client comes back to the other web
process. Every stored event has to arrive exactly once, in order. Prints one line and ends with 1 if it did not.
"""

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp

from tests.chaos.platform import MODULES, TEAM, files_in
from tests.support.fleet import Fleet, distributed_place
from tests.support.node_clients import run_client
from tests.support.processes import Zygote
from tests.support.verifier import percentile

LONGEST_SECONDS = 900


@dataclass(frozen=True, kw_only=True)
class DropsReport:
    """What the client got, beside what is stored."""

    drops: int
    received: list[list[int]]
    stored: list[int]
    resumed_ms: list[float]

    @property
    def is_clean(self) -> bool:
        return self.received == [list(pair) for pair in pairwise([0, *self.stored])]

    def line(self) -> str:
        numbers = [number for _, number in self.received]
        p50, p95 = (percentile(self.resumed_ms, share) for share in (0.5, 0.95))
        return (
            f"drops={self.drops} events={len(self.stored)} received={len(numbers)} "
            f"missed={len(set(self.stored) - set(numbers))} repeated={len(numbers) - len(set(numbers))} "
            f"in_order={numbers == sorted(numbers)} resumes={len(self.resumed_ms)} "
            f"resume_p50_ms={p50:.0f} resume_p95_ms={p95:.0f}"
        )


async def run(zygote: Zygote, *, drops: int, turns: int) -> DropsReport:
    with tempfile.TemporaryDirectory() as directory, distributed_place(Path(directory)) as place:
        # All messages come from one person, on a busy machine faster than they are answered.
        more = {"max_open_turns_of_a_user": turns}
        fleet = Fleet(zygote, place, TEAM, about=files_in(Path(directory)), workers=1, more=more)
        async with fleet.running():
            (secret,) = await fleet.people(1)
            headers = {"Authorization": f"Bearer {secret}"}
            async with aiohttp.ClientSession(fleet.addresses[0], headers=headers) as http:
                async with http.post("/api/sessions", json={}, raise_for_status=True) as answer:
                    session = (await answer.json())["session_id"]
                task: dict[str, Any] = {"session_id": session, "turns": turns, "drops": drops, "secret": secret}
                report = await run_client("drops", seconds=LONGEST_SECONDS, addresses=fleet.addresses, **task)
                stored = await _stored(http, session)
    return DropsReport(
        drops=report["dropped"], received=report["received"], stored=stored, resumed_ms=report["resumed"]
    )


async def _stored(http: aiohttp.ClientSession, session: str) -> list[int]:
    numbers: list[int] = []
    while True:
        params = {"limit": 1000, "after": numbers[-1] if numbers else 0}
        async with http.get(f"/api/sessions/{session}/events", params=params, raise_for_status=True) as answer:
            items = (await answer.json())["items"]
        if not items:
            return numbers
        numbers += [item["sequence_number"] for item in items]


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=400)
    wanted = parser.parse_args()
    zygote = Zygote(MODULES)
    report = asyncio.run(run(zygote, drops=wanted.drops, turns=wanted.turns))
    zygote.close()
    sys.stdout.write(f"socket drops: {report.line()}\n")
    return 0 if report.is_clean and report.drops == wanted.drops else 1


if __name__ == "__main__":
    sys.exit(main())
