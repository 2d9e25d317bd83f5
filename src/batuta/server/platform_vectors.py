"""Search by meaning on a platform: who makes the vectors, where they lie, and how they stay complete (A-12)."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from batuta.agents.documents.agent import INDEX_FILE
from batuta.agents.documents.library import SHARED, owner_of
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.knowledge.vectors.contract import VectorIndex
from batuta.knowledge.vectors.embedder import PassageEmbedder
from batuta.knowledge.vectors.postgres import PostgresVectorIndex
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.knowledge.vectors.sqlite import SqliteVectorIndex
from batuta.llm.embedding import EmbeddingModel
from batuta.llm.embedding_factory import named_embedding_model
from batuta.server.config import Settings
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.files import repository

log = logging.getLogger("batuta.vectors")

CHECK_EVERY = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformVectors:
    """The vectors of a platform, for one process."""

    index: VectorIndex
    search: MeaningSearch
    embedder: PassageEmbedder

    async def close(self) -> None:
        """Let go of what is open."""
        await self.index.close()


def platform_vectors(settings: Settings) -> PlatformVectors | None:
    """As the settings say; nothing without an embedding model: then words alone are searched.

    The passage index must have been made before. Raises `ConfigurationError`, `MissingExtraError`.
    """
    if settings.embedding_model is None:
        return None
    model = named_embedding_model(settings.embedding_model)
    if settings.database_url is not None:
        index: VectorIndex = PostgresVectorIndex(settings.database_url.get_secret_value())
    else:
        index = SqliteVectorIndex(settings.data_dir / INDEX_FILE)
    return PlatformVectors(
        index=index,
        search=MeaningSearch(vectors=index, model_of=_model_of),
        embedder=PassageEmbedder(vectors=index, model=model, model_of=_model_of),
    )


class VectorUpkeep:
    """Makes the vectors that are missing: after a change of model, an outage, or a kill."""

    def __init__(self, database: Database, embedder: PassageEmbedder) -> None:
        self._database = SystemDatabase(database)
        self._embedder = embedder

    async def run(self) -> None:
        """Look for missing vectors until cancelled."""
        while True:
            try:
                await self.run_once()
            except StoreUnavailableError as error:
                log.warning("the upkeep of vectors waits: %s", error)
            await asyncio.sleep(CHECK_EVERY.total_seconds())

    async def run_once(self) -> bool:
        """Make what is missing now; whether everything has its vector."""
        users = await self._database.read(_file_owners)
        return await self._embedder.catch_up([SHARED, *map(owner_of, users)])


def _file_owners(connection: sa.Connection) -> list[str]:
    return repository.user_ids(connection)


def _model_of(space: str) -> EmbeddingModel | None:
    """A space is named like its model, so that a former one can still be asked, while its key is there."""
    try:
        return named_embedding_model(space)
    except ConfigurationError as error:
        log.warning("the model of %s cannot be had: %s", space, error)
        return None
