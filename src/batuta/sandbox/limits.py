"""Limits and faults: what a client has to live with in the cloud, at a size that a test can reach.

    limits = RequestLimits(requests=600, window=timedelta(minutes=5))

A fault is asked for by the request itself (`X-Sandbox-Fault: 503`) or put up beforehand for the next requests of
any client (`POST /sandbox/faults`), for clients that cannot send a header.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import ceil
from typing import Final

from batuta.sandbox.errors import BadRequestError, SandboxError

MOST_CLIENTS: Final = 10_000
"""Names of clients that are remembered."""


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """Limits for each client, as the documentation states them for the cloud."""

    requests: int = 6_000
    window: timedelta = timedelta(minutes=5)
    at_once: int = 100
    """Requests in work and waiting: 5 and 95."""


class AnswerLoss(StrEnum):
    DROPPED = "dropped"
    """The connection closes before the answer."""
    CUT = "cut"
    """The connection closes in the middle of the body."""
    TRUNCATED = "truncated"
    """A body that ends in the middle, as if it were whole."""


@dataclass(frozen=True, kw_only=True)
class InjectedFault:
    status: int
    code: str
    retry_after_seconds: int | None = None
    is_executed: bool = False
    """The request is carried out, and only its answer is lost."""
    is_slow: bool = False
    """The answer comes after the delay that the settings name."""
    loss: AnswerLoss | None = None
    """What happens to the true answer on its way, instead of an error."""


FAULTS: Final = {
    "401": InjectedFault(status=401, code="Authentication_InvalidCredentials"),
    "403": InjectedFault(status=403, code="Authorization_RequestDenied"),
    "408": InjectedFault(status=408, code="Unknown"),
    "429": InjectedFault(status=429, code="Application_TooManyRequests", retry_after_seconds=1),
    "500": InjectedFault(status=500, code="Internal_ServerError"),
    "502": InjectedFault(status=502, code="Unknown", retry_after_seconds=1),
    "503": InjectedFault(status=503, code="Internal_TenantUnavailable", retry_after_seconds=1),
    "504": InjectedFault(status=504, code="Unknown"),
    "timeout": InjectedFault(status=504, code="Unknown", is_slow=True),
    "executed-504": InjectedFault(status=504, code="Unknown", is_executed=True),
    "executed-dropped": InjectedFault(status=0, code="", loss=AnswerLoss.DROPPED),
    "executed-cut": InjectedFault(status=0, code="", loss=AnswerLoss.CUT),
    "executed-truncated": InjectedFault(status=0, code="", loss=AnswerLoss.TRUNCATED),
}


NO_FAULT: Final = "none"


class TooManyRequestsError(SandboxError):
    status = 429
    code = "Application_TooManyRequests"

    def __init__(self, message: str, *, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class RequestLimiter:
    """Counts requests of each client in a sliding window, and those in work."""

    def __init__(self, limits: RequestLimits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)
        self._at_work: defaultdict[str, int] = defaultdict(int)

    @contextmanager
    def admitted(self, client: str) -> Iterator[None]:
        """Let a request in, or refuse it with the seconds to wait."""
        with self._lock:
            self._admit(client)
        try:
            yield
        finally:
            with self._lock:
                self._at_work[client] -= 1
                if not self._at_work[client]:
                    del self._at_work[client]

    def _admit(self, client: str) -> None:
        if len(self._times) > MOST_CLIENTS:
            self._times.clear()  # names are free where no client is registered: they must not fill the memory
        now, times = self._clock(), self._times[client]
        window = self._limits.window.total_seconds()
        while times and times[0] <= now - window:
            times.popleft()
        if len(times) >= self._limits.requests:
            wait = max(1, ceil(times[0] + window - now))
            raise TooManyRequestsError("Too many requests: wait, then try again.", retry_after_seconds=wait)
        if self._at_work[client] >= self._limits.at_once:
            raise TooManyRequestsError("Too many requests at once: wait, then try again.", retry_after_seconds=1)
        times.append(now)
        self._at_work[client] += 1


class FaultPlan:
    """The faults that were put up for the next requests, in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[InjectedFault | None] = deque()

    def put_up(self, names: list[str]) -> None:
        """Plan the next requests; the name `none` lets one through."""
        faults = [None if name == NO_FAULT else fault_named(name) for name in names]
        with self._lock:
            self._waiting.extend(faults)

    def next(self, asked: str) -> InjectedFault | None:
        """The fault that a request asks for, or the next one that was put up."""
        if asked:
            return fault_named(asked)
        with self._lock:
            return self._waiting.popleft() if self._waiting else None


def fault_named(name: str) -> InjectedFault:
    fault = FAULTS.get(name.strip().lower())
    if fault is None:
        raise BadRequestError(f"'{name[:40]}' is not a fault of this sandbox; these are: {', '.join(FAULTS)}.")
    return fault
