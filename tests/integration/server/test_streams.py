"""Server-sent events and AG-UI: the same log over plain HTTP (P-11)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest

from batuta.kernel.ids import new_id
from tests.support.platform import Person, Running, has_ended

EVENTS = {"Accept": "text/event-stream"}
SAFETY_SECONDS = 120
"""A run that never ends must not hold the suite; nothing is judged by it."""


class Frame(dict[str, str]):
    """A server-sent event: its fields by name."""

    @property
    def content(self) -> Any:
        return json.loads(self["data"])


@asynccontextmanager
async def stream(person: Person, method: str, path: str, **options: Any) -> AsyncIterator[AsyncIterator[Frame]]:
    """The frames of a response, as they come."""
    async with person.http.stream(method, path, **options) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield frames_of(response)


async def frames_of(response: httpx.Response) -> AsyncIterator[Frame]:
    frame = Frame()
    async for line in response.aiter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            frame[name] = value
        elif frame:
            yield frame
            frame = Frame()


async def until_end(frames: AsyncIterator[Frame]) -> list[Frame]:
    """Frames up to the end of a turn."""
    found = []
    async with asyncio.timeout(60):
        async for frame in frames:
            found.append(frame)
            if frame.content["type"] == "complete":
                break
    return found


async def test_a_message_is_answered_with_the_stream_of_its_turn(site: Running) -> None:
    """P-11: for scripts; it ends with the turn and holds what is stored."""
    ana = await site.person()
    session = await ana.session()
    body = {"client_message_id": new_id(), "text": "hello"}
    async with stream(ana, "POST", f"/api/sessions/{session}/messages", json=body, headers=EVENTS) as frames:
        found = [frame async for frame in frames]
    stored = [frame for frame in found if "id" in frame]
    events = await ana.events(session)
    turn = [event for event in events if event["turn_id"] == found[0].content["turn_id"]]
    assert [frame.content["sequence_number"] for frame in stored] == [event["sequence_number"] for event in turn]
    assert [frame["id"] for frame in stored] == [f"1:{event['sequence_number']}" for event in turn]
    assert {frame["event"] for frame in found} == {"agent:event"}
    assert found[-1].content["type"] == "complete"


async def test_a_stream_resumes_behind_the_last_event_seen(site: Running) -> None:
    """P-11: `Last-Event-ID` as `EventSource` sends it."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "one")
    async with stream(ana, "GET", f"/api/sessions/{session}/stream") as frames:
        first = await until_end(frames)
    await ana.ask(session, "two")
    headers = {"Last-Event-ID": first[-1]["id"]}
    async with stream(ana, "GET", f"/api/sessions/{session}/stream", headers=headers) as frames:
        second = await until_end(frames)
    seen = [frame.content["sequence_number"] for frame in first + second]
    assert seen == [event["sequence_number"] for event in await ana.events(session)]


@pytest.mark.parametrize("position", ["9:1", "1:999999", "nonsense", "1:", "99999999999999999999:1", "²:1"])
async def test_a_position_nobody_knows_is_answered_with_resync(embedded: Running, position: str) -> None:
    ana = await embedded.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    headers = {"Last-Event-ID": position.encode()}
    async with stream(ana, "GET", f"/api/sessions/{session}/stream", headers=headers) as frames:
        assert [frame["event"] async for frame in frames] == ["resync"]


async def test_se07_a_stream_ends_with_the_login(site: Running) -> None:
    """SE-07: also over plain HTTP."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    async with stream(ana, "GET", f"/api/sessions/{session}/stream") as frames:
        await until_end(frames)
        await ana.http.post("/api/auth/logout")
        async with asyncio.timeout(60):
            assert [frame async for frame in frames] == []


async def test_a_client_that_goes_away_leaves_nothing_behind(embedded: Running) -> None:
    """Every stream has an owner: its connection."""
    ana = await embedded.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    async with stream(ana, "GET", f"/api/sessions/{session}/stream") as frames:
        await until_end(frames)
        assert len(embedded.platform.streams.callers) == 1
    await ana.ask(session, "again")
    async with asyncio.timeout(60):
        while embedded.platform.streams.callers:
            await asyncio.sleep(0.02)


async def test_ld06_a_stream_too_many_is_refused_before_anything_is_done(embedded: Running) -> None:
    """LD-06: the answer is a problem and not the beginning of a stream, and no message is taken."""
    ana = await embedded.person()
    session = await ana.session()
    await ana.ask(session, "hello")
    path = f"/api/sessions/{session}"
    async with AsyncExitStack() as opened:
        streams = [await opened.enter_async_context(stream(ana, "GET", f"{path}/stream")) for _ in range(50)]
        for frames in streams:
            await until_end(frames)
        refused = [
            await ana.http.get(f"{path}/stream"),
            await ana.http.post(
                f"{path}/messages", json={"client_message_id": new_id(), "text": "again"}, headers=EVENTS
            ),
            await ana.http.post("/api/agui", json=run_input("again")),
        ]
    assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(429, "TOO_MANY_STREAMS")] * 3
    assert len((await ana.http.get("/api/sessions")).json()["items"]) == 1
    assert "again" not in (await ana.http.get(f"{path}/events")).text


def run_input(text: str = "", **fields: Any) -> dict[str, Any]:
    messages = [{"id": new_id(), "role": "user", "content": text}] if text else []
    return {"threadId": "thread-1", "runId": new_id(), "messages": messages, "tools": [], "context": [], **fields}


async def run(person: Person, body: dict[str, Any]) -> list[dict[str, Any]]:
    async with stream(person, "POST", "/api/agui", json=body) as frames:
        return [frame.content async for frame in frames]


def stored_in(events: list[dict[str, Any]]) -> list[int]:
    """The places of the log that a run tells of."""
    return sorted({event["metadata"]["seq"] for event in events if "seq" in event["metadata"]})


async def test_an_agui_run_is_a_turn(site: Running) -> None:
    """P-11: begins with RUN_STARTED, ends with RUN_FINISHED, under the client's own names."""
    ana = await site.person()
    body = run_input("hello")
    events = await run(ana, body)
    assert (events[0]["type"], events[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert {events[0][name] == body[name] for name in ("threadId", "runId")} == {True}
    text = "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")
    assert "hello" in text
    again = await run(ana, run_input("more"))
    assert again[0]["type"] == "RUN_STARTED"
    (session,) = (await ana.http.get("/api/sessions")).json()["items"]
    assert session["title"] == "Hello"


async def test_an_agui_run_that_is_sent_several_times_at_once_is_one_turn(site: Running) -> None:
    """A client that got no answer insists: also the run that opens its thread is the same for every request."""
    ana = await site.person()
    body = run_input("please book")
    runs = await asyncio.gather(*(run(ana, body) for _ in range(5)))
    assert {events[-1]["type"] for events in runs} == {"RUN_FINISHED"}
    (session,) = (await ana.http.get("/api/sessions")).json()["items"]
    said = [event for event in await ana.events(session["session_id"]) if event["type"] == "user_message_confirmed"]
    assert len(said) == 1


async def test_an_agui_run_with_an_approval_is_interrupted_and_resumed(site: Running) -> None:
    """The approval is an interrupt; its answer opens the next run, which tells the tool's result."""
    ana = await site.person()
    first = await run(ana, run_input("please book"))
    (interrupt,) = first[-1]["outcome"]["interrupts"]
    assert interrupt["metadata"]["args"] == {"day": "Monday"}
    resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": {"editedArgs": {"day": "Friday"}}}]
    second = await run(ana, run_input(resume=resume))
    assert (second[0]["type"], second[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert "TOOL_CALL_RESULT" in [event["type"] for event in second]
    assert site.stage.booked == ["Friday"]


@pytest.mark.parametrize("answer", [{"status": "resolved", "payload": True}, {"status": "cancelled"}])
async def test_an_answer_to_an_interrupt_that_comes_again_gets_the_same_run(
    site: Running, answer: dict[str, Any]
) -> None:
    """A client that lost the answer sends it again: the turn is over, and its end is told at once."""
    ana = await site.person()
    (interrupt,) = (await run(ana, run_input("please book")))[-1]["outcome"]["interrupts"]
    body = run_input(resume=[{"interruptId": interrupt["id"], **answer}])
    async with asyncio.timeout(SAFETY_SECONDS):
        first = await run(ana, body)
        again = await run(ana, body)
    assert (again[0]["type"], again[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert stored_in(again) == stored_in(first)
    assert site.stage.booked == (["Monday"] if answer["status"] == "resolved" else [])


async def test_an_interrupt_decided_on_the_page_can_still_be_resumed(site: Running) -> None:
    """The run shows what the decision led to, also behind a later turn of the thread."""
    ana = await site.person()
    (interrupt,) = (await run(ana, run_input("please book")))[-1]["outcome"]["interrupts"]
    decided = await ana.http.post(f"/api/approvals/{interrupt['id']}", json={"decision": "approve"})
    assert decided.status_code == 200, decided.text
    resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": True}]
    async with asyncio.timeout(SAFETY_SECONDS):
        first = await run(ana, run_input(resume=resume))
        await run(ana, run_input("hello"))
        again = await run(ana, run_input(resume=resume))
    assert (first[0]["type"], first[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert "TOOL_CALL_RESULT" in [event["type"] for event in first]
    assert stored_in(again) == stored_in(first)
    assert site.stage.booked == ["Monday"]


async def test_an_interrupt_of_another_thread_is_not_found(site: Running) -> None:
    """It is neither decided nor followed for ever: the thread that it belongs to still waits."""
    ana = await site.person()
    (interrupt,) = (await run(ana, run_input("please book")))[-1]["outcome"]["interrupts"]
    await run(ana, run_input("hello", threadId="thread-2"))
    resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": True}]
    answer = await ana.http.post("/api/agui", json=run_input(threadId="thread-2", resume=resume))
    assert (answer.status_code, site.stage.booked) == (404, [])
    assert (await ana.pending())["approval_id"] == interrupt["id"]


async def test_a_cancelled_interrupt_rejects(embedded: Running) -> None:
    ana = await embedded.person()
    first = await run(ana, run_input("please book"))
    (interrupt,) = first[-1]["outcome"]["interrupts"]
    await run(ana, run_input(resume=[{"interruptId": interrupt["id"], "status": "cancelled"}]))
    assert embedded.stage.booked == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (run_input(), 422),
        (run_input(messages=[{"id": "1", "role": "assistant", "content": "hi"}]), 422),
        (run_input(messages=[{"id": "1", "role": "user", "content": [{"type": "image"}]}]), 422),
        (run_input(resume=[{"interruptId": new_id(), "status": "resolved", "payload": True}]), 404),
        (run_input(resume=[{"interruptId": "nonsense", "status": "cancelled"}]), 404),
        ({}, 422),
    ],
)
async def test_a_run_that_makes_no_sense_is_refused(embedded: Running, body: dict[str, Any], status: int) -> None:
    ana = await embedded.person()
    answer = await ana.http.post("/api/agui", json=body)
    assert answer.status_code == status, answer.text


async def test_a_thread_of_another_person_is_another_session(embedded: Running) -> None:
    """The same name of a thread, two people: nothing is shared."""
    ana, eve = await embedded.person(), await embedded.person("eve@example.com")
    await run(ana, run_input("from Ana"))
    await run(eve, run_input("from Eve"))
    for person, title in ((ana, "From Ana"), (eve, "From Eve")):
        assert [item["title"] for item in (await person.http.get("/api/sessions")).json()["items"]] == [title]


async def test_the_server_stops_without_waiting_for_streams(site: Running) -> None:
    """P-3: streams and sockets are let go of; their clients come back and resume."""
    ana = await site.person()
    session = await ana.session()
    turn = await ana.say(session, "hello")
    await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    tab = await ana.tab()
    async with stream(ana, "GET", f"/api/sessions/{session}/stream") as frames:
        await until_end(frames)
        async with asyncio.timeout(60):
            await site.platform.connections.close()
            assert [frame async for frame in frames] == []
        await tab.until(lambda: not tab.client.connected)
