"""The demo companies of the sandbox, made once, and an ERP over a copy of them for each test."""

import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.connectors.business_central.connector import BusinessCentral, BusinessCentralSettings
from batuta.connectors.http import Handle, InProcessTransport
from batuta.sandbox.demo import DEMO_TODAY
from batuta.sandbox.opening import open_sandbox
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared file with the small companies."""
    path = tmp_path_factory.mktemp("erp") / "demo.sqlite3"
    open_sandbox(path).store.close()
    return path


@pytest.fixture
def sandbox(demo_file: Path, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox of its own."""
    path = tmp_path / "sandbox.sqlite3"
    shutil.copyfile(demo_file, path)
    opened = open_sandbox(path)
    yield opened
    opened.store.close()


def handle_of(sandbox: Sandbox) -> Handle:
    """A sandbox as a service of this process."""

    def handle(method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        response = sandbox.handle(SandboxRequest.of(method, url, headers=headers, body=body))
        return response.status, response.headers, response.body

    return handle


@pytest.fixture
async def access(sandbox: Sandbox) -> AsyncIterator[ErpAccess]:
    """The sandbox as the agent's tools see it."""
    connector = BusinessCentral(
        BusinessCentralSettings(root="http://sandbox.local/api/v2.0", can_preview=True),
        InProcessTransport(handle_of(sandbox)),
    )
    access = ErpAccess(connector=connector, today=lambda: DEMO_TODAY)
    await access.learn_names()
    yield access
    await connector.close()
