"""Kill workers at random moments while they run turns, then compare every turn with one that was left alone.

    python -m tests.chaos.turns --kills 200 --turns 200 [--backend sqlite] [--crew busy] [--seed 1]

All turns are there from the beginning. A person answers what is asked: approvals, and whether an interrupted write
that nobody can look up took place. Prints one line per backend and ends with 1 if a promise was broken.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Self

from batuta.events.envelope import Event
from batuta.events.queue import UNFINISHED, Work, WorkStatus
from batuta.events.runtime import EffectRecorded, TurnResumed
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.eventstore.migrations import migrate
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.testing.eventlog import everything
from batuta.testing.views import UNKNOWN_OUTCOME, difference, seen_by_a_person
from tests.chaos.eventlog import servers
from tests.chaos.workers import CREWS, FileLedger
from tests.integration.orchestration.crew import Ledger
from tests.support.processes import Child, Zygote
from tests.support.stores import Store, memory_opener, opener_of
from tests.support.turns import TurnPersistence, say

BACKENDS = ("sqlite", "postgres")
WORKERS = "tests.chaos.workers"
COUNT = 2
WRITES = ("send", "book", "shout")
LONGEST_SECONDS = 900.0
LOOK_SECONDS = 0.1
NO_LIMIT = 10_000


@dataclass(frozen=True, kw_only=True)
class TurnsReport:
    """What became of the turns."""

    backend: str
    kills: int
    turns: int
    resumed: int
    """How often a turn was taken up again after its owner died."""
    asked: int
    """Interrupted writes that a person was asked about."""
    seconds: float
    unfinished: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        backend: str,
        accepted: Mapping[str, str],
        found: Sequence[Mapping[str, Sequence[str]]],
        writes: Counter[str],
        person: "Person",
        *,
        kills: int,
        started: float,
    ) -> Self:
        """The report about turns, from what was found about each and what really happened outside."""
        told = {name: tuple(line for each in found for line in each[name]) for name in ("unfinished", "different")}
        doubled = (*(line for each in found for line in each["repeated"]),)
        return cls(
            backend=backend,
            kills=kills,
            turns=len(accepted),
            resumed=sum(len(each["resumed"]) for each in found),
            asked=person.asked_about_outcomes,
            seconds=time.monotonic() - started,
            repeated=(*doubled, *(f"{key} happened {count} times" for key, count in writes.items() if count > 1)),
            lost=tuple(lost_writes(writes, accepted)),
            **told,
        )

    @property
    def problems(self) -> tuple[str, ...]:
        """Every broken promise."""
        return (*self.unfinished, *self.different, *self.repeated, *self.lost)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, done twice or shown differently."""
        return not self.problems

    def line(self) -> str:
        """Everything in one line."""
        broken = {name: len(getattr(self, name)) for name in ("unfinished", "different", "repeated", "lost")}
        figures = " ".join(f"{name}={count}" for name, count in broken.items())
        return (
            f"turns {self.backend}: kills={self.kills} turns={self.turns} resumed={self.resumed} "
            f"asked={self.asked} {figures} seconds={self.seconds:.1f}"
        )

    def require(self) -> None:
        """Fail if a promise was broken."""
        if not self.is_clean:
            examples = [*self.unfinished[:3], *self.different[:3], *self.repeated[:3], *self.lost[:3]]
            raise AssertionError("\n".join([self.line(), *examples]))


@dataclass
class Person:
    """Approves what is asked for, and knows whether an interrupted shout was heard."""

    store: Store
    ledger: Ledger
    answered: set[str] = field(default_factory=set)
    asked_about_outcomes: int = 0

    async def answer(self, work: Work) -> None:
        """Answer what a paused turn waits for, once; say again that it is answered as often as it is needed."""
        assert work.session_id is not None
        assert work.waiting_for is not None
        if work.waiting_for not in self.answered:
            self.answered.add(work.waiting_for)
            events = await events_of(self.store, work.session_id)
            (asked,) = [e for e in events if isinstance(e, ApprovalRequested) and e.approval_id == work.waiting_for]
            await self.store.log.append(work.session_id, [self._decide(asked, work)])
        await self.store.queue.resume(work.turn_id, waiting_for=work.waiting_for)

    def _decide(self, asked: ApprovalRequested, work: Work) -> ApprovalResolved:
        is_about_outcome = UNKNOWN_OUTCOME in asked.reason
        self.asked_about_outcomes += is_about_outcome
        is_done = is_about_outcome and any(
            key.startswith(f"{asked.tool_name} ") and work.turn_id in key for key in self.ledger.done
        )
        return ApprovalResolved(
            approval_id=asked.approval_id,
            decision="rejected" if is_done else "approved",
            reason=f"{asked.tool_name}ed" if is_done else None,
            by="person",
            session_id=work.session_id,
            turn_id=work.turn_id,
        )


async def run(
    zygote: Zygote, place: Mapping[str, str], *, kills: int, turns: int, seed: int, crew: str = "calm"
) -> TurnsReport:
    """Accept, kill, answer, compare."""
    if "url" in place:
        await migrate(place["url"])
    calm = await undisturbed(crew)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        ledger = str(Path(directory) / "ledger")
        async with opener_of(place)() as store:
            person = Person(store, FileLedger(ledger))
            accepted = await accept(store, turns)
            async with asyncio.timeout(LONGEST_SECONDS):
                arguments = {"place": dict(place), "ledger": ledger, "crew": crew}
                await _kill_and_answer(zygote, arguments, person, accepted, kills=kills, rng=Random(seed))
            found = [await outcome_of(store, session, turn, calm) for turn, session in accepted.items()]
            writes = Counter(dict(person.ledger.writes))
    return TurnsReport.of(f"{place['backend']} {crew}", accepted, found, writes, person, kills=kills, started=started)


async def events_of(store: Store, session: str) -> list[Event]:
    """Everything a session holds."""
    return [record.event for record in await everything(store.log, session) if record.event is not None]


async def undisturbed(crew: str) -> dict[str, Any]:
    """What a person sees of a turn that nobody disturbs."""
    async with memory_opener()() as store:
        ledger = Ledger()
        (turn,) = accepted = await accept(store, 1)
        worker = TurnWorker(
            CREWS[crew](ledger), store.queue, store.log, TurnPersistence(store.log), WorkerSettings(owner="calm")
        )
        await worker.run_until_idle()
        work = await store.queue.get(turn)
        assert work is not None
        await Person(store, ledger).answer(work)
        await worker.run_until_idle()
        return seen_by_a_person(await events_of(store, accepted[turn]))


async def accept(store: Store, turns: int) -> dict[str, str]:
    """So many turns, each in a session of its own: session by turn."""
    sessions = [new_id() for _ in range(turns)]
    return {await say(store.queue, session, "go", max_attempts=NO_LIMIT): session for session in sessions}


async def _kill_and_answer(
    zygote: Zygote,
    arguments: Mapping[str, object],
    person: Person,
    accepted: Mapping[str, str],
    *,
    kills: int,
    rng: Random,
) -> None:
    """Until there was enough killing and every turn has ended."""
    alive = [await zygote.spawn(f"{WORKERS}:work", {**arguments, "owner": f"w{n}"}) for n in range(COUNT)]
    answering = asyncio.create_task(answer_until_done(person, accepted))
    try:
        for number in range(kills):
            victim = rng.randrange(COUNT)
            await alive[victim].ready()
            await alive[victim].kill_within(rng, 0.0, 0.6)
            alive[victim] = await _replaced(zygote, alive[victim], {**arguments, "owner": f"w{COUNT + number}"})
        await answering
    finally:
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        for child in alive:
            await child.close()


async def _replaced(zygote: Zygote, dead: Child, arguments: dict[str, object]) -> Child:
    await dead.close()
    return await zygote.spawn(f"{WORKERS}:work", arguments)


async def answer_until_done(person: Person, accepted: Mapping[str, str]) -> None:
    """Answer questions and find orphans, until every turn has ended."""
    open_turns = list(accepted)
    while open_turns:
        await person.store.queue.recover()
        works = [await person.store.queue.get(turn) for turn in open_turns]
        for work in works:
            if work is not None and work.status is WorkStatus.PAUSED:
                await person.answer(work)
        open_turns = [work.turn_id for work in works if work is not None and work.status in UNFINISHED]
        await asyncio.sleep(LOOK_SECONDS)


async def outcome_of(store: Store, session: str, turn: str, calm: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is wrong with one turn."""
    events = await events_of(store, session)
    work = await store.queue.get(turn)
    keys = Counter(event.key for event in events if isinstance(event, EffectRecorded))
    is_completed = work is not None and work.status is WorkStatus.COMPLETED
    shown = json.loads(json.dumps(seen_by_a_person(events)).replace("A person confirmed: shouted", "shouted done"))
    return {
        "unfinished": [] if is_completed else [f"{turn}: {work}"],
        "different": [] if shown == calm else [f"{turn}: {difference(shown, calm)}"],
        "repeated": [f"{turn}: {key} was recorded {count} times" for key, count in keys.items() if count > 1],
        "resumed": [e.event_id for e in events if isinstance(e, TurnResumed) and e.reason == "recovered"],
    }


def lost_writes(writes: Mapping[str, int], accepted: Mapping[str, str]) -> list[str]:
    """Writes that a turn should have done and did not."""
    done = {(key.partition(" ")[0], key.partition(" ")[2].partition(":")[0]) for key in writes}
    return [f"{turn}: nobody did {write}" for turn in accepted for write in WRITES if (write, turn) not in done]


def chosen(wanted: str, there_are: Iterable[str]) -> tuple[str, ...]:
    """One of them, or all."""
    return tuple(there_are) if wanted == "all" else (wanted,)


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--backend", choices=[*BACKENDS, "all"], default="all")
    parser.add_argument("--crew", choices=[*CREWS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    is_clean = True
    zygote = Zygote([WORKERS])
    for backend, crew in product(chosen(wanted.backend, BACKENDS), chosen(wanted.crew, CREWS)):
        numbers = {"kills": wanted.kills, "turns": wanted.turns, "seed": wanted.seed}
        with servers(backend) as place:
            report = asyncio.run(run(zygote, place, crew=crew, **numbers))
        sys.stdout.write(f"{report.line()} seed={wanted.seed}\n")
        is_clean = is_clean and report.is_clean
        for problem in report.problems[:10]:
            sys.stdout.write(f"  {problem}\n")
    zygote.close()
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
