"""Whether the platform works: what it depends on, asked now, within a bound."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from batuta.events.log import Durability, EventLog
from batuta.kernel.errors import BatutaError
from batuta.server.database.engines import Database
from batuta.server.supervision import NotReadyError

CHECK_SECONDS = 5.0

Check = Callable[[], Awaitable[object]]


class SetupState(Protocol):
    """Knows whether the platform has an owner; `server.identity` implements it."""

    async def needs_setup(self) -> bool:
        """Whether the first account is still to be created."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What was found."""

    is_ready: bool
    checks: Mapping[str, str]
    """By dependency: `ok`, or what is wrong."""
    durability: Mapping[str, Any] = field(default_factory=dict)
    """What an acknowledgement survives, as read back from the store."""

    def body(self) -> dict[str, Any]:
        """The answer of `/readyz`."""
        facts = {
            name: value.isoformat() if isinstance(value, datetime) else value for name, value in self.durability.items()
        }
        return {"status": "ok" if self.is_ready else "unavailable", "checks": dict(self.checks), "durability": facts}


class Health:
    """Asks the dependencies, once for all who want to know at the same time."""

    def __init__(self, database: Database, log: EventLog, *, more: Mapping[str, Check] | None = None) -> None:
        self._log = log
        self._checks: dict[str, Check] = {
            "database": lambda: database.read(lambda connection: connection.execute(sa.select(1)).scalar()),
            **(more or {}),
        }
        self._asking: asyncio.Task[Readiness] | None = None

    async def ask(self) -> Readiness:
        """Ask all of them, each within its bound."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        return await asyncio.shield(self._asking)

    async def _ask(self) -> Readiness:
        names = ["event log", *self._checks]
        asked: list[Check] = [self._log.durability, *self._checks.values()]
        answers = await asyncio.gather(*(_answer(check) for check in asked))
        durability = answers[0]
        checks = {
            name: answer if isinstance(answer, str) else "ok" for name, answer in zip(names, answers, strict=True)
        }
        return Readiness(
            is_ready=all(state == "ok" for state in checks.values()),
            checks=checks,
            durability=_facts(durability) if isinstance(durability, Durability) else {},
        )


async def _answer(check: Check) -> object:
    """What a check returned, or what went wrong as text without private details."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            answer = await check()
    except TimeoutError:
        return f"no answer within {CHECK_SECONDS:g} s"
    except NotReadyError as error:
        return str(error)
    except BatutaError as error:
        return error.code
    except Exception as error:
        return type(error).__name__
    return None if isinstance(answer, str) else answer


def _facts(durability: Durability) -> dict[str, Any]:
    return {
        "mode": durability.mode,
        "rpo_seconds": durability.rpo_seconds,
        "verified_at": durability.verified_at,
        "settings": dict(durability.settings),
    }
