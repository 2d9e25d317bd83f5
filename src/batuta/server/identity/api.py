"""Setting up, logging in and out, and who I am."""

from typing import Annotated, Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from pydantic import AfterValidator, BaseModel, Field

from batuta.server.database.principal import Behalf, act_for
from batuta.server.http.guard import CurrentCaller, address_of, is_local, new_router, origin_of
from batuta.server.identity.oidc import OidcLogins
from batuta.server.identity.passwords import LONGEST, SHORTEST
from batuta.server.identity.repository import User
from batuta.server.identity.service import Identity, Login
from batuta.server.problems import Problem
from batuta.server.security.access_control import COOKIE, csrf_token_of
from batuta.server.security.account_trail import Doer
from batuta.server.security.preferences import Preferences

router = new_router(tags=["identity"])

OIDC_COOKIE = "batuta_oidc"
OIDC_MINUTES = 10


def _address(text: str) -> str:
    name, at, host = text.strip().lower().partition("@")
    if not (name and at and host) or "@" in host or any(character.isspace() for character in text.strip()):
        raise ValueError("this is no e-mail address")
    return f"{name}@{host}"


Email = Annotated[str, Field(min_length=3, max_length=254), AfterValidator(_address)]


class Setup(BaseModel):
    """The first account."""

    email: Email
    name: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=SHORTEST, max_length=LONGEST)


class Credentials(BaseModel):
    """A login with a password."""

    email: Email
    password: str = Field(min_length=1, max_length=LONGEST)


class Person(BaseModel):
    """Somebody, as they see themselves."""

    user_id: str
    email: str
    name: str
    roles: list[str]
    workspace_id: str


class Me(BaseModel):
    """Who is logged in."""

    user: Person
    csrf_token: str
    settings: Preferences


@router.post("/api/auth/setup", status_code=201)
async def set_up(body: Setup, request: Request, response: Response) -> Me:
    """Create the owner's account, once, and log in."""
    login = await _identity(request).set_up(body.email, body.name, body.password, _doer(request))
    return await _logged_in(request, response, login)


@router.post("/api/auth/login")
async def log_in(body: Credentials, request: Request, response: Response) -> Me:
    """Log in with a password."""
    login = await _identity(request).log_in(body.email, body.password, address_of(request))
    return await _logged_in(request, response, login)


@router.post("/api/auth/demo")
async def log_in_to_demo(request: Request, response: Response) -> Me:
    """Log in to the demo, with one click."""
    login = await _identity(request).demo(_doer(request), is_local=is_local(request))
    return await _logged_in(request, response, login)


@router.post("/api/auth/logout", status_code=204)
async def log_out(request: Request) -> Response:
    """End this login, and every live connection that was opened with it."""
    token = request.cookies.get(COOKIE)
    if token is not None:
        await _identity(request).log_out(token)
        await request.app.state.platform.revalidate()
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/")
    return response


@router.get("/api/me")
async def who_am_i(caller: CurrentCaller, request: Request) -> Me:
    """Who is logged in."""
    person = Person(
        user_id=caller.user_id,
        email=caller.email,
        name=caller.name,
        roles=sorted(caller.roles),
        workspace_id=caller.workspace_id,
    )
    settings = await request.app.state.platform.preferences.of(caller.user_id)
    return Me(user=person, csrf_token=caller.csrf_token, settings=settings)


@router.get("/api/auth/oidc/{provider_id}/login", status_code=302)
async def begin_oidc(provider_id: str, request: Request) -> Response:
    """Go to an identity provider."""
    address, state = await _oidc(request).begin(provider_id, _callback_address(request))
    response = RedirectResponse(address, status_code=302)
    # Lax, so that it comes along when the provider sends the browser back.
    response.set_cookie(
        OIDC_COOKIE, state, max_age=OIDC_MINUTES * 60, path="/api/auth/oidc", httponly=True, **_cookie_flags(request)
    )
    return response


@router.get("/api/auth/oidc/{provider_id}/callback", status_code=302)
async def end_oidc(provider_id: str, request: Request) -> Response:
    """Come back from an identity provider."""
    try:
        answer, cookie = dict(request.query_params), request.cookies.get(OIDC_COOKIE)
        user = await _oidc(request).finish(provider_id, answer, cookie, _callback_address(request), _doer(request))
        login = await _identity(request).begin(user)
    except Problem as problem:
        response: Response = RedirectResponse(f"/login?error={problem.own_code}", status_code=302)
    else:
        response = RedirectResponse("/", status_code=302)
        await _end_former_login(request)
        _set_cookie(request, response, login)
    response.delete_cookie(OIDC_COOKIE, path="/api/auth/oidc")
    return response


async def _logged_in(request: Request, response: Response, login: Login) -> Me:
    await _end_former_login(request)
    _set_cookie(request, response, login)
    act_for(Behalf(user_id=login.user.user_id, scope="user"))
    settings = await request.app.state.platform.preferences.of(login.user.user_id)
    return Me(user=_person(login.user), csrf_token=csrf_token_of(login.token), settings=settings)


async def _end_former_login(request: Request) -> None:
    """Whatever token the browser came with is worth nothing any more."""
    former = request.cookies.get(COOKIE)
    if former is not None:
        await _identity(request).log_out(former)
        await request.app.state.platform.revalidate()


def _set_cookie(request: Request, response: Response, login: Login) -> None:
    hours = request.app.state.platform.settings.login_hours
    response.set_cookie(
        COOKIE, login.token, max_age=int(hours * 3600), path="/", httponly=True, **_cookie_flags(request)
    )


def _cookie_flags(request: Request) -> dict[str, Any]:
    return {"secure": _origin(request).startswith("https://"), "samesite": "lax"}


def _callback_address(request: Request) -> str:
    return f"{_origin(request)}{request.url.path.rsplit('/', 1)[0]}/callback"


def _origin(request: Request) -> str:
    public: str | None = request.app.state.platform.settings.public_url
    return public or f"{request.url.scheme}://{request.url.netloc}"


def _doer(request: Request) -> Doer:
    """The person whose account it is, in a browser."""
    return Doer(origin=origin_of(request))


def _person(user: User) -> Person:
    return Person(
        user_id=user.user_id,
        email=user.email,
        name=user.name,
        roles=sorted(user.roles),
        workspace_id=user.workspace_id,
    )


def _identity(request: Request) -> Identity:
    identity: Identity = request.app.state.platform.identity
    return identity


def _oidc(request: Request) -> OidcLogins:
    oidc: OidcLogins = request.app.state.platform.oidc
    return oidc
