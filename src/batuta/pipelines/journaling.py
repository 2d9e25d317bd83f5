"""Doing an effect once, with a journal or without one.

    recall -> recorded: return it
           -> pending:  a write was begun and its end is unknown: settle it
           -> nothing:  (intend, if it writes) -> act -> record

    settle -> a person has answered already: so be it
           -> `reconcile` finds it out
           -> a person is asked, who may have it done now; at most `MAX_BEGUN` times
           -> neither can tell: `UnknownOutcomeError`; it is not repeated

A write is settled when it is found begun by an earlier run, and at once when its answer is lost: it is not said to have
failed before that is known. A failure is not kept: a repeated run tries again. Unless the run went on from it,
by another attempt or a stand-in: then a repeated run has to take the same way, and `keep_failure` lets it fail again
there; a step that failed for a passing reason and without an effect, too.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from types import NoneType
from typing import Any, Generic, Protocol, TypeVar

from pydantic import JsonValue
from pydantic_core import to_json

from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.errors import (
    BatutaError,
    ErrorCategory,
    FencedError,
    InvalidAnswerError,
    JournalMismatchError,
    LogicalError,
    RecordingFailedError,
    Rejected,
    RunCancelledError,
    StepFailedError,
    TransientError,
    UnknownOutcomeError,
    WriteForbiddenError,
    WriteNotDoneError,
    category_of,
    code_of,
)
from batuta.kernel.outcomes import is_outcome_unknown
from batuta.kernel.tasks import await_shielded, never_waits
from batuta.pipelines.input_digest import digest_of, json_digest_of
from batuta.pipelines.journal import RUN_INPUT, STEP_FAILURE, Codec, Effect, Journal, Pending, Reconcile, Recorded
from batuta.pipelines.result import Rejection, StepError

T = TypeVar("T")

LOOK_UP_DELAYS_SECONDS = (0.5, 2.0)
"""How long is waited before `reconcile` is asked again, if it could not be reached."""
UNKNOWN_INPUT = "unknown"
"""What stands for the digest of an input that could not be known again."""
FAILED = "batuta.failed"
"""The one field of what is recorded of an effect that failed."""
_TEXTS_OF_A_STEP = ("message", "step_name", "path", "code", "last_answer")
_KINDS: dict[str, type[BatutaError]] = {
    ErrorCategory.TRANSIENT: TransientError,
    ErrorCategory.VALIDATION: InvalidAnswerError,
    ErrorCategory.SEMANTIC: Rejected,
}
"""What a kept failure is raised as if its own class cannot be had: callers that go on from it look at its category."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing(Generic[T]):
    """One effect to be done: how, and who can say what came of it if its answer is lost."""

    effect: Effect
    act: Callable[[], Awaitable[T]]
    codec: Codec[T]
    reconcile: Reconcile[T] | None = None
    """Looks up whether a write took place."""
    ask: Reconcile[T] | None = None
    """Asks a person."""
    not_done: Callable[[Exception], T] | None = None
    """What stands for a lost write that surely did not take place; without it that is a failure."""
    stand_in: Callable[[], T] | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], datetime] = SYSTEM_CLOCK.now
    settles_within: timedelta | None = None
    """How long after its beginning a write may still take place, whatever became of the caller."""

    def done_by(self, act: Callable[[], Awaitable[T]], codec: Codec[T]) -> "Doing[T]":
        """The same effect, done and kept in another way. Field by field: `replace` takes longer than all the rest."""
        return Doing(
            effect=self.effect,
            act=act,
            codec=codec,
            reconcile=self.reconcile,
            ask=self.ask,
            not_done=self.not_done,
            stand_in=self.stand_in,
            sleep=self.sleep,
            now=self.now,
            settles_within=self.settles_within,
        )


async def perform(
    journal: Journal,
    effect: Effect,
    act: Callable[[], Awaitable[T]],
    codec: Codec[T],
    reconcile: Reconcile[T] | None = None,
) -> T:
    """Do an effect once, without a way to ask about its outcome."""
    return await do_once(journal, Doing(effect=effect, act=act, codec=codec, reconcile=reconcile))


async def do_once(journal: Journal | None, doing: Doing[T]) -> T:
    """Do an effect once: from the journal if it is there, else for real and then into the journal."""
    notes = _UNKEPT if journal is None else journal
    try:
        known = await notes.recall(doing.effect)
    except WriteForbiddenError:
        if doing.stand_in is None:
            raise
        return doing.stand_in()
    if isinstance(known, Recorded):
        return _recorded(known.value, doing.codec)
    if isinstance(known, Pending):
        return await _settle(notes, doing, known)
    return await _begin(notes, doing)


async def settle_cut_off(journal: Journal | None, doing: Doing[T], lost: Exception) -> None:
    """Find out about a write that was cancelled while it was under way. Raises `UnknownOutcomeError` if it cannot."""
    notes = _UNKEPT if journal is None else journal
    known = await notes.recall(doing.effect)
    if journal is not None and not isinstance(known, Pending):
        return
    with suppress(WriteNotDoneError):
        await _settle(notes, doing, known if isinstance(known, Pending) else Pending(), lost)


class CostRecorder(Protocol):
    """Knows what agents took inside an effect."""

    def with_spent(self, brought: JsonValue) -> JsonValue:
        """What an effect brought, and what was taken for it, if something was."""
        ...


async def keep_failure(
    journal: Journal, effect: Effect, error: BaseException, costs: CostRecorder | None = None
) -> None:
    """Have an effect fail again, in the same category and at the same cost, whenever this run is repeated."""
    facts: JsonValue = {FAILED: _facts_of(error)}
    await _keep(journal, effect, facts if costs is None else costs.with_spent(facts))


async def check_input(journal: Journal, step_name: str, value: Any, run_key: str) -> str:
    """Remember the input that a journal belongs to, and what names its run in idempotency keys, which is returned.

    Raises `JournalMismatchError` if it belongs to another input, or to one of which that cannot be known.
    """
    digest = digest_of(value)
    effect = _run_input(step_name)
    known = await journal.recall(effect)
    if not isinstance(known, Recorded):
        await _keep(journal, effect, {"digest": digest or UNKNOWN_INPUT, "run_key": run_key})
        return run_key
    kept = known.value if isinstance(known.value, dict) else {"digest": known.value}
    if kept.get("digest") is None:  # kept before other inputs than JSON had a digest: they cannot be compared
        return str(kept.get("run_key") or run_key)
    if digest is None or kept["digest"] == UNKNOWN_INPUT:
        raise JournalMismatchError(
            f"{step_name}: this journal holds the effects of an earlier run, and whether that had this input cannot be "
            f"known: a {type(value).__qualname__} has no state that could be compared; give the step an input that can "
            "be written as JSON (a dataclass or a pydantic model), or use a new journal"
        )
    if kept["digest"] != digest:
        raise JournalMismatchError(
            f"{step_name}: this journal holds the effects of a run with another input, which would be returned for "
            "this one; use a journal of its own for each input, or `map` for many"
        )
    return str(kept.get("run_key") or run_key)


async def name_in_batch(journal: Journal, step_name: str, number: int, value: Any) -> str:
    """Under what a journal keeps the effects of one input of a batch: its digest, or its place."""
    place = f"input {number}"
    if (digest := json_digest_of(value)) is not None:
        return digest
    return place if await _is_kept_by_place(journal, f"{place}/{step_name}") else digest_of(value) or place


async def _is_kept_by_place(journal: Journal, step_name: str) -> bool:
    """Whether a batch was begun when inputs other than JSON were kept under their place."""
    known = None
    with suppress(BatutaError):  # the run that follows meets it, too, and makes it its result
        known = await journal.recall(_run_input(step_name))
    if not isinstance(known, Recorded):
        return False
    return (known.value.get("digest") if isinstance(known.value, dict) else known.value) is None


def _run_input(step_name: str) -> Effect:
    return Effect(key=f"{step_name}:{RUN_INPUT}", kind="read", name=RUN_INPUT)


def failure_of_step(key: str, *, has_effects: bool = False) -> Effect:
    """What stands for the failure of a step at a place: before it does anything, or after its effects are recalled."""
    name = f"{STEP_FAILURE}.late" if has_effects else STEP_FAILURE
    return Effect(key=f"{key}:{name}", kind="read", name=STEP_FAILURE)


async def fail_again(journal: Journal, key: str, *, has_effects: bool = False) -> None:
    """Raise what a step failed with, if the run went on from it or began to undo what was done before it."""
    known = await journal.recall(failure_of_step(key, has_effects=has_effects))
    if isinstance(known, Recorded):
        raise_if_failed(known.value)


def undoing_of(effect: Effect) -> Effect:
    """The undoing of an effect, as an effect of its own: done once, and found out about if it is interrupted.

    What was undone stays recorded, so that a repeated run comes to the same place; `forget` ends that.
    """
    return Effect(key=f"{effect.key}:undo", kind="write", name=f"undo {effect.name}")


async def forget(journal: Journal, undone: Effect) -> None:
    """Have a repeated run do an effect again that was undone."""
    await journal.abandon(undone, "undone")
    await journal.abandon(undoing_of(undone), "undone")


async def _begin(journal: Journal, doing: Doing[T], abandoned: int = 0) -> T:
    """Do it for real. A write whose answer is lost is settled before the caller learns of it."""
    effect = doing.effect
    if effect.kind == "write":
        await _intend(journal, effect)
    try:
        value = await doing.act()
    except Exception as error:
        if effect.kind != "write" or is_of_the_run(error):
            raise
        if not is_outcome_unknown(error):
            await journal.abandon(effect, str(error))
            raise
        lost = error
    else:
        await _record(journal, doing, value)
        return value
    known = await journal.recall(effect)
    return await _settle(journal, doing, known if isinstance(known, Pending) else Pending(abandoned), lost)


async def _intend(journal: Journal, effect: Effect) -> None:
    try:
        await await_shielded(journal.intend(effect))
    except asyncio.CancelledError:  # nothing was begun: a repeated run may act
        await await_shielded(journal.abandon(effect, "cancelled before it was begun"))
        raise


async def _record(journal: Journal, doing: Doing[T], value: T) -> None:
    if journal is not _UNKEPT:
        await _keep(journal, doing.effect, _as_json(doing.codec, value))


async def _keep(journal: Journal, effect: Effect, value: JsonValue) -> None:
    """Keep what happened: it must not get lost, even if this run is cancelled meanwhile."""
    recording = journal.record(effect, value)
    await (recording if never_waits(journal, "record") else await_shielded(recording))


async def _settle(journal: Journal, doing: Doing[T], known: Pending, lost: Exception | None = None) -> T:
    """Find out how a write ended. One that an earlier run began and that did not happen is begun anew."""
    why = lost
    if doing.reconcile is not None and not _is_answered(doing.ask, known):
        try:
            value = await _looked_up(doing.reconcile, known, doing.sleep)
            if value is None and await _has_settled(doing, known):
                value = await _looked_up(doing.reconcile, known, doing.sleep)
        except Exception as error:
            if is_of_the_run(error):
                raise
            why = error  # it cannot be looked up now: a person may know
        else:
            if value is not None:
                await _record(journal, doing, value)
                return value
            if lost is not None:
                return await _surely_not_done(journal, doing, lost)
            await journal.abandon(doing.effect, "it did not happen")
            return await _begin(journal, doing, known.abandoned + 1)
    if doing.ask is None:
        raise _unknown(doing.effect, lost) from why
    if not _is_answered(doing.ask, known):
        await _has_settled(doing, known)  # what a person sees before that may not be the end of it
    answer = await doing.ask(known)
    if answer is not None:
        await _record(journal, doing, answer)
        return answer
    if known.is_last:
        return await _surely_not_done(journal, doing, lost or _unknown(doing.effect, None))
    await journal.abandon(doing.effect, "a person says that it did not happen")
    return await _begin(journal, doing, known.abandoned + 1)


async def _looked_up(reconcile: Reconcile[T], known: Pending, sleep: Callable[[float], Awaitable[None]]) -> T | None:
    """What is found out; whatever lost the answer may need a moment until it can be asked."""
    for seconds in LOOK_UP_DELAYS_SECONDS:
        try:
            return await reconcile(known)
        except Exception as error:
            if is_of_the_run(error) or category_of(error) is not ErrorCategory.TRANSIENT:
                raise
            await sleep(seconds)
    return await reconcile(known)


async def _has_settled(doing: Doing[T], known: Pending) -> bool:
    """Wait until a write that was begun can take place no more; whether there was anything to wait for."""
    if doing.settles_within is None or known.begun_at is None:
        return False
    left = doing.settles_within - (doing.now() - known.begun_at)
    if left <= timedelta():
        return False
    # Clocks of other machines may be ahead: nothing is waited for longer than it may take.
    await doing.sleep(min(left, doing.settles_within).total_seconds())
    return True


async def _surely_not_done(journal: Journal, doing: Doing[T], lost: Exception) -> T:
    """Its answer was lost and it did not happen: the caller may ask again."""
    if doing.not_done is None:
        await journal.abandon(doing.effect, "it did not happen")
        # Not how it was lost: when a person was asked meanwhile, the run that goes on does not know that any more.
        raise WriteNotDoneError(
            f"{doing.effect.name}: its answer was lost, and it is known that it did not take place"
        ) from lost
    value = doing.not_done(lost)
    await _record(journal, doing, value)
    return value


def _is_answered(ask: Reconcile[Any] | None, known: Pending) -> bool:
    """Whether a person has said already what happened: what is looked up afterwards does not overrule that."""
    is_answered = getattr(ask, "is_answered", None)
    return is_answered is not None and bool(is_answered(known))


def _unknown(effect: Effect, lost: Exception | None) -> UnknownOutcomeError:
    began = "was begun before an interruption" if lost is None else f"was begun and its answer was lost ({lost})"
    return UnknownOutcomeError(
        f"{effect.name} {began}, so its outcome is unknown; it is not repeated. "
        "Give it a `reconcile` function, or decide by hand.",
        effect_key=effect.key,
    )


class _NotKept:
    """Stands for the journal of a run that has none."""

    never_waits = True

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        return None

    async def intend(self, effect: Effect) -> None: ...

    async def record(self, effect: Effect, value: JsonValue) -> None: ...

    async def abandon(self, effect: Effect, reason: str) -> None: ...


_UNKEPT = _NotKept()

_OF_THE_RUN = (RecordingFailedError, FencedError, RunCancelledError, WriteForbiddenError)


def is_of_the_run(error: Exception) -> bool:
    """The run itself is broken or stopped: nothing can be settled in it, and the next owner finds what was begun."""
    raised = getattr(error.error, "exception", None) if isinstance(error, StepFailedError) else error
    return isinstance(raised, _OF_THE_RUN)


def _recorded(value: JsonValue, codec: Codec[T]) -> T:
    raise_if_failed(value)
    return codec.validate_json(to_json(value))


def raise_if_failed(value: JsonValue) -> None:
    """Raise the failure that was kept, if it was one."""
    if isinstance(value, dict) and value.keys() == {FAILED}:
        facts: Any = value[FAILED]
        raise _raised_again(facts)


def _facts_of(error: BaseException) -> dict[str, JsonValue]:
    """An error as JSON. What a step says of it may be more than its class takes, or was returned and never raised."""
    kind = type(error)
    facts: dict[str, JsonValue] = {
        "category": category_of(error).value,
        "code": code_of(error),
        "message": str(error),
        "type": f"{kind.__module__}:{kind.__qualname__}",
        "args": list(error.args) if all(map(_is_plain, error.args)) else [str(error)],
        "fields": {name: one for name, one in vars(error).items() if _is_plain(one) and not name.startswith("_")},
    }
    if isinstance(error, StepFailedError) and isinstance(error.error, StepError):
        facts["step"] = _facts_of_step(error.error)
    return facts


def _is_plain(value: Any) -> bool:
    """Whether something that an error holds is kept with it."""
    return isfinite(value) if isinstance(value, float) else isinstance(value, str | int | NoneType)


def _facts_of_step(failure: StepError) -> JsonValue:
    return {
        **{name: getattr(failure, name) for name in _TEXTS_OF_A_STEP},
        "category": failure.category.value,
        "raised": None if failure.exception is None else _facts_of(failure.exception),
        "rejections": [[one.attempt, one.kind, one.message, one.confidence] for one in failure.rejections],
        "causes": [_facts_of_step(cause) for cause in failure.causes],
        "rollback_failures": [_facts_of_step(one) for one in failure.rollback_failures],
    }


def _raised_again(facts: dict[str, Any]) -> Exception:
    if "step" in facts:
        return StepFailedError(_failure_of(facts["step"]))
    return _as_first_raised(facts) or _by_category(facts)


def _failure_of(facts: dict[str, Any]) -> StepError:
    return StepError(
        **{name: facts[name] for name in _TEXTS_OF_A_STEP},
        category=ErrorCategory(facts["category"]),
        exception=None if facts["raised"] is None else _raised_again(facts["raised"]),
        rejections=tuple(Rejection(*one) for one in facts["rejections"]),
        causes=tuple(map(_failure_of, facts["causes"])),
        rollback_failures=tuple(map(_failure_of, facts["rollback_failures"])),
    )


def _as_first_raised(facts: dict[str, Any]) -> Exception | None:
    """The error in its own class, for callers that go on by it: if that is loaded here and says the same."""
    module, _, name = facts.get("type", "").partition(":")
    kind: Any = sys.modules.get(module)
    for part in name.split("."):
        kind = getattr(kind, part, None)
    if not isinstance(kind, type) or not issubclass(kind, Exception) or issubclass(kind, StepFailedError):
        return None
    args = facts.get("args", [facts["message"]])
    with suppress(Exception):
        error = kind.__new__(kind, *args)  # as it was, without a constructor that may want to know more
        error.args = tuple(args)
        vars(error).update(facts.get("fields", {}))
        if (str(error), category_of(error), code_of(error)) == (facts["message"], facts["category"], facts["code"]):
            return error
    return None


def _by_category(facts: dict[str, Any]) -> BatutaError:
    error = _KINDS.get(facts["category"], LogicalError)(facts["message"])
    if "code" in facts:
        vars(error)["code"] = facts["code"]  # of the class that it was first raised as
    return error


def _as_json(codec: Codec[Any], value: Any) -> JsonValue:
    dumped: JsonValue = codec.dump_python(value, mode="json")
    return dumped
