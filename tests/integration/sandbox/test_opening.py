"""A sandbox that is ready to use: demo companies in a file, opened again quickly, served by the command."""

import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.sandbox.opening import open_sandbox, reset_file
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small demo companies in a file."""
    path = tmp_path_factory.mktemp("sandbox") / "demo.db"
    open_sandbox(path).store.close()
    return path


@pytest.fixture
def file(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(prepared, tmp_path / "demo.db"))


def get(sandbox: Sandbox, path: str) -> Any:
    response = sandbox.handle(SandboxRequest.of("GET", f"/api/v2.0/{path}"))
    assert response.status == 200, response.body
    return response.json()


def post(sandbox: Sandbox, path: str, headers: dict[str, str] | None = None) -> Any:
    response = sandbox.handle(SandboxRequest.of("POST", f"/api/v2.0/{path}", headers))
    assert response.status < 300, response.body
    return response.json() if response.body else None


@pytest.mark.parametrize("last_day", [date(2026, 11, 16), date(2028, 2, 29), date(2027, 1, 1)])
def test_companies_that_are_made_have_traded_until_the_day_that_is_asked_for(last_day: date) -> None:
    sandbox = open_sandbox(traded_until=last_day)
    company = get(sandbox, "companies")["value"][0]["id"]
    newest = get(sandbox, f"companies({company})/salesInvoices?$orderby=postingDate desc&$top=1")["value"][0]
    assert 0 <= (last_day - date.fromisoformat(newest["postingDate"])).days < 20
    assert sandbox.store.today() == last_day
    sandbox.store.close()


def test_a_file_is_filled_once_and_kept(file: Path) -> None:
    sandbox = open_sandbox(file)
    companies = get(sandbox, "companies")["value"]
    assert len(companies) == 2
    assert sandbox.store.today() == date(2026, 9, 30)
    sandbox.store.close()
    again = open_sandbox(file, today=date(2026, 12, 31))
    assert get(again, "companies")["value"] == companies
    assert again.store.today() == date(2026, 12, 31)
    again.store.close()


def test_a_preview_shows_ledger_entries_that_balance(file: Path) -> None:
    """What arises is shown with its entries, debit equals credit, and the file is as it was."""
    sandbox = open_sandbox(file)
    company = f"companies({get(sandbox, 'companies')['value'][0]['id']})"
    order = get(sandbox, f"{company}/salesOrders?$top=1")["value"][0]
    before = sandbox.store.connection.serialize()
    place = f"{company}/salesOrders({order['id']})/Microsoft.NAV.shipAndInvoice"
    shown = post(sandbox, place, {"X-Sandbox-Preview": "true"})
    changes = shown["changes"]
    entries = [each["after"] for each in changes["generalLedgerEntries"]]
    assert round(sum(each["debitAmount"] - each["creditAmount"] for each in entries), 5) == 0
    invoice = changes["salesInvoices"][0]["after"]
    charged = [each["after"]["amount"] for each in shown["ledgers"]["customerLedgerEntries"]]
    assert charged == [invoice["totalAmountIncludingTax"]]
    assert "taxEntries" in shown["ledgers"]
    assert not [name for name in (*changes, *shown["ledgers"]) if name.startswith("_")]
    assert not [name for each in shown["ledgers"].values() for row in each for name in row["after"] if "_" in name]
    assert sandbox.store.connection.serialize() == before
    sandbox.store.close()


def test_snapshots_take_everything_back(file: Path) -> None:
    sandbox = open_sandbox(file)
    company = f"companies({get(sandbox, 'companies')['value'][0]['id']})"
    orders = get(sandbox, f"{company}/salesOrders")["value"]

    def control(method: str, name: str) -> int:
        return sandbox.handle(SandboxRequest.of(method, f"/sandbox/snapshots/{name}")).status

    assert control("PUT", "before") == 204
    post(sandbox, f"{company}/salesOrders({orders[0]['id']})/Microsoft.NAV.shipAndInvoice")
    assert get(sandbox, f"{company}/salesOrders")["value"] != orders
    assert control("POST", "before") == 204
    assert get(sandbox, f"{company}/salesOrders")["value"] == orders
    assert [control(method, "before") for method in ("DELETE", "POST", "DELETE")] == [204, 404, 404]
    assert [control("PUT", str(number)) for number in range(6)] == [204] * 5 + [400]
    sandbox.store.close()


def test_snapshots_of_a_file_outlive_the_process_and_end_with_a_reset(file: Path) -> None:
    def control(sandbox: Sandbox, method: str, name: str) -> int:
        return sandbox.handle(SandboxRequest.of(method, f"/sandbox/snapshots/{name}")).status

    sandbox = open_sandbox(file)
    company = get(sandbox, "companies")["value"][0]["id"]
    assert control(sandbox, "PUT", "before") == 204
    sandbox.store.records(company).insert("customers", {"number": "NEW"})
    sandbox.store.close()
    again = open_sandbox(file)
    assert again.handle(SandboxRequest.of("GET", "/sandbox")).json()["snapshots"] == ["before"]
    assert control(again, "POST", "before") == 204
    assert not again.store.records(company).exists("customers", number="NEW")
    (file.parent / "demo.db.other.snapshot").write_bytes(b"no database")
    assert control(again, "POST", "other") == 400
    again.store.close()
    reset_file(file)
    assert list(file.parent.iterdir()) == []


def test_another_size_than_the_file_has_is_refused(file: Path) -> None:
    told = CliRunner().invoke(app, ["sandbox", "--port", "0", "--data", str(file), "--company-size", "M"])
    assert told.exit_code == 2
    assert "holds companies of size S, not M: start with --reset" in " ".join(told.output.split())
    with open_sandbox(file, size="S").store.transaction():
        pass


def test_sandboxes_in_memory_are_alike_and_apart() -> None:
    first, second = open_sandbox(), open_sandbox(today=date(2027, 1, 1))
    companies = get(first, "companies")["value"]
    assert get(second, "companies")["value"] == companies
    first.store.records(companies[0]["id"]).insert("customers", {"number": "NEW"})
    assert not second.store.records(companies[0]["id"]).exists("customers", number="NEW")
    assert second.store.today() == date(2027, 1, 1)


def test_an_unknown_size_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="S, M"):
        open_sandbox(tmp_path / "x.db", size="XL")


def test_reset_removes_the_file_and_what_lies_beside_it(tmp_path: Path) -> None:
    for name in ("x.db", "x.db-wal", "x.db-shm", "other.db"):
        (tmp_path / name).touch()
    reset_file(tmp_path / "x.db")
    assert [each.name for each in tmp_path.iterdir()] == ["other.db"]


def test_the_command_serves_the_file_until_it_is_stopped(file: Path) -> None:
    command = [str(Path(sys.executable).parent / "batuta"), "sandbox", "--port", "0", "--data", str(file)]
    with subprocess.Popen([*command, "--quirks", "bc"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://(127\.0\.0\.1:\d+)(/\S+)", line)
        assert found is not None, line
        connection = http.client.HTTPConnection(found[1], timeout=60)
        connection.request("GET", f"{found[2]}/companies")
        assert len(json.loads(connection.getresponse().read())["value"]) == 2
        connection.request("GET", "/sandbox")
        assert json.loads(connection.getresponse().read())["quirks"] == "bc"
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--host", "0.0.0.0"], "--client id:secret"),
        (["--client", "nonsense"], "id:secret"),
        (["--data", "/proc/nowhere/x.db"], "choose another with --data"),
        (["--company-size", "XL"], "S, M"),
        (["--quirks", "kind"], "teach"),
        (["--today", "yesterday"], "%Y-%m-%d"),
    ],
)
def test_wrong_use_of_the_command_says_what_to_do(words: list[str], reason: str) -> None:
    told = CliRunner().invoke(app, ["sandbox", "--port", "0", *words])
    assert told.exit_code == 2
    assert reason in " ".join(told.output.split())


def test_a_taken_port_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = CliRunner().invoke(app, ["sandbox", "--port", str(port), "--data", str(tmp_path / "x.db")])
    assert told.exit_code == 2
    assert "--port" in told.output
    assert not (tmp_path / "x.db").exists()
