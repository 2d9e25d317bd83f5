"""The API against its own description: whatever is sent, by a person or a program, nothing breaks (schemathesis).

Half of what is sent names things that are there, so that every operation is also done and not only refused.
"""

import asyncio
import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from batuta.datasets.store import DatasetOwner
from batuta.events.conversation import AssistantMessage, Citation
from batuta.kernel.ids import MessageId, SessionId, new_id
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.security.access_control import COOKIE, csrf_token_of
from batuta.testing.datasets import NOW, a_dataset
from tests.support.platform import PASSWORD, WAIT_SECONDS, Person, Running, running, settings_for

T = TypeVar("T")

EXAMPLES = 15
EMAIL = "ana@example.com"
STREAMS = r"/stream$|/agui$"
USED_UP = ("DELETE", "/api/approvals/")
"""What can be done once with a thing: each time it gets a new one."""
NEVER_DONE = {
    "POST /api/auth/setup": "somebody has an account",
    "GET /api/auth/oidc/{provider_id}/login": "there is no provider; with one it sends the browser away",
    "DELETE /api/sessions/{session_id}/turns/{turn_id}": "no message waits in line here",
    "POST /api/files": "needs the headers of the upload protocol",
    "PATCH /api/files/{file_id}/upload": "needs the headers of the upload protocol",
    "GET /api/documents/text": "no document is indexed here",
    "GET /api/documents/page": "no document is indexed here",
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/chart": "the team of this test draws no chart",
    "GET /api/sessions/{session_id}/datasets/{dataset_id}/picture": "the team of this test draws no chart",
    "GET /api/erp/records/{entity}/{record_key}": "no ERP is connected here",
    "GET /api/auth/oidc/{provider_id}/callback": "sends the browser on, whatever it brings",
}
FITTING: dict[str, dict[str, Any]] = {
    "POST /api/auth/login": {"email": EMAIL, "password": PASSWORD},
    "PATCH /api/settings": {"timezone": "Europe/Madrid", "model": None, "default_agent_id": "echo"},
    "POST /api/sessions/{session_id}/messages": {"target_agent_id": "echo"},
    "POST /api/approvals/{approval_id}": {"decision": "approve", "args": None},
}
"""What has to be in a body, besides what is made up, for something to be done."""


class Site:
    """A platform in a thread of its own, for a client that does not wait."""

    def __init__(self, folder: Path) -> None:
        self.address = ""
        self._folder = folder
        self._ready, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._loop: asyncio.AbstractEventLoop
        self._running: Running
        self._ana: Person
        self._secret = ""

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(60)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(60)

    def credentials(self) -> Iterator[dict[str, Any]]:
        """A program's key, then a person's login: a new one, as there are operations that end it."""
        yield {"headers": {"Authorization": f"Bearer {self._secret}"}}
        token = self._do(self._login())
        yield {"headers": {"X-CSRF-Token": csrf_token_of(token)}, "cookies": {COOKIE: token}}

    def things(self, names: frozenset[str]) -> dict[str, str]:
        """New things of Ana's, by the names their ids have in paths; an answer with a citation goes with a session."""
        return self._do(self._things(names))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _run(self) -> None:
        async with running(settings_for(self._folder, is_demo=True)) as site:
            self._loop, self._running = asyncio.get_running_loop(), site
            self._ana = await site.person(EMAIL, roles=("user", "approver", "admin"), password=PASSWORD)
            self._secret = (await self._ana.http.post("/api/keys", json={"name": "fuzz"})).json()["secret"]
            self.address = site.address
            self._ready.set()
            await asyncio.to_thread(self._stop.wait)

    async def _login(self) -> str:
        identity = self._running.platform.identity
        user = await identity.by_email(EMAIL)
        assert user is not None
        return (await identity.begin(user)).token

    async def _things(self, names: frozenset[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        if "session_id" in names:
            found |= await self._session()
        if "approval_id" in names:
            found["approval_id"] = await self._approval()
        if "key_id" in names:
            found["key_id"] = (await self._ana.http.post("/api/keys", json={"name": "one"})).json()["key_id"]
        if "file_id" in names:
            found["file_id"] = (await self._ana.file("notes.txt", b"Some notes."))["file_id"]
        if "job_id" in names:
            found["job_id"] = (await self._ana.file("empty.txt", b""))["job_id"]
        if names & {"dataset_id", "tile_id"}:
            found |= await self._dataset(found.get("session_id"))
        if names & {"board_id", "tile_id"}:
            found |= await self._board(found)
        return found

    async def _dataset(self, session_id: str | None) -> dict[str, str]:
        session = session_id or await self._ana.session()
        store = DatabaseDatasetStore(SystemDatabase(self._running.platform.backends.database))
        saved = await store.save(DatasetOwner(session_id=session), new_id(), a_dataset(), now=NOW)
        return {"session_id": session, "dataset_id": saved.dataset_id}

    async def _board(self, found: dict[str, str]) -> dict[str, str]:
        board = (await self._ana.http.post("/api/boards", json={"title": "Sales"})).json()["board_id"]
        if "dataset_id" not in found:
            return {"board_id": board}
        path = f"/api/boards/{board}/pins/{found['session_id']}/{found['dataset_id']}"
        return {"board_id": board, "tile_id": (await self._ana.http.post(path)).json()["tile_id"]}

    async def _session(self) -> dict[str, str]:
        session, message = await self._ana.session(), new_id()
        turn = (await self._ana.ask(session, "hello"))[0]["turn_id"]
        cited = Citation(source="a.md", title="A", place="line 1", quote="so", url=None)
        answer = AssistantMessage(
            session_id=SessionId(session),
            message_id=MessageId(message),
            source_agent_id="echo",
            content="It says so.",
            citations=(cited,),
        )
        backends = self._running.platform.backends
        appended = await backends.log.append(session, [answer])
        await backends.projector.ensure(session, appended.last_seq)
        return {"session_id": session, "turn_id": turn, "message_id": message}

    async def _approval(self) -> str:
        session = await self._ana.session()
        await self._ana.say(session, "please book")
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                for item in (await self._ana.http.get("/api/approvals", params={"state": "pending"})).json()["items"]:
                    if item["session_id"] == session:
                        return str(item["approval_id"])
                await asyncio.sleep(0.02)


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


# The server's thread uses `random` while a case is made up here; what is made up does not depend on it.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.timeout(900)  # two minutes are not enough beside other work
def test_bi04_nothing_that_is_sent_breaks_the_server_and_everything_is_also_done(site: Site) -> None:
    """BI-04: no answer is a failure of the server's; every operation but those that cannot has succeeded, too."""
    answers: dict[str, Counter[int]] = defaultdict(Counter)
    for operation in operations(site):
        _check(site, operation, answers[operation.label])
    assert len(answers) > 25
    assert {name for name, found in answers.items() if not any(map(_is_done, found))} == set(NEVER_DONE), answers


def _is_done(status: int) -> bool:
    return 200 <= status < 300


def _check(site: Site, operation: Any, answers: Counter[int]) -> None:
    turn = itertools.count()
    names = frozenset(parameter.name for parameter in operation.path_parameters)
    is_used_up = any(word in operation.label for word in USED_UP)
    kept = {} if is_used_up else site.things(names)

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        is_fitting = next(turn) % 2 == 0
        for credentials in site.credentials():
            if is_fitting:
                _fit(case, kept or site.things(names))
            response = case.call(**credentials, timeout=30, allow_redirects=False)
            answers[response.status_code] += 1
            assert response.status_code < 500, (case.as_curl_command(), response.text)

    check()


def _fit(case: Any, things: dict[str, str]) -> None:
    """Let what was made up name what is there."""
    for name in case.path_parameters or {}:
        case.path_parameters[name] = things.get(name, case.path_parameters[name])
    fields = dict(FITTING.get(case.operation.label, {}))
    if "message_id" in things and case.operation.label.endswith(("/feedback", "/source")):
        fields["message_id"] = things["message_id"]
    if case.operation.label.endswith("/source"):
        case.query = {**case.query, **fields, "number": 0}
    elif fields and isinstance(case.body, dict):
        case.body |= fields
