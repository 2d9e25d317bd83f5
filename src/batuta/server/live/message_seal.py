"""Messages between processes over an untrusted bus: signed, bounded, and each counts once.

    v1.<HMAC-SHA256>.<JSON>

The signature is checked before the JSON is read. A message of another version, an old one, and one that was seen
before are refused like a forged one.
"""

import hashlib
import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

VERSION = b"v1"
LARGEST_MESSAGE = 1_048_576
OLDEST_SECONDS = 120.0
"""How old a message may be, or how far the clocks of two machines may differ."""
ORIGINS = 1_000


class MessageSeal:
    """Seals and opens messages with one key."""

    def __init__(self, key: bytes, *, now: Callable[[], float] = time.time) -> None:
        self._key = key
        self._now = now
        self._number = 0
        self._seen: OrderedDict[str, int] = OrderedDict()

    def sealed(self, content: Mapping[str, Any]) -> bytes:
        """A message with this content, which names its `origin`."""
        self._number += 1
        body = json.dumps({**content, "number": self._number, "at": self._now()}).encode()
        return b".".join((VERSION, self._signature(body), body))

    def opened(self, message: bytes) -> dict[str, Any]:
        """What a message says. Raises `ValueError` if it is not one of ours, too old, or was opened before."""
        if len(message) > LARGEST_MESSAGE:
            raise ValueError("too large")
        version, _, rest = message.partition(b".")
        signature, _, body = rest.partition(b".")
        if version != VERSION or not hmac.compare_digest(signature, self._signature(body)):
            raise ValueError("not signed by us")
        content: dict[str, Any] = json.loads(body)
        if abs(self._now() - content["at"]) > OLDEST_SECONDS:
            raise ValueError("too old")
        self._count(str(content["origin"]), int(content["number"]))
        return content

    def _count(self, origin: str, number: int) -> None:
        if number <= self._seen.get(origin, 0):
            raise ValueError("seen before")
        self._seen[origin] = number
        self._seen.move_to_end(origin)
        while len(self._seen) > ORIGINS:
            self._seen.popitem(last=False)

    def _signature(self, body: bytes) -> bytes:
        return hmac.new(self._key, VERSION + b"." + body, hashlib.sha256).hexdigest().encode()
