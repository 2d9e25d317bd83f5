"""Application of payments to invoices."""

from decimal import Decimal as Dec

import pytest

from batuta.sandbox.ledger.application import OpenEntry, apply_entry, exchange_entries
from batuta.sandbox.ledger.entries import PostingError
from tests.unit.sandbox.ledger.books import SETUP


def entry(name: str, remaining: str, local: str | None = None, currency: str = "") -> OpenEntry:
    return OpenEntry(id=name, currency=currency, remaining=Dec(remaining), remaining_local=Dec(local or remaining))


def test_a_payment_closes_invoices_in_order() -> None:
    applied = apply_entry(entry("payment", "-150"), [entry("first", "100"), entry("second", "100")])
    assert applied.entry.remaining == 0
    assert [target.remaining for target in applied.targets] == [0, 50]
    assert [part.amount for part in applied.applications] == [100, 50]


def test_what_a_payment_has_too_much_stays_open() -> None:
    assert apply_entry(entry("payment", "-150"), [entry("invoice", "100")]).entry.remaining == -50


def test_entries_of_the_same_sign_do_not_close_one_another() -> None:
    assert apply_entry(entry("payment", "-10"), [entry("refund", "-5")]).applications == ()


def test_another_currency_is_refused() -> None:
    with pytest.raises(PostingError, match="another currency"):
        apply_entry(entry("payment", "-10", currency="USD"), [entry("invoice", "10")])


@pytest.mark.parametrize(
    ("invoice", "payment", "account", "amount"),
    [
        (("100", "95"), ("-100", "-90"), "9340", Dec(5)),
        (("100", "90"), ("-100", "-95"), "9330", Dec(-5)),
        (("-100", "-95"), ("100", "90"), "9330", Dec(-5)),
        (("-100", "-90"), ("100", "95"), "9340", Dec(5)),
    ],
)
def test_a_rate_that_moved_is_a_gain_or_a_loss(
    invoice: tuple[str, str], payment: tuple[str, str], account: str, amount: Dec
) -> None:
    applied = apply_entry(entry("payment", *payment, "USD"), [entry("invoice", *invoice, "USD")])
    entries = exchange_entries(applied.applications, "2320", SETUP)
    assert [(each.account, each.amount) for each in entries] == [("2320", -amount), (account, amount)]
    assert applied.entry.remaining_local == applied.targets[0].remaining_local == 0
