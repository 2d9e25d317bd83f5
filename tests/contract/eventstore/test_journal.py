"""The durable journal: an effect happens once, whoever dies in between. On every store."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from batuta import Pipeline, action
from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.eventstore.journal import DurableJournal, events_of_turn
from batuta.eventstore.recorder import FlushPolicy, TurnRecorder
from batuta.kernel.errors import ConfigurationError, FencedError, RecordingFailedError, UnknownOutcomeError
from batuta.kernel.ids import new_id
from batuta.pipelines.journal import RUN_INPUT, Effect, Pending, Recorded
from batuta.pipelines.journaling import Doing, do_once, forget, perform, undoing_of
from batuta.testing.eventlog import everything, noted
from tests.support.stores import Store

TEXT = TypeAdapter(str)
AT_BARRIERS = FlushPolicy(linger=timedelta(hours=1))
READ = Effect(key="turn/lookup#1", kind="read", name="lookup")
WRITE = Effect(key="turn/pay#1", kind="write", name="pay")


class Outside:
    """The world an effect changes: counts, and dies on request after it acted."""

    def __init__(self) -> None:
        self.done = 0

    async def act(self) -> str:
        self.done += 1
        return f"receipt {self.done}"


class Killed(BaseException):
    """The owner's process dies here."""


async def takeover(log: EventLog, stamp: Stamp, fence: int) -> DurableJournal:
    """The journal of the next owner of the turn. Nothing of it is stored before it waits for that."""
    events = await events_of_turn(log, str(stamp.session_id), str(stamp.turn_id))
    await log.raise_fence(str(stamp.session_id), fence)
    recorder = TurnRecorder(log, str(stamp.session_id), fence=fence, history=events, flushing=AT_BARRIERS)
    return DurableJournal(log, recorder, stamp, events=events)


async def ended(journal: DurableJournal) -> None:
    """The run of this owner came to its end: what it told is stored."""
    recorder = journal._recorder
    assert isinstance(recorder, TurnRecorder)
    await recorder.barrier()


@pytest.fixture
def stamp() -> Stamp:
    return Stamp(correlation_id=new_id(), session_id=new_id(), turn_id=new_id())


@pytest.mark.parametrize("effect", [READ, WRITE], ids=["read", "write"])
async def test_a_recorded_effect_is_returned_to_the_next_owner(store: Store, stamp: Stamp, effect: Effect) -> None:
    """O-3."""
    outside = Outside()
    journal = await takeover(store.log, stamp, 1)
    first = await perform(journal, effect, outside.act, TEXT)
    await ended(journal)
    again = await perform(await takeover(store.log, stamp, 2), effect, outside.act, TEXT)
    assert (first, again, outside.done) == ("receipt 1", "receipt 1", 1)


async def test_a_write_is_recorded_before_the_run_goes_on_and_a_read_after_it(store: Store, stamp: Stamp) -> None:
    """O-3: whoever dies now has lost what it read, and nothing it wrote."""
    outside = Outside()
    journal = await takeover(store.log, stamp, 1)
    await perform(journal, WRITE, outside.act, TEXT)
    await perform(journal, READ, outside.act, TEXT)
    heir = await takeover(store.log, stamp, 2)
    assert await heir.recall(WRITE) == Recorded("receipt 1")
    assert await heir.recall(READ) is None


async def test_the_intention_of_a_write_is_durable_before_it_happens(store: Store, stamp: Stamp) -> None:
    """O-3: and everything that was told before it."""
    journal = await takeover(store.log, stamp, 1)
    session = str(stamp.session_id)

    async def act() -> str:
        return " ".join(event.type for event in (await store.log.read(session)).events)

    await journal.record(READ, "something it depends on")
    assert await perform(journal, WRITE, act, TEXT) == "effect.recorded effect.intended"


async def test_a_write_that_was_undone_is_done_again_by_the_next_owner(store: Store, stamp: Stamp) -> None:
    """Once that is forgotten; before, the next owner finds that it is undone and does not undo it again."""
    outside = Outside()
    journal = await takeover(store.log, stamp, 1)
    await perform(journal, WRITE, outside.act, TEXT)
    undoing = Doing(effect=undoing_of(WRITE), act=outside.act, codec=TEXT)
    for fence in (2, 3):
        await do_once(await takeover(store.log, stamp, fence), undoing)
    await forget(await takeover(store.log, stamp, 4), WRITE)
    assert await perform(await takeover(store.log, stamp, 5), WRITE, outside.act, TEXT) == "receipt 3"


async def test_cr14_a_write_with_unknown_outcome_is_not_repeated(store: Store, stamp: Stamp) -> None:
    """CR-14: killed after the effect, before its result was recorded; without `reconcile` a person decides."""
    outside = Outside()
    await _die_after_acting(await takeover(store.log, stamp, 1), outside)
    journal = await takeover(store.log, stamp, 2)
    assert journal.pending == (WRITE.key,)
    with pytest.raises(UnknownOutcomeError):
        await perform(journal, WRITE, outside.act, TEXT)
    assert outside.done == 1


async def test_reconcile_tells_how_an_interrupted_write_ended(store: Store, stamp: Stamp) -> None:
    outside = Outside()
    await _die_after_acting(await takeover(store.log, stamp, 1), outside)

    async def found(_: Pending) -> str | None:
        return "receipt 1"

    assert await perform(await takeover(store.log, stamp, 2), WRITE, outside.act, TEXT, found) == "receipt 1"
    assert await perform(await takeover(store.log, stamp, 3), WRITE, outside.act, TEXT) == "receipt 1"
    assert outside.done == 1


async def test_a_write_that_never_arrived_is_done_after_reconcile_says_so(store: Store, stamp: Stamp) -> None:
    outside = Outside()
    journal = await takeover(store.log, stamp, 1)
    await journal.intend(WRITE)

    async def not_found(_: Pending) -> str | None:
        return None

    assert await perform(await takeover(store.log, stamp, 2), WRITE, outside.act, TEXT, not_found) == "receipt 1"
    assert outside.done == 1


async def test_what_was_found_out_about_one_interruption_says_nothing_about_the_next(
    store: Store, stamp: Stamp
) -> None:
    """It did not happen, so it is done, and dies again: this time it did happen."""
    outside, asked = Outside(), list[int]()
    await (await takeover(store.log, stamp, 1)).intend(WRITE)

    async def look(pending: Pending) -> str | None:
        asked.append(pending.abandoned)
        return "receipt 1" if outside.done else None

    with pytest.raises(Killed):
        await perform(await takeover(store.log, stamp, 2), WRITE, _dying(outside.act), TEXT, look)
    assert await perform(await takeover(store.log, stamp, 3), WRITE, outside.act, TEXT, look) == "receipt 1"
    assert (asked, outside.done) == ([0, 1], 1)


async def test_an_interrupted_read_is_simply_done_again(store: Store, stamp: Stamp) -> None:
    outside = Outside()
    with pytest.raises(Killed):
        await perform(await takeover(store.log, stamp, 1), READ, _dying(outside.act), TEXT)
    assert await perform(await takeover(store.log, stamp, 2), READ, outside.act, TEXT) == "receipt 2"


async def test_a_write_that_surely_failed_can_be_tried_again(store: Store, stamp: Stamp) -> None:
    """Refused twice, done at the third attempt, and kept over the takeovers in between."""
    outside = Outside()

    async def refused() -> str:
        raise PermissionError("no funds")

    for fence in (1, 2):
        with pytest.raises(PermissionError):
            await perform(await takeover(store.log, stamp, fence), WRITE, refused, TEXT)
    assert await perform(await takeover(store.log, stamp, 3), WRITE, outside.act, TEXT) == "receipt 1"
    notes = [record.event.type for record in await everything(store.log, str(stamp.session_id)) if record.event]
    assert notes == ["effect.intended", "effect.abandoned"] * 2 + ["effect.intended", "effect.recorded"]


async def test_cr13_a_stale_owner_cannot_begin_a_write(store: Store, stamp: Stamp) -> None:
    """CR-13: it is refused before it acts."""
    outside = Outside()
    stale = await takeover(store.log, stamp, 1)
    await takeover(store.log, stamp, 2)
    with pytest.raises(FencedError):
        await perform(stale, WRITE, outside.act, TEXT)
    assert outside.done == 0


async def test_effects_of_other_turns_are_not_mixed_in(store: Store, stamp: Stamp) -> None:
    other = Stamp(correlation_id=new_id(), session_id=stamp.session_id, turn_id=new_id())
    outside = Outside()
    await perform(await takeover(store.log, other, 1), READ, outside.act, TEXT)
    assert await perform(await takeover(store.log, stamp, 2), READ, outside.act, TEXT) == "receipt 2"


async def test_ft01_after_a_lost_answer_the_log_is_asked_what_it_holds(store: Store, stamp: Stamp) -> None:
    """FT-01: recording failed for good as far as the owner knows, yet the outcome is stored."""
    healthy = TurnRecorder(store.log, str(stamp.session_id), fence=1)
    journal = DurableJournal(store.log, _Unheard(healthy), stamp)
    with pytest.raises(RecordingFailedError):
        await journal.record(READ, "receipt 1")
    assert await journal.recall(READ) == Recorded("receipt 1")


async def test_what_is_recalled_before_anything_happened_is_nothing(store: Store, stamp: Stamp) -> None:
    journal = await takeover(store.log, stamp, 1)
    assert await journal.recall(WRITE) is None
    await journal.intend(WRITE)
    assert isinstance(await journal.recall(WRITE), Pending)


async def test_a_journal_belongs_to_a_turn(store: Store) -> None:
    recorder = TurnRecorder(store.log, new_id())
    with pytest.raises(ConfigurationError, match="turn"):
        DurableJournal(store.log, recorder, Stamp(correlation_id="c", session_id=new_id()))


async def test_a_long_turn_is_read_page_by_page(store: Store, stamp: Stamp) -> None:
    journal = await takeover(store.log, stamp, 1)
    recorder = TurnRecorder(store.log, str(stamp.session_id), fence=1)
    events: Sequence[Event] = [_note(stamp, number) for number in range(1500)]
    for event in events:
        if (waiting := recorder.submit(event)) is not None:
            await waiting
    await recorder.barrier()
    assert len(await events_of_turn(store.log, str(stamp.session_id), str(stamp.turn_id))) == 1500
    assert journal.pending == ()


def _note(stamp: Stamp, number: int) -> Event:
    return noted(str(number), **stamp.envelope())


class _Unheard:
    """A recorder whose answers get lost."""

    def __init__(self, recorder: TurnRecorder) -> None:
        self._recorder = recorder

    async def record(self, event: Event) -> Event:
        await self._recorder.record(event)
        raise RecordingFailedError("the answer got lost")


async def _die_after_acting(journal: DurableJournal, outside: Outside) -> None:
    with pytest.raises(Killed):
        await perform(journal, WRITE, _dying(outside.act), TEXT)


def _dying(act: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    async def act_and_die() -> Any:
        await act()
        raise Killed

    return act_and_die


class Order:
    """An input that is no JSON."""

    def __init__(self, number: int) -> None:
        self.number = number


@action(mode="idempotent")
async def charge(order: Order) -> str:
    return f"charged {order.number}"


async def test_the_next_owner_is_not_answered_from_another_inputs_effects(store: Store, stamp: Stamp) -> None:
    """An object of a plain class is known again by what it holds."""
    pipeline = Pipeline("p", charge)
    told: list[str] = []
    for fence, number in enumerate((1, 1, 2), start=1):
        journal = await takeover(store.log, stamp, fence)
        result = await pipeline.run(Order(number), journal=journal)
        told.append(type(result.error.exception).__name__ if result.is_error else result.value)
        await ended(journal)
    assert told == ["charged 1", "charged 1", "JournalMismatchError"]


async def test_a_run_that_began_without_a_digest_of_its_input_goes_on(store: Store, stamp: Stamp) -> None:
    """An earlier version kept none of an input that is no JSON."""
    journal = await takeover(store.log, stamp, 1)
    await journal.record(
        Effect(key=f"p:{RUN_INPUT}", kind="read", name=RUN_INPUT), {"digest": None, "run_key": "before"}
    )
    await journal.record(Effect(key="p/charge:charge", kind="idempotent", name="charge"), "charged before")
    await ended(journal)
    result = await Pipeline("p", charge).run(Order(1), journal=await takeover(store.log, stamp, 2))
    assert result.value == "charged before"
