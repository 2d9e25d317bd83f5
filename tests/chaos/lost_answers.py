"""Writes lose their answers in every way, fifty times each, and none is repeated.

    python -m tests.chaos.lost_answers [--times 50]

Every case of the lost-answer matrix on a SQLite log, what took place before the loss drawn by chance. Prints one line
per kind of loss and ends with 1 if an effect was repeated, a model misled, or an outcome neither settled nor asked.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from batuta.events.queue import WorkStatus
from batuta.eventstore.teams import open_team_store
from tests.support.lost_answers import LOSSES, SUBJECTS, CaseReport, Loss, Subject, run_case

SEED = 20261116


async def run(times: int) -> bool:
    """Whether every promise held."""
    chance, is_clean = random.Random(SEED), True
    with tempfile.TemporaryDirectory() as place:
        async with open_team_store(Path(place) / "turns.db") as store:
            for loss in LOSSES:
                cases = [(subject, reconciled) for subject in SUBJECTS for reconciled in (True, False)] * times
                reports = [
                    await run_case(
                        loss, subject, has_reconcile=reconciled, is_done_before=chance.random() < 0.5, store=store
                    )
                    for subject, reconciled in cases
                ]
                is_clean &= _report(loss, cases, reports)
    return is_clean


def _report(loss: Loss, cases: list[tuple[Subject, bool]], reports: list[CaseReport]) -> bool:
    repeated = sum(report.effects > 1 or report.keys > 1 for report in reports)
    misled = sum(bool(report.wrong_words) for report in reports)
    ended = (WorkStatus.COMPLETED, WorkStatus.FAILED)
    unsettled = sum(
        report.status not in ended or report.was_asked is reconciled
        for (_, reconciled), report in zip(cases, reports, strict=True)
    )
    sys.stdout.write(f"loss={loss} turns={len(reports)} repeated={repeated} misled={misled} unsettled={unsettled}\n")
    return not (repeated or misled or unsettled)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    sys.exit(0 if asyncio.run(run(parser.parse_args().times)) else 1)
