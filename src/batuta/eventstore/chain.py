"""The hash chain of a session: each record vouches for all before it, even after contents were erased.

digest = sha256(salt ‖ content)            needs the content; the salt keeps a short one from being guessed
link   = sha256(previous ‖ place ‖ digest)  needs only digests, so it still verifies after an erasure
"""

import hashlib
import secrets
from collections.abc import Iterator
from typing import NamedTuple

GENESIS = bytes(32)
SALT_BYTES = 16


class Sealed(NamedTuple):
    """A record's part of the chain."""

    salt: bytes | None
    digest: bytes
    link: bytes


class Place(NamedTuple):
    """What the chain says about a record besides its content."""

    session_id: str
    epoch: int
    seq: int
    event_id: str
    type: str


def salts(count: int) -> Iterator[bytes]:
    """So many fresh salts, drawn at once: asking the system for each costs more than the digest."""
    drawn = secrets.token_bytes(SALT_BYTES * count)
    return (drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES))


def seal(previous: bytes, place: Place, payload: str, salt: bytes) -> Sealed:
    """Chain a new record to the previous link of its session."""
    digest = digest_of(salt, payload)
    return Sealed(salt, digest, link_of(previous, place, digest))


def digest_of(salt: bytes, payload: str) -> bytes:
    """The salted digest of a record's content."""
    return hashlib.sha256(salt + payload.encode("utf-8", "surrogatepass")).digest()


def link_of(previous: bytes, place: tuple[str, int, int, str, str], digest: bytes) -> bytes:
    """The link of a record whose content has this digest. `place` is a `Place`, or its fields in that order."""
    session_id, epoch, seq, event_id, kind = place
    text = f"|{session_id}|{epoch}|{seq}|{event_id}|{kind}|"
    return hashlib.sha256(previous + text.encode() + digest).digest()
