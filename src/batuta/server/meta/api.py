"""Public routes: what this platform is, whether it lives, whether it is ready, and its figures."""

from importlib.metadata import version
from typing import Annotated

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from batuta.observability.standard import Observers
from batuta.server.config import Mode, ModelChoice
from batuta.server.http.dependencies import CurrentSettings, provided
from batuta.server.http.guard import new_router
from batuta.server.http.middleware import App, Receive, Scope, Send
from batuta.server.meta.service import Health, SetupState
from batuta.server.problems import NotFoundProblem

router = new_router(tags=["meta"])

LANGUAGES = ["en", "es"]


class ModelLabel(BaseModel):
    """The model in use."""

    label: str
    is_offline: bool


class ProviderLabel(BaseModel):
    """An identity provider to choose."""

    id: str
    name: str


class LoginWays(BaseModel):
    """How one can log in."""

    password: bool
    oidc: list[ProviderLabel]


class Meta(BaseModel):
    """What a page needs to know before a login."""

    version: str
    mode: Mode
    is_demo: bool
    needs_setup: bool
    model: ModelLabel
    login: LoginWays
    languages: list[str]


@router.get("/api/meta")
async def describe(
    settings: CurrentSettings,
    model: Annotated[ModelChoice, provided(ModelChoice)],
    setup: Annotated[SetupState, provided(SetupState)],
) -> Meta:
    """What this platform is."""
    providers = [ProviderLabel(id=provider.id, name=provider.name) for provider in settings.oidc]
    return Meta(
        version=version("batuta-ai"),
        mode=settings.mode,
        is_demo=settings.is_demo,
        needs_setup=await setup.needs_setup(),
        model=ModelLabel(label=model.label, is_offline=model.is_offline),
        login=LoginWays(password=True, oidc=providers),
        languages=LANGUAGES,
    )


@router.get("/healthz")
async def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: {"description": "A dependency is away"}})
async def ready(health: Annotated[Health, provided(Health)]) -> JSONResponse:
    """Whether everything it depends on answers, and what an acknowledgement survives."""
    found = await health.ask()
    return JSONResponse(found.body(), status_code=200 if found.is_ready else 503)


@router.get("/metrics", include_in_schema=False)
async def metrics(observers: Annotated[Observers, provided(Observers)]) -> Response:
    """The figures of this process, or of all that share a directory, in Prometheus' format."""
    if observers.metrics is None:
        raise NotFoundProblem
    return _Mounted(observers.metrics.app())


class _Mounted(Response):
    """What an ASGI application answers, behind the guard of a route."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer."""
        await self._app(scope, receive, send)
