"""Passwords: Argon2id, computed beside the event loop, a few at a time."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST, LONGEST = 10, 256
AT_ONCE = 2
"""Each costs tens of MiB and a core for a moment; a flood of logins waits in line instead of taking the machine."""


class Passwords:
    """Hashes and checks passwords."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._turnstile = asyncio.Semaphore(AT_ONCE)
        self._decoy: str | None = None

    async def hash(self, password: str) -> str:
        """A password as it is kept."""
        async with self._turnstile:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Whether it is the right one. Takes as long for an unknown account."""
        if self._decoy is None:
            self._decoy = await self.hash("a password without an account")
        async with self._turnstile:
            is_right = await asyncio.to_thread(self._check, stored or self._decoy, password)
        return is_right and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether it was made with weaker parameters than today's."""
        return self._hasher.check_needs_rehash(stored)

    def _check(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
