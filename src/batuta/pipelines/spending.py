"""What ran inside an effect is kept with what the effect brought: what it took, wrote, and whether it can be undone.

A tool, an action or a graph may run agents. Once its outcome is recorded nothing inside it is begun again, so none
would count what was paid for there: a turn that is taken up again would seem cheaper than it was.
The same holds for a failure that the run went on from.

JSON of a declared type may hold less than the object that an effect brought: a subclass, a date inside `Any`. The run
goes on with what its repetition will find, so that both come to the same.
"""

from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from batuta.kernel.errors import ConfigurationError
from batuta.kernel.usage import NO_USAGE, Usage
from batuta.pipelines.journal import Codec
from batuta.pipelines.journaling import raise_if_failed
from batuta.pipelines.result import FREE
from batuta.pipelines.scope import Scope

T = TypeVar("T")

SPENT, BROUGHT = "batuta.spent", "batuta.brought"
"""The two fields of what is recorded of an effect that something ran in."""


class Spent(BaseModel):
    """What agents took, and how often they wrote something."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    usage: Usage = NO_USAGE
    cost: Decimal | None = FREE
    attempts: int = 0
    retries: int = 0
    cognitive_retries: int = 0
    writes: int = 0
    can_be_undone: bool = False
    """Something inside offered to be undone."""

    @classmethod
    def of(cls, scope: Scope, *, can_be_undone: bool) -> "Spent":
        """What was taken in a scope."""
        tally = scope.tally
        return cls(
            usage=tally.usage,
            cost=tally.cost,
            attempts=tally.attempts,
            retries=tally.retries,
            cognitive_retries=tally.cognitive_retries,
            writes=scope.agents.writes,
            can_be_undone=can_be_undone,
        )

    def count(self, scope: Scope) -> None:
        """Count it in a scope, as if it had been taken there."""
        scope.tally.attempts += self.attempts
        scope.tally.retries += self.retries
        scope.tally.cognitive_retries += self.cognitive_retries
        scope.tally.add_call(self.usage, self.cost)
        scope.agents.writes += self.writes


class SpendingCodec(Generic[T]):
    """Writes and reads what an effect brought, together with what was taken in its scope."""

    def __init__(self, name: str, codec: Codec[T], scope: Scope) -> None:
        self._name = name
        self._codec = codec
        self._scope = scope
        self._can_be_undone = False
        self._kept: tuple[T] | None = None
        self.is_undo_missing = False
        """What was read says that something inside can be undone; how, only running it again can tell."""

    def close(self) -> None:
        """Hand what was taken over to the scope around, and remember what a failure that is kept later has to say."""
        self._can_be_undone = bool(self._scope.undo)
        self._scope.hand_over_undo()
        self._scope.close()

    def dump_python(self, value: T, /, *, mode: Literal["json"]) -> Any:
        """The value as JSON; what was taken for it beside it, if something was.

        Raises `ConfigurationError` if it could not be read again.
        """
        try:
            brought = self._codec.dump_python(value, mode=mode)
            self._kept = (self._codec.validate_json(to_json(brought)),)
        except (PydanticSerializationError, UnicodeDecodeError, ValidationError) as error:
            kind = type(value).__qualname__
            raise ConfigurationError(f"{self._name} brought a {kind} that no journal can keep: {error}") from error
        return self.with_spent(brought)

    def as_kept(self, value: T) -> T:
        """What an effect brought as it was kept just now, or found."""
        return value if self._kept is None else self._kept[0]

    def with_spent(self, brought: JsonValue) -> JsonValue:
        """What an effect brought, a failure too, and what was taken for it beside it, if something was."""
        can_be_undone = self._can_be_undone or bool(self._scope.undo)
        if not (self._scope.tally.attempts or self._scope.agents.writes or can_be_undone):
            return brought
        spent = Spent.of(self._scope, can_be_undone=can_be_undone)
        return {SPENT: spent.model_dump(mode="json", exclude_defaults=True), BROUGHT: brought}

    def validate_json(self, text: bytes, /) -> T:
        """The value; what agents took for it is counted. A failure that was kept is raised, once it is counted."""
        if SPENT.encode() in text:
            kept = from_json(text)
            if isinstance(kept, dict) and kept.keys() == {SPENT, BROUGHT}:
                spent = Spent.model_validate(kept[SPENT])
                spent.count(self._scope)
                self.is_undo_missing = spent.can_be_undone
                raise_if_failed(kept[BROUGHT])
                return self._codec.validate_json(to_json(kept[BROUGHT]))
        return self._codec.validate_json(text)
