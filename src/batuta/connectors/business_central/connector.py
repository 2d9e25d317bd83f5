"""Business Central as an `ErpConnector`: the company is in every address, every write carries a version.

connector = BusinessCentral(BusinessCentralSettings(root="…/api/v2.0"), AiohttpTransport(), authorize=token.headers)
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from batuta.connectors.business_central.catalogue import load_catalogue
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
from batuta.connectors.odata.client import (
    PAGE_SIZE,
    Authorize,
    ODataClient,
    ODataClientSettings,
    Page,
    QueryOptions,
    anonymous,
)
from batuta.connectors.odata.filters import Filter
from batuta.connectors.odata.metadata import ServiceMetadata, parse_metadata
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    ConfigurationError,
    MissingRecordError,
)

ACTION_NAMESPACE = "Microsoft.NAV"
PREVIEW_HEADER = "X-Sandbox-Preview"


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessCentralSettings:
    """Where the API is."""

    root: str
    """The address up to and with `api/v2.0`."""
    can_preview: bool = False
    """Whether the service rehearses changes, as the sandbox does; Business Central itself does not."""
    first_delay: timedelta = field(default=timedelta(seconds=1))
    page_size: int = PAGE_SIZE


class BusinessCentral:
    """An `ErpConnector` for Business Central and what is compatible with it."""

    name = "business_central"

    def __init__(
        self,
        settings: BusinessCentralSettings,
        transport: HttpTransport,
        *,
        authorize: Authorize = anonymous,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._settings = settings
        self._authorize = authorize
        self._client = ODataClient(
            settings.root,
            transport,
            authorize=authorize,
            clock=clock,
            settings=ODataClientSettings(
                page_size=settings.page_size,
                first_delay=settings.first_delay,
                read_headers={"Data-Access-Intent": "ReadOnly"},
            ),
        )

    async def companies(self) -> Sequence[ErpCompany]:
        """See `ErpConnector.companies`."""
        return [
            ErpCompany(
                id=str(row["id"]), name=str(row["name"]), display_name=str(row.get("displayName") or row["name"])
            )
            async for _, rows in self._client.pages("companies", QueryOptions())
            for row in rows
        ]

    async def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        """See `ErpConnector.pages`."""
        async for page in self._client.pages(_path(company_id, query.entity), _options(query)):
            yield _page(query, page)

    async def read_together(self, company_id: str, queries: Sequence[RecordQuery]) -> Sequence[Sequence[RecordPage]]:
        """See `ErpConnector.read_together`."""
        asked = [(_path(company_id, query.entity), _options(query)) for query in queries]
        found = await self._client.pages_together(asked)
        return [[_page(query, page) for page in pages] for query, pages in zip(queries, found, strict=True)]

    async def get(self, company_id: str, entity: str, record_id: str, *, expand: tuple[str, ...] = ()) -> ErpRecord:
        """See `ErpConnector.get`."""
        row = await self._client.read(_path(company_id, entity, record_id), QueryOptions(expand=expand))
        return _record(entity, row)

    async def count(self, company_id: str, entity: str, where: Filter | None = None) -> int:
        """See `ErpConnector.count`."""
        return await self._client.count(_path(company_id, entity), QueryOptions(where=where))

    async def write(self, company_id: str, change: RecordChange, *, key: str = "") -> ErpRecord | None:
        """See `ErpConnector.write`. The key goes along as `client-request-id`, for the ERP's telemetry."""
        row = await self._send(company_id, change, {"client-request-id": key} if key else {})
        if row is None and change.kind == "action" and change.record_id is not None:
            try:
                return await self.get(company_id, change.entity, change.record_id)
            except MissingRecordError:
                return None  # an order that was invoiced in full is gone
        return None if row is None else _record(change.entity, row)

    async def preview(self, company_id: str, change: RecordChange) -> ChangePreview:
        """See `ErpConnector.preview`. Without a rehearsal: the record as it is, and with the new values in it."""
        if self._settings.can_preview:
            answer = await self._send(company_id, change, {PREVIEW_HEADER: "true"})
            return ChangePreview(rows=_differences(answer["changes"]), is_rehearsed=True)
        before: Mapping[str, Any] | None = None
        if change.record_id is not None:
            before = (await self.get(company_id, change.entity, change.record_id)).values
        after = None if change.kind == "delete" else {**(before or {}), **change.values}
        row = RowDifference(entity=change.entity, id=change.record_id or "", before=before, after=after)
        return ChangePreview(rows=[row], is_rehearsed=False)

    async def metadata(self) -> ServiceMetadata:
        """What this tenant's API offers, custom fields included."""
        return parse_metadata(await self._client.read_text("$metadata"))

    async def diagnose(self) -> Sequence[Diagnosis]:
        """See `ErpConnector.diagnose`."""
        return await diagnosed(
            lambda: self._authorize(False), self.companies, lambda company: self.count(company.id, "customers")
        )

    async def close(self) -> None:
        """See `ErpConnector.close`."""
        await self._client.close()

    async def _send(self, company_id: str, change: RecordChange, headers: Mapping[str, str]) -> Any:
        method, path = _target(company_id, change)
        versioned = dict(headers)
        if change.kind in ("update", "delete"):
            if not change.etag:
                raise ConfigurationError(
                    f"a {change.kind} of {change.entity} needs the etag of the record it is based on"
                )
            versioned["If-Match"] = change.etag
        body = None if change.kind == "delete" else dict(change.values)
        return await self._client.write(method, path, body=body, headers=versioned)


def _target(company_id: str, change: RecordChange) -> tuple[str, str]:
    if change.kind == "create":
        return "POST", _path(company_id, change.entity)
    if not change.record_id:
        raise ConfigurationError(f"a {change.kind} of {change.entity} names its record")
    path = _path(company_id, change.entity, change.record_id)
    if change.kind == "action":
        if not change.action or not change.action.isidentifier():
            raise ConfigurationError(f"{change.action!r} is no action")
        return "POST", f"{path}/{ACTION_NAMESPACE}.{change.action}"
    return ("PATCH", path) if change.kind == "update" else ("DELETE", path)


def _path(company_id: str, entity: str, record_id: str | None = None) -> str:
    """Every part is checked: names and ids come from models and people."""
    if not entity.isidentifier():
        raise ConfigurationError(f"{entity!r} is no entity set")
    for one in (company_id, record_id):
        if one is not None and not one.replace("-", "").isalnum():
            raise ConfigurationError(f"{one!r} is no record id")
    path = f"companies({company_id})/{entity}"
    return path if record_id is None else f"{path}({record_id})"


def _options(query: RecordQuery) -> QueryOptions:
    return QueryOptions(
        where=query.where,
        select=tuple(dict.fromkeys((*_key(query.entity, ()), *query.select))) if query.select else (),
        order_by=query.order_by,
        expand=query.expand,
        top=query.limit,
        is_bare=not query.has_versions,
    )


def _page(query: RecordQuery, page: Page) -> RecordPage:
    url, rows = page
    key = _key(query.entity, ("id",))[0]
    if query.has_versions:
        return RecordPage(records=[_record(query.entity, row, key) for row in rows], url=url)
    records = [ErpRecord(entity=query.entity, id=str(row.get(key, "")), etag=None, values=row) for row in rows]
    return RecordPage(records=records, url=url)


def _record(entity: str, row: Mapping[str, Any], key: str = "") -> ErpRecord:
    values = {name: value for name, value in row.items() if name[0] != "@"}
    record_id = str(row.get(key or _key(entity, ("id",))[0], ""))
    return ErpRecord(entity=entity, id=record_id, etag=row.get("@odata.etag"), values=values)


def _key(entity: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """The fields that name a record: `id`, of some reports another record's id."""
    known = load_catalogue().entities.get(entity)
    return otherwise if known is None or len(known.key) != 1 else known.key


def _differences(changes: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[RowDifference]:
    """Rows by entity; tables that are the sandbox's own have an underscore before their name."""
    return [
        RowDifference(
            entity=entity,
            id=str((row["after"] or row["before"]).get("id", "")),
            before=row["before"],
            after=row["after"],
        )
        for entity, rows in changes.items()
        if not entity.startswith("_")
        for row in rows
    ]
