"""OR-13: one seed drives the clock, the scheduling, the faults and the kills of log, queue, worker and delivery."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Appended, Grown
from batuta.eventstore import memory, stopping
from batuta.eventstore.base import StoreLog
from batuta.eventstore.decisions import earlier_answer
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.orchestration import worker
from batuta.server.live.stored_events import SubscriberBuffer
from tests.chaos.simulation import in_a_child, run
from tests.support.simulated_platform import simulate

pytestmark = pytest.mark.timeout(900)
SEEDS = 200
PARTS = 4
MOST_SEEDS = 400
"""How many are tried until a known fault is found."""


@pytest.mark.parametrize("part", range(PARTS))
def test_or13_is16_no_seed_breaks_a_promise(part: int) -> None:
    """OR-13, IS-16: the verifier also compares what the models served with what was metered."""
    tally = in_a_child(lambda: run(range(part, SEEDS, PARTS)))
    assert not tally.broken, "\n".join(tally.broken)
    assert tally.seeds == SEEDS // PARTS
    assert tally.kills > tally.seeds / 2


@pytest.mark.parametrize("seed", [1, 10])
def test_or13_a_seed_is_the_same_run_again_also_in_another_process(seed: int) -> None:
    here, again, other = in_a_child(lambda: [simulate(each).trace for each in (seed, seed, seed + 1)])
    assert here == again != other
    code = f"from tests.support.simulated_platform import simulate; print(simulate({seed}).trace)"
    for hashes in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        answer = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert answer.stdout.strip() == here


def _no_fence(patch: pytest.MonkeyPatch) -> None:
    """A stale owner may write."""
    checked = earlier_answer
    patch.setattr(memory, "earlier_answer", lambda batch, fence, known, claim: checked(batch, 0, known, claim))


def _announced_too_early(patch: pytest.MonkeyPatch) -> None:
    """What is about to be stored is shown."""
    stored = StoreLog.append_batch

    async def append_batch(self: StoreLog, batch: Batch) -> Appended:
        head = await self.head(batch.session_id)  # type: ignore[attr-defined]
        guess = Appended(epoch=1, first_seq=head.last_seq + 1, count=len(batch.entries), is_new=True)
        self.bells._notify(Grown(batch.session_id, guess, batch.events, tuple(e.payload for e in batch.entries)))
        return await stored(self, batch)

    patch.setattr(StoreLog, "append_batch", append_batch)


def _forgotten_effects(patch: pytest.MonkeyPatch) -> None:
    """An owner does not know what the one before it did."""
    begin = DurableJournal.__init__

    def forgetful(self: DurableJournal, *args: Any, events: Sequence[Event] = (), **options: Any) -> None:
        begin(self, *args, events=(), **options)

    patch.setattr(DurableJournal, "__init__", forgetful)


def _kept_leases(patch: pytest.MonkeyPatch) -> None:
    """What lost its owner is never queued again."""
    patch.setattr(MemoryTurnQueue, "_lost", lambda self: [])


def _second_end(patch: pytest.MonkeyPatch) -> None:
    """A turn that has ended is ended again by a stop."""
    patch.setattr(stopping, "end_in", lambda history: None)


def _unmetered_calls(patch: pytest.MonkeyPatch) -> None:
    """A call that was in flight when its process died is forgotten."""
    patch.setattr(worker, "ends_of_lost_calls", lambda history: [])


def _gaps(patch: pytest.MonkeyPatch) -> None:
    """A follower takes what was pushed without looking whether it follows what it has."""

    def take(self: SubscriberBuffer) -> Any:
        waiting, must_read, self.must_read = self._waiting, self.must_read, False
        self._clear()
        return None if must_read and not waiting else waiting

    patch.setattr(SubscriberBuffer, "take", take)


FAULTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], set[str], int]] = {
    "no fence": (_no_fence, {"stale_fences"}, 5),
    "announced too early": (
        _announced_too_early,
        {"phantoms", "changed", "gaps", "reordered", "mismatched_views"},
        1718,
    ),
    "forgotten effects": (_forgotten_effects, {"wrong_effects", "unended_turns"}, 5),
    "kept leases": (_kept_leases, {"unended_turns"}, 5),
    "second end": (_second_end, {"unended_turns"}, 150),
    "unmetered calls": (_unmetered_calls, {"wrong_metering"}, 35),
    "gaps": (_gaps, {"gaps", "reordered", "mismatched_views"}, 128),
}
"""Known faults, the figures of the verifier that tell them, and a seed that found it: the first to be tried."""


@pytest.mark.parametrize("fault", FAULTS)
def test_or13_a_known_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put_back, figures, known = FAULTS[fault]
    put_back(monkeypatch)
    seeds = (known, *range(1, MOST_SEEDS))
    assert in_a_child(lambda: any(figures & run([seed]).figures.keys() for seed in seeds))
