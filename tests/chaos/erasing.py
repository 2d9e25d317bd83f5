"""A process that erases a person, to be killed while it does."""

from typing import Any

from batuta.server.backends import open_backends
from batuta.server.config import load_settings
from batuta.server.erasure_ledger import NotedErasures, ledger_of
from batuta.server.file_processing import open_file_processing
from tests.support.processes import say


async def erase(settings: dict[str, Any], user_id: str) -> None:
    """What `batuta user erase` does, from the moment on at which everything is open."""
    loaded = load_settings({}, **settings)
    async with open_backends(loaded) as backends, open_file_processing(loaded, backends) as processing:
        say(ready=True)
        await NotedErasures(processing.audit, ledger_of(loaded)).erase(user_id)
        say(done=True)
