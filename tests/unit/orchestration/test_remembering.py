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
