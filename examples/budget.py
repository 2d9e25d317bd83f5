"""Twenty parallel branches share one budget: the worst case is reserved before a call, so they never overspend."""

import asyncio
from decimal import Decimal

from batuta import AgentStep, Branch, ModelSettings, ParallelStep, Pipeline
from batuta.events import BudgetRefused, Usage
from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.messages import Answer
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.model import ModelRequest
from batuta.llm.wrapper import WrappedModel
from batuta.pipelines.result import StepError
from batuta.testing import CapturingSink, Reply, ScriptedModel

BRANCHES = 20
LIMIT = 2_000


class Slow(WrappedModel):
    """A model that takes its time, so that all branches ask at once."""

    async def generate(self, request: ModelRequest) -> Answer:
        await asyncio.sleep(0.02)
        return await self.inner.generate(request)


class Answers:
    """What the branches brought together."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.refused: list[StepError] = []


def branch(number: int) -> Branch[str, Answers]:
    script = ScriptedModel([Reply(f"opinion {number}", usage=Usage(input=20, output=60))])
    agent = AgentStep(name=f"voice-{number}", model=Slow(script), output=str, settings=ModelSettings(max_tokens=300))
    return Branch(agent, merge=lambda answers, text: answers.given.append(text))


async def main() -> None:
    panel = ParallelStep(
        Answers,
        [branch(number) for number in range(BRANCHES)],
        on_failure="collect",
        on_failures=lambda answers, errors: answers.refused.extend(errors),
    )
    ledger, budget = MemoryBudgetLedger(), Budget(scope="user", id="ana", limit_tokens=LIMIT)
    sink = CapturingSink()

    result = await Pipeline("panel", panel).run("Tabs or spaces?", budgets=[budget], ledger=ledger, sink=sink)

    answers = result.value
    assert len(answers.given) + len(answers.refused) == BRANCHES
    assert answers.given and answers.refused  # some fitted, the others were not made
    assert all(isinstance(error.exception, BudgetExceededError) for error in answers.refused)
    assert len(sink.of(BudgetRefused)) == len(answers.refused)
    spent = await ledger.spent(budget)
    assert spent.tokens == 80 * len(answers.given) <= LIMIT
    assert result.metrics.usage.total == spent.tokens  # the sum of the branches is the total

    # What was reserved and not used is free again: another call of the same user fits.
    more = AgentStep(name="voice", model=ScriptedModel([Reply("both")]), output=str, settings=ModelSettings(max_tokens=300))
    assert (await more.run("Tabs or spaces?", budgets=[budget], ledger=ledger)).value == "both"

    # With a limit in money a call whose price nobody knows is refused, and the error says how to set one.
    money = Budget(scope="run", id="1", limit_money=Decimal("0.05"))
    alone = AgentStep(name="voice", model=ScriptedModel([]), output=str)
    refused = await alone.run("Tabs?", budgets=[money], ledger=ledger)
    assert refused.is_error and "Prices(overrides=" in refused.error.message


asyncio.run(main())
