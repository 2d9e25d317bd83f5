"""Who had which tool run, with what outcome. Every execution and every refusal leaves one entry."""

import logging
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from batuta.kernel.effects import EffectKind

log = logging.getLogger("batuta.tools.audit")

AuditOutcome = Literal["succeeded", "failed", "refused", "cancelled", "unknown"]
"""`unknown`: the answer of a write was lost, and whether it took place was not known when this was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAudit:
    """One execution or refusal."""

    at: datetime
    tool_name: str
    tool_version: str | None
    effect: EffectKind | None
    tool_use_id: str
    idempotency_key: str
    agent_id: str
    user_id: str | None
    correlation_id: str
    args: Any
    """Redacted as the tool declares."""
    outcome: AuditOutcome
    detail: str = ""
    """Why it was refused or failed: a code, never the values of arguments."""
    duration_seconds: float = 0.0


class AuditSink(Protocol):
    """Takes every entry. Synchronous and cheap: a slow one queues."""

    def record(self, entry: ToolAudit) -> None:
        """Take one entry."""
        ...


class LoggingAudit:
    """Writes entries to the log `batuta.tools.audit`, without arguments."""

    @property
    def is_on(self) -> bool:
        """Whether that log takes them."""
        return log.isEnabledFor(logging.INFO)

    def record(self, entry: ToolAudit) -> None:
        """Write one line."""
        log.info(
            "tool.%s tool=%s agent=%s user=%s correlation=%s detail=%s seconds=%.3f",
            entry.outcome,
            _name(entry.tool_name),
            entry.agent_id,
            entry.user_id,
            entry.correlation_id,
            entry.detail,
            entry.duration_seconds,
        )


LOGGING_AUDIT = LoggingAudit()


def _name(asked: str) -> str:
    """The name of a tool; a model may ask for one by a sentence, and sentences do not belong into a log."""
    return asked if _NAME.fullmatch(asked) else f"[{len(asked)} characters]"


_NAME = re.compile(r"[\w.:/-]{1,128}")
