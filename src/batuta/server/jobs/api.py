"""Jobs over HTTP: how far they are, stop, try again."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel

from batuta.kernel.id_fields import UuidStr
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.jobs.repository import Job
from batuta.server.jobs.service import Jobs

router = new_router(tags=["jobs"])

JobsService = Annotated[Jobs, provided(Jobs)]


class JobView(BaseModel):
    """Long work, as its owner sees it."""

    job_id: str
    kind: str
    title: str
    subject_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    progress: str
    """How much is done, of how much: `45/100`."""
    error: str | None
    created_at: datetime
    updated_at: datetime


class JobList(BaseModel):
    """My jobs, newest first."""

    items: list[JobView]


@router.get("/api/jobs")
async def list_jobs(caller: CurrentCaller, jobs: JobsService) -> JobList:
    """My newest jobs."""
    return JobList(items=[job_view(job) for job in await jobs.list(caller.user_id)])


@router.get("/api/jobs/{job_id}")
async def read_job(job_id: UuidStr, jobs: JobsService) -> JobView:
    """How far a job is."""
    return job_view(await jobs.get(job_id))


@router.post("/api/jobs/{job_id}/cancel")
async def cancel_job(job_id: UuidStr, jobs: JobsService) -> JobView:
    """Stop a job."""
    return job_view(await jobs.cancel(job_id))


@router.post("/api/jobs/{job_id}/retry", status_code=202)
async def retry_job(job_id: UuidStr, jobs: JobsService) -> JobView:
    """Try a job again that failed or was stopped, as a new one."""
    return job_view(await jobs.retry(job_id))


def job_view(job: Job) -> JobView:
    """A job as the API shows it."""
    return JobView(
        job_id=job.job_id,
        kind=job.kind,
        title=job.title,
        subject_id=job.subject_id,
        status=job.status,
        progress=f"{job.done}/{job.total}",
        error=job.error,
        created_at=job.created_at,
        updated_at=job.updated_at,
    )
