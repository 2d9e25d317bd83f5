"""The ERP over HTTP: its companies, and any record that a figure leads to."""

from decimal import Decimal
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from batuta.server.erp.service import ErpRecords, RecordField
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router

router = new_router(tags=["erp"])

Records = Annotated[ErpRecords, provided(ErpRecords)]


class CompanyView(BaseModel):
    """One set of books."""

    id: str
    name: str


class CompanyList(BaseModel):
    """The companies of the ERP that the caller may read; none where no ERP is connected."""

    items: list[CompanyView]
    working_in: str | None
    """The id of the one that questions are about unless they name another."""


class FieldView(BaseModel):
    """One field; amounts as text, so that no digit is lost."""

    name: str
    type: str
    value: str | int | bool
    label: str
    """What the reader's language calls it."""
    text: str
    """The value as the reader's language writes it."""


class RecordView(BaseModel):
    """A record and its lines."""

    entity: str
    title: str
    """What the reader's language calls such records."""
    purpose: str
    company: CompanyView
    number: str
    name: str
    fields: list[FieldView]
    lines: list[list[FieldView]]


@router.get("/api/erp/companies")
async def list_companies(caller: CurrentCaller, records: Records) -> CompanyList:
    """The companies of the ERP, and the one that I work in."""
    found = await records.companies(caller)
    return CompanyList(
        items=[CompanyView(id=one.id, name=one.display_name) for one in found],
        working_in=await records.working_company(caller),
    )


@router.get("/api/erp/records/{entity}/{record_key}")
async def read_record(
    caller: CurrentCaller,
    records: Records,
    entity: Annotated[str, Path(max_length=60, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")],
    record_key: Annotated[str, Path(max_length=400)],
    company: Annotated[str, Query(max_length=100)] = "",
) -> RecordView:
    """One record of the ERP, to follow a figure to where it comes from."""
    card = await records.record(caller, entity, record_key, company)
    return RecordView(
        entity=card.entity,
        title=card.title,
        purpose=card.purpose,
        company=CompanyView(id=card.company.id, name=card.company.display_name),
        number=card.number,
        name=card.name,
        fields=[_field(one) for one in card.fields],
        lines=[[_field(one) for one in line] for line in card.lines],
    )


def _field(one: RecordField) -> FieldView:
    value = format(one.value, "f") if isinstance(one.value, Decimal) else one.value
    return FieldView(name=one.name, type=one.type, value=value, label=one.label, text=one.text)
