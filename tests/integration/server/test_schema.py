"""The API against its own description: whatever is sent, nothing breaks (schemathesis)."""

import asyncio
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from tests.support.platform import running, settings_for

EXAMPLES = 15
STREAMS = r"/stream$|/agui$"


class Site:
    """A platform in a thread of its own, for a client that does not wait."""

    def __init__(self, folder: Path) -> None:
        self.address = ""
        self.headers: dict[str, str] = {}
        self.session = ""
        self._folder = folder
        self._ready, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(60)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(60)

    async def _run(self) -> None:
        async with running(settings_for(self._folder)) as site:
            ana = await site.person(roles=("user", "approver", "admin"))
            secret = (await ana.http.post("/api/keys", json={"name": "fuzz"})).json()["secret"]
            session = await ana.session()
            await ana.ask(session, "hello")
            self.address, self.headers = site.address, {"Authorization": f"Bearer {secret}"}
            self.session = session
            self._ready.set()
            await asyncio.to_thread(self._stop.wait)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("fuzz"))
    found.start()
    yield found
    found.stop()


def operations(site: Site) -> Iterator[Any]:
    """Everything the description offers, but streams that never end."""
    described = schemathesis.openapi.from_url(f"{site.address}/openapi.json").exclude(path_regex=STREAMS)
    for found in described.get_all_operations():
        assert isinstance(found, Ok), found
        yield found.ok()


def test_nothing_that_is_sent_breaks_the_server(site: Site) -> None:
    """Half of what names a session names one that exists."""
    checked = 0
    for operation in operations(site):
        _check(site, operation)
        checked += 1
    assert checked > 25


def _check(site: Site, operation: Any) -> None:
    turn = itertools.count()

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        if case.path_parameters and "session_id" in case.path_parameters and next(turn) % 2:
            case.path_parameters["session_id"] = site.session
        response = case.call(headers=site.headers, timeout=30)
        assert response.status_code < 500, (case.as_curl_command(), response.text)

    check()
