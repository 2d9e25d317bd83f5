"""Workers look for lost turns every few seconds: however many turns there were, the look is short (S-7)."""

import sqlite3
from pathlib import Path

from batuta.eventstore import sqlite_turns
from batuta.eventstore.sqlite_migrations import upgrade


def test_a_look_for_lost_turns_reads_no_finished_one(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "turns.db", isolation_level=None)
    upgrade(connection, tmp_path / "turns.db")
    query = sqlite_turns._IS_ANY_TO_RECOVER
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", ("2026", "2026"))]
    connection.close()
    of_turns = [step for step in plan if step.startswith(("SEARCH turns", "SCAN turns", "SCAN t", "SEARCH t"))]
    assert len(of_turns) == 2
    assert all("USING INDEX ix_turns_" in step for step in of_turns)
