"""The pytest plugin is there without being asked for."""

from collections.abc import Awaitable, Callable

from batuta import AgentStep
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CrashReport, Reply, ScriptedModel

Matrix = Callable[[Callable[[], Orchestrator], str], Awaitable[CrashReport]]


def build() -> Orchestrator:
    worker = AgentStep(name="clerk", model=ScriptedModel([Reply("done")]), output=str)
    return Orchestrator(
        supervisor=ScriptedModel([Reply('{"answer": "Hello!"}')]), agents=[Specialist(worker, name="C")]
    )


async def test_a_users_own_team_is_killed_at_every_boundary(crash_matrix: Matrix) -> None:
    report = await crash_matrix(build, "hi")
    report.check()
    assert report.boundaries > 5
