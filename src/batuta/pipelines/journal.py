"""The journal seam: an effect that was recorded is returned, not repeated.

An effect is a model's answer, a tool's result or an action. Its key is stable: the same code run again asks for the
same keys. Values are kept as JSON, so that any journal can keep them. How it is asked is in `journaling`.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from batuta.kernel.effects import EffectKind

if TYPE_CHECKING:
    from pydantic import JsonValue

T = TypeVar("T")

RUN_INPUT = "run input"
"""The name under which a journal keeps the digest of the input that its effects belong to."""

STEP_FAILURE = "step failure"
"""The name under which a passing failure of a step is kept, if there was no effect in it that could fail again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that reaches outside the process."""

    key: str
    kind: EffectKind
    name: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """The effect happened and brought this."""

    value: "JsonValue"


MAX_BEGUN = 5
"""How often a write whose answer is lost each time is begun, at most, because a person says that it did not happen."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The effect was begun; its outcome is not recorded."""

    abandoned: int = 0
    """How often it was begun before and surely did not happen: what is found out about one beginning says nothing
    about the next.
    """
    begun_at: datetime | None = field(default=None, compare=False)
    """When; unknown of a beginning that no journal keeps."""

    @property
    def is_last(self) -> bool:
        """Whether it is not begun again, whatever is found out about it."""
        return self.abandoned >= MAX_BEGUN - 1


Reconcile = Callable[[Pending], Awaitable[T | None]]
"""Finds out what an interrupted effect brought; `None`: it did not happen."""


class Codec(Protocol[T]):
    """How a value becomes JSON and comes back: a `TypeAdapter` does."""

    def dump_python(self, value: T, /, *, mode: Literal["json"]) -> Any:
        """The value as JSON."""
        ...

    def validate_json(self, text: bytes, /) -> T:
        """The value again."""
        ...


class DoneCodec:
    """For effects that bring nothing: that they are done is all there is to keep."""

    def dump_python(self, value: bool, /, *, mode: Literal["json"]) -> bool:
        """It is done."""
        return value

    def validate_json(self, text: bytes, /) -> bool:
        """It is done."""
        return text == b"true"


DONE = DoneCodec()


class Journal(Protocol):
    """Remembers effects across the death of a process. What was last said of an effect counts.

    `record` returns only when the outcome is kept; what it raises fails the step as transient. One that never suspends
    may say so, `never_waits = True` beside its methods: it is then spared the task that guards it from cancellation.
    """

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect. Raises `WriteForbiddenError` if it may not happen: then its stand-in is used."""
        ...

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen, or to be undone: until more is known its outcome is unknown."""
        ...

    async def record(self, effect: Effect, value: "JsonValue") -> None:
        """Keep what an effect brought."""
        ...

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Note that an intended effect surely did not happen, or was undone."""
        ...


class MemoryJournal:
    """Remembers effects as long as the process lives: for tests and for runs that are repeated in one process."""

    never_waits = True

    def __init__(self) -> None:
        self._known: dict[str, Recorded | Pending] = {}
        self._abandoned: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many effects are recorded."""
        effects = (known for key, known in self._known.items() if not key.endswith(f":{RUN_INPUT}"))
        return sum(isinstance(known, Recorded) for known in effects)

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        return self._known.get(effect.key)

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        self._known[effect.key] = Pending(self._abandoned[effect.key], datetime.now(UTC))

    async def record(self, effect: Effect, value: "JsonValue") -> None:
        """Keep what an effect brought."""
        self._known[effect.key] = Recorded(value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget an intention."""
        self._known.pop(effect.key, None)
        self._abandoned[effect.key] += 1


class PartialJournal:
    """One journal for many runs of the same pipeline: the effects of each are kept under its name."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect of this run."""
        return await self._journal.recall(self._own(effect))

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        await self._journal.intend(self._own(effect))

    async def record(self, effect: Effect, value: "JsonValue") -> None:
        """Keep what an effect brought."""
        await self._journal.record(self._own(effect), value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget an intention."""
        await self._journal.abandon(self._own(effect), reason)

    def _own(self, effect: Effect) -> Effect:
        return replace(effect, key=f"{self._name}/{effect.key}")
