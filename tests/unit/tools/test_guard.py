"""What a platform asks about every tool call (O-31): rights as they are now, and writes that declare nothing."""

from collections.abc import Callable

import pytest

from batuta.kernel.errors import ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.kernel.users import ToolUser
from batuta.tools.approval import ApprovalDecision, ApprovalRequest
from batuta.tools.context import ToolContext
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.tool import Tool, tool

CALL = ToolCallBlock(id="call_1", name="pay", args={"to": "ACME"})


class Guard:
    """A guard whose words a test can change."""

    asks_undeclared_writes = True

    def __init__(self, roles: frozenset[str] = frozenset()) -> None:
        self.roles = roles
        self.loss: str | None = None
        self.is_decider_lost = False
        self.decider_roles: frozenset[str] = frozenset()
        self.needed_roles: list[str | None] = []

    async def current_user(self, user: ToolUser) -> ToolUser:
        if self.loss is not None:
            raise ToolRefusedError(self.loss)
        return ToolUser(id=user.id, roles=self.roles)

    async def check_decision(self, decision: ApprovalDecision, role: str | None) -> None:
        self.needed_roles.append(role)
        if self.is_decider_lost or (role is not None and role not in self.decider_roles):
            raise ToolRefusedError("the approver has no right to it")


class Person:
    """Agrees, and does something while the question is open."""

    def __init__(self, meanwhile: Callable[[], None] = lambda: None, edit: dict[str, object] | None = None) -> None:
        self.asked: list[ApprovalRequest] = []
        self._meanwhile = meanwhile
        self._edit = edit

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        self._meanwhile()
        return ApprovalDecision.approve(by="ben") if self._edit is None else ApprovalDecision.edit(self._edit, by="ben")


def paying(paid: list[str], **options: object) -> Tool:
    @tool(effect="write", **options)  # type: ignore[call-overload, untyped-decorator]
    async def pay(to: str) -> str:
        """Pay somebody."""
        paid.append(to)
        return "paid"

    assert isinstance(pay, Tool)
    return pay


async def invoke(guard: Guard | None, person: Person, payment: Tool) -> str:
    scope = CallScope(tools={"pay": payment}, approver=person)
    outcome = await ToolInvoker(guard=guard).invoke(CALL, scope)
    return outcome.result.content


async def test_a_write_that_declares_nothing_asks_on_the_platform() -> None:
    paid: list[str] = []
    person = Person()
    await invoke(Guard(), person, paying(paid))
    assert (len(person.asked), paid) == (1, ["ACME"])


@pytest.mark.parametrize(("guard", "options"), [(None, {}), (Guard(), {"approval": "never"})])
async def test_a_run_of_ones_own_and_a_declared_never_ask_nobody(
    guard: Guard | None, options: dict[str, object]
) -> None:
    paid: list[str] = []
    person = Person()
    await invoke(guard, person, paying(paid, **options))
    assert (person.asked, paid) == ([], ["ACME"])


async def test_a_user_who_lost_their_rights_gets_nothing_done() -> None:
    paid: list[str] = []
    guard = Guard()
    guard.loss = "the account was disabled"
    assert "the account was disabled" in await invoke(guard, Person(), paying(paid))
    assert paid == []


async def test_rights_that_are_lost_while_somebody_decides_count() -> None:
    """The last look is right before the write."""
    paid: list[str] = []
    guard = Guard()

    def lose() -> None:
        guard.loss = "the account was disabled"

    assert "disabled" in await invoke(guard, Person(lose), paying(paid, approval="always"))
    assert paid == []


async def test_a_role_counts_as_it_is_held_now() -> None:
    paid: list[str] = []
    payment = paying(paid, roles=["treasurer"], approval="never")
    await invoke(Guard(), Person(), payment)
    assert paid == []
    await invoke(Guard(frozenset({"treasurer"})), Person(), payment)
    assert paid == ["ACME"]


async def test_the_agreement_of_somebody_who_is_gone_is_none() -> None:
    paid: list[str] = []
    guard = Guard()

    def leave() -> None:
        guard.is_decider_lost = True

    assert "the approver has no right" in await invoke(guard, Person(leave), paying(paid, approval="always"))
    assert paid == []


async def role_for_evil(args: dict[str, object], context: ToolContext) -> str | None:
    """Payments to some need another approver."""
    return "treasurer" if args["to"] == "EVIL" else None


@pytest.mark.parametrize(("roles", "expected"), [(frozenset(), []), (frozenset({"treasurer"}), ["EVIL"])])
async def test_an_edit_needs_the_role_that_its_own_arguments_need(roles: frozenset[str], expected: list[str]) -> None:
    paid: list[str] = []
    guard = Guard()
    guard.decider_roles = roles
    await invoke(guard, Person(edit={"to": "EVIL"}), paying(paid, approval="always", authorize=role_for_evil))
    assert (guard.needed_roles, paid) == (["treasurer"], expected)
