"""What the words of a question about a figure mean together: which measure, split and limits.

Slots find words one by one; here they change one another. `stock` and `in euros` make the value of stock, `invoices`
and `largest` a split by document, what customers `buy` are sales. What cannot be settled is said, not left out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess
from batuta.agents.erp.known_names import OF_ACCOUNT
from batuta.agents.erp.measures.model import COMPANY_DIMENSION, MeasureBook
from batuta.agents.erp.measuring import NOT_PREFIX, SPLIT_PREFIX
from batuta.agents.erp.questions.accounting import unaccounted
from batuta.agents.erp.questions.balances import for_period, forget_period
from batuta.agents.erp.questions.exclusions import settle_exclusions
from batuta.agents.erp.questions.follow_ups import can_be_ranked, settle_order
from batuta.agents.erp.questions.ledger import ACCOUNT_BALANCE, settle_ledger
from batuta.agents.erp.questions.limits import (
    HOW_MUCH,
    WHO_MOVED,
    of_accounts,
    require_ranked,
    settle_absence,
    settle_account_words,
    settle_accounts,
    settle_both_ends,
    settle_bound,
    settle_change,
    settle_growth,
    settle_newness,
    settle_place,
    settle_worst,
)
from batuta.agents.erp.questions.lists import PRICE_QUESTION, SUM_WORDS
from batuta.agents.erp.questions.parties import (
    names_vendors_only,
    of_customers,
    of_vendors,
    settle_united_states,
    typed_numbers,
)
from batuta.agents.erp.questions.periods import (
    settle_all_time,
    settle_compared_unit,
    settle_due_period,
    settle_earlier,
    settle_month_rows,
    settle_periods,
)
from batuta.agents.erp.questions.question import (
    PARTY,
    FigureQuestion,
    names_documents,
    noun_of,
    qualifier_words,
    unnamed_owner,
)
from batuta.agents.erp.questions.rates import (
    settle_average,
    settle_goods,
    settle_overdue_part,
    settle_pieces,
    without_means_of_sales,
)
from batuta.agents.erp.questions.splits import (
    settle_longer_splits,
    settle_owners,
    settle_parties,
    settle_sums,
    settle_time_splits,
    settle_versus,
    without_covered,
)
from batuta.language.choices import ChoiceIndex, index_of
from batuta.language.dialogue import BUYS_FROM_US
from batuta.language.findings import Finding
from batuta.language.folding import fold
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.understanding import Settled, Synonyms

DOCUMENT = "document"
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
_ALL_COMPANIES = re.compile(
    r"\b(?:all|both|every|each|the\s+two)\s+(?:of\s+)?(?:our\s+|the\s+|my\s+)?(?:compan(?:y|ies))\b"
    r"|\b(?:todas|ambas|cada|las\s+dos)(?:\s+(?:las|nuestras|mis|una\s+de\s+(?:las|nuestras)))?(?:\s+dos)?\s+(?:empresas?|sociedad(?:es)?|companias?)\b"
)
_UNKEPT_SPLIT = re.compile(r"\b(?:by|per|each|por|cada)\s+(?:warehouses?|almacen(?:es)?)\b")
"""A split that no measure has, in words that also name the stock itself."""
_OF_A_KIND = re.compile(r"\b(?:of|how\s+many|sell|sold|buy|bought)\s+((our|the)\s+)?(?:tables|bars|lines|areas|pies)\b")
"""Goods that are called as a kind of chart is: "the stock of tables" asks for no table."""
_TURNOVER = re.compile(r"\b(?:stock|inventory)\s+(?:turnover|turns|rotation)\b|\brotacion\b")
"""A figure that is not kept, in words that also name two that are."""
_COST_OF_SOLD = re.compile(
    r"\b(?:what|goods|things|products|items|lo\s+que|lo)\s+(?:(?:that|we|i|was|were|have|been|hemos|se|ha|ya)\s+)*(?:sell|sold|vend\w+)\b.*\bcost"
    r"|\bcost\w*\b.*\b(?:what|lo)\s+(?:(?:that|que|we|i|was|have|hemos|se|ha)\s+)*(?:sell|sold|vend\w+)\b"
)
"""Asks for one figure, the cost of what was sold, in words that also name two."""
_CREDIT_LEFT = re.compile(
    r"\b(?:available|unused|remaining)\s+credit\b|\bcredit\b.*\b(?:left|available|remaining)\b"
    r"|\bcredito\b.*\b(?:queda|disponible|sobra|resta)\b"
)
"""What may still be lent to a customer: a field of its record less another, and no credit memo."""
_HOW_LONG = re.compile(
    r"\b(?:how\s+long|since\s+when|desde\s+(?:cuando|hace\s+cuanto)|cuanto\s+tiempo)\b(?=.*\b(?:owed?|owes|owing|deb\w+|adeud\w+)\b)"
)
"""Asks for a time and not for what is owed."""
_INVOICES_PAID = re.compile(
    r"\b(?:paid\s+(?:\w+\s+)?invoices?|invoices?\s+(?:(?!not\b)\w+\s+){0,2}paid|facturas?\s+(?:(?!no\b)\w+\s+){0,2}pagad[oa]s?)\b"
)
"""Invoices that were paid, which are no payments; when one was paid is not kept with it."""
_NESTED = re.compile(
    rf"\b(?:of|for|from)\s+(?:our\s+|the\s+)?(?:biggest|largest|best|top|main|worst)(?:[\s-]selling)?\s+{PARTY}\b"
    rf"|\bdel?\s+(?:nuestro\s+|el\s+|la\s+)?(?:mayor|mejor|principal|peor)\s+{PARTY}\b"
    rf"|\bdel\s+{PARTY}\s+(?:que\s+)?mas\b"
)
"""A question within the question: the figure of something that another figure would have to find first."""
_BY_TIME = re.compile(
    r"\b(?:last|latest|newest|oldest|most\s+recent|ultim[oa]s)\s+(?:\d+|two|three|four|five|ten|dos|tres|cuatro|cinco|diez)\b"
    r"(?!\s+(?:days?|dias?|weeks?|semanas?|months?|mes(?:es)?|quarters?|trimestres?|years?|anos?|half|semestres?)\b)"
    r"|\b(?:\d+|two|three|four|five|ten|dos|tres|cuatro|cinco|diez)\s+(?:\w+\s+)?(?:latest|newest|oldest|most\s+recent|mas\s+recientes|ultim[oa]s)\b"
)
"""The first rows of an order in time, which no ranking by a figure is."""
_STEP_BY_STEP = re.compile(r"\b(month|week|quarter|day)[\s-](?:over|on)[\s-]\1\b|\b(?:mom|qoq|wow)\b")
"""Each period beside the one before it: a comparison with the year before is another figure."""
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
_EARNS = re.compile(r"\bcobra[n]?\b(?!\s+(?:a|de|por)\b)")
"""What a person earns, in a word that also says what is collected: wages are kept in no name."""
_HOW_MANY = re.compile(r"\b(?:how many|cuant[oa]s)\b")
_ASKS_WHEN = re.compile(r"\b(?:when|cuando)\b")
"""Asks for a date, which no measure is."""
_FUTURE = re.compile(
    r"\b(?:will|won['’]?t|going\s+to|vamos\s+a|van\s+a|va\s+a"
    r"|(?!(?:super|gener|esper|oper|recuper|consider|liber|compar|prepar|separ|declar|retir|gir)an\b)\w{3,}(?:remos|aran|eran|iran))\b"
)
"""A time to come; "superan" has the ending of one in its stem."""
_OF_SEVERAL = re.compile(r"\b(?:their|sus?)\b")
_TO_THEM = re.compile(r"\b(?:owe|owes|owed|pay|paid|pays|bill|billed|sell|sold|invoiced?)\s+(?:them|him|her)\b")
"""Whom a figure is about, by a pronoun."""
_WITHOUT_SUBJECT = re.compile(
    r"\bcuanto(?:\s+dinero)?\s+(?P<verb>nos\s+(?:debe|adeuda|debia|compra|compro|paga|pago))\b"
)
"""What one does of whom nothing is said."""
_NARROWS = re.compile(r"(?:(?:and|but|y|pero|ahora|now)\W+)?(?:only|just|solo|solamente|unicamente)\b")
_AND_WHAT = re.compile(
    r"\b(?:and|y|e)\b(?:\s+(?:what|how\s+much|que|cuanto|its?|their|the|sus?|el|is|are|it|they|that|nos))*\s*$"
)
"""Between a quantity and what it is worth, where both are asked for."""
_PAYMENTS = frozenset({"payments_received", "payments_made"})
_BARELY_PAID = re.compile(r"(?:paid|pay|pag\w+|cobrad[oa]s?)")
"""One word that is said of an invoice as well: only with "how much" it asks for payments."""


def settle_measure(access: ErpAccess, measures: Synonyms) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How the slots of a question about a figure are settled."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        texts, is_summed = _without_sum(texts)
        text = " ".join(texts)
        question = FigureQuestion(access.measures, dict(values), text, fold(text), access.today())
        question.values.pop("sum", None)
        settle_order(question, texts, index_of(measures))
        question.unknown += [
            each.group()
            for pattern in (
                _UNKEPT_SPLIT,
                _OF_A_KIND,
                _TURNOVER,
                _INVOICES_PAID,
                _EARNS,
                _ASKS_WHEN,
                _BY_TIME,
                _STEP_BY_STEP,
                _CREDIT_LEFT,
                _HOW_LONG,
                PRICE_QUESTION,
            )
            for each in pattern.finditer(fold(texts[-1]))
        ]
        if is_summed:
            _settle_sum(question)
        if described := question.values.pop("described", None):
            question.values["only"] = list(dict.fromkeys((*question.values.get("only", ()), *described)))
        if balances := question.values.pop("balance_of", None):
            named = (name.removeprefix(OF_ACCOUNT) for name in balances)
            question.values["ledger"] = list(dict.fromkeys((*question.values.get("ledger", ()), *named)))
        settle_united_states(question, access)
        settle_account_words(question, access)
        settle_exclusions(question, access)
        _keep_limits(question, texts, access)
        settle_time_splits(question)
        settle_owners(question)
        settle_longer_splits(question)
        forget_period(question, texts, index_of(measures))
        settle_periods(question, texts)
        settle_all_time(question, texts)
        settle_earlier(question, texts)
        settle_month_rows(question, texts)
        settle_parties(question)
        found = without_means_of_sales(question, _measure_findings(question, index_of(measures), texts, access))
        names = _settle_measures(question, found, texts, access)
        settle_compared_unit(question, texts, names)
        _require_past(question, texts[-1], names)
        if any(access.measures.measures[name].looks_ahead for name in names):
            settle_due_period(question, texts)
        _settle_names(question, names, access)
        _require_spending(question, names, access)
        settle_accounts(question, names)
        names = settle_ledger(question, names, found, access)
        names = settle_absence(question, names, index_of(measures).find(text))
        names = settle_newness(question, names)
        _settle_nested(question, texts[-1], names)
        settle_goods(question, names, access)
        settle_average(question, found, names)
        settle_change(question)
        settle_versus(question, names, access)
        settle_sums(question)
        _require_owner(question, texts)
        _settle_companies(question, names, access)
        if not is_summed:
            _settle_documents(question, names)
        settle_bound(question)
        settle_place(question)
        settle_both_ends(question, texts[-1])
        require_ranked(question, names, texts[-1])
        _require_one_list(question)
        question.values.pop("qualifiers", None)
        question.unknown += unaccounted(question, texts[-1], found)
        if left_out := question.values.pop("without", None):
            question.values["only"] = [*question.values.get("only", ()), *(f"{NOT_PREFIX} {name}" for name in left_out)]
        return Settled(values=question.values, unknown=tuple(question.unknown))

    return settle


def _without_sum(texts: Sequence[str]) -> tuple[Sequence[str], bool]:
    """The texts without "how much is that in total?" as the last, and whether it was said."""
    said = index_of(SUM_WORDS).find(texts[-1]) if len(texts) > 1 else []
    rest = texts[-1]
    for each in reversed(said):
        rest = f"{rest[: each.span.start]}{rest[each.span.end :]}"
    return ([*texts[:-1], rest], True) if said else (texts, False)


def _settle_sum(question: FigureQuestion) -> None:
    """The figure without its split. What the first rows of a ranking add up to is not known."""
    if {"top", "bound"} & set(question.values):
        question.unknown.append("total")
    for name in ("split_by", "ranking"):
        question.values.pop(name, None)


def _measure_findings(
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


def _settle_measures(
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
        if meant == "sales" and "money" not in said and (many := _HOW_MANY.search(question.plain)):
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


def _settle_nested(question: FigureQuestion, text: str, names: Sequence[str]) -> None:
    """Read "what share of sales is of our largest customer": its row. Another figure of it is not found this way."""
    said = _NESTED.search(fold(text))
    is_share = question.values.get("compare") == {"kind": "whole"} and question.values.get("split_by")
    if said is not None and is_share and list(names) in (["sales"], ["purchases"]):
        question.values |= {"top": 1, "ranking": question.values.get("ranking", "most")}
    elif said is not None:
        question.unknown.append(said.group())


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


def _keep_limits(question: FigureQuestion, texts: Sequence[str], access: ErpAccess) -> None:
    """Where "only …" narrows an answer, keep what that was limited to by a name of another kind.

    Of each kind the name counts that was said last: "only Portugal" takes the place of Spain, and not of a customer.
    """
    only: list[str] = question.values.get("only") or []
    if not only or not _NARROWS.match(fold(texts[-1])):
        return
    known, left_out = index_of(access.all_names(), is_names=True), question.values.get("without") or ()
    kept, kinds = list(only), {kind for name in only for kind in _kinds_of(name, access)}
    for text in reversed(texts[:-1]):
        said = {each.value: _kinds_of(each.value, access) for each in known.find(text, takes_parts=True)}
        said = {name: own for name, own in said.items() if own and name not in left_out and not own & kinds}
        kept += said
        kinds.update(*said.values())
    question.values["only"] = kept


def _kinds_of(name: str, access: ErpAccess) -> set[str]:
    return {kind for kind in NAME_SOURCES if access.values_named(kind, name)}


def _settle_names(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Of several records with the number that was typed, the one that the measure can be limited to.

    A record that was called by its name is meant, also where another has the same number: a vendor has no sales.
    """
    if not names or not question.values.get("only"):
        return
    splits = question.book.splits(question.book.measures[names[0]])
    for place, name in enumerate(question.values["only"]):
        kinds = [kind for kind in NAME_SOURCES if access.values_named(kind, name)]
        if kinds and not any(kind in splits for kind in kinds):
            numbers = {number for kind in kinds for number in typed_numbers(question, access, kind, name)}
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
            question.values["only"][place] = other or name  # of a name that stays, the tool says what it is


def _require_spending(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """What an item costs is a field of its record, and nothing that was spent."""
    only: Sequence[str] = question.values.get("only") or ()
    if list(names) == ["expenses"] and any(access.values_named("item", name) for name in only):
        question.unknown.append("cost")


def _require_past(question: FigureQuestion, text: str, names: Sequence[str]) -> None:
    """What is still to come is known of due dates alone: "what will we sell in May?" asks for no sales of last May."""
    said = _FUTURE.search(fold(text))
    if said is not None and not all(question.book.measures[name].looks_ahead for name in names):
        question.unknown.append(said.group())


def _require_owner(question: FigureQuestion, texts: Sequence[str]) -> None:
    """The owner of a figure called "its" must be known; otherwise the total of all would be taken for it. So must be
    who "nos debe", a verb without its subject.

    "Sales by customer", and then "their margin", is of each of them.
    """
    if question.values.get("only"):
        return
    whose, to_whom = unnamed_owner(texts[-1]), _TO_THEM.search(fold(texts[-1]))
    if not ({"split_by", "who"} & set(question.values)) and (alone := _WITHOUT_SUBJECT.search(fold(texts[-1]))):
        question.unknown.append(alone.group("verb"))
    are_all = question.values.get("split_by") and not {"top", "bound", "place"} & set(question.values)
    are_each = are_all and _OF_SEVERAL.search(fold(whose)) and not unnamed_owner(question.text)
    question.unknown += [whose] if whose and not are_each else []
    question.unknown += [to_whom.group()] if to_whom and not are_all else []


def _settle_companies(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Every company that is named is asked for, each by itself: the books of each are its own."""
    named = index_of(access.names("company")).find(question.text, takes_parts=False)
    found = list(dict.fromkeys(each.value for each in named))
    if _ALL_COMPANIES.search(question.plain):
        found = list(access.names("company"))
    if len(found) < 2:
        return
    if len(names) > 1:
        question.unknown += found[1:]  # several figures of several companies: one of them at a time
        return
    question.values["company"] = found
    splits = [name for name in question.values.pop("split_by", ()) if name != COMPANY_DIMENSION]
    question.values |= {"split_by": splits} if splits else {}


def _settle_documents(question: FigureQuestion, names: Sequence[str]) -> None:
    """Invoices and orders that are named without another split are what is to be shown."""
    values, book = question.values, question.book
    if values.get("split_by") or not names or not noun_of(question.plain):
        return
    measure = book.measures[names[0]]
    if measure.unit == "money" and measure.kind != "ratio" and DOCUMENT in book.splits(measure):
        is_sum = re.search(r"\b(?:how much|total|sum|cuanto|suma|importe)\b", question.plain) is not None
        if question.is_ranked or "bound" in values or not is_sum:
            values["split_by"] = [DOCUMENT]


def _require_one_list(question: FigureQuestion) -> None:
    """Several figures, companies or periods are asked for one by one: of one kind only, else it is left open which."""
    lists = [
        name for name in ("measure", "company", "period", "ranking") if isinstance(question.values.get(name), list)
    ]
    if len(lists) > 1:
        question.unknown += [str(each) for each in question.values[lists[1]][1:]]
