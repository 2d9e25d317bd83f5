"""Validation in layers as one shared pipeline: cheap first, a model last. An agent and a batch use the same one."""

import asyncio

from pydantic import BaseModel, Field

from batuta import AgentStep, Context, Pipeline, Rejected, StepFailedError, StepResult, step
from batuta.testing import Reply, ScriptedModel


class Invoice(BaseModel):  # first layer: the type itself
    number: str = Field(pattern=r"^INV-\d+$")
    net: float
    tax: float
    total: float
    reason: str


class Verdict(BaseModel):
    is_plausible: bool
    why: str = ""


@step
async def adds_up(invoice: Invoice) -> StepResult[Invoice]:
    """Second layer: arithmetic."""
    if abs(invoice.net + invoice.tax - invoice.total) > 0.005:
        return StepResult.from_error(f"{invoice.net} + {invoice.tax} is not {invoice.total}", category="validation")
    return StepResult.of(invoice)


@step
async def within_policy(invoice: Invoice) -> StepResult[Invoice]:
    """Third layer: the house's rules."""
    if invoice.total > 10_000:
        return StepResult.from_error("above 10,000 a person signs", category="validation")
    return StepResult.of(invoice)


def validation(reviewer: ScriptedModel) -> Pipeline[Invoice, Invoice]:
    judge = AgentStep(
        name="judge", model=reviewer, input=Invoice, output=Verdict, prompt="Is {total} plausible for: {reason}?"
    )

    @step(invokes={judge: 1})
    async def plausible(invoice: Invoice, ctx: Context) -> StepResult[Invoice]:
        """Last layer: a model, asked only about what passed everything cheaper."""
        verdict = await ctx.invoke(judge, invoice)
        if not verdict.is_plausible:
            return StepResult.from_error(verdict.why, category="semantic")
        return StepResult.of(invoice)

    return Pipeline("validation", adds_up >> within_policy >> plausible)


async def main() -> None:
    reviewer = ScriptedModel(
        [
            Reply('{"is_plausible": false, "why": "900 for one pen"}'),
            Reply('{"is_plausible": true}'),
            Reply('{"is_plausible": true}'),
        ]
    )
    checks = validation(reviewer)

    # In an agent: what a layer refuses becomes feedback, and the model corrects itself.
    async def holds(invoice: Invoice, ctx: Context) -> None:
        try:
            await ctx.invoke(checks, invoice)
        except StepFailedError as failure:
            raise Rejected(failure.error.message, hint="read the paper again") from failure

    reader = ScriptedModel(
        [
            Reply('{"number": "7", "net": 1, "tax": 1, "total": 2, "reason": "pen"}'),
            Reply('{"number": "INV-7", "net": 900, "tax": 0, "total": 90, "reason": "pen"}'),
            Reply('{"number": "INV-7", "net": 900, "tax": 0, "total": 900, "reason": "pen"}'),
            Reply('{"number": "INV-7", "net": 9, "tax": 0, "total": 9, "reason": "pen"}'),
        ]
    )
    read = AgentStep(name="read", model=reader, output=Invoice, validate=holds, max_attempts=4)
    result = await Pipeline("intake", read).run("(a scanned invoice)")
    assert result.value.total == 9.0
    assert "number" in reader.requests[1].text  # the type spoke,
    assert "900.0 + 0.0 is not 90.0" in reader.requests[2].text  # then arithmetic,
    assert "900 for one pen" in reader.requests[3].text  # then the reviewer, who was asked about nothing else
    assert len(reviewer.requests) == 2

    # In a batch: the same pipeline, errors as values, the cheap layers first.
    good = result.value
    batch = [good, good.model_copy(update={"total": 10.0}), good.model_copy(update={"net": 2e4, "total": 2e4})]
    results = [item async for item in checks.map(batch)]
    assert [item.is_error for item in results] == [False, True, True]
    assert [item.error.path for item in results if item.is_error] == ["validation/adds_up", "validation/within_policy"]
    reviewer.assert_finished()
    assert checks.bounds().model_calls == 3  # one judge, at most three answers


asyncio.run(main())
