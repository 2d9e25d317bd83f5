"""The verifier: does a history keep the promises of the event log? Pure, and linear in the length of the history.

    report = verify(History(...), backend="sqlite", kills=200)
    report.require()

    python -m tests.support.verifier HISTORY.jsonl BACKEND KILLS

Each invariant is a small function that yields what breaks it, listed in `INVARIANTS` with its id in the catalogue
(I1 durable, I2 no phantom, I3 unique, I4 contiguous, I5 delivered in order, I6 live = reload, I7 fenced, I8 effects at
most once, I9 turns end, I11 metering, I13 no process ends by itself).
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from tests.support.history import AckedAppend, Connection, Delivered, History, LogEntry, Position, ProjectedRow, Resync

_EXAMPLES_KEPT = 20
_Placed = AckedAppend | LogEntry | ProjectedRow
_Key = TypeVar("_Key", bound=Hashable)


class Finding(NamedTuple):
    """Something that breaks an invariant, and how many events it concerns."""

    text: str
    events: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Invariant:
    """A promise: its id in the catalogue, the figure its findings are added to, and the function that looks."""

    id: str
    figure: str
    check: Callable[[History], Iterator[Finding]]


class BrokenPromiseError(AssertionError):
    """A history does not keep a promise, or says too little to tell."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """Figures of a run and, for each invariant that is broken, some examples."""

    backend: str
    kills: int
    appended: int
    acknowledged: int
    p95_ms: float
    figures: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]

    @property
    def is_clean(self) -> bool:
        return not any(self.figures.values())

    def line(self) -> str:
        """One line for logs and closing notes; figures outside the usual ones only if they are not zero."""
        usual = {name: self.figures[name] for name in ("lost", "duplicated", "reordered", "gaps")}
        other = {name: count for name, count in self.figures.items() if count and name not in usual}
        facts = {"backend": self.backend, "appended": self.appended, "acknowledged": self.acknowledged, **usual}
        facts |= {"kills": self.kills, "p95_ms": f"{self.p95_ms:.1f}", **other}
        return " ".join(f"{name}={value}" for name, value in facts.items())

    def explain(self) -> str:
        """The line, and below it the examples."""
        return "\n".join([self.line(), *(f"{name} {text}" for name, texts in self.examples.items() for text in texts)])

    def require(self, acknowledged: int = 1) -> None:
        """Insist on a clean history of at least so many acknowledged events: an empty one proves nothing."""
        if not self.is_clean:
            raise BrokenPromiseError(self.explain())
        if self.acknowledged < acknowledged:
            raise BrokenPromiseError(f"only {self.acknowledged} of {acknowledged} events acknowledged: {self.line()}")


def verify(history: History, *, backend: str, kills: int = 0) -> Report:
    """Look at the history with every invariant."""
    figures = Counter({invariant.figure: 0 for invariant in INVARIANTS})
    examples: dict[str, tuple[str, ...]] = {}
    for invariant in INVARIANTS:
        findings = list(invariant.check(history))
        figures[invariant.figure] += sum(finding.events for finding in findings)
        texts = tuple(f"{invariant.figure}: {finding.text}" for finding in findings[:_EXAMPLES_KEPT])
        if texts:
            examples[invariant.id] = examples.get(invariant.id, ()) + texts
    return Report(
        backend=backend,
        kills=kills,
        appended=sum(not entry.is_void for entry in history.log),
        acknowledged=len({append.event_id for append in history.acked}),
        p95_ms=percentile([1000 * (append.t_acked - append.t_sent) for append in history.acked], 0.95),
        figures=figures,
        examples=examples,
    )


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least this share does not exceed; zero of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def lost_appends(history: History) -> Iterator[Finding]:
    """I1: what was acknowledged is in the log."""
    for event_id, append in {append.event_id: append for append in history.acked}.items():
        if event_id not in history.entry_of:
            place = history.entry_at.get((append.session, Position(append.epoch, append.seq)))
            holder = f"its place holds {place.event_id}" if place else "its place is empty"
            yield Finding(f"{_at(append)} {event_id} was acknowledged and is not in the log; {holder}")


def wrong_rows(history: History) -> Iterator[Finding]:
    """I1, I3: the projection has one row, with the same content, for each entry that has one, and no other."""
    if history.rows is None:
        return
    expected = {entry.event_id: entry for entry in history.log if entry.is_projected and not entry.is_void}
    counted = Counter(row.event_id for row in history.rows)
    for event_id, entry in expected.items():
        if counted[event_id] != 1:
            yield Finding(f"{_at(entry)} {event_id} has {counted[event_id]} rows")
    for row in history.rows:
        source = expected.get(row.event_id)
        if source is None:
            yield Finding(f"{_at(row)} the row of {row.event_id} has no entry in the log")
        elif not _agree(row, source):
            yield Finding(f"{_at(row)} the row of {row.event_id} differs from the entry at {_at(source)}")


def phantoms(history: History) -> Iterator[Finding]:
    """I2: whatever a client was shown is in the log, at that place, and meant for clients."""
    for connection, frame in _deliveries(history):
        entry = history.entry_of.get(frame.event_id)
        where = f"{connection.client} was shown {frame.event_id} at {frame.epoch}/{frame.seq} of {connection.session}"
        if entry is None:
            yield Finding(f"{where}, which is not in the log")
        elif (entry.session, entry.position) != (connection.session, Position(frame.epoch, frame.seq)):
            yield Finding(f"{where}, but the log has it at {_at(entry)}")
        elif not entry.is_visible:
            yield Finding(f"{where}, which is internal or void")


def repeated_positions(history: History) -> Iterator[Finding]:
    """I3: one entry per (session, epoch, seq)."""
    for (session, position), count in _repeated((entry.session, entry.position) for entry in history.log):
        yield Finding(f"{session} {position.epoch}/{position.seq} is in the log {count} times", count - 1)


def repeated_events(history: History) -> Iterator[Finding]:
    """I3: one entry per event id."""
    places = {(entry.event_id, entry.session, entry.position) for entry in history.log}
    for event_id, count in _repeated(event_id for event_id, *_ in places):
        yield Finding(f"{event_id} is in the log at {count} places", count - 1)


def repeated_requests(history: History) -> Iterator[Finding]:
    """I3: a request sent again (the same client key) was not carried out again."""
    carried_out = {(entry.session, entry.client_key, entry.event_id) for entry in history.log if entry.client_key}
    for (session, key), count in _repeated((session, key) for session, key, _ in carried_out):
        yield Finding(f"{session} carried out the request {key} {count} times", count - 1)


def changed_appends(history: History) -> Iterator[Finding]:
    """I3: what was acknowledged has the place and the content it was acknowledged with."""
    for append in history.acked:
        entry = history.entry_of.get(append.event_id)
        if entry is not None and not _agree(append, entry):
            yield Finding(f"{_at(append)} {append.event_id} was acknowledged; it differs from {_at(entry)} in the log")


def changed_deliveries(history: History) -> Iterator[Finding]:
    """I3: what a client was shown has the content the log has."""
    for connection, frame in _deliveries(history):
        entry = history.entry_of.get(frame.event_id)
        if entry is not None and _differ(frame.digest, entry.digest):
            yield Finding(f"{connection.client} was shown {frame.event_id} with other content than at {_at(entry)}")


def holes_in_the_log(history: History) -> Iterator[Finding]:
    """I4: numbers are dense from 1; a later epoch starts at 1 again or goes on where the one before ended."""
    for session, entries in history.by_session.items():
        last = Position(0, 0)
        for position in sorted({entry.position for entry in entries}):
            starts_anew = position.epoch != last.epoch and position.seq == 1
            if position.seq != last.seq + 1 and not starts_anew:
                missing = max(1, position.seq - last.seq - 1)
                yield Finding(f"{session} goes from {_short(last)} to {_short(position)}", missing)
            last = position


def log_read_out_of_order(history: History) -> Iterator[Finding]:
    """I4: reading a session gives rising positions."""
    for session, entries in history.by_session.items():
        for before, after in pairwise(entries):
            if after.position < before.position:
                yield Finding(f"{session} reads {_at(after)} after {_at(before)}")


def log_against_real_time(history: History) -> Iterator[Finding]:
    """I4 (OR-02): an append sent after another was acknowledged stands behind it."""
    sent, acked = _first_times(history)
    for entries in history.by_session.values():
        latest_sent = -math.inf
        for entry in sorted((entry for entry in entries if entry.event_id in sent), key=_position):
            if acked[entry.event_id] < latest_sent:
                yield Finding(f"{_at(entry)} {entry.event_id} was acknowledged before one ahead of it was sent")
            latest_sent = max(latest_sent, sent[entry.event_id])


def skipped_deliveries(history: History) -> Iterator[Finding]:
    """I5: a client misses nothing between what it was shown, from one connection to the next, and at the end."""
    for connections in _by_client(history):
        seen: int | None = None
        for connection in connections:
            shown = history.visible_up_to(connection.session, connection.after)
            if seen is not None and shown > seen:
                yield _skip(connection, "resumed", shown - seen)
            for frame in connection.frames:
                now = history.visible_up_to(connection.session, Position(frame.epoch, frame.seq))
                if isinstance(frame, Resync):
                    shown = now
                elif frame.event_id in history.entry_of:
                    if now > shown + 1:
                        yield _skip(connection, f"was shown {frame.event_id}", now - shown - 1)
                    shown = max(shown, now)
            if connection.is_open_at_end and (rest := history.visible(connection.session) - shown):
                yield _skip(connection, "stayed to the end", rest)
            seen = shown if seen is None or _has_resync(connection) else max(seen, shown)


def deliveries_out_of_order(history: History) -> Iterator[Finding]:
    """I5: on a connection positions rise, a new epoch is announced by a resync, and `previous` tells the truth."""
    for connection in history.connections:
        last = connection.after
        for frame in connection.frames:
            position = Position(frame.epoch, frame.seq)
            if isinstance(frame, Delivered) and (reason := _disorder(history, connection, frame, last)):
                yield Finding(f"{connection.client} was shown {frame.event_id} of {connection.session}: {reason}")
            last = position if isinstance(frame, Resync) else max(last, position)


def differing_views(history: History) -> Iterator[Finding]:
    """I6: a conversation looks the same live and after a reload, to the byte."""
    for view in history.views:
        if view.live != view.reloaded:
            where = next((i for i, (a, b) in enumerate(zip(view.live, view.reloaded, strict=False)) if a != b), None)
            at = min(len(view.live), len(view.reloaded)) if where is None else where
            yield Finding(f"{view.client} sees {view.session} differently after a reload, from character {at} on")


def stale_fences(history: History) -> Iterator[Finding]:
    """I7: once a new owner wrote, the old one did not."""
    for entries in history.by_session.values():
        highest = -math.inf
        for entry in sorted(entries, key=_position):
            if entry.fence < highest:
                yield Finding(f"{_at(entry)} was accepted with fence {entry.fence} after {highest:.0f}")
            highest = max(highest, entry.fence)


def turns_without_one_end(history: History) -> Iterator[Finding]:
    """I9: every accepted turn has exactly one terminal event; no turn has two."""
    ends = Counter((entry.session, entry.turn) for entry in history.log if entry.is_terminal and entry.turn)
    accepted = [(turn.session, turn.turn) for turn in history.turns]
    for session, turn in dict.fromkeys([*accepted, *ends]):
        if (count := ends[session, turn]) != 1:
            yield Finding(f"turn {turn} of {session} has {count} terminal events")


def wrong_effects(history: History) -> Iterator[Finding]:
    """I8: outside, nothing happens twice under one key; what a completed turn did has happened."""
    for effect in history.effects:
        if effect.times > 1:
            yield Finding(f"{effect.key} happened {effect.times} times", effect.times - 1)
        elif effect.times < effect.expected:
            yield Finding(f"{effect.key} is said to have happened and did not")


def wrong_metering(history: History) -> Iterator[Finding]:
    """I11: each served call is in the log once with its tokens; one whose answer was lost is covered by an estimate."""
    metered = [call for call in history.metered if call.response_id is not None]
    known = {call.response_id: call for call in metered}
    for response_id, count in _repeated(call.response_id for call in metered):
        yield Finding(f"answer {response_id} is metered {count} times", count - 1)
    open_calls = [call for call in history.metered if not call.is_ended]
    for call in open_calls:
        yield Finding(f"a call of turn {call.turn} has no end in the log")
    unknown: Counter[str] = Counter()
    for served in history.served:
        own = known.get(served.response_id)
        if own is None:
            unknown[served.turn] += served.tokens
        elif own.tokens != served.tokens:
            yield Finding(f"answer {served.response_id} took {served.tokens} tokens and is metered with {own.tokens}")
    reserved: Counter[str] = Counter()
    for call in history.metered:
        reserved[call.turn] += call.lost_tokens
    for turn, tokens in unknown.items():
        if reserved[turn] < tokens:
            yield Finding(f"turn {turn}: lost answers took {tokens} tokens, {reserved[turn]} were counted for them")


def exited_processes(history: History) -> Iterator[Finding]:
    """I13: a process ends only when it is ended."""
    for text in history.exits:
        yield Finding(text)


INVARIANTS = (
    Invariant(id="I1", figure="lost", check=lost_appends),
    Invariant(id="I1", figure="mismatched_projection", check=wrong_rows),
    Invariant(id="I2", figure="phantoms", check=phantoms),
    Invariant(id="I3", figure="duplicated", check=repeated_positions),
    Invariant(id="I3", figure="duplicated", check=repeated_events),
    Invariant(id="I3", figure="duplicated", check=repeated_requests),
    Invariant(id="I3", figure="changed", check=changed_appends),
    Invariant(id="I3", figure="changed", check=changed_deliveries),
    Invariant(id="I4", figure="gaps", check=holes_in_the_log),
    Invariant(id="I4", figure="reordered", check=log_read_out_of_order),
    Invariant(id="I4", figure="reordered", check=log_against_real_time),
    Invariant(id="I5", figure="gaps", check=skipped_deliveries),
    Invariant(id="I5", figure="reordered", check=deliveries_out_of_order),
    Invariant(id="I6", figure="mismatched_views", check=differing_views),
    Invariant(id="I7", figure="stale_fences", check=stale_fences),
    Invariant(id="I8", figure="wrong_effects", check=wrong_effects),
    Invariant(id="I9", figure="unended_turns", check=turns_without_one_end),
    Invariant(id="I11", figure="wrong_metering", check=wrong_metering),
    Invariant(id="I13", figure="exits", check=exited_processes),
)


def _disorder(history: History, connection: Connection, frame: Delivered, last: Position) -> str | None:
    if Position(frame.epoch, frame.seq) <= last:
        return f"{frame.epoch}/{frame.seq} after {_short(last)}"
    if frame.epoch != last.epoch and last.seq:
        return f"epoch {frame.epoch} after {last.epoch} without a resync"
    if frame.previous is not None:
        # Not simply equal: a client may have resumed after an internal event, which it was never shown.
        said = history.visible_up_to(connection.session, Position(frame.epoch, frame.previous))
        if said != history.visible_up_to(connection.session, last):
            return f"said to follow {frame.previous}, followed {_short(last)}"
    return None


def _first_times(history: History) -> tuple[dict[str, float], dict[str, float]]:
    """When each event was first sent and first acknowledged: one sent again may be acknowledged again."""
    sent: dict[str, float] = {}
    acked: dict[str, float] = {}
    for append in history.acked:
        sent[append.event_id] = min(append.t_sent, sent.get(append.event_id, math.inf))
        acked[append.event_id] = min(append.t_acked, acked.get(append.event_id, math.inf))
    return sent, acked


def _repeated(keys: Iterable[_Key]) -> Iterator[tuple[_Key, int]]:
    return ((key, count) for key, count in Counter(keys).items() if count > 1)


def _deliveries(history: History) -> Iterator[tuple[Connection, Delivered]]:
    for connection in history.connections:
        for frame in connection.frames:
            if isinstance(frame, Delivered):
                yield connection, frame


def _by_client(history: History) -> Iterable[list[Connection]]:
    clients: dict[tuple[str, str], list[Connection]] = {}
    for connection in history.connections:
        clients.setdefault((connection.client, connection.session), []).append(connection)
    return clients.values()


def _skip(connection: Connection, act: str, count: int) -> Finding:
    return Finding(f"{connection.client} {act} and missed {count} events of {connection.session}", count)


def _has_resync(connection: Connection) -> bool:
    return any(isinstance(frame, Resync) for frame in connection.frames)


def _agree(one: _Placed, entry: LogEntry) -> bool:
    same_place = (one.session, one.epoch, one.seq) == (entry.session, entry.epoch, entry.seq)
    return same_place and not _differ(one.digest, entry.digest)


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _position(entry: LogEntry) -> Position:
    return entry.position


def _short(position: Position) -> str:
    return f"{position.epoch}/{position.seq}"


def _at(placed: _Placed) -> str:
    return f"{placed.session} {placed.epoch}/{placed.seq}"


def main(path: str, backend: str, kills: str) -> int:
    with Path(path).open() as lines:
        report = verify(History.from_lines(lines), backend=backend, kills=int(kills))
    sys.stdout.write(report.explain() + "\n")
    return int(not report.is_clean or not report.acknowledged)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
