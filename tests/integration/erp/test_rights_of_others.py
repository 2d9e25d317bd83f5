"""Rights where another person or another tool stands in between: approvers, and tables that a conversation keeps."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from batuta.agents import graphing
from batuta.agents.erp import agent as erp_agent
from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.rights import WRITING_TOOLS, ErpPermission, ErpPolicy, check_sources
from batuta.agents.erp.writing import writing_tools
from batuta.events.datasets import Provenance
from batuta.kernel.errors import ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.approvals import SESSION_POLICY
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.database.engines import SystemDatabase
from batuta.server.identity import repository
from batuta.tools.outcome import Refusal
from tests.integration.erp.test_rights import Person as Decider
from tests.integration.erp.test_rights import Rights, called, draft, status_of
from tests.support.platform import Person, RuleModel, Running, has_ended, running, settings_for

ROLES: dict[str, Any] = {
    "north": {"companies": ["Sierra Clara"]},
    "south": {"companies": ["Vento Norte"]},
    "scribe": {"may": ["read", "write"]},
    "chief": {},
    "user": {"may": []},
}
PERMISSIONS = ErpPolicy(
    roles={
        "chief": ErpPermission(),
        "scribe": ErpPermission(may=frozenset(("read", "write"))),
        "south": ErpPermission(companies=("Vento Norte",)),
    }
)
NOW = datetime(2026, 9, 30, tzinfo=UTC)
FIRST = "Sierra Clara Exterior, S.L."
NEW_CUSTOMER = {"entity": "customers", "values": {"displayName": "Nueva, S.L."}, "company": FIRST}


def tools(request: ModelRequest) -> str | ToolCallBlock:
    """Calls the tool that a message names, with the JSON behind it."""
    if request.tool_results:
        return str(request.tool_results[-1].content)
    name, _, given = request.messages[-1].text.removeprefix("/erp ").removeprefix("/chart ").partition(" ")
    return ToolCallBlock(id="call_1", name=name, args=json.loads(given or "{}"))


@pytest.fixture
async def site(tmp_path: Path, access: ErpAccess) -> AsyncIterator[Running]:
    model = RuleModel(tools)
    agents = [erp_agent.specialist(model, access=access), graphing.specialist(model)]
    settings = settings_for(tmp_path / "data", erp_roles=ROLES)
    async with running(settings, team=Orchestrator(supervisor=model, agents=agents), erp=access) as found:
        yield found


async def become(site: Running, person: Person, *roles: str) -> None:
    database = SystemDatabase(site.platform.backends.database)
    await database.write(lambda connection: repository.set_roles(connection, person.user_id, list(roles)))


QUERY = 'query_datasets {"sql": "select * from sales_month"}'
CHART = 'draw_chart {"dataset": "sales_month"}'


@pytest.mark.parametrize(("call", "brings"), [(QUERY, "dataset_stored"), (CHART, "chart_drawn")])
async def test_a_kept_table_is_given_to_no_tool_after_the_right_to_read_it_was_taken_away(
    site: Running, call: str, brings: str
) -> None:
    ana = await site.person("ana@example.com", roles=("chief",))
    session = await ana.session()
    counts = []
    for text in (
        '/erp compute_measure {"measure": "sales", "split_by": ["month"]}',
        f"/chart {call}",
        f"/chart {call}",
    ):
        events = await ana.ask(session, text)
        counts.append(sum(event["type"] == brings for event in events))
        if len(counts) == 2:
            await become(site, ana, "south")
    assert counts[0] < counts[1] == counts[2]


@pytest.mark.parametrize(
    ("role", "by", "status"),
    [
        ("chief", "{}", "Open"),
        ("scribe", "{}", "Draft"),
        ("south", "{}", "Draft"),
        ("south", f"{SESSION_POLICY}{{}}", "Draft"),
        ("south", "policy: role chief", "Open"),
    ],
)
async def test_another_person_lets_happen_only_what_they_might_do_themselves(
    access: ErpAccess, role: str, by: str, status: str
) -> None:
    args = await draft(access)
    rights = Rights(PERMISSIONS, {"ana": frozenset({"chief"}), "ben": frozenset({role, "approver"})})
    outcome = await called(access, rights, Decider(by.format("ben"), rights), "run_action", **args)
    assert await status_of(access, args["record_id"]) == status
    assert (outcome.refusal == Refusal.FORBIDDEN) == (status == "Draft")


async def waiting(site: Running, args: dict[str, Any] = NEW_CUSTOMER) -> tuple[Person, str, str, str]:
    """A change that waits for a decision: who asked, and the ids of its session, turn and approval."""
    ana = await site.person("ana@example.com", roles=("chief",))
    session = await ana.session()
    await ana.ask(session, '/erp compute_measure {"measure": "sales", "split_by": ["month"]}')
    turn = await ana.say(session, f"/erp create_record {json.dumps(args)}")
    approval = await ana.pending()
    return ana, session, turn["turn_id"], approval["approval_id"]


@pytest.mark.parametrize(
    ("role", "is_shown", "code"),
    [("chief", True, 200), ("north", True, 200), ("south", False, 404), ("user", False, 404)],
)
async def test_an_approver_sees_and_decides_requests_in_the_companies_they_may_work_in(
    site: Running, role: str, is_shown: bool, code: int
) -> None:
    _, _, _, approval = await waiting(site)
    boss = await site.person("boss@example.com", roles=("approver", role))
    shown = (await boss.http.get("/api/approvals")).json()["items"]
    context = await boss.http.get(f"/api/approvals/{approval}/context")
    decided = await boss.http.post(f"/api/approvals/{approval}", json={"decision": "approve"})
    assert bool(shown) == is_shown
    assert (context.status_code, decided.status_code) == (code, code)


async def test_one_who_may_read_a_single_company_is_shown_nothing_of_earlier_turns(site: Running) -> None:
    _, _, turn, approval = await waiting(site)
    boss = await site.person("boss@example.com", roles=("approver", "north"))
    events = (await boss.http.get(f"/api/approvals/{approval}/context")).json()["events"]
    assert {event["turn_id"] for event in events} == {turn}
    await become(site, boss, "approver", "chief")
    events = (await boss.http.get(f"/api/approvals/{approval}/context")).json()["events"]
    assert len({event["turn_id"] for event in events}) == 2


async def test_a_changed_company_needs_the_right_in_that_company(site: Running) -> None:
    """What counts is what would be executed, not what was asked for; the request goes on waiting."""
    ana, session, turn, approval = await waiting(site)
    boss = await site.person("boss@example.com", roles=("approver", "north"))
    edited = {"decision": "edit", "args": {**NEW_CUSTOMER, "company": "Vento Norte"}}
    answer = await boss.http.post(f"/api/approvals/{approval}", json=edited)
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    await boss.http.post(f"/api/approvals/{approval}", json={"decision": "approve"})
    await ana.until(session, lambda events: has_ended(events, turn))


def test_the_tools_that_change_records_are_known_by_name(access: ErpAccess) -> None:
    assert {one.name for one in writing_tools(access)} == WRITING_TOOLS


@pytest.mark.parametrize(("role", "is_given"), [("chief", True), ("south", False)])
async def test_rows_of_a_company_that_is_gone_are_kept_for_those_who_may_read_any(
    access: ErpAccess, role: str, is_given: bool
) -> None:
    rights = Rights(PERMISSIONS, {"ana": frozenset({role})})
    rows = Provenance(connector=access.connector.name, company="Sierra Clara, antes", retrieved_at=NOW)
    asked = check_sources(access, rights, "ana", [rows])
    if is_given:
        await asked
    else:
        with pytest.raises(ToolRefusedError):
            await asked
