"""Approvals are rows: each answer counts once, what runs is what was stored or edited (O-30, O-31, SE-26)."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.turn_ends import decision_key
from batuta.eventstore import models as store
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.server.approvals.repository import Approval
from batuta.server.database.engines import SystemDatabase
from tests.support.platform import Person, Running, has_ended


async def asked(site: Running, person: Person) -> tuple[str, str, dict[str, Any]]:
    """A session whose turn waits for a decision: session, turn, approval."""
    session = await person.session()
    turn = await person.say(session, "please book")
    return session, turn["turn_id"], await person.pending()


async def decide(person: Person, approval_id: str, **body: Any) -> tuple[int, dict[str, Any]]:
    answer = await person.http.post(f"/api/approvals/{approval_id}", json=body)
    return answer.status_code, answer.json()


async def test_an_approved_call_runs_with_the_stored_arguments(site: Running) -> None:
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    assert (approval["tool_name"], approval["args"], approval["preview"]) == ("book", {"day": "Monday"}, "Book Monday")
    assert await decide(ana, approval["approval_id"], decision="approve") == (200, {"state": "approved"})
    events = await ana.until(session, lambda events: has_ended(events, turn))
    assert site.stage.booked == ["Monday"]
    assert [event["content"] for event in events if event["type"] == "message"][-1].endswith("booked Monday")


async def test_a_rejected_call_does_not_run(site: Running) -> None:
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    await decide(ana, approval["approval_id"], decision="reject", reason="not today")
    events = await ana.until(session, lambda events: has_ended(events, turn))
    assert site.stage.booked == []
    resolved = next(event for event in events if event["type"] == "approval_resolved")
    assert (resolved["decision"], resolved["reason"], resolved["by"]) == ("rejected", "not today", ana.user_id)


async def test_an_edited_call_runs_with_the_edited_arguments(site: Running) -> None:
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    await decide(ana, approval["approval_id"], decision="edit", args={"day": "Friday"})
    await ana.until(session, lambda events: has_ended(events, turn))
    assert site.stage.booked == ["Friday"]


async def test_what_ran_is_shown_everywhere_after_an_edit(site: Running) -> None:
    """Events, export, timeline and the read model all tell the arguments that were executed, and the change."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    await decide(ana, approval["approval_id"], decision="edit", args={"day": "Friday"})
    events = await ana.until(session, lambda events: has_ended(events, turn))
    result = next(event for event in events if event["type"] == "tool_result")
    assert result["executed_args"] == {"day": "Friday"}
    text = (await ana.http.get(f"/api/sessions/{session}/export", params={"format": "markdown"})).text
    assert "Approved with changes" in text
    assert '{"day": "Friday"}' in text
    timeline = (await ana.http.get(f"/api/sessions/{session}/turns/{turn}/timeline")).json()
    call = next(entry for entry in timeline["entries"] if entry["type"] == "tool_request")
    assert (call["details"]["args"], call["details"]["executed_args"]) == ({"day": "Monday"}, {"day": "Friday"})
    row, trail = await kept(site, session)
    assert row == '{"day": "Friday"}'
    assert ("tool.executed_with_changes", '{"day": "Friday"}') in trail
    [listed] = (await ana.http.get("/api/approvals", params={"state": "edited"})).json()["items"]
    assert (listed["args"], listed["decided_args"], listed["decided_by"]) == (
        {"day": "Monday"},
        {"day": "Friday"},
        "ana",
    )


async def kept(site: Running, session: str) -> tuple[str, list[tuple[str, str]]]:
    """The arguments of the one tool call as the read model keeps them, and the audit trail's actions and outcomes."""

    def read(connection: sa.Connection) -> tuple[str, list[tuple[str, str]]]:
        calls, trail = store.tool_executions, store.audit
        args = connection.execute(sa.select(calls.c.args).where(calls.c.session_id == session)).scalar_one()
        rows = connection.execute(sa.select(trail.c.action, trail.c.outcome).where(trail.c.session_id == session))
        return str(args), [(row.action, row.outcome) for row in rows]

    head = await site.platform.backends.log.head(session)
    await site.platform.backends.projector.ensure(session, head.last_seq)
    return await SystemDatabase(site.platform.backends.database).read(read)


async def test_a_request_set_aside_ends_its_turn_and_the_conversation_goes_on(site: Running) -> None:
    """Nothing runs, the agent says so, the next message is answered, and a late decision changes nothing."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    following = await ana.say(session, "hello")
    assert await decide(ana, approval["approval_id"], decision="set_aside") == (200, {"state": "set_aside"})
    events = await ana.until(session, lambda events: has_ended(events, following["turn_id"]))
    resolved = next(event for event in events if event["type"] == "approval_resolved")
    assert (resolved["decision"], resolved["by"]) == ("set_aside", ana.user_id)
    words = [event["content"] for event in events if event["type"] == "message" and event["turn_id"] == turn]
    assert "nothing was carried out" in words[-1]
    assert (await decide(ana, approval["approval_id"], decision="approve"))[0] == 409
    assert (await decide(ana, approval["approval_id"], decision="set_aside"))[0] == 200
    assert site.stage.booked == []
    assert (await ana.http.get("/api/approvals", params={"state": "pending"})).json()["items"] == []


async def test_a_request_is_set_aside_in_the_language_it_was_made_in(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session()
    turn = await ana.say(session, "por favor, resérvame una cita mañana, please book")
    approval = await ana.pending()
    await decide(ana, approval["approval_id"], decision="set_aside")
    events = await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    assert any("no se ha ejecutado nada" in str(event.get("content")) for event in events)


async def test_only_one_of_setting_aside_and_approving_counts(site: Running) -> None:
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    answers = await asyncio.gather(
        decide(ana, approval["approval_id"], decision="set_aside"),
        decide(ana, approval["approval_id"], decision="approve"),
    )
    assert sorted(status for status, _ in answers) == [200, 409]
    await ana.until(session, lambda events: has_ended(events, turn))
    assert len(site.stage.booked) == (1 if answers[1][0] == 200 else 0)


async def test_an_approver_sees_who_asks_and_reads_the_conversation_around_it(site: Running) -> None:
    """The session itself stays its owner's."""
    ana = await site.person()
    boss = await site.person("boss@example.com", roles=("user", "approver"))
    session = await ana.session()
    await ana.ask(session, "Hello there")
    await ana.say(session, "please book")
    item = await boss.pending()
    assert (item["asked_by"], item["is_mine"], item["title"]) == ("ana", False, "Hello there")
    context = await boss.http.get(f"/api/approvals/{item['approval_id']}/context")
    said = [event["content"] for event in context.json()["events"] if event["type"] == "user_message_confirmed"]
    assert said == ["Hello there", "please book"]
    assert (await boss.http.get(f"/api/sessions/{session}/events")).status_code == 404


async def test_an_inbox_ends_at_the_workspace(site: Running) -> None:
    """P-21: neither the list nor the context of another tenant, and not for a colleague without the role."""
    ana = await site.person()
    other = await site.person("other@example.com", roles=("approver",), workspace=await site.new_workspace())
    colleague = await site.person("colleague@example.com")
    _, _, approval = await asked(site, ana)
    for person in (other, colleague):
        assert (await person.http.get("/api/approvals")).json()["items"] == []
        assert (await person.http.get(f"/api/approvals/{approval['approval_id']}/context")).status_code == 404
        assert (await decide(person, approval["approval_id"], decision="set_aside"))[0] == 404


async def test_an_approver_hears_that_something_waits_and_that_it_does_no_more(site: Running) -> None:
    """W-12: the inbox of an open page is told."""
    ana = await site.person()
    boss = await site.person("boss@example.com", roles=("user", "approver"))
    tab = await boss.tab()
    _, _, approval = await asked(site, ana)
    await tab.until(lambda: tab.approval_changes == 1)
    await decide(ana, approval["approval_id"], decision="reject")
    await tab.until(lambda: tab.approval_changes == 2)


async def test_a_request_that_names_a_role_is_approved_by_its_holders_alone(site: Running) -> None:
    """O-31: above a limit the owner of the session may reject and set aside, and somebody with the role approves."""
    ana = await site.person()
    boss = await site.person("boss@example.com", roles=("user", "approver"))
    session = await ana.session()
    request = ApprovalRequested(
        session_id=SessionId(session),
        turn_id=TurnId(new_id()),
        approval_id=new_id(),
        tool_use_id="call",
        tool_name="pay",
        args={"amount": 5000},
        reason="",
        required_role="approver",
        source_agent_id="clerk",
    )
    appended = await site.platform.backends.log.append(session, [request])
    await site.platform.backends.projector.ensure(session, appended.last_seq)
    waiting = (await boss.http.get("/api/approvals", params={"state": "pending"})).json()["items"]
    assert [(one["required_role"], one["asked_by"]) for one in waiting] == [("approver", "ana")]
    status, problem = await decide(ana, request.approval_id, decision="approve")
    assert (status, "approver" in problem["detail"]) == (403, True)
    assert (await decide(ana, request.approval_id, decision="edit", args={"amount": 1}))[0] == 403
    assert await decide(boss, request.approval_id, decision="approve") == (200, {"state": "approved"})


async def test_se26_fifty_clicks_are_one_decision(site: Running) -> None:
    """SE-26: the tool runs once; every click gets the same answer."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    clicks = [decide(ana, approval["approval_id"], decision="approve") for _ in range(50)]
    assert {str(answer) for answer in await asyncio.gather(*clicks)} == {str((200, {"state": "approved"}))}
    await ana.until(session, lambda events: has_ended(events, turn))
    assert site.stage.booked == ["Monday"]


async def test_se26_the_same_decision_at_another_process_is_harmless(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one was a moment earlier, and what it wrote is not in the read models yet."""
    ana = await site.person()
    _, _, approval = await asked(site, ana)
    approvals, is_caught_up = site.platform.approvals, asyncio.Event()
    get, ensure = approvals._get, approvals._read_models.ensure

    async def late_get(approval_id: str) -> Approval:
        found = await get(approval_id)
        return found if is_caught_up.is_set() else replace(found, state="pending", decided_args=None)

    async def noted_ensure(session_id: str, seq: int) -> None:
        await ensure(session_id, seq)
        is_caught_up.set()

    first = ApprovalResolved(
        approval_id=approval["approval_id"], session_id=approval["session_id"], decision="approved", by="the other"
    )
    key = decision_key(approval["approval_id"])
    await site.platform.backends.log.append(approval["session_id"], [first], client_key=key)
    monkeypatch.setattr(approvals, "_get", late_get)
    monkeypatch.setattr(approvals._read_models, "ensure", noted_ensure)
    assert await decide(ana, approval["approval_id"], decision="approve") == (200, {"state": "approved"})


async def test_another_second_answer_is_a_conflict(site: Running) -> None:
    """Also when both come at once: exactly one of them counts."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    answers = await asyncio.gather(
        decide(ana, approval["approval_id"], decision="approve"),
        decide(ana, approval["approval_id"], decision="reject"),
    )
    assert sorted(status for status, _ in answers) == [200, 409]
    await ana.until(session, lambda events: has_ended(events, turn))
    assert len(site.stage.booked) == (1 if answers[0][0] == 200 else 0)
    assert (await decide(ana, approval["approval_id"], decision="edit", args={}))[0] == 409


async def test_an_approver_of_the_workspace_may_answer(site: Running) -> None:
    """O-30: the session's owner or a holder of the role."""
    ana = await site.person()
    boss = await site.person("boss@example.com", roles=("user", "approver"))
    session, turn, approval = await asked(site, ana)
    assert (await boss.pending())["approval_id"] == approval["approval_id"]
    assert (await decide(boss, approval["approval_id"], decision="approve"))[0] == 200
    await ana.until(session, lambda events: has_ended(events, turn))


async def test_an_approver_of_another_workspace_may_not(site: Running) -> None:
    """P-21: the tenant is a wall."""
    ana = await site.person()
    other = await site.person("other@example.com", roles=("approver",), workspace=await site.new_workspace())
    _, _, approval = await asked(site, ana)
    missing = await decide(other, new_id(), decision="approve")
    assert await decide(other, approval["approval_id"], decision="approve") == missing
    assert missing[0] == 404


async def test_a_remembered_tool_is_not_asked_about_again(site: Running) -> None:
    """O-31: always allow in this session."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    await decide(ana, approval["approval_id"], decision="approve", remember="session")
    await ana.until(session, lambda events: has_ended(events, turn))
    await ana.ask(session, "book again")
    assert site.stage.booked == ["Monday", "Monday"]


async def test_a_rejection_is_not_remembered(site: Running) -> None:
    """O-31: the request is refused and decides nothing; what is rejected is asked about again."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    status, problem = await decide(ana, approval["approval_id"], decision="reject", remember="session")
    assert status == 422
    assert "a rejection is not remembered" in str(problem)
    assert (await ana.pending())["approval_id"] == approval["approval_id"]
    await decide(ana, approval["approval_id"], decision="reject")
    await ana.until(session, lambda events: has_ended(events, turn))
    await ana.say(session, "please book")
    assert (await ana.pending())["approval_id"] != approval["approval_id"]
    assert site.stage.booked == []


async def test_nobody_decides_after_the_expiry(embedded: Running) -> None:
    """O-30: expiry rejects."""
    ana = await embedded.person()
    session = await ana.session()
    past = SYSTEM_CLOCK.now() - timedelta(seconds=1)
    request = ApprovalRequested(
        session_id=SessionId(session),
        approval_id=new_id(),
        tool_use_id="call",
        tool_name="book",
        args={},
        reason="",
        expires_at=past,
        source_agent_id="clerk",
    )
    await embedded.platform.backends.log.append(session, [request])
    status, body = await decide(ana, request.approval_id, decision="approve")
    assert (status, body["code"]) == (409, "APPROVAL_EXPIRED")
    items = (await ana.http.get("/api/approvals", params={"state": "expired"})).json()["items"]
    assert [item["approval_id"] for item in items] == [request.approval_id]


@pytest.mark.parametrize(
    "body", [{}, {"decision": "maybe"}, {"decision": "edit"}, {"decision": "approve", "args": {}}, {"decision": 1}]
)
async def test_a_decision_that_makes_no_sense_is_refused(embedded: Running, body: dict[str, Any]) -> None:
    ana = await embedded.person()
    _, _, approval = await asked(embedded, ana)
    assert (await decide(ana, approval["approval_id"], **body))[0] == 422
