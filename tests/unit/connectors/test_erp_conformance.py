"""The contract of ERP connectors, on the ERP in memory and on the generic connector over a service of our own (A-4)."""

from decimal import Decimal

import pytest

from batuta.connectors.http import HttpTransport, IncomingResponse, InProcessTransport, OutgoingRequest
from batuta.connectors.odata.client import ODataClientSettings
from batuta.connectors.odata.connector import ONLY_COMPANY, ODataConnector, ODataConnectorSettings
from batuta.kernel.errors import ConnectorUnavailableError
from batuta.testing.clock import FakeClock
from batuta.testing.erp import COMPANY, MemoryErp
from batuta.testing.erp_conformance import ErpConnectorConformance, ErpSubject
from tests.unit.connectors.shop_service import ShopService

MISSING = "99999999-9999-4999-8999-999999999999"


class ResettingTransport:
    """Reports a service that broke the connection as the network does."""

    def __init__(self, inner: HttpTransport) -> None:
        self._inner = inner

    async def send(self, request: OutgoingRequest) -> IncomingResponse:
        try:
            return await self._inner.send(request)
        except ConnectionResetError as error:
            raise ConnectorUnavailableError("reset", was_sent=True, reason_code="cut") from error

    async def close(self) -> None:
        await self._inner.close()


def connector_to(shop: ShopService) -> ODataConnector:
    return ODataConnector(
        ODataConnectorSettings(root="http://shop.local/shop", client=ODataClientSettings(page_size=3)),
        ResettingTransport(InProcessTransport(shop.handle)),
        clock=FakeClock(),
    )


class TestMemoryErp(ErpConnectorConformance):
    @pytest.fixture
    def subject(self) -> ErpSubject:
        erp = MemoryErp(
            {
                "customers": [
                    {"id": f"id-{n}", "displayName": f"Customer {n}", "balance": Decimal(n * 7 % 5)} for n in range(8)
                ]
            }
        )
        return ErpSubject(
            connector=erp, company_id=COMPANY.id, entity="customers", text_field="displayName", amount_field="balance",
            values_named=lambda text: {"displayName": text, "balance": Decimal(0)}, missing_id=MISSING,
            lose_next_answer=lambda: setattr(erp, "loses_next_answer", True),
        )  # fmt: skip


class TestNumberedProducts(ErpConnectorConformance):
    """Keys are numbers the service gives, versions are its ETags."""

    @pytest.fixture
    def subject(self) -> ErpSubject:
        shop = ShopService()
        return ErpSubject(
            connector=connector_to(shop), company_id=ONLY_COMPANY, entity="Products", text_field="Title",
            amount_field="Price", values_named=lambda text: {"Title": text}, missing_id="4711",
            lose_next_answer=lambda: setattr(shop, "loses_next_answer", True),
        )  # fmt: skip


class TestLabelsWithoutVersions(ErpConnectorConformance):
    """Keys are texts with quotes in them, and the content of a record is its version."""

    @pytest.fixture
    def subject(self) -> ErpSubject:
        shop = ShopService()
        counter = iter(range(100))
        return ErpSubject(
            connector=connector_to(shop), company_id=ONLY_COMPANY, entity="Labels", text_field="Note",
            amount_field="Weight", missing_id="no such label",
            values_named=lambda text: {"Text": f"new '{next(counter)}'", "Weight": 0, "Note": text},
            lose_next_answer=lambda: setattr(shop, "loses_next_answer", True),
        )  # fmt: skip
