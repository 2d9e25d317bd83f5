"""Socket.IO with a real client: acknowledgements, resume, live pieces, lists in step, ends of logins (P-10, P-21)."""

import asyncio
import itertools
from typing import Any

import pytest
import socketio

from batuta.kernel.ids import new_id
from batuta.server.identity.repository import User
from batuta.server.identity.service import Identity
from tests.support.platform import Person, Running, Tab, has_ended


async def say(tab: Tab, session: str, text: str, **fields: Any) -> dict[str, Any]:
    """Send a message over the socket."""
    return await tab.command(
        "chat:message", {"session_id": session, "client_message_id": new_id(), "text": text, **fields}
    )


async def joined(person: Person, session: str, **position: int) -> Tab:
    """A tab that follows a session."""
    tab = await person.tab()
    ack = await tab.command("session:join", {"session_id": session, **position})
    assert ack["ok"], ack
    return tab


def numbers(events: list[dict[str, Any]]) -> list[int]:
    return [event["sequence_number"] for event in events]


def text_of(tab: Tab) -> str:
    """The pieces a tab was given, put together by their offsets: a hole or a repetition would show."""
    text = ""
    for event in tab.events:
        if event["type"] == "content_delta":
            assert event["offset"] == len(text)
            text += event["delta"]
    return text


async def test_a_turn_over_the_socket_is_what_is_stored(site: Running) -> None:
    """S-3: what a client is shown is what the log holds, each event once, each saying which came before."""
    ana = await site.person()
    session = await ana.session()
    tab = await joined(ana, session)
    ack = await say(tab, session, "hello")
    assert ack["ok"] is True
    assert ack["is_queued"] is False
    await tab.until(lambda: has_ended(tab.events, ack["turn_id"]))
    stored = await ana.events(session)
    assert numbers(tab.stored) == numbers(stored)
    assert [event["previous_sequence"] for event in tab.stored] == [0, *numbers(tab.stored)[:-1]]
    assert {event["epoch"] for event in tab.stored} == {1}


async def test_pieces_of_an_answer_come_while_it_is_made(site: Running) -> None:
    """Transient deltas: in order, before the message that supersedes them, joined they are its text."""
    ana = await site.person()
    session = await ana.session()
    tab = await joined(ana, session)
    words = " ".join(f"w{number}" for number in range(40))
    ack = await say(tab, session, words, target_agent_id="echo")
    await tab.until(lambda: has_ended(tab.events, ack["turn_id"]))
    types = [event["type"] for event in tab.events]
    pieces = [event for event in tab.events if event["type"] == "content_delta"]
    message = next(event for event in tab.events if event["type"] == "message")
    assert "".join(piece["delta"] for piece in pieces).split() == message["content"].split()
    assert len(pieces) < 41
    assert "content_delta" not in types[types.index("message") :]
    assert {piece["message_id"] for piece in pieces} == {message["message_id"]}


async def test_or06_a_client_that_comes_back_gets_exactly_what_it_missed(site: Running) -> None:
    """P-10: by epoch and last number, in order, no duplicate, then what comes."""
    ana = await site.person()
    session = await ana.session()
    first = await joined(ana, session)
    ack = await say(first, session, "one")
    await first.until(lambda: has_ended(first.events, ack["turn_id"]))
    seen = first.stored
    await first.close()
    await ana.ask(session, "two")
    second = await joined(ana, session, epoch=seen[-1]["epoch"], last_sequence=seen[-1]["sequence_number"])
    ack = await say(second, session, "three")
    await second.until(lambda: has_ended(second.events, ack["turn_id"]))
    assert numbers(seen + second.stored) == numbers(await ana.events(session))
    assert second.stored[0]["previous_sequence"] == seen[-1]["sequence_number"]


async def test_ft05_or06_many_drops_lose_and_repeat_nothing(embedded: Running) -> None:
    """P-10: a client that is cut off after every few events."""
    ana = await embedded.person()
    session = await ana.session()
    kept: list[dict[str, Any]] = []
    stored: list[int] = []
    sending = asyncio.create_task(_talk(ana, session, 8))
    for _ in itertools.count():
        position = {"epoch": 1, "last_sequence": kept[-1]["sequence_number"]} if kept else {}
        stored = numbers(await ana.events(session)) if sending.done() else []
        tab = await joined(ana, session, **position)
        await _until_some(tab, sending, missing=len(stored) - len(kept) if stored else None)
        await tab.close()
        kept += tab.stored
        if stored and not tab.stored:
            break
    assert numbers(kept)[: len(stored)] == stored, "what was stored before the last tab joined"
    assert len(set(numbers(kept))) == len(kept)


async def test_a_position_the_log_does_not_hold_is_answered_with_resync(site: Running) -> None:
    """P-10: an explicit word instead of something else."""
    ana = await site.person()
    session = await ana.session()
    events = await ana.ask(session, "hello")
    tab = await ana.tab()
    last = events[-1]["sequence_number"]
    for position in ({"epoch": 7, "last_sequence": last}, {"epoch": 1, "last_sequence": last + 100}):
        ack = await tab.command("session:join", {"session_id": session, **position})
        assert (ack["ok"], ack["resync"], ack["epoch"]) == (True, True, 1)
    assert tab.events == []


async def test_leaving_a_session_ends_its_events(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session()
    tab = await joined(ana, session)
    assert (await tab.command("session:leave", {"session_id": session}))["ok"]
    await ana.ask(session, "hello")
    assert tab.events == []


async def test_an_approval_over_the_socket_lets_the_turn_go_on(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    tab = await joined(ana, session)
    turn = await say(tab, session, "please book")
    await tab.until(lambda: any(event["type"] == "approval_requested" for event in tab.events))
    asked = next(event for event in tab.events if event["type"] == "approval_requested")
    answer = {"approval_id": asked["approval_id"], "decision": "edit", "args": {"day": "Friday"}}
    assert await tab.command("approval:resolve", answer) == {"ok": True, "state": "edited"}
    await tab.until(lambda: has_ended(tab.events, turn["turn_id"]))
    assert site.stage.booked == ["Friday"]


async def test_stop_over_the_socket(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    tab = await joined(ana, session)
    turn = await say(tab, session, "slow one")
    await asyncio.sleep(0.3)
    assert await tab.command("chat:stop", {"session_id": session}) == {"ok": True}
    await tab.until(lambda: has_ended(tab.events, turn["turn_id"]))
    assert tab.stored[-1]["status"] == "cancelled"


async def test_a_disconnect_does_not_stop_a_turn(site: Running) -> None:
    """Stop is a command, not a disconnect."""
    ana = await site.person()
    session = await ana.session()
    tab = await joined(ana, session)
    turn = await say(tab, session, "slow one")
    await tab.close()
    site.stage.gate.set()
    events = await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    assert events[-1]["status"] == "success"


async def test_every_tab_of_a_person_learns_of_changed_sessions(site: Running) -> None:
    """`session:changed`: created, running, idle again, renamed; nobody else hears of it."""
    ana, eve = await site.person(), await site.person("eve@example.com")
    here, there, foreign = await ana.tab(), await ana.tab(), await eve.tab()
    session = await ana.session()
    turn = await ana.say(session, "slow one")
    await there.until(lambda: any(change["status"] == "running" for change in there.changes))
    site.stage.gate.set()
    await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    await there.until(lambda: there.changes[-1]["status"] == "idle" and there.changes[-1]["title"] == "Slow one")
    await ana.http.patch(f"/api/sessions/{session}", json={"title": "Renamed"})
    await here.until(lambda: here.changes[-1]["title"] == "Renamed")
    await there.until(lambda: there.changes[-1]["title"] == "Renamed")
    assert foreign.changes == []


async def test_se07_logout_closes_the_sockets_of_that_login_only(site: Running) -> None:
    """SE-07: the login's own live connections end with it."""
    ana = await site.person()
    tab = await ana.tab()
    elsewhere = site.stranger()
    login = await _login_again(site.platform.identity, ana)
    elsewhere.http.cookies.set("batuta_session", login, domain="127.0.0.1")
    other = await elsewhere.tab()
    await ana.http.post("/api/auth/logout")
    await tab.until(lambda: not tab.client.connected)
    assert other.client.connected


@pytest.mark.parametrize("change", ["roles", "disabled"])
async def test_se07_a_change_made_elsewhere_reaches_live_sockets_within_seconds(site: Running, change: str) -> None:
    """SE-07: another process changed the person; nobody told this one."""
    ana = await site.person()
    tab = await ana.tab()
    if change == "roles":
        await site.platform.identity.change_roles(ana.user_id, ("user", "approver"))
    else:
        await site.platform.identity.disable(ana.user_id)
    await tab.until(lambda: not tab.client.connected)


async def test_a_command_after_the_login_ended_is_refused(embedded: Running) -> None:
    """Every command asks the gate again."""
    ana = await embedded.person()
    session = await ana.session()
    tab = await ana.tab()
    await embedded.platform.identity.log_out(ana.http.cookies["batuta_session"])
    ack = await say(tab, session, "hello")
    assert (ack["ok"], ack["problem"]["status"]) == (False, 401)


@pytest.mark.parametrize("cookie", ["", "batuta_session=nonsense", "batuta_session=", "a;b=;;="])
async def test_a_stranger_is_not_connected(embedded: Running, cookie: str) -> None:
    tab = Tab()
    refusals: list[Any] = []
    tab.client.on("connect_error", refusals.append)
    with pytest.raises(socketio.exceptions.ConnectionError):
        await tab.connect(embedded.address, {"Cookie": cookie})
    await tab.close()
    assert refusals[0]["data"]["status"] == 401


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1", "http://127.0.0.1.evil.test"])
async def test_se05_pages_of_other_sites_are_not_connected(embedded: Running, origin: str) -> None:
    """SE-05: the origin is checked at every handshake."""
    ana = await embedded.person()
    with pytest.raises(socketio.exceptions.ConnectionError):
        await ana.tab(Origin=origin)


async def test_long_polling_is_not_offered(embedded: Running) -> None:
    answer = await embedded.stranger().http.get("/socket.io/", params={"EIO": "4", "transport": "polling"})
    assert answer.status_code == 400


async def test_a_program_connects_with_its_key(embedded: Running) -> None:
    ana = await embedded.person()
    secret = (await ana.http.post("/api/keys", json={"name": "script"})).json()["secret"]
    tab = Tab()
    await tab.connect(embedded.address, {}, auth={"token": secret})
    assert (await tab.command("session:join", {"session_id": await ana.session()}))["ok"]
    await tab.close()


@pytest.mark.parametrize(
    ("event", "content"),
    [
        ("session:join", None),
        ("session:join", "text"),
        ("session:join", {"session_id": 5}),
        ("session:join", {"session_id": "{session}", "last_sequence": -1}),
        ("chat:message", {"session_id": "{session}", "client_message_id": "1", "text": ""}),
        ("chat:message", {"session_id": "{session}", "client_message_id": "1", "text": "a\x00"}),
        ("approval:resolve", {"approval_id": "{session}", "decision": "maybe"}),
        ("no:such:event", {}),
    ],
)
async def test_a_command_that_makes_no_sense_is_acknowledged_as_such(
    embedded: Running, event: str, content: Any
) -> None:
    ana = await embedded.person()
    session = await ana.session()
    filled = content
    if isinstance(content, dict):
        filled = {key: session if value == "{session}" else value for key, value in content.items()}
    tab = await ana.tab()
    ack = await tab.command(event, filled)
    assert ack["ok"] is False
    assert ack["problem"]["status"] in (404, 422)
    assert tab.client.connected


async def test_ld06_a_flood_of_commands_is_slowed_down(embedded: Running) -> None:
    ana = await embedded.person()
    tab = await ana.tab()
    acks = [await tab.command("no:such:event", {}) for _ in range(120)]
    assert 429 in {ack["problem"]["status"] for ack in acks}
    assert tab.client.connected


async def test_bi03_a_frame_beyond_the_limit_ends_the_connection(embedded: Running) -> None:
    ana = await embedded.person()
    tab = await ana.tab()
    await tab.client.emit("chat:message", {"text": "x" * 400_000})
    await tab.until(lambda: not tab.client.connected)
    assert (await ana.http.get("/healthz")).status_code == 200


async def _until_some(tab: Tab, sending: "asyncio.Task[None]", *, missing: int | None) -> None:
    """A few events while the talk goes on; after its end all that are missing."""
    if missing is None:
        await tab.until(lambda: len(tab.stored) >= 3 or sending.done())
    else:
        await tab.until(lambda: len(tab.stored) >= missing)


async def _talk(person: Person, session: str, count: int) -> None:
    for number in range(count):
        await person.ask(session, f"say {number}")


async def _login_again(identity: Identity, person: Person) -> str:
    user = User(
        user_id=person.user_id,
        workspace_id=person.me["user"]["workspace_id"],
        email=person.me["user"]["email"],
        name=person.me["user"]["name"],
        roles=tuple(person.me["user"]["roles"]),
    )
    return (await identity.begin(user)).token


async def test_who_joins_in_the_middle_of_an_answer_sees_it_from_its_beginning(site: Running) -> None:
    """A reload, a second tab, a reconnect: the text is whole at once, and goes on without a hole or a repetition."""
    ana = await site.person()
    session = await ana.session()
    first, late = await ana.tab(), await ana.tab()
    await first.command("session:join", {"session_id": session})
    words = " ".join(f"w{number}" for number in range(200))
    turn = await ana.say(session, words, target_agent_id="echo")
    await first.until(lambda: len(text_of(first)) > 100)
    assert not any(event["type"] == "assistant_message" for event in first.events)
    await late.command("session:join", {"session_id": session, "last_sequence": first.stored[-1]["sequence_number"]})
    await late.until(lambda: has_ended(late.events, turn["turn_id"]))
    await first.until(lambda: has_ended(first.events, turn["turn_id"]))
    assert text_of(late).strip() == text_of(first).strip() == f"echo {words}"
    begun = next(event for event in late.events if event["type"] == "content_delta")
    assert (begun["offset"], len(begun["delta"]) > 100) == (0, True)
