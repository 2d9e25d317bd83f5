"""Whether rows that were read earlier may still be given: a right taken away counts for what is kept, too."""

from collections.abc import Iterable
from typing import Protocol

from batuta.events.datasets import Provenance
from batuta.server.security.ownership import Caller


class SourceRights(Protocol):
    """Knows the rights to sources of rows; `server.erp` implements it."""

    async def check_sources(self, caller: Caller, sources: Iterable[Provenance]) -> None:
        """Raises `ForbiddenProblem` if the caller may not read one of the sources any more."""
        ...
