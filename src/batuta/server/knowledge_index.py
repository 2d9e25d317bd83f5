"""Where the text of documents is searched: beside the database in a file, or in PostgreSQL with everything else."""

from batuta.agents.documents.agent import INDEX_FILE
from batuta.knowledge.index import PassageIndex
from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.server.config import Settings, make_data_dir


def passage_index(settings: Settings) -> PassageIndex:
    """The index that the settings name. It opens when it is first used."""
    if settings.database_url is not None:
        return PostgresPassageIndex(settings.database_url.get_secret_value())
    make_data_dir(settings.data_dir)
    return SqlitePassageIndex(settings.data_dir / INDEX_FILE)
