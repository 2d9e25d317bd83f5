"""Errors as the API tells them: problem+json (RFC 9457) over HTTP, the same object in a socket's acknowledgement.

raise NotFoundProblem()      in a service
problem_of(error)            at the edge: ours, foreign or unexpected, always with a code and never with internals
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError

from batuta.kernel import errors

log = logging.getLogger("batuta.server")

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:batuta:problem:"


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    field: str
    message: str


class ProblemBody(BaseModel):
    """The body of every error."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem] | None = None


class Problem(Exception):  # noqa: N818 - the word of RFC 9457
    """A request that is answered with an error."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL"
    title: ClassVar[str] = "Something went wrong"
    detail: ClassVar[str] = "The server could not do this. Try again; if it stays so, tell your administrator."

    def __init__(
        self,
        detail: str | None = None,
        *,
        code: str | None = None,
        fields: Sequence[FieldProblem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail or self.detail)
        self.own_detail = detail or self.detail
        self.own_code = code or self.code
        self.fields = tuple(fields)
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """As JSON."""
        body = ProblemBody(
            type=TYPE_PREFIX + self.own_code.lower().replace("_", "-"),
            title=self.title,
            status=self.status,
            detail=self.own_detail,
            code=self.own_code,
            errors=list(self.fields) or None,
        )
        return body.model_dump(exclude_none=True)


class BadRequestProblem(Problem):
    """The request makes no sense."""

    status, code, title = 400, "BAD_REQUEST", "The request cannot be understood"
    detail = "The request cannot be understood."


class UnknownHostProblem(Problem):
    """The request names a host that is not ours."""

    status, code, title = 400, "UNKNOWN_HOST", "This is not the address of the platform"
    detail = "Use the address the platform was set up for; an administrator adds others to `allowed_hosts`."


class UnauthorizedProblem(Problem):
    """No user is logged in."""

    status, code, title = 401, "UNAUTHORIZED", "Please log in"
    detail = "Log in first."


class ForbiddenProblem(Problem):
    """The logged-in user may not do this."""

    status, code, title = 403, "FORBIDDEN", "Not allowed"
    detail = "You may not do this."


class NotFoundProblem(Problem):
    """There is no such thing, or it belongs to another user: the two look the same."""

    status, code, title = 404, "NOT_FOUND", "Not found"
    detail = "There is no such thing."


class ConflictProblem(Problem):
    """It was decided or used otherwise before."""

    status, code, title = 409, "CONFLICT", "Another change was first"
    detail = "This was done before with other content."


class TooLargeProblem(Problem):
    """More than the server takes."""

    status, code, title = 413, "TOO_LARGE", "Too large"
    detail = "The request is larger than the server takes."


class InvalidProblem(Problem):
    """Fields of the request are wrong."""

    status, code, title = 422, "INVALID", "Some fields are wrong"
    detail = "Some fields are wrong."


class TooManyProblem(Problem):
    """Too often in too short a time."""

    status, code, title = 429, "TOO_MANY_REQUESTS", "Too many attempts"
    detail = "Too many attempts. Wait a moment."


class UnavailableProblem(Problem):
    """Something the server needs is away."""

    status, code, title = 503, "UNAVAILABLE", "Not available for now"
    detail = "The server cannot reach its database. Try again in a moment."


class NoRoomProblem(Problem):
    """The disk of the server is full."""

    status, code, title = 507, "NO_ROOM", "No room"
    detail = "The server has no room for this file. Try again later; if it stays so, tell your administrator."


OURS: tuple[tuple[type[errors.BatutaError], type[Problem]], ...] = (
    (errors.StoreUnavailableError, UnavailableProblem),
    (errors.EventTooLargeError, TooLargeProblem),
    (errors.EventRefusedError, InvalidProblem),
    (errors.ConflictError, ConflictProblem),
    (errors.RateLimitedError, TooManyProblem),
)
"""What errors of the framework become; the first that fits."""

BY_STATUS: dict[int, type[Problem]] = {
    problem.status: problem for problem in reversed(Problem.__subclasses__()) if problem.status != 500
}
"""The general one of each status: it comes before those that say more."""


def problem_of(error: BaseException) -> Problem:
    """The problem for an error. An unexpected one is logged and shown without its content."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationError):
        return InvalidProblem(fields=fields_of(error.errors()))
    for kind, problem in OURS:
        if isinstance(error, kind):
            return problem(code=error.code)
    log.error("an unexpected error was answered as a problem", exc_info=error)
    return Problem()


def fields_of(details: Sequence[Any]) -> list[FieldProblem]:
    """What is wrong with each field, from the errors of pydantic."""
    return [FieldProblem(field=_field(detail["loc"]), message=str(detail["msg"])) for detail in details]


def _field(location: Sequence[int | str]) -> str:
    """Where in the request, without the part of FastAPI's path that names body or query."""
    parts = [str(part) for part in location]
    return ".".join(parts[1:] if parts[:1] in (["body"], ["query"], ["path"], ["header"]) else parts)
