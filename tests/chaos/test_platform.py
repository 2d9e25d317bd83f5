"""Short form of the distributed kill test: twenty seconds, a dozen people, every figure zero."""

from collections.abc import Iterator

import pytest

from tests.chaos.platform import MODULES, Load, run
from tests.support.processes import Zygote

pytestmark = pytest.mark.chaos


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(MODULES)
    yield zygote
    zygote.close()


@pytest.mark.timeout(180)
async def test_killed_processes_and_a_forgetful_redis_cost_no_message_and_no_view(zygote: Zygote) -> None:
    """P-2, CR-01, CR-02, CR-15: two web and two worker processes die; nothing is lost, doubled or different."""
    report = await run(zygote, Load(users=12, seconds=16, kills_every=(1.5, 3.0), seed=7))
    report.require(messages=24, kills=3)
