"""A write whose outcome nobody knows: whoever decides in the run is asked about it (O-3)."""

from pydantic import TypeAdapter

from batuta import Context, MemoryJournal, step
from batuta.kernel.errors import ProviderTimeoutError
from batuta.pipelines.step import Step
from batuta.tools import ApprovalDecision, ApprovalRequest

NUMBER = TypeAdapter(int)


class Person:
    """Decides, and keeps what was asked."""

    def __init__(self, decision: ApprovalDecision) -> None:
        self._decision = decision
        self.asked: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        return self._decision


def charging(outcomes: list[int | Exception]) -> Step[str, int]:
    """A step that charges a card by an effect of its own, without a way to find out about it."""

    @step
    async def pay(order: str, ctx: Context) -> int:
        async def charge() -> int:
            outcome = outcomes.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return await ctx.effect(charge, NUMBER, kind="write", name="charge")

    return pay


async def _interrupted(outcomes: list[int | Exception]) -> tuple[Step[str, int], MemoryJournal]:
    journal, pay = MemoryJournal(), charging([ProviderTimeoutError("no answer"), *outcomes])
    assert (await pay.run("o1", journal=journal)).is_error
    return pay, journal


async def test_a_person_is_asked_whether_an_interrupted_write_is_to_be_done() -> None:
    pay, journal = await _interrupted([7])
    ana = Person(ApprovalDecision.approve(by="ana"))
    result = await pay.run("o1", journal=journal, approver=ana)
    assert result.value == 7
    ((name, is_about_outcome, reason),) = [(r.tool_name, r.is_about_outcome, r.reason) for r in ana.asked]
    assert (name, is_about_outcome) == ("charge", True)
    assert "may have taken place or not" in reason
    again = await pay.run("o1", journal=journal, approver=ana)
    assert (again.value, len(ana.asked)) == (7, 1), "what was recorded is neither done nor asked about again"


async def test_a_person_who_says_that_it_is_done_cannot_say_what_it_brought() -> None:
    pay, journal = await _interrupted([7])
    result = await pay.run("o1", journal=journal, approver=Person(ApprovalDecision.reject("I saw it", by="ana")))
    assert result.error is not None
    assert "charge: A person confirmed: I saw it." in result.error.message
    assert "give it a `reconcile` function" in result.error.message


async def test_where_nobody_decides_it_is_not_repeated() -> None:
    pay, journal = await _interrupted([7])
    result = await pay.run("o1", journal=journal)
    assert result.error is not None
    assert "its outcome is unknown; it is not repeated" in result.error.message
