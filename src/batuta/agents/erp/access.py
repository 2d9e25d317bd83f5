"""One company's ERP as the agent's tools use it: connector, catalogue, measures, the books' own today."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from batuta.agents.erp.measures.model import MeasureBook, standard_measures
from batuta.agents.erp.measures.records import Books
from batuta.connectors.business_central.catalogue import EntityCatalogue, load_catalogue
from batuta.connectors.erp import ErpCompany, ErpConnector, RecordQuery
from batuta.kernel.errors import BatutaError, ToolFailedError
from batuta.language.folding import fold

ErpOperation = str
"""`read`, `write` or `post`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpAccess:
    """What the tools of the agent share."""

    connector: ErpConnector
    today: Callable[[], date]
    """The day the books take for today: the clock's, or that of a sandbox."""
    catalogue: EntityCatalogue = field(default_factory=load_catalogue)
    measures: MeasureBook = field(default_factory=standard_measures)
    _known: dict[str, object] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def companies(self) -> Sequence[ErpCompany]:
        """The companies there are; asked once."""
        async with self._lock:
            if "companies" not in self._known:
                self._known["companies"] = tuple(await self.connector.companies())
        found = self._known["companies"]
        assert isinstance(found, tuple)
        return found

    async def company(self, name: str = "") -> ErpCompany:
        """A company by a part of its name; without one the first. Raises `ToolFailedError` that names them."""
        found = await self.companies()
        if not found:
            raise ToolFailedError("the ERP shows no company to this connection")
        if not name:
            return found[0]
        wanted = fold(name)
        matches = [one for one in found if wanted in (one.id, fold(one.name), fold(one.display_name))]
        matches = matches or [one for one in found if wanted in fold(f"{one.name} {one.display_name}")]
        if len(matches) != 1:
            names = ", ".join(one.display_name for one in found)
            raise ToolFailedError(
                f"{name[:60]!r} names {'no' if not matches else 'more than one'} company; there are: {names}"
            )
        return matches[0]

    async def books(self, company_name: str = "") -> Books:
        """What measures are computed from."""
        company = await self.company(company_name)
        key = f"currency:{company.id}"
        if key not in self._known:
            query = RecordQuery(entity="companyInformation", select=("id", "currencyCode"))
            async for page in self.connector.pages(company.id, query):
                self._known[key] = str(page.records[0].values["currencyCode"]) if page.records else ""
        return Books(
            connector=self.connector, company=company, currency=str(self._known.get(key, "")), today=self.today()
        )


def explained(error: BatutaError) -> ToolFailedError:
    """An error of the ERP in words a model can act on."""
    return ToolFailedError(f"{error} [{error.code}]")
