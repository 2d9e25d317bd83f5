"""Doing an effect once, with a journal.

    recall -> recorded: return it
           -> pending:  a write was begun and nobody knows how it ended: reconcile, or ask
           -> nothing:  (intend, if it writes) -> act -> record

A failure is not kept: whoever repeats the run tries again. Unless the run went on from it, by another attempt or a
stand-in: then a repeated run has to take the same way, and `keep_failure` lets it fail again there; a step that failed
for a passing reason and without an effect, too.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_json

from batuta.kernel.errors import (
    BatutaError,
    ErrorCategory,
    InvalidAnswerError,
    JournalMismatchError,
    LogicalError,
    Rejected,
    TransientError,
    UnknownOutcomeError,
    WriteForbiddenError,
    category_of,
)
from batuta.kernel.tasks import never_waits, to_the_end
from batuta.pipelines.journal import RUN_INPUT, STEP_FAILURE, Codec, Effect, Journal, Pending, Reconcile, Recorded

T = TypeVar("T")

FAILED = "batuta.failed"
"""The one field of what is recorded of an effect that failed."""
_KINDS: dict[str, type[BatutaError]] = {
    ErrorCategory.TRANSIENT: TransientError,
    ErrorCategory.VALIDATION: InvalidAnswerError,
    ErrorCategory.SEMANTIC: Rejected,
}
"""What a kept failure is raised as: whoever goes on from it looks at its category."""


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


class CostRecorder(Protocol):
    """Knows what agents took inside an effect."""

    def with_spent(self, brought: JsonValue) -> JsonValue:
        """What an effect brought, and what was taken for it, if something was."""
        ...


async def keep_failure(
    journal: Journal, effect: Effect, error: BaseException, costs: CostRecorder | None = None
) -> None:
    """Have an effect fail again, in the same category and at the same cost, whenever this run is repeated."""
    facts: JsonValue = {FAILED: {"category": category_of(error).value, "message": str(error)}}
    await _record(journal, effect, facts if costs is None else costs.with_spent(facts))


def digest_of(value: Any) -> str | None:
    """What tells one input from another; nothing for a value that cannot be written as JSON."""
    try:
        return hashlib.sha256(to_json(value)).hexdigest()
    except (PydanticSerializationError, RecursionError, ValueError):
        return None


async def check_input(journal: Journal, step_name: str, value: Any) -> None:
    """Remember the input that a journal belongs to. Raises `JournalMismatchError` if it belongs to another one."""
    digest = digest_of(value)
    effect = Effect(key=f"{step_name}:{RUN_INPUT}", kind="read", name=RUN_INPUT)
    known = await journal.recall(effect)
    if digest is None:
        return
    if not isinstance(known, Recorded):
        await _record(journal, effect, digest)
    elif known.value != digest:
        raise JournalMismatchError(
            f"{step_name}: this journal holds the effects of a run with another input, which would be returned for "
            "this one; use a journal of its own for each input, or `map` for many"
        )


def failure_of_step(key: str) -> Effect:
    """What stands for the failure of a step at a place."""
    return Effect(key=f"{key}:{STEP_FAILURE}", kind="read", name=STEP_FAILURE)


async def fail_again(journal: Journal, key: str) -> None:
    """Raise what a step failed with, if the run went on from it."""
    known = await journal.recall(failure_of_step(key))
    if isinstance(known, Recorded):
        raise_if_failed(known.value)


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
    raise_if_failed(value)
    return codec.validate_json(to_json(value))


def raise_if_failed(value: JsonValue) -> None:
    """Raise the failure that was kept, if it was one."""
    if isinstance(value, dict) and value.keys() == {FAILED}:
        facts: Any = value[FAILED]
        raise _KINDS.get(facts["category"], LogicalError)(facts["message"])


def _as_json(codec: Codec[Any], value: Any) -> JsonValue:
    dumped: JsonValue = codec.dump_python(value, mode="json")
    return dumped
