"""The service: one request in, one response out, without a socket.

    sandbox = Sandbox(store, behaviour)
    response = sandbox.handle(SandboxRequest.of("GET", "/api/v2.0/companies"))

`handle` may be called from any thread and never raises. The ladder of a request: `handle` turns errors into answers →
`_admitted` checks the token, the limits and the faults → `_routed` finds the endpoint → `ApiCall` answers it.
"""

import logging
import secrets
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from batuta.sandbox.api import ApiCall
from batuta.sandbox.batches import answer_batch
from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.changes import ChangeRecorder, RowChange
from batuta.sandbox.controls import SandboxControls
from batuta.sandbox.errors import BadRequestError, MethodNotAllowedError, SandboxError
from batuta.sandbox.limits import (
    AnswerLoss,
    FaultPlan,
    InjectedFault,
    RequestLimiter,
    RequestLimits,
    TooManyRequestsError,
)
from batuta.sandbox.paths import ApiPath, parse_api_path
from batuta.sandbox.quirks import Manner
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.resources import not_found
from batuta.sandbox.tokens import TokenIssuer
from batuta.sandbox.webhooks import Notifier, Sender, WebhookSettings, post_over_http

log = logging.getLogger("batuta.sandbox")
PREVIEW: Final = "x-sandbox-preview"
FAULT: Final = "x-sandbox-fault"


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    manner: Manner = Manner.TEACH
    environment: str = "sandbox"
    tenant: str = "00000000-0000-4000-8000-000000000001"
    clients: Mapping[str, str] = field(default_factory=dict)
    """Client id → secret. Without any, tokens are given to every client and not asked for."""
    token_lifetime: timedelta = timedelta(hours=1)
    limits: RequestLimits = field(default_factory=RequestLimits)
    largest_body_bytes: int = 32 * 1024 * 1024
    time_limit: timedelta = timedelta(seconds=20)
    """How long one request may work in the database."""
    slow_answer: timedelta = timedelta(seconds=5)
    """How late the answer of the fault `timeout` comes."""
    webhooks: WebhookSettings = field(default_factory=WebhookSettings)


class Sandbox:
    """A Business Central-compatible API over a store."""

    def __init__(
        self,
        store: SandboxStore,
        behaviour: Behaviour,
        settings: SandboxSettings | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        sender: Sender = post_over_http,
    ) -> None:
        self.store = store
        self.behaviour = behaviour
        self.settings = settings or SandboxSettings()
        self.recorder = ChangeRecorder(store, behaviour.ledgers)
        self._clock = clock
        self._sleep = sleep
        self._notifier = Notifier(store, self.settings.webhooks, sender=sender, clock=clock)
        self._notifier.register(behaviour)
        self._limiter = RequestLimiter(self.settings.limits, clock)
        self._faults = FaultPlan()
        self._controls = SandboxControls(store, self._faults, self.settings.manner)
        self._tokens = TokenIssuer(
            self.settings.clients, key=secrets.token_bytes(32), clock=clock, lifetime=self.settings.token_lifetime
        )

    def handle(self, request: SandboxRequest) -> SandboxResponse:
        """Answer a request; whatever is wrong with it is an answer too."""
        correlation = str(uuid.uuid4())
        try:
            response = self._admitted(request)
        except SandboxError as error:
            response = error_response(error, correlation)
        except (sqlite3.OperationalError, sqlite3.InterfaceError, OverflowError, RecursionError) as error:
            response = error_response(_explained(error), correlation)
        except Exception:
            log.exception("request failed: %s %s", request.method, request.path)
            failed = SandboxError("The sandbox failed on this request.", code="Internal_ServerError", status=500)
            response = error_response(failed, correlation)
        headers = {"OData-Version": "4.0", "request-id": correlation, **response.headers}
        return replace(response, headers=headers)

    def deliver_notifications(self) -> int:
        """Send the notifications of webhooks that are due; how many. A server calls it now and then."""
        return self._notifier.deliver_due()

    def _admitted(self, request: SandboxRequest) -> SandboxResponse:
        if len(request.body) > self.settings.largest_body_bytes:
            raise SandboxError("The body is too large.", code="BadRequest", status=413)
        if request.path.endswith("/oauth2/v2.0/token"):
            return self._tokens.issue(request)
        client = self._tokens.client_of(request)
        if request.path.startswith("/sandbox"):
            if request.method != "GET" and _asks_for_preview(request):
                raise BadRequestError("Snapshots and faults cannot be rehearsed: only requests to the API can.")
            return self._controls.answer(request)
        with self._limiter.admitted(client):
            fault = self._faults.next(request.header(FAULT))
            if fault is not None:
                return self._failing(fault, request)
            return self._routed(request)

    def _failing(self, fault: InjectedFault, request: SandboxRequest) -> SandboxResponse:
        if fault.loss is not None:
            return _lost(self._routed(request), fault.loss)
        if fault.is_executed:
            self._routed(request)
        if fault.is_slow:
            self._sleep(self.settings.slow_answer.total_seconds())
        error = SandboxError("A fault that was asked for.", code=fault.code, status=fault.status)
        response = error_response(error, str(uuid.uuid4()))
        wait = fault.retry_after_seconds
        headers = {**response.headers, **({"Retry-After": str(wait)} if wait is not None else {})}
        return SandboxResponse(status=fault.status, headers=headers, body=response.body)

    def _routed(self, request: SandboxRequest) -> SandboxResponse:
        if request.path.rstrip("/") == "/environments/v1.2":
            return SandboxResponse.of_json({"value": [self._environment(request)]})
        path = parse_api_path(request.path)
        if path is None:
            raise not_found(request.path)
        with self.store.lock, self._bounded_time():
            if _asks_for_preview(request):
                return self._rehearsed(request, path)
            if request.method in ("GET", "HEAD") or not self._notifier.has_subscriptions():
                return self._answered(request, path)
            with self.recorder.watch() as touched:
                response = self._answered(request, path)
            self._notifier.note(touched)
            return response

    def _rehearsed(self, request: SandboxRequest, path: ApiPath) -> SandboxResponse:
        """Carry a request out, show what it did, and take it back."""
        with self.recorder.rehearse() as rehearsal:
            response = self._answered(request, path)
        is_json = "json" in response.headers.get("Content-Type", "")
        body = response.json() if is_json else response.body.decode("utf-8", "replace") or None
        return SandboxResponse.of_json(
            {
                "preview": True,
                "status": response.status,
                "body": body,
                "changes": _shown(rehearsal.changes),
                "ledgers": _shown(rehearsal.ledgers),
            }
        )

    def _answered(self, request: SandboxRequest, path: ApiPath) -> SandboxResponse:
        # below a company too: clients that are given a company as their root post their batches there
        if [segment.name for segment in path.segments] in (["$batch"], ["companies", "$batch"]):
            return answer_batch(request, path, self.store, self._answered_part)
        return self._one_answer(request, path)

    def _one_answer(self, request: SandboxRequest, path: ApiPath) -> SandboxResponse:
        call = ApiCall(request, path, self.store, self.behaviour, self.settings.manner)
        if request.method in ("GET", "HEAD"):
            return call.answer()
        with self.store.transaction():
            return call.answer()

    def _answered_part(self, request: SandboxRequest) -> SandboxResponse:
        """One request inside a batch: its errors are answers, as if it had come alone."""
        try:
            path = parse_api_path(request.path)
            if path is None or any(segment.name == "$batch" for segment in path.segments):
                raise not_found(request.path)
            if request.header(PREVIEW):
                raise BadRequestError(
                    "A rehearsal is asked for with the header of the whole batch, not of a part of it."
                )
            return self._one_answer(request, path)
        except SandboxError as error:
            return error_response(error, str(uuid.uuid4()))

    def _environment(self, request: SandboxRequest) -> dict[str, str]:
        settings = self.settings
        return {
            "aadTenantId": settings.tenant,
            "applicationFamily": "BusinessCentral",
            "type": "Sandbox",
            "name": settings.environment,
            "countryCode": "ES",
            "webServiceUrl": request.origin,
            "webClientLoginUrl": f"{request.origin}/{settings.tenant}/{settings.environment}",
            "ringName": "Sandbox",
        }

    @contextmanager
    def _bounded_time(self) -> Iterator[None]:
        """Stop the database when a request has worked for too long."""
        end = self._clock() + self.settings.time_limit.total_seconds()
        self.store.connection.set_progress_handler(lambda: int(self._clock() > end), 5_000)
        try:
            yield
        finally:
            self.store.connection.set_progress_handler(None, 0)


def _lost(response: SandboxResponse, loss: AnswerLoss) -> SandboxResponse:
    """An answer that does not arrive whole."""
    half = len(response.body) // 2
    match loss:
        case AnswerLoss.DROPPED:
            return replace(response, delivered_bytes=0)
        case AnswerLoss.CUT:
            return replace(response, delivered_bytes=max(half, 1))
        case AnswerLoss.TRUNCATED:
            return replace(response, body=response.body[:half])


def _shown(changes: Mapping[str, list[RowChange]]) -> dict[str, list[dict[str, object]]]:
    return {
        name: [{"kind": each.kind, "before": each.before, "after": each.after} for each in listed]
        for name, listed in changes.items()
    }


def error_response(error: SandboxError, correlation: str) -> SandboxResponse:
    """The error body of Business Central."""
    body = {"error": {"code": error.code, "message": f"{error.message}  CorrelationId:  {correlation}."}}
    headers: dict[str, str] = {}
    if isinstance(error, TooManyRequestsError):
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, MethodNotAllowedError):
        headers["Allow"] = error.allowed
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return SandboxResponse.of_json(body, error.status, headers)


def _explained(error: Exception) -> SandboxError:
    """What the database or the interpreter refused because of the request, as an answer about the request."""
    if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
        return SandboxError("The request took too long: ask for less at once.", code="Unknown", status=408)
    if isinstance(error, sqlite3.OperationalError):
        log.error("database refused a request: %s", error)
        return SandboxError("The database is not available.", code="Internal_TenantUnavailable", status=503)
    return BadRequestError("The request is too deep or a number in it is too large.")


def _asks_for_preview(request: SandboxRequest) -> bool:
    """A value that means nothing is refused: who asks for a rehearsal must not write by a slip of the pen."""
    value = request.header(PREVIEW).strip().lower()
    if value not in ("", "true", "false"):
        raise BadRequestError(f"X-Sandbox-Preview is true or false, not {value[:40]!r}.")
    return value == "true"
