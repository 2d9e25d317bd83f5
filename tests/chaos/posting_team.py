"""The team whose postings are interrupted: it carries out a workflow in a sandbox, one approved write after another."""

import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.changes.preparing import preparing_tools
from batuta.agents.erp.writing import writing_tools
from batuta.connectors.business_central.connector import PREVIEW_HEADER, BusinessCentral, BusinessCentralSettings
from batuta.connectors.http import InProcessTransport
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.sandbox.demo import DEMO_TODAY
from batuta.sandbox.opening import open_sandbox
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox
from batuta.steps.agent import AgentStep
from tests.support.platform import RuleModel

WORKFLOW = "turn quote 1002 into an order, post it and register the payment"
WRITES = 4
"""The quote becomes an order, the order an invoice, a payment is entered and posted."""
AGENT = "erp_agent"
HttpDeath = Literal["unsent", "unanswered"]


@dataclass
class MortalErp:
    """An ERP whose client dies around a write: before the request is there, or before its answer is."""

    sandbox: Sandbox
    die: Callable[[], None]
    die_at: int | None = None
    how: HttpDeath = "unsent"
    writes: int = 0

    def handle(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        is_write = method != "GET" and PREVIEW_HEADER not in headers
        self.writes += is_write
        is_last = is_write and self.writes == self.die_at
        if is_last and self.how == "unsent":
            self.die()
        response = self.sandbox.handle(SandboxRequest.of(method, url, headers=headers, body=body))
        if is_last and self.how == "unanswered":
            self.die()
        return response.status, response.headers, response.body


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def access_to(path: Path | str, die_at: int | None = None, how: HttpDeath = "unsent") -> Iterator[ErpAccess]:
    """The agent's way to a sandbox in a file, which is closed afterwards: hundreds are opened by one process."""
    sandbox = open_sandbox(path)
    erp = MortalErp(sandbox, kill_myself, die_at, how)
    settings = BusinessCentralSettings(root="http://sandbox.local/api/v2.0", can_preview=True)
    try:
        yield ErpAccess(connector=BusinessCentral(settings, InProcessTransport(erp.handle)), today=lambda: DEMO_TODAY)
    finally:
        sandbox.store.close()


def team(access: ErpAccess) -> Orchestrator:
    """A supervisor that hands everything on, and an agent that prepares and then does what each result names."""
    work = AgentStep(
        name=AGENT,
        model=RuleModel(_follow),
        output=str,
        instructions="Do what is asked.",
        tools=[*preparing_tools(access), *writing_tools(access)],
    )
    return Orchestrator(supervisor=RuleModel(_plan), agents=[Specialist(work, name="ERP")])


def books(path: Path | str) -> dict[str, Any]:
    """Everything in the first company's books that a workflow may touch, without what only tells times and ids."""
    database = sqlite3.connect(path)
    try:
        return {name: database.execute(query).fetchall() for name, query in _QUERIES.items()}
    finally:
        database.close()


_QUERIES = {
    "quotes": "SELECT company, number, status FROM salesQuotes ORDER BY 1, 2",
    "orders": "SELECT company, number, customerName, status FROM salesOrders ORDER BY 1, 2",
    "invoices": "SELECT company, number, customerName, status FROM salesInvoices ORDER BY 1, 2",
    "payments": "SELECT company, documentNumber, amount FROM customerPayments ORDER BY 1, 2",
    "general_ledger": "SELECT company, documentNumber, accountNumber, debitAmount, creditAmount "
    "FROM generalLedgerEntries ORDER BY 1, 2, 3, 4, 5",
    "item_ledger": "SELECT company, documentNumber, itemNumber, quantity, costAmountActual FROM itemLedgerEntries "
    "ORDER BY 1, 2, 3, 4, 5",
}


def _plan(request: ModelRequest) -> str:
    return json.dumps({"steps": [{"agent_id": AGENT, "task": request.messages[-1].text, "depends_on": []}]})


def _follow(request: ModelRequest) -> str | ToolCallBlock:
    results = [result for message in request.messages for result in message.tool_results]
    if not results:
        return ToolCallBlock(id="call_0", name="prepare_change", args={"request": request.messages[-1].text})
    newest = results[-1]
    found = {} if newest.is_error else json.loads(newest.content)
    tool = next((one for one in request.tools if one.name == found.get("next_tool")), None)
    if tool is None:
        said = found.get("summary", newest.content)
        return str(said["en"] if isinstance(said, Mapping) else said)
    args = {name: found[name] for name in tool.schema["properties"] if found.get(name) is not None}
    return ToolCallBlock(id=f"call_{len(results)}", name=tool.name, args=args)
