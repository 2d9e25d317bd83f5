"""What an output says about itself is found however it says it."""

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, computed_field

from batuta.steps.judging import declared


class Bare(BaseModel):
    name: str = "x"


class Field(BaseModel):
    confidence: float


class Inherited(Field):
    name: str = "x"


class Property(BaseModel):
    @property
    def confidence(self) -> float:
        return 0.5


class Computed(BaseModel):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def confidence(self) -> float:
        return 0.5


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Inventive(BaseModel):
    def __getattr__(self, name: str) -> float:
        return 0.5


@dataclass
class Plain:
    confidence: float = 0.5


@pytest.mark.parametrize(
    "output",
    [
        Field(confidence=0.5),
        Inherited(confidence=0.5),
        Property(),
        Computed(),
        Open.model_validate({"confidence": 0.5}),
        Inventive(),
        Plain(),
    ],
    ids=lambda output: type(output).__name__,
)
def test_a_declaration_is_found_wherever_it_stands(output: Any) -> None:
    assert declared(output, "confidence") == 0.5


@pytest.mark.parametrize("output", [Bare(), Open(), "words", None, 3, {"confidence": 1}])
def test_what_is_not_declared_is_none(output: Any) -> None:
    assert declared(output, "confidence") is None
