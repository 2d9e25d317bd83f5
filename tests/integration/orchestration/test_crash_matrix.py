"""Killed at every event boundary, a turn goes on elsewhere as if nothing had happened (O-3, O-4)."""

from batuta.orchestration import Orchestrator
from batuta.testing import crash_matrix
from tests.integration.orchestration.crew import Ledger, build


async def test_a_turn_killed_at_every_event_boundary_ends_the_same() -> None:
    """Three steps, five tools: read, idempotent, write, write with approval, write nobody can check.

    Keys of writes hold their turn, so one ledger serves all turns of the matrix.
    """
    ledger = Ledger()

    def team() -> Orchestrator:
        return build(ledger)

    report = await crash_matrix(team, "go")
    report.check()
    assert report.boundaries > 60
    assert 1 <= len(report.asked) <= 4, report.asked
    assert set(ledger.writes.values()) == {1}, "a write happened twice"
