"""A platform for tests: real sockets on a port of its own, a small team that answers by rule, and people who log in."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import socketio

from batuta.agents.erp.access import ErpAccess
from batuta.events.conversation import Citation
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer, Delta, TextBlock, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import Model, ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.server.app import Server
from batuta.server.config import ModelChoice, Settings, load_settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.identity import repository
from batuta.server.security.access_control import COOKIE
from batuta.server.wiring import Platform, open_platform
from batuta.steps.agent import AgentStep
from batuta.tools.tool import Tool, tool
from tests.support.learnt import with_learnt

PASSWORD = "correct horse battery"
WAIT_SECONDS = 60


@dataclass
class RuleModel:
    """A model that answers by rule, word by word: deterministic, and as slow as it is asked to be."""

    answer: Callable[[ModelRequest], str | ToolCallBlock]
    provider: str = "rules"
    name: str = "rule-1"
    gate: asyncio.Event | None = None
    """If given, an answer to something `slow` waits for it."""

    async def generate(self, request: ModelRequest) -> Answer:
        if self.gate is not None and "slow" in request.messages[-1].text:
            await self.gate.wait()
        said = self.answer(request)
        content = (TextBlock(text=said),) if isinstance(said, str) else (said,)
        usage = Usage(input=10, output=5)
        return Answer(content=content, stop_reason="success", model=self.name, provider=self.provider, usage=usage)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        answer = await self.generate(request)
        for block in answer.content:
            if isinstance(block, TextBlock):
                for word in block.text.split(" "):
                    yield Delta("text", f"{word} ")
                    await asyncio.sleep(0.005)
        yield answer


@dataclass
class Stage:
    """What a test can see and steer of its team."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    booked: list[str] = field(default_factory=list)

    def team(self) -> Orchestrator:
        """A supervisor that answers or plans, and a clerk whose bookings need approval."""
        clerk = AgentStep(
            name="clerk",
            model=RuleModel(_clerk, gate=self.gate),
            output=str,
            instructions="Book appointments.",
            tools=[self._book()],
        )
        echo = AgentStep(
            name="echo",
            model=RuleModel(_echo, gate=self.gate),
            output=str,
            instructions="Repeat.",
            is_streaming=True,
        )
        return Orchestrator(
            supervisor=RuleModel(_supervise, gate=self.gate),
            agents=[
                Specialist(clerk, name="Clerk", icon="📅", color="#10B981", commands=("/book",)),
                Specialist(echo, name="Echo", commands=("/echo",), examples={"en": ("Say hello",)}),
            ],
        )

    def _book(self) -> Tool:
        @tool(effect="write", approval="always", preview=lambda args: f"Book {args['day']}")
        async def book(day: str) -> str:
            """Book a day."""
            self.booked.append(day)
            return f"booked {day}"

        return book


def _supervise(request: ModelRequest) -> str:
    text = request.messages[-1].text
    if "book" in text.lower():
        return json.dumps({"steps": [{"agent_id": "clerk", "task": text, "depends_on": []}]})
    return json.dumps({"answer": f"You said: {text[:200]}"})


def _clerk(request: ModelRequest) -> str | ToolCallBlock:
    results = request.tool_results
    if results:
        return f"Done: {results[-1].content}"
    return ToolCallBlock(id="call_1", name="book", args={"day": "Monday"})


def _echo(request: ModelRequest) -> str:
    return f"echo {request.messages[-1].text}"


@dataclass
class Running:
    """A platform that answers on a port."""

    platform: Platform
    address: str
    stage: Stage
    _people: list["Person"] = field(default_factory=list)

    async def person(
        self,
        email: str = "ana@example.com",
        *,
        name: str | None = None,
        roles: tuple[str, ...] = ("user",),
        workspace: str = "",
        password: str | None = None,
    ) -> "Person":
        """Somebody with an account who has logged in; with a password only where that is what is tested."""
        identity = self.platform.identity
        called = name or email.split("@", maxsplit=1)[0]
        await identity.create_user(email, called, password, roles=roles, workspace=workspace)
        return await self.logged_in(email)

    async def logged_in(self, email: str) -> "Person":
        """Somebody with an account, in a browser of their own."""
        user = await self.platform.identity.by_email(email)
        assert user is not None
        login = await self.platform.identity.begin(user)
        person = self.stranger()
        person.http.cookies.set(COOKIE, login.token, domain="127.0.0.1")
        answer = await person.http.get("/api/me")
        assert answer.status_code == 200, answer.text
        person.be(answer.json())
        return person

    async def new_workspace(self) -> str:
        """Another tenant."""
        now = SYSTEM_CLOCK.now()
        return await SystemDatabase(self.platform.backends.database).write(
            lambda connection: repository.add_workspace(connection, "Other", now)
        )

    def stranger(self) -> "Person":
        """Somebody with a browser."""
        client = httpx.AsyncClient(base_url=self.address, timeout=WAIT_SECONDS)
        person = Person(self, client)
        self._people.append(person)
        return person

    async def close(self) -> None:
        for person in self._people:
            await person.close()


@dataclass
class Person:
    """Somebody with a browser: cookies, a CSRF token, sockets."""

    running: Running
    http: httpx.AsyncClient
    me: dict[str, Any] = field(default_factory=dict)
    _sockets: list["Tab"] = field(default_factory=list)

    async def log_in(self, email: str, password: str = PASSWORD) -> None:
        answer = await self.http.post("/api/auth/login", json={"email": email, "password": password})
        assert answer.status_code == 200, answer.text
        self.be(answer.json())

    def be(self, me: dict[str, Any]) -> None:
        self.me = me
        self.http.headers["X-CSRF-Token"] = me["csrf_token"]

    @property
    def user_id(self) -> str:
        return str(self.me["user"]["user_id"])

    async def file(self, name: str, data: bytes) -> dict[str, Any]:
        """A file that was uploaded and processed."""
        named = f"filename {base64.b64encode(name.encode()).decode()}"
        headers = {"Upload-Length": str(len(data)), "Upload-Metadata": named}
        begun = await self.http.post("/api/files", headers=headers)
        assert begun.status_code == 201, begun.text
        if data:
            part = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
            assert (await self.http.patch(begun.headers["location"], content=data, headers=part)).status_code == 204
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                file: dict[str, Any] = (await self.http.get(f"/api/files/{begun.json()['file_id']}")).json()
                if file["status"] in ("ready", "failed"):
                    return file
                await asyncio.sleep(0.05)

    async def session(self, **fields: Any) -> str:
        """A new session."""
        answer = await self.http.post("/api/sessions", json=fields)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session_id"])

    async def say(self, session_id: str, text: str, **fields: Any) -> dict[str, Any]:
        """Send a message; the answer to it."""
        body = {"client_message_id": new_id(), "text": text, **fields}
        answer = await self.http.post(f"/api/sessions/{session_id}/messages", json=body)
        assert answer.status_code == 202, answer.text
        accepted: dict[str, Any] = answer.json()
        return accepted

    async def ask(self, session_id: str, text: str, **fields: Any) -> list[dict[str, Any]]:
        """Send a message and wait for the end of its turn; the session's events."""
        accepted = await self.say(session_id, text, **fields)
        return await self.until(session_id, lambda events: has_ended(events, accepted["turn_id"]))

    async def events(self, session_id: str) -> list[dict[str, Any]]:
        """Every event of the session that may be seen."""
        answer = await self.http.get(f"/api/sessions/{session_id}/events", params={"limit": 1000})
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    async def until(self, session_id: str, is_enough: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The session's events once they are enough."""
        async with asyncio.timeout(WAIT_SECONDS):
            while not is_enough(events := await self.events(session_id)):
                await asyncio.sleep(0.02)
        return events

    async def pending(self) -> dict[str, Any]:
        """The approval that waits, once there is one."""
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                items = (await self.http.get("/api/approvals", params={"state": "pending"})).json()["items"]
                if items:
                    found: dict[str, Any] = items[0]
                    return found
                await asyncio.sleep(0.02)

    async def tab(self, *, through: str | None = None, **options: Any) -> "Tab":
        """An open page: a socket with this person's cookie; `through` is the address of a proxy."""
        tab = Tab()
        self._sockets.append(tab)
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        headers = {"Cookie": cookie, "Origin": self.running.address, **options}
        await tab.connect(through or self.running.address, headers)
        return tab

    async def close(self) -> None:
        for tab in self._sockets:
            await tab.close()
        await self.http.aclose()


class Tab:
    """A real Socket.IO client that keeps what it is told."""

    def __init__(self) -> None:
        self._http = aiohttp.ClientSession()
        self.client = socketio.AsyncClient(reconnection=False, http_session=self._http)
        self.events: list[dict[str, Any]] = []
        self.changes: list[dict[str, Any]] = []
        self.resyncs: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.approval_changes = 0
        self.jobs: list[dict[str, Any]] = []
        self.client.on("agent:event", self.events.append)
        self.client.on("session:changed", self.changes.append)
        self.client.on("session:resync", self.resyncs.append)
        self.client.on("job:changed", self.jobs.append)
        self.client.on("approvals:changed", self._note_approvals)
        self.client.on("session:deleted", lambda told: self.deleted.append(told["session_id"]))

    def _note_approvals(self, told: dict[str, Any]) -> None:
        self.approval_changes += 1

    async def connect(self, address: str, headers: dict[str, str], auth: Any = None) -> None:
        await self.client.connect(
            address, headers=headers, transports=["websocket"], auth=auth, wait_timeout=WAIT_SECONDS
        )

    async def command(self, event: str, content: Any) -> dict[str, Any]:
        """Send a command; its acknowledgement."""
        ack: dict[str, Any] = await self.client.call(event, content, timeout=WAIT_SECONDS)
        return ack

    @property
    def stored(self) -> list[dict[str, Any]]:
        """The stored events it was given."""
        return [event for event in self.events if event["sequence_number"] is not None]

    async def until(self, is_enough: Callable[[], bool], seconds: float = WAIT_SECONDS) -> None:
        """Return when what it was told is enough."""
        async with asyncio.timeout(seconds):
            while not is_enough():
                await asyncio.sleep(0.01)

    async def close(self) -> None:
        if self.client.connected:
            await self.client.disconnect()
        await self._http.close()


def has_ended(events: list[dict[str, Any]], turn_id: str) -> bool:
    return any(
        event["type"] == "complete" and event["turn_id"] == turn_id and event["status"] != "paused" for event in events
    )


def settings_for(data_dir: Path, **given: Any) -> Settings:
    """Settings of a test: a port of its own, and limits that can be reached."""
    fixed = {"port": 0, "metrics_port": 0, "data_dir": with_learnt(data_dir), "login_attempts": 5}
    fixed |= {"shutdown_seconds": 2, "log_level": "warning"}
    return load_settings({}, **{**fixed, **given})


@asynccontextmanager
async def running(
    settings: Settings,
    *,
    static: Path | None = None,
    team: Orchestrator | None = None,
    models: Sequence[str] = (),
    title_model: Model | None = None,
    read_source: Callable[[Citation, str], Awaitable[str | None]] | None = None,
    erp: ErpAccess | None = None,
) -> AsyncIterator[Running]:
    """A platform with its server, as `batuta serve` runs it."""
    stage = Stage()
    async with open_platform(
        settings,
        team or stage.team(),
        model=ModelChoice(label="rules", is_offline=True, choices=tuple(models)),
        title_model=title_model,
        read_source=read_source,
        erp=erp,
    ) as platform:
        server = Server(platform, **({} if static is None else {"static": static}))
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        serving = asyncio.create_task(server.serve())
        await server.listening.wait()
        found = Running(platform, server.address, stage)
        try:
            yield found
        finally:
            await found.close()
            server.should_exit = True
            await serving
