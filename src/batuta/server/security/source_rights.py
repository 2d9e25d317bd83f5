"""Whether rows that were read earlier may still be given, and what others ask for shown: rights count as of now."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from batuta.events.datasets import Provenance
from batuta.server.security.ownership import Caller


class SourceRights(Protocol):
    """Knows the rights to sources of rows; `server.erp` implements it."""

    async def check_sources(self, caller: Caller, sources: Iterable[Provenance]) -> None:
        """Raises `ForbiddenProblem` if the caller may not read one of the sources any more."""
        ...


class RequestRights(SourceRights, Protocol):
    """Knows the rights to what tools change; `server.erp` implements it."""

    async def may_see_request(self, caller: Caller, tool_name: str, args: Mapping[str, Any]) -> bool:
        """Whether the caller may read what a call of another person shows."""
        ...

    async def may_read_all(self, caller: Caller) -> bool:
        """Whether the caller may read whatever any tool reads."""
        ...

    async def check_decision(self, caller: Caller, tool_name: str, args: Mapping[str, Any]) -> None:
        """Raises `ForbiddenProblem` if the caller may not make the change that they want to let another person make."""
        ...
