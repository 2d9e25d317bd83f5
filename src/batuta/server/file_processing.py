"""Files, their jobs and the worker that does them, wired together for one process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from batuta.agents.documents.agent import SAMPLES
from batuta.knowledge.extract.extractor import RECOGNITION_LIMITS, ExtractionLimits, Extractor
from batuta.knowledge.extract.recognition import installed_languages
from batuta.server.backends import Backends
from batuta.server.config import Settings, make_data_dir
from batuta.server.files.blobs import LocalBlobStore
from batuta.server.files.documents import DocumentReader
from batuta.server.files.indexing import KIND, FileIndexing
from batuta.server.files.repository import StoredFile
from batuta.server.files.service import FileLimits, Files
from batuta.server.jobs import repository as job_rows
from batuta.server.jobs.service import Jobs
from batuta.server.jobs.worker import JobWorker
from batuta.server.knowledge_index import passage_index
from batuta.server.platform_vectors import VectorUpkeep, platform_vectors

FILES_FOLDER = "files"
LANES = 2
"""Files that are read at the same time."""
PAGE_LIMITS = ExtractionLimits(seconds=15, cpu_seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProcessing:
    """What a process needs to take files and to read them."""

    files: Files
    documents: DocumentReader
    jobs: Jobs
    worker: JobWorker
    upkeep: VectorUpkeep | None = None

    async def run(self) -> None:
        """Do jobs, and make the vectors that are missing, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.worker.run())
            if self.upkeep is not None:
                group.create_task(self.upkeep.run())


@asynccontextmanager
async def open_file_processing(settings: Settings, backends: Backends) -> AsyncIterator[FileProcessing]:
    """The files of a platform, open within the block."""
    make_data_dir(settings.data_dir)
    index = passage_index(settings)
    blobs = LocalBlobStore(settings.data_dir / FILES_FOLDER)
    extractor = Extractor(processes=LANES, recognition=RECOGNITION_LIMITS if installed_languages() else None)
    page_extractor = Extractor(limits=PAGE_LIMITS)  # a page that is looked at does not wait for a thousand files
    jobs = Jobs(backends.database, backends.queue, backends.bus)
    vectors = platform_vectors(settings)
    embedder = None if vectors is None else vectors.embedder
    indexing = FileIndexing(backends.database, blobs, index, extractor, embedder=embedder)
    worker = JobWorker(
        backends.queue, jobs, {KIND: lambda run: indexing.read(run.subject_id, run.progress)}, concurrency=LANES
    )

    def start_indexing(connection: sa.Connection, file: StoredFile) -> str:
        job = jobs.drafted(KIND, file.file_id, file.name, user_id=file.user_id, workspace_id=file.workspace_id)
        job_rows.add(connection, job)
        return job.job_id

    async def queue_indexing(job_id: str) -> None:
        await jobs.queue(await jobs.get_any(job_id))
        worker.wake()

    files = Files(
        backends.database,
        blobs,
        index,
        limits=FileLimits(max_file_bytes=settings.max_upload_bytes, max_total_bytes=settings.max_file_bytes_of_a_user),
        start_indexing=start_indexing,
        queue_indexing=queue_indexing,
        meaning=None if vectors is None else vectors.search,
    )
    try:
        documents = DocumentReader(files, index, page_extractor, shared_folder=Path(settings.documents_dir or SAMPLES))
        upkeep = None if embedder is None else VectorUpkeep(backends.database, embedder)
        yield FileProcessing(files=files, documents=documents, jobs=jobs, worker=worker, upkeep=upkeep)
    finally:
        await page_extractor.close()
        await extractor.close()
        if vectors is not None:
            await vectors.close()
        await index.close()
