"""Jobs survive their workers, are told how far they are, and never hold up a chat (P-36)."""

import asyncio
from datetime import timedelta

import pytest

from batuta.server.config import Settings
from batuta.server.jobs import repository
from batuta.server.jobs.repository import Job
from batuta.server.jobs.service import Jobs
from batuta.server.jobs.worker import JobHandler, JobRun, JobWorker
from tests.support.platform import Person, Running, running

KIND = "file_index"
SHORT = timedelta(milliseconds=200)


@pytest.fixture
def idle(settings: Settings) -> Settings:
    """A platform whose own workers rest."""
    return settings.model_copy(update={"worker_concurrency": 0})


async def a_job(site: Running, person: Person, *, is_queued: bool = True) -> Job:
    jobs = site.platform.jobs
    workspace = str(person.me["user"].get("workspace_id", ""))
    job = jobs.drafted(KIND, "subject", "a file", user_id=person.user_id, workspace_id=workspace)
    await jobs._system.write(lambda connection: repository.add(connection, job))
    if is_queued:
        await jobs.queue(job)
    return job


def a_worker(site: Running, handler: JobHandler) -> JobWorker:
    return JobWorker(site.platform.backends.queue, site.platform.jobs, {KIND: handler}, lease=SHORT)


async def status(jobs: Jobs, job: Job) -> tuple[str, str]:
    found = await jobs.get_any(job.job_id)
    return found.status, f"{found.done}/{found.total}"


async def test_a_job_whose_worker_was_killed_is_done_by_another(idle: Settings) -> None:
    done: list[int] = []

    async def handle(run: JobRun) -> None:
        await run.progress(45, 100)
        done.append(run.attempt)
        await run.progress(100, 100)

    async with running(idle) as site:
        job = await a_job(site, await site.person())
        queue = site.platform.backends.queue
        killed = await queue.lease("killed", length=SHORT, kinds=(KIND,))
        assert killed is not None
        worker = a_worker(site, handle)
        assert await worker.run_until_idle() == 0, "nobody takes what another owns"
        for _ in range(50):
            await asyncio.sleep(0.05)
            await queue.recover()
            if await worker.run_until_idle():
                break
        assert done == [2]
        assert await status(site.platform.jobs, job) == ("completed", "100/100")
        assert await worker.run_until_idle() == 0


async def test_a_job_that_never_reached_the_queue_is_found(idle: Settings) -> None:
    async def handle(run: JobRun) -> None:
        await run.progress(100, 100)

    async with running(idle) as site:
        job = await a_job(site, await site.person(), is_queued=False)
        worker = a_worker(site, handle)
        assert await worker.run_until_idle() == 0
        assert await site.platform.jobs.repair(older_than=timedelta()) == 1
        assert await worker.run_until_idle() == 1
        assert (await status(site.platform.jobs, job))[0] == "completed"


async def test_a_job_waits_in_a_lane_of_its_own(idle: Settings) -> None:
    async with running(idle) as site:
        await a_job(site, await site.person())
        assert await site.platform.backends.queue.lease("turns", kinds=("turn",)) is None


async def test_a_running_job_is_stopped(idle: Settings) -> None:
    begun = asyncio.Event()

    async def handle(run: JobRun) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with running(idle) as site:
        ana = await site.person()
        job = await a_job(site, ana)
        working = asyncio.create_task(a_worker(site, handle).run_until_idle())
        await begun.wait()
        answer = await ana.http.post(f"/api/jobs/{job.job_id}/cancel")
        assert answer.status_code == 200
        await working
        assert (await status(site.platform.jobs, job))[0] == "cancelled"


async def test_a_job_that_breaks_every_time_ends_as_failed(idle: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("batuta.server.jobs.worker.RETRY_DELAY", timedelta())
    attempts: list[int] = []

    async def handle(run: JobRun) -> None:
        attempts.append(run.attempt)
        raise RuntimeError("boom")

    async with running(idle) as site:
        job = await a_job(site, await site.person())
        await a_worker(site, handle).run_until_idle()
        assert attempts == [1, 2, 3, 4]
        assert (await status(site.platform.jobs, job))[0] == "failed"
