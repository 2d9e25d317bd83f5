"""A model protected from its provider's troubles: time limit, circuit breaker, rate limiter, retries.

    generate -> _with_retries -> _admitted (breaker, limiter) -> _within_limit (timeout) -> the model inside

Each try is limited by the `timeout` of the settings. The caller is notified of retries, of breakers that change
and of limits (`batuta.resilience.observer`).
"""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from batuta import resilience
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError, ProviderTimeoutError, RecordingFailedError
from batuta.kernel.messages import Answer, Delta
from batuta.llm.model import Model, ModelRequest
from batuta.llm.wrapper import WrappedModel, closing
from batuta.resilience.deadlines import StreamDeadline, expire
from batuta.resilience.observer import current_observer
from batuta.resilience.retry import Attempts, Randomness, RetryPolicy, exponential_backoff

if TYPE_CHECKING:  # a model object that a run protects by retries alone has neither
    from batuta.resilience.circuit_breaker import BreakerChange, CircuitBreaker, Signal
    from batuta.resilience.rate_limiter import RateLimiter

OVERLOADED = frozenset({503, 529})
"""Statuses whose repetition to the end of the policy opens the breaker and counts as a degradation."""


class _NotAdmittedError(Exception):
    """Carries what breaker or limiter raised past the retries."""

    def __init__(self, error: BatutaError) -> None:
        super().__init__(str(error))
        self.error = error


def _new_breaker() -> "CircuitBreaker":
    return resilience.CircuitBreaker()


@dataclass(frozen=True, kw_only=True)
class Protection:
    """What protects a model. Share one among the models of a process, so that breakers and limits count together."""

    retry: RetryPolicy = field(default_factory=exponential_backoff)
    breaker: "CircuitBreaker | None" = field(default_factory=_new_breaker)
    limiter: "RateLimiter | None" = None
    clock: Clock = SYSTEM_CLOCK
    rand: Randomness = random.random


_IMPOSED: ContextVar[Protection | None] = ContextVar("batuta_imposed_protection", default=None)


@contextmanager
def _imposing(protection: Protection) -> Iterator[None]:
    token = _IMPOSED.set(protection)
    try:
        yield
    finally:
        _IMPOSED.reset(token)


class ImposedProtection(WrappedModel):
    """A model whose protected core, however deep inside what is wrapped around it, is protected otherwise.

    The core takes it over when it is called. The wrappers stay the objects they are, with whatever they count or keep.
    """

    def __init__(self, inner: Model, protection: Protection) -> None:
        super().__init__(inner)
        self._protection = protection

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once, protected as imposed."""
        with _imposing(self._protection):
            return await self.inner.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same piece by piece; the reader of the pieces is outside of it."""
        with _imposing(self._protection):
            stream = self.inner.stream(request)
        async with closing(stream) as items:
            while True:
                with _imposing(self._protection):
                    item = await anext(items, None)
                if item is None:
                    return
                yield item


class ResilientModel(WrappedModel):
    """Tries again what may pass, and refuses at once what will not.

    A stream that breaks after its first delta is begun anew only if an observer is there to learn that what came so
    far is void (`Retry.discards_deltas`); else its error is raised.
    """

    def __init__(self, inner: Model, protection: Protection | None = None) -> None:
        super().__init__(inner)
        self._protection = protection or Protection()
        self._key = f"{_service_of(inner)}:{inner.name}"

    @property
    def protection(self) -> Protection:
        """What protects it."""
        return self._protection

    @property
    def key(self) -> str:
        """The name of this model's breaker and limit."""
        return self._key

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once, trying as often as the policy allows."""
        imposed = self._imposed()
        return await (self._generate(request) if imposed is None else imposed.generate(request))

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer piece by piece, trying as often as the policy allows."""
        imposed = self._imposed()
        return self._stream(request) if imposed is None else imposed.stream(request)

    def _imposed(self) -> "ResilientModel | None":
        """The same model under the protection that is imposed on this call, unless that is its own."""
        imposed = _IMPOSED.get()
        if imposed is None or imposed is self._protection:
            return None
        return ResilientModel(self.inner, imposed)

    async def _generate(self, request: ModelRequest) -> Answer:
        attempts = self._attempts()
        while True:
            try:
                answer = await self._generate_once(request)
            except _NotAdmittedError as refused:
                await _settle(attempts, is_successful=False)
                raise refused.error from None
            except BatutaError as error:
                await self._prepare_retry(attempts, error)
            else:
                await _settle(attempts, is_successful=True)
                return answer

    async def _stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        attempts = self._attempts()
        while True:
            has_begun = False
            try:
                async with closing(self._stream_once(request)) as items:
                    async for item in items:
                        has_begun = True
                        if isinstance(item, Answer):
                            await _settle(attempts, is_successful=True)
                        yield item
            except _NotAdmittedError as refused:
                await _settle(attempts, is_successful=False)
                raise refused.error from None
            except BatutaError as error:
                if has_begun and current_observer() is None:
                    raise
                await self._prepare_retry(attempts, error, discards_deltas=has_begun)
            else:
                return

    def _attempts(self) -> Attempts:
        return Attempts(self._protection.retry, self._protection.rand)

    async def _generate_once(self, request: ModelRequest) -> Answer:
        await self._admit()
        try:
            async with asyncio.timeout(None) as scope:
                expire(scope, asyncio.get_running_loop().time() + request.settings.timeout.total_seconds())
                answer = await self.inner.generate(request)
        except BaseException as error:
            failure = _too_late(request) if isinstance(error, TimeoutError) else error
            await self._report_outcome(failure)
            if failure is not error:
                raise failure from error
            raise
        await self._report_outcome(None)
        return answer

    async def _stream_once(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        await self._admit()
        has_answered = False
        deadline = StreamDeadline(request.settings.timeout.total_seconds())
        try:
            async with closing(self.inner.stream(request)) as items:
                while True:
                    with deadline:
                        item = await anext(items, None)
                    if isinstance(item, Answer) and not has_answered:
                        # Now, because its reader has what it wanted and may leave without asking for more.
                        has_answered = True
                        await self._report_outcome(None)
                    if item is None:
                        break
                    yield item
        except BaseException as error:
            failure = _too_late(request) if isinstance(error, TimeoutError) else error
            if not has_answered:
                await self._report_outcome(failure)
            if failure is not error:
                raise failure from error
            raise
        finally:
            deadline.stop()
        if not has_answered:
            await self._report_outcome(None)

    async def _admit(self) -> None:
        """Pass the breaker and the limiter."""
        if self._protection.breaker is None and self._protection.limiter is None:
            return
        try:
            await self._ask_breaker()
            await self._take_token()
        except BatutaError as error:
            raise _NotAdmittedError(error) from error

    async def _ask_breaker(self) -> None:
        if self._protection.breaker is not None:
            asked = self._protection.breaker.ask(self._key, clock=self._protection.clock)
            await _report_change(await asked)

    async def _take_token(self) -> None:
        limiter = self._protection.limiter
        if limiter is None:
            return
        try:
            await self._pass_limiter(limiter)
        except BaseException:
            await self._report_to_breaker(resilience.Signal.RELEASED)
            raise

    async def _pass_limiter(self, limiter: "RateLimiter") -> None:
        throttled = await limiter.reserve(self._key)
        if throttled is None:
            return
        observer = current_observer()
        if observer is not None:
            await observer.limiter_throttled(throttled)
        await limiter.settle(throttled)

    async def _report_outcome(self, error: BaseException | None) -> None:
        if self._protection.breaker is not None:
            await self._report_to_breaker(resilience.Signal.SUCCEEDED if error is None else resilience.signal_of(error))

    async def _report_to_breaker(self, signal: "Signal") -> None:
        if self._protection.breaker is not None:
            change = await self._protection.breaker.tell(self._key, signal, clock=self._protection.clock)
            await _report_change(change)

    async def _prepare_retry(self, attempts: Attempts, error: BatutaError, *, discards_deltas: bool = False) -> None:
        """Wait for the next try, or give up by raising the error. Who listens failing is no failure of the model."""
        if isinstance(error, RecordingFailedError):
            raise error
        await _settle(attempts, is_successful=False)
        retry = attempts.failed(error, discards_deltas=discards_deltas)
        if retry is None:
            await self._give_up(attempts, error)
            raise error
        observer = current_observer()
        if observer is not None:
            await observer.retry_attempted(retry)
            attempts.unsettled = retry
        await self._protection.clock.sleep(retry.delay_seconds)

    async def _give_up(self, attempts: Attempts, error: BatutaError) -> None:
        if not (attempts.are_used_up and getattr(error, "status", None) in OVERLOADED):
            return
        await self._report_to_breaker(resilience.Signal.EXHAUSTED)
        observer = current_observer()
        if observer is not None:
            await observer.degraded(self._key, error)


def _service_of(model: Model) -> str:
    """Who is asked in the end: the service that the innermost model names, else its provider."""
    core: object = model
    while (inner := getattr(core, "inner", None)) is not None:
        core = inner
    service = getattr(core, "service", None)
    return service if isinstance(service, str) else model.provider


def _too_late(request: ModelRequest) -> ProviderTimeoutError:
    """Names the time limit that passed; a model inside raises its own errors, never a bare `TimeoutError`."""
    seconds = request.settings.timeout.total_seconds()
    return ProviderTimeoutError(f"no complete answer within {seconds:g} s (ModelSettings.timeout)")


async def _settle(attempts: Attempts, *, is_successful: bool) -> None:
    """Report the outcome of a reported retry."""
    retry, attempts.unsettled = attempts.unsettled, None
    observer = current_observer()
    if retry is not None and observer is not None:
        await observer.retry_settled(retry, is_successful=is_successful)


async def _report_change(change: "BreakerChange | None") -> None:
    observer = current_observer()
    if change is not None and observer is not None:
        await observer.breaker_changed(change)
