"""Rights are checked before a person is asked and again before a tool runs (O-31)."""

from dataclasses import dataclass, field
from typing import Any

from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.errors import ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.tools.context import ToolContext
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.outcome import Refusal
from batuta.tools.tool import Tool, tool


@dataclass
class Bank:
    """Pays while it may, and needs a role for large amounts."""

    is_allowed: bool = True
    paid: list[int] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def tool(self) -> Tool:
        async def authorize(args: dict[str, Any], context: ToolContext) -> str | None:
            self.seen.append(context.approved_by)
            if not self.is_allowed:
                raise ToolRefusedError("you may not pay")
            return "approver" if args["amount"] > 100 else None

        @tool(effect="write", approval="always", authorize=authorize)
        async def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        return pay


@dataclass
class Person:
    """Agrees to everything, after something else has happened."""

    bank: Bank
    takes_away: bool = False
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        self.bank.is_allowed = self.bank.is_allowed and not self.takes_away
        return ApprovalDecision.approve(by="ben")


async def called(bank: Bank, person: Person, amount: int = 5) -> Any:
    pay = bank.tool()
    scope = CallScope(tools={"pay": pay}, approver=person)
    return await ToolInvoker().invoke(ToolCallBlock(id="1", name="pay", args={"amount": amount}), scope)


async def test_who_has_no_right_is_refused_before_anybody_is_asked() -> None:
    bank = Bank(is_allowed=False)
    person = Person(bank)
    outcome = await called(bank, person)
    assert (outcome.refusal, outcome.result.content) == (Refusal.FORBIDDEN, "pay refused: you may not pay")
    assert (person.asked, bank.paid) == ([], [])


async def test_a_right_taken_away_while_a_person_decides_is_honoured() -> None:
    bank = Bank()
    outcome = await called(bank, Person(bank, takes_away=True))
    assert outcome.refusal == Refusal.FORBIDDEN
    assert bank.paid == []


async def test_the_second_look_knows_who_agreed() -> None:
    bank = Bank()
    outcome = await called(bank, Person(bank))
    assert outcome.result.content == "paid 5"
    assert bank.seen == ["", "ben"]


async def test_the_role_that_a_decision_needs_goes_with_the_request() -> None:
    bank = Bank()
    small, large = Person(bank), Person(bank)
    await called(bank, small)
    await called(bank, large, amount=500)
    assert [request.required_role for request in (*small.asked, *large.asked)] == [None, "approver"]
