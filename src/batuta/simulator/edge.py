"""The HTTP edge: a request becomes facts, facts become a plan, the plan is delivered.

receive -> refuse (headers, JSON, the provider's rules) or cue (scenario) -> fault -> pace -> deliver
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from aiohttp import web

from batuta.simulator import embeddings
from batuta.simulator.answers import Fault, Json, Provider
from batuta.simulator.delivery import deliver
from batuta.simulator.exchanges import Exchange, Ledger
from batuta.simulator.faults import FAULTS, FaultError, Strike, parse_fault
from batuta.simulator.memory import ResponseMemory
from batuta.simulator.plans import DeliveryPlan, answer_plan, body_plan, failure_plan, paced
from batuta.simulator.playback import Playback
from batuta.simulator.rules import validate_request
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.dialect import Dialect, WireFailure
from batuta.simulator.wire.turn import WireTurn

FAULT_HEADER = "x-simulator-fault"
ROUTES: tuple[tuple[str, Provider], ...] = (
    ("/v1/messages", "anthropic"),
    ("/v1/chat/completions", "openai_chat"),
    ("/v1/responses", "openai_responses"),
    (r"/{prefix:(.*/)?}models/{model:[^/:]+}:{method:(generateContent|streamGenerateContent)}", "google"),
)
EMBEDDING_ROUTES: tuple[tuple[str, Provider], ...] = (
    ("/v1/embeddings", "openai_chat"),
    (r"/{prefix:(.*/)?}models/{model:[^/:]+}:{method:batchEmbedContents}", "google"),
)


Cued = Callable[[Dialect, Exchange, Fault | None], DeliveryPlan]
"""From a request to what is delivered. Raises `RefusedError`."""


class RefusedError(Exception):
    """A request the provider would refuse, with the error it would give."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.failure = WireFailure(status=status, message=message)


@dataclass
class Edge:
    """Answers the providers' endpoints from one playback, which may be replaced at any time."""

    playback: Playback
    ledger: Ledger
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self._memory = ResponseMemory()

    def add_routes(self, app: web.Application) -> None:
        for path, provider in ROUTES:
            app.router.add_post(path, partial(self._answer, DIALECTS[provider], self._cued_plan))
        for path, provider in EMBEDDING_ROUTES:
            app.router.add_post(path, partial(self._answer, DIALECTS[provider], self._embedding_plan))

    async def _answer(self, dialect: Dialect, cued: Cued, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body, reason = _parsed(raw, request)
        headers = dict(request.headers)
        exchange = self.ledger.open(provider=dialect.provider, path=request.path, headers=headers, body=body)
        try:
            plan = self._plan(request, cued, dialect, exchange, reason)
            exchange.status = plan.status
            return await deliver(plan, request, lambda step: self.ledger.sent(exchange, step.ends_event))
        except (asyncio.CancelledError, ConnectionError):
            if request.transport is None or request.transport.is_closing():
                self.ledger.client_left(exchange)
            raise
        finally:
            self.ledger.close(exchange)

    def _plan(
        self, request: web.Request, cued: Cued, dialect: Dialect, exchange: Exchange, reason: str | None
    ) -> DeliveryPlan:
        try:
            _check_headers(request, dialect)
            _check_parsed(reason)
            plan = cued(dialect, exchange, _requested_fault(request))
        except RefusedError as refused:
            plan = failure_plan(dialect, refused.failure)
        identity = {dialect.request_id_header: f"req_simulated_{exchange.number}"}
        return replace(plan, headers={**identity, **dialect.response_headers, **plan.headers})

    def _cued_plan(self, dialect: Dialect, exchange: Exchange, requested: Fault | None) -> DeliveryPlan:
        scenario = self.playback.scenario
        turn = self._turn(dialect, exchange)
        exchange.model, exchange.streaming = turn.asked.model, turn.asked.streaming
        earlier = self._memory.items_before(exchange.body)
        exchange.problems = validate_request(dialect.provider, exchange.body, earlier=earlier)
        if exchange.problems and scenario.check_requests:
            raise RefusedError(400, "; ".join(exchange.problems))
        cue = self.playback.next(turn.asked, requested)
        pace = cue.answer.pace or scenario.pace
        turn = replace(turn, pace=pace)
        effect = None if cue.fault is None else FAULTS[cue.fault.kind]
        answer = cue.answer if effect is None else effect.answer(cue.answer)
        plan = answer_plan(dialect, answer, turn)
        if cue.fault is not None and effect is not None:
            exchange.fault = cue.fault.kind
            plan = effect.plan(plan, Strike(cue.fault, dialect, turn))
        if dialect.provider == "openai_responses":
            self._memory.keep(exchange.body, dialect.whole(answer, turn))
        return paced(plan, pace)

    def _embedding_plan(self, dialect: Dialect, exchange: Exchange, requested: Fault | None) -> DeliveryPlan:
        """Vectors are no part of a scenario: they follow from the texts. Faults strike as elsewhere."""
        exchange.model = str(exchange.body.get("model", ""))
        exchange.problems = embeddings.problems(dialect.provider, exchange.body)
        if exchange.problems and self.playback.scenario.check_requests:
            raise RefusedError(400, "; ".join(exchange.problems))
        plan = body_plan(embeddings.answer(dialect.provider, exchange.body))
        fault = self.playback.next_fault(requested)
        if fault is not None:
            exchange.fault = fault.kind
            plan = FAULTS[fault.kind].plan(plan, Strike(fault, dialect, self._turn(dialect, exchange)))
        return paced(plan, self.playback.scenario.pace)

    def _turn(self, dialect: Dialect, exchange: Exchange) -> WireTurn:
        scenario = self.playback.scenario
        return WireTurn(
            asked=dialect.read(exchange.body),
            seed=scenario.seed,
            number=exchange.number,
            created=int(self.clock()),
            pace=scenario.pace,
        )


def _parsed(raw: bytes, request: web.Request) -> tuple[Json, str | None]:
    """The body as an object, or the reason it is none; what stands in the path joins it."""
    try:
        body = json.loads(raw)
    except ValueError as error:
        return {}, f"The body is not valid JSON: {error}"
    if not isinstance(body, dict):
        return {}, "The body must be a JSON object."
    if "model" in request.match_info:
        is_streaming = request.match_info["method"] == "streamGenerateContent"
        body = {**body, "model": request.match_info["model"], "stream": is_streaming}
    return body, None


def _check_headers(request: web.Request, dialect: Dialect) -> None:
    has_key = any(request.headers.get(name) for name in dialect.credential_headers) or request.query.get("key")
    if not has_key:
        raise RefusedError(401, f"No API key: send one in {' or '.join(dialect.credential_headers)}.")
    for name in dialect.required_headers:
        if name not in request.headers:
            raise RefusedError(400, f"{name}: header is required")


def _check_parsed(reason: str | None) -> None:
    if reason is not None:
        raise RefusedError(400, reason)


def _requested_fault(request: web.Request) -> Fault | None:
    text = request.headers.get(FAULT_HEADER)
    try:
        return parse_fault(text) if text else None
    except FaultError as error:
        raise RefusedError(400, str(error)) from error
