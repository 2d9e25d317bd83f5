"""Faults of a connector, told apart and in words (A-2)."""

from string import Formatter
from typing import get_args

import pytest

from batuta.connectors.faults import FAULT_WORDS, FaultKind, fault_in_words, fault_of
from batuta.kernel.errors import (
    AccessDeniedError,
    BatutaError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    LogicalError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)

CASES: list[tuple[BatutaError, FaultKind | None]] = [
    (ConnectorUnavailableError("x", was_sent=False), "unreachable"),
    (ConnectorUnavailableError("x", was_sent=False, status=429), "busy"),
    (ConnectorUnavailableError("x", was_sent=True, status=503), "busy"),
    (ConnectorUnavailableError("x", was_sent=True, status=504), "timed_out"),
    (ConnectorUnavailableError("x", was_sent=True, reason_code="timeout"), "timed_out"),
    (ConnectorUnavailableError("x", was_sent=True, reason_code="cut"), "interrupted"),
    (ConnectorUnavailableError("x", was_sent=True, reason_code="truncated"), "interrupted"),
    (ConnectorUnavailableError("x", was_sent=True, status=500), "failing"),
    (AccessDeniedError("x", status=401), "sign_in"),
    (AccessDeniedError("x", status=403), "permission"),
    (MissingCompanyError("x", status=404, reason_code="Internal_CompanyNotFound"), "company"),
    (MissingRecordError("x", status=404, reason_code="Internal_RecordNotFound"), "missing"),
    (MissingRecordError("x", status=404, reason_code="routing"), "routing"),
    (ConnectorRejectedError("x", status=302, reason_code="routing"), "routing"),
    (RecordChangedError("x", status=409), "changed"),
    (ConnectorRejectedError("x", status=400, reason_code="Application_DialogException"), "refused"),
    (LogicalError("x"), None),
]


@pytest.mark.parametrize(("error", "kind"), CASES, ids=lambda value: str(getattr(value, "reason_code", value)))
def test_each_failure_is_told_apart(error: BatutaError, kind: FaultKind | None) -> None:
    assert fault_of(error) == kind


def test_every_kind_has_words_in_both_languages_with_the_services_own() -> None:
    assert set(FAULT_WORDS) == set(get_args(FaultKind)) == {kind for _, kind in CASES if kind}
    for words in FAULT_WORDS.values():
        assert set(words) == {"en", "es"}
        assert all([name for _, name, _, _ in Formatter().parse(text) if name] == ["detail"] for text in words.values())


def test_braces_of_a_service_are_no_placeholders() -> None:
    assert "{detail}{0}" in fault_in_words(ConnectorRejectedError("{detail}{0}"), "es")


def test_another_language_gets_english() -> None:
    assert fault_in_words(RecordChangedError("x"), "fr") == fault_in_words(RecordChangedError("x"), "en")


def test_an_error_of_something_else_says_what_it_says() -> None:
    assert fault_in_words(LogicalError("no such measure"), "es") == "no such measure"
