"""What handlers ask for in their signature: the services of the application, and the caller of the request.

    TurnsService = Annotated[Turns, provided(Turns)]

    @router.post(…)
    async def stop(session_id: UuidStr, caller: CurrentCaller, turns: TurnsService) -> None: …

`batuta.server.app` provides the services when it builds the application; nothing else reads `app.state`. All of these
are coroutines: FastAPI hands a plain function to a thread, at every request.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, FastAPI, Request

from batuta.server.config import Settings
from batuta.server.problems import UnauthorizedProblem
from batuta.server.security.ownership import Caller

T = TypeVar("T")


def provide(app: FastAPI, services: Mapping[type[Any], object]) -> None:
    """Give an application its services, by the type that handlers ask for."""
    app.state.services = dict(services)


def service_of(request: Request, kind: type[T]) -> T:
    """A service of the application that serves a request."""
    return cast("T", request.app.state.services[kind])


Provider = Callable[[Request], Awaitable[Any]]
_PROVIDERS: dict[type[Any], Provider] = {}


def provider(kind: type[Any]) -> Provider:
    """The dependency behind `provided`: the key under which a test can override it."""

    async def get(request: Request) -> Any:
        return request.app.state.services[kind]

    return _PROVIDERS.setdefault(kind, get)


def provided(kind: type[Any]) -> Any:
    """The service of this type, as a handler's dependency."""
    return Depends(provider(kind))


async def _caller(request: Request) -> Caller:
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        raise UnauthorizedProblem
    return caller


CurrentCaller = Annotated[Caller, Depends(_caller)]
"""Who calls: the guard has authenticated them."""
CurrentSettings = Annotated[Settings, provided(Settings)]
