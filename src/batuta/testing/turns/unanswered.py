"""Executed, but the caller saw a timeout: each operation of the queue."""

import inspect
from collections import Counter
from typing import Any

import pytest

from batuta.events.log import EventLog
from batuta.events.queue import Ending, TurnQueue, WorkStatus
from batuta.kernel.ids import new_id
from batuta.testing.eventlog.subject import noted, said
from batuta.testing.eventlog.unanswered import state_of_log
from batuta.testing.lost_answers import Case, Send, check, lost_in_the_process
from batuta.testing.turns.subject import AN_HOUR, EXPIRED, NO_DELAY, QueueSubject, leased, turn

MANY = 1_000


async def _accept(queue: TurnQueue, session: str) -> Send:
    work, message = turn(session), said("hello")

    async def send() -> Any:
        accepted = await queue.accept(work, [message])
        return accepted.work.status, accepted.appended

    return send


async def _accept_with_a_key(queue: TurnQueue, session: str) -> Send:
    """A client that repeats itself makes new work and new events."""

    async def send() -> Any:
        accepted = await queue.accept(turn(session), [said("hello")], client_key="m1")
        return accepted.work.status, accepted.appended

    return send


async def _lease(queue: TurnQueue, session: str) -> Send:
    """The owner never learnt of it: it is found when the lease has run out, like that of an owner who died."""
    await queue.accept(turn(session, max_attempts=MANY))

    async def send() -> Any:
        lease = await queue.lease("worker", length=EXPIRED)
        if lease is None:
            await queue.recover()
            lease = await leased(queue, length=EXPIRED)
        assert lease.work.session_id == session

    return send


async def _owned(queue: TurnQueue, session: str) -> Any:
    await queue.accept(turn(session))
    return await leased(queue)


async def _heartbeat(queue: TurnQueue, session: str) -> Send:
    lease = await _owned(queue, session)
    return lambda: queue.heartbeat(lease)


async def _finish(queue: TurnQueue, session: str) -> Send:
    lease, last = await _owned(queue, session), [noted("the end")]
    return lambda: queue.finish(lease, "completed", last)


async def _retry(queue: TurnQueue, session: str) -> Send:
    lease = await _owned(queue, session)
    return lambda: queue.retry(lease, "busy", delay=AN_HOUR)


async def _release(queue: TurnQueue, session: str) -> Send:
    lease = await _owned(queue, session)
    return lambda: queue.release(lease)


async def _pause(queue: TurnQueue, session: str) -> Send:
    lease, asked = await _owned(queue, session), [noted("asked")]
    return lambda: queue.pause(lease, waiting_for="a1", events=asked)


async def _resume(queue: TurnQueue, session: str) -> Send:
    lease = await _owned(queue, session)
    await queue.pause(lease, waiting_for="a1")
    return lambda: queue.resume(lease.work.turn_id, waiting_for="a1")


async def _cancel(queue: TurnQueue, session: str) -> Send:
    accepted = await queue.accept(turn(session))
    return lambda: queue.cancel(accepted.work.turn_id)


async def _cancel_with_its_end(queue: TurnQueue, session: str) -> Send:
    """Stopping a turn again writes its end anew."""
    accepted = await queue.accept(turn(session))

    async def send() -> Any:
        return await queue.cancel(accepted.work.turn_id, Ending(work=accepted.work, events={"end": [said("end")]}))

    return send


async def _stopped(queue: TurnQueue, session: str) -> Send:
    accepted = await queue.accept(turn(session))
    await queue.cancel(accepted.work.turn_id)

    async def send() -> Any:
        return len(await queue.stopped([accepted.work.turn_id]))

    return send


async def _recover(queue: TurnQueue, session: str) -> Send:
    await queue.accept(turn(session))
    await leased(queue, length=EXPIRED)
    return queue.recover


async def _find(queue: TurnQueue, session: str) -> Send:
    accepted = await queue.accept(turn(session))

    async def send() -> Any:
        found = await queue.find([WorkStatus.QUEUED], limit=100)
        return [work.status for work in found if work.turn_id == accepted.work.turn_id]

    return send


async def _get(queue: TurnQueue, session: str) -> Send:
    accepted = await queue.accept(turn(session))

    async def send() -> Any:
        work = await queue.get(accepted.work.turn_id)
        return work and work.status

    return send


async def _now(queue: TurnQueue, session: str) -> Send:
    async def send() -> Any:
        return (await queue.now()).utcoffset()

    return send


async def _depth(queue: TurnQueue, session: str) -> Send:
    await queue.accept(turn(session))

    async def send() -> Any:
        return (await queue.depth())[WorkStatus.QUEUED]

    return send


async def _revive(queue: TurnQueue, session: str) -> Send:
    accepted = await queue.accept(turn(session, max_attempts=1))
    await queue.retry(await leased(queue), "broken", delay=NO_DELAY)
    return lambda: queue.revive(accepted.work.turn_id)


QUEUE_CASES = (
    Case(operation="accept", prepare=_accept),
    Case(operation="accept", variant="with a client key", prepare=_accept_with_a_key),
    Case(operation="lease", prepare=_lease),
    Case(operation="heartbeat", prepare=_heartbeat),
    Case(operation="finish", prepare=_finish),
    Case(operation="retry", prepare=_retry),
    Case(operation="release", prepare=_release),
    Case(operation="pause", prepare=_pause),
    Case(operation="resume", prepare=_resume, answers_alike=False),
    Case(operation="cancel", prepare=_cancel),
    Case(operation="cancel", variant="with its end", prepare=_cancel_with_its_end),
    Case(operation="stopped", prepare=_stopped),
    Case(operation="recover", prepare=_recover, answers_alike=False),
    Case(operation="find", prepare=_find),
    Case(operation="get", prepare=_get),
    Case(operation="now", prepare=_now),
    Case(operation="depth", prepare=_depth),
    Case(operation="revive", prepare=_revive, answers_alike=False),
)


class Aftermath:
    """What a session holds, what of its work can be done from here on, and what became of the rest."""

    def __init__(self, queue: TurnQueue, log: EventLog) -> None:
        self._queue = queue
        self._log = log
        self._before: Counter[WorkStatus] = Counter()

    async def __call__(self, session: str) -> Any:
        """As if all workers looked for work once."""
        state = await state_of_log(self._log, session)
        state.pop("fence")  # a takeover more raises it once more
        await self._queue.recover()
        done = []
        while (lease := await self._queue.lease("afterwards")) is not None:
            done.append((lease.work.session_id == session, lease.work.error))
            await self._queue.finish(lease, "completed")
        now = Counter(await self._queue.depth())
        ended, self._before = now - self._before, now
        return state, done, ended


@pytest.mark.asyncio
class LostWorkAnswerContract:
    """FT-01: no work is lost, doubled or stuck when an answer is."""

    @pytest.mark.parametrize("case", QUEUE_CASES, ids=str)
    async def test_an_operation_whose_answer_got_lost_is_sent_again(self, subject: QueueSubject, case: Case) -> None:
        await check(case, subject.queue, Aftermath(subject.queue, subject.log), lost_in_the_process)

    async def test_every_operation_is_among_them(self) -> None:
        promised = {name for name, _ in inspect.getmembers(TurnQueue, inspect.isfunction) if not name.startswith("_")}
        assert {case.operation for case in QUEUE_CASES} == promised

    async def test_work_that_nobody_knows_they_own_has_no_second_owner(self, subject: QueueSubject) -> None:
        """Until its lease runs out."""
        await subject.queue.accept(turn(new_id()))
        await lost_in_the_process(lambda: subject.queue.lease("worker"))
        assert await subject.queue.lease("worker") is None
