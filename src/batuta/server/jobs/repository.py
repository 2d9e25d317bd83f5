"""Rows of jobs: plain functions of a connection."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from batuta.server.database.tables import jobs

JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
UNFINISHED: tuple[JobStatus, ...] = ("queued", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Long work of a person, as they see it. The queue holds the work itself under the same id."""

    job_id: str
    user_id: str
    workspace_id: str
    kind: str
    subject_id: str
    """What it works on: the id of a file."""
    title: str
    status: JobStatus
    done: int
    total: int
    error: str | None
    created_at: datetime
    updated_at: datetime


ALL = jobs.c.total
"""As much as there is to do."""


def add(connection: sa.Connection, job: Job) -> None:
    """Keep a new job."""
    connection.execute(sa.insert(jobs).values({name: getattr(job, name) for name in Job.__dataclass_fields__}))


def one(connection: sa.Connection, job_id: str) -> Job | None:
    """A job."""
    row = connection.execute(sa.select(jobs).where(jobs.c.job_id == job_id)).first()
    return None if row is None else _job(row)


def of_user(connection: sa.Connection, user_id: str, *, limit: int) -> Sequence[Job]:
    """The newest jobs of a person."""
    query = sa.select(jobs).where(jobs.c.user_id == user_id).order_by(jobs.c.created_at.desc(), jobs.c.job_id.desc())
    return [_job(row) for row in connection.execute(query.limit(limit))]


def unfinished(connection: sa.Connection, *, limit: int) -> Sequence[Job]:
    """Jobs that a worker should be running."""
    query = sa.select(jobs).where(jobs.c.status.in_(UNFINISHED)).order_by(jobs.c.updated_at).limit(limit)
    return [_job(row) for row in connection.execute(query)]


def change(connection: sa.Connection, job_id: str, *, now: datetime, **values: Any) -> bool:
    """Change what is known of a job that has not ended: whether it had not."""
    is_open = sa.and_(jobs.c.job_id == job_id, jobs.c.status.in_(UNFINISHED))
    return bool(connection.execute(sa.update(jobs).where(is_open).values(**values, updated_at=now)).rowcount)


def remove_about(connection: sa.Connection, subject_id: str) -> None:
    """Forget the jobs that worked on something: their titles are its name."""
    connection.execute(sa.delete(jobs).where(jobs.c.subject_id == subject_id))


def remove_of_user(connection: sa.Connection, user_id: str) -> None:
    """Forget the jobs of a person."""
    connection.execute(sa.delete(jobs).where(jobs.c.user_id == user_id))


def _job(row: sa.Row[Any]) -> Job:
    return Job(**{name: getattr(row, name) for name in Job.__dataclass_fields__})
