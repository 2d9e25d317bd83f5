import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.simulator import Simulator

with warnings.catch_warnings():
    # The first import of Google's client compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    from tests.integration.simulator.clients import Clients, open_clients


HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Google's client subclasses aiohttp's session, which aiohttp warns about; nobody here can change that."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession"))


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator() as running:
        yield running


@pytest.fixture
async def clients(simulator: Simulator) -> AsyncIterator[Clients]:
    async for opened in open_clients(simulator):
        yield opened


@pytest.fixture
async def impatient(simulator: Simulator) -> AsyncIterator[Clients]:
    """Clients that give up after a fifth of a second."""
    async for opened in open_clients(simulator, seconds=0.2):
        yield opened
