"""Holding the modes against one another, and against what was worked out on paper; every difference is in a table.

await check_program(random_program(17), modes_of(17), stores, seed=17)
"""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from batuta.kernel.errors import JournalMismatchError
from batuta.kernel.usage import Amount, Usage
from batuta.testing.modes.building import BuiltProgram
from batuta.testing.modes.expected import ExpectedOutcome, expected_outcome
from batuta.testing.modes.programs import ActionNode, Program, nodes_of, smaller
from batuta.testing.modes.running import Mode, ModeOutcome, Stores, run_in
from batuta.testing.modes.world import COST_OF_AN_ANSWER, INPUT_TOKENS, OUTPUT_TOKENS
from batuta.testing.views import difference

RUN_MODES = (
    Mode(),
    Mode(is_streaming=True),
    Mode(store="journal"),
    Mode(store="journal", is_streaming=True),
    Mode(store="memory"),
    Mode(store="memory", is_killed=True),
)
TURN_MODES = (
    Mode(family="turn"),
    Mode(family="turn", is_streaming=True),
    Mode(family="turn", store="memory"),
    Mode(family="turn", store="memory", is_killed=True),
    Mode(family="turn", store="memory", is_streaming=True, is_killed=True),
    Mode(family="turn", store="sqlite"),
    Mode(family="turn", store="sqlite", is_killed=True),
    Mode(family="turn", store="sqlite", is_streaming=True),
    Mode(family="turn", store="sqlite", is_streaming=True, is_killed=True),
    Mode(family="turn", store="postgres"),
    Mode(family="turn", store="postgres", is_killed=True),
    Mode(family="turn", store="postgres", is_streaming=True),
    Mode(family="turn", store="postgres", is_streaming=True, is_killed=True),
)
MODES = (*RUN_MODES, *TURN_MODES)


def modes_of(seed: int) -> tuple[Mode, ...]:
    """All modes, but on databases every other one: the next seed has the others there."""

    def has_turn(mode: Mode) -> bool:
        return mode.store not in ("sqlite", "postgres") or mode.is_streaming == bool((seed + mode.is_killed) % 2)

    return tuple(filter(has_turn, MODES))


Where = Callable[[Mode, Mode, ModeOutcome], bool]
"""Whether a difference between the mode that is judged and the one it is held against is declared, for an outcome."""


def _another_family(mode: Mode, against: Mode, _: ModeOutcome) -> bool:
    return mode.family != against.family


def _killed(mode: Mode, _: Mode, __: ModeOutcome) -> bool:
    return mode.is_killed


def _streamed(mode: Mode, _: Mode, __: ModeOutcome) -> bool:
    return mode.is_streaming


def _repeated(mode: Mode, _: Mode, __: ModeOutcome) -> bool:
    return mode.store == "journal"


def _side_by_side(_: Mode, __: Mode, outcome: ModeOutcome) -> bool:
    return outcome.is_side_by_side


@dataclass(frozen=True, slots=True)
class DeclaredDifference:
    """An aspect in which modes may differ, where, and why that is right."""

    aspect: str
    where: Where
    reason: str


DECLARED = (
    DeclaredDifference("view", _another_family, "a turn tells its beginning, who works in it, and its end"),
    DeclaredDifference("view", _repeated, "this run has no listener"),
    DeclaredDifference("last_agent", _another_family, "a turn ends with the words of a specialist or its supervisor"),
    DeclaredDifference("last_agent", _repeated, "this run has no listener"),
    DeclaredDifference("last_agent", _side_by_side, "of agents side by side it is chance who is the last"),
    DeclaredDifference("conversation", _another_family, "a turn remembers its request and its last word, no tools"),
    DeclaredDifference("message", _another_family, "a message may name a place, and a turn's places lie deeper"),
    DeclaredDifference("breakers", _another_family, "a team has an endpoint more: its supervisor's"),
    DeclaredDifference("breakers", _killed, "a read whose answer was lost is asked again, and counts again"),
    DeclaredDifference("spent", _killed, "a read whose answer was lost is paid for twice"),
    DeclaredDifference("spent", _streamed, "what came of a stream before it broke is charged, and reported as lost"),
    DeclaredDifference("waits", _killed, "a read whose answer was lost waits again"),
)
"""Every difference there may be. What is not in here is a fault."""

NEVER_COMPARED = frozenset({"events_stored", "is_side_by_side", "due_waits", "lost", "said_to_another_request"})
"""Facts for the suite itself, and what is held against paper only."""


@dataclass(frozen=True, slots=True)
class ModeDifference:
    """An undeclared difference."""

    mode: Mode
    against: str
    aspect: str
    detail: str

    def __str__(self) -> str:
        """One line, or a few."""
        return f"{self.mode}: {self.aspect} is not that of {self.against}: {self.detail}"


async def differences_of(program: Program, modes: Sequence[Mode], stores: Stores, seed: int) -> list[ModeDifference]:
    """Run a program in every mode that it has; everything that differs and is not declared."""
    expected = expected_outcome(program)
    found: list[ModeDifference] = []
    first: dict[str, tuple[Mode, ModeOutcome]] = {}
    stored: dict[tuple[str, bool], int] = {}
    built = {is_streaming: BuiltProgram(program, is_streaming=is_streaming) for is_streaming in (False, True)}
    for number, mode in enumerate(mode for mode in modes if not (program.is_team and mode.family == "run")):
        dice = random.Random(f"{seed}/{number}")  # noqa: S311 - where to kill
        within = stored.get((mode.family, mode.is_streaming)) or stored.get((mode.family, False), 60)
        outcome = await run_in(mode, built[mode.is_streaming], stores, dice, kill_within=within)
        if outcome.events_stored and not mode.is_killed:
            stored[mode.family, mode.is_streaming] = outcome.events_stored
        found += _against_paper(mode, outcome, expected, program)
        for other, basis in first.values():
            found += _against_another(mode, outcome, other, basis, _background(program))
        first.setdefault(mode.family, (mode, outcome))
    return found


def _against_paper(
    mode: Mode, outcome: ModeOutcome, expected: ExpectedOutcome, program: Program
) -> list[ModeDifference]:
    usage = Usage(input=INPUT_TOKENS * expected.answers, output=OUTPUT_TOKENS * expected.answers)
    facts: dict[str, tuple[Any, Any]] = {
        "value": (outcome.value, expected.value),
        "usage": (outcome.usage, usage),
        "cost": (outcome.cost, COST_OF_AN_ANSWER * expected.answers),
        "effects": (
            _net(outcome.done, outcome.undone, program, mode),
            _net(expected.done, expected.undone, program, mode),
        ),
    }
    if not mode.is_killed:
        facts["done"] = (outcome.done, +expected.done)
        facts["undone"] = (outcome.undone, +expected.undone)
    if not mode.is_killed:
        facts["waits"] = (outcome.waits, outcome.due_waits)
    has_lost = mode.is_streaming and expected.broken > 0
    is_heard = mode.store != "journal"
    if not is_heard:
        facts["another request"] = (outcome.said_to_another_request, JournalMismatchError.code)
    if program.budget == "ample" and not mode.is_killed and (is_heard or not has_lost):
        charged = Amount(usage.total, COST_OF_AN_ANSWER * expected.answers) + outcome.lost
        facts["lost"] = (bool(outcome.lost.tokens), has_lost)
        facts["spent"] = (outcome.spent, charged)
    return [
        ModeDifference(mode, "what was expected", name, f"{found!r} instead of {wanted!r}")
        for name, (found, wanted) in facts.items()
        if found != wanted
    ]


def _net(done: Counter[str], undone: Counter[str], program: Program, mode: Mode) -> Counter[str]:
    """What is left of everything that was done."""
    left = done - undone
    return _without(left, _background(program)) if mode.is_killed else left


def _background(program: Program) -> frozenset[str]:
    """Actions that nothing waits for: those that a kill cut off are not begun again."""
    nodes = [node for member in program.members for node in nodes_of(member)]
    return frozenset(node.name for node in nodes if isinstance(node, ActionNode) and node.mode == "fire_and_forget")


def _without(done: Counter[str], names: frozenset[str]) -> Counter[str]:
    return Counter({key: count for key, count in done.items() if key.partition(":")[0] not in names})


def _against_another(
    mode: Mode, outcome: ModeOutcome, other: Mode, basis: ModeOutcome, background: frozenset[str]
) -> list[ModeDifference]:
    found: list[ModeDifference] = []
    for aspect in (field.name for field in fields(ModeOutcome) if field.name not in NEVER_COMPARED):
        mine, theirs = getattr(outcome, aspect), getattr(basis, aspect)
        if aspect == "done" and mode.is_killed and not mine - theirs:  # never more than without a kill
            mine, theirs = _without(mine, background), _without(theirs, background)
        if mine == theirs or any(d.aspect == aspect and d.where(mode, other, outcome) for d in DECLARED):
            continue
        detail = difference(mine, theirs) if aspect == "view" else f"{mine!r} instead of {theirs!r}"
        found.append(ModeDifference(mode, str(other), aspect, detail))
    return found


async def shrunk(
    program: Program, is_faulty: Callable[[Program], Awaitable[bool]], *, most_tries: int = 300
) -> Program:
    """The smallest program found that still shows the fault."""
    tries = 0
    while tries < most_tries:
        for less in smaller(program):
            tries += 1
            if await is_faulty(less):
                program = less
                break
            if tries >= most_tries:
                return program
        else:
            return program
    return program


async def check_program(program: Program, modes: Sequence[Mode], stores: Stores, seed: int) -> None:
    """Fail if a program comes to something else in one mode, with the smallest program that shows it."""
    found = await differences_of(program, modes, stores, seed)
    if not found:
        return
    faults = {(fault.mode, fault.aspect) for fault in found}

    async def is_faulty(candidate: Program) -> bool:
        again = await differences_of(candidate, modes, stores, seed)
        return any((fault.mode, fault.aspect) in faults for fault in again)

    small = await shrunk(program, is_faulty)
    shown = await differences_of(small, modes, stores, seed) or found
    lines = "\n".join(str(fault) for fault in shown[:8])
    raise AssertionError(f"seed {seed} comes to something else, and so does\n{small}\n{lines}")
