"""Asks a team every task and judges what it brought: right, refused, or wrong. A refusal beats a wrong figure."""

import tomllib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.benchmark.expected import EXPECTED, SAID, RawBooks, Table, as_said
from batuta.agents.erp.benchmark.states import CountingApprover, rows_of, wrong_state
from batuta.connectors.erp import ErpConnector
from batuta.conversations.conversation import Conversation
from batuta.datasets.dataset import DATASETS_SERVICE, Dataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.events.datasets import DatasetStored
from batuta.events.tools import ApprovalRequested
from batuta.kernel.approvals import Approver
from batuta.kernel.ids import new_id
from batuta.orchestration.orchestrator import Orchestrator, Turn
from batuta.tools.context import LANGUAGE_SERVICE

Verdict = Literal["right", "refused", "wrong"]
CENTS = Decimal("0.05")
"""By how much a sum over documents in foreign currency may differ: they are rounded one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkTask:
    """A question, or a conversation of them, and what must come of the last."""

    id: str
    language: str
    messages: tuple[str, ...]
    expect: Mapping[str, Any] | None
    """None where the right answer is a refusal."""
    options: Mapping[str, Any] = field(default_factory=dict)
    writes: int | None = None
    """How many approved writes it takes; `None` for a question."""
    state: tuple[Mapping[str, Any], ...] = ()
    """What raw reads must find after the writes."""

    @property
    def is_of_every_size(self) -> bool:
        """Whether it can be asked of any demo company: what is written, and some of what is asked, names records."""
        return self.writes is None and not self.options.get("names_records")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """What came of a task."""

    task: BenchmarkTask
    verdict: Verdict
    answer: str
    detail: str = ""


@cache
def benchmark_tasks() -> tuple[BenchmarkTask, ...]:
    """The tasks that come with the agent, each question in both languages."""
    return tuple(
        BenchmarkTask(
            id=f"{pair['id']}-{language}",
            language=language,
            messages=tuple(pair[language]),
            expect=None if "refuse" in pair or "writes" in pair else pair["expect"],
            options=pair,
            writes=pair.get("writes"),
            state=tuple(pair.get("state", {}).get(language, ())),
        )
        for name in ("tasks.toml", "writes.toml")  # what changes the books comes last
        for pair in tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))["pair"]
        for language in ("en", "es")
    )


async def run_benchmark(
    team: Orchestrator, access: ErpAccess, tasks: Iterable[BenchmarkTask] | None = None
) -> AsyncIterator[TaskOutcome]:
    """Ask each task in a conversation of its own, one after the other."""
    company = await access.company()
    books = await access.books()
    raw = await RawBooks.read(access.connector, company.id, today=books.today, currency=books.currency)
    for task in tasks if tasks is not None else benchmark_tasks():
        if task.writes is not None:
            yield await _judged_write(team, access.connector, company.id, task)
            continue
        turn, datasets = await _asked(team, task)
        yield _judged(task, raw, turn, datasets)


async def _judged_write(
    team: Orchestrator, connector: ErpConnector, company_id: str, task: BenchmarkTask
) -> TaskOutcome:
    """Ask for a change, approve what is shown, and look at the records."""
    before = await rows_of(connector, company_id)
    approver = CountingApprover()
    turn, _ = await _asked(team, task, approver)
    answer = turn.answer or (str(turn.error) if turn.error else "")
    after = await rows_of(connector, company_id)
    is_changed, approved = before != after, len(approver.approved)
    detail = wrong_state(after, task.state)
    if is_changed and not approved:
        return TaskOutcome(task=task, verdict="wrong", answer=answer, detail="written without approval")
    if task.writes and not approved:
        return TaskOutcome(task=task, verdict="refused", answer=answer)
    if approved != task.writes:
        detail = detail or f"{approved} approved writes, not {task.writes}"
    return TaskOutcome(task=task, verdict="wrong" if detail else "right", answer=answer, detail=detail)


async def _asked(
    team: Orchestrator, task: BenchmarkTask, approver: Approver | None = None
) -> tuple[Turn, list[Dataset]]:
    session_id = new_id()
    owner = DatasetOwner(session_id=session_id)
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=owner)
    conversation = Conversation()
    services = {DATASETS_SERVICE: library, LANGUAGE_SERVICE: task.language}
    turn: Turn | None = None
    for message in task.messages:
        turn = await team.run(
            message, conversation=conversation, session_id=session_id, services=services, approver=approver
        )
    assert turn is not None
    stored = [event for event in turn.events if isinstance(event, DatasetStored)]
    return turn, [await library.load(await library.get(event.name)) for event in stored]


def _judged(task: BenchmarkTask, raw: RawBooks, turn: Turn, datasets: Sequence[Dataset]) -> TaskOutcome:
    answer = turn.answer or (str(turn.error) if turn.error else "")
    if any(isinstance(event, ApprovalRequested) for event in turn.events):
        return TaskOutcome(task=task, verdict="wrong", answer=answer, detail="asked to write")
    if task.expect is None:
        verdict: Verdict = "wrong" if datasets else "right"
        return TaskOutcome(
            task=task, verdict=verdict, answer=answer, detail="figures where none can be" * bool(datasets)
        )
    if task.expect["of"] in SAID:
        return _judged_words(task, as_said(SAID[task.expect["of"]](raw, task.expect), task.language), answer, datasets)
    expected = EXPECTED[task.expect["of"]](raw, task.expect)
    if shows_only(datasets, expected, task.options):
        return TaskOutcome(task=task, verdict="right", answer=answer)
    if not datasets:
        return TaskOutcome(task=task, verdict="refused", answer=answer)
    shown = {name: str(amount) for name, amount in list(expected.items())[:3]}
    return TaskOutcome(
        task=task, verdict="wrong", answer=answer, detail=f"expected {shown}, got {datasets[-1].first_rows(3)}"
    )


def _judged_words(task: BenchmarkTask, expected: str, answer: str, datasets: Sequence[Dataset]) -> TaskOutcome:
    """Whether the answer says a value; of one that says another record's or shows figures instead, that it is wrong."""
    if expected in answer:
        return TaskOutcome(task=task, verdict="right", answer=answer)
    is_told = bool(datasets) or answer.startswith("**")
    detail = f"expected {expected}, got {answer[:120]}" if is_told else ""
    return TaskOutcome(task=task, verdict="wrong" if is_told else "refused", answer=answer, detail=detail)


def shows_only(datasets: Sequence[Dataset], expected: Table, options: Mapping[str, Any]) -> bool:
    """Whether figures were given and all of them are the expected ones: a wrong one beside the right one misleads."""
    figures = [dataset for dataset in datasets if any(column.name == "value" for column in dataset.columns)]
    return bool(figures) and all(_fits(dataset, expected, options) for dataset in figures)


def _fits(dataset: Dataset, expected: Table, options: Mapping[str, Any]) -> bool:
    names = [column.name for column in dataset.columns]
    if "value" not in names:
        return False
    place = names.index("value")
    labels = [index for index, column in enumerate(dataset.columns) if column.type == "text"]
    found = {" / ".join(str(row[index]) for index in labels): Decimal(str(row[place] or 0)) for row in dataset.rows}
    total = sum(found.values(), Decimal(0))
    if set(expected) == {""}:
        is_figure = not labels
        return (is_figure or bool(options.get("accepts_table"))) and _near(total, expected[""])
    if options.get("accepts_other_split") or (options.get("accepts_total") and not labels):
        return _near(total, sum(expected.values(), Decimal(0)))
    if top := options.get("top"):
        best = sorted(expected.items(), key=lambda one: (-one[1], one[0]))[:top]
        return list(found) == [name for name, _ in best] and all(_near(found[name], amount) for name, amount in best)
    if options.get("is_negative"):
        expected = {name: amount for name, amount in expected.items() if amount < 0}
    whole = {name: amount for name, amount in expected.items() if amount or name in found}
    return {name for name, amount in found.items() if amount} <= set(whole) and all(
        _near(found.get(name, Decimal(0)), amount) for name, amount in whole.items()
    )


def _near(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= CENTS
