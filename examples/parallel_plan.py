"""A plan with a dependency: what is independent runs at the same time, what depends gets the results."""

import asyncio
import json

from batuta import step
from batuta.events import PlanCompleted, PlanStepCompleted
from batuta.orchestration import FailurePolicy, Orchestrator, Specialist
from batuta.testing import CapturingSink, Reply, ScriptedModel

PLAN = Reply(
    json.dumps(
        {
            "steps": [
                {"agent_id": "sales", "task": "sales of May", "depends_on": []},
                {"agent_id": "costs", "task": "costs of May", "depends_on": []},
                {"agent_id": "charts", "task": "draw the margin", "depends_on": [0, 1]},
            ]
        }
    )
)


async def main() -> None:
    together = asyncio.Barrier(2)  # passes only when two wait at the same time

    @step
    async def sales(task: str) -> str:
        await together.wait()
        return "sold for 120"

    @step
    async def costs(task: str) -> str:
        await together.wait()
        return "cost 80"

    given: list[str] = []

    @step
    async def charts(task: str) -> str:
        given.append(task)
        return "margin 40, drawn"

    agents = [Specialist(work, name=work.name.title()) for work in (sales, costs, charts)]
    supervisor = ScriptedModel([PLAN, Reply("The margin was 40 [3].")])
    sink = CapturingSink()

    turn = await Orchestrator(supervisor=supervisor, agents=agents).run("How was May?", sink=sink, timeout=10)

    assert turn.answer == "The margin was 40 [3]."
    assert given[0].startswith("draw the margin") and "sold for 120" in given[0] and "cost 80" in given[0]
    assert sink.of(PlanStepCompleted)[-1].step_index == 2
    assert "margin 40, drawn" in supervisor.requests[1].text  # the last word is written from the results

    # A step that fails takes its dependents with it; what is independent goes on, and the plan says why it failed.
    @step(name="costs")
    async def broken(task: str) -> str:
        raise RuntimeError("no ledger for May")

    @step(name="sales")
    async def calm(task: str) -> str:
        return "sold for 120"

    agents = [Specialist(work, name=work.name.title()) for work in (calm, broken, charts)]
    supervisor = ScriptedModel([PLAN, Reply("Sales were 120; the costs are not known.")])
    team = Orchestrator(supervisor=supervisor, agents=agents, failure_policy=FailurePolicy(retries=0))
    turn = await team.run("How was May?", sink=sink)
    assert turn.plan is not None and turn.answer == "Sales were 120; the costs are not known."
    assert [item.status for item in turn.plan.steps] == ["completed", "failed", "skipped"]
    assert sink.of(PlanCompleted)[-1].failure_reason == "step 1: no ledger for May"


asyncio.run(main())
