"""Writes whose answer is lost in a run without a store: nobody is misled, nothing is repeated (F-98)."""

import asyncio
from typing import Any

import pytest

from batuta import AgentStep, Branch, Context, MemoryJournal, ParallelStep, Pipeline, action, step
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.errors import ToolFailedError, UnknownOutcomeError
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ToolContext, tool
from tests.support.loops import run_in_virtual_time

ORDER = Reply(tool_calls=[ToolCall("order", {"sku": "A"})])


class Person:
    def __init__(self, decision: ApprovalDecision) -> None:
        self._decision = decision
        self.asked: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        return self._decision


class Shop:
    """Takes orders and loses its first answer, or fails first."""

    def __init__(self, error: Exception, *, is_done: bool = True) -> None:
        self._errors = [error]
        self._is_done = is_done
        self.keys: list[str] = []
        self.orders = 0

    def tool(self, **options: Any) -> Any:
        async def order(sku: str, ctx: ToolContext) -> str:
            """Order."""
            self.keys.append(ctx.idempotency_key)
            if self._errors:
                self.orders += self._is_done
                raise self._errors.pop()
            self.orders += 1
            return "ordered"

        return tool(effect="write", **options)(order)


def buyer(model: ScriptedModel, order: Any) -> AgentStep[str, str]:
    return AgentStep(name="buyer", model=model, output=str, tools=[order])


@pytest.mark.parametrize("options", [{}, {"max_concurrency": 1}], ids=["unlimited", "one at a time"])
@pytest.mark.parametrize("error", [ConnectionResetError, TimeoutError])
async def test_without_anybody_to_ask_the_run_ends_and_its_model_hears_nothing(
    error: type[Exception], options: dict[str, Any]
) -> None:
    shop, model = Shop(error("lost")), ScriptedModel([ORDER])
    result = await buyer(model, shop.tool(**options)).run("buy")
    assert isinstance(result.error.exception, UnknownOutcomeError)
    assert (shop.orders, len(model.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("is_done", "decision"), [(True, ApprovalDecision.reject("seen")), (False, ApprovalDecision.approve())]
)
async def test_the_approver_of_the_run_is_asked(is_done: bool, decision: ApprovalDecision) -> None:
    shop, model = Shop(TimeoutError(), is_done=is_done), ScriptedModel([ORDER, Reply("done")])
    ana = Person(decision)
    result = await buyer(model, shop.tool()).run("buy", approver=ana)
    assert (result.value, shop.orders, len(set(shop.keys))) == ("done", 1, 1)
    assert [request.is_about_outcome for request in ana.asked] == [True]


async def test_a_model_that_hears_that_nothing_was_done_tries_again_under_the_same_key() -> None:
    async def look_up(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return None

    shop, model = Shop(TimeoutError(), is_done=False), ScriptedModel([ORDER, ORDER, Reply("done")])
    result = await buyer(model, shop.tool(reconcile=look_up)).run("buy")
    assert (result.value, shop.orders, len(set(shop.keys))) == ("done", 1, 1)
    (told,) = model.requests[1].tool_results
    assert (told.is_error, "nothing was done" in told.content) == (True, True)


async def test_an_intent_keeps_its_key_until_it_succeeded_and_then_is_a_new_one() -> None:
    shop, model = Shop(ToolFailedError("no stock"), is_done=False), ScriptedModel([ORDER, ORDER, ORDER, Reply("done")])
    await buyer(model, shop.tool()).run("buy")
    failed, succeeded, again = shop.keys
    assert failed == succeeded != again


async def test_a_run_repeated_with_its_journal_carries_the_same_keys() -> None:
    """Its correlation id is another one."""
    keys: list[str] = []

    @action(mode="transactional", rollback=lambda _: None, reconcile=lambda _: False)
    async def pay(amount: int, ctx: Context) -> None:
        keys.append(ctx.idempotency_key)
        if len(keys) == 1:
            raise TimeoutError

    journal = MemoryJournal()
    assert (await pay.run(1, journal=journal)).is_error
    assert (await pay.run(1, journal=journal)).value == 1
    assert len(set(keys)) == 1


@pytest.mark.parametrize("has_happened", [True, False])
def test_what_an_outer_deadline_cut_off_is_looked_up(has_happened: bool) -> None:
    looked: list[int] = []

    def look_up(value: int) -> bool:
        looked.append(value)
        return has_happened

    undone: list[int] = []

    @action(mode="transactional", rollback=undone.append, reconcile=look_up)
    async def pay(value: int) -> None:
        await asyncio.sleep(3600)

    result = run_in_virtual_time(Pipeline("outer", Pipeline("inner", pay, timeout=0.5)).run(1))
    assert result.error.code == "DEADLINE_EXCEEDED"
    assert looked == [1]
    assert undone == ([1] if has_happened else []), "what took place is undone, because the pipeline failed"


async def test_what_a_failing_sibling_cut_off_is_not_called_failed_where_nobody_knows() -> None:
    @action(mode="transactional", rollback=lambda _: None)
    async def pay(value: int) -> None:
        await asyncio.sleep(3600)

    @step
    async def fail(value: int) -> int:
        await asyncio.sleep(0.01)
        raise ValueError(value)

    both = ParallelStep(list[int], [Branch(pay, merge=list.append), Branch(fail, merge=list.append)])
    assert (await both.run(1)).error.code == "UNKNOWN_OUTCOME"


async def test_nothing_is_undone_that_an_unknown_outcome_may_be_built_on() -> None:
    acts: list[str] = []

    @action(mode="transactional", rollback=lambda _: acts.append("undo"))
    async def reserve(value: int) -> None:
        acts.append("reserve")

    @action(mode="transactional", rollback=lambda _: None)
    async def charge(value: int) -> None:
        raise TimeoutError

    result = await Pipeline("shop", reserve >> charge).run(1)
    assert (result.error.code, acts) == ("UNKNOWN_OUTCOME", ["reserve"])


async def test_a_write_whose_value_cannot_be_shown_is_not_called_failed() -> None:
    @tool(effect="write")
    async def order(sku: str) -> object:
        """Order."""
        return object()

    model = ScriptedModel([ORDER, Reply("done")])
    await buyer(model, order).run("buy")
    (told,) = model.requests[1].tool_results
    assert (told.is_error, "was done" in told.content) == (False, True)
