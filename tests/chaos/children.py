"""The processes that are killed: writers, projectors, an owner of a turn."""

import asyncio
import hashlib
import time
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from batuta.events.conversation import UserMessage
from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.eventstore.journal import DurableJournal, events_of_turn
from batuta.eventstore.recorder import TurnRecorder
from batuta.kernel.errors import FencedError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.pipelines.journal import Effect
from batuta.pipelines.journaling import perform
from tests.support.processes import say
from tests.support.stores import Store, opener_of

PAY = Effect(key="pay#1", kind="write", name="pay")
TEXT = TypeAdapter(str)


async def write(place: dict[str, str], sessions: list[str], tasks: int) -> None:
    """Append for ever, from several tasks at once, and say what was acknowledged."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opener_of(place)())
        say(ready=True)
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for number in range(tasks):
            group.create_task(_write(store, sessions, number))


async def project(place: dict[str, str]) -> None:
    """Bring read models along for ever."""
    async with opener_of(place)() as store, asyncio.TaskGroup() as group:
        say(ready=True)
        group.create_task(store.projector.run())
        for work in store.background:
            group.create_task(work())


async def own_a_turn(place: dict[str, str], ledger: str, lease_seconds: float) -> None:
    """Take a turn, be frozen past the lease, wake up and go on as if nothing had happened."""
    async with opener_of(place)() as store:
        lease = await store.queue.lease("first", length=timedelta(seconds=lease_seconds))
        assert lease is not None
        stamp = Stamp(correlation_id=new_id(), session_id=lease.work.session_id, turn_id=lease.work.turn_id)
        journal = await journal_of(store, stamp, lease.fence)
        say(ready=True, turn_id=lease.work.turn_id)
        await asyncio.sleep(0.05)  # the parent freezes us here
        refusals = []
        for attempt in (
            lambda: pay(journal, ledger, "first"),
            lambda: store.queue.heartbeat(lease),
            lambda: store.queue.finish(lease, "completed", [UserMessage(content="late")]),
        ):
            try:
                await attempt()
            except FencedError:
                refusals.append(True)
        say(refusals=len(refusals))


async def journal_of(store: Store, stamp: Stamp, fence: int) -> DurableJournal:
    """The journal of an owner, with what the turn did so far."""
    events = await events_of_turn(store.log, str(stamp.session_id), str(stamp.turn_id))
    recorder = TurnRecorder(store.log, str(stamp.session_id), fence=fence, history=events)
    return DurableJournal(store.log, recorder, stamp, events=events)


async def pay(journal: DurableJournal, ledger: str, owner: str) -> str:
    """An effect that leaves a line in a ledger."""

    async def act() -> str:
        with Path(ledger).open("a") as file:
            file.write(f"{owner}\n")
        return owner

    return await perform(journal, PAY, act, TEXT)


def digest_of(event: Event) -> str:
    """What stands for the content of a message."""
    content = event.content if isinstance(event, UserMessage) else ""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


async def _write(store: Store, sessions: list[str], number: int) -> None:
    turn = 0
    while True:
        session = sessions[(number + turn) % len(sessions)]
        batch = [UserMessage(content=f"{number}:{turn}:{part}:{'x' * 200}") for part in range(1 + turn % 3)]
        turn += 1
        await _append_until_heard(store, session, batch)


async def _append_until_heard(store: Store, session: str, batch: list[UserMessage]) -> None:
    sent = time.monotonic()
    appended = None
    while appended is None:
        try:
            appended = await store.log.append(session, batch)
        except StoreUnavailableError:
            await asyncio.sleep(0.02)
    heard = time.monotonic()
    for seq, event in enumerate(batch, appended.first_seq):
        facts: dict[str, Any] = {"session": session, "epoch": appended.epoch, "seq": seq, "event_id": event.event_id}
        say(acked={**facts, "digest": digest_of(event), "t_sent": sent, "t_acked": heard})
