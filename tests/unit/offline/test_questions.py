"""What people ask the whole first team on the built-in model, end to end on a fresh data folder (A-40 … A-42)."""

import pytest
import pytest_asyncio

from tests.support.asked_team import AskedTeam, Outcome, is_right, wrong_action
from tests.unit.offline.questions import AREAS, held_out

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

LEAST_RIGHT = 0.93
"""Of the sentences; those that are not understood are asked about or refused."""
PARTS = 8
"""Each has sentences of every area; workers share them."""

Row = tuple[str, str, str, Outcome]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=range(PARTS))
async def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The sentences of a part with their areas, what must come of them, and what came of them."""
    team = AskedTeam(tmp_path_factory.mktemp("asked"))
    every = [(area, line) for area, lines in {**AREAS, **held_out()}.items() for line in lines]
    rows: list[Row] = []
    async with team.team:
        for area, line in every[request.param :: PARTS]:
            english, spanish, expected = (part.strip() for part in line.split(" | "))
            for language, said in (("en", english), ("es", spanish)):
                messages = [part.strip() for part in said.split(" > ")]
                rows.append((area, said, expected, await team.ask(messages, language)))
    return rows


async def test_nearly_every_question_is_answered_rightly(asked: list[Row]) -> None:
    wrong = [
        f"{said} | {expected}: {outcome}" for _, said, expected, outcome in asked if not is_right(outcome, expected)
    ]
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(asked), "\n".join(wrong)


async def test_no_question_leads_to_a_change_that_was_not_asked_for(asked: list[Row]) -> None:
    """A report, a question or a prohibition changes nothing; an order changes what it names."""
    assert [(said, str(outcome)) for _, said, expected, outcome in asked if wrong_action(outcome, expected)] == []
