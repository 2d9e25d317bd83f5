"""Schemas closed for strict modes, efforts, and what a provider can be told."""

from typing import Any

import pytest
from pydantic import BaseModel

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import ImageBlock
from batuta.llm.encoding.common import base64_of, closed_schema, data_url, effort_of
from batuta.simulator.rules.common import strict_schema


class Line(BaseModel):
    item: str
    count: int = 1


class Order(BaseModel):
    number: str
    lines: list[Line] = []
    first: Line | None = None


class Free(BaseModel):
    facts: dict[str, int]


def test_a_closed_schema_satisfies_the_rules_of_strict_mode() -> None:
    closed = closed_schema(Order.model_json_schema())
    assert closed is not None
    assert list(strict_schema(closed, "schema")) == []


def test_the_schema_given_is_not_changed() -> None:
    schema = Order.model_json_schema()
    closed_schema(schema)
    assert schema == Order.model_json_schema()


@pytest.mark.parametrize("schema", [Free.model_json_schema(), {"type": "object"}])
def test_an_object_with_free_keys_cannot_be_closed(schema: dict[str, Any]) -> None:
    assert closed_schema(schema) is None


@pytest.mark.parametrize(("budget", "effort"), [(1_024, "low"), (2_048, "low"), (5_000, "medium"), (20_000, "high")])
def test_a_budget_of_thinking_becomes_an_effort(budget: int, effort: str) -> None:
    assert effort_of(budget) == effort


def test_attachments_are_written_as_base64() -> None:
    image = ImageBlock(media_type="image/png", data=b"aGVsbG8=")
    assert data_url(image) == "data:image/png;base64,aGVsbG8="


def test_an_attachment_without_content_is_an_error_before_the_call() -> None:
    with pytest.raises(SettingsError, match="image needs data"):
        base64_of(ImageBlock(media_type="image/png", url="https://example.com/a.png"))
