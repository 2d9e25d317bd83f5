"""One SDK client per endpoint and event loop, made when it is first needed and closed when it is no longer needed.

Connections belong to an event loop. A client lives until the last model that used it is closed, or until the loop
shuts down: then whatever is still open is closed with it, so that a program that never closes a model leaks nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

Make = Callable[[], Any]
Close = Callable[[Any], Awaitable[None]]


@dataclass(slots=True)
class _Shared:
    client: Any
    close: Close
    owners: "WeakSet[Any]" = field(default_factory=WeakSet)


@dataclass(slots=True)
class _OfLoop:
    clients: dict[Hashable, _Shared] = field(default_factory=dict)
    keeper: AsyncGenerator[None, None] | None = None


class Connections:
    """The clients of a process."""

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _OfLoop] = WeakKeyDictionary()

    async def client(self, key: Hashable, owner: Any, *, make: Make, close: Close) -> Any:
        """The client of a key in the running loop, which `owner` needs from now on."""
        here = await self._here()
        shared = here.clients.get(key)
        if shared is None:
            shared = here.clients[key] = _Shared(make(), close)
        shared.owners.add(owner)
        return shared.client

    async def release(self, owner: Any) -> None:
        """Say that an owner needs nothing any more; clients without another owner are closed."""
        here = self._loops.get(asyncio.get_running_loop(), _OfLoop())
        for key, shared in list(here.clients.items()):
            if owner in shared.owners:
                shared.owners.discard(owner)
                if not shared.owners:
                    del here.clients[key]
                    await shared.close(shared.client)

    def count(self) -> int:
        """How many clients the running loop has."""
        return len(self._loops.get(asyncio.get_running_loop(), _OfLoop()).clients)

    async def _here(self) -> _OfLoop:
        loop = asyncio.get_running_loop()
        here = self._loops.get(loop)
        if here is None:
            here = self._loops[loop] = _OfLoop()
            # A generator that has begun is closed by the loop when it shuts down: the one hook asyncio offers.
            here.keeper = _close_at_the_end(here)
            await anext(here.keeper)
        return here


async def _close_at_the_end(here: _OfLoop) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        clients, here.clients = list(here.clients.values()), {}
        for shared in clients:
            await shared.close(shared.client)


CONNECTIONS = Connections()
