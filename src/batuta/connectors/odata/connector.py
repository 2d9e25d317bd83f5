"""Any OData v4 service as an `ErpConnector`, by its `$metadata` alone (A-4).

    connector = ODataConnector(ODataConnectorSettings(root="https://services.example/v4"), AiohttpTransport())

What a service offers is read once: entity sets, keys, types, actions, and what its annotations forbid. A service
without companies is one company. Where a service gives no ETag the content of a record is its version: before a write
it is read again and compared, so that another user's change is not overwritten.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from batuta.connectors.diagnosing import diagnosed
from batuta.connectors.erp import (
    ChangePreview,
    Diagnosis,
    ErpCompany,
    ErpRecord,
    RecordChange,
    RecordPage,
    RecordQuery,
    RowDifference,
)
from batuta.connectors.http import HttpTransport
from batuta.connectors.odata.client import Authorize, ODataClient, ODataClientSettings, QueryOptions, anonymous, decoded
from batuta.connectors.odata.filters import Filter, fields_of
from batuta.connectors.odata.keys import key_predicate, key_text
from batuta.connectors.odata.metadata import EntityType, ServiceMetadata, parse_metadata
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    AccessDeniedError,
    ConfigurationError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)

ONLY_COMPANY = "service"
"""The id of the company that a service without companies is."""
CONTENT_VERSION = "content:"
_NAME_FIELDS = ("displayName", "DisplayName", "name", "Name")


@dataclass(frozen=True, slots=True, kw_only=True)
class ODataConnectorSettings:
    """Where a service is and how it is asked."""

    root: str
    company_set: str = ""
    """The entity set whose members hold all others, such as `companies`; empty where there is none."""
    client: ODataClientSettings = field(default_factory=ODataClientSettings)


class ODataConnector:
    """An `ErpConnector` for a service that is known by its metadata only."""

    name = "odata"

    def __init__(
        self,
        settings: ODataConnectorSettings,
        transport: HttpTransport,
        *,
        authorize: Authorize = anonymous,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._settings = settings
        self._authorize = authorize
        self._client = ODataClient(settings.root, transport, authorize=authorize, clock=clock, settings=settings.client)
        self._metadata: ServiceMetadata | None = None
        self._lock = asyncio.Lock()

    async def companies(self) -> Sequence[ErpCompany]:
        """See `ErpConnector.companies`."""
        name = urlsplit(self._settings.root).netloc
        if not self._settings.company_set:
            await self._known()
            return [ErpCompany(id=ONLY_COMPANY, name=name, display_name=name)]
        entity = await self._entity(self._settings.company_set)
        found = []
        async for _, rows in self._client.pages(entity.entity_set, QueryOptions()):
            for row in rows:
                key = key_text(entity, row)
                label = next((str(row[one]) for one in _NAME_FIELDS if row.get(one)), key)
                found.append(ErpCompany(id=key, name=str(row.get("name") or label), display_name=label))
        return found

    async def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        """See `ErpConnector.pages`."""
        entity = await self._entity(query.entity)
        options = _options(entity, query)
        async for url, rows in self._client.pages(await self._path(company_id, entity), options):
            records = [_record(entity, row, is_whole=not query.select) for row in rows]
            yield RecordPage(records=records, url=url)

    async def read_together(self, company_id: str, queries: Sequence[RecordQuery]) -> Sequence[Sequence[RecordPage]]:
        """See `ErpConnector.read_together`: a service need not know batches."""
        return [[page async for page in self.pages(company_id, query)] for query in queries]

    async def get(self, company_id: str, entity: str, record_id: str, *, expand: tuple[str, ...] = ()) -> ErpRecord:
        """See `ErpConnector.get`."""
        known = await self._entity(entity)
        path = await self._path(company_id, known, record_id)
        return _record(known, await self._client.read(path, QueryOptions(expand=expand)))

    async def count(self, company_id: str, entity: str, where: Filter | None = None) -> int:
        """See `ErpConnector.count`."""
        known = await self._entity(entity)
        options = _options(known, RecordQuery(entity=entity, where=where))
        return await self._client.count(await self._path(company_id, known), options)

    async def write(self, company_id: str, change: RecordChange, *, key: str = "") -> ErpRecord | None:
        """See `ErpConnector.write`. The key goes along as `client-request-id`."""
        entity = await self._entity(change.entity)
        _require_allowed(entity, change)
        headers = {"Prefer": "return=representation", **({"client-request-id": key} if key else {})}
        headers |= await self._version(company_id, entity, change)
        method, path = await self._target(company_id, entity, change)
        body = None if change.kind == "delete" else dict(change.values)
        response = await self._client.send(method, path, body=body, headers=headers)
        if change.kind == "delete":
            return None
        if change.kind == "create":
            row = decoded(response) if response.body else None
            if not isinstance(row, dict):
                row = await self._client.read_link(response.headers.get("location", path))
            return _record(entity, row)
        try:
            return await self.get(company_id, change.entity, str(change.record_id))
        except MissingRecordError:
            return None  # an action may consume its record

    async def preview(self, company_id: str, change: RecordChange) -> ChangePreview:
        """See `ErpConnector.preview`: the record as it is, and with the new values in it."""
        _require_allowed(await self._entity(change.entity), change)
        before: Mapping[str, Any] | None = None
        if change.kind != "create":
            before = (await self.get(company_id, change.entity, str(change.record_id))).values
        after = None if change.kind == "delete" else {**(before or {}), **change.values}
        row = RowDifference(entity=change.entity, id=change.record_id or "", before=before, after=after)
        return ChangePreview(rows=[row], is_rehearsed=False)

    async def metadata(self) -> ServiceMetadata:
        """See `ErpConnector.metadata`. Read anew: a service may have grown."""
        found = parse_metadata(await self._client.read_text("$metadata"))
        self._metadata = found
        return found

    async def diagnose(self) -> Sequence[Diagnosis]:
        """See `ErpConnector.diagnose`."""

        async def probe(company: ErpCompany) -> None:
            sets = [name for name in (await self._known()).entities if name != self._settings.company_set]
            if sets:
                await self.count(company.id, sets[0])

        return await diagnosed(lambda: self._authorize(False), self.companies, probe)

    async def close(self) -> None:
        """See `ErpConnector.close`."""
        await self._client.close()

    async def _known(self) -> ServiceMetadata:
        async with self._lock:
            return self._metadata if self._metadata is not None else await self.metadata()

    async def _entity(self, name: str) -> EntityType:
        entities = (await self._known()).entities
        if name not in entities:
            raise MissingRecordError(f"the service has no entity set {name[:60]!r}", status=404)
        return entities[name]

    async def _path(self, company_id: str, entity: EntityType, record_id: str | None = None) -> str:
        path = entity.entity_set
        if self._settings.company_set and path != self._settings.company_set:
            companies = await self._entity(self._settings.company_set)
            path = f"{companies.entity_set}{key_predicate(companies, company_id)}/{path}"
        elif not self._settings.company_set and company_id != ONLY_COMPANY:
            raise MissingCompanyError(f"there is no company {company_id[:60]!r}; this service is one", status=404)
        return path if record_id is None else path + key_predicate(entity, record_id)

    async def _target(self, company_id: str, entity: EntityType, change: RecordChange) -> tuple[str, str]:
        if change.kind == "create":
            return "POST", await self._path(company_id, entity)
        path = await self._path(company_id, entity, change.record_id or "")
        if change.kind == "action":
            full = next((one for one in entity.actions if change.action in (one, one.rpartition(".")[2])), None)
            if full is None:
                known = ", ".join(one.rpartition(".")[2] for one in entity.actions) or "none"
                raise ConfigurationError(f"{entity.entity_set} has no action {change.action!r}; it has: {known}")
            return "POST", f"{path}/{full}"
        return ("PATCH" if change.kind == "update" else "DELETE"), path

    async def _version(self, company_id: str, entity: EntityType, change: RecordChange) -> dict[str, str]:
        """The header that keeps a write from overwriting what it did not see."""
        if change.kind not in ("update", "delete"):
            return {}
        if not change.etag:
            raise ConfigurationError(f"a {change.kind} of {change.entity} needs the etag of the record it is based on")
        if not change.etag.startswith(CONTENT_VERSION):
            return {"If-Match": change.etag}
        current = await self.get(company_id, change.entity, str(change.record_id))
        if current.etag != change.etag:
            raise RecordChangedError(f"{entity.entity_set} {change.record_id} has other values now", status=409)
        return {}


def _require_allowed(entity: EntityType, change: RecordChange) -> None:
    allowed = {"create": entity.is_insertable, "update": entity.is_updatable, "delete": entity.is_deletable}
    if not allowed.get(change.kind, True):
        raise AccessDeniedError(f"the service does not allow to {change.kind} {entity.entity_set}", status=403)


def _options(entity: EntityType, query: RecordQuery) -> QueryOptions:
    """The query with its fields checked and typed; the key is always read, or a record could not be named."""
    where_fields = [] if query.where is None else list(fields_of(query.where))
    for name in (*query.select, *where_fields, *(one.partition(" ")[0] for one in query.order_by)):
        if name.partition("/")[0] not in entity.properties:
            raise ConfigurationError(f"{entity.entity_set} has no field {name[:60]!r}")
    for one in query.order_by:
        if one.partition(" ")[2] not in ("", "asc", "desc"):
            raise ConfigurationError(f"{one[:60]!r} is no order")
    for name in query.expand:
        if name not in entity.navigation:
            raise ConfigurationError(f"{entity.entity_set} cannot expand {name[:60]!r}")
    return QueryOptions(
        where=query.where,
        select=tuple(dict.fromkeys((*entity.key, *query.select))) if query.select else (),
        order_by=query.order_by,
        expand=query.expand,
        top=query.limit,
        types={name: one.type for name, one in entity.properties.items()},
    )


def _record(entity: EntityType, row: Any, *, is_whole: bool = True) -> ErpRecord:
    values = {name: value for name, value in row.items() if "@" not in name}
    etag = row.get("@odata.etag") or row.get("@etag")
    if etag is None and is_whole:
        etag = _content_version(entity, values)
    return ErpRecord(entity=entity.entity_set, id=key_text(entity, row), etag=etag, values=values)


def _content_version(entity: EntityType, row: Mapping[str, Any]) -> str:
    values = {name: row[name] for name in entity.properties if name in row}
    text = json.dumps(values, sort_keys=True, default=str, ensure_ascii=True)
    return CONTENT_VERSION + hashlib.sha256(text.encode()).hexdigest()[:32]
