"""What a figure says of itself: the part of a period that is compared, and the bound that rows had to pass (A-5)."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess
from batuta.agents.erp.changes.wording import record_in_words
from batuta.agents.erp.measures.compute import FigureBound, compute
from batuta.agents.erp.measures.model import standard_measures
from batuta.agents.erp.measures.periods import to_date
from batuta.agents.erp.measures.records import Books, MeasureRequest
from batuta.agents.erp.measuring import measure_tools
from batuta.agents.erp.understanding import erp_understanding
from batuta.agents.erp.wording import figures_in_words
from batuta.connectors.erp import ErpCompany, ErpRecord
from batuta.datasets.dataset import DATASETS_SERVICE, Dataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.kernel.errors import ToolFailedError
from batuta.language.calendar_math import Period
from batuta.language.interpretation import Interpreter
from batuta.testing.erp import COMPANY, MemoryErp
from batuta.tools.context import ToolContext

TODAY = date(2026, 9, 15)
BOOKS = Books(
    connector=MemoryErp({"salesInvoices": [], "salesCreditMemos": []}), company=COMPANY, currency="EUR", today=TODAY
)
YEAR = Period(first=date(2026, 1, 1), last=date(2026, 12, 31), grain="year")
MONTH = Period(first=date(2026, 9, 1), last=date(2026, 9, 30), grain="month")
PAST = Period(first=date(2025, 1, 1), last=date(2025, 12, 31), grain="year")


@pytest.mark.parametrize(
    ("span", "other", "expected"),
    [
        (YEAR, YEAR.year_before(), ("2026-09-15", "2025-01-01", "2025-09-15")),
        (YEAR, YEAR.before(), ("2026-09-15", "2025-01-01", "2025-09-15")),
        (MONTH, MONTH.before(), ("2026-09-15", "2026-08-01", "2026-08-15")),
        (PAST, PAST.before(), ("2025-12-31", "2024-01-01", "2024-12-31")),
    ],
)
def test_a_period_that_is_not_over_is_compared_part_with_part(
    span: Period, other: Period, expected: tuple[str, str, str]
) -> None:
    now, before = to_date(span, other, TODAY)

    assert (now.last.isoformat(), before.first.isoformat(), before.last.isoformat()) == expected


async def test_the_answer_says_which_part_was_compared() -> None:
    now, before = to_date(YEAR, YEAR.year_before(), TODAY)
    request = MeasureRequest(measure="sales", period=now, compare_with=before)
    figures = replace(
        await compute(BOOKS, standard_measures(), request), compared_with=before, is_cut_at_today=now != YEAR
    )

    assert "(1 ene 2025 – 15 sep 2025, hasta el mismo día)" in figures_in_words(
        figures, BOOKS, standard_measures(), "es"
    )


@pytest.mark.parametrize(
    ("bound", "english", "spanish"),
    [
        (FigureBound(side="above", amount=Decimal(60), is_days=True),
         "more than 60 days late", "con más de 60 días de retraso"),
        (FigureBound(side="above", amount=Decimal(5000)), "above 5,000.00 €", "más de 5.000,00 €"),
        (FigureBound(side="below", amount=Decimal(5000), is_inclusive=True), "up to 5,000.00 €", "hasta 5.000,00 €"),
    ],
)  # fmt: skip
async def test_the_answer_says_the_bound(bound: FigureBound, english: str, spanish: str) -> None:
    figures = await compute(BOOKS, standard_measures(), MeasureRequest(measure="sales", period=YEAR))
    bounded = replace(figures, bound=bound)

    assert english in figures_in_words(bounded, BOOKS, standard_measures(), "en")
    assert spanish in figures_in_words(bounded, BOOKS, standard_measures(), "es")


@pytest.mark.parametrize(
    ("left", "ending"),
    [("13220.40", "pendiente: quedan 13.220,40 € de 14.220,40 €"), ("14220.40", "14.220,40 €, pendiente")],
)
def test_what_remains_after_a_part_payment_is_said(left: str, ending: str) -> None:
    values = {"number": "1", "status": "Open", "totalAmountIncludingTax": "14220.40", "remainingAmount": left}
    invoice = ErpRecord(entity="salesInvoices", id="1", etag="", values={**values, "currencyCode": "EUR"})

    assert record_in_words(invoice, "es").endswith(ending)


NORTH = ErpCompany(id="1", name="Vento Norte", display_name="Vento Norte Equipamentos, Lda.")
CLEAR = ErpCompany(id="2", name="Sierra Clara", display_name="Sierra Clara Exterior, S.L.")


@pytest.fixture
async def access() -> ErpAccess:
    records: dict[str, list[dict[str, Any]]] = {source.entity: [] for source in NAME_SOURCES.values()}
    records |= {
        "salesInvoices": [],
        "salesCreditMemos": [],
        "accounts": [],
        "companyInformation": [{"id": "1", "currencyCode": "EUR"}],
    }
    books = MemoryErp(records, companies=(NORTH, CLEAR))
    access = ErpAccess(connector=books, today=lambda: TODAY)
    await access.learn_names()
    return access


async def answered(access: ErpAccess, **args: Any) -> Dataset:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="s"))
    context = ToolContext(idempotency_key="k", services={DATASETS_SERVICE: library})
    compute_measure = next(one for one in measure_tools(access) if one.name == "compute_measure")
    found: Dataset = await compute_measure.call(context, **args)
    return found


async def test_every_company_that_is_named_is_asked_for(access: ErpAccess) -> None:
    interpreter = Interpreter([erp_understanding(access)])
    found = interpreter.interpret("sales of Vento Norte and Sierra Clara", now=datetime(2026, 9, 15, 12, tzinfo=UTC))[0]

    assert (found.values["measure"], found.unknown) == ("sales", ())
    assert found.values["company"] == [NORTH.display_name, CLEAR.display_name]


async def test_a_split_by_company_never_shows_one_as_if_it_were_all(access: ErpAccess) -> None:
    with pytest.raises(ToolFailedError, match=r"Vento Norte Equipamentos, Lda\.; Sierra Clara"):
        await answered(access, measure="sales", split_by=["company"])


async def test_the_tool_compares_this_year_up_to_today(access: ErpAccess) -> None:
    figures = await answered(access, measure="sales", period="2026", compare={"kind": "previous_period"})

    assert "2026-01-01 – 2026-09-15" in figures.title
    assert "(1 Jan 2025 – 15 Sep 2025, up to the same day)" in figures.summary["en"]


@pytest.mark.parametrize("measure", ["days_sales_outstanding", "stock_value"])
async def test_what_is_known_as_of_today_is_refused_for_a_period_that_is_over(access: ErpAccess, measure: str) -> None:
    with pytest.raises(ToolFailedError, match="as of today only"):
        await answered(access, measure=measure, period="2025")


async def test_the_answer_says_what_was_left_out_and_which_place_it_is() -> None:
    figures = await compute(BOOKS, standard_measures(), MeasureRequest(measure="sales", period=YEAR))
    limited = replace(figures, without={"country": ("ES", "PT")}, place=2)
    assert " · sin ES; PT · n.º 2 del orden)" in figures_in_words(limited, BOOKS, standard_measures(), "es")
    assert " · without ES; PT · no. 2 of the order)" in figures_in_words(limited, BOOKS, standard_measures(), "en")


@pytest.mark.parametrize(("change", "words"), [("less", "menos que antes"), ("more", "más que antes")])
async def test_the_answer_says_that_only_changed_rows_are_shown(change: str, words: str) -> None:
    figures = await compute(BOOKS, standard_measures(), MeasureRequest(measure="sales", period=YEAR))
    assert words in figures_in_words(replace(figures, change=change), BOOKS, standard_measures(), "es")


async def test_the_figure_of_all_rows_of_a_ratio_is_called_no_total() -> None:
    """An average of all invoices is no sum of the averages by customer."""
    invoice = {"id": "1", "number": "1", "customerName": "Ana", "status": "Open", "currencyCode": "EUR",
               "postingDate": "2026-02-01", "totalAmountExcludingTax": Decimal(40)}  # fmt: skip
    books = replace(BOOKS, connector=MemoryErp({"salesInvoices": [invoice]}))
    request = MeasureRequest(measure="average_invoice", period=YEAR, split=("customer",))
    words = figures_in_words(await compute(books, standard_measures(), request), books, standard_measures(), "en")
    assert "Overall: **40.00 €**" in words
    assert "Total" not in words
