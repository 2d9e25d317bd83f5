"""The simulator as an object to test with, and as a server to run.

async with Simulator("refund.yaml") as simulator:
    client = AsyncAnthropic(base_url=simulator.url, api_key="any")
    ...
    assert simulator.requests[0].model == "claude-sonnet-5"
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from batuta.simulator.admin import Admin
from batuta.simulator.answers import Fault
from batuta.simulator.edge import Edge
from batuta.simulator.exchanges import Exchange, Ledger
from batuta.simulator.playback import Playback
from batuta.simulator.scenario import Scenario, load_scenario, parse_scenario

MAX_BODY_BYTES = 64 * 2**20
SHUTDOWN_SECONDS = 0.5


class Simulator:
    """A provider on the loopback interface, on a free port unless one is named.

    A scenario is given as an object, as plain data or as the path of a file; without one every request is echoed.
    """

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | Path | str | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._host = host
        self._port = port
        self._edge = Edge(Playback(_scenario(scenario)), Ledger(clock), clock)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where it listens, without a path: OpenAI clients add ``/v1``."""
        return f"http://{self._host}:{self._port}"

    @property
    def requests(self) -> list[Exchange]:
        return self._edge.ledger.exchanges

    @property
    def open_streams(self) -> int:
        return self._edge.ledger.open_streams

    @property
    def open_connections(self) -> int:
        server = None if self._runner is None else self._runner.server
        return 0 if server is None else len(server.connections)

    @property
    def unused_answers(self) -> int:
        return self._edge.playback.unused_answers

    def play(self, scenario: Scenario | Mapping[str, Any] | Path | str) -> None:
        """Start another scenario; what was received so far is kept."""
        self._edge.playback = Playback(_scenario(scenario))

    def inject(self, fault: Fault) -> None:
        """Let a fault strike the next requests, as often as its ``times``."""
        self._edge.playback.inject(fault)

    def assert_finished(self) -> None:
        """Fail if answers of the script were never asked for."""
        if self.unused_answers:
            name = self._edge.playback.scenario.name
            raise AssertionError(f"scenario {name!r}: {self.unused_answers} answer(s) were never asked for")

    async def wait_until(self, holds: Callable[[], object], within: float = 5.0) -> None:
        """Wait until a condition on the requests holds, such as ``lambda: not simulator.open_streams``.

        Raises:
            TimeoutError: it did not within that many seconds.
        """
        await self._edge.ledger.wait_until(holds, within)

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the address cannot be bound.
        """
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        self._edge.add_routes(app)
        Admin(self._edge, lambda: self.open_connections).add_routes(app)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port).start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def serve(host: str = "127.0.0.1", port: int = 8089, scenario_path: Path | str | None = None) -> None:
    """Run a simulator until the task is cancelled.

    Raises:
        ScenarioError: the scenario file cannot be read.
        OSError: the address cannot be bound.
    """
    async with Simulator(scenario_path, host=host, port=port):
        await asyncio.Event().wait()


def _scenario(source: Scenario | Mapping[str, Any] | Path | str | None) -> Scenario:
    if source is None:
        return Scenario(name="echo")
    if isinstance(source, Scenario):
        return source
    return parse_scenario(source) if isinstance(source, Mapping) else load_scenario(source)
