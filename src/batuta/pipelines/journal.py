"""The journal seam: an effect that was recorded is returned, not repeated.

    recall -> recorded: return it
           -> pending:  a write was begun and nobody knows how it ended: reconcile, or ask
           -> nothing:  (intend, if it writes) -> act -> record

An effect is a model's answer, a tool's result or an action. Its key is stable: the same code run again asks for the
same keys. Values are kept as JSON, so that any journal can keep them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue, TypeAdapter

from batuta.events.runtime import EffectKind
from batuta.kernel.errors import ErrorCategory, UnknownOutcomeError, category_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that reaches outside the process."""

    key: str
    kind: EffectKind
    name: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """The effect happened and brought this."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Pending:
    """The effect was begun; its outcome is not recorded."""


class Journal(Protocol):
    """Remembers effects across the death of a process.

    `record` returns only when the outcome is kept; what it raises fails the step as transient.
    """

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        ...

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        ...

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        ...

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Note that an intended effect surely did not happen."""
        ...


class MemoryJournal:
    """Remembers effects as long as the process lives: for tests and for runs that are repeated in one process."""

    def __init__(self) -> None:
        self._known: dict[str, Recorded | Pending] = {}

    def __len__(self) -> int:
        """How many effects are recorded."""
        return sum(isinstance(known, Recorded) for known in self._known.values())

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        return self._known.get(effect.key)

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        self._known[effect.key] = Pending()

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        self._known[effect.key] = Recorded(value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget an intention."""
        self._known.pop(effect.key, None)


async def perform(
    journal: Journal,
    effect: Effect,
    act: Callable[[], Awaitable[T]],
    codec: TypeAdapter[T],
    reconcile: Callable[[], Awaitable[T | None]] | None = None,
) -> T:
    """Do an effect once: from the journal if it is there, else for real and then into the journal."""
    known = await journal.recall(effect)
    if isinstance(known, Recorded):
        return codec.validate_python(known.value)
    if isinstance(known, Pending):
        return await _settle(journal, effect, codec, reconcile, act)
    if effect.kind == "write":
        await journal.intend(effect)
    return await _act_and_record(journal, effect, act, codec)


async def _act_and_record(
    journal: Journal, effect: Effect, act: Callable[[], Awaitable[T]], codec: TypeAdapter[T]
) -> T:
    try:
        value = await act()
    except Exception as error:
        # A transient error leaves open whether a write arrived; any other says that it did not happen.
        if effect.kind == "write" and category_of(error) is not ErrorCategory.TRANSIENT:
            await journal.abandon(effect, str(error))
        raise
    await journal.record(effect, _as_json(codec, value))
    return value


async def _settle(
    journal: Journal,
    effect: Effect,
    codec: TypeAdapter[T],
    reconcile: Callable[[], Awaitable[T | None]] | None,
    act: Callable[[], Awaitable[T]],
) -> T:
    """Find out how an interrupted write ended; `None` from `reconcile` means that it did not happen."""
    if reconcile is None:
        raise UnknownOutcomeError(
            f"{effect.name} was begun before an interruption and its outcome is unknown; it is not repeated. "
            "Give it a `reconcile` function, or decide by hand.",
            effect_key=effect.key,
        )
    value = await reconcile()
    if value is None:
        return await _act_and_record(journal, effect, act, codec)
    await journal.record(effect, _as_json(codec, value))
    return value


def _as_json(codec: TypeAdapter[Any], value: Any) -> JsonValue:
    dumped: JsonValue = codec.dump_python(value, mode="json")
    return dumped
