"""All live connections of a process: sockets and HTTP streams, ended together when their callers lose access."""

import asyncio
import logging
from collections.abc import Mapping

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.live.sockets import SocketServer
from batuta.server.live.sse import LiveStreams
from batuta.server.security.access_control import AccessControl

log = logging.getLogger("batuta.server")

REVALIDATE_SECONDS = 2.0


class LiveConnections:
    """Ends the connections of callers whose login, key, role or scope was taken away."""

    def __init__(self, access: AccessControl, sockets: SocketServer, streams: LiveStreams) -> None:
        self._access = access
        self._sockets = sockets
        self._streams = streams

    async def run(self) -> None:
        """Revalidate every few seconds until cancelled: another process may have changed who has access."""
        while True:
            await asyncio.sleep(REVALIDATE_SECONDS)
            await self._sockets.close_silent()
            await self._sockets.close_slow()
            try:
                await self.revalidate()
            except StoreUnavailableError as error:
                log.warning("the access of live connections cannot be checked: %s", error)

    async def revalidate(self) -> None:
        """End every connection whose caller no longer has the access it was opened with."""
        sockets, streams = self._sockets.callers, self._streams.callers
        valid = await self._access.still_valid({**sockets, **streams})
        self._streams.end(frozenset(streams) - valid)
        await self._sockets.end(frozenset(sockets) - valid)

    def counts(self) -> Mapping[str, int]:
        """How many there are, by transport."""
        return {"socket": len(self._sockets.callers), "stream": len(self._streams.callers)}

    async def close(self) -> None:
        """End all of them so that the process can end; clients reconnect elsewhere and resume."""
        self._streams.close()
        await self._sockets.close()
