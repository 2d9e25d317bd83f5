"""The verifier finds every kind of broken promise planted in a clean history, and finds none in the clean one."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.history import (
    START,
    AcceptedTurn,
    AckedAppend,
    Connection,
    Delivered,
    Effect,
    History,
    LogEntry,
    MeteredCall,
    Position,
    ProjectedRow,
    Resync,
    ServedCall,
    View,
)
from tests.support.verifier import INVARIANTS, BrokenPromiseError, Finding, percentile, verify

REPOSITORY = Path(__file__).parents[3]


def event(seq: int, epoch: int = 1) -> str:
    return f"e{epoch}.{seq}"


def entry(seq: int, epoch: int = 1, **facts: Any) -> LogEntry:
    """In session s; the digest tells the event, the client key its request; seq 4 is internal, 6 ends turn t."""
    facts = {"event_id": event(seq, epoch), "client_key": f"k{epoch}.{seq}", "digest": f"d{epoch}.{seq}"} | facts
    return LogEntry(session="s", epoch=epoch, seq=seq, **facts)


def acked(seq: int, epoch: int = 1, **facts: Any) -> AckedAppend:
    times = {"t_sent": float(seq), "t_acked": seq + 0.5}
    return AckedAppend(**{**_placed(seq, epoch), "client_key": f"k{epoch}.{seq}", **times, **facts})


def shown(seq: int, epoch: int = 1, **facts: Any) -> Delivered:
    placed = _placed(seq, epoch)
    placed.pop("session")
    return Delivered(**{**placed, **facts})


def row(seq: int, epoch: int = 1, **facts: Any) -> ProjectedRow:
    return ProjectedRow(**{**_placed(seq, epoch), **facts})


def _placed(seq: int, epoch: int) -> dict[str, Any]:
    digest = f"d{epoch}.{seq}"
    return {"session": "s", "epoch": epoch, "seq": seq, "event_id": event(seq, epoch), "digest": digest}


INTERNAL, LAST = 4, 6
LOG = (
    *(entry(seq) for seq in (1, 2, 3)),
    entry(INTERNAL, is_internal=True),
    entry(5, fence=1),
    entry(LAST, fence=1, turn="t", is_terminal=True),
)
VISIBLE = (1, 2, 3, 5, 6)
CLEAN = History(
    acked=tuple(acked(seq) for seq in range(1, LAST + 1)),
    log=LOG,
    connections=(
        Connection(client="c", session="s", frames=(shown(1, previous=0), shown(2, previous=1))),
        Connection(
            client="c",
            session="s",
            after=Position(1, 2),
            frames=(shown(3, previous=2), shown(5, previous=3), shown(6, previous=5)),
            is_open_at_end=True,
        ),
    ),
    rows=tuple(row(seq) for seq in range(1, LAST + 1)),
    views=(View(client="c", session="s", live="hello", reloaded="hello"),),
    turns=(AcceptedTurn(session="s", turn="t"),),
    effects=(Effect(key="pay", times=1, expected=1),),
    served=(ServedCall(turn="t", response_id="r1", tokens=9), ServedCall(turn="t", response_id="r2", tokens=5)),
    metered=(
        MeteredCall(turn="t", response_id="r1", tokens=9),
        MeteredCall(turn="t", response_id=None, lost_tokens=100),
    ),
)


def figures(history: History) -> dict[str, int]:
    """The figures that are not zero."""
    return {name: count for name, count in verify(history, backend="test").figures.items() if count}


def with_frames(*frames: Delivered | Resync, after: Position = START, is_open_at_end: bool = False) -> History:
    """The clean history with one connection of a client in place of the two."""
    connection = Connection(client="c", session="s", after=after, frames=frames, is_open_at_end=is_open_at_end)
    return replace(CLEAN, connections=(connection,))


def with_log(*entries: LogEntry, **facts: Any) -> History:
    """A history of nothing but a log, and what was said of it."""
    return History(log=entries, **facts)


def without_entry(seq: int) -> History:
    """The log of the clean history without an entry, and nothing else that would show it."""
    return History(log=tuple(found for found in LOG if found.seq != seq))


Plant = tuple[History, dict[str, int]]
LOST = {
    "acknowledged, and the log ends before it": (History(acked=(acked(1), acked(2)), log=(entry(1),)), {"lost": 1}),
    "acknowledged, and another event has its place": (
        History(acked=(acked(1), acked(2)), log=(entry(1), entry(2, event_id="usurper"))),
        {"lost": 1},
    ),
    "all acknowledged events lost": (History(acked=(acked(1), acked(2), acked(3))), {"lost": 3}),
}
PROJECTION = {
    "a row missing": (replace(CLEAN, rows=CLEAN.rows[1:] if CLEAN.rows else ()), {"mismatched_projection": 1}),
    "no rows at all": (replace(CLEAN, rows=()), {"mismatched_projection": 6}),
    "a row twice": (replace(CLEAN, rows=(*(CLEAN.rows or ()), row(3))), {"mismatched_projection": 1}),
    "a row of nothing": (replace(CLEAN, rows=(*(CLEAN.rows or ()), row(9))), {"mismatched_projection": 1}),
    "a row with other content": (
        History(log=(entry(1),), rows=(row(1, digest="forged"),)),
        {"mismatched_projection": 1},
    ),
    "a row of another place": (
        History(log=(entry(1),), rows=(replace(row(1), seq=2),)),
        {"mismatched_projection": 1},
    ),
}
PHANTOMS = {
    "shown, never stored": (with_frames(shown(1), shown(2, event_id="ghost")), {"phantoms": 1}),
    "shown with a number it does not have": (
        with_frames(shown(1), shown(2), replace(shown(3), seq=5)),
        {"phantoms": 1, "gaps": 1},
    ),
    "shown with a number beyond the log": (with_frames(shown(1), shown(9, event_id="ghost")), {"phantoms": 1}),
    "an internal event shown": (with_frames(shown(1), shown(2), shown(3), shown(INTERNAL)), {"phantoms": 1}),
}
DUPLICATES = {
    "a position given twice": (with_log(entry(1), entry(1, event_id="twin", client_key="other")), {"duplicated": 1}),
    "an entry read twice": (with_log(entry(1), entry(1), entry(2)), {"duplicated": 1}),
    "an event at two places": (with_log(entry(1), entry(2, event_id=event(1), client_key=None)), {"duplicated": 1}),
    "an acknowledged event at its place and another": (
        with_log(entry(1), entry(2, event_id=event(1), client_key=None), acked=(acked(1),)),
        {"duplicated": 1},
    ),
    "an event at three places": (
        with_log(*(entry(seq, event_id="same", client_key=None) for seq in (1, 2, 3))),
        {"duplicated": 2},
    ),
    "a request carried out again": (with_log(entry(1), entry(2, client_key="k1.1")), {"duplicated": 1}),
}
CHANGES = {
    "acknowledged with another number": (
        History(acked=(replace(acked(1), seq=2),), log=(entry(1), entry(2))),
        {"changed": 1},
    ),
    "stored with other content": (History(acked=(acked(1, digest="sent"),), log=(entry(1),)), {"changed": 1}),
    "shown with other content": (with_frames(shown(1, digest="forged")), {"changed": 1}),
}
HOLES = {
    "a number missing": (without_entry(3), {"gaps": 1}),
    "three numbers missing": (with_log(entry(1), entry(5)), {"gaps": 3}),
    "the first number missing": (with_log(entry(2), entry(3)), {"gaps": 1}),
    "a hole too wide to walk": (with_log(entry(1), entry(2**62)), {"gaps": 2**62 - 2}),
    "a new epoch that starts in the middle of the old one": (
        with_log(entry(1), entry(2), entry(3), entry(2, epoch=2)),
        {"gaps": 1},
    ),
}
REORDERINGS = {
    "a log read out of order": (with_log(entry(2), entry(1)), {"reordered": 1}),
    "an append ahead of one acknowledged before it was sent": (
        with_log(entry(1), entry(2), acked=(acked(1, t_sent=5.0, t_acked=6.0), acked(2))),
        {"reordered": 1},
    ),
    "an append behind one sent long after, with another between them": (
        with_log(
            *(entry(seq) for seq in (1, 2, 3)),
            acked=(acked(1, t_sent=5.0, t_acked=6.0), acked(2, t_sent=1.0, t_acked=9.0), acked(3, t_sent=1.0)),
        ),
        {"reordered": 1},
    ),
    "an append ahead of one acknowledged early, and once more late": (
        with_log(
            entry(1),
            entry(2),
            acked=(acked(1, t_sent=5.0, t_acked=6.0), acked(2), acked(2, t_acked=9.0)),
        ),
        {"reordered": 1},
    ),
    "delivered backwards, and again": (
        with_frames(*(shown(seq) for seq in (1, 2, 3, 2, 3))),
        {"reordered": 2},
    ),
    "delivered backwards and then on": (with_frames(*(shown(seq) for seq in (1, 2, 3, 1, 5))), {"reordered": 1}),
    "delivered backwards": (with_frames(shown(1), shown(3), shown(2)), {"reordered": 1, "gaps": 1}),
    "delivered twice on a connection": (with_frames(shown(1), shown(2), shown(2)), {"reordered": 1}),
    "delivered although the client had it": (with_frames(shown(2), after=Position(1, 2)), {"reordered": 1}),
    "a false previous number": (with_frames(shown(1), shown(2, previous=0)), {"reordered": 1}),
}
SKIPS = {
    "an event not delivered": (with_frames(shown(1), shown(3)), {"gaps": 1}),
    "two events not delivered": (with_frames(shown(1), shown(5)), {"gaps": 2}),
    "the first event not delivered": (with_frames(shown(2)), {"gaps": 1}),
    "the last events not delivered to one who stayed": (with_frames(shown(1), is_open_at_end=True), {"gaps": 4}),
    "an event missed between two connections": (
        replace(CLEAN, connections=(CLEAN.connections[0], replace(CLEAN.connections[1], after=Position(1, 3)))),
        {"gaps": 1, "reordered": 1},
    ),
    "resumed from what a resync had taken back": (
        replace(
            CLEAN,
            connections=(
                Connection(client="c", session="s", frames=tuple(map(shown, VISIBLE))),
                Connection(client="c", session="s", after=Position(1, LAST), frames=(Resync(epoch=1, seq=2),)),
                Connection(client="c", session="s", after=Position(1, 5), frames=(shown(6),)),
            ),
        ),
        {"gaps": 2},
    ),
    "an event missed after a resync": (with_frames(Resync(epoch=1, seq=2), shown(5)), {"gaps": 1}),
}
OTHERS = {
    "a new epoch without resync": (
        History(
            log=(entry(1), entry(1, epoch=2)),
            connections=(Connection(client="c", session="s", frames=(shown(1), shown(1, epoch=2))),),
        ),
        {"reordered": 1},
    ),
    "a view that differs": (
        replace(CLEAN, views=(View(client="c", session="s", live="hello", reloaded="help"),)),
        {"mismatched_views": 1},
    ),
    "a view that lost its end": (
        replace(CLEAN, views=(View(client="c", session="s", live="hello", reloaded="hell"),)),
        {"mismatched_views": 1},
    ),
    "a writer that lost its lease": (with_log(entry(1, fence=2), entry(2, fence=1)), {"stale_fences": 1}),
    "a writer that went on without its lease": (
        with_log(entry(1, fence=2), entry(2, fence=1), entry(3, fence=1)),
        {"stale_fences": 2},
    ),
    "a turn without end": (replace(CLEAN, turns=(AcceptedTurn(session="s", turn="lost"),)), {"unended_turns": 1}),
    "a turn that ends twice": (
        with_log(entry(1, turn="t", is_terminal=True), entry(2, turn="t", is_terminal=True)),
        {"unended_turns": 1},
    ),
}
OUTSIDE: dict[str, Plant] = {
    "an effect that happened twice": (
        replace(CLEAN, effects=(Effect(key="pay", times=2),)),
        {"wrong_effects": 1},
    ),
    "an effect that is claimed and did not happen": (
        replace(CLEAN, effects=(Effect(key="pay", times=0, expected=1),)),
        {"wrong_effects": 1},
    ),
    "an answer metered with other tokens": (
        replace(CLEAN, served=(ServedCall(turn="t", response_id="r1", tokens=10),)),
        {"wrong_metering": 1},
    ),
    "an answer metered twice": (
        replace(CLEAN, metered=(*CLEAN.metered, CLEAN.metered[0])),
        {"wrong_metering": 1},
    ),
    "a lost answer that nothing was reserved for": (
        replace(CLEAN, metered=CLEAN.metered[:1]),
        {"wrong_metering": 1},
    ),
    "a call without an end": (
        replace(CLEAN, metered=(*CLEAN.metered, MeteredCall(turn="t", response_id=None, is_ended=False))),
        {"wrong_metering": 1},
    ),
    "a process that ended by itself": (replace(CLEAN, exits=("worker ended",)), {"exits": 1}),
}


PLANTS: dict[str, Plant] = {
    **LOST,
    **PROJECTION,
    **PHANTOMS,
    **DUPLICATES,
    **CHANGES,
    **HOLES,
    **REORDERINGS,
    **SKIPS,
    **OTHERS,
    **OUTSIDE,
}


def test_a_clean_history_breaks_no_promise() -> None:
    verify(CLEAN, backend="test").require(acknowledged=LAST)


@pytest.mark.parametrize("kind", PLANTS)
def test_a_planted_violation_is_found_and_counted(kind: str) -> None:
    history, expected = PLANTS[kind]
    assert figures(history) == expected


@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.check.__name__)
def test_no_invariant_is_one_that_cannot_fail(invariant: Any) -> None:
    check: Callable[[History], list[Finding]] = lambda history: list(invariant.check(history))  # noqa: E731
    assert not check(CLEAN)
    assert any(check(history) for history, _ in PLANTS.values())


@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.check.__name__)
def test_every_check_names_its_invariant(invariant: Any) -> None:
    assert invariant.check.__doc__.startswith(invariant.id)


def test_an_append_never_acknowledged_may_be_in_the_log_or_not() -> None:
    assert figures(History(acked=(acked(1),), log=(entry(1), entry(2)))) == {}


def test_an_event_acknowledged_twice_with_one_place_is_one_event() -> None:
    """A request sent again after a lost answer gets the answer of the first."""
    again = acked(1, t_sent=1.0, t_acked=9.0)
    report = verify(History(acked=(acked(1), again), log=(entry(1),)), backend="test")
    assert report.is_clean
    assert report.acknowledged == 1


def test_concurrent_appends_may_stand_in_either_order() -> None:
    overlapping = (acked(1, t_sent=1.0, t_acked=4.0), acked(2, t_sent=0.0, t_acked=3.0))
    assert figures(History(acked=overlapping, log=(entry(1), entry(2)))) == {}


def test_an_append_sent_the_moment_another_was_acknowledged_may_stand_ahead() -> None:
    """The clock cannot tell which was first."""
    tied = (acked(1, t_sent=3.0, t_acked=4.0), acked(2, t_sent=2.0, t_acked=3.0))
    assert figures(History(acked=tied, log=(entry(1), entry(2)))) == {}


def test_an_append_acknowledged_again_keeps_its_place_before_later_ones() -> None:
    again = acked(1, t_sent=8.0, t_acked=9.0)
    assert figures(History(acked=(acked(1), acked(2), again), log=(entry(1), entry(2)))) == {}


def test_a_void_record_fills_a_hole() -> None:
    assert figures(with_log(entry(1), entry(2, is_void=True), entry(3))) == {}


@pytest.mark.parametrize("kind", [{"is_projected": False}, {"is_void": True}], ids=str)
def test_an_entry_without_projection_needs_no_row(kind: dict[str, bool]) -> None:
    assert figures(with_log(entry(1), entry(2, **kind), rows=(row(1),))) == {}


@pytest.mark.parametrize("first", [1, 3], ids=["from 1", "going on"])
def test_a_new_epoch_starts_at_one_or_goes_on(first: int) -> None:
    assert figures(with_log(entry(1), entry(2), entry(first, epoch=2), entry(first + 1, epoch=2))) == {}


def test_a_new_epoch_is_delivered_after_a_resync() -> None:
    frames = (shown(1), Resync(epoch=2, seq=0), shown(1, epoch=2))
    history = with_log(entry(1), entry(1, epoch=2), connections=(Connection(client="c", session="s", frames=frames),))
    assert figures(history) == {}


def test_a_resync_excuses_what_it_skips() -> None:
    assert figures(with_frames(shown(1), Resync(epoch=1, seq=5), shown(6), is_open_at_end=True)) == {}


def test_a_client_may_be_given_again_what_it_asks_for_again() -> None:
    """At least once: it resumed from before the end of what it had."""
    first, second = CLEAN.connections
    earlier = replace(second, after=Position(1, 1), frames=(shown(2), *second.frames))
    assert figures(replace(CLEAN, connections=(first, earlier))) == {}


def test_a_client_keeps_what_it_had_before_it_was_given_it_again() -> None:
    complete, repeated = tuple(map(shown, VISIBLE)), (shown(2),)
    connections = (
        Connection(client="c", session="s", frames=complete[:-1]),
        Connection(client="c", session="s", after=Position(1, 1), frames=repeated),
        Connection(client="c", session="s", after=Position(1, 5), frames=complete[-1:], is_open_at_end=True),
    )
    assert figures(replace(CLEAN, connections=connections)) == {}


def test_a_client_may_start_from_a_snapshot() -> None:
    assert figures(with_frames(shown(5), shown(6), after=Position(1, 3), is_open_at_end=True)) == {}


def test_the_previous_number_may_pass_over_internal_events() -> None:
    assert figures(with_frames(shown(5, previous=3), after=Position(1, INTERNAL))) == {}


def test_a_client_that_left_need_not_have_the_end() -> None:
    assert figures(with_frames(shown(1))) == {}


def test_sessions_and_clients_are_told_apart() -> None:
    other = entry(1, event_id="o1", client_key="k1.1")
    history = History(
        log=(entry(1), replace(other, session="o")),
        connections=tuple(
            Connection(client=client, session=session, frames=(shown(1, event_id=name),), is_open_at_end=True)
            for client, session, name in (("c", "s", event(1)), ("d", "o", "o1"), ("c", "o", "o1"))
        ),
    )
    assert figures(history) == {}


def test_the_line_has_the_usual_figures_in_their_order() -> None:
    report = verify(CLEAN, backend="sqlite", kills=200)
    assert report.line() == (
        "backend=sqlite appended=6 acknowledged=6 lost=0 duplicated=0 reordered=0 gaps=0 kills=200 p95_ms=500.0"
    )


def test_the_line_does_not_hide_an_unusual_figure() -> None:
    history, _ = PLANTS["shown, never stored"]
    assert verify(history, backend="sqlite").line().endswith("p95_ms=500.0 phantoms=1")


def test_a_broken_promise_is_explained_with_its_invariant() -> None:
    history, _ = PLANTS["acknowledged, and another event has its place"]
    with pytest.raises(BrokenPromiseError, match=r"I1 lost: s 1/2 e1\.2 was acknowledged .* its place holds usurper"):
        verify(history, backend="test").require()


def test_examples_are_few_and_figures_exact() -> None:
    report = verify(History(acked=tuple(acked(seq) for seq in range(1, 101))), backend="test")
    assert report.figures["lost"] == 100
    assert len(report.examples["I1"]) == 20


def test_a_history_without_acknowledgements_proves_nothing() -> None:
    with pytest.raises(BrokenPromiseError, match="only 0 of 1 events acknowledged"):
        verify(History(), backend="test").require()


def test_a_run_shorter_than_asked_for_is_refused() -> None:
    with pytest.raises(BrokenPromiseError, match="only 6 of 5000"):
        verify(CLEAN, backend="test").require(acknowledged=5000)


@pytest.mark.parametrize(("count", "expected"), [(0, 0.0), (1, 1.0), (20, 19.0), (100, 95.0)])
def test_the_percentile_is_one_of_the_values(count: int, expected: float) -> None:
    assert percentile(range(1, count + 1), 0.95) == expected


def lines_of(history: History) -> list[str]:
    records = [
        *({"kind": "acked", **asdict(append)} for append in history.acked),
        *({"kind": "entry", **asdict(found)} for found in history.log),
        *({"kind": "connection", **asdict(connection)} for connection in history.connections),
        *({"kind": "row", **asdict(found)} for found in history.rows or ()),
        *({"kind": "view", **asdict(view)} for view in history.views),
        *({"kind": "turn", **asdict(turn)} for turn in history.turns),
        *({"kind": "effect", **asdict(effect)} for effect in history.effects),
        *({"kind": "served", **asdict(call)} for call in history.served),
        *({"kind": "metered", **asdict(call)} for call in history.metered),
    ]
    return [json.dumps(record) + "\n" for record in records]


def test_a_history_is_read_back_from_json_lines() -> None:
    assert History.from_lines(["\n", *lines_of(CLEAN)]) == CLEAN


def test_an_empty_projection_is_told_from_none() -> None:
    assert History.from_lines([]).rows is None
    assert History.from_lines(['{"kind": "projection"}']).rows == ()


@pytest.mark.parametrize("line", ["{", "5", "{}", '{"kind": "song"}', '{"kind": "turn", "session": "s"}'])
def test_a_line_that_is_no_record_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ValueError, match="line 2 is no record of a history"):
        History.from_lines(['{"kind": "projection"}', line])


@pytest.mark.parametrize(("kind", "code"), [(None, 0), ("a number missing", 1), ("a view that differs", 1)])
def test_the_program_prints_the_line_and_fails_for_broken_promises(tmp_path: Path, kind: str | None, code: int) -> None:
    history = PLANTS[kind][0] if kind else CLEAN
    (tmp_path / "history.jsonl").write_text("".join(lines_of(history)))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.verifier", str(tmp_path / "history.jsonl"), "sqlite", "3"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith("backend=sqlite appended=")
