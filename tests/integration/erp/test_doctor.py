"""`batuta doctor` tells the faults of an ERP connection apart, and says what to do about each."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox, SandboxSettings
from batuta.sandbox.serving import SandboxServer

COMPANY = "11111111-1111-4111-8111-111111111111"


def small_sandbox(*, has_company: bool = True) -> Sandbox:
    behaviour = Behaviour()
    store = SandboxStore(behaviour=behaviour)
    if has_company:
        store.records("").insert("companies", {"id": COMPANY, "name": "ALPHA", "displayName": "Alpha"})
    return Sandbox(store, behaviour, SandboxSettings(clients={"app": "secret"}))


def plan_faults(sandbox: Sandbox, *faults: str) -> None:
    form = b"grant_type=client_credentials&client_id=app&client_secret=secret"
    token = sandbox.handle(SandboxRequest.of("POST", "/x/oauth2/v2.0/token", body=form)).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps({"faults": faults}).encode()
    sandbox.handle(SandboxRequest.of("POST", "/sandbox/faults", headers=headers, body=body))


def asked_doctor(server: SandboxServer, tmp_path: Path, **changes: str) -> tuple[int, str]:
    """Exit code and what was printed, on one line."""
    environment = {
        "BATUTA_DATA_DIR": str(tmp_path),
        "BATUTA_ERP_URL": server.api_url,
        "BATUTA_ERP_TOKEN_URL": f"{server.url}/tenant/oauth2/v2.0/token",
        "BATUTA_ERP_CLIENT_ID": "app",
        "BATUTA_ERP_CLIENT_SECRET": "secret",
        **changes,
    }
    result = CliRunner().invoke(app, ["doctor"], env=environment)
    return result.exit_code, " ".join(result.output.split())


def test_a_connection_that_works_is_shown_stage_by_stage(tmp_path: Path) -> None:
    with SandboxServer(small_sandbox()) as server:
        _, words = asked_doctor(server, tmp_path)
    for stage in ("sign-in", "address", "company", "permission"):
        assert f"✓ ERP {stage}:" in words


@pytest.mark.parametrize(
    ("changes", "faults", "has_company", "stage", "advice"),
    [
        ({"BATUTA_ERP_CLIENT_SECRET": "old"}, [], True, "sign-in", "make a new secret in Entra ID"),
        ({}, ["401", "401"], True, "sign-in", "enable the app"),
        ({"BATUTA_ERP_URL": "/nowhere"}, [], True, "address", "tenant and environment in BATUTA_ERP_URL"),
        ({}, [], False, "company", "give the app access to one"),
        ({}, ["none", "403"], True, "permission", "permission set"),
    ],
    ids=["secret", "token", "address", "company", "permission"],
)
def test_each_fault_is_named_with_what_to_do(
    tmp_path: Path, changes: dict[str, str], faults: list[str], has_company: bool, stage: str, advice: str
) -> None:
    """The stages before it pass, the one that fails says what helps, and the exit code is 1."""
    sandbox = small_sandbox(has_company=has_company)
    with SandboxServer(sandbox) as server:
        if changes.get("BATUTA_ERP_URL"):
            changes = {"BATUTA_ERP_URL": server.url + changes["BATUTA_ERP_URL"]}
        plan_faults(sandbox, *faults)
        code, words = asked_doctor(server, tmp_path, **changes)
    assert code == 1
    assert words.count("✗ ERP") == 1
    assert f"✗ ERP {stage}:" in words
    assert advice in words.partition("✗ ERP")[2]
    assert "batuta doctor" not in words.partition("✗ ERP")[2]


def test_without_a_configured_erp_nothing_is_opened(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["doctor"], env={"BATUTA_DATA_DIR": str(tmp_path)})
    assert "ERP: the sandbox of the platform" in " ".join(result.output.split())
    assert not (tmp_path / "sandbox.sqlite3").exists()
