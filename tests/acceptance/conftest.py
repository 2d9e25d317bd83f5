"""The platform as people get it, and Chromium in front of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browser import Visitor, chromium
from tests.support.demo import Demo, serving_demo
from tests.support.platform import Person, Running, running, settings_for


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests of a process."""
    async with chromium() as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(browser: Browser) -> AsyncIterator[Visitor]:
    """Pages of one test; none of them may have had anything to complain about."""
    found = Visitor(browser)
    yield found
    await found.close()
    assert found.complaints == []


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def demo_process(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Demo]:
    """The first team, in a process of its own."""
    async with serving_demo(tmp_path_factory.mktemp("demo")) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def demo(demo_process: Demo) -> AsyncIterator[Demo]:
    """The same for all tests; its one account takes the language of its visitors, and gets its own back."""
    yield demo_process
    async with httpx.AsyncClient(base_url=demo_process.address) as http:
        me = (await http.post("/api/auth/demo")).raise_for_status().json()
        token = {"X-CSRF-Token": me["csrf_token"]}
        (await http.patch("/api/settings", json={"language": "en", "company": None}, headers=token)).raise_for_status()


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Running]:
    """A platform with a team that answers by rule."""
    async with running(settings_for(tmp_path)) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def ana(site: Running) -> Person:
    """Somebody with an account."""
    return await site.person("e2e00001-ana@example.com")
