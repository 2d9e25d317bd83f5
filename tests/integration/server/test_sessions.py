"""A person's sessions: lists, names, messages, exports, usage, feedback, timelines, search (P-30, S-20)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.fold import fold
from batuta.events.queue import WorkStatus
from batuta.events.wire import from_wire
from batuta.eventstore.audit import verify_session
from batuta.kernel.ids import SessionId, new_id
from batuta.server.database import tables
from batuta.server.database.engines import SystemDatabase
from batuta.server.sessions.api import EventPage
from tests.support.platform import Running


async def test_a_new_session_is_empty_and_idle(site: Running) -> None:
    ana = await site.person()
    created = (await ana.http.post("/api/sessions", json={"title": " Plans "})).json()
    assert (created["title"], created["status"], created["preview"], created["pending_approvals"]) == (
        "Plans",
        "idle",
        None,
        0,
    )
    assert (await ana.http.get(f"/api/sessions/{created['session_id'].lower()}")).json() == created


async def test_sessions_are_listed_last_used_first_page_by_page(site: Running) -> None:
    """P-30: 20 at a time unless asked otherwise, 50 at most, each exactly once."""
    ana = await site.person()
    sessions = [await ana.session(title=f"Session {number}") for number in range(23)]
    await ana.say(sessions[3], "hello")
    first = (await ana.http.get("/api/sessions")).json()
    assert len(first["items"]) == 20
    assert first["items"][0]["session_id"] == sessions[3]
    second = (await ana.http.get("/api/sessions", params={"cursor": first["next_cursor"]})).json()
    assert second["next_cursor"] is None
    listed = [item["session_id"] for item in first["items"] + second["items"]]
    assert listed == [sessions[3], *reversed(sessions[:3] + sessions[4:])]
    assert (await ana.http.get("/api/sessions", params={"limit": 51})).status_code == 422


@pytest.mark.parametrize("cursor", ["nonsense", "%%%", "bm9uc2Vuc2U=", "MjAyNi0wMS0wMXxY"])
async def test_a_cursor_that_was_never_given_out_is_refused(embedded: Running, cursor: str) -> None:
    ana = await embedded.person()
    answer = await ana.http.get("/api/sessions", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "BAD_CURSOR")


async def test_sessions_are_found_by_their_title(site: Running) -> None:
    """Marks of the query language are ordinary characters."""
    ana = await site.person()
    for title in ("Budget 100%", "Budget 1000", "Holidays"):
        await ana.session(title=title)
    found = (await ana.http.get("/api/sessions", params={"query": "BUDGET 100%"})).json()["items"]
    assert [item["title"] for item in found] == ["Budget 100%"]


async def test_a_session_is_renamed_put_away_and_taken_out(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    renamed = await ana.http.patch(f"/api/sessions/{session}", json={"title": "New name"})
    assert renamed.json()["title"] == "New name"
    events = await ana.events(session)
    assert [(event["type"], event["is_automatic"]) for event in events] == [("title_changed", False)]
    await ana.http.patch(f"/api/sessions/{session}", json={"is_archived": True})
    assert (await ana.http.get("/api/sessions")).json()["items"] == []
    (away,) = (await ana.http.get("/api/sessions", params={"archived": True})).json()["items"]
    assert (away["session_id"], away["title"]) == (session, "New name")
    await ana.http.patch(f"/api/sessions/{session}", json={"is_archived": False})
    assert len((await ana.http.get("/api/sessions")).json()["items"]) == 1


async def test_a_deleted_session_stops_working(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    turn = await ana.say(session, "slow one")
    assert (await ana.http.delete(f"/api/sessions/{session}")).status_code == 204
    assert (await ana.http.get("/api/sessions")).json()["items"] == []
    work = await site.platform.backends.queue.get(turn["turn_id"])
    assert work is not None
    assert (work.status, work.payload) == (WorkStatus.CANCELLED, {})


async def test_a_deleted_session_leaves_no_content_and_a_chain_that_verifies(site: Running) -> None:
    """P-30, S-21: events, read models and the search index forget what was said; what it cost stays counted."""
    ana = await site.person()
    session, other = await ana.session(title="canary-title"), await ana.session()
    await ana.ask(session, "canary-words", target_agent_id="echo")
    await ana.ask(other, "canary stays")
    await ana.http.delete(f"/api/sessions/{session}")
    backends = site.platform.backends
    verdict = await verify_session(backends.audit, session)
    assert (verdict.is_sound, verdict.erased) == (True, verdict.records)
    assert verdict.records > 0

    def kept(connection: sa.Connection) -> tuple[list[str], int]:
        mine = [
            table
            for table in (tables.messages, tables.read_sessions, tables.approvals)
            if connection.execute(sa.select(table).where(table.c.session_id == session)).first()
        ]
        cost = connection.execute(sa.select(tables.usage).where(tables.usage.c.session_id == session)).all()
        return [table.name for table in mine], len(cost)

    content, calls = await SystemDatabase(backends.database).read(kept)
    assert (content, calls > 0) == ([], True)
    found = (await ana.http.get("/api/search", params={"query": "canary"})).json()
    assert {message["session_id"] for message in found["messages"]} == {other}
    assert session not in {each["session_id"] for each in found["sessions"]}


async def test_every_tab_learns_that_a_session_was_deleted(site: Running) -> None:
    """Lists drop it, followers are told nothing more, and other people learn nothing."""
    ana, ben = await site.person(), await site.person("ben@example.com")
    session = await ana.session()
    here, there, foreign = await ana.tab(), await ana.tab(), await ben.tab()
    await there.command("session:join", {"session_id": session})
    await ana.ask(session, "hello")
    async with ana.http.stream("GET", f"/api/sessions/{session}/stream") as stream:
        assert stream.status_code == 200
        assert (await ana.http.delete(f"/api/sessions/{session}")).status_code == 204
        for tab in (here, there):
            await tab.until(lambda tab=tab: tab.deleted == [session])  # type: ignore[misc]
        await stream.aread()
    ack = await there.command("session:join", {"session_id": session})
    assert (ack["ok"], ack["problem"]["status"], foreign.deleted) == (False, 404, [])


async def test_a_waiting_session_says_so(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    await ana.say(session, "please book")
    await ana.pending()
    await ana.until(session, lambda events: events[-1]["type"] == "complete")
    summary = (await ana.http.get(f"/api/sessions/{session}")).json()
    assert (summary["pending_approvals"], summary["preview"]) == (1, "please book")


async def test_events_come_page_by_page_and_fold_to_the_same_view(site: Running) -> None:
    """S-20: reload equals live, whatever the size of the pages; internal events are left out."""
    ana = await site.person()
    session = await ana.session()
    everything = await ana.ask(session, "hello")
    paged: list[dict[str, Any]] = []
    after = 0
    while True:
        query = {"after": after, "limit": 2}
        page = (await ana.http.get(f"/api/sessions/{session}/events", params=query)).json()
        EventPage.model_validate(page)  # as the API is described
        paged += page["items"]
        after = page["last_sequence"]
        if not page["has_more"]:
            break
    assert [event["event_id"] for event in paged] == [event["event_id"] for event in everything]
    assert fold(map(from_wire, paged)).model_dump() == fold(map(from_wire, everything)).model_dump()
    head = await site.platform.backends.log.head(session)
    assert len(everything) < head.last_seq


async def test_messages_are_rows_of_the_read_model(site: Running) -> None:
    """S-20: 50 at a time, 100 at most, internal ones filtered."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    first = (await ana.http.get(f"/api/sessions/{session}/messages", params={"limit": 1})).json()
    (row,) = first["items"]
    assert (row["role"], row["type"], row["content"]) == ("user", "user_message", "hello")
    rest = (await ana.http.get(f"/api/sessions/{session}/messages", params={"cursor": first["next_cursor"]})).json()
    assert rest["next_cursor"] is None
    assert not any(item["is_internal"] for item in rest["items"])
    assert (await ana.http.get(f"/api/sessions/{session}/messages", params={"limit": 101})).status_code == 422


async def test_a_session_is_exported_as_json_and_markdown(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    events = await ana.ask(session, "hello ñ")
    exported = await ana.http.get(f"/api/sessions/{session}/export")
    assert exported.headers["content-disposition"] == f'attachment; filename="{session}.json"'
    assert [event["event_id"] for event in exported.json()["events"]] == [event["event_id"] for event in events]
    markdown = (await ana.http.get(f"/api/sessions/{session}/export", params={"format": "markdown"})).text
    assert markdown.startswith("# Hello ñ\n")
    assert "## You\n\nhello ñ" in markdown
    assert "## supervisor\n\nYou said: hello ñ" in markdown


async def test_usage_adds_up_by_agent_and_model(site: Running) -> None:
    """P-33: the sums equal what the events say."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    await ana.ask(session, "hello", target_agent_id="echo")
    used = await _settled_usage(ana, session, calls=2)
    assert used["usage"] == {"input": 20, "output": 10, "thinking": 0, "cache_read": 0, "cache_write": 0}
    assert {share["agent_id"]: share["usage"]["input"] for share in used["by_agent"]} == {"supervisor": 10, "echo": 10}
    assert [(share["model"], share["usage"]["output"]) for share in used["by_model"]] == [("rule-1", 10)]


async def test_an_unused_session_used_nothing(embedded: Running) -> None:
    ana = await embedded.person()
    used = (await ana.http.get(f"/api/sessions/{await ana.session()}/usage")).json()
    assert (used["usage"]["input"], used["cost"], used["by_agent"]) == (0, None, [])


async def test_the_timeline_tells_every_event_of_one_turn(site: Running) -> None:
    """W-1: also what the conversation does not show, in order, with durations and tokens."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "before")
    events = await ana.ask(session, "hello")
    turn = events[-1]["turn_id"]
    timeline = (await ana.http.get(f"/api/sessions/{session}/turns/{turn}/timeline")).json()
    entries = timeline["entries"]
    assert timeline["summary"]["total_events"] == len(entries)
    assert (entries[0]["type"], entries[0]["at_ms"]) == ("user_message", 0.0)
    assert [entry["at_ms"] for entry in entries] == sorted(entry["at_ms"] for entry in entries)
    calls = [entry for entry in entries if entry["type"] == "llm.response"]
    assert [entry["usage"]["input"] for entry in calls] == [10]
    assert timeline["summary"]["usage"]["input"] == 10
    assert "supervisor" in timeline["summary"]["agents"]
    assert {entry["is_internal"] for entry in entries} == {True, False}


async def test_an_answer_is_judged(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    events = await ana.ask(session, "hello")
    message = next(event for event in events if event["type"] == "message")
    body = {"message_id": message["message_id"], "rating": -1, "comment": "no"}
    assert (await ana.http.post(f"/api/sessions/{session}/feedback", json=body)).status_code == 202
    judged = (await ana.events(session))[-1]
    assert (judged["type"], judged["target_message_id"], judged["rating"]) == (
        "feedback_given",
        message["message_id"],
        -1,
    )
    unknown = {"message_id": new_id(), "rating": 1}
    assert (await ana.http.post(f"/api/sessions/{session}/feedback", json=unknown)).status_code == 404


async def test_search_finds_titles_and_messages_with_highlights(site: Running) -> None:
    ana = await site.person()
    session = await ana.session(title="About invoices")
    said = UserMessage(session_id=SessionId(session), content="x" * 200 + " Late INVOICES please " + "y" * 200)
    told = AssistantMessage(session_id=SessionId(session), content="none", source_agent_id="erp")
    await site.platform.backends.log.append(session, [said, told])
    await site.platform.backends.projector.ensure(session, 3)
    found = (await ana.http.get("/api/search", params={"query": "invoices"})).json()
    (by_title,), (by_content,) = found["sessions"], found["messages"]
    assert [by_title["text"][begin:end] for begin, end in by_title["highlights"]] == ["invoices"]
    assert [by_content["text"][begin:end] for begin, end in by_content["highlights"]] == ["INVOICES"]
    assert len(by_content["text"]) < 200
    assert (by_content["session_title"], by_content["sequence_number"]) == ("About invoices", 2)


async def test_a_search_is_bounded_by_time_and_agent(site: Running) -> None:
    """P-35: filters by date and agent, on both stores."""
    ana = await site.person()
    session = await ana.session(title="Heron")
    said = UserMessage(session_id=SessionId(session), content="where is the heron?")
    told = AssistantMessage(session_id=SessionId(session), content="the heron wades", source_agent_id="erp")
    await site.platform.backends.log.append(session, [said, told])
    await site.platform.backends.projector.ensure(session, 2)
    now = datetime.now(UTC)

    async def found(**filters: str) -> tuple[int, list[str]]:
        answer = (await ana.http.get("/api/search", params={"query": "heron", **filters})).json()
        return len(answer["sessions"]), sorted(each["role"] for each in answer["messages"])

    hour = timedelta(hours=1)
    assert await found() == (1, ["assistant", "user"])
    assert await found(agent="erp") == (0, ["assistant"])
    assert await found(agent="rag") == (0, [])
    assert await found(since=(now - hour).isoformat(), until=(now + hour).isoformat()) == (1, ["assistant", "user"])
    assert await found(since=(now + hour).isoformat()) == await found(until=(now - hour).isoformat()) == (0, [])
    refused = await ana.http.get("/api/search", params={"query": "heron", "since": "yesterday"})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("cuando", True),
        ("CUÁNDO cita", True),
        ("cit médic", True),
        ("ńandu", True),
        ("edico", False),
        ("cuando nunca", False),
        ("'; DROP TABLE messages; --", False),
        ('"cuando" OR *', False),
        ("100%", True),
        ("correo example", True),
        ("¿?", False),
    ],
)
async def test_words_are_found_whatever_their_case_and_accents(site: Running, query: str, is_found: bool) -> None:
    """Every word has to begin one of the text's; nothing in a query is more than words."""
    ana, ben = await site.person(), await site.person("ben@example.com")
    for person in (ana, ben):
        await person.ask(
            await person.session(), "¿Cuándo es la cita con el médico del ñandú? 100% seguro: correo@example.com"
        )
    found = (await ana.http.get("/api/search", params={"query": query})).json()
    assert bool(found["messages"]) is is_found
    assert len({message["session_id"] for message in found["messages"]}) == is_found
    for message in found["messages"]:
        marked = [message["text"][begin:end] for begin, end in message["highlights"]]
        assert marked


async def test_the_team_is_shown_as_its_cards(embedded: Running) -> None:
    """O-20: one source of truth."""
    ana = await embedded.person()
    team = (await ana.http.get("/api/agents")).json()
    assert [agent["agent_id"] for agent in team["items"]] == ["clerk", "echo"]
    assert (team["items"][0]["tools"], team["items"][0]["commands"]) == (["book"], ["/book"])
    assert team["items"][1]["examples"] == {"en": ["Say hello"]}
    assert team["supervisor"]["agent_id"] == "supervisor"


async def _settled_usage(person: Any, session: str, calls: int) -> dict[str, Any]:
    """The usage once the read models have caught up with the log."""
    projector = person.running.platform.backends.projector
    head = await person.running.platform.backends.log.head(session)
    await projector.ensure(session, head.last_seq)
    used: dict[str, Any] = json.loads((await person.http.get(f"/api/sessions/{session}/usage")).text)
    assert sum(share["usage"]["input"] for share in used["by_agent"]) == calls * 10
    return used
