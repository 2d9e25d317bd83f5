"""A Business Central that fails, over a socket: clear words, bounded tries, nothing in part, nothing written twice."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.agent import specialist
from batuta.agents.erp.measuring import measure_tools
from batuta.agents.erp.reading import reading_tools
from batuta.agents.erp.writing import writing_tools
from batuta.connectors.business_central.connector import BusinessCentral, BusinessCentralSettings
from batuta.connectors.business_central.sign_in import ClientCredentials, TokenSource
from batuta.connectors.erp import RecordQuery
from batuta.connectors.faults import FAULT_WORDS, FaultKind, fault_of
from batuta.connectors.http import AiohttpTransport
from batuta.connectors.odata.client import MAX_ATTEMPTS
from batuta.conversations.conversation import Conversation
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.events.datasets import DatasetStored
from batuta.kernel.errors import (
    AccessDeniedError,
    BatutaError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    MissingCompanyError,
    ToolFailedError,
    UnknownOutcomeError,
)
from batuta.offline.model import OfflineModel
from batuta.orchestration.orchestrator import Orchestrator
from batuta.sandbox.demo import DEMO_TODAY
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox
from batuta.sandbox.serving import SandboxServer
from batuta.testing.clock import FakeClock
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool

ALL = RecordQuery(entity="customers", select=("id", "number"))
PAGE_SIZE = 7
TIMEOUT = timedelta(seconds=0.3)
SLOW = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class FaultyErp:
    """A sandbox behind a socket, the connector to it, and the switch for its faults."""

    sandbox: Sandbox
    server: SandboxServer
    connector: BusinessCentral
    clock: FakeClock

    def fails(self, *faults: str) -> None:
        """Plan what happens to the next requests."""
        token = self._handled("POST", "/x/oauth2/v2.0/token", b"grant_type=client_credentials&client_id=app"
                              b"&client_secret=secret")["access_token"]  # fmt: skip
        self._handled("POST", "/sandbox/faults", json.dumps({"faults": faults}).encode(), token)

    def without_company(self, company_id: str) -> None:
        """Remove a company behind everybody's back."""
        with self.sandbox.store.transaction():
            self.sandbox.store.connection.execute("DELETE FROM companies WHERE id = ?", (company_id,))

    def access(self) -> ErpAccess:
        return ErpAccess(connector=self.connector, today=lambda: DEMO_TODAY)

    def _handled(self, method: str, path: str, body: bytes, token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        response = self.sandbox.handle(SandboxRequest.of(method, path, headers=headers, body=body))
        assert response.status < 300, response.body
        return response.json() if response.body else None


@asynccontextmanager
async def connected(sandbox: Sandbox, **changes: str) -> AsyncIterator[FaultyErp]:
    """The sandbox asks for tokens, as the real service does; `changes` spoil the address or the secret."""
    with SandboxServer(sandbox) as server:
        clock, transport = FakeClock(), AiohttpTransport(timeout=TIMEOUT)
        credentials = ClientCredentials(
            token_url=changes.get("token_url", f"{server.url}/tenant/oauth2/v2.0/token"),
            client_id="app",
            client_secret=changes.get("secret", "secret"),
        )
        connector = BusinessCentral(
            BusinessCentralSettings(root=changes.get("root", server.api_url), page_size=PAGE_SIZE),
            transport,
            authorize=TokenSource(credentials, transport, clock=clock).headers,
            clock=clock,
        )
        try:
            yield FaultyErp(sandbox=sandbox, server=server, connector=connector, clock=clock)
        finally:
            await connector.close()


@pytest.fixture
def guarded(sandbox: Sandbox) -> Sandbox:
    """The demo companies behind a sign-in, late when asked to be."""
    settings = replace(sandbox.settings, clients={"app": "secret"}, slow_answer=SLOW)
    return Sandbox(sandbox.store, sandbox.behaviour, settings)


@pytest.fixture
async def erp(guarded: Sandbox) -> AsyncIterator[FaultyErp]:
    async with connected(guarded) as faulty:
        yield faulty


async def customers(erp: FaultyErp) -> list[str]:
    company = (await erp.connector.companies())[0]
    pages = erp.connector.pages(company.id, ALL)
    return [record.id async for page in pages for record in page.records]


def called(key: str = "call", language: str = "en") -> ToolContext:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="s"))
    return ToolContext(idempotency_key=key, services={"language": language, DATASETS_SERVICE: library})


def tools_of(access: ErpAccess) -> dict[str, Tool]:
    tools: Sequence[Tool] = (*writing_tools(access), *reading_tools(access), *measure_tools(access))
    return {one.name: one for one in tools}


@pytest.mark.parametrize(
    "faults",
    [
        ["429"] * 4, ["503", "502", "504", "500"], ["401"], ["timeout"], ["executed-cut"], ["executed-truncated"],
        ["executed-dropped"], ["executed-cut", "429", "executed-truncated", "503"],
    ],
    ids=" ".join,
)  # fmt: skip
async def test_a_read_survives_what_passes(erp: FaultyErp, faults: list[str]) -> None:
    """Every page arrives whole and once, whatever happens on the way."""
    expected = await customers(erp)
    erp.fails("none", *faults)
    assert await customers(erp) == expected


async def test_a_storm_is_waited_for_as_it_asks_and_not_for_ever(erp: FaultyErp) -> None:
    """429 with Retry-After: never earlier than asked, and after five tries the caller is told."""
    await customers(erp)
    erp.fails(*["429"] * 20)
    with pytest.raises(ConnectorUnavailableError) as caught:
        await customers(erp)
    assert fault_of(caught.value) == "busy"
    assert len(erp.clock.sleeps) == MAX_ATTEMPTS - 1
    assert min(erp.clock.sleeps) >= 1.0


async def test_a_page_that_breaks_in_the_middle_gives_no_part_of_itself(guarded: Sandbox) -> None:
    """The first page is followed by an error, never by a silent end; and whoever asked for all gets nothing."""
    async with connected(guarded) as erp:
        access = erp.access()
        company = await access.company()
        erp.fails("none", *["executed-cut"] * MAX_ATTEMPTS)
        pages = erp.connector.pages(company.id, ALL)
        assert len((await anext(pages)).records) == PAGE_SIZE
        with pytest.raises(ConnectorUnavailableError) as caught:
            await anext(pages)
        assert fault_of(caught.value) == "interrupted"
        erp.fails("none", *["executed-truncated"] * MAX_ATTEMPTS)
        with pytest.raises(ToolFailedError, match="Nothing of it is shown"):
            await tools_of(access)["read_records"].call(called(), entity="customers")


async def test_a_token_that_is_refused_twice_is_no_matter_of_time(erp: FaultyErp) -> None:
    """One new token, then it is said; an endless change of tokens would hide a revoked app."""
    await customers(erp)
    erp.fails("401", "401")
    with pytest.raises(AccessDeniedError) as caught:
        await customers(erp)
    assert fault_of(caught.value) == "sign_in"


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"secret": "wrong"}, "sign_in"),
        ({"token_url": "http://127.0.0.1:9/token"}, "unreachable"),
        ({"root": "http://127.0.0.1:9/api/v2.0"}, "unreachable"),
    ],
)
async def test_what_is_configured_wrongly_is_told_apart(
    guarded: Sandbox, changes: dict[str, str], kind: FaultKind
) -> None:
    async with connected(guarded, **changes) as erp:
        with pytest.raises(BatutaError) as caught:
            await erp.connector.companies()
    assert fault_of(caught.value) == kind


async def test_a_wrong_environment_is_a_matter_of_the_address(guarded: Sandbox) -> None:
    with SandboxServer(guarded) as other:
        wrong = f"{other.url}/v3.1/nowhere"
        async with connected(guarded, root=wrong) as erp:
            with pytest.raises(ConnectorRejectedError) as caught:
                await erp.connector.companies()
    assert fault_of(caught.value) == "routing"


async def test_a_company_that_is_gone_is_named_as_such(erp: FaultyErp) -> None:
    company = (await erp.connector.companies())[0]
    erp.without_company(company.id)
    with pytest.raises(MissingCompanyError):
        await erp.connector.count(company.id, "customers")


KINDS: dict[FaultKind, list[str]] = {
    "busy": ["429"] * 20,
    "failing": ["500"] * 20,
    "timed_out": ["504"] * 20,
    "interrupted": ["executed-cut"] * 20,
    "sign_in": ["401"] * 2,
    "permission": ["403"],
}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(("kind", "faults"), KINDS.items(), ids=list(KINDS))
async def test_a_question_about_a_failing_erp_gets_words_and_no_figure(
    erp: FaultyErp, kind: FaultKind, faults: list[str], language: str
) -> None:
    """In the language of whoever asks, with what to do; and not a single row is kept."""
    access = erp.access()
    await access.books()
    erp.fails(*faults)
    context = called(language=language)
    library: DatasetLibrary = context.services[DATASETS_SERVICE]
    with pytest.raises(ToolFailedError) as caught:
        await tools_of(access)["compute_measure"].call(context, measure="receivables", split_by=["customer"])
    opening = FAULT_WORDS[kind][language].partition("{detail}")[0]
    assert str(caught.value).startswith(opening)
    assert await library.store.list(library.owner) == []


@pytest.mark.parametrize(("language", "words"), [("en", "There are now: "), ("es", "Ahora hay: ")])
async def test_a_question_to_a_company_that_is_gone_names_the_others(erp: FaultyErp, language: str, words: str) -> None:
    access = erp.access()
    gone, left = await access.companies()
    erp.without_company(gone.id)
    with pytest.raises(ToolFailedError, match=f"{words}{left.display_name}"):
        await tools_of(access)["read_records"].call(called(language=language), entity="customers")
    assert await access.companies() == (left,)


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("Which customers owe us the most money?", "en", "Wait a minute and ask again"),
        ("¿Qué clientes nos deben más dinero?", "es", "Espera un minuto y vuelve a preguntar"),
    ],
)
async def test_a_turn_over_a_failing_erp_ends_with_what_to_do(
    erp: FaultyErp, question: str, language: str, words: str
) -> None:
    """The whole way, on the built-in model: the answer says it, and shows no table."""
    model = OfflineModel(erp.clock)
    team = Orchestrator(supervisor=model, agents=[specialist(model, access=erp.access())], is_streaming=True)
    erp.fails(*["429"] * 30)
    context = called(language=language)
    turn = await team.run(question, conversation=Conversation(), session_id="s", services=dict(context.services))
    assert words in (turn.answer or "")
    assert not any(isinstance(event, DatasetStored) for event in turn.events)


async def draft_invoice(erp: FaultyErp) -> tuple[ErpAccess, dict[str, Any]]:
    """A draft, and the arguments that post it."""
    access = erp.access()
    company = await access.company()
    first = {
        entity: await anext(erp.connector.pages(company.id, RecordQuery(entity=entity, limit=1)))
        for entity in ("customers", "items")
    }
    ids = {entity: page.records[0].id for entity, page in first.items()}
    lines = [{"lineType": "Item", "itemId": ids["items"], "quantity": 1}]
    values = {"customerId": ids["customers"], "salesInvoiceLines": lines}
    made = await tools_of(access)["create_record"].call(called("draft"), entity="salesInvoices", values=values)
    return access, {
        "entity": "salesInvoices", "record_id": made["record_id"], "etag": made["etag"], "action": "post",
    }  # fmt: skip


async def entries(erp: FaultyErp) -> int:
    company = (await erp.connector.companies())[0]
    return await erp.connector.count(company.id, "generalLedgerEntries")


@pytest.mark.parametrize("fault", ["executed-504", "executed-dropped"])
async def test_a_posting_whose_answer_is_lost_is_found_and_not_repeated(erp: FaultyErp, fault: str) -> None:
    """A-2: the ERP committed, the answer never came; the entries of one posting are in the ledger."""
    access, posting = await draft_invoice(erp)
    before = await entries(erp)
    erp.fails("none", fault)  # the first request looks at the version, the second posts
    done = await tools_of(access)["run_action"].call(called("post"), **posting)
    once = await entries(erp) - before
    assert (done["outcome"], done["values"]["status"]) == ("post done", "Open")
    assert once > 0
    with pytest.raises(ToolFailedError, match="was changed"):
        await tools_of(access)["run_action"].call(called("post"), **posting)
    assert await entries(erp) - before == once


@pytest.mark.parametrize("fault", ["executed-dropped", "executed-cut", "executed-truncated", "executed-504"])
async def test_a_create_whose_answer_is_lost_exists_once(erp: FaultyErp, fault: str) -> None:
    access = erp.access()
    before = len(await customers(erp))
    await access.company()
    erp.fails(fault)
    values = {"displayName": "Once S.L.", "country": "ES"}
    made = await tools_of(access)["create_record"].call(called("new"), entity="customers", values=values)
    assert (made["outcome"], made["values"]["displayName"]) == ("created", "Once S.L.")
    assert len(await customers(erp)) == before + 1


@pytest.mark.parametrize(("language", "words"), [("en", "was not carried out"), ("es", "no se ha hecho")])
async def test_a_posting_that_did_not_happen_is_said_to_have_not(erp: FaultyErp, language: str, words: str) -> None:
    access, posting = await draft_invoice(erp)
    before = await entries(erp)
    erp.fails("none", "500")
    with pytest.raises(ToolFailedError, match=words):
        await tools_of(access)["run_action"].call(called("post", language), **posting)
    assert await entries(erp) == before


@pytest.mark.parametrize(("language", "words"), [("en", "Do not repeat it"), ("es", "No lo repitas")])
async def test_a_posting_of_which_nothing_is_known_is_not_to_be_repeated(
    erp: FaultyErp, language: str, words: str
) -> None:
    """The answer is lost, and so is every answer to the question whether it happened."""
    access, posting = await draft_invoice(erp)
    erp.fails("none", "executed-dropped", *["503"] * MAX_ATTEMPTS)
    with pytest.raises(UnknownOutcomeError, match=words):
        await tools_of(access)["run_action"].call(called("post", language), **posting)


async def test_a_storm_before_a_write_lets_it_happen_once(erp: FaultyErp) -> None:
    """429 says that it was not carried out: it may be sent again."""
    access, posting = await draft_invoice(erp)
    erp.fails("none", "429", "429")
    done = await tools_of(access)["run_action"].call(called("post"), **posting)
    assert done["values"]["status"] == "Open"
