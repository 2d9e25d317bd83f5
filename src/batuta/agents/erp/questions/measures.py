"""Which measures a question names, and what the other words of it make of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.model import MeasureBook
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.balances import for_period
from batuta.agents.erp.questions.follow_ups import can_be_ranked
from batuta.agents.erp.questions.ledger import ACCOUNT_BALANCE
from batuta.agents.erp.questions.limits import (
    HOW_MUCH,
    WHO_MOVED,
    of_accounts,
    settle_growth,
    settle_worst,
)
from batuta.agents.erp.questions.members import counted_members
from batuta.agents.erp.questions.parties import (
    names_vendors_only,
    of_customers,
    of_vendors,
)
from batuta.agents.erp.questions.question import (
    FigureQuestion,
    names_documents,
    noun_of,
    qualifier_words,
)
from batuta.agents.erp.questions.rates import (
    settle_overdue_part,
    settle_pieces,
)
from batuta.agents.erp.questions.splits import (
    without_covered,
)
from batuta.language.choices import ChoiceIndex, index_of
from batuta.language.dialogue import BUYS_FROM_US
from batuta.language.findings import Finding
from batuta.language.folding import fold
from batuta.language.periods import find_comparisons, find_periods

_FIRST_PERSON = re.compile(r"\b(?:we|our|us|i|my|compramos|(?<!\bha\s)(?<!\bhan\s)comprado|pagamos|compr[oe]|pague)\b")
_THEY_BUY = re.compile(
    r"\b(?:which|what|que)\s+(?:countr(?:y|ies)|markets?|cit(?:y|ies)|pais(?:es)?|mercados?|ciudad(?:es)?)\s+(?:nos\s+)?"
    r"(?:buys?|bought|compran?|compro|compraron|ha[n]?\s+comprado)\b"
)
"""A place is where customers are when it is the place that buys."""
_BOUGHT_FROM = re.compile(r"\b(?:purchase[sd]?|buy|bought|buying)\s+from\b|\bcompras\s+(?:hechas\s+)?al?\b")
"""It is us who buy, and those bought from are vendors."""
_BILLED_BY = re.compile(
    r"\b(?:vendors?|suppliers?|proveedor(?:es)?)\b.*\b(?:bill(?:s|ed)?|invoice[sd]?|charge[sd]?|factur(?:a|an|ado|o|aron))\b"
    r"|\bnos\s+(?:ha[n]?\s+)?vend(?:e[n]?|io|ieron|ido)\b|\b(?:sells?|sold)\s+(?:\w+\s+){0,2}us\b"
)
"""What vendors bill or sell to us are purchases."""
_BUYS_FROM_US = re.compile(rf"{BUYS_FROM_US}|\b(?:buys?|bought|buying|purchased?)\s+(?:\w+\s+){{0,3}}from\s+us\b")
"""What others buy of us are sales."""
_COST_OF_SOLD = re.compile(
    r"\b(?:what|goods|things|products|items|lo\s+que|lo)\s+(?:(?:that|we|i|was|were|have|been|hemos|se|ha|ya)\s+)*(?:sell|sold|vend\w+)\b.*\bcost"
    r"|\bcost\w*\b.*\b(?:what|lo)\s+(?:(?:that|que|we|i|was|have|hemos|se|ha)\s+)*(?:sell|sold|vend\w+)\b"
)
"""Asks for one figure, the cost of what was sold, in words that also name two."""
_COMPLEMENT = re.compile(r"\s+(?:de|del|of)\s+(?:las?\s+|los\s+|our\s+|the\s+)?")
_BALANCES = frozenset({"balance", "balances", "saldo", "saldos"})
_STOCK = "stock_quantity"
_RUNS_LOW = re.compile(r"\brunning\b|\bagotarse\b")
"""Said of nothing but stock: prices may be low as well."""
_INVOICES = "invoice_count"
_COUNTED_INVOICES = {"receivables": "open_invoice_count", "overdue_receivables": "overdue_invoice_count"}
"""How many invoices there are of what is owed."""
_BILLED = frozenset({"sales", "invoiced"})
_MANY_INVOICES = re.compile(
    r"\b(?:most|fewest|mas|menos)\s+(?:(?:overdue|open|unpaid|late)\s+)?(?:invoices|facturas)\b"
)
"""Asks who has the most of them, and not the largest."""
_BOUND_OF_INVOICES = re.compile(
    r"\b(?:than|least|most|over|de|menos|minimo)\s+\d{1,4}\s+(?:[a-z]+\s+)?(?:invoices?|facturas?)\b"
)
"""How many invoices are the limit, and no amount of them."""
_ORDERS = frozenset({"open_purchase_orders", "orders_to_ship", "open_quotes"})
_PARTY_COUNTS = frozenset({"customer_count", "vendor_count"})
_EITHER_SIDE = frozenset({"receivables_due", "overdue_receivables"})
"""What may be the customers' or the vendors': whose was spoken of last."""
_VAT_SAID = ("vat", "net")
"""Qualifiers that say whether VAT is in an amount."""
_RANKED_WITHIN = {"category": "item", "country": "customer", "city": "customer", "salesperson": "customer"}
"""What is ranked of the values that a question is limited to."""
_LIMITING = ("customer", "vendor", "item", "category")
"""Whose a figure may be: "do we make money on the chair?" is its margin, and no net income."""
_NET = re.compile(r"\bnet[oa]?s?\b(?!\s+(?:of|de)\b)")
_GROSS = frozenset({"gross_margin", "margin_percent"})
_SELLS = re.compile(r"\b(?:sell|sold|selling|sells|buy|bought|buys|vend\w+|compr\w+)\b")
_HOW_MANY = re.compile(r"\b(?:how many|cuant[oa]s)\b")
_AND_WHAT = re.compile(
    r"\b(?:and|y|e)\b(?:\s+(?:what|how\s+much|que|cuanto|its?|their|the|sus?|el|is|are|it|they|that|nos))*\s*$"
)
"""Between a quantity and what it is worth, where both are asked for."""
_PAYMENTS = frozenset({"payments_received", "payments_made"})
_BARELY_PAID = re.compile(r"(?:paid|pay|pag\w+|cobrad[oa]s?)")
"""One word that is said of an invoice as well: only with "how much" it asks for payments."""


def measure_findings(
    question: FigureQuestion, index: ChoiceIndex, texts: Sequence[str], access: ErpAccess
) -> list[Finding[str]]:
    """The measures that are named: not by words of a period or a company, nor by "invoices", a stem of "invoiced".

    A later text that names one takes the place of what the earlier ones named.
    """
    now = datetime.combine(question.today, datetime.min.time(), tzinfo=UTC) + timedelta(hours=12)
    for text in reversed(texts):
        taken = [each.span for each in find_periods(text, now=now)]
        taken += [each.span for each in find_comparisons(text, now=now)]
        taken += [each.span for each in index_of(access.names("company")).find(text) if " " in each.text]
        found = [
            each
            for each in index.find(text)
            if not (each.value in ("sales", "invoiced") and names_documents(each.text))
            and not any(each.span.overlaps(span) for span in taken)
        ]
        found = _without_complements(question, text, found)
        question.unknown += [
            each.text
            for each in found
            if each.value in _PAYMENTS and _BARELY_PAID.fullmatch(fold(each.text)) and not HOW_MUCH.search(fold(text))
        ]
        if found and text is not texts[-1] and not can_be_ranked(question, found, texts[-1]):
            return []
        if found:
            return _without_bare_balances(question, found)
    return []


def _without_complements(question: FigureQuestion, text: str, found: Sequence[Finding[str]]) -> list[Finding[str]]:
    """See that "the average ticket of sales" is one figure: what a rate is said to be of is in it already."""
    rates = [each for each in found if question.book.measures[each.value].kind == "ratio"]
    return [
        each
        for each in found
        if not any(
            rate.span.end <= each.span.start and _COMPLEMENT.fullmatch(fold(text[rate.span.end : each.span.start]))
            for rate in rates
        )
    ]


def _without_bare_balances(question: FigureQuestion, found: Sequence[Finding[str]]) -> list[Finding[str]]:
    """A "balance" is that of a party, and adds nothing where what it is the balance of is named: "cash balance"."""
    named = [each for each in found if fold(each.text) not in _BALANCES]
    if named or not found:
        return named
    if question.values.get("ledger"):
        return [replace(found[0], value=ACCOUNT_BALANCE)]
    splits = {name.removeprefix(SPLIT_PREFIX) for name in question.values.get("split_by") or ()}
    is_known = {"customer", "vendor"} & splits or question.values.get("only")
    question.unknown += [] if is_known else [found[0].text]
    return list(found)


def settle_measures(
    question: FigureQuestion, found: Sequence[Finding[str]], texts: Sequence[str], access: ErpAccess
) -> list[str]:
    """The measures that are meant; what is said of one may make it another."""
    book, values = question.book, question.values
    names = _counted_alone(question, found)
    said = question.qualifiers
    splits = without_covered(question, found, names)
    is_asked_whose = values.get("who") or "vendor" in splits
    if names == ["sales"] and _BILLED_BY.search(question.plain) and names_vendors_only(question, access):
        names = ["purchases"]
    elif names == ["sales"] and is_asked_whose and _BILLED_BY.search(question.plain):
        names = ["purchases"]
        splits, _ = list(dict.fromkeys((*splits, "vendor"))), values.pop("who", None)
    names = of_accounts(question, names or _unnamed(question, said, splits))
    names = of_vendors(question, names, said, access)
    names = of_customers(question, names, found, access)
    if "count" in said and noun_of(question.plain) == "invoiced" and not splits:
        names = [_COUNTED_INVOICES.get(name, name) for name in names]
    counted_by = book.splits(book.measures[_INVOICES])
    if splits and set(splits) <= set(counted_by) and "bound" in values and _BOUND_OF_INVOICES.search(question.plain):
        names = [_COUNTED_INVOICES.get(name, _INVOICES if name in _BILLED else name) for name in names]
    if _MANY_INVOICES.search(question.plain) and splits and question.is_ranked:
        names = [_COUNTED_INVOICES.get(name, _INVOICES if name in _BILLED else name) for name in names]
    late = [each.text for each in found if each.value.startswith("overdue_")]
    ordered = _ORDERS & set(names)
    if late and ordered and all("overdue" in book.measures[name].variants for name in ordered):
        names = [name for name in names if not name.startswith("overdue_")]  # "the orders, are any late?"
    elif late and ordered:
        question.unknown.append(late[0])  # quotes have no date that says so
    if "late_orders" in names and noun_of(question.plain) == "open_purchase_orders":
        question.unknown.append(next(each.text for each in found if each.value == "late_orders"))
    both = _asked_beside(question, names, found, texts)
    names, used = _varied(question, names, said)
    names = list(dict.fromkeys((*both, *names)))
    if _GROSS & set(names) and _NET.search(question.plain):  # "the profit margin, net": what is left of all costs
        names = list(dict.fromkeys("net_margin" if name in _GROSS else name for name in names))
    splits = _low_stock(question, names, said, splits)
    if "price" in said and not any(fold(said["price"]) in fold(each.text).split() for each in found):
        question.unknown.append(said["price"])  # a price is no figure that is added up; the average one is a rate
    _require_vat_known(question, names, {word: text for word, text in said.items() if word not in used})
    splits = splits or _ranked_splits(question, names, access)
    names = [for_period(question, name, texts) for name in names]
    names = settle_pieces(question, [_possible(question, name, splits, access) for name in names])
    settle_worst(question, names, texts[-1])
    names = _result_alone(settle_overdue_part(question, list(dict.fromkeys(names))), splits)
    if values.pop("who", False) and names:
        known = book.splits(book.measures[names[0]])
        parties = [party for party in ("customer", "vendor") if party in known][:1]
        splits += [party for party in parties if party not in splits]
    values["split_by"] = splits
    if not splits:
        values.pop("split_by")
    settle_growth(question, names, said)
    _settle_shares(question, names, {word: text for word, text in said.items() if word not in used})
    values.pop("measure", None)
    if names:
        values["measure"] = names if len(names) > 1 else names[0]
    return names


def _result_alone(names: Sequence[str], splits: Sequence[str]) -> list[str]:
    """Whether "we made or lost money" is one question; what was sold at a loss is another, which names products."""
    is_result = set(names) == {"net_income", "losses"} and "item" not in splits
    return ["net_income"] if is_result else list(names)


def _counted_alone(question: FigureQuestion, found: Sequence[Finding[str]]) -> list[str]:
    """The measures that are named; a count leaves no room for others: how many customers bought is kept nowhere.

    Of invoices it is known how many are open or overdue.
    """
    names = list(dict.fromkeys(each.value for each in found))
    if set(names) == {"sales", "expenses"} and _COST_OF_SOLD.search(question.plain):
        return ["cost_of_sales"]
    if (counted := counted_members(question, names)) is not None:
        return [counted]
    counts = [name for name in names if question.book.measures[name].unit == "count"]
    if set(counts) & _PARTY_COUNTS:
        question.unknown += [each.text for each in found if each.value not in counts]
    if counts == [_INVOICES]:
        states = [each for each in found if each.value in _COUNTED_INVOICES]
        names = [_COUNTED_INVOICES[each.value] for each in states]
        return [name for name in dict.fromkeys(names) if name != _COUNTED_INVOICES["receivables"]] or names or counts
    return counts or names


def _unnamed(question: FigureQuestion, said: Mapping[str, str], splits: Sequence[str]) -> list[str]:
    """The measure that is meant where none is named: of documents that are late, due or large, or of a ranking."""
    bound, noun = question.values.get("bound"), noun_of(question.plain)
    if noun and bound and bound["is_days"]:
        return ["overdue_receivables"]
    if noun and "due" in said:
        return ["receivables_due"]
    if noun and (question.is_ranked or bound):
        return [noun]
    if "units" in said and bound and "item" in splits:
        return [_STOCK]  # the products that have fewer than so many pieces
    if "item" in splits and _RUNS_LOW.search(fold(said.get("low", ""))):
        return [_STOCK]
    if question.is_ranked or WHO_MOVED.search(question.plain):
        return [best for split in splits if (best := question.book.dimensions[split].ranked_by)][:1]
    return []


def _low_stock(
    question: FigureQuestion, names: Sequence[str], said: Mapping[str, str], splits: Sequence[str]
) -> list[str]:
    """Read "low on stock": the items with the fewest pieces first. Nothing else is low. Returns the splits."""
    if "low" not in said:
        return list(splits)
    if list(names) != [_STOCK] or set(splits) - {"item"}:
        question.unknown.append(said["low"])
        return list(splits)
    question.values["ranking"] = "least"
    return ["item"]


def _varied(question: FigureQuestion, names: Sequence[str], said: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """The measures that the qualifiers make of those that are named, and the qualifiers that were needed for it."""
    book, used = question.book, set[str]()
    is_about_vendors = question.values.pop("side", None) == "vendor"
    is_late = bool(question.values.get("bound", {}).get("is_days"))
    is_counted = bool(question.values.get("is_counted"))
    varied = []
    for name in names:
        meant = name
        for qualifier in said:
            if other := book.measures[meant].variants.get(qualifier):
                meant = other
                used.add(qualifier)
        if is_late and "overdue" in book.measures[meant].variants:
            meant = book.measures[meant].variants["overdue"]  # unpaid for so many days
        if is_about_vendors and meant in _EITHER_SIDE:
            meant = book.measures[meant].variants["to_vendors"]
        if meant == "sales" and "money" not in said and not is_counted and (many := _HOW_MANY.search(question.plain)):
            if _SELLS.search(question.plain):
                meant = "units_sold"
            else:
                question.unknown.append(many.group())  # "how many sales" may be invoices or pieces
        varied.append(meant)
    return [name for name in dict.fromkeys(varied) if not _is_implied(book, name, varied)], used


def _asked_beside(
    question: FigureQuestion, names: Sequence[str], found: Sequence[Finding[str]], texts: Sequence[str]
) -> list[str]:
    """What is asked in money as well: "how many are left and what are they worth?" is the stock, and its value."""
    text = fold(texts[-1])
    money = [each for each in index_of(qualifier_words(question.book)).find(texts[-1]) if each.value == "money"]
    return [
        each.value
        for each in found
        if each.value in names
        and question.book.measures[each.value].unit == "quantity"
        and any(_AND_WHAT.search(text[each.span.end : one.span.start]) for one in money)
    ]


def _require_vat_known(question: FigureQuestion, names: Sequence[str], unused: Mapping[str, str]) -> None:
    """With or without VAT: where there is one of them only, the answer's basis says which; else it is not known."""
    bases = [question.book.measures[name].basis["en"] for name in names]
    question.unknown += [
        unused[word] for word in _VAT_SAID if word in unused and not all("VAT" in one for one in bases)
    ]


_WHAT_SELLS = re.compile(
    r"\W*(?:(?:and|y)\s+)?(?:what|que|lo\s+que)\b(?:\s+es\s+lo\s+que)?(?=.*\b(?:sells?|sold|selling|vend(?:e|en|emos|io|ieron|imos|ido))\b)"
)
"""Asks for a thing, not for a sum: "what do we sell most?", "¿qué es lo que menos se vende?"."""


def _ranked_splits(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> list[str]:
    """What is to be ranked where no split says it: the items of a category, the customers of a country."""
    values, book = question.values, question.book
    if not names or not (question.is_ranked or "top" in values):
        return []
    if (split := book.measures[names[0]].ranked_split) and not noun_of(question.plain):
        return [split]
    if values.get("who"):
        return []
    if _WHAT_SELLS.match(question.plain) and "item" in book.splits(book.measures[names[0]]):
        return ["item"]
    kinds = [kind for one in values.get("only") or () for kind in _RANKED_WITHIN if access.values_named(kind, one)]
    known = book.splits(book.measures[names[0]])
    wanted = [_RANKED_WITHIN[kind] for kind in kinds if _RANKED_WITHIN[kind] in known][:1]
    if wanted and "compare" not in values:
        return wanted
    if "top" in values and not noun_of(question.plain):
        question.unknown.append(str(values["top"]))
    return []


def _settle_shares(question: FigureQuestion, names: Sequence[str], said: Mapping[str, str]) -> None:
    """Read "what share of": each row as a part of the whole, unless the measure is a rate itself."""
    shares = [said[one] for one in ("share", "percent") if one in said]
    if not shares or not names or question.book.measures[names[0]].unit == "percent":
        return
    if question.values.get("compare"):  # "growth in percent against last year": every comparison says its change so
        question.unknown += [said["share"]] if "share" in said else []
        return
    if question.values.get("split_by") or question.values.get("only"):
        question.values["compare"] = {"kind": "whole"}
    else:
        question.unknown.append(shares[0])


def _is_implied(book: MeasureBook, name: str, names: Sequence[str]) -> bool:
    """Whether another of the measures named is a variant of it: "overdue money that is owed" is one thing."""
    return any(name != other and other in book.measures[name].variants.values() for other in names)


def _possible(question: FigureQuestion, name: str, splits: Sequence[str], access: ErpAccess) -> str:
    """The measure, or the one that the same words mean where it cannot be split or limited as asked."""
    book = question.book
    counterpart = book.measures[name].counterpart
    if counterpart is None:
        return name
    if _BUYS_FROM_US.search(question.plain):
        return "sales" if "sales" in (name, counterpart) else name
    if question.values.get("who"):
        return name if _FIRST_PERSON.search(question.plain) else counterpart
    if _BOUGHT_FROM.search(question.plain):
        return name
    if _THEY_BUY.search(question.plain) and not _FIRST_PERSON.search(question.plain):
        return counterpart
    only = question.values.get("only") or ()
    kinds = {kind for kind in _LIMITING for one in only if access.values_named(kind, one)}
    wanted = {*splits, *kinds}
    own, others = (set(book.splits(book.measures[each])) for each in (name, counterpart))
    return name if wanted <= own or not wanted <= others else counterpart
