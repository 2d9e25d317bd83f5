"""Posting of journal lines."""

from datetime import date
from decimal import Decimal as Dec

import pytest

from batuta.sandbox.ledger.entries import EntryKind, Party, PostingError
from batuta.sandbox.ledger.journal import JournalAccount, JournalEntryLine, documents_of, post_journal

BANK = JournalAccount(account="2920")


def line(
    amount: str, account: JournalAccount, balancing: JournalAccount | None = None, document: str = "G1"
) -> JournalEntryLine:
    return JournalEntryLine(
        id="1",
        account=account,
        amount=Dec(amount),
        posting_date=date(2026, 1, 1),
        document=document,
        balancing=balancing,
        kind=EntryKind.PAYMENT,
    )


def test_a_payment_credits_the_customer_and_debits_the_bank() -> None:
    customer = JournalAccount(account="2310", party=Party.CUSTOMER, number="C1")
    posting = post_journal([line("-100", customer, BANK)])
    assert [(entry.account, entry.amount) for entry in posting.accounts] == [("2310", Dec(-100)), ("2920", Dec(100))]
    assert (posting.parties[0].amount, posting.parties[0].kind) == (Dec(-100), EntryKind.PAYMENT)


def test_lines_that_add_up_to_zero_need_no_balancing_account() -> None:
    posting = post_journal([line("70", JournalAccount(account="8110")), line("-70", BANK)])
    assert posting.difference == 0


def test_a_document_out_of_balance_is_refused_with_the_difference() -> None:
    with pytest.raises(PostingError, match=r"out of balance by 70.00"):
        post_journal([line("70", JournalAccount(account="8110"))])


def test_documents_of_a_journal_are_posted_apart() -> None:
    lines = [line("1", BANK, document="G1"), line("2", BANK, document="G2"), line("3", BANK, document="G1")]
    assert [len(each) for each in documents_of(lines).values()] == [2, 1]
