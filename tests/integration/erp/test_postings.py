"""Postings happen once, whatever dies; what another person changed is never overwritten (O-3, A-2, A-8)."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from batuta.events.queue import WorkStatus
from batuta.events.tools import ApprovalRequested, ToolResponse
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.server.config import load_settings
from batuta.server.erp.connection import SANDBOX_FILE
from batuta.server.team import first_team
from batuta.testing import crash_matrix
from tests.chaos import postings
from tests.chaos.eventlog import servers
from tests.chaos.posting_team import WORKFLOW, access_to, books, team
from tests.chaos.turns import Person, events_of
from tests.integration.orchestration.crew import Ledger
from tests.support.learnt import with_learnt
from tests.support.processes import Zygote
from tests.support.stores import Opener, Store
from tests.support.turns import TurnPersistence, say

PROCESS_KILLS = 16
"""For each backend; `python -m tests.chaos.postings` kills 500 times."""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(postings.MODULES)
    yield zygote
    zygote.close()


async def test_a_workflow_killed_at_event_boundaries_posts_once(demo_file: Path, tmp_path: Path) -> None:
    """Every 40th boundary in memory; all writes and more boundaries with processes below."""
    erp = tmp_path / "erp.sqlite3"

    def reset() -> None:
        shutil.copyfile(demo_file, erp)

    def same(events: object) -> None:
        """The books are compared; ids in the events are those of their turn."""

    reset()
    with ExitStack() as opened:
        report = await crash_matrix(
            lambda: team(opened.enter_context(access_to(erp))),
            WORKFLOW,
            same=same,
            reset=reset,
            outside=lambda: books(erp),
            stride=40,
        )
    report.check()
    assert not report.asked


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
async def test_a_workflow_whose_process_dies_around_its_writes_posts_once(zygote: Zygote, backend: str) -> None:
    with servers(backend) as place:
        report = await postings.run(zygote, place, kills=PROCESS_KILLS)
    report.require()
    assert report.kills == PROCESS_KILLS


@pytest.mark.parametrize(
    "request_text", ["post the invoice 102149", "change the due date of invoice 102149 to 5 October"]
)
async def test_a_record_that_another_person_changed_while_approval_was_waited_for_is_not_overwritten(
    request_text: str, demo_file: Path, tmp_path: Path, opener: Opener
) -> None:
    """The process that asked is gone; the one that goes on finds another version, and says so."""
    erp = tmp_path / "erp.sqlite3"
    shutil.copyfile(demo_file, erp)
    async with opener() as store:
        turn = await say(store.queue, session := new_id(), request_text)
        await _worked(store, erp)
        other = await say(store.queue, new_id(), "change the reference of invoice 102149 to PO-77")
        await _worked(store, erp)
        await _approved(store, other)
        await _worked(store, erp)
    async with opener() as store:
        before = _invoice(erp)
        await _approved(store, turn)
        await _worked(store, erp)
        assert _invoice(erp) == before
        events = await events_of(store, session)
    answers = [event for event in events if isinstance(event, ToolResponse) and not event.success]
    assert "nothing was written" in answers[0].content
    assert answers[0].content.rstrip().endswith("?")


async def test_a_fresh_preview_is_shown_when_the_change_is_asked_for_again(
    demo_file: Path, tmp_path: Path, opener: Opener
) -> None:
    erp = tmp_path / "erp.sqlite3"
    shutil.copyfile(demo_file, erp)
    async with opener() as store:
        first = await say(store.queue, new_id(), "change the reference of invoice 102149 to PO-1")
        await _worked(store, erp)
        await _approved(store, first)
        await _worked(store, erp)
        await say(store.queue, session := new_id(), "change the reference of invoice 102149 to PO-2")
        await _worked(store, erp)
        asked = [event for event in await events_of(store, session) if isinstance(event, ApprovalRequested)]
    assert "| PO-1 | PO-2 |" in str(asked[0].preview)


async def test_yes_to_what_had_changed_shows_the_change_on_the_record_as_it_is_now(
    demo_file: Path, tmp_path: Path, opener: Opener
) -> None:
    """Durable, and by the built-in model: the process that asked is gone, another one reads "yes"."""
    shutil.copyfile(demo_file, tmp_path / SANDBOX_FILE)
    async with opener() as store:
        turn = await say(store.queue, session := new_id(), "change the reference of invoice 102149 to PO-2")
        await _worked_offline(store, tmp_path)
        other = await say(store.queue, new_id(), "change the reference of invoice 102149 to PO-1")
        await _worked_offline(store, tmp_path)
        await _approved(store, other)
        await _worked_offline(store, tmp_path)
        await _approved(store, turn)
        await _worked_offline(store, tmp_path)
    async with opener() as store:
        await say(store.queue, session, "yes")
        await _worked_offline(store, tmp_path)
        asked = [event for event in await events_of(store, session) if isinstance(event, ApprovalRequested)]
    assert len(asked) == 2
    assert "| PO-1 | PO-2 |" in str(asked[1].preview)


async def _worked_offline(store: Store, data_dir: Path) -> None:
    """What a worker with the built-in model does that has just been started."""
    async with first_team(load_settings({}, None, data_dir=with_learnt(data_dir))) as team:
        settings = WorkerSettings(owner=new_id())
        worker = TurnWorker(team.orchestrator, store.queue, store.log, TurnPersistence(store.log), settings)
        await worker.run_until_idle()


async def _worked(store: Store, erp: Path) -> None:
    """What a worker that has just been started does."""
    with access_to(erp) as access:
        settings = WorkerSettings(owner=new_id())
        await TurnWorker(team(access), store.queue, store.log, TurnPersistence(store.log), settings).run_until_idle()


async def _approved(store: Store, turn: str) -> None:
    work = await store.queue.get(turn)
    assert work is not None
    assert work.status is WorkStatus.PAUSED, work
    await Person(store, Ledger()).answer(work)


def _invoice(erp: Path) -> str:
    return json.dumps([row for row in books(erp)["invoices"] if row[1] == "102149"] + books(erp)["general_ledger"])
