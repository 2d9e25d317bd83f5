"""Killed at every event boundary, a turn goes on elsewhere as if nothing had happened (O-3, O-4)."""

from pydantic import TypeAdapter

from batuta import Context, step
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import ScriptedModel, crash_matrix
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


async def test_the_world_may_be_put_back_before_every_turn() -> None:
    """A team that sees what earlier turns did needs a fresh world for each; within a turn it is left alone."""
    world: set[str] = set()

    @step
    async def clerk(task: str, ctx: Context) -> str:
        async def enter() -> str:
            world.add(ctx.run_key)
            return f"{len(world)} turns are entered"

        return await ctx.effect(enter, TypeAdapter(str), kind="idempotent", name="enter")

    def team() -> Orchestrator:
        specialist = Specialist(clerk, name="Clerk", commands=("/clerk",))
        return Orchestrator(supervisor=ScriptedModel([]), agents=[specialist])

    fresh = await crash_matrix(team, "/clerk enter", reset=world.clear)
    fresh.check()
    assert len(world) == 1
    assert (await crash_matrix(team, "/clerk enter")).differences
