"""What the agents inside an effect took is kept with what the effect brought.

A tool, an action or a graph may run agents. Once its outcome is recorded nothing inside it is begun again, so nobody
would count what was paid for there: a turn that is taken up again would seem cheaper than it was.
The same holds for a failure that the run went on from.
"""

from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic_core import from_json, to_json

from batuta.kernel.usage import NO_USAGE, Usage
from batuta.pipelines.journal import Codec
from batuta.pipelines.journaling import raise_if_failed
from batuta.pipelines.result import FREE
from batuta.pipelines.scope import Scope

T = TypeVar("T")

SPENT, BROUGHT = "batuta.spent", "batuta.brought"
"""The two fields of what is recorded of an effect that agents worked in."""


class Spent(BaseModel):
    """What agents took, and how often they wrote something."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    usage: Usage = NO_USAGE
    cost: Decimal | None = FREE
    attempts: int = 0
    retries: int = 0
    cognitive_retries: int = 0
    writes: int = 0

    @classmethod
    def of(cls, scope: Scope) -> "Spent":
        """What was taken in a scope."""
        tally = scope.tally
        return cls(
            usage=tally.usage,
            cost=tally.cost,
            attempts=tally.attempts,
            retries=tally.retries,
            cognitive_retries=tally.cognitive_retries,
            writes=scope.agents.writes,
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

    def __init__(self, codec: Codec[T], scope: Scope) -> None:
        self._codec = codec
        self._scope = scope

    def dump_python(self, value: T, /, *, mode: Literal["json"]) -> Any:
        """The value as JSON; what agents took beside it, if there were some."""
        return self.with_spent(self._codec.dump_python(value, mode=mode))

    def with_spent(self, brought: JsonValue) -> JsonValue:
        """What an effect brought, a failure too, and what agents took beside it, if there were some."""
        if self._scope.tally.attempts == 0:
            return brought
        return {SPENT: Spent.of(self._scope).model_dump(mode="json"), BROUGHT: brought}

    def validate_json(self, text: bytes, /) -> T:
        """The value; what agents took for it is counted. A failure that was kept is raised, once it is counted."""
        if SPENT.encode() in text:
            kept = from_json(text)
            if isinstance(kept, dict) and kept.keys() == {SPENT, BROUGHT}:
                Spent.model_validate(kept[SPENT]).count(self._scope)
                raise_if_failed(kept[BROUGHT])
                return self._codec.validate_json(to_json(kept[BROUGHT]))
        return self._codec.validate_json(text)
