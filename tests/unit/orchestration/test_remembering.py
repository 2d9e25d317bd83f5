"""What "allow in this session" covers (O-31): the same tool and target, at most the same amount."""

from typing import Any

import pytest

from batuta.orchestration.remembering import RememberedCall

ALLOWED = RememberedCall(
    tool_name="transfer",
    args={"to": "ACME", "amount": 100, "customer_id": 7, "lines": [{"item": "A1", "quantity": 3}]},
    by="ana",
)


@pytest.mark.parametrize("change", [{}, {"amount": 99.5}, {"amount": 0}, {"lines": [{"item": "A1", "quantity": 1}]}])
def test_the_same_target_and_at_most_the_same_amount_are_covered(change: dict[str, Any]) -> None:
    assert ALLOWED.covers("transfer", {**ALLOWED.args, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"to": "EVIL"},
        {"to": "acme"},
        {"amount": 100.01},
        {"amount": -1},
        {"amount": float("nan")},
        {"amount": "100"},
        {"amount": True},
        {"customer_id": 6},
        {"lines": [{"item": "A1", "quantity": 4}]},
        {"lines": [{"item": "B2", "quantity": 3}]},
        {"lines": [{"item": "A1", "quantity": 1}, {"item": "A1", "quantity": 1}]},
        {"memo": "also this"},
    ],
)
def test_anything_else_is_asked_about(change: dict[str, Any]) -> None:
    assert not ALLOWED.covers("transfer", {**ALLOWED.args, **change})


def test_another_tool_is_asked_about() -> None:
    assert not ALLOWED.covers("pay", ALLOWED.args)


def test_an_argument_that_is_left_out_is_asked_about() -> None:
    assert not ALLOWED.covers("transfer", {"to": "ACME", "amount": 100})


@pytest.mark.parametrize("field", ["customer", "to", "iban", "room", "employee", "telephone", "priority", "vendorNo"])
def test_a_number_that_does_not_say_how_much_names_its_target(field: str) -> None:
    allowed = RememberedCall(tool_name="transfer", args={field: 7, "amount": 100}, by="ana")
    assert allowed.covers("transfer", {field: 7, "amount": 50})
    assert not allowed.covers("transfer", {field: 6, "amount": 50})


@pytest.mark.parametrize("field", ["amount", "unit_price", "totalAmount", "quantity", "amount_eur", "hours", "importe"])
def test_a_number_that_says_how_much_may_be_smaller(field: str) -> None:
    assert RememberedCall(tool_name="order", args={field: 7}, by="ana").covers("order", {field: 6})


def test_a_tool_of_the_same_name_of_another_agent_is_asked_about() -> None:
    allowed = RememberedCall(tool_name="send", args={"text": "hello"}, by="ana", agent_id="mailer")
    assert allowed.covers("send", {"text": "hello"}, "mailer")
    assert not allowed.covers("send", {"text": "hello"}, "payments")
