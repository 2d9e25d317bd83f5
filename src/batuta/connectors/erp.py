"""What an ERP agent needs of an ERP: companies, records, queries, writes with a version, actions, and a rehearsal.

    async for page in connector.pages(company, RecordQuery(entity="customers", where=Compare("country", "eq", "ES"))): …
    change = RecordChange(kind="update", entity="customers", record_id=id, etag=etag, values={"blocked": "All"})
    shown = await connector.preview(company, change)
    saved = await connector.write(company, change)

`MemoryErp` in `batuta.testing.erp` is an implementation for tests.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from batuta.connectors.odata.filters import Filter
from batuta.connectors.odata.metadata import ServiceMetadata

ChangeKind = Literal["create", "update", "delete", "action"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpCompany:
    """One set of books."""

    id: str
    name: str
    display_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpRecord:
    """One record as it was read."""

    entity: str
    id: str
    etag: str | None
    values: Mapping[str, Any]
    """Field values; expanded children are lists of mappings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordQuery:
    """A question about the records of one entity, as data."""

    entity: str
    where: Filter | None = None
    select: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    """Field names, with ` desc` behind those that descend."""
    expand: tuple[str, ...] = ()
    limit: int | None = None
    has_versions: bool = True
    """Whether records come with their version, which only a change needs; without it long lists are read faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage:
    """A part of an answer."""

    records: Sequence[ErpRecord]
    url: str
    """The request that gave it, for provenance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChange:
    """A write, as data: what a person approves is what is sent."""

    kind: ChangeKind
    entity: str
    record_id: str | None = None
    etag: str | None = None
    """The version the change is based on; another one in the ERP is a `RecordChangedError`."""
    action: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    """Field values; children by their navigation name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDifference:
    """How one row would differ after a change."""

    entity: str
    id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePreview:
    """What a change would bring, found by doing it and taking it back."""

    rows: Sequence[RowDifference]
    is_rehearsed: bool
    """False where the ERP cannot rehearse: then only the record itself before and after is known."""


DiagnosisStage = Literal["sign_in", "routing", "company", "permission"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the check of one stage of a connection found, in words that say what to do."""

    stage: DiagnosisStage
    is_ok: bool
    message: str


class ErpConnector(Protocol):
    """Access to one ERP.

    Every method raises `ConnectorUnavailableError` when the ERP cannot be reached, `ConnectorRejectedError` when it
    refuses (with its code and words), `MissingRecordError` and `RecordChangedError` where they apply.
    """

    @property
    def name(self) -> str:
        """What provenance calls it: `business_central`."""
        ...

    async def companies(self) -> Sequence[ErpCompany]:
        """The companies the connection may see."""
        ...

    def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        """The records a query finds, page by page, to the end or to its limit."""
        ...

    async def read_together(self, company_id: str, queries: Sequence[RecordQuery]) -> Sequence[Sequence[RecordPage]]:
        """The pages of several queries, read from one state of the books where the ERP can; else one after another."""
        ...

    async def get(self, company_id: str, entity: str, record_id: str, *, expand: tuple[str, ...] = ()) -> ErpRecord:
        """One record."""
        ...

    async def count(self, company_id: str, entity: str, where: Filter | None = None) -> int:
        """How many records a filter finds."""
        ...

    async def write(self, company_id: str, change: RecordChange, *, key: str = "") -> ErpRecord | None:
        """Carry out a change once. What it left, or nothing after a deletion or an action that consumed the record.

        `key` is the same for every try of one intent. Raises `ConnectorUnavailableError` with `was_sent` when the
        answer was lost: the change may have happened.
        """
        ...

    async def preview(self, company_id: str, change: RecordChange) -> ChangePreview:
        """What a change would bring; nothing is kept."""
        ...

    async def metadata(self) -> ServiceMetadata | None:
        """What this ERP offers, its own entities and fields included; None where it cannot say."""
        ...

    async def diagnose(self) -> Sequence[Diagnosis]:
        """The stages of a connection in order, up to the first that fails. Raises nothing."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
