"""What a question says that its figure does not account for: then it is asked about, and no figure is given.

Every word belongs to a slot or says nothing of its own, but what a slot took may be dropped where words change one
another, and a filler may say something after all. Here the question is read once more beside what will be computed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batuta.agents.erp.measures.model import TIME_DIMENSIONS, Measure, MeasureBook
from batuta.agents.erp.questions.question import FigureQuestion, dimension_words, qualifier_words
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFigure:
    """What will be computed."""

    book: MeasureBook
    measures: Sequence[Measure]
    splits: Sequence[str]
    values: Mapping[str, Any]

    @property
    def units(self) -> frozenset[str]:
        return frozenset(one.unit for one in self.measures)

    @property
    def comparison(self) -> str:
        return str((self.values.get("compare") or {}).get("kind", ""))

    @property
    def time_splits(self) -> list[str]:
        return [name for name in self.splits if name in TIME_DIMENSIONS]

    @property
    def is_ranked(self) -> bool:
        return bool({"ranking", "top"} & set(self.values))


Accounted = Callable[[AskedFigure], bool]
_WEEKDAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:todos\s+)?los\s+(?:lunes|martes|miercoles|jueves|viernes"
    r"|sabados|domingos)|weekends?|weekdays?|fin(?:es)?\s+de\s+semana"
)
_TIMES = r"(?:days?|weeks?|months?|quarters?|years?|dias?|semanas?|mes(?:es)?|trimestres?|anos?)"
_SUPERLATIVE = (
    r"(?:best|top|worst|most|least|biggest|largest|mejor(?:es)?|peor(?:es)?|mas|menos|mayor(?:es)?|principal(?:es)?)"
)
_EACH = r"(?:each|every|per|cada)"

_TELLING: Final[Sequence[tuple[re.Pattern[str], Accounted]]] = (
    # Running totals are not computed; the total to date is.
    (
        re.compile(r"\b(?:cumulative|accumulated|acumulad[oa]s?|running\s+totals?)\b"),
        lambda asked: not asked.time_splits,
    ),
    # Twice a figure is another one; an axis may be double.
    (re.compile(r"\b(?:doble|dobles|duplo)\b(?!\s+ejes?\b)(?<!\beje\sdoble)"), lambda asked: False),
    # Days of the week, one after the other, are no period.
    (re.compile(rf"\b(?:{_WEEKDAYS})\b"), lambda asked: False),
    # Parts of time that are counted or looked for are rows, and no words of the period.
    (
        re.compile(rf"\b(?:how\s+many|number\s+of|cuant[oa]s|numero\s+de)\s+{_TIMES}\b"),
        lambda asked: asked.units == {"days"},
    ),
    (
        re.compile(
            rf"^\W*(?:(?:in\s+)?(?:which|what)|(?:en\s+)?(?:que|cuales)|the|los|las)?\s*{_TIMES}\s+"
            r"(?:with(?:out)?|in\s+which|when|where|that|con|sin|en\s+(?:l[oa]s\s+)?que|donde|cuando)\b"
        ),
        lambda asked: bool(asked.time_splits),
    ),
    # Compared with the one before, each row has another one to be compared with.
    (
        re.compile(
            rf"\b(?:previous|preceding|prior)\s+{_TIMES}\b|\b{_TIMES}\s+(?:anterior(?:es)?|previ[oa]s?|before)\b"
        ),
        lambda asked: not (asked.time_splits and asked.comparison == "previous_period"),
    ),
    # How many places or kinds there are is not what was sold in them.
    (
        re.compile(
            r"\b(?:how\s+many|number\s+of|cuant[oa]s|numero\s+de)\s+(?:[a-z]+\s+)?(?:countries|markets|cities|towns"
            r"|categories|families|salespeople|sales\s+reps|paises|mercados|ciudades|categorias|familias|vendedores"
            r"|comerciales)\b"
        ),
        lambda asked: False,
    ),
    # What the first rows come to together is not known where the total is that of all.
    (
        re.compile(r"\b(?:suman?|sumad[oa]s|add\s+up|together|junt[oa]s|en\s+conjunto)\b"),
        lambda asked: not {"top", "bound"} & set(asked.values),
    ),
    # Different ones are counted, and not what they bought.
    (
        re.compile(r"\b(?:different|distinct|unique|distint[oa]s|diferentes)\b"),
        lambda asked: asked.values.get("ranking") == "present",
    ),
    # The best of each is one row for each; one order of all rows is something else.
    (
        re.compile(rf"\b{_SUPERLATIVE}\b.*\b{_EACH}\b|\b{_EACH}\b.*\b{_SUPERLATIVE}\b"),
        lambda asked: len(asked.splits) < 2 or not asked.is_ranked,
    ),
)
"""Words that say something of the figure, and whether what is computed has it."""

_BOUND_NOUN = re.compile(
    r"\b(?:more\s+than|less\s+than|fewer\s+than|over|under|above|below|at\s+least|at\s+most|mas\s+de|menos\s+de|al\s+menos|como\s+minimo"
    r"|por\s+encima\s+de|por\s+debajo\s+de)\s+(?P<amount>[\d.,]+)\s*(?:(?!de\b|of\b)[a-z]+\s+(?=(?:invoices?|facturas?|orders?|pedidos?)\b))?(?P<noun>[a-z]+|€)"
)
_COUNTED: Final[Mapping[str, re.Pattern[str]]] = {
    "count": re.compile(r"invoices?|facturas?|orders?|pedidos?|customers?|clientes?|vendors?|proveedores"),
    "money": re.compile(r"€|euros?|eur|dollars?|dolares"),
    "quantity": re.compile(r"units?|pieces?|unidades|piezas|uds?"),
}
"""What an amount that figures are limited by counts, by the noun that follows it."""


_ALIKE: Final[Sequence[frozenset[str]]] = tuple(
    map(
        frozenset,
        (
            ("sales", "purchases", "invoiced", "units_sold", "units_purchased"),
            ("payments_made", "payments_received", "purchases", "expenses", "operating_expenses"),
            ("receivables", "receivables_due", "overdue_receivables", "payables", "payables_due", "overdue_payables"),
            ("purchases", "payables", "payables_due", "overdue_payables"),
            ("invoice_count", "open_invoice_count", "receivables", "overdue_receivables", "overdue_invoice_count"),
            ("net_income", "losses", "gross_margin", "net_margin"),
            ("cash", "account_balance", "account_movement"),
            ("customer_count", "item_count", "sales"),
            ("vendor_count", "purchases"),
        ),
    )
)
"""Figures that the same words may mean, as the rest of a question tells."""

_OF_A_PERIOD: Final = frozenset({"vat_payable"})
"""Figures that are settled period by period: without one the part that was paid already would be in them."""

_QUALIFIED: Final[Mapping[str, Accounted]] = {
    "units": lambda asked: bool(asked.units & {"quantity", "count"}),
    "money": lambda asked: bool(asked.units & {"money", "percent"}),
    "overdue": lambda asked: any(word in one.id for one in asked.measures for word in ("overdue", "late")),
    "growth": lambda asked: bool(asked.comparison),
    "decline": lambda asked: bool(asked.comparison),
}
"""What a qualifier says of a figure, and whether the figure is that."""


def unaccounted(question: FigureQuestion, text: str, found: Sequence[Finding[str]]) -> list[str]:
    """The words of a message that say something of its figure, and are not in what will be computed."""
    named = question.values.get("measure") or ()
    asked = AskedFigure(
        book=question.book,
        measures=[question.book.measures[name] for name in ([named] if isinstance(named, str) else named)],
        splits=question.values.get("split_by") or (),
        values=question.values,
    )
    if not asked.measures:
        return []
    plain = fold(text)
    own = [each for each in found if each.text in text]  # of a follow-up the figure may be named before
    left = [said.group() for pattern, holds in _TELLING for said in pattern.finditer(plain) if not holds(asked)]
    left += _strange_bounds(plain, asked)
    left += [each.text for each in _dropped(own, asked)]
    left += _side_by_side(text, own, asked)
    left += _unused_qualifiers(text, own, asked)
    left += _past_balances(text, asked)
    left += [each.text for each in own if each.value in _OF_A_PERIOD and "period" not in asked.values]
    return list(dict.fromkeys(left))


def _strange_bounds(plain: str, asked: AskedFigure) -> list[str]:
    """What an amount counts that the figure does not: "more than five invoices" is no limit of euros."""
    return [
        said.group()
        for said in _BOUND_NOUN.finditer(plain)
        for unit, nouns in _COUNTED.items()
        if "bound" in asked.values and nouns.fullmatch(said["noun"]) and unit not in asked.units
    ]


def _dropped(found: Sequence[Finding[str]], asked: AskedFigure) -> list[Finding[str]]:
    """The figures that are named and will not be computed, nor are part of one that will be."""
    kept = {one.id for one in asked.measures}
    if asked.values.get("ranking") == "present":  # how many there are is what is computed of it
        kept |= {each.value for each in found if asked.book.measures[each.value].unit == "count"}
    return [each for each in found if not _leads_to(asked.book, each.value, kept)]


def _leads_to(book: MeasureBook, name: str, kept: set[str], depth: int = 3) -> bool:
    """Whether a measure is one of some, or becomes or is counted in one of them."""
    if name in kept or any(name in group and group & kept for group in _ALIKE):
        return True
    measure = book.measures[name]
    others = [*measure.variants.values(), *([measure.counterpart] if measure.counterpart else ())]
    parts = [one.id for one in book.measures.values() if one.ratio and name in (one.ratio.over, one.ratio.by)]
    return depth > 0 and any(_leads_to(book, other, kept, depth - 1) for other in (*others, *parts))


def _side_by_side(text: str, found: Sequence[Finding[str]], asked: AskedFigure) -> list[str]:
    """Two figures without a word between them are one that is not known: "cash sales" are no cash and no sales."""
    kept = {one.id for one in asked.measures}
    return [
        text[one.span.start : other.span.end]
        for one in found
        for other in found
        if {one.value, other.value} <= kept
        and one.value != other.value
        and one.span.end < other.span.start
        and text[one.span.end : other.span.start].isspace()
    ]


def _unused_qualifiers(text: str, found: Sequence[Finding[str]], asked: AskedFigure) -> list[str]:
    return [
        each.text
        for each in index_of(qualifier_words(asked.book)).find(text)
        if each.value in _QUALIFIED
        and not _QUALIFIED[each.value](asked)
        and not any(each.span.overlaps(one.span) for one in found)
    ]


def _past_balances(text: str, asked: AskedFigure) -> list[str]:
    """The words for a course in time of what is known as of today: of an open invoice it is known when it was posted,
    and not what was open in another month.
    """
    if all(one.kind != "balance" for one in asked.measures):
        return []
    said = {name: index_of(dimension_words(asked.book, name)).find(text) for name in asked.time_splits}
    return [found[0].text if found else name for name, found in said.items()]
