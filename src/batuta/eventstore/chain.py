"""The hash chain of a session: each record vouches for all before it, even after contents were erased.

digest = sha256(salt ‖ content)            needs the content; the salt keeps a short one from being guessed
link   = sha256(previous ‖ place ‖ digest)  needs only digests, so it still verifies after an erasure
"""

import hashlib
import os
import secrets
from typing import NamedTuple

GENESIS = bytes(32)
SALT_BYTES = 16
_SALTS_AT_ONCE = 256


class Sealed(NamedTuple):
    """A record's part of the chain."""

    salt: bytes | None
    digest: bytes
    link: bytes


class ChainPlace(NamedTuple):
    """What the chain says about a record besides its content."""

    session_id: str
    epoch: int
    seq: int
    event_id: str
    type: str


_drawn: list[bytes] = []
"""Unused salts. A forked child draws its own."""
os.register_at_fork(after_in_child=_drawn.clear)


def fresh_salt() -> bytes:
    """A salt that was never used. Many are drawn at once: asking the system for each costs more than the digest."""
    while True:
        try:
            return _drawn.pop()
        except IndexError:  # another thread may take what is drawn here: then more is drawn
            drawn = secrets.token_bytes(SALT_BYTES * _SALTS_AT_ONCE)
            _drawn.extend(drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES))


def seal(previous: bytes, place: ChainPlace, payload: str, salt: bytes) -> Sealed:
    """Chain a new record to the previous link of its session."""
    digest = digest_of(salt, payload)
    return Sealed(salt, digest, link_of(previous, place, digest))


def digest_of(salt: bytes, payload: str) -> bytes:
    """The salted digest of a record's content."""
    return hashlib.sha256(salt + payload.encode("utf-8", "surrogatepass")).digest()


def link_of(previous: bytes, place: tuple[str, int, int, str, str], digest: bytes) -> bytes:
    """The link of a record whose content has this digest. `place` is a `ChainPlace`, or its fields in that order."""
    session_id, epoch, seq, event_id, kind = place
    text = f"|{session_id}|{epoch}|{seq}|{event_id}|{kind}|"
    return hashlib.sha256(previous + text.encode() + digest).digest()
