"""Jobs of people: started, looked at, stopped and tried again (P-36)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import sqlalchemy as sa

from batuta.events.queue import NewWork, TurnQueue, WorkStatus
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import new_id
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.jobs import repository
from batuta.server.jobs.repository import Job
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.problems import ConflictProblem, NotFoundProblem

PRIORITY = -10
"""Below turns: where one worker does both, a person who waits comes first."""
MAX_ATTEMPTS = 4
MAX_LISTED = 100
RESCAN = 50
"""Jobs whose work is looked for at a time, the longest unchanged first: of a thousand that wait those are the next to
be done, or those that never reached the queue.
"""
CHANGED = "job:changed"
"""The socket event that says how far a job is."""

JobFollower = Callable[[sa.Connection, Job], None]
"""Notes in what a job works on that it was begun anew, failed or was stopped: in the same transaction."""


class Jobs:
    """Keeps the jobs of people beside the queue that holds their work.

    The row comes first, the work second: a crash between the two leaves a row that `repair` finds, and the queue
    takes the same id once.
    """

    def __init__(
        self,
        database: Database,
        queue: TurnQueue,
        bus: NotificationBus,
        *,
        followers: Mapping[str, JobFollower] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._followers = followers or {}
        self._bus = bus
        self._database = database
        self._system = SystemDatabase(database)
        self._queue = queue
        self._clock = clock

    def drafted(self, kind: str, subject_id: str, title: str, *, user_id: str, workspace_id: str) -> Job:
        """A new job, to be stored with what it works on (`repository.add`), then queued."""
        now = self._clock.now()
        return Job(
            job_id=new_id(),
            user_id=user_id,
            workspace_id=workspace_id,
            kind=kind,
            subject_id=subject_id,
            title=title,
            status="queued",
            done=0,
            total=100,
            error=None,
            created_at=now,
            updated_at=now,
        )

    async def queue(self, job: Job) -> None:
        """Let a worker begin."""
        await self._queue.accept(
            NewWork(
                turn_id=job.job_id,
                kind=job.kind,
                payload={"subject_id": job.subject_id},
                user_id=job.user_id,
                tenant_id=job.workspace_id,
                priority=PRIORITY,
                max_attempts=MAX_ATTEMPTS,
            )
        )

    async def get(self, job_id: str) -> Job:
        """A job that the database shows to the caller."""
        job = await self._database.read(lambda connection: repository.one(connection, job_id.upper()))
        if job is None:
            raise NotFoundProblem
        return job

    async def get_any(self, job_id: str) -> Job:
        """A job of any user, for the platform's own work."""
        job = await self._system.read(lambda connection: repository.one(connection, job_id.upper()))
        if job is None:
            raise NotFoundProblem
        return job

    async def list(self, user_id: str) -> Sequence[Job]:
        """The newest jobs of a person."""
        return await self._database.read(lambda connection: repository.of_user(connection, user_id, limit=MAX_LISTED))

    async def cancel(self, job_id: str) -> Job:
        """Stop a job: at once if no worker runs it, else as soon as its worker hears of it."""
        job = await self.get(job_id)
        status = await self._queue.cancel(job.job_id)
        if status in (None, WorkStatus.CANCELLED):
            await self._change(job.job_id, status="cancelled")
        return await self.get(job_id)

    async def retry(self, job_id: str) -> Job:
        """Begin a job anew that failed or was stopped, as a new one."""
        old = await self.get(job_id)
        if old.status not in ("failed", "cancelled"):
            raise ConflictProblem("This job has not failed.")
        new = self.drafted(old.kind, old.subject_id, old.title, user_id=old.user_id, workspace_id=old.workspace_id)

        def write(connection: sa.Connection) -> None:
            repository.add(connection, new)
            self._follow(connection, new)

        await self._system.write(write)
        await self.queue(new)
        return new

    async def progress(self, job_id: str, done: int, total: int) -> None:
        """Note how far a job is."""
        await self._change(job_id, status="running", done=done, total=total)

    async def end(self, job_id: str, status: repository.JobStatus, error: str | None = None) -> None:
        """Note how a job ended."""
        done = {"done": repository.ALL} if status == "completed" else {}
        await self._change(job_id, status=status, error=error, **done)

    async def repair(self, *, older_than: timedelta) -> int:
        """Queue jobs whose work never reached the queue, and end those whose work is dead: how many there were."""
        limit = self._clock.now() - older_than
        open_jobs = await self._system.read(lambda connection: repository.unfinished(connection, limit=RESCAN))
        count = 0
        for job in open_jobs:
            if job.updated_at > limit:
                continue
            work = await self._queue.get(job.job_id)
            if work is None:
                await self.queue(job)
                count += 1
            elif work.status in _ENDINGS:
                await self.end(job.job_id, _ENDINGS[work.status], work.error)
                count += 1
        return count

    async def _change(self, job_id: str, **values: object) -> None:
        """Change a job, and show its person at once how it stands."""
        now = self._clock.now()

        def write(connection: sa.Connection) -> Job | None:
            is_changed = repository.change(connection, job_id.upper(), now=now, **values)
            job = repository.one(connection, job_id.upper())
            if is_changed and job is not None and job.status in ("failed", "cancelled"):
                self._follow(connection, job)
            return job

        job = await self._system.write(write)
        if job is not None:
            self._bus.publish(Notification("user", job.user_id, name=CHANGED, content=_content(job)))

    def _follow(self, connection: sa.Connection, job: Job) -> None:
        follower = self._followers.get(job.kind)
        if follower is not None:
            follower(connection, job)


def _content(job: Job) -> dict[str, str | None]:
    return {
        "job_id": job.job_id,
        "kind": job.kind,
        "subject_id": job.subject_id,
        "status": job.status,
        "progress": f"{job.done}/{job.total}",
        "error": job.error,
    }


_ENDINGS: dict[WorkStatus, repository.JobStatus] = {
    WorkStatus.DEAD: "failed",
    WorkStatus.FAILED: "failed",
    WorkStatus.CANCELLED: "cancelled",
    WorkStatus.COMPLETED: "completed",
}
