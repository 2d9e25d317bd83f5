"""Where turns are recorded: the database of the platform, or the file of a team of one's own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from batuta.cli.common import settings_from
from batuta.cli.output import fail
from batuta.events.log import EventLog
from batuta.events.queue import TurnQueue
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.server.config import Settings


class TurnPlace(NamedTuple):
    """Where turns are recorded."""

    settings: Settings
    file: Path | None
    """Nothing means: the database that the settings name."""

    @property
    def is_of_the_platform(self) -> bool:
        """Whether it holds what the platform keeps besides turns, too."""
        return self.file is None or self.file == self.settings.database_file

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[EventLog, TurnQueue]]:
        """The log and the queue, to look at."""
        if self.file is not None:
            async with SqliteEventLog(self.file) as log:
                yield log, SqliteTurnQueue(log)
            return
        assert self.settings.database_url is not None
        async with PostgresEventLog(self.settings.database_url.get_secret_value()) as log:
            yield log, PostgresTurnQueue(log)


def place_of(config: Path | None, data_dir: Path | None) -> TurnPlace:
    """Where to look; a file that is not there is not made."""
    own_file = data_dir if data_dir is not None and data_dir.is_file() else None
    settings = settings_from(config, data_dir=None if own_file else data_dir)
    if own_file is None and data_dir is None and settings.database_url is not None:
        return TurnPlace(settings, None)
    file = own_file or settings.database_file
    if not file.is_file():
        raise fail(f"there is no database {str(file)!r}; say where it is with --data-dir or BATUTA_DATABASE_URL", 2)
    return TurnPlace(settings, file)
