"""Short form of the kills of file processing: a dozen deaths on each store, every file there once."""

from collections.abc import Iterator

import pytest

from tests.chaos.files import BACKENDS, MODULES, run
from tests.support.processes import Zygote

pytestmark = pytest.mark.chaos


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(MODULES)
    yield zygote
    zygote.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_cr16_processes_that_die_while_they_read_files_lose_and_double_nothing(
    zygote: Zygote, backend: str
) -> None:
    """P-34, P-36: every file is read once, found once, and what was deleted is gone."""
    report = await run(zygote, backend, kills=12)
    report.require()
    assert report.kills + report.shots >= 12
