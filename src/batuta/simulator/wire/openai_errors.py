"""The error body both OpenAI wire formats share."""

from batuta.simulator.answers import Json
from batuta.simulator.wire.dialect import WireFailure

ERROR_KINDS: dict[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    413: ("invalid_request_error", "request_too_large"),
    429: ("requests", "rate_limit_exceeded"),
}
SERVER_ERROR = ("server_error", "server_error")
CLIENT_ERROR = ("invalid_request_error", None)


def error(failure: WireFailure) -> Json:
    kind, code = ERROR_KINDS.get(failure.status, SERVER_ERROR if failure.status >= 500 else CLIENT_ERROR)
    return {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}
