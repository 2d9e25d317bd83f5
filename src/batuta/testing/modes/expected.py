"""What a program should come to, worked out on paper: no runner, no journal, no store.

It shares with what it judges only the names of tools and the texts that models and tools give (`mark`).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from batuta.testing.modes.programs import (
    CASES,
    WRITING_TOOLS,
    ActionNode,
    AgentNode,
    BatchNode,
    ChoiceNode,
    ParallelNode,
    PipelineNode,
    PlainNode,
    Program,
    ProgramNode,
    RecoverNode,
    RepeatNode,
    mark,
)

MAX_ATTEMPTS = 3
MAX_TRIES = 3
"""Of a model call, with its retries."""
REQUEST = "§request"
ANOTHER_REQUEST = "§another"
CONCLUSION = "§conclusion"
PLANNED_TASK = "§task{}"
REJECTED, EDITED = 0, 1
NOT_ANSWERED = "error"


class FailureExpected(Exception):  # noqa: N818 - what is expected, not an error of the suite
    """A node fails."""


@dataclass(kw_only=True)
class ExpectedOutcome:
    """What should be seen in every mode."""

    value: str | None = None
    done: Counter[str] = field(default_factory=Counter)
    undone: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    """How many answers of models count."""
    broken: int = 0
    """How many agents are answered after streams that broke, if they are streamed."""


def expected_outcome(program: Program) -> ExpectedOutcome:
    """Work a program out."""
    return _Reader(program).read()


def verdict_on(what: str) -> int:
    """What a person decides about a call with this argument."""
    return sum(what.encode()) % 4


def edited(what: str) -> str:
    """What a person makes of an argument."""
    return f"{what}-edited"


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._found = ExpectedOutcome()
        self._undo: list[list[tuple[str, bool]]] = [[]]
        self._writes = 0

    def read(self) -> ExpectedOutcome:
        if self._program.is_team:
            self._found.value = self._team()
            return self._found
        try:
            self._found.value = self._node(self._program.members[0], REQUEST)
        except FailureExpected:
            self._roll_back(self._undo[0])
        return self._found

    def _team(self) -> str:
        """A plan, its steps as far as they can run, and the supervisor's last word."""
        self._found.answers += 1
        results: dict[int, str] = {}
        for index, member in enumerate(self._program.members):
            needed = self._program.depends_on[index]
            if all(other in results for other in needed):
                try:
                    results[index] = self._node(member, self._task(index, {other: results[other] for other in needed}))
                except FailureExpected:
                    continue
        self._found.answers += 1
        return CONCLUSION

    def _task(self, index: int, results: dict[int, str]) -> str:
        task = PLANNED_TASK.format(index)
        if not results:
            return task
        lines = [f"[{other + 1}] {self._program.members[other].name}: {result}" for other, result in results.items()]
        return "\n\n".join([task, "\n".join(["Results of earlier steps:", *lines])])

    def _node(self, node: ProgramNode, value: str) -> str:
        read: Callable[..., str] = getattr(self, f"_{type(node).__name__.removesuffix('Node').lower()}")
        return read(node, value)

    def _plain(self, node: PlainNode, value: str) -> str:
        if node.fate != "succeeds":
            raise FailureExpected(node.name)
        return mark(node.name, value)

    def _action(self, node: ActionNode, value: str) -> str:
        is_write = node.mode == "transactional"
        if node.fate != "succeeds":
            if node.mode == "fire_and_forget":
                return value
            raise FailureExpected(node.name)
        self._found.done[f"{node.name}:{value}"] += 1
        self._writes += is_write
        if is_write:
            self._undo[-1].append((f"{node.name}:{value}", node.undo_fails))
        return mark(node.name, value) if node.returns else value

    def _agent(self, node: AgentNode, value: str) -> str:
        """One with a structured answer is built as a pipeline that unwraps it."""
        return self._in_scope(lambda: self._spoken(node, value)) if node.is_structured else self._spoken(node, value)

    def _spoken(self, node: AgentNode, value: str) -> str:
        writes = self._writes
        try:
            return self._answered(node, value)
        except FailureExpected as failure:
            if (
                node.fallback is None
                or node.is_structured
                or self._writes > writes
                or self._program.budget == "used up"
            ):
                raise
            try:
                return self._plain(node.fallback, value)
            except FailureExpected:
                raise failure from None

    def _answered(self, node: AgentNode, value: str) -> str:
        if self._program.budget == "used up" or self._program.health_of(node.endpoint) == "down":
            raise FailureExpected(node.name)
        contents: list[str] = []
        self._found.broken += self._program.health_of(node.endpoint) == "breaks"
        for number, names in enumerate(node.rounds):
            self._found.answers += 1
            for position, name in enumerate(names):
                contents.append(self._tool(node, name, mark(node.name, value, str(number), str(position))))
        self._found.answers += min(node.wrong + 1, MAX_ATTEMPTS)
        if node.wrong >= MAX_ATTEMPTS:
            raise FailureExpected(node.name)
        return mark(node.name, value, *contents)

    def _tool(self, node: AgentNode, name: str, what: str) -> str:
        if name == "stumble":
            return NOT_ANSWERED
        if name == "delegate":
            assert node.delegate is not None
            try:
                return self._node(node.delegate, what)
            except FailureExpected:
                return "failed"
        if name == "look":
            return mark("look", what)
        if name == "pay":
            verdict = verdict_on(what)
            if verdict == REJECTED:
                return NOT_ANSWERED
            what = edited(what) if verdict == EDITED else what
        self._found.done[f"{name}:{what}"] += 1
        self._writes += name in WRITING_TOOLS
        return f"{name} done"

    def _pipeline(self, node: PipelineNode, value: str) -> str:
        def in_turn() -> str:
            current = value
            for part in node.parts:
                current = self._node(part, current)
            return current

        return self._in_scope(in_turn)

    def _in_scope(self, work: Callable[[], str]) -> str:
        """What is done inside is undone if it fails there; else it belongs to the scope around."""
        self._undo.append([])
        try:
            value = work()
        except FailureExpected:
            self._roll_back(self._undo.pop())
            raise
        done = self._undo.pop()
        self._undo[-1].extend(done)
        return value

    def _roll_back(self, done: list[tuple[str, bool]]) -> None:
        for key, undo_fails in reversed(done):
            if not undo_fails:
                self._found.undone[key] += 1
                self._writes -= 1

    def _choice(self, node: ChoiceNode, value: str) -> str:
        return self._node(node.cases[case_of(value) % len(node.cases)], value)

    def _parallel(self, node: ParallelNode, value: str) -> str:
        """Built as a pipeline that joins what its branches give."""
        return self._in_scope(lambda: self._joined(node, value))

    def _joined(self, node: ParallelNode, value: str) -> str:
        results: list[str] = []
        failures = 0
        for branch in node.branches:
            try:
                results.append(self._node(branch, value))
            except FailureExpected:
                failures += 1
        if failures and node.policy != "tolerate":
            raise FailureExpected(node.name)
        return mark(node.name, *results, str(failures))

    def _repeat(self, node: RepeatNode, value: str) -> str:
        for number in range(node.times):
            value = self._node(node.child, f"{value}~{number}")
        return value

    def _recover(self, node: RecoverNode, value: str) -> str:
        try:
            return self._node(node.child, value)
        except FailureExpected:
            return mark(node.name, "recovered")

    def _batch(self, node: BatchNode, value: str) -> str:
        results: list[str] = []
        for number in range(node.size):
            try:
                results.append(self._node(node.child, f"{value}#{number}"))
            except FailureExpected:
                results.append("failed")
        return mark(node.name, *results)


def case_of(value: str) -> int:
    """Which case of a switch a text takes."""
    return sum(value.encode()) % CASES
