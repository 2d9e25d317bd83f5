"""The lost-answer matrix: no write is repeated, and no model hears what is not so (O-3, F-98)."""

import pytest

from batuta.events.queue import WorkStatus
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.teams import TeamStore
from tests.support.lost_answers import LOSSES, SUBJECTS, Loss, Subject, run_case


@pytest.mark.parametrize("is_done_before", [True, False], ids=["done", "not-done"])
@pytest.mark.parametrize("has_reconcile", [True, False], ids=["reconciled", "asked"])
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("loss", LOSSES)
async def test_cr14_a_lost_answer_repeats_nothing_and_misleads_nobody(
    loss: Loss, subject: Subject, has_reconcile: bool, is_done_before: bool
) -> None:
    """Every unknown outcome is looked up or put to a person; all tries carry one key."""
    log = MemoryEventLog()
    store = TeamStore(log, MemoryTurnQueue(log))
    report = await run_case(loss, subject, has_reconcile=has_reconcile, is_done_before=is_done_before, store=store)
    assert report.wrong_words == ()
    assert report.keys == 1
    assert report.was_asked is not has_reconcile
    has_failed = not is_done_before and _fails_for_good(loss, subject, has_reconcile)
    assert report.effects == (0 if has_failed else 1)
    assert report.status is (WorkStatus.FAILED if has_failed else WorkStatus.COMPLETED)


def _fails_for_good(loss: Loss, subject: Subject, has_reconcile: bool) -> bool:
    """What is looked up not to have happened is a failure of an action or graph; a model that hears so tries again."""
    return has_reconcile and subject in ("action", "graph") and loss != "killed"
