"""Files of a message join the turn before it is routed, within a token budget (O-5)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.agents.documents.excerpts import attached_context
from batuta.agents.documents.library import owner_of
from batuta.events import AgentDecisionRecorded
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.attached import ATTACHED_CONTEXT_SERVICE, shared_budget
from batuta.testing import Reply, ScriptedModel
from tests.unit.orchestration.teams import agent, answer

LONG = "# Rules\n\n" + "\n\n".join(
    f"## Rule {n}\n\nRule number {n} is about topic{n}. {'Filler words. ' * 60}" for n in range(40)
)
SHORT = "The penguin clause costs 40 euros per month."


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[SqlitePassageIndex]:
    index = SqlitePassageIndex(tmp_path / "index.sqlite3")
    for file_id, name, text, person in (
        ("LONG", "rules.md", LONG, "ana"),
        ("SHORT", "lease.txt", SHORT, "ana"),
        ("OTHER", "other.txt", "The osprey lands.", "ben"),
    ):
        content = read(text.encode(), name, max_chars=1_000_000)
        await index.put(IndexedDocument(document_id=file_id, owner=owner_of(person), name=name, content=content))
    yield index
    await index.close()


async def test_a_small_file_is_whole_and_of_a_large_one_the_passages_that_fit(index: SqlitePassageIndex) -> None:
    context = await attached_context(index, "ana", ["LONG", "SHORT"], "What is topic17?", budget_tokens=600)
    assert context is not None
    lease, rules = sorted(context.excerpts, key=lambda each: each.name)
    assert (lease.text, lease.is_whole, rules.is_whole) == (SHORT, True, False)
    assert "topic17" in rules.text
    assert 0 < rules.tokens <= 600 - lease.tokens
    assert (await attached_context(index, "ana", ["LONG"], "hello", budget_tokens=600)) is not None


async def test_a_file_that_says_nothing_of_the_question_is_shown_by_its_beginning(index: SqlitePassageIndex) -> None:
    context = await attached_context(index, "ana", ["LONG"], "xylophone?", budget_tokens=100)
    assert context is not None
    assert context.excerpts[0].text.startswith("Rules")
    assert context.excerpts[0].tokens <= 100


async def test_is07_a_file_of_another_person_is_not_read(index: SqlitePassageIndex) -> None:
    """IS-07: a foreign id in a message."""
    assert await attached_context(index, "ana", ["OTHER"], "osprey", budget_tokens=600) is None


@pytest.mark.parametrize(
    ("needs", "given"),
    [([10, 500, 500], [10, 45, 45]), ([], []), ([200], [100]), ([30, 30, 30], [30, 30, 30]), ([0, 300], [0, 100])],
)
def test_what_small_files_leave_goes_to_the_large_ones(needs: list[int], given: list[int]) -> None:
    assert shared_budget(needs, 100) == given


async def test_the_supervisor_reads_the_files_and_the_turn_records_them(index: SqlitePassageIndex) -> None:
    """Which files, and how much of each, stands in the log before the decision who answers."""
    supervisor = ScriptedModel([answer("It is about penguins.")])
    context = await attached_context(index, "ana", ["SHORT"], "What is this?", budget_tokens=600)
    team = Orchestrator(supervisor=supervisor, agents=[Specialist(agent("erp", [Reply("unused")]), name="ERP")])
    turn = await team.run("What is this?", services={ATTACHED_CONTEXT_SERVICE: context})
    assert turn.answer == "It is about penguins."
    assert SHORT in supervisor.requests[0].messages[-1].text
    recorded = [event for event in turn.events if isinstance(event, AgentDecisionRecorded)]
    assert recorded[0].decision_type == "attached_files"
    [file] = recorded[0].output_data["files"]
    assert (file["file_id"], file["is_whole"]) == ("SHORT", True)
