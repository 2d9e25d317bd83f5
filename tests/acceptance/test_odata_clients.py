"""OData clients from npm against the sandbox: @odata/client, o.js, and the metadata tool of OASIS (A-3)."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from batuta.sandbox.metadata import csdl_json
from batuta.sandbox.schema import STANDARD
from batuta.sandbox.serving import SandboxServer
from tests.unit.sandbox.service import COMPANY, ApiClient

CLIENTS = Path(__file__).parent / "odata"
PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def packages() -> Path:
    """The clients, installed from their lock."""
    if not (CLIENTS / "node_modules" / ".package-lock.json").exists():
        environment = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
        install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(install, cwd=CLIENTS, env=environment, check=True, timeout=300)
    return CLIENTS


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with SandboxServer(ApiClient().sandbox) as server:
        yield server.api_url


def run(packages: Path, name: str, root: str) -> Any:
    task = json.dumps({"root": root, "company": COMPANY})
    done = subprocess.run(
        [str(PROGRAMS / "node"), f"{name}.mjs", task],
        cwd=packages,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_odata_client_works_against_the_sandbox(packages: Path, root: str) -> None:
    assert run(packages, "odata-client", root) == {
        "created": "Peña e Hijos",
        "found": ["N1"],
        "queried": ["Peña e Hijos"],
        "read": "N1",
        "changed": "Gijón",
        "batch": [[201, "Batched"], [200, 2]],
        "counted": 2,
        "left": 1,
    }


def test_o_js_works_against_the_sandbox(packages: Path, root: str) -> None:
    assert run(packages, "o", root) == {
        "created": "Núñez",
        "found": ["Núñez"],
        "changed": "Vigo",
        "deleted": 204,
        "left": 0,
    }


def test_the_metadata_tool_of_oasis_reads_what_we_say_in_json(packages: Path, root: str) -> None:
    """It complains about nothing, and its JSON of our XML is the JSON that we serve ourselves."""
    report = run(packages, "csdl", root)
    assert report["messages"] == []
    assert normal(report["document"]) == normal(csdl_json(STANDARD))


def normal(node: Any) -> Any:
    """Without what the tool adds by itself: a precision for times, and its own spelling of the scale."""
    if isinstance(node, dict):
        return {key: normal(value) for key, value in node.items() if key not in ("$Precision", "$Scale")}
    return [normal(value) for value in node] if isinstance(node, list) else node
