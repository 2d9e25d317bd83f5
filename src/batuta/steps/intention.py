"""A user's intention, as one of the members of an enum."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, EnumMeta
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_serializer, field_validator

from batuta.kernel.errors import PipelineTypeError

E = TypeVar("E", bound=Enum)


@dataclass(frozen=True)
class Option:
    """A description of an enum member with examples of what people say."""

    description: str
    examples: Sequence[str] = ()


class Intention(BaseModel, Generic[E]):
    """A classified request: the member, why, and a better wording of it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    option: E
    reasoning: str = ""
    prompt: str = ""
    """The request, optimised for the agent that acts on it."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    request: str = ""
    """The request as it was made."""

    @field_validator("option", mode="before")
    @classmethod
    def _member_by_name(cls, value: Any) -> Any:
        """Members travel by name."""
        options = cls.model_fields["option"].annotation
        if isinstance(value, str) and isinstance(options, EnumMeta) and value in options.__members__:
            return options[value]
        return value

    @field_serializer("option")
    def _name_of_member(self, option: E) -> str:
        return option.name


def described(options: Any, owner: str) -> dict[str, Option]:
    """The members by name with what they mean; raises unless they differ."""
    members: list[Enum] = list(options) if isinstance(options, EnumMeta) else []
    if not members:
        raise PipelineTypeError(f"{owner}: a router needs an enum with members, got {options!r}")
    aliases = sorted(set(options.__members__) - {member.name for member in members})
    if aliases:
        raise PipelineTypeError(f"{owner}: {', '.join(aliases)} has the description of another member")
    named = {member.name: _option(member, owner) for member in members}
    descriptions = [option.description for option in named.values()]
    if len(set(descriptions)) < len(descriptions):
        raise PipelineTypeError(f"{owner}: two members of {options.__name__} have the same description")
    return named


def _option(member: Enum, owner: str) -> Option:
    if isinstance(member.value, Option):
        return member.value
    if isinstance(member.value, str) and member.value.strip():
        return Option(member.value)
    raise PipelineTypeError(
        f"{owner}: the value of {member.name} describes it to the model: a text or Option(…), got {member.value!r}"
    )
