"""Rights as they are now: six ways to lose one, at five places where work can be (SE-07, P-21, O-30)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.tables import turns, users
from batuta.server.security.turn_rights import TurnRights
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool
from tests.support.platform import WAIT_SECONDS, Person, Running, Stage, has_ended, running, settings_for

Asking = Callable[[TurnRights, sa.Connection], frozenset[str] | str]


class RoleStage(Stage):
    """A clerk whose bookings need a role, and somebody's consent; it keeps who booked, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.bookings: list[tuple[str | None, float]] = []

    def _book(self) -> Tool:
        @tool(effect="write", approval="always", roles=["analyst"])
        async def book(day: str, context: ToolContext) -> str:
            """Book a day."""
            self.bookings.append((context.user.id, time.monotonic()))
            return f"booked {day}"

        return book


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Somebody with work in every place, who works through an API key."""

    person: Person
    program: Person
    key_id: str
    running: str
    """A session whose first turn runs, and whose second one waits behind it."""
    waiting: str
    """One that waits for a decision."""
    approved: str
    """One that was decided, and not taken up yet."""


async def disable(site: Running, holder: Holder) -> None:
    await site.platform.identity.disable(holder.person.user_id)


async def delete_account(site: Running, holder: Holder) -> None:
    mine = sa.delete(users).where(users.c.user_id == holder.person.user_id)
    await SystemDatabase(site.platform.backends.database).write(lambda connection: connection.execute(mine))


async def take_role(site: Running, holder: Holder) -> None:
    await site.platform.identity.change_roles(holder.person.user_id, ("user",))


async def revoke_key(site: Running, holder: Holder) -> None:
    assert (await holder.person.http.delete(f"/api/keys/{holder.key_id}")).status_code == 204


async def close_workspace(site: Running, holder: Holder) -> None:
    await site.platform.identity.close_workspace(holder.person.me["user"]["workspace_id"])


async def delete_sessions(site: Running, holder: Holder) -> None:
    for session in (holder.running, holder.waiting, holder.approved):
        assert (await holder.person.http.delete(f"/api/sessions/{session}")).status_code == 204


LOSSES: dict[str, Callable[[Running, Holder], Awaitable[None]]] = {
    "disabled": disable,
    "deleted": delete_account,
    "role": take_role,
    "key": revoke_key,
    "workspace": close_workspace,
    "session": delete_sessions,
}


async def holder_of(site: Running, name: str) -> Holder:
    workspace = await site.new_workspace()
    person = await site.person(f"{name}@example.com", roles=("user", "analyst"), workspace=workspace)
    made = (await person.http.post("/api/keys", json={"name": "script", "scopes": []})).json()
    program = site.stranger()
    program.http.headers["Authorization"] = f"Bearer {made['secret']}"
    sessions = [await program.session() for _ in range(3)]
    for session in sessions[1:]:
        await program.say(session, "please book")
    return Holder(
        person=person,
        program=program,
        key_id=made["key_id"],
        running=sessions[0],
        waiting=sessions[1],
        approved=sessions[2],
    )


async def pending(holder: Holder, count: int) -> dict[str, str]:
    """The approvals that wait, by session, once there are so many."""
    async with asyncio.timeout(4 * WAIT_SECONDS):
        while True:
            items = (await holder.person.http.get("/api/approvals", params={"state": "pending"})).json()["items"]
            if len(items) >= count:
                return {item["session_id"]: item["approval_id"] for item in items}
            await asyncio.sleep(0.1)


async def until_settled(site: Running) -> None:
    """Every turn has ended, or waits for a decision."""
    open_turns = sa.select(sa.func.count()).where(turns.c.status.in_(("queued", "running")))
    database = SystemDatabase(site.platform.backends.database)
    async with asyncio.timeout(8 * WAIT_SECONDS):
        while await database.read(lambda connection: connection.execute(open_turns).scalar_one()):
            await asyncio.sleep(0.1)


async def test_se07_a_right_that_was_lost_has_no_effect_anywhere(
    platform_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Queued, running, waiting for a decision, decided, newly asked for: only who lost nothing gets a booking."""
    stage = RoleStage()
    names = (*LOSSES, "nothing")
    settings = settings_for(tmp_path, database_url=platform_url, worker_concurrency=len(names))
    async with running(settings, team=stage.team()) as site:
        holders = {name: await holder_of(site, name) for name in names}
        asked = {name: await pending(holder, 2) for name, holder in holders.items()}
        for name, holder in holders.items():  # from here on all of the worker's places are taken
            await holder.program.say(holder.running, "slow book")
            if name in LOSSES:
                await holder.program.say(holder.running, "book behind it")
        for name, holder in holders.items():
            path = f"/api/approvals/{asked[name][holder.approved]}"
            assert (await holder.program.http.post(path, json={"decision": "approve"})).status_code == 200
        lost_at: dict[str | None, float] = {}
        for name, lose in LOSSES.items():
            await lose(site, holders[name])
            lost_at[holders[name].person.user_id] = time.monotonic()
        stage.gate.set()
        await asyncio.gather(*(ask_again(holder, asked[name]) for name, holder in holders.items() if name in LOSSES))
        await until_settled(site)
        late = [user for user, at in stage.bookings if at > lost_at.get(user, at)]
        assert late == []
        record_property("figure", f"{len(LOSSES)} ways to lose a right, 5 places: {len(late)} effects afterwards")
        assert [user for user, _ in stage.bookings].count(holders["nothing"].person.user_id) == 1
        ended = await holders["role"].person.events(holders["role"].approved)
        assert ended[-1]["type"] == "complete"


async def ask_again(holder: Holder, asked: dict[str, str]) -> None:
    """Whatever the answer is, it must lead to nothing."""
    await holder.program.http.post(f"/api/approvals/{asked[holder.waiting]}", json={"decision": "approve"})
    body = {"client_message_id": new_id(), "text": "book once more"}
    await holder.program.http.post(f"/api/sessions/{holder.waiting}/messages", json=body)


async def test_a_running_turn_of_a_disabled_account_ends_by_itself(embedded: Running) -> None:
    """What was in hand stops with a clear end, though nobody stopped it."""
    ana = await embedded.person()
    accepted = await ana.say(await ana.session(), "slow thought")
    await until_status(embedded, accepted["turn_id"], "running")
    await embedded.platform.identity.disable(ana.user_id)
    await until_status(embedded, accepted["turn_id"], "cancelled")


async def until_status(site: Running, turn_id: str, status: str) -> None:
    row = sa.select(turns.c.status).where(turns.c.turn_id == turn_id)
    database = SystemDatabase(site.platform.backends.database)
    async with asyncio.timeout(2 * WAIT_SECONDS):
        while await database.read(lambda connection: connection.execute(row).scalar()) != status:
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("is_revoked", [True, False])
async def test_se07_an_approval_that_came_with_a_revoked_key_has_no_effect(tmp_path: Path, is_revoked: bool) -> None:
    """The message came from a login: the key that approved is another one's to lose."""
    stage = Stage()
    async with running(settings_for(tmp_path, worker_concurrency=1), team=stage.team()) as site:
        ana = await site.person()
        made = (await ana.http.post("/api/keys", json={"name": "script", "scopes": ["approve"]})).json()
        program = site.stranger()
        program.http.headers["Authorization"] = f"Bearer {made['secret']}"
        session = await ana.session()
        turn = await ana.say(session, "please book")
        approval = await ana.pending()
        slow = await ana.say(await ana.session(), "slow thought")
        await until_status(site, slow["turn_id"], "running")
        path = f"/api/approvals/{approval['approval_id']}"
        assert (await program.http.post(path, json={"decision": "approve"})).status_code == 200
        if is_revoked:
            assert (await ana.http.delete(f"/api/keys/{made['key_id']}")).status_code == 204
        stage.gate.set()
        await until_status(site, turn["turn_id"], "completed")
        assert stage.booked == ([] if is_revoked else ["Monday"])


async def test_cr08_a_write_waits_for_a_database_that_is_away_while_rights_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CR-08: nothing was begun yet; the call is neither dropped nor put to a person as one whose outcome is unknown."""
    ask, away = TurnRights._current, [0]

    def ask_when_there(rights: TurnRights, connection: sa.Connection) -> frozenset[str] | str:
        if away[0]:
            away[0] -= 1
            raise StoreUnavailableError("away")
        return ask(rights, connection)

    monkeypatch.setattr(TurnRights, "_current", ask_when_there)
    async with running(settings_for(tmp_path)) as site:
        site.stage.gate.set()
        ana = await site.person()
        session = await ana.session()
        for skipped in range(3):
            turn = await ana.say(session, "book Monday")
            approval = await ana.pending()
            monkeypatch.setattr(TurnRights, "_current", _after(skipped, ask_when_there, away))
            await ana.http.post(f"/api/approvals/{approval['approval_id']}", json={"decision": "approve"})
            told = await ana.until(session, partial(_is_over, turn["turn_id"]))
            assert not away[0], f"the {skipped + 1}. question was never asked"
            assert len(site.stage.booked) == skipped + 1, told[-3:]


def _is_over(turn_id: str, events: list[dict[str, Any]]) -> bool:
    return has_ended(events, turn_id)


def _after(skipped: int, ask: Asking, away: list[int]) -> Asking:
    """Asks; the database goes away for two questions after so many."""
    left = [skipped]

    def asked(rights: TurnRights, connection: sa.Connection) -> frozenset[str] | str:
        if left[0] == 0:
            away[0] = 2
        left[0] -= 1
        return ask(rights, connection)

    return asked
