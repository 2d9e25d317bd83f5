"""The journal seam: an effect that was recorded is returned, not repeated.

    recall -> recorded: return it
           -> pending:  a write was begun and nobody knows how it ended: reconcile, or ask
           -> nothing:  (intend, if it writes) -> act -> record

A failure is not kept: whoever repeats the run tries again. Unless the run went on from it, by another attempt or a
stand-in: then a repeated run has to take the same way, and `keep_failure` lets it fail again there; a step that failed
for a passing reason and without an effect, too.

An effect is a model's answer, a tool's result or an action. Its key is stable: the same code run again asks for the
same keys. Values are kept as JSON, so that any journal can keep them.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

from pydantic import JsonValue
from pydantic_core import to_json

from batuta.events.steps import EffectKind
from batuta.kernel.errors import (
    BatutaError,
    ErrorCategory,
    InvalidAnswerError,
    LogicalError,
    Rejected,
    TransientError,
    UnknownOutcomeError,
    WriteForbiddenError,
    category_of,
)
from batuta.kernel.tasks import never_waits, to_the_end

T = TypeVar("T")

STEP_FAILURE = "step failure"
"""The name under which a passing failure of a step is kept, if there was no effect in it that could fail again."""
FAILED = "batuta.failed"
"""The one field of what is recorded of an effect that failed."""
_KINDS: dict[str, type[BatutaError]] = {
    ErrorCategory.TRANSIENT: TransientError,
    ErrorCategory.VALIDATION: InvalidAnswerError,
    ErrorCategory.SEMANTIC: Rejected,
}
"""What a kept failure is raised as: whoever goes on from it looks at its category."""


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

    abandoned: int = 0
    """How often it was begun before and surely did not happen: what is found out about one beginning says nothing
    about the next.
    """


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

    async def record(self, effect: Effect, value: JsonValue) -> None:
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
        return sum(isinstance(known, Recorded) for known in self._known.values())

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        return self._known.get(effect.key)

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        self._known[effect.key] = Pending(self._abandoned[effect.key])

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        self._known[effect.key] = Recorded(value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget an intention."""
        self._known.pop(effect.key, None)
        self._abandoned[effect.key] += 1


class NumberedJournal:
    """One journal for many runs of the same pipeline: the effects of each are kept under its number."""

    def __init__(self, journal: Journal, number: int) -> None:
        self._journal = journal
        self._number = number

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect of this run."""
        return await self._journal.recall(self._own(effect))

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        await self._journal.intend(self._own(effect))

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        await self._journal.record(self._own(effect), value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget an intention."""
        await self._journal.abandon(self._own(effect), reason)

    def _own(self, effect: Effect) -> Effect:
        return replace(effect, key=f"{self._number}/{effect.key}")


async def perform(
    journal: Journal,
    effect: Effect,
    act: Callable[[], Awaitable[T]],
    codec: Codec[T],
    reconcile: Reconcile[T] | None = None,
    stand_in: Callable[[], T] | None = None,
) -> T:
    """Do an effect once: from the journal if it is there, else for real and then into the journal."""
    try:
        known = await journal.recall(effect)
    except WriteForbiddenError:
        if stand_in is None:
            raise
        return stand_in()
    if isinstance(known, Recorded):
        return _recorded(known.value, codec)
    if isinstance(known, Pending):
        return await _settle(journal, effect, known, act, codec, reconcile)
    if effect.kind == "write":
        await _intend(journal, effect)
    return await _act_and_record(journal, effect, act, codec)


async def keep_failure(journal: Journal, effect: Effect, error: BaseException) -> None:
    """Have an effect fail again, in the same category, whenever this run is repeated."""
    facts: JsonValue = {"category": category_of(error).value, "message": str(error)}
    await _record(journal, effect, {FAILED: facts})


def failure_of_step(key: str) -> Effect:
    """What stands for the failure of a step at a place."""
    return Effect(key=f"{key}:{STEP_FAILURE}", kind="read", name=STEP_FAILURE)


async def fail_again(journal: Journal, key: str) -> None:
    """Raise what a step failed with, if the run went on from it."""
    known = await journal.recall(failure_of_step(key))
    if isinstance(known, Recorded):
        _raise_if_failed(known.value)


async def revoke(journal: Journal, effect: Effect, undo: Callable[[], Awaitable[object]]) -> None:
    """Undo an effect, so that a repeated run does it again; interrupted, its outcome is unknown."""
    await journal.intend(effect)
    await undo()
    await journal.abandon(effect, "undone")


async def _intend(journal: Journal, effect: Effect) -> None:
    try:
        await to_the_end(journal.intend(effect))
    except asyncio.CancelledError:  # nothing was begun: whoever repeats this run may act
        await to_the_end(journal.abandon(effect, "cancelled before it was begun"))
        raise


async def _act_and_record(journal: Journal, effect: Effect, act: Callable[[], Awaitable[T]], codec: Codec[T]) -> T:
    try:
        value = await act()
    except Exception as error:
        # A transient error leaves open whether a write arrived; any other says that it did not happen.
        if effect.kind == "write" and category_of(error) is not ErrorCategory.TRANSIENT:
            await journal.abandon(effect, str(error))
        raise
    await _record(journal, effect, _as_json(codec, value))
    return value


async def _record(journal: Journal, effect: Effect, value: JsonValue) -> None:
    """Keep what happened: it must not get lost, even if this run is cancelled meanwhile."""
    recording = journal.record(effect, value)
    await (recording if never_waits(journal, "record") else to_the_end(recording))


async def _settle(
    journal: Journal,
    effect: Effect,
    known: Pending,
    act: Callable[[], Awaitable[T]],
    codec: Codec[T],
    reconcile: Reconcile[T] | None,
) -> T:
    """Find out how an interrupted write ended; `None` from `reconcile` means that it did not happen.

    Then it is begun anew: if that is interrupted too, its outcome has to be found out anew.
    """
    if reconcile is None:
        raise UnknownOutcomeError(
            f"{effect.name} was begun before an interruption and its outcome is unknown; it is not repeated. "
            "Give it a `reconcile` function, or decide by hand.",
            effect_key=effect.key,
        )
    value = await reconcile(known)
    if value is None:
        await journal.abandon(effect, "it did not happen")
        await _intend(journal, effect)
        return await _act_and_record(journal, effect, act, codec)
    await journal.record(effect, _as_json(codec, value))
    return value


def _recorded(value: JsonValue, codec: Codec[T]) -> T:
    _raise_if_failed(value)
    return codec.validate_json(to_json(value))


def _raise_if_failed(value: JsonValue) -> None:
    if isinstance(value, dict) and value.keys() == {FAILED}:
        facts: Any = value[FAILED]
        raise _KINDS.get(facts["category"], LogicalError)(facts["message"])


def _as_json(codec: Codec[Any], value: Any) -> JsonValue:
    dumped: JsonValue = codec.dump_python(value, mode="json")
    return dumped
