"""What the words of a business question mean together: which measure, split and limits, or which records of a list.

Slots find words one by one; here they change one another. `stock` and `in euros` make the value of stock, `invoices`
and `largest` a split by document, what customers `buy` are sales. What cannot be settled is said, not left out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess
from batuta.agents.erp.measures.model import TIME_DIMENSIONS, MeasureBook
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.connectors.business_central.catalogue import CatalogueEntity
from batuta.language.calendar_math import Period
from batuta.language.choices import ChoiceIndex, index_of
from batuta.language.findings import Finding
from batuta.language.folding import fold
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.understanding import Settled, Synonyms

DOCUMENT = "document"
NOUNS: Mapping[str, re.Pattern[str]] = {
    "payables_due": re.compile(r"\b(?:bills?|facturas? de (?:compra|proveedor(?:es)?)|purchase invoices?)\b"),
    "invoiced": re.compile(r"\b(?:invoices?|facturas?)\b"),
    "open_purchase_orders": re.compile(r"\b(?:purchase orders?|pedidos? de compra)\b"),
    "orders_to_ship": re.compile(r"\b(?:orders?|pedidos?)\b"),
    "open_quotes": re.compile(r"\b(?:quotes?|ofertas?|presupuestos?)\b"),
    "credit_memos": re.compile(r"\b(?:credit memos?|credit notes?|abonos?)\b"),
}  # fmt: skip
"""Kinds of documents, and the measure that is meant where none is named with them."""
_BARE_TIME = re.compile(r"^(?:months?|mes(?:es)?|weeks?|semanas?|quarters?|trimestres?|years?|anos?|days?|dias?)$")
_ASKS_WHICH = re.compile(
    r"\b(?:which|what|que|cual(?:es)?|best|worst|mejor|peor|cada|each|per|by|por)\s+(?:\w+\s+){0,2}$"
)
_PRONOUN = re.compile(r"^(?:who|whom|quien|quienes)$")
_FIRST_PERSON = re.compile(r"\b(?:we|our|us|compramos|hemos\s+comprado|comprado|pagamos)\b")
_PERCENT = re.compile(r"(?<!\d)(?<!\d )%")
_COUNTS = re.compile(r"\b(?:how many|how much|number of|cuant[oa]s?|numero de)\b")
_THEY_BUY = re.compile(
    r"\b(?:which|what|que)\s+(?:countr(?:y|ies)|markets?|cit(?:y|ies)|pais(?:es)?|mercados?|ciudad(?:es)?)\s+(?:nos\s+)?"
    r"(?:buys?|bought|compran?|compro|compraron|ha[n]?\s+comprado)\b"
)
"""A place is where customers are when it is the place that buys."""
_UNKEPT_SPLIT = re.compile(r"\b(?:by|per|each|por|cada)\s+(?:warehouses?|almacen(?:es)?)\b")
"""A split that no measure has, in words that also name the stock itself."""
_PARTY = (
    r"(?:customers?|clients?|suppliers?|vendors?|items?|products?|clientes?|proveedor(?:es)?|articulos?|productos?)"
)
_NESTED = re.compile(
    rf"\b(?:of|for|from)\s+(?:our\s+|the\s+)?(?:biggest|largest|best|top|main|worst)(?:[\s-]selling)?\s+{_PARTY}\b"
    rf"|\bdel?\s+(?:nuestro\s+|el\s+|la\s+)?(?:mayor|mejor|principal|peor)\s+{_PARTY}\b"
    rf"|\bdel\s+{_PARTY}\s+(?:que\s+)?mas\b"
)
"""A question within the question: the figure of something that another figure would have to find first."""
_ORDERS = frozenset({"open_purchase_orders", "orders_to_ship", "open_quotes"})
_JOINED = re.compile(r"\s*(?:,|and|y|e)\s*(?:(?:of|in|de|en|del)\s+)?")


@dataclass
class _Question:
    """A question while it is being settled."""

    book: MeasureBook
    values: dict[str, Any]
    text: str
    plain: str
    today: date
    unknown: list[str] = field(default_factory=list)

    @property
    def qualifiers(self) -> dict[str, str]:
        """What is said of the measure, with the words that say it."""
        said = {each.value: each.text for each in index_of(qualifier_words(self.book)).find(self.text)}
        return said | ({"percent": "%"} if _PERCENT.search(self.plain) else {})

    @property
    def is_ranked(self) -> bool:
        return bool(self.values.get("ranking"))


def qualifier_words(book: MeasureBook) -> Synonyms:
    """Qualifiers by their words in both languages."""
    return {name: tuple(word for one in words.values() for word in one) for name, words in book.qualifiers.items()}


def settle_measure(access: ErpAccess, measures: Synonyms) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How the slots of a question about a figure are settled."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        text = " ".join(texts)
        question = _Question(access.measures, dict(values), text, fold(text), access.today())
        question.unknown += [
            each.group() for pattern in (_UNKEPT_SPLIT, _NESTED) for each in pattern.finditer(fold(texts[-1]))
        ]
        _settle_time_splits(question)
        _settle_longer_splits(question)
        _settle_periods(question, texts, access.today())
        _settle_parties(question)
        names = _settle_measures(
            question, _measure_findings(question, index_of(measures), texts, access.today()), access
        )
        _settle_names(question, names, access)
        _settle_documents(question, names)
        _settle_bound(question)
        return Settled(values=question.values, unknown=tuple(question.unknown))

    return settle


def _settle_time_splits(question: _Question) -> None:
    """Keep what is asked for: "which month" asks for a split, "of the month" does not."""
    splits = [name.removeprefix(SPLIT_PREFIX) for name in question.values.get("split_by") or ()]
    kept = []
    for name in splits:
        bare = name in TIME_DIMENSIONS and not _is_asked_for(question, name)
        if not bare:
            kept.append(name)
    question.values["split_by"] = kept
    if not kept:
        question.values.pop("split_by")


def _settle_longer_splits(question: _Question) -> None:
    """Of splits whose words overlap the longer one is meant: "by item category" is no split by item."""
    splits = list(question.values.get("split_by") or ())
    dimensions = question.book.dimensions
    words = {split: tuple(word for one in dimensions[split].words.values() for word in one) for split in splits}
    found = {split: index_of({split: words[split]}).find(question.text) for split in splits}

    def is_covered(split: str, each: Finding[str]) -> bool:
        others = [other for rival in splits if rival != split for other in found[rival]]
        return any(each.span.overlaps(other.span) and len(other.text) > len(each.text) for other in others)

    kept = [split for split in splits if not found[split] or not all(is_covered(split, each) for each in found[split])]
    if kept != splits:
        question.values["split_by"] = kept


def _is_asked_for(question: _Question, dimension: str) -> bool:
    words = {word for one in question.book.dimensions[dimension].words.values() for word in one}
    named = index_of({dimension: tuple(words)}).find(question.text)
    # Stems are too coarse for single words here: "mesas" are tables, and no months.
    exact = {fold(word) for word in words}
    found = [each for each in named if " " in each.text or fold(each.text) in exact]
    return any(
        not _BARE_TIME.match(fold(each.text))
        or question.is_ranked
        or _ASKS_WHICH.search(fold(question.text[: each.span.start])) is not None
        for each in found
    )


def _settle_periods(question: _Question, texts: Sequence[str], today: date) -> None:
    """Several periods of one sentence are one if they follow each other; of others only one can be meant."""
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    for text in texts:
        if find_comparisons(text, now=now):
            continue
        found = find_periods(text, now=now)
        if len(found) < 2:
            continue
        whole = _united(text, found)
        if whole is None:
            question.unknown.append(found[1].text.strip())
        elif text is texts[-1] or len(texts) == 1:
            question.values["period"] = {"first": whole.first.isoformat(), "last": whole.last.isoformat()}


def _united(text: str, found: Sequence[Finding[Period]]) -> Period | None:
    ordered = sorted(found, key=lambda each: each.value.first)
    joints = [fold(text[a.span.end : b.span.start]) for a, b in pairwise(found)]
    follow = [(b.value.first - a.value.last).days == 1 for a, b in pairwise(ordered)]
    if all(follow) and all(_JOINED.fullmatch(joint) for joint in joints):
        return Period(first=ordered[0].value.first, last=ordered[-1].value.last)
    return None


def _settle_parties(question: _Question) -> None:
    """See who "who" is: a customer, or a vendor where it is us who buy; it adds nothing to one that is named."""
    splits = list(question.values.get("split_by") or ())
    words = {word for one in question.book.dimensions["customer"].words.values() for word in one}
    found = index_of({"customer": tuple(words)}).find(question.text)
    if "customer" not in splits or not all(_PRONOUN.match(fold(each.text)) for each in found):
        return
    splits.remove("customer")
    question.values["split_by"] = splits
    if not any(name not in TIME_DIMENSIONS for name in splits):
        question.values["who"] = True


def _measure_findings(question: _Question, index: ChoiceIndex, texts: Sequence[str], today: date) -> list[Finding[str]]:
    """The measures that are named: not by words of a period, nor by "invoices", which share a stem with "invoiced".

    A later text that names one takes the place of what the earlier ones named.
    """
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    for text in reversed(texts):
        periods = [each.span for each in find_periods(text, now=now)]
        periods += [each.span for each in find_comparisons(text, now=now)]
        found = [
            each
            for each in index.find(text)
            if not (each.value in ("sales", "invoiced") and _names_documents(each.text))
            and not any(each.span.overlaps(span) for span in periods)
        ]
        if found:
            return found
    return []


def _settle_measures(question: _Question, found: Sequence[Finding[str]], access: ErpAccess) -> list[str]:
    """The measures that are meant; what is said of one may make it another."""
    book, values = question.book, question.values
    names = list(dict.fromkeys(each.value for each in found))
    counts = [name for name in names if book.measures[name].unit == "count"]
    names = counts or names
    said = question.qualifiers
    splits = _without_covered(question, found, names)
    bound = values.get("bound")
    if not names and bound and bound["is_days"] and _noun(question.plain):
        names = ["overdue_receivables"]
    if not names and "due" in said and _noun(question.plain):
        names = ["receivables_due"]
    if not names and (question.is_ranked or "bound" in values) and _noun(question.plain):
        names = [_noun(question.plain)]
    if not names and question.is_ranked:
        names = [best for split in splits if (best := book.dimensions[split].ranked_by)][:1]
    late = [each.text for each in found if each.value.startswith("overdue_")]
    if late and _ORDERS & set(names):
        question.unknown.append(late[0])  # orders have no date that says so
    used: set[str] = set()
    varied = []
    for name in names:
        meant = name
        for qualifier in said:
            if other := book.measures[meant].variants.get(qualifier):
                meant = other
                used.add(qualifier)
        varied.append(meant)
    names = [name for name in dict.fromkeys(varied) if not _is_implied(book, name, varied)]
    if names and not splits and question.is_ranked and (split := book.measures[names[0]].ranked_split):
        splits = [split]
    if names and "growth" in said and "compare" not in values:
        values["compare"] = {"kind": "previous_year"}
    names = [_for_period(question, name) for name in names]
    names = [_possible(question, name, splits, access) for name in names]
    names = list(dict.fromkeys(names))
    if values.pop("who", False) and names:
        known = book.splits(book.measures[names[0]])
        splits += [party for party in ("customer", "vendor") if party in known][:1]
    values["split_by"] = splits
    if not splits:
        values.pop("split_by")
    shares = [said[one] for one in ("share", "percent") if one in said and one not in used]
    if shares and names:
        is_ratio = book.measures[names[0]].unit == "percent"
        if not is_ratio and (splits or values.get("only")):
            values["compare"] = {"kind": "whole"}
        elif not is_ratio:
            question.unknown.append(shares[0])
    values.pop("measure", None)
    if names:
        values["measure"] = names if len(names) > 1 else names[0]
    return names


def _names_documents(text: str) -> bool:
    return any(pattern.fullmatch(fold(text)) for pattern in NOUNS.values())


def _noun(plain: str) -> str:
    return next((measure for measure, pattern in NOUNS.items() if pattern.search(plain)), "")


def _is_implied(book: MeasureBook, name: str, names: Sequence[str]) -> bool:
    """Whether another of the measures named is a variant of it: "overdue money that is owed" is one thing."""
    return any(name != other and other in book.measures[name].variants.values() for other in names)


def _without_covered(question: _Question, found: Sequence[Finding[str]], names: Sequence[str]) -> list[str]:
    """The splits without those whose words only say what is measured: "customer debt by age", "how many customers"."""
    splits = list(question.values.get("split_by") or ())
    is_count = any(question.book.measures[name].unit == "count" for name in names)
    for split in list(splits):
        words = {word for one in question.book.dimensions[split].words.values() for word in one}
        index = index_of({split: tuple(words)})
        inside = sum(len(index.find(each.text)) for each in found)
        is_only_there = inside and inside >= len(index.find(question.text))
        impossible = names and split not in question.book.splits(question.book.measures[names[0]])
        if is_only_there and (is_count or len(splits) > 1 or impossible):
            splits.remove(split)
    return splits


def _for_period(question: _Question, name: str) -> str:
    """A balance is that of today: with a period, what falls due in it may be meant; another day's is not known."""
    period = question.values.get("period")
    measure = question.book.measures[name]
    if measure.kind != "balance" or period is None:
        return name
    if period["first"] == period["last"] == question.today.isoformat():
        del question.values["period"]  # what is owed today is the balance, not what falls due today
        return name
    if other := measure.variants.get("due"):
        return other
    question.unknown.append(f"{period['first']} – {period['last']}")
    return name


def _possible(question: _Question, name: str, splits: Sequence[str], access: ErpAccess) -> str:
    """The measure, or the one that the same words mean where it cannot be split or limited as asked."""
    book = question.book
    counterpart = book.measures[name].counterpart
    if counterpart is None:
        return name
    if question.values.get("who"):
        return name if _FIRST_PERSON.search(question.plain) else counterpart
    if _THEY_BUY.search(question.plain) and not _FIRST_PERSON.search(question.plain):
        return counterpart
    only = question.values.get("only") or ()
    kinds = {kind for kind in ("customer", "vendor") for one in only if access.values_named(kind, one)}
    wanted = {*splits, *kinds}
    own, others = (set(book.splits(book.measures[each])) for each in (name, counterpart))
    return name if wanted <= own or not wanted <= others else counterpart


def _settle_names(question: _Question, names: Sequence[str], access: ErpAccess) -> None:
    """Of several records with one name or number, the one that the measure can be limited to."""
    found = index_of(access.all_names()).find(question.text, takes_parts=True)
    # Stems make "meses" the category "Mesas".
    times = {each.value for each in found if _BARE_TIME.match(fold(each.text))}
    question.values["only"] = [name for name in question.values.get("only") or () if name not in times]
    if not names or not question.values["only"]:
        question.values = {name: value for name, value in question.values.items() if name != "only" or value}
        return
    splits = question.book.splits(question.book.measures[names[0]])
    for place, name in enumerate(question.values["only"]):
        kinds = [kind for kind in NAME_SOURCES if access.values_named(kind, name)]
        if kinds and not any(kind in splits for kind in kinds):
            numbers = {fold(word) for kind in kinds for word in access.names(kind).get(name, ())}
            other = next(
                (
                    value
                    for kind in NAME_SOURCES
                    if kind in splits
                    for value, words in access.names(kind).items()
                    if numbers & {fold(word) for word in words}
                ),
                None,
            )
            question.values["only"][place] = other or name
            question.unknown += [] if other else [name]


def _settle_documents(question: _Question, names: Sequence[str]) -> None:
    """Invoices and orders that are named without another split are what is to be shown."""
    values, book = question.values, question.book
    if values.get("split_by") or not names or not _noun(question.plain):
        return
    measure = book.measures[names[0]]
    if measure.unit == "money" and measure.kind != "ratio" and DOCUMENT in book.splits(measure):
        is_sum = re.search(r"\b(?:how much|total|sum|cuanto|suma|importe)\b", question.plain) is not None
        if question.is_ranked or "bound" in values or not is_sum:
            values["split_by"] = [DOCUMENT]


def _settle_bound(question: _Question) -> None:
    bound = question.values.pop("bound", None)
    if bound is None:
        return
    if bound["is_days"]:
        is_late = bound["side"] == "above" and question.values.get("measure") == "overdue_receivables"
        if not is_late:
            question.unknown.append(f"{bound['amount']} days")
            return
    elif not question.values.get("split_by"):
        question.unknown.append(bound["amount"])
        return
    question.values["bound"] = bound


# ── Lists ────────────────────────────────────────────────────────────────────────────────────────────────────────────

STATES: Mapping[str, tuple[Sequence[str], Mapping[str, tuple[str, str, Any]]]] = {
    "blocked": (
        ("blocked", "bloqueado", "bloqueada", "bloqueados", "bloqueadas"),
        {"customers": ("blocked", "ne", "_x0020_"), "vendors": ("blocked", "ne", "_x0020_"),
         "items": ("blocked", "eq", True)},
    ),
    "open": (
        ("open", "unpaid", "abierto", "abierta", "abiertos", "abiertas", "pendiente", "pendientes", "sin pagar",
         "sin cobrar"),
        {"salesInvoices": ("status", "eq", "Open"), "purchaseInvoices": ("status", "eq", "Open"),
         "salesOrders": ("fullyShipped", "eq", False), "purchaseOrders": ("fullyReceived", "eq", False),
         "salesQuotes": ("status", "ne", "Accepted")},
    ),
    "paid": (
        ("paid", "settled", "pagada", "pagadas", "cobrada", "cobradas", "pagado", "pagados"),
        {"salesInvoices": ("status", "eq", "Paid"), "purchaseInvoices": ("status", "eq", "Paid")},
    ),
    "draft": (
        ("draft", "drafts", "borrador", "borradores", "sin registrar", "unposted"),
        {"salesInvoices": ("status", "eq", "Draft"), "purchaseInvoices": ("status", "eq", "Draft"),
         "salesOrders": ("status", "eq", "Draft"), "salesCreditMemos": ("status", "eq", "Draft")},
    ),
}  # fmt: skip
"""States that people name: their words, and the condition they are of each entity."""
_NAME_FIELDS: Mapping[str, Sequence[str]] = {
    "customer": ("customerName", "displayName"),
    "vendor": ("vendorName", "displayName"),
    "item": ("displayName",),
    "category": ("itemCategoryCode",),
    "country": ("country", "sellToCountry", "buyFromCountry"),
    "city": ("city", "sellToCity", "buyFromCity"),
    "salesperson": ("salespersonCode", "salesperson"),
}
_OWN_KIND = {"customers": "customer", "vendors": "vendor", "items": "item"}
_DATE_FIELDS = ("postingDate", "orderDate", "documentDate", "invoiceDate")
_AMOUNT_FIELDS = ("totalAmountIncludingTax", "balanceDue", "balance", "inventory", "amount")
_OPERATORS = {("above", False): "gt", ("above", True): "ge", ("below", False): "lt", ("below", True): "le"}


def state_words() -> Synonyms:
    """States by their words."""
    return {name: tuple(words) for name, (words, _) in STATES.items()}


def settle_list(access: ErpAccess) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How the slots of a question for records become conditions on their fields."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        kept = dict(values)
        states, names = kept.pop("states", ()), kept.pop("only", ())
        period, bound = kept.pop("period", None), kept.pop("bound", None)
        known = access.catalogue.entities.get(kept.get("entity", ""))
        if known is None:
            return Settled(values=kept)
        where: list[dict[str, Any]] = []
        unknown: list[str] = []
        if _COUNTS.search(fold(" ".join(texts))):
            unknown.append("how many")
        for state in states:
            condition = STATES[state][1].get(known.entity_set)
            if condition is None:
                unknown.append(state)
            else:
                where.append(_condition(*condition))
        for name in names:
            field_name, value = _named_field(access, known, name)
            where += [_condition(field_name, "eq", value)] if field_name else []
            unknown += [] if field_name else [name]
        if period is not None:
            day = next((each for each in _DATE_FIELDS if each in known.properties), None)
            if re.search(r"\b(?:due|vence[n]?|vencimiento)\b", fold(" ".join(texts))) and "dueDate" in known.properties:
                day = "dueDate"
            where += [_condition(day, "ge", period["first"]), _condition(day, "le", period["last"])] if day else []
            unknown += [] if day else [f"{period['first']} – {period['last']}"]
        if bound is not None:
            amount = next((each for each in _AMOUNT_FIELDS if each in known.properties), None)
            operator = _OPERATORS[bound["side"], bound["is_inclusive"]]
            where += [_condition(amount, operator, bound["amount"])] if amount and not bound["is_days"] else []
            unknown += [] if amount and not bound["is_days"] else [bound["amount"]]
        if where:
            kept.update(where=where, asked=True)
        return Settled(values=kept, unknown=tuple(unknown))

    return settle


def settle_record(access: ErpAccess) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How a single record is named: by its number, or by a name that tells what kind of record it is."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        kept = dict(values)
        code, which = kept.pop("code", None), kept.get("which")
        kinds = [kind for kind in _OWN_KIND.values() if which and access.values_named(kind, which)]
        entities = [entity for entity, kind in _OWN_KIND.items() if kind in kinds]
        if which and not entities:
            del kept["which"]
        elif entities and kept.get("entity") not in entities:
            kept["entity"] = entities[0]
        if "which" not in kept and code is not None:
            kept["which"] = code
        return Settled(values=kept)

    return settle


def _condition(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": name, "operator": operator, "value": value}


def _named_field(access: ErpAccess, known: CatalogueEntity, name: str) -> tuple[str, str]:
    """The field of an entity that holds a name, and the value it holds; no field where none does."""
    own = _OWN_KIND.get(known.entity_set)
    for kind in dict.fromkeys((own, *NAME_SOURCES)):
        values = access.values_named(kind, name) if kind else []
        fields = _NAME_FIELDS.get(kind or "", ())
        if kind in ("customer", "vendor", "item") and own is not None and kind != own:
            continue
        field_name = next((each for each in fields if each in known.properties), "")
        if values and field_name:
            return field_name, values[0]
    return "", ""
