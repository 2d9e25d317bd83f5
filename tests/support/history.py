"""What happened in a run: who was told what, what the log holds in the end, who was shown what.

    acknowledged appends · final log · connections with what they delivered · projected rows · views · turns

Written by tests as data, or as JSON lines by processes that may die: `{"kind": "acked", "session": ...}`.
Times are seconds on one monotonic clock. A digest stands for the content of an event.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple


class Position(NamedTuple):
    """A place in the log of one session. Epochs follow one another; numbers count within them."""

    epoch: int
    seq: int


START = Position(0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class AckedAppend:
    """An append a client was told is durable.

    `t_sent` is when it was first tried, not when the try that was answered began. In a batch each event has its own
    `client_key`.
    """

    session: str
    epoch: int
    seq: int
    event_id: str
    t_sent: float
    t_acked: float
    client_key: str | None = None
    digest: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LogEntry:
    """One entry of the log as read at the end, in the order it was read."""

    session: str
    epoch: int
    seq: int
    event_id: str
    client_key: str | None = None
    digest: str | None = None
    fence: int = 0
    turn: str | None = None
    is_terminal: bool = False
    is_void: bool = False
    is_internal: bool = False
    is_projected: bool = True

    @property
    def position(self) -> Position:
        return Position(self.epoch, self.seq)

    @property
    def is_visible(self) -> bool:
        """Whether clients are shown it: internal events and voids have numbers, too."""
        return not (self.is_void or self.is_internal)


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """An event as a client got it; `previous` is the number it was said to follow."""

    epoch: int
    seq: int
    event_id: str
    digest: str | None = None
    previous: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resync:
    """The client was told to load anew, and goes on after this position."""

    epoch: int
    seq: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """One connection of a client to a session: where it resumed, and all it was given from there."""

    client: str
    session: str
    after: Position = START
    frames: tuple[Delivered | Resync, ...] = ()
    is_open_at_end: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectedRow:
    """A row of a read model, and the entry it was made from."""

    session: str
    epoch: int
    seq: int
    event_id: str
    digest: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A conversation in canonical form, as folded from live events and as folded after a reload."""

    client: str
    session: str
    live: str
    reloaded: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceptedTurn:
    """A turn whose acceptance was acknowledged."""

    session: str
    turn: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """What happened outside under one idempotency key, and how often it should have, at least."""

    key: str
    times: int
    expected: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedCall:
    """A model call as its provider counts it."""

    turn: str
    response_id: str
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MeteredCall:
    """A model call as the log counts it: with what its answer took, or with what was reserved for a lost one."""

    turn: str
    response_id: str | None
    tokens: int = 0
    lost_tokens: int = 0
    is_ended: bool = True


@dataclass(frozen=True, kw_only=True)
class History:
    """Everything the verifier looks at. `rows` is None where no projection is to be compared."""

    acked: tuple[AckedAppend, ...] = ()
    log: tuple[LogEntry, ...] = ()
    connections: tuple[Connection, ...] = ()
    rows: tuple[ProjectedRow, ...] | None = None
    views: tuple[View, ...] = ()
    turns: tuple[AcceptedTurn, ...] = ()
    effects: tuple[Effect, ...] = ()
    served: tuple[ServedCall, ...] = ()
    metered: tuple[MeteredCall, ...] = ()
    exits: tuple[str, ...] = ()
    """Processes that ended by themselves, and what they left unsaid."""

    @cached_property
    def entry_at(self) -> Mapping[tuple[str, Position], LogEntry]:
        return {(entry.session, entry.position): entry for entry in self.log}

    @cached_property
    def entry_of(self) -> Mapping[str, LogEntry]:
        """The entry of each event, the first if there are several."""
        return {entry.event_id: entry for entry in reversed(self.log)}

    @cached_property
    def by_session(self) -> Mapping[str, list[LogEntry]]:
        """The entries of each session, in the order they were read."""
        sessions: dict[str, list[LogEntry]] = {}
        for entry in self.log:
            sessions.setdefault(entry.session, []).append(entry)
        return sessions

    @cached_property
    def _visible(self) -> Mapping[str, list[Position]]:
        return {
            session: sorted({entry.position for entry in entries if entry.is_visible})
            for session, entries in self.by_session.items()
        }

    def visible_up_to(self, session: str, position: Position) -> int:
        """How many entries a client at that position has been shown, if it was shown all."""
        return bisect_right(self._visible.get(session, []), position)

    def visible(self, session: str) -> int:
        return len(self._visible.get(session, []))

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> "History":
        """Read JSON lines, each with the `kind` of record it holds; `projection` alone says that there is one."""
        found: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
        for number, line in enumerate(lines, 1):
            if line.strip():
                kind, record = _record(number, line)
                found[kind].append(record)
        return cls(
            acked=tuple(found["acked"]),
            log=tuple(found["entry"]),
            connections=tuple(found["connection"]),
            rows=tuple(found["row"]) if found["row"] or found["projection"] else None,
            views=tuple(found["view"]),
            turns=tuple(found["turn"]),
            effects=tuple(found["effect"]),
            served=tuple(found["served"]),
            metered=tuple(found["metered"]),
        )


def _record(number: int, line: str) -> tuple[str, Any]:
    try:
        facts = json.loads(line)
        kind = facts.pop("kind")
        return kind, _KINDS[kind](**facts)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        known = ", ".join(_KINDS)
        raise ValueError(f"line {number} is no record of a history ({error!r}); kinds are {known}") from error


def _connection(frames: Iterable[dict[str, Any]] = (), after: Iterable[int] = START, **facts: Any) -> Connection:
    read = tuple(Delivered(**frame) if "event_id" in frame else Resync(**frame) for frame in frames)
    return Connection(frames=read, after=Position(*after), **facts)


_KINDS: dict[str, Callable[..., Any]] = {
    "acked": AckedAppend,
    "entry": LogEntry,
    "connection": _connection,
    "projection": dict,
    "row": ProjectedRow,
    "view": View,
    "turn": AcceptedTurn,
    "effect": Effect,
    "served": ServedCall,
    "metered": MeteredCall,
}
