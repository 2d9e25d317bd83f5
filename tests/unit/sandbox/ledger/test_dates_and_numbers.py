"""Date formulas and number series."""

from datetime import date

import pytest

from batuta.sandbox.ledger.dates import DateFormulaError, apply_formula
from batuta.sandbox.ledger.numbers import next_number


@pytest.mark.parametrize(
    ("formula", "start", "expected"),
    [
        ("", "2026-01-31", "2026-01-31"), ("30D", "2026-01-31", "2026-03-02"), ("1M", "2026-01-31", "2026-02-28"),
        ("1M(8D)", "2026-01-10", "2026-02-18"), ("CM", "2026-02-10", "2026-02-28"),
        ("CM+15D", "2026-02-10", "2026-03-15"),
        ("-CM", "2026-02-10", "2026-02-01"), ("<1W>", "2026-02-10", "2026-02-17"), ("CW", "2026-02-10", "2026-02-15"),
        ("-CW", "2026-02-10", "2026-02-09"), ("CQ", "2026-02-10", "2026-03-31"), ("CY", "2026-02-10", "2026-12-31"),
        ("-CY", "2026-02-10", "2026-01-01"), ("1Y", "2024-02-29", "2025-02-28"), ("-30D", "2026-03-02", "2026-01-31"),
        ("1Q", "2026-11-30", "2027-02-28"), ("CD", "2026-02-10", "2026-02-10"), ("14 d", "2026-02-10", "2026-02-24"),
    ],
)  # fmt: skip
def test_a_formula_moves_a_date(formula: str, start: str, expected: str) -> None:
    assert apply_formula(formula, date.fromisoformat(start)) == date.fromisoformat(expected)


@pytest.mark.parametrize("formula", ["soon", "30", "D30", "1M8", "30D;", "99999D"])
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(DateFormulaError, match="not a date formula"):
        apply_formula(formula, date(2026, 1, 1))


@pytest.mark.parametrize(
    ("last", "following"),
    [("101001", "101002"), ("G00009", "G00010"), ("C00990", "C00991"), ("99", "100"), ("A9-X", "A10-X"),
     ("2026-0099", "2026-0100")],
)  # fmt: skip
def test_numbers_count_up_and_keep_their_width(last: str, following: str) -> None:
    assert next_number(last) == following


def test_a_number_without_digits_cannot_be_counted_up() -> None:
    with pytest.raises(ValueError, match="no digits"):
        next_number("CUST")


@pytest.mark.parametrize("formula", ["CM", "1M", "14D", "1Y"])
def test_a_formula_that_leads_out_of_the_calendar_says_so(formula: str) -> None:
    with pytest.raises(DateFormulaError, match="no calendar has"):
        apply_formula(formula, date(9999, 12, 31))
