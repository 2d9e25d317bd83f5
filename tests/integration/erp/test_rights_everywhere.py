"""One check of rights on every way to the ERP's records: questions, HTTP, tables, boards, other clients (A-2, O-31)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from batuta.agents.erp import agent as erp_agent
from batuta.agents.erp.access import ErpAccess
from batuta.connectors.erp import ErpCompany, RecordQuery
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.erp.mcp import erp_mcp_server
from batuta.server.erp.mcp_access import McpGrant, McpTokens, digest_of, load_tokens
from batuta.server.erp.service import erp_policy
from batuta.server.identity import repository
from tests.support.platform import Person, RuleModel, Running, running, settings_for

FIRST, SECOND = 0, 1
ROLES = {
    "north": {"companies": ["Sierra Clara"]},
    "south": {"companies": ["Vento Norte"]},
    "chief": {},
    "scribe": {"may": ["write"]},
    "user": {"may": []},
}
READERS = {"north": (True, False), "south": (False, True), "chief": (True, True), "scribe": (False, False)}
"""Whose records each role reads: of the first company, of the second."""
MATRIX = [
    pytest.param(role, company, is_allowed, id=f"{role}-{('first', 'second')[company]}")
    for role, both in READERS.items()
    for company, is_allowed in enumerate(both)
]
REFUSED = "you may not read the ERP"


@dataclass
class Erp:
    """A platform with an ERP, and somebody whose roles a test changes."""

    site: Running
    access: ErpAccess
    companies: list[ErpCompany]
    ana: Person

    async def be(self, role: str) -> None:
        """Give Ana another role."""
        database = SystemDatabase(self.site.platform.backends.database)
        await database.write(lambda connection: repository.set_roles(connection, self.ana.user_id, [role]))

    async def question(self, company: ErpCompany) -> tuple[str, list[dict[str, Any]]]:
        """A session in which a figure of a company was asked for, and its events."""
        session = await self.ana.session()
        return session, await self.ana.ask(session, f"/erp Sales in {company.display_name}")

    async def customer(self, company: ErpCompany) -> str:
        pages = self.access.connector.pages(company.id, RecordQuery(entity="customers", limit=1))
        return (await pages.__anext__()).records[0].id


def sales(request: ModelRequest) -> str | ToolCallBlock:
    """Computes the sales of the company that is named behind `in`, if one is."""
    if request.tool_results:
        return str(request.tool_results[-1].content)
    company = request.messages[-1].text.partition(" in ")[2]
    return ToolCallBlock(id="call_1", name="compute_measure", args={"measure": "sales", "company": company})


@pytest.fixture(params=["embedded", "distributed"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Each mode; on PostgreSQL under the role that row-level security holds for."""
    if request.param == "embedded":
        return settings_for(tmp_path / "data", erp_roles=ROLES)
    return settings_for(tmp_path / "data", erp_roles=ROLES, database_url=request.getfixturevalue("platform_url"))


@pytest.fixture
async def erp(settings: Settings, access: ErpAccess) -> AsyncIterator[Erp]:
    model = RuleModel(sales)
    team = Orchestrator(supervisor=model, agents=[erp_agent.specialist(model, access=access)])
    async with running(settings, team=team, erp=access) as site:
        ana = await site.person("ana@example.com", roles=("chief",))
        yield Erp(site, access, list(await access.companies()), ana)


def brought(events: list[dict[str, Any]]) -> list[str]:
    return [event["dataset_id"] for event in events if event["type"] == "dataset_stored"]


@pytest.mark.parametrize("role", READERS)
async def test_a_question_a_record_a_table_and_a_tile_ask_for_the_same_right(erp: Erp, role: str) -> None:
    """What was read with a right that is gone is not given again; nothing new is read without one."""
    board = (await erp.ana.http.post("/api/boards", json={"title": "Sales"})).json()["board_id"]
    kept = []
    for company in erp.companies:
        session, events = await erp.question(company)
        table = brought(events)[0]
        tile = (await erp.ana.http.post(f"/api/boards/{board}/pins/{session}/{table}")).json()
        kept.append((f"/api/sessions/{session}/datasets/{table}", f"/api/boards/{board}/tiles/{tile['tile_id']}"))
        assert tile["shown"]["rows"]
    await erp.be(role)
    listed = [one["id"] for one in (await erp.ana.http.get("/api/erp/companies")).json()["items"]]

    for company, (table_path, tile_path), is_allowed in zip(erp.companies, kept, READERS[role], strict=True):
        answers = [
            await erp.ana.http.get(path)
            for path in (
                f"/api/erp/records/customers/{await erp.customer(company)}?company={company.id}",
                table_path,
                f"{table_path}/rows",
                f"{table_path}/file?format=xlsx",
            )
        ]
        tiles = (await erp.ana.http.get(f"/api/boards/{board}")).json()["tiles"]
        on_board = next(one for one in tiles if tile_path.endswith(one["tile_id"]))
        exported = (await erp.ana.http.get(table_path.partition("/datasets")[0] + "/export")).json()["datasets"]
        heads = (await erp.ana.http.get(table_path.rpartition("/")[0])).json()["items"]
        refreshed = (await erp.ana.http.post(f"{tile_path}/refresh")).json()
        assert {bool(one["shown"]["rows"]) for one in (on_board, refreshed)} == {is_allowed}
        assert {bool(one["rows"]) for one in exported} == {is_allowed}
        assert {one["withheld"] is None for one in exported} == {is_allowed}
        assert {bool(head["totals"]) for head in heads} == {is_allowed}
        assert (company.id in listed) == is_allowed
        assert {answer.status_code for answer in answers} == {200 if is_allowed else 403}
        assert (refreshed["problem"] is None) == is_allowed
        assert bool(brought((await erp.question(company))[1])) == is_allowed
        if not is_allowed:
            assert all(REFUSED in answer.json()["detail"] for answer in answers)
            assert REFUSED in refreshed["problem"]
            assert REFUSED in on_board["problem"]


@pytest.mark.parametrize(("role", "company", "is_allowed"), MATRIX)
async def test_a_token_of_another_client_has_the_rights_of_its_roles(
    access: ErpAccess, tmp_path: Path, role: str, company: int, is_allowed: bool
) -> None:
    asked = list(await access.companies())[company]
    tokens = McpTokens({digest_of("t"): McpGrant(name="client", scope="write", roles=frozenset({role}))})
    policy = erp_policy(settings_for(tmp_path, erp_roles=ROLES))
    async with Client(erp_mcp_server(access, tokens, token="t", policy=policy)) as client:
        where = {"company": asked.display_name}
        read = await client.call_tool("read_records", {"entity": "customers", **where})
        figure = await client.call_tool("compute_measure", {"measure": "sales", **where})
        new = {"entity": "customers", "values": {"displayName": "Nueva, S.L."}, **where}
        write = await client.call_tool("create_record", new)
    may_write = is_allowed or role == "scribe"
    assert (read.is_error, figure.is_error, write.is_error) == (not is_allowed, not is_allowed, not may_write)


@pytest.mark.parametrize(("roles", "is_done"), [({"chief"}, False), ({"chief", "approver"}, True)])
async def test_above_the_limit_a_client_needs_the_role_of_an_approver(
    access: ErpAccess, tmp_path: Path, roles: set[str], is_done: bool
) -> None:
    company = (await access.companies())[0]
    tokens = McpTokens({digest_of("t"): McpGrant(name="client", scope="write", roles=frozenset(roles))})
    policy = erp_policy(settings_for(tmp_path, erp_roles=ROLES, erp_amount_limit=10))
    pages = access.connector.pages(company.id, RecordQuery(entity="items", limit=1))
    item = (await pages.__anext__()).records[0].id
    pages = access.connector.pages(company.id, RecordQuery(entity="customers", limit=1))
    customer = (await pages.__anext__()).records[0].id
    lines = [{"lineType": "Item", "itemId": item, "quantity": 2, "unitPrice": 100}]
    args = {"entity": "salesInvoices", "values": {"customerId": customer, "salesInvoiceLines": lines}}
    async with Client(erp_mcp_server(access, tokens, token="t", policy=policy)) as client:
        shown = await client.call_tool("create_record", args)
        assert shown.structured_content is not None
        code = shown.structured_content["confirmation"]
        done = await client.call_tool("create_record", {**args, "confirmation": code})
    assert done.is_error != is_done
    assert ("approver" in str(done.content)) != is_done


async def test_a_number_in_place_of_an_id_leads_to_no_record(erp: Erp) -> None:
    answer = await erp.ana.http.get("/api/erp/records/salesInvoices/103125")
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert "103125" in answer.json()["detail"]


async def test_without_a_choice_questions_are_about_the_first_company_one_may_read(erp: Erp) -> None:
    await erp.be("south")
    session = await erp.ana.session()
    events = await erp.ana.ask(session, "/erp Sales")
    heads = (await erp.ana.http.get(f"/api/sessions/{session}/datasets")).json()["items"]
    assert brought(events)
    assert {head["provenance"]["company"] for head in heads} == {erp.companies[SECOND].display_name}


async def test_a_token_line_names_roles(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"{digest_of('a')} read ana north,south\n{digest_of('b')} write ben\n", encoding="utf-8")
    tokens = load_tokens(path)
    found = [tokens.grant(token) for token in ("a", "b")]
    assert [grant.roles for grant in found if grant is not None] == [frozenset({"north", "south"}), frozenset()]
