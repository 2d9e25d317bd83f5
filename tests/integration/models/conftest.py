import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.simulator import Simulator

with warnings.catch_warnings():
    # The first import of Google's client compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    import google.genai  # noqa: F401

from tests.integration.models.stage import NAMES, Stage

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Google's own client, used beside ours, subclasses aiohttp's session, which aiohttp warns about."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession"))


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator() as running:
        yield running


@pytest.fixture(params=NAMES)
def who(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
async def stage(simulator: Simulator, who: str) -> AsyncIterator[Stage]:
    """One of our clients before the simulator; at the end nothing of it may be left."""
    opened = Stage(simulator, who)
    yield opened
    await opened.close_without_a_trace()
