"""Typed ids. UUIDs are upper case everywhere and time-ordered when new; anything else is refused at the edge.

New ids are version 7 UUIDs: the millisecond, a number within it that counts up, so that they strictly increase within
a process, then random bits.
"""

import hashlib
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import product
from typing import NamedTuple, NewType

EventId = NewType("EventId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
MessageId = NewType("MessageId", str)
UserId = NewType("UserId", str)
TenantId = NewType("TenantId", str)
CorrelationId = NewType("CorrelationId", str)
TraceId = NewType("TraceId", str)

UUID_PATTERN = r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$"
"""A UUID in any case, as Python, Rust and JavaScript read it alike."""
_UUID = re.compile(UUID_PATTERN.removesuffix("$") + r"\Z")

_UUID_LENGTH = 36


class _Millisecond(NamedTuple):
    """The ids of one millisecond that are left, and when it is over, in nanoseconds."""

    ids: Iterator[str]
    end_ns: int


class _TimeOrdered:
    """Source of version 7 UUIDs. The random part is drawn anew every millisecond and in a forked child.

    Taking the next id is one step for all threads; only going on to another millisecond needs the lock. A clock that
    goes back, or more than 4,096 ids in a millisecond, have the next ids run ahead of the clock.
    """

    def __init__(self) -> None:
        self._random = random.Random()  # noqa: S311 - ids are names, not secrets
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    @contextmanager
    def drawn_from(self, seed: int, time_ns: Callable[[], int]) -> Iterator[None]:
        """Within the block ids come from a seed and a clock of its own, the same each time: for simulations."""
        self._begin()
        self._random.seed(seed)
        self._time_ns = time_ns
        try:
            yield
        finally:
            self._begin()

    def _begin(self) -> None:
        self._random.seed(os.urandom(32))
        self._time_ns = time.time_ns
        self._lock = threading.Lock()
        self._now = _Millisecond(iter(()), 0)

    def __call__(self) -> str:
        now = self._now
        if (time_ns := self._time_ns()) >= now.end_ns:
            now = self._at_least(time_ns)
        new = next(now.ids, None)
        while new is None:  # all ids of this millisecond are taken
            now = self._at_least(now.end_ns)
            new = next(now.ids, None)
        return new

    def _at_least(self, time_ns: int) -> _Millisecond:
        with self._lock:
            if time_ns >= self._now.end_ns:
                time = time_ns // _MILLISECOND
                head = f"{time >> 16:08X}-{time & 0xFFFF:04X}-7"
                tail = f"-{0x8000 | self._random.getrandbits(14):04X}-{self._random.getrandbits(48):012X}"
                ids = map(f"{head}%s{tail}".__mod__, _HEX3)
                self._now = _Millisecond(ids, (time + 1) * _MILLISECOND)
            return self._now


_MILLISECOND = 1_000_000
_HEX3 = tuple(map("".join, product("0123456789ABCDEF", repeat=3)))
new_id = _TimeOrdered()
"""A new time-ordered UUID in upper case."""


def is_uuid(text: str) -> bool:
    """Whether a text has the shape of a UUID, in any case."""
    return _UUID.match(text) is not None


def canonical_id(text: str) -> str:
    """An id as it is kept: upper case if it is a UUID, unchanged otherwise (agent names, provider ids)."""
    return text.upper() if len(text) == _UUID_LENGTH and is_uuid(text) else text


@lru_cache(maxsize=1024)
def session_id(text: str) -> SessionId:
    """A session id given in any case, as it is kept. Raises `ValueError` for anything that is no UUID."""
    if not is_uuid(text):
        raise ValueError(f"a session id is a UUID, got {text!r}")
    return SessionId(text.upper())


def id_within(turn_id: str, place: str) -> str:
    """The id of a place in a turn, the same in every process: a version 8 UUID of the turn's time and a digest.

    Ids of one turn lie side by side in an index, as new ones do.
    """
    digest = hashlib.sha256(f"{turn_id}|{place}".encode()).hexdigest().upper()
    return f"{turn_id[:13]}-8{digest[:3]}-{'89AB'[int(digest[3], 16) % 4]}{digest[4:7]}-{digest[7:19]}"


def trace_id_for(correlation_id: str) -> TraceId:
    """The W3C trace id of a correlation id: its own digits if it is a UUID, else a digest of it."""
    if is_uuid(correlation_id):
        return TraceId(correlation_id.replace("-", "").lower())
    return TraceId(hashlib.sha256(correlation_id.encode()).hexdigest()[:32])
