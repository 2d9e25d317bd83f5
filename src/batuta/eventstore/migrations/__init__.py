"""The schema of PostgreSQL, version by version.

await migrate("postgresql://…")      brings a database up to date; several processes may ask at once
"""

import asyncio
import threading
from pathlib import Path

from alembic import command
from alembic.config import Config

from batuta.eventstore.postgres_database import reach

HEAD_REVISION = "0002"


def configuration(url: str) -> Config:
    """Alembic's configuration for one database."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["url"] = url
    return config


async def migrate(url: str) -> None:
    """Bring the database up to date. Raises `StoreUnavailableError`, or `ConfigurationError` for a wrong address."""
    await reach(url)
    await asyncio.to_thread(_upgrade, url)


_one_at_a_time = threading.Lock()
"""Alembic keeps its configuration in the module; other processes are held off by a lock in the database."""


def _upgrade(url: str) -> None:
    with _one_at_a_time:
        command.upgrade(configuration(url), "head")
