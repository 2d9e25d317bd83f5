"""Who may do what over MCP: tokens by their hashes, and writes that are shown first and confirmed by their own code.

A line of the tokens file is `<SHA-256 of the token> read|write <name> [roles]`, the roles with commas between them;
`batuta mcp token` makes one. Nothing that could be used is kept: a token is a random text of 256 bits, so that its
plain hash says nothing about it. Where roles have rights of their own (`erp_roles`), a token has those of its roles.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from batuta.agents.erp.rights import ErpPolicy
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConfigurationError

log = logging.getLogger("batuta.server")

AccessScope = Literal["read", "write"]
CONFIRM_WITHIN = timedelta(minutes=10)
MAX_PENDING = 1_000
_LINE = re.compile(
    r"(?P<digest>[0-9a-f]{64})\s+(?P<scope>read|write)\s+(?P<name>[\w.@-]{1,80})(\s+(?P<roles>[\w.-]+(,[\w.-]+)*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpGrant:
    """What a client may do."""

    name: str
    scope: AccessScope
    roles: frozenset[str] = frozenset()


ANONYMOUS = McpGrant(name="anonymous", scope="read")


class McpTokens:
    """The tokens that are accepted. Without any, every caller may read.

    A file of them is read again when it has changed: a token that was taken out of it is worth nothing from then on.
    """

    def __init__(self, grants: Mapping[str, McpGrant], path: Path | None = None) -> None:
        self._grants = dict(grants)
        self._path = path
        self._version = _version(path)

    @property
    def is_required(self) -> bool:
        """Whether a client has to bring a token."""
        return self._path is not None or bool(self._grants)

    def grant(self, token: str) -> McpGrant | None:
        """What a token allows; None for one that is not accepted. Every hash is compared, whatever was found before."""
        if not self.is_required:
            return ANONYMOUS
        self._read_again()
        given = digest_of(token)
        found = None
        for digest, grant in self._grants.items():
            if hmac.compare_digest(digest, given):
                found = grant
        return found

    def _read_again(self) -> None:
        version = _version(self._path)
        if self._path is None or version == self._version:
            return
        self._version = version
        try:
            self._grants = _grants_in(self._path)
        except ConfigurationError as error:
            log.error("no token is accepted until this is mended: %s", error)  # noqa: TRY400 - the words say all
            self._grants = {}


def _version(path: Path | None) -> tuple[int, int, int] | None:
    """What changes with a file."""
    try:
        facts = path.stat() if path is not None else None
    except OSError:
        return None
    return None if facts is None else (facts.st_mtime_ns, facts.st_size, facts.st_ino)


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def load_tokens(path: Path | None) -> McpTokens:
    """Read a tokens file. Raises `ConfigurationError` that names the line it cannot read."""
    if path is None:
        return McpTokens({})
    grants = _grants_in(path)
    if not grants:
        raise ConfigurationError(f"{path} holds no token; make one with `batuta mcp token`")
    return McpTokens(grants, path)


def _grants_in(path: Path) -> dict[str, McpGrant]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigurationError(f"the tokens file {path} cannot be read: {error.strerror}") from error
    grants: dict[str, McpGrant] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise ConfigurationError(
                f"{path}:{number}: a line is `<SHA-256> read|write <name> [roles]`; see `batuta mcp token`"
            )
        scope: AccessScope = "write" if found["scope"] == "write" else "read"
        roles = frozenset((found["roles"] or "").split(",")) - {""}
        grants[found["digest"]] = McpGrant(name=found["name"], scope=scope, roles=roles)
    return grants


@dataclass(frozen=True, slots=True)
class GrantRights:
    """The `ErpRights` of a client: those that the roles of its token give. It decides about its own writes."""

    policy: ErpPolicy
    grant: McpGrant

    @property
    def user_id(self) -> str:
        """As whom the client acts."""
        return f"mcp:{self.grant.name}"

    async def roles_of(self, user_id: str) -> frozenset[str]:
        """The roles of the client's token; none for other callers."""
        return self.grant.roles if user_id == self.user_id else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    call_digest: str
    ends_at: float


class WriteConfirmations:
    """Codes for writes that were shown: each allows exactly the call it was given for, once, to the same client."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._pending: dict[str, _Pending] = {}

    def issue(self, client: str, tool: str, args: Mapping[str, Any]) -> str:
        """A code for a call that is about to be shown."""
        now = self._clock.monotonic()
        self._pending = {code: one for code, one in self._pending.items() if one.ends_at > now}
        while len(self._pending) >= MAX_PENDING:
            del self._pending[next(iter(self._pending))]
        code = secrets.token_urlsafe(18)
        ends_at = now + CONFIRM_WITHIN.total_seconds()
        self._pending[code] = _Pending(call_digest=_call_digest(client, tool, args), ends_at=ends_at)
        return code

    def redeem(self, code: str, client: str, tool: str, args: Mapping[str, Any]) -> bool:
        """Whether a code was given for this very call and is still good. It is used up by that."""
        found = self._pending.get(code)
        if found is None or found.ends_at <= self._clock.monotonic():
            return False
        if not hmac.compare_digest(found.call_digest, _call_digest(client, tool, args)):
            return False
        del self._pending[code]
        return True


def _call_digest(client: str, tool: str, args: Mapping[str, Any]) -> str:
    text = json.dumps([client, tool, args], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
