"""Records that people name: by number, by name or a part of it, or by whose document it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from batuta.agents.erp.access import ErpAccess
from batuta.connectors.erp import ErpCompany, ErpRecord, RecordQuery
from batuta.connectors.odata.filters import AllOf, Compare, Filter, Matches, OneOf
from batuta.language.folding import SHORTEST_MENDED, fold, is_near, words_of

MAX_FOUND = 6
NAME_KINDS = {"customers": "customer", "vendors": "vendor", "items": "item"}
ALTERNATIVES = {"salesInvoices": "purchaseInvoices", "salesOrders": "purchaseOrders"}
"""Where a document is looked for next: people call both an invoice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpLookup:
    """Looks records up in one company."""

    access: ErpAccess
    company: ErpCompany

    async def named(self, entity: str, words: str) -> list[ErpRecord]:
        """The customers, vendors or items that some words may mean: exactly, else by all their words."""
        text = words.strip(" .,;:\"'")
        exact = await self.read(entity, Compare("number", "eq", text)) if _is_number(text) else []
        exact = exact or await self.read(entity, Compare("displayName", "eq", text))
        if exact:
            return exact
        asked = words_of(text)
        fitting = [name for name in self.access.names(NAME_KINDS[entity]) if _has_words(name, asked)]
        if fitting:
            found = await self.read(entity, OneOf("displayName", tuple(fitting[: 4 * MAX_FOUND])))
            if found:
                return found
        return await self.read(entity, Matches("displayName", "contains", text)) if len(text) > 2 else []

    async def document(self, entity: str, number: str) -> ErpRecord | None:
        """A document by its number."""
        for each in (entity, ALTERNATIVES.get(entity)):
            if each is not None:
                found = await self.read(each, Compare("number", "eq", number.upper()))
                if found:
                    return found[0]
        return None

    async def documents_of(self, entity: str, party: ErpRecord, statuses: Sequence[str]) -> list[ErpRecord]:
        """The documents of a customer or vendor that are in one of some states."""
        field = "customerId" if party.entity == "customers" else "vendorId"
        where = AllOf(Compare(field, "eq", party.id), OneOf("status", tuple(statuses)))
        return await self.read(entity, where)

    async def read(
        self, entity: str, where: Filter, *, order_by: tuple[str, ...] = (), limit: int = MAX_FOUND
    ) -> list[ErpRecord]:
        """The first few records that a filter finds."""
        query = RecordQuery(entity=entity, where=where, order_by=order_by, limit=limit)
        found: list[ErpRecord] = []
        async for page in self.access.connector.pages(self.company.id, query):
            found += page.records
        return found

    async def get(self, entity: str, record_id: str) -> ErpRecord:
        """One record by its id."""
        return await self.access.connector.get(self.company.id, entity, record_id)


def company_name(company: ErpCompany) -> str:
    """What a company is called within a sentence."""
    return company.display_name.rstrip(".")


def _is_number(text: str) -> bool:
    return len(text) <= 20 and any(char.isdigit() for char in text) and " " not in text


def _has_words(name: str, asked: Sequence[str]) -> bool:
    own = words_of(fold(name))
    return bool(asked) and all(any(_is_same(word, other) for other in own) for word in asked)


def _is_same(word: str, other: str) -> bool:
    """Whether words are the same but for a plural or a typing error."""
    if word == other or word.rstrip("s") == other.rstrip("s"):
        return True
    return len(word) >= SHORTEST_MENDED and len(other) >= SHORTEST_MENDED and is_near(word, other)
