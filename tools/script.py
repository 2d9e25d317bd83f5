"""Tells the events of a made-up session with ids and times that never change, as a log would number them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from batuta.events import AgentIdentity, Event, Persistence, Usage
from batuta.events.envelope import UnknownEvent

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STEP = timedelta(milliseconds=125)

SUPERVISOR = AgentIdentity(agent_id="supervisor", agent_name="Supervisor", agent_icon="🎼", agent_color="#8B5CF6")
ERP = AgentIdentity(agent_id="erp", agent_name="ERP", agent_icon="📦", agent_color="#0EA5E9")
RAG = AgentIdentity(agent_id="rag", agent_name="Documents", agent_icon="📚", agent_color="#10B981")

USAGE = Usage(input=120, output=45, thinking=12, cache_read=64)


class Script:
    """A session being told, event by event."""

    def __init__(self, number: int) -> None:
        self.events: list[Event] = []
        self.agent: str | None = "supervisor"
        self._number = number
        self._turn: str | None = None
        self._made = 0
        self._sequence = 0
        self._turns = 0

    def new_id(self) -> str:
        """The next id of this session; they grow, as real ones do."""
        self._made += 1
        return f"019C{self._number:04X}-{self._made:04X}-7000-8000-{self._number * 65536 + self._made:012X}"

    def turn(self) -> str:
        """Begin another turn."""
        self._turns += 1
        self._turn = f"019C{self._number:04X}-FFFF-7000-8000-{self._turns:012X}"
        return self._turn

    def back_to(self, turn: str | None) -> None:
        """Go on with an earlier turn, or outside of any."""
        self._turn = turn

    def tell(self, event_type: type[Event], **fields: Any) -> Event:
        """Tell one event; `fields` may replace anything of its envelope."""
        is_stored = event_type.route.persistence is not Persistence.TRANSIENT
        if event_type.route.role in ("assistant", "tool"):
            fields = {"source_agent_id": self.agent, **fields}
        return self._add(event_type(**self._envelope(is_stored=is_stored) | fields))

    def tell_unknown(self, event_type: str, *, is_stored: bool = True, **fields: Any) -> Event:
        """Tell an event that some other program knows."""
        persistence = Persistence.ASYNC_ALLOWED if is_stored else Persistence.TRANSIENT
        envelope = self._envelope(is_stored=is_stored) | {"persistence": persistence}
        return self._add(UnknownEvent(type=event_type, **envelope | fields))

    def repeat(self, event: Event) -> None:
        """Deliver an event once more."""
        self.events.append(event)

    def _envelope(self, *, is_stored: bool) -> dict[str, Any]:
        session_id = f"019C{self._number:04X}-0000-7000-8000-000000000000"
        envelope: dict[str, Any] = {
            "event_id": self.new_id(),
            "timestamp": START + self._made * STEP,
            "session_id": session_id,
            "turn_id": self._turn,
            "original_index": self._made,
            "correlation_id": session_id,
            "trace_id": session_id.replace("-", "").lower(),
        }
        if is_stored:
            self._sequence += 1
            envelope["sequence_number"] = self._sequence
        return envelope

    def _add(self, event: Event) -> Event:
        self.events.append(event)
        return event
