"""Approvals are rows: each answer counts once, what runs is what was stored or edited (O-30, O-31, SE-26)."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from batuta.events.tools import ApprovalRequested
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.ids import SessionId, new_id
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


async def test_fifty_clicks_are_one_decision(site: Running) -> None:
    """SE-26: the tool runs once; every click gets the same answer."""
    ana = await site.person()
    session, turn, approval = await asked(site, ana)
    clicks = [decide(ana, approval["approval_id"], decision="approve") for _ in range(50)]
    assert {str(answer) for answer in await asyncio.gather(*clicks)} == {str((200, {"state": "approved"}))}
    await ana.until(session, lambda events: has_ended(events, turn))
    assert site.stage.booked == ["Monday"]


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
