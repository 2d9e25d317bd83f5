"""The contract of ERP connectors on the sandbox: as Business Central and as a service nothing is known of (A-4)."""

from collections.abc import AsyncIterator, Callable

import pytest

from batuta.connectors.business_central.connector import BusinessCentral, BusinessCentralSettings
from batuta.connectors.erp import ErpConnector
from batuta.connectors.http import AiohttpTransport, InProcessTransport
from batuta.connectors.odata.client import ODataClientSettings
from batuta.connectors.odata.connector import ODataConnector, ODataConnectorSettings
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox
from batuta.sandbox.serving import SandboxServer
from batuta.testing.clock import FakeClock
from batuta.testing.erp_conformance import ErpConnectorConformance, ErpSubject
from tests.integration.erp.conftest import handle_of

MISSING = "99999999-9999-4999-8999-999999999999"
PAGE_SIZE = 4


async def subject_of(connector: ErpConnector, lose_next_answer: Callable[[], None]) -> ErpSubject:
    return ErpSubject(
        connector=connector, company_id=(await connector.companies())[0].id, entity="customers",
        text_field="displayName", amount_field="creditLimit", values_named=lambda text: {"displayName": text},
        missing_id=MISSING, lose_next_answer=lose_next_answer,
    )  # fmt: skip


def loser(sandbox: Sandbox, fault: str = "executed-dropped") -> Callable[[], None]:
    """Plan that the answer of the next request is lost."""
    body = f'{{"faults": ["{fault}"]}}'.encode()

    def lose() -> None:
        request = SandboxRequest.of("POST", "/sandbox/faults", headers={"Content-Type": "application/json"}, body=body)
        assert sandbox.handle(request).status == 204

    return lose


class TestBusinessCentral(ErpConnectorConformance):
    @pytest.fixture
    async def subject(self, sandbox: Sandbox) -> AsyncIterator[ErpSubject]:
        with SandboxServer(sandbox) as server:
            settings = BusinessCentralSettings(root=server.api_url, page_size=PAGE_SIZE)
            connector = BusinessCentral(settings, AiohttpTransport(), clock=FakeClock())
            yield await subject_of(connector, loser(sandbox))
            await connector.close()


class TestRehearsingBusinessCentral(ErpConnectorConformance):
    """In the process, with previews that are carried out and taken back, as on a fresh start of the platform."""

    @pytest.fixture
    async def subject(self, sandbox: Sandbox) -> ErpSubject:
        settings = BusinessCentralSettings(root="http://sandbox.local/api/v2.0", page_size=PAGE_SIZE, can_preview=True)
        connector = BusinessCentral(settings, InProcessTransport(handle_of(sandbox)), clock=FakeClock())
        return await subject_of(connector, loser(sandbox, "executed-504"))


class TestUnknownService(ErpConnectorConformance):
    """The same sandbox by its metadata alone."""

    @pytest.fixture
    async def subject(self, sandbox: Sandbox) -> AsyncIterator[ErpSubject]:
        with SandboxServer(sandbox) as server:
            settings = ODataConnectorSettings(
                root=server.api_url, company_set="companies", client=ODataClientSettings(page_size=PAGE_SIZE)
            )
            connector = ODataConnector(settings, AiohttpTransport(), clock=FakeClock())
            yield await subject_of(connector, loser(sandbox))
            await connector.close()
