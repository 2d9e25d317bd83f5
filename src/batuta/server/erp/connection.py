"""Which ERP the platform talks to: the configured one, or the sandbox with its demo companies in the data folder."""

import base64
import logging
from collections.abc import Mapping
from datetime import date

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.model import NO_MEASURES, load_measures, standard_measures
from batuta.connectors.business_central.catalogue import EntityCatalogue
from batuta.connectors.business_central.connector import BusinessCentral, BusinessCentralSettings
from batuta.connectors.business_central.sign_in import ClientCredentials, TokenSource
from batuta.connectors.http import AiohttpTransport, InProcessTransport
from batuta.connectors.odata.client import Authorize, anonymous
from batuta.connectors.odata.connector import ODataConnector, ODataConnectorSettings
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError
from batuta.sandbox.opening import open_sandbox
from batuta.sandbox.requests import SandboxRequest
from batuta.server.config import Settings

log = logging.getLogger("batuta.server")

SANDBOX_ROOT = "http://sandbox.local/api/v2.0"
SANDBOX_FILE = "sandbox.sqlite3"


def erp_access(settings: Settings, *, clock: Clock = SYSTEM_CLOCK) -> ErpAccess | None:
    """The ERP of this platform. None in the distributed mode without one: several processes share no sandbox."""

    def today() -> date:
        return clock.now().date()

    if settings.erp_url is not None and settings.erp_kind == "odata":
        measures = NO_MEASURES if settings.measures_file is None else load_measures(settings.measures_file, NO_MEASURES)
        catalogue = EntityCatalogue((), {}, {})
        return ErpAccess(
            connector=_odata(settings, settings.erp_url), today=today, catalogue=catalogue, measures=measures
        )
    measures = standard_measures() if settings.measures_file is None else load_measures(settings.measures_file)
    if settings.erp_url is not None:
        transport = AiohttpTransport()
        connector = BusinessCentral(
            BusinessCentralSettings(root=settings.erp_url), transport, authorize=_sign_in(settings, transport)
        )
        return ErpAccess(connector=connector, today=today, measures=measures)
    if settings.database_url is not None:
        return None
    connector = BusinessCentral(
        BusinessCentralSettings(root=SANDBOX_ROOT, can_preview=True),
        _sandbox(settings, clock.now().date()),
    )
    return ErpAccess(connector=connector, today=today, measures=measures)


def _odata(settings: Settings, root: str) -> ODataConnector:
    transport = AiohttpTransport()
    return ODataConnector(
        ODataConnectorSettings(root=root, company_set=settings.erp_company_set),
        transport,
        authorize=_sign_in(settings, transport),
    )


async def learn_erp_names(access: ErpAccess) -> None:
    """Read what the ERP offers and the names people use; one that cannot be reached holds up nothing else."""
    try:
        await access.refresh_catalogue()
        await access.learn_names()
    except BatutaError as error:
        log.warning("the ERP cannot be read now, so its own fields and names are not known yet: %s", error)


def _sandbox(settings: Settings, today: date) -> InProcessTransport:
    """The sandbox of the data folder; its demo companies are made at the first start, as of that day."""
    path = settings.data_dir / SANDBOX_FILE
    if not path.exists():
        log.info("making the demo companies of the Business Central sandbox: some seconds, only at the first start")
    sandbox = open_sandbox(path, today=today, traded_until=today)

    def handle(method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        response = sandbox.handle(SandboxRequest.of(method, url, headers=headers, body=body))
        return response.status, response.headers, response.body

    return InProcessTransport(handle, on_close=sandbox.store.close)


def _sign_in(settings: Settings, transport: AiohttpTransport) -> Authorize:
    if settings.erp_client_id is None or settings.erp_client_secret is None:
        return anonymous
    if settings.erp_token_url is None:
        return _basic(settings.erp_client_id, settings.erp_client_secret.get_secret_value())
    credentials = ClientCredentials(
        token_url=settings.erp_token_url,
        client_id=settings.erp_client_id,
        client_secret=settings.erp_client_secret.get_secret_value(),
        scope=settings.erp_scope,
    )
    return TokenSource(credentials, transport).headers


def _basic(user: str, password: str) -> Authorize:
    """Without a token service: name and password (on premises, a web service key) with every request."""
    header = {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}

    async def headers(is_refused: bool) -> Mapping[str, str]:
        return header

    return headers
