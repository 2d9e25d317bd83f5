"""What requests to the sandbox cost on the medium demo company.

    python -m bench.sandbox            the table
    python -m bench.sandbox --json     one JSON object per line

The companies are made once and kept under `.cache/`, which takes minutes; everything is measured on a copy of that
file. Requests go through `Sandbox.handle`, without a socket. A figure is CPU time, best of many rounds.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from batuta.sandbox.opening import open_sandbox, reset_file
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.service import Sandbox
from bench.measuring import Row, clock

PREPARED = Path(__file__).parents[1] / ".cache" / "sandbox-m.db"
START = "from batuta.sandbox.opening import open_sandbox; import sys; open_sandbox(sys.argv[1], size='M')"
OPEN = quote("status eq 'Open' and dueDate lt 2026-09-01")


class Case:
    """Requests to the larger company of a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        companies = sandbox.handle(SandboxRequest.of("GET", "/api/v2.0/companies")).json()["value"]
        self._root = f"/api/v2.0/companies({companies[0]['id']})"
        self._items = self.send("GET", "items?$top=10&$filter=" + quote("inventory gt 20")).json()["value"]
        self._customer = self.send("GET", "customers?$top=1&$filter=" + quote("blocked eq ' '")).json()["value"][0]

    def send(self, method: str, path: str, body: object = None) -> SandboxResponse:
        raw = b"" if body is None else json.dumps(body).encode()
        response = self._sandbox.handle(SandboxRequest.of(method, f"{self._root}/{path}", {}, raw))
        assert response.status < 300, response.body
        return response

    def page(self) -> None:
        self.send("GET", "salesInvoices?$top=20&$expand=salesInvoiceLines,customer($select=displayName)")

    def count(self) -> None:
        self.send("GET", f"salesInvoices/$count?$filter={OPEN}")

    def new_order(self) -> str:
        lines = [{"itemId": item["id"], "lineType": "Item", "quantity": 1} for item in self._items]
        body = {"customerId": self._customer["id"], "salesOrderLines": lines}
        return str(self.send("POST", "salesOrders", body).json()["id"])

    def post(self, order: str) -> None:
        self.send("POST", f"salesOrders({order})/Microsoft.NAV.shipAndInvoice")


def milliseconds(run: Callable[[], object], rounds: int) -> float:
    run()
    best = float("inf")
    for _ in range(rounds):
        began = clock()
        run()
        best = min(best, clock() - began)
    return best * 1000


def posting_milliseconds(case: Case, rounds: int) -> float:
    best = float("inf")
    for order in [case.new_order() for _ in range(rounds)]:
        began = clock()
        case.post(order)
        best = min(best, clock() - began)
    return best * 1000


def start_milliseconds(path: Path) -> float:
    """CPU time of a fresh interpreter that opens the file, beside one that does nothing."""

    def cost(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", *command], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(cost(START, str(path)) for _ in range(5)) * 1000


def rows() -> list[Row]:
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sandbox.db"
        shutil.copy(PREPARED, path)
        started = start_milliseconds(path)
        sandbox = open_sandbox(path)
        case = Case(sandbox)
        measured = {
            ("list page of 20 with expand", 15): milliseconds(case.page, 50),
            ("$count with filter", 10): milliseconds(case.count, 50),
            ("post an order of 10 lines", 40): posting_milliseconds(case, 20),
            ("start on a prepared file", 1000): started,
        }
        sandbox.store.close()
    return [
        Row(what=what, subject="sandbox, size M", value=value, unit="ms", aim=f"≤ {most} ms", met=value <= most)
        for (what, most), value in measured.items()
    ]


def prepare() -> None:
    """Make the companies, unless a whole file is there."""
    if PREPARED.exists():
        return
    PREPARED.parent.mkdir(exist_ok=True)
    unfinished = PREPARED.with_suffix(".part")
    reset_file(unfinished)
    open_sandbox(unfinished, size="M").store.snapshot(PREPARED)
    reset_file(unfinished)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    is_json = parser.parse_args().json
    for row in rows():
        print(row.as_json() if is_json else f"{row.what:<32}{row.value:8.1f} {row.unit}   {row.aim}")


if __name__ == "__main__":
    main()
