"""What the sandbox refuses, in the words and with the status codes of the Business Central API.

SandboxError
├── BadRequestError       BadRequest_*      the request itself is wrong
├── ApplicationError      Application_*     a business rule refuses it
├── RecordNotFoundError   Internal_*        what it speaks of does not exist
├── EntityChangedError    Request_*         another request changed the record
└── MethodNotAllowedError BadRequest_*      the method does not go with the address; the answer names those that do
"""

from collections.abc import Iterable


class SandboxError(Exception):
    """A refusal with the code and the HTTP status that a client sees."""

    status = 400
    code = "Unknown"

    def __init__(self, message: str, *, code: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.status = status or type(self).status


class BadRequestError(SandboxError):
    code = "BadRequest"


class ApplicationError(SandboxError):
    """A business rule: `ApplicationError("The customer is blocked.")`."""

    code = "Application_DialogException"


class RecordNotFoundError(SandboxError):
    status = 404
    code = "Internal_RecordNotFound"


class EntityChangedError(SandboxError):
    status = 409
    code = "Request_EntityChanged"


class MethodNotAllowedError(SandboxError):
    status = 405
    code = "BadRequest_MethodNotAllowed"

    def __init__(self, message: str, allowed: Iterable[str]) -> None:
        super().__init__(message)
        methods = set(allowed)
        self.allowed = ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))
        """The value of the header `Allow`."""
