"""One company's ERP as the agent's tools use it: connector, catalogue, measures, the books' own today."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date

from batuta.agents.erp.known_names import (
    COUNTRY_NAMES,
    account_balances,
    account_words,
    accounts_by_name,
    category_words,
    descriptions,
)
from batuta.agents.erp.measures.model import MeasureBook, standard_measures
from batuta.agents.erp.measures.records import Books, MeasureError
from batuta.connectors.business_central.catalogue import EntityCatalogue, load_catalogue
from batuta.connectors.erp import ErpCompany, ErpConnector, RecordQuery
from batuta.connectors.faults import fault_in_words
from batuta.connectors.odata.filters import AllOf, Compare, Filter
from batuta.kernel.errors import BatutaError, MissingCompanyError, ToolFailedError
from batuta.language.folding import fold, singular
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext

MAX_NAMES = 5_000
SHORTEST_NAME = 4
"""Shorter ones are codes, and codes are words too: `DE` is Germany and the commonest word of Spanish."""


@dataclass(frozen=True, slots=True)
class NameSource:
    """Where names of a kind are kept; a figure is split by the first of the fields."""

    entity: str
    fields: tuple[str, ...]
    also: str | None = None
    """Another entity that keeps some of them."""
    where: Filter | None = None
    """Which records alone are meant."""


NAME_SOURCES: Mapping[str, NameSource] = {
    "customer": NameSource("customers", ("displayName", "number")),
    "vendor": NameSource("vendors", ("displayName", "number")),
    "item": NameSource("items", ("displayName", "number")),
    "category": NameSource("itemCategories", ("code", "displayName")),
    "country": NameSource("countriesRegions", ("code", "displayName")),
    "salesperson": NameSource("salespeoplePurchasers", ("code", "displayName")),
    "city": NameSource("customers", ("city",), also="vendors"),
}
"""Dimensions whose values people name."""
ACCOUNTS = "account"
EXPENSE_ACCOUNTS = NameSource(
    "accounts",
    ("displayName",),
    where=AllOf(Compare("category", "eq", "Expense"), Compare("accountType", "eq", "Posting")),
)
"""What money is spent on. Apart from the names above: accounts are called by words, and no part of one is a name."""


LEDGER = "ledger"
"""All accounts that are posted to, called by number after a word such as "account"."""
_POSTING_ACCOUNTS = RecordQuery(
    entity="accounts", where=Compare("accountType", "eq", "Posting"), select=("id", "number", "displayName")
)
BALANCES = "balance"
"""The same accounts by phrases that ask for their balance: "bank loan balance"."""
DESCRIBED = "described"
"""Countries, salespeople and categories by other words, apart from the names: no part of one is a name."""
GROUPS = "group"
GROUPED_KINDS = ("customer", "vendor", "item")
LONGEST_BEGINNING = 3
"""How many words several names may share at their beginning to be meant together."""
_COMPANIES_LEFT = {
    "en": "There are now: {names}. Name one of them.",
    "es": "Ahora hay: {names}. Nombra una de ellas.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpAccess:
    """What the tools of the agent share."""

    connector: ErpConnector
    today: Callable[[], date]
    """The day the books take for today: the clock's, or that of a sandbox."""
    catalogue: EntityCatalogue = field(default_factory=lambda: load_catalogue().copy())
    measures: MeasureBook = field(default_factory=standard_measures)
    _known: dict[str, object] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def close(self) -> None:
        """Let go of the connector's connections."""
        await self.connector.close()

    async def companies(self) -> Sequence[ErpCompany]:
        """The companies there are; asked once."""
        async with self._lock:
            if "companies" not in self._known:
                self._known["companies"] = tuple(await self.connector.companies())
        found = self._known["companies"]
        assert isinstance(found, tuple)
        return found

    async def company(self, name: str = "", *, shown: Sequence[ErpCompany] | None = None) -> ErpCompany:
        """A company by its id or a part of its name; without one the first.

        Raises `ToolFailedError` that names those there are, or only the shown ones.
        """
        found = await self.companies()
        if not found:
            raise ToolFailedError("the ERP shows no company to this connection")
        if not name:
            return found[0]
        wanted = fold(name)
        matches = [one for one in found if name == one.id or wanted in (fold(one.name), fold(one.display_name))]
        matches = matches or [one for one in found if wanted in fold(f"{one.name} {one.display_name}")]
        if len(matches) != 1:
            names = ", ".join(one.display_name for one in (found if shown is None else shown)) or "—"
            raise ToolFailedError(
                f"{name[:60]!r} names {'no' if not matches else 'more than one'} company; there are: {names}"
            )
        return matches[0]

    def names(self, kind: str) -> Mapping[str, tuple[str, ...]]:
        """The names that records of a kind are known by, as far as they were read: value to words for it."""
        found = self._known.get(f"names:{kind}", {})
        assert isinstance(found, dict)
        return found

    def all_names(self) -> Mapping[str, tuple[str, ...]]:
        """The names of customers, items, countries and the like together, and the beginnings that several share."""
        named = {value: words for kind in NAME_SOURCES for value, words in self.names(kind).items()}
        return {**self.names(GROUPS), **named}

    def values_named(self, kind: str, name: str) -> list[str]:
        """The values of a dimension that a name means: exactly, or by the words that they begin with."""
        wanted = fold(name)
        known = self.names(kind)
        exact = [value for value, words in known.items() if wanted in {fold(value), *map(fold, words)}]
        return exact or [value for value in known if len(wanted) >= SHORTEST_NAME and _begins(fold(value), wanted)]

    async def refresh_catalogue(self) -> None:
        """Learn from the ERP itself what it offers: its own entities and fields appear, what it lacks goes."""
        metadata = await self.connector.metadata()
        if metadata is not None:
            self.catalogue.adopt(self.catalogue.refreshed(metadata))

    async def learn_names(self) -> None:
        """Read the names of companies, customers, items and the like, so that people can be understood who use them."""
        self._known["names:company"] = {
            one.display_name: (one.display_name, one.name) for one in await self.companies()
        }
        gathered: dict[str, dict[str, tuple[str, ...]]] = {kind: {} for kind in (*NAME_SOURCES, ACCOUNTS)}
        for company in await self.companies():
            for kind, source, entity in _name_places():
                if entity not in self.catalogue.entities:
                    continue
                query = RecordQuery(entity=entity, where=source.where, select=("id", *source.fields), limit=MAX_NAMES)
                async for page in self.connector.pages(company.id, query):
                    for record in page.records:
                        words = [str(record.values.get(name, "")) for name in source.fields]
                        value = words[0]
                        if not value:
                            continue
                        words += COUNTRY_NAMES.get(value, ()) if kind == "country" else ()
                        gathered[kind][value] = tuple(word for word in words if len(word) >= SHORTEST_NAME)
        gathered[ACCOUNTS] = {name: account_words(name) for name in gathered[ACCOUNTS]}
        self._known.update({f"names:{kind}": names for kind, names in gathered.items()})
        self._known[f"names:{LEDGER}"] = accounts_by_name(await self._accounts())
        self._known[f"names:{BALANCES}"] = account_balances(self.names(LEDGER))
        goods = {code: category_words((code, *words)) for code, words in gathered["category"].items()}
        self._known[f"names:{DESCRIBED}"] = {
            **descriptions(gathered["country"], gathered["salesperson"]),
            **{code: words for code, words in goods.items() if words},
        }
        self._known[f"names:{GROUPS}"] = _shared_beginnings(gathered, self.measures)

    async def _accounts(self) -> list[tuple[str, str]]:
        """Name and number of every account that is posted to."""
        if _POSTING_ACCOUNTS.entity not in self.catalogue.entities:
            return []
        return [
            (str(record.values.get("displayName", "")), str(record.values.get("number", "")))
            for company in await self.companies()
            async for page in self.connector.pages(company.id, _POSTING_ACCOUNTS)
            for record in page.records
        ]

    async def failure(self, error: BatutaError, language: str = "en") -> ToolFailedError:
        """An error of the ERP in words that say what to do. A company that is gone is forgotten, the others named."""
        if isinstance(error, ToolFailedError):
            return error
        if isinstance(error, MeasureError):
            return ToolFailedError((error.spanish if language == "es" else "") or str(error))
        words = fault_in_words(error, language)
        if isinstance(error, MissingCompanyError):
            self._known.pop("companies", None)
            with suppress(BatutaError):
                names = ", ".join(one.display_name for one in await self.companies())
                words += " " + _COMPANIES_LEFT.get(language, _COMPANIES_LEFT["en"]).format(names=names or "—")
        return ToolFailedError(f"{words} [{error.code}]")

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


def _shared_beginnings(
    gathered: Mapping[str, Mapping[str, object]], measures: MeasureBook
) -> dict[str, tuple[str, ...]]:
    """Words that several names of a kind begin with ("Hoteles", "Toldo"): people mean all of them.

    None that means something else in a question, such as a dimension.
    """
    dimensions = [words for one in measures.dimensions.values() for words in one.words.values()]
    taken = {singular(fold(word)) for words in dimensions for word in words}
    counts: Counter[str] = Counter()
    for kind in GROUPED_KINDS:
        for name in gathered.get(kind, ()):
            words = name.split()[:LONGEST_BEGINNING]
            counts.update(" ".join(words[:size]).rstrip(",.;") for size in range(1, len(words) + 1))
    return {
        words: (words,)
        for words, count in counts.items()
        if count > 1 and len(words) >= SHORTEST_NAME and singular(fold(words)) not in taken
    }


def _begins(name: str, words: str) -> bool:
    return name.startswith(words) and not name[len(words) : len(words) + 1].isalnum()


def language_of(context: ToolContext) -> str:
    """The user's language."""
    return "es" if context.services.get(LANGUAGE_SERVICE) == "es" else "en"


def _name_places() -> list[tuple[str, NameSource, str]]:
    return [
        (kind, source, entity)
        for kind, source in (*NAME_SOURCES.items(), (ACCOUNTS, EXPENSE_ACCOUNTS))
        for entity in (source.entity, source.also)
        if entity is not None
    ]
