"""Files, their jobs and the worker that does them, wired together for one process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from batuta.agents.documents.agent import SAMPLES
from batuta.eventstore.audit import AuditStore
from batuta.knowledge.extract.extractor import RECOGNITION_LIMITS, ExtractionLimits, Extractor
from batuta.knowledge.extract.language_data import installed_languages
from batuta.knowledge.index import PassageIndex
from batuta.server.backends import Backends
from batuta.server.config import Settings, make_data_dir
from batuta.server.erasure_ledger import ledger_of
from batuta.server.files import repository as file_rows
from batuta.server.files.documents import DocumentReader
from batuta.server.files.erasure import FileErasingAudit
from batuta.server.files.indexing import KIND, FileIndexing
from batuta.server.files.removal import FileRemoval
from batuta.server.files.repository import StoredFile
from batuta.server.files.service import Files
from batuta.server.files.uploads import FileLimits, IndexingJob, Uploads
from batuta.server.jobs import repository as job_rows
from batuta.server.jobs.repository import Job
from batuta.server.jobs.service import Jobs
from batuta.server.jobs.worker import JobWorker
from batuta.server.knowledge_index import passage_index
from batuta.server.platform_vectors import PlatformVectors, VectorUpkeep, platform_vectors
from batuta.server.precedence import MessagePrecedence, YieldingDatabase
from batuta.server.storage import dataset_files, uploaded_files

LANES = 2
"""Files that are read at the same time."""
PAGE_LIMITS = ExtractionLimits(seconds=15, cpu_seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProcessing:
    """What a process needs to take files and to read them."""

    files: Files
    index: PassageIndex
    documents: DocumentReader
    jobs: Jobs
    worker: JobWorker
    precedence: MessagePrecedence
    audit: AuditStore
    """That of the backends, whose erasure of a person reaches their files too."""
    upkeep: VectorUpkeep | None = None

    async def run(self) -> None:
        """Do jobs, and make the vectors that are missing, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.worker.run())
            if self.upkeep is not None:
                group.create_task(self.upkeep.run())


@asynccontextmanager
async def open_file_processing(
    settings: Settings, backends: Backends, *, vectors: PlatformVectors | None = None
) -> AsyncIterator[FileProcessing]:
    """The files of a platform, open within the block. `vectors` that are open already stay so; else they are opened."""
    make_data_dir(settings.data_dir)
    index = passage_index(settings)
    blobs = uploaded_files(settings)
    extractor = Extractor(processes=LANES, recognition=RECOGNITION_LIMITS if installed_languages() else None)
    page_extractor = Extractor(limits=PAGE_LIMITS)  # a page that is looked at does not wait for a thousand files
    precedence = MessagePrecedence()
    database = YieldingDatabase(backends.database, precedence)
    jobs = Jobs(database, backends.queue, backends.bus, followers={KIND: follow_job})
    own_vectors = platform_vectors(settings) if vectors is None else None
    vectors = vectors or own_vectors
    embedder = None if vectors is None else vectors.embedder
    indexing = FileIndexing(database, blobs, index, extractor, embedder=embedder)

    def start_indexing(connection: sa.Connection, file: StoredFile) -> IndexingJob:
        job = jobs.drafted(KIND, file.file_id, file.name, user_id=file.user_id, workspace_id=file.workspace_id)
        job_rows.add(connection, job)

        async def queue() -> None:
            await jobs.queue(job)
            worker.wake()

        return IndexingJob(job_id=job.job_id, queue=queue)

    removal = FileRemoval(
        backends.database,
        blobs,
        index,
        forget_jobs_about=job_rows.remove_about,
        forget_jobs_of=job_rows.remove_of_user,
    )
    uploads = Uploads(
        database,
        blobs,
        removal,
        limits=FileLimits(max_file_bytes=settings.max_upload_bytes, max_total_bytes=settings.max_file_bytes_of_a_user),
        start_indexing=start_indexing,
    )
    worker = JobWorker(
        backends.queue,
        jobs,
        {KIND: lambda run: indexing.read(run.subject_id, run.user_id, run.progress)},
        chores=(removal.sweep, uploads.sweep, blobs.sweep, dataset_files(settings).sweep),
        give_way=precedence.give_way,
        concurrency=LANES,
    )
    meaning = None if vectors is None else vectors.search
    note = partial(ledger_of(settings).note, "file")
    files = Files(backends.database, blobs, index, uploads, removal, note_erasure=note, meaning=meaning)
    try:
        documents = DocumentReader(files, index, page_extractor, shared_folder=Path(settings.documents_dir or SAMPLES))
        upkeep = None if embedder is None else VectorUpkeep(backends.database, embedder)
        audit = FileErasingAudit(backends.audit, removal)
        yield FileProcessing(
            files=files,
            index=index,
            documents=documents,
            jobs=jobs,
            worker=worker,
            precedence=precedence,
            audit=audit,
            upkeep=upkeep,
        )
    finally:
        await page_extractor.close()
        await extractor.close()
        if own_vectors is not None:
            await own_vectors.close()
        await index.close()


def follow_job(connection: sa.Connection, job: Job) -> None:
    """Keep a file in step with its job: one that is read anew, and one whose reading ended without a word."""
    if job.status == "queued":
        values = {"status": "processing", "reason": None, "job_id": job.job_id}
        file_rows.change(connection, job.subject_id, now=job.updated_at, **values)
    else:
        reason = "stopped" if job.status == "cancelled" else "interrupted"
        file_rows.end_reading(connection, job.subject_id, job.job_id, reason, now=job.updated_at)
