"""Programs as data: what is run in every mode, made from a seed, printed as Python and made smaller when one fails.

    program = random_program(17)      # the same for the same seed
    print(program)                    # can be pasted into a test
    smaller(program)                  # programs with one thing less

Every node takes a text and gives a text, as it is or inside of an object. What a node does is decided by the program
alone, never by chance or time, so that each mode is asked for the same.
"""

import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

Fate = Literal["succeeds", "fails", "fails for now", "refuses"]
"""What comes of a step. One that refuses returns its failure, and raises nothing."""
Health = Literal["up", "flaky", "breaks", "down"]
"""Of a provider's endpoint: it answers, fails once before each answer, does so in the middle of a stream, or never
answers.
"""
ActionMode = Literal["transactional", "idempotent", "fire_and_forget"]
ParallelPolicy = Literal["all", "collect", "tolerate"]
BudgetSize = Literal["none", "ample", "used up"]
PlanForm = Literal["whole", "bare", "announced"]
"""How a supervisor writes its plan: as asked, without its cover, or with words beside its steps."""
ValueForm = Literal["text", "plain class", "data class"]
"""What goes from node to node: a text, or an object that holds it and that only its class knows how to make."""

TOOL_NAMES = ("look", "note", "send", "stumble", "pay")
"""A read, a write, an idempotent one, one that fails, and a write that needs an approval."""
WRITING_TOOLS = frozenset({"note", "pay"})
CASES = 3
ALWAYS_WRONG = 9


def mark(name: str, *parts: str) -> str:
    """A short text that depends on everything it is made of."""
    return f"§{name}.{zlib.crc32('|'.join(parts).encode()):08x}"


@dataclass(frozen=True, kw_only=True)
class PlainNode:
    """A function as a step."""

    name: str
    fate: Fate = "succeeds"


@dataclass(frozen=True, kw_only=True)
class ActionNode:
    """A side effect. One that returns nothing passes its input on."""

    name: str
    mode: ActionMode = "transactional"
    fate: Fate = "succeeds"
    returns: bool = False
    can_tell: bool = True
    """It can be found out whether it took place (`reconcile`)."""
    undo_fails: bool = False


@dataclass(frozen=True, kw_only=True)
class AgentNode:
    """An agent: rounds of tools, then so many wrong answers, then the right one."""

    name: str
    endpoint: int = 0
    rounds: tuple[tuple[str, ...], ...] = ()
    wrong: int = 0
    is_structured: bool = False
    has_extra_tools: bool = False
    """Its settings name a tool of the provider beside its own."""
    delegate: "PipelineNode | None" = None
    """What its tool `delegate` runs."""
    fallback: "PlainNode | None" = None


@dataclass(frozen=True, kw_only=True)
class PipelineNode:
    """Nodes one after the other; when one fails, the actions before it are undone."""

    name: str
    parts: "tuple[ProgramNode, ...]"


@dataclass(frozen=True, kw_only=True)
class ChoiceNode:
    """A switch over three cases, chosen by the text."""

    name: str
    cases: "tuple[ProgramNode, ...]"


@dataclass(frozen=True, kw_only=True)
class ParallelNode:
    """Branches side by side. `all` stands for fail-fast, and then nothing in it fails: what fails first is chance."""

    name: str
    branches: "tuple[ProgramNode, ...]"
    policy: ParallelPolicy = "collect"
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class RepeatNode:
    """A step that has another one run so many times, each on what the last one gave."""

    name: str
    child: "ProgramNode"
    times: int = 2


@dataclass(frozen=True, kw_only=True)
class RecoverNode:
    """A step that runs another one inside and goes on if that fails."""

    name: str
    child: "ProgramNode"


@dataclass(frozen=True, kw_only=True)
class BatchNode:
    """A step that maps a pipeline over some inputs; errors are values."""

    name: str
    child: PipelineNode
    size: int = 2


ProgramNode = (
    PlainNode | ActionNode | AgentNode | PipelineNode | ChoiceNode | ParallelNode | RepeatNode | RecoverNode | BatchNode
)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A pipeline, or a team of several: `members` follow a plan in which each may depend on those before it."""

    members: tuple[PipelineNode, ...]
    depends_on: tuple[tuple[int, ...], ...] = ((),)
    health: tuple[Health, ...] = ("up",)
    """Of each endpoint; those beyond the list are up."""
    budget: BudgetSize = "none"
    form: ValueForm = "text"
    plan: PlanForm = "whole"
    fails_whole: bool = False
    """A step that fails ends the plan (`fail_plan`). Only where each step waits for the one before: else chance decides
    what has begun by then.
    """

    @property
    def is_team(self) -> bool:
        """Whether a supervisor plans it."""
        return len(self.members) > 1

    @property
    def is_side_by_side(self) -> bool:
        """Whether parts of it may run at the same time."""
        nodes = [node for member in self.members for node in nodes_of(member)]
        return not _is_chain(self.depends_on) or any(isinstance(node, ParallelNode | BatchNode) for node in nodes)

    def health_of(self, endpoint: int) -> Health:
        """How an endpoint fares."""
        return self.health[endpoint] if endpoint < len(self.health) else "up"


def _is_chain(depends_on: tuple[tuple[int, ...], ...]) -> bool:
    return all(index - 1 in needed for index, needed in enumerate(depends_on) if index)


def nodes_of(node: ProgramNode) -> "Iterator[ProgramNode]":
    """A node and everything below it."""
    yield node
    for child in _children(node):
        yield from nodes_of(child)


def _children(node: ProgramNode) -> "tuple[ProgramNode, ...]":
    match node:
        case PipelineNode():
            return node.parts
        case ChoiceNode():
            return node.cases
        case ParallelNode():
            return node.branches
        case RepeatNode() | RecoverNode() | BatchNode():
            return (node.child,)
        case AgentNode():
            return tuple(child for child in (node.delegate, node.fallback) if child is not None)
        case _:
            return ()


def random_program(seed: int) -> Program:
    """The program of a seed."""
    return _Author(seed).program()


class _Author:
    """Makes programs up. `_safe` counts how many nodes around forbid a failure, `_beside` how many run side by side."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - programs, no secrets
        self._count = 0
        self._endpoints = 3
        self._safe = 0
        self._beside = 0
        self._inside_tool = 0

    def program(self) -> Program:
        team = self._dice.random() < 0.25
        size = self._dice.randint(2, 3) if team else 1
        members = tuple(self._pipeline(2 if team else 3) for _ in range(size))
        depends = tuple(
            tuple(other for other in range(index) if self._dice.random() < 0.5) for index in range(len(members))
        )
        shared: list[Health] = self._dice.choices(("up", "flaky", "breaks", "down"), (4, 2, 3, 2), k=3)
        own: list[Health] = self._dice.choices(("up", "flaky", "breaks"), (3, 1, 1), k=self._endpoints - 3)
        may_fail = not team and not any(
            isinstance(node, ParallelNode) and node.policy == "all" for member in members for node in nodes_of(member)
        )
        budgets: tuple[BudgetSize, ...] = ("none", "ample", "used up")
        budget = self._dice.choices(budgets, (5, 4, 1 if may_fail else 0))[0]
        forms: tuple[ValueForm, ...] = ("text", "plain class", "data class")
        plans: tuple[PlanForm, ...] = ("whole", "bare", "announced")
        return Program(
            members=members,
            depends_on=depends,
            health=(*shared, *own),
            budget=budget,
            form=self._dice.choices(forms, (3, 2, 1))[0],
            plan=self._dice.choice(plans) if team else "whole",
            fails_whole=team and _is_chain(depends) and self._dice.random() < 0.5,
        )

    def _pipeline(self, depth: int) -> PipelineNode:
        name = self._name("pipe")
        return PipelineNode(name=name, parts=tuple(self._node(depth - 1) for _ in range(self._dice.randint(1, 4))))

    def _node(self, depth: int) -> ProgramNode:
        leaves: list[Callable[[], ProgramNode]] = [self._plain, self._action, self._action, self._agent, self._agent]
        if depth <= 0 or self._dice.random() < 0.55:
            return self._dice.choice(leaves)()
        nodes: list[Callable[[int], ProgramNode]] = [
            self._pipeline, self._choice, self._parallel, self._repeat, self._recover, self._batch,
        ]  # fmt: skip
        return self._dice.choice(nodes)(depth)

    def _plain(self) -> PlainNode:
        return PlainNode(name=self._name("plain"), fate=self._fate("refuses"))

    def _action(self) -> ActionNode:
        modes: tuple[ActionMode, ...] = ("transactional", "idempotent", "fire_and_forget")
        weights = (6, 2, 0) if self._inside_tool else (6, 2, 1)
        mode = self._dice.choices(modes, weights)[0]
        returns = mode != "fire_and_forget" and self._dice.random() < 0.3
        is_transactional = mode == "transactional"
        return ActionNode(
            name=self._name("act"),
            mode=mode,
            fate=self._fate(),
            returns=returns,
            can_tell=is_transactional and (returns or self._dice.random() < 0.6),
            undo_fails=is_transactional and self._dice.random() < 0.07,
        )

    def _agent(self) -> AgentNode:
        rounds = tuple(
            tuple(self._dice.choice(TOOL_NAMES) for _ in range(self._dice.randint(1, 2)))
            for _ in range(self._dice.choice((0, 0, 1, 1, 2)))
        )
        delegate = None
        if rounds and not self._inside_tool and self._dice.random() < 0.25:
            self._inside_tool += 1
            delegate = self._pipeline(1)
            self._inside_tool -= 1
            rounds = (("delegate",), *rounds[1:])
        wrong = self._dice.choice((0, 0, 0, 1, 1, ALWAYS_WRONG)) if not self._safe else self._dice.choice((0, 1))
        return AgentNode(
            name=self._name("agent"),
            endpoint=self._endpoint(),
            rounds=rounds,
            wrong=wrong,
            is_structured=self._dice.random() < 0.3,
            has_extra_tools=bool(rounds) and self._dice.random() < 0.3,
            delegate=delegate,
            fallback=self._plain() if self._dice.random() < 0.4 else None,
        )

    def _choice(self, depth: int) -> ChoiceNode:
        return ChoiceNode(name=self._name("choice"), cases=tuple(self._node(depth - 1) for _ in range(CASES)))

    def _parallel(self, depth: int) -> ParallelNode:
        policy: ParallelPolicy = self._dice.choice(("all", "collect", "tolerate"))
        name = self._name("side")
        self._beside += 1
        self._safe += policy == "all"
        branches = tuple(self._node(depth - 1) for _ in range(self._dice.randint(2, 3)))
        self._safe -= policy == "all"
        self._beside -= 1
        return ParallelNode(name=name, branches=branches, policy=policy, limit=self._dice.choice((None, None, 1, 2)))

    def _repeat(self, depth: int) -> RepeatNode:
        return RepeatNode(name=self._name("repeat"), child=self._node(depth - 1), times=self._dice.randint(1, 4))

    def _recover(self, depth: int) -> RecoverNode:
        return RecoverNode(name=self._name("recover"), child=self._pipeline(depth))

    def _batch(self, depth: int) -> BatchNode:
        self._beside += 1
        child = self._pipeline(depth - 1)
        self._beside -= 1
        return BatchNode(name=self._name("batch"), child=child, size=self._dice.randint(1, 3))

    def _fate(self, *others: Fate) -> Fate:
        if self._safe:
            return "succeeds"
        fates: tuple[Fate, ...] = ("fails", "fails for now", *others)
        return self._dice.choice(fates) if self._dice.random() < 1 / 7 else "succeeds"

    def _endpoint(self) -> int:
        """What runs side by side has an endpoint of its own: whose failure a shared breaker counts first is chance."""
        if not self._beside and not self._safe:
            return self._dice.randrange(3)
        self._endpoints += 1
        return self._endpoints - 1

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def smaller(program: Program) -> Iterator[Program]:
    """The same program with one thing less, the largest pieces first."""
    if program.is_team:
        for index in range(len(program.members)):
            yield replace(program, members=(program.members[index],), depends_on=((),))
    for index, member in enumerate(program.members):
        for less in _less(member):
            if isinstance(less, PipelineNode):
                yield replace(program, members=(*program.members[:index], less, *program.members[index + 1 :]))
    plainer: dict[str, Any] = {"budget": "none", "form": "text", "plan": "whole", "fails_whole": False}
    yield from _plainer(program, plainer)
    for index, health in enumerate(program.health):
        if health != "up":
            yield replace(program, health=(*program.health[:index], "up", *program.health[index + 1 :]))


def _less(node: ProgramNode) -> Iterator[ProgramNode]:
    """Simpler nodes in the place of one."""
    yield from _children(node)
    match node:
        case PipelineNode() if len(node.parts) > 1:
            for index in range(len(node.parts)):
                yield replace(node, parts=(*node.parts[:index], *node.parts[index + 1 :]))
        case ParallelNode() if len(node.branches) > 1:
            for index in range(len(node.branches)):
                yield replace(node, branches=(*node.branches[:index], *node.branches[index + 1 :]))
        case AgentNode():
            yield from _simpler_agents(node)
        case RepeatNode() if node.times > 1:
            yield replace(node, times=node.times - 1)
        case BatchNode() if node.size > 1:
            yield replace(node, size=node.size - 1)
        case _:
            pass
    yield from _with_less_below(node)


def _simpler_agents(node: AgentNode) -> Iterator[AgentNode]:
    plainer: dict[str, Any] = {"wrong": 0, "is_structured": False, "has_extra_tools": False, "fallback": None}
    yield from _plainer(node, plainer)
    if node.rounds:
        rounds = node.rounds[1:]
        uses = any("delegate" in names for names in rounds)
        yield replace(node, rounds=rounds, delegate=node.delegate if uses else None)


def _plainer(one: Any, fields: dict[str, Any]) -> Iterator[Any]:
    """The same, with one field as it is in the plainest."""
    yield from (replace(one, **{name: value}) for name, value in fields.items() if getattr(one, name) != value)


def _with_less_below(node: ProgramNode) -> Iterator[ProgramNode]:
    match node:
        case PipelineNode():
            yield from (replace(node, parts=parts) for parts in _one_less(node.parts))
        case ChoiceNode():
            yield from (replace(node, cases=cases) for cases in _one_less(node.cases))
        case ParallelNode():
            yield from (replace(node, branches=branches) for branches in _one_less(node.branches))
        case RepeatNode():
            yield from (replace(node, child=less) for less in _less(node.child))
        case RecoverNode():
            yield from (replace(node, child=less) for less in _less(node.child))
        case BatchNode():
            yield from (replace(node, child=less) for less in _less(node.child) if isinstance(less, PipelineNode))
        case _:
            pass


def _one_less(below: tuple[ProgramNode, ...]) -> Iterator[tuple[ProgramNode, ...]]:
    for index, child in enumerate(below):
        for less in _less(child):
            yield (*below[:index], less, *below[index + 1 :])
