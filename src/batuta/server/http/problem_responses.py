"""Responses to requests that failed: problem+json, also for the errors of FastAPI and Starlette."""

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from batuta.server.problems import BY_STATUS, MEDIA_TYPE, InvalidProblem, Problem, fields_of, problem_of


async def respond(request: Request, error: Exception) -> JSONResponse:
    """The response to a request that failed."""
    problem = _problem_of(error)
    return JSONResponse(problem.body(), status_code=problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, RequestValidationError):
        return InvalidProblem(fields=fields_of(error.errors()))
    if isinstance(error, HTTPException):
        # FastAPI says of whatever goes wrong while a body is read that it could not be: the reason may be ours.
        return error.__cause__ if isinstance(error.__cause__, Problem) else _of_status(error)
    return problem_of(error)


def _of_status(error: HTTPException) -> Problem:
    kind = BY_STATUS.get(error.status_code)
    if kind is not None:
        return kind(headers=error.headers)
    problem = Problem(str(error.detail), code=f"HTTP_{error.status_code}", headers=error.headers)
    problem.status, problem.title = error.status_code, str(error.detail)  # type: ignore[misc]
    return problem
