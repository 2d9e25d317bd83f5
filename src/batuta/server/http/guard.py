"""The guard of every HTTP route: origin, access and CSRF are checked before the body is read.

All routers use `GuardedRoute`, so a route cannot be added around it. What no store can keep as it was sent is refused
here, too: text with the character NUL in it, and numbers that JSON cannot say.
"""

import hmac
import ipaddress
import json
import math
import re
from collections.abc import Callable, Coroutine, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, NoReturn
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from batuta.kernel.ids import canonical_id, is_uuid
from batuta.server.config import Settings
from batuta.server.database.principal import act_as
from batuta.server.http.dependencies import service_of
from batuta.server.policy import FREE_PARAMETERS, ROUTES, UNSAFE, Access, AccessRule
from batuta.server.precedence import MessagePrecedence
from batuta.server.problems import ForbiddenProblem, InvalidProblem, NotFoundProblem, Problem
from batuta.server.security.access_control import COOKIE, KEY_PREFIX, AccessControl, shown_credential
from batuta.server.security.ownership import Caller
from batuta.server.security.refusals import STATUSES as REFUSALS
from batuta.server.security.refusals import AccessRefusal, AccessRefusals

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
FORWARDED = frozenset(
    {
        *("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server"),
        *("x-real-ip", "x-client-ip", "x-original-forwarded-for", "true-client-ip", "cf-connecting-ip"),
    }
)
"""What proxies add: no program of this machine sends it."""
BEARER = "bearer "

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class GuardedRoute(APIRoute):
    """A route that asks the policy first."""

    def get_route_handler(self) -> Handler:
        """Guard, then handle."""
        handle = super().get_route_handler()
        rules = {method: rule_of(method, self.path) for method in self.methods or ()}

        async def guarded(received: Request) -> Response:
            request = StrictRequest(received.scope, received.receive)
            rule = rules[request.method]
            try:
                async with service_of(request, MessagePrecedence).by_priority(rule.priority):
                    await admit(request, rule)
                    check_address(request.scope.get("raw_path", b""), request.scope["query_string"])
                    if request.method in UNSAFE and not rule.is_streamed:
                        check_body(await request.body())
                    return await handle(request)
            except Problem as problem:
                note_refusal(request, f"{request.method} {self.path}", rule, problem)
                raise

        return guarded


class StrictRequest(Request):
    """A request whose JSON holds finite numbers only: Python would read `NaN` and `1e400`, too."""

    async def json(self) -> Any:
        """The body. Raises `InvalidProblem` for such a number, and what Python raises for what is no JSON."""
        return json.loads(await self.body(), parse_constant=_refuse_number, parse_float=_finite)


def new_router(**options: Any) -> APIRouter:
    """A router whose routes are guarded."""
    return APIRouter(route_class=GuardedRoute, **options)


def rule_of(method: str, path: str) -> AccessRule:
    """The row of a route. Raises `LookupError`: a route without one must not come up."""
    rule = ROUTES.get(f"{method} {path}")
    if rule is None:
        raise LookupError(f"the policy has no row for {method} {path}: add one to batuta.server.policy")
    return rule


async def admit(request: Request, rule: AccessRule) -> None:
    """Let a request in and note who calls, or raise a problem."""
    settings = service_of(request, Settings)
    if request.method in UNSAFE:
        check_origin(request.headers.get("origin"), request.headers.get("host"), settings)
    if rule.access is Access.PUBLIC:
        return
    if rule.access is Access.OPERATOR and (is_local(request) or settings.is_metrics_public):
        return
    ids = {name: value for name, value in request.path_params.items() if name not in FREE_PARAMETERS}
    caller = await service_of(request, AccessControl).admit(rule, secret_of(request), ids)
    check_csrf(request, caller)
    request.state.caller = caller
    act_as(caller.principal)


def note_refusal(request: Request, what: str, rule: AccessRule, problem: Problem) -> None:
    """Bring a refusal into the audit trail. A public address that leads nowhere refuses nothing."""
    is_nowhere = rule.access is Access.PUBLIC and problem.status == NotFoundProblem.status
    if problem.status not in REFUSALS or is_nowhere:
        return
    ids = {name: canonical_id(value) for name, value in request.path_params.items() if name not in FREE_PARAMETERS}
    refusal = AccessRefusal.of(
        problem,
        what,
        origin_of(request),
        caller=getattr(request.state, "caller", None),
        credential=None if rule.access is Access.PUBLIC else shown_credential(secret_of(request)),
        ids={name: value for name, value in ids.items() if is_uuid(value)},
    )
    service_of(request, AccessRefusals).note(refusal)


def secret_of(request: Request) -> str | None:
    """The key or the token of a login that a request brings."""
    return bearer_of(request.headers.get("authorization")) or login_of(request.cookies)


def check_csrf(request: Request, caller: Caller) -> None:
    """An unsafe request of a browser must bring the token that only its own pages know."""
    if request.method not in UNSAFE or caller.credential.kind == "key":
        return
    given = request.headers.get("x-csrf-token", "")
    if not hmac.compare_digest(given.encode(), caller.csrf_token.encode()):
        raise ForbiddenProblem("The CSRF token is missing or wrong. Reload the page.", code="CSRF")


def check_origin(origin: str | None, host: str | None, settings: Settings) -> None:
    """A request that a browser sends for another site's page is refused. Programs send no origin."""
    if origin is not None and not is_own_origin(origin, host, settings):
        raise ForbiddenProblem("This comes from another site.", code="FOREIGN_ORIGIN")


def is_own_origin(origin: str, host: str | None, settings: Settings) -> bool:
    """Whether a page of this platform has this origin."""
    if settings.public_url is not None:
        return origin == settings.public_url
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and origin == f"{parts.scheme}://{host}"


def bearer_of(header: str | None) -> str | None:
    """The secret of an `Authorization: Bearer …` header."""
    if header is None or not header.lower().startswith(BEARER):
        return None
    return header[len(BEARER) :].strip()


def login_of(cookies: Mapping[str, str]) -> str | None:
    """The token of a login. A key does not belong into a cookie, where other sites' pages could use it."""
    token = cookies.get(COOKIE)
    return None if token is None or token.startswith(KEY_PREFIX) else token


def cookies_of(header: str) -> dict[str, str]:
    """The cookies of a header; none of one that cannot be read."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def is_local(request: Request) -> bool:
    """Whether the request comes from this machine itself, not through a proxy on it."""
    is_forwarded = not FORWARDED.isdisjoint(request.headers)
    return request.client is not None and request.client.host in LOOPBACK and not is_forwarded


def address_of(request: Request) -> str:
    """Where a request comes from, behind the trusted proxies."""
    return request.client.host if request.client is not None else "unknown"


def network_of(request: Request) -> str:
    """The network a request comes from, for limits: one IPv6 client usually holds 2^64 addresses."""
    address = address_of(request)
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    mapped = parsed.ipv4_mapped
    return str(mapped) if mapped is not None else str(ipaddress.ip_network((parsed, 64), strict=False))


def origin_of(request: Request) -> str:
    """Where a request comes from, for the audit trail."""
    return origin_at(address_of(request))


def origin_at(address: str) -> str:
    """The same, by its address."""
    return f"request from {address}"


async def nothing_here() -> None:
    """The answer to a path that leads nowhere."""
    raise NotFoundProblem


_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def check_content(content: Any) -> None:
    """Refuse an object that holds such a text or number. Raises `InvalidProblem`."""
    if isinstance(content, str):
        if "\x00" in content:
            raise _refusal()
    elif isinstance(content, float):
        if not math.isfinite(content):
            _refuse_number("")
    elif isinstance(content, dict):
        for name, value in content.items():
            check_content(name)
            check_content(value)
    elif isinstance(content, list):
        for value in content:
            check_content(value)


def check_body(body: bytes) -> None:
    """Refuse a JSON document that holds such a text. Raises `InvalidProblem`."""
    if b"\\u0000" in body and _ESCAPED_NUL.search(body):
        raise _refusal()


def check_address(raw_path: bytes, query: bytes) -> None:
    """Refuse an address that holds such a text: nothing is there. Raises `NotFoundProblem`, or `InvalidProblem`."""
    if b"%00" in raw_path:
        raise NotFoundProblem
    if b"%00" in query:
        raise _refusal()


def _refusal() -> InvalidProblem:
    return InvalidProblem("A text holds the character NUL, which is no text.", code="NUL_CHARACTER")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse_number(digits)


def _refuse_number(text: str) -> NoReturn:
    raise InvalidProblem("A number is none that JSON can say: NaN, Infinity, or too large.", code="NOT_A_NUMBER")
