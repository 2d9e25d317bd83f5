"""Setting up, logging in and out, and who I am."""

from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from batuta.server.database.principal import Principal, act_as
from batuta.server.http.dependencies import CurrentCaller, CurrentSettings, provided
from batuta.server.http.guard import is_local, network_of, new_router, origin_of
from batuta.server.identity.addresses import Email
from batuta.server.identity.login_limits import LoginAttempt
from batuta.server.identity.oidc import OidcLogins
from batuta.server.identity.passwords import LONGEST, SHORTEST
from batuta.server.identity.service import Identity, Login, NewOwner
from batuta.server.live.connections import LiveConnections
from batuta.server.problems import Problem
from batuta.server.security.access_control import COOKIE, csrf_token_of
from batuta.server.security.account_trail import AccountActor
from batuta.server.security.preferences import PreferenceReader, Preferences

router = new_router(tags=["identity"])

OIDC_COOKIE = "batuta_oidc"
OIDC_MINUTES = 10
DEVICE_COOKIE = "batuta_device"
DEVICE_PATH = "/api/auth/login"
DEVICE_SECONDS = 90 * 86_400

IdentityService = Annotated[Identity, provided(Identity)]
OidcService = Annotated[OidcLogins, provided(OidcLogins)]
PreferencesService = Annotated[PreferenceReader, provided(PreferenceReader)]


class Setup(BaseModel):
    """The first account."""

    email: Email
    name: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=SHORTEST, max_length=LONGEST)
    token: str = Field(default="", max_length=200)
    """The setup token that the platform prints when it starts; a demo needs none."""


class Credentials(BaseModel):
    """A login with a password."""

    email: Email
    password: str = Field(min_length=1, max_length=LONGEST)


class Person(BaseModel):
    """The account of the caller."""

    user_id: str
    email: str
    name: str
    roles: list[str]
    workspace_id: str


class Me(BaseModel):
    """The caller, their CSRF token and their preferences."""

    user: Person
    csrf_token: str
    settings: Preferences


class Browser:
    """The browser that logs in: its cookies, and the login it came with."""

    def __init__(
        self,
        request: Request,
        settings: CurrentSettings,
        identity: IdentityService,
        connections: Annotated[LiveConnections, provided(LiveConnections)],
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._connections = connections
        self._request = request

    @property
    def callback_address(self) -> str:
        """Where an identity provider sends the browser back to."""
        return f"{self._origin}{self._request.url.path.rsplit('/', 1)[0]}/callback"

    @property
    def doer(self) -> AccountActor:
        """The owner of the account, for the audit trail."""
        return AccountActor(origin=origin_of(self._request))

    @property
    def cookie_flags(self) -> dict[str, Any]:
        """What every cookie of a login has."""
        # Lax, so that the cookie comes along when an identity provider sends the browser back.
        return {"httponly": True, "secure": self._origin.startswith("https://"), "samesite": "lax"}

    async def keep(self, login: Login, response: Response) -> None:
        """End the former login of this browser and set the cookie of the new one."""
        await self.end_login()
        max_age = int(self._settings.login_hours * 3600)
        response.set_cookie(COOKIE, login.token, max_age=max_age, path="/", **self.cookie_flags)
        if login.device:
            response.set_cookie(
                DEVICE_COOKIE, login.device, max_age=DEVICE_SECONDS, path=DEVICE_PATH, **self.cookie_flags
            )

    async def end_login(self) -> None:
        """End the login this browser came with, and every live connection that was opened with it."""
        token = self._request.cookies.get(COOKIE)
        if token is not None:
            await self._identity.log_out(token)
            await self._connections.revalidate()

    @property
    def _origin(self) -> str:
        url = self._request.url
        return self._settings.public_url or f"{url.scheme}://{url.netloc}"


CurrentBrowser = Annotated[Browser, Depends()]


@router.post("/api/auth/setup", status_code=201)
async def set_up(
    body: Setup,
    request: Request,
    response: Response,
    browser: CurrentBrowser,
    identity: IdentityService,
    preferences: PreferencesService,
) -> Me:
    """Create the owner's account, once, and log in."""
    owner = NewOwner(**body.model_dump(), is_local=is_local(request))
    login = await identity.set_up(owner, browser.doer)
    await browser.keep(login, response)
    return await _me(login, preferences)


@router.post("/api/auth/login")
async def log_in(
    body: Credentials,
    request: Request,
    response: Response,
    browser: CurrentBrowser,
    identity: IdentityService,
    preferences: PreferencesService,
) -> Me:
    """Log in with a password."""
    device = request.cookies.get(DEVICE_COOKIE)
    attempt = LoginAttempt(email=body.email, address=network_of(request), device=device[:200] if device else None)
    login = await identity.log_in(attempt, body.password)
    await browser.keep(login, response)
    return await _me(login, preferences)


@router.post("/api/auth/demo")
async def log_in_to_demo(
    request: Request,
    response: Response,
    browser: CurrentBrowser,
    identity: IdentityService,
    preferences: PreferencesService,
) -> Me:
    """Log in to the demo, with one click."""
    login = await identity.demo(browser.doer, is_local=is_local(request))
    await browser.keep(login, response)
    return await _me(login, preferences)


@router.post("/api/auth/logout", status_code=204)
async def log_out(browser: CurrentBrowser) -> Response:
    """End this login, and every live connection that was opened with it."""
    await browser.end_login()
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/")
    return response


@router.get("/api/me")
async def who_am_i(caller: CurrentCaller, preferences: PreferencesService) -> Me:
    """Who is logged in."""
    person = Person(
        user_id=caller.user_id,
        email=caller.email,
        name=caller.name,
        roles=sorted(caller.roles),
        workspace_id=caller.workspace_id,
    )
    return Me(user=person, csrf_token=caller.csrf_token, settings=await preferences.get(caller.user_id))


@router.get("/api/auth/oidc/{provider_id}/login", status_code=302)
async def begin_oidc(provider_id: str, browser: CurrentBrowser, oidc: OidcService) -> Response:
    """Go to an identity provider."""
    address, state = await oidc.begin(provider_id, browser.callback_address)
    response = RedirectResponse(address, status_code=302)
    response.set_cookie(OIDC_COOKIE, state, max_age=OIDC_MINUTES * 60, path="/api/auth/oidc", **browser.cookie_flags)
    return response


@router.get("/api/auth/oidc/{provider_id}/callback", status_code=302)
async def end_oidc(
    provider_id: str, request: Request, browser: CurrentBrowser, oidc: OidcService, identity: IdentityService
) -> Response:
    """Come back from an identity provider."""
    try:
        answer, cookie = dict(request.query_params), request.cookies.get(OIDC_COOKIE)
        user = await oidc.finish(provider_id, answer, cookie, browser.callback_address, browser.doer)
        login = await identity.begin(user)
    except Problem as problem:
        response: Response = RedirectResponse(f"/login?error={problem.own_code}", status_code=302)
    else:
        response = RedirectResponse("/", status_code=302)
        await browser.keep(login, response)
    response.delete_cookie(OIDC_COOKIE, path="/api/auth/oidc")
    return response


async def _me(login: Login, preferences: PreferenceReader) -> Me:
    user = login.user
    act_as(Principal(user_id=user.user_id, scope="user"))
    person = Person(
        user_id=user.user_id,
        email=user.email,
        name=user.name,
        roles=sorted(user.roles),
        workspace_id=user.workspace_id,
    )
    return Me(user=person, csrf_token=csrf_token_of(login.token), settings=await preferences.get(user.user_id))
