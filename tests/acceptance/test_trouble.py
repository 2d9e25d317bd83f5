"""What a person sees when a message or a turn fails, and that it goes through the second time (W-1, W-2)."""

import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Page

from batuta.kernel.errors import LogicalError
from batuta.kernel.messages import Answer, Delta, TextBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from tests.support.browser import Visitor, ask, conversation, picture, settled
from tests.support.faultproxy import fault_proxy
from tests.support.platform import Person, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANA = "e2e00001-ana@example.com"
LONG = "please repeat this rather long question"


@dataclass
class StumblingModel:
    """Fails once, then answers."""

    provider: str = "rules"
    name: str = "stumbling-1"
    calls: int = 0

    async def generate(self, request: ModelRequest) -> Answer:
        self.calls += 1
        if self.calls == 1:
            raise LogicalError("the ledger is closed until noon")
        content = (TextBlock(text="the ledger is open"),)
        usage = Usage(input=10, output=5)
        return Answer(content=content, stop_reason="success", model=self.name, provider=self.provider, usage=usage)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        yield await self.generate(request)


def stumbling_team() -> Orchestrator:
    clerk = AgentStep(name="clerk", model=StumblingModel(), output=str, instructions="Look into the ledger.")
    return Orchestrator(supervisor=StumblingModel(), agents=[Specialist(clerk, name="Clerk", commands=("/ledger",))])


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


async def said_by_ana(person: Person, page: Page) -> list[str]:
    """What the log holds of the questions in the open conversation."""
    events = await person.events(page.url.rsplit("/", maxsplit=1)[-1])
    return [event["content"] for event in events if event["type"] == "user_message_confirmed"]


async def test_a_refused_message_is_kept_and_goes_through_once_the_server_takes_it(
    visitor: Visitor, tmp_path: Path
) -> None:
    """The operator allows longer messages; nobody types anything again."""
    port = free_port()
    async with running(settings_for(tmp_path, port=port, max_message_chars=20)) as strict:
        ana = await strict.person(ANA)
        page = await visitor.open(strict.address, person=ana)
        await ask(page, LONG)
        await page.get_by_role("alert").get_by_text("too long for the server").wait_for()
        await picture(page, "refused-message")
        await page.get_by_role("button", name="Try again").click()
        await page.get_by_role("alert").get_by_text("too long for the server").wait_for()
        assert await said_by_ana(ana, page) == []
    async with running(settings_for(tmp_path, port=port)):
        await page.locator("[data-connection=online]").wait_for(state="attached")
        await page.get_by_role("button", name="Try again").click()
        await settled(page)
        await conversation(page).get_by_text(f"You said: {LONG}").wait_for()
        assert await page.get_by_role("button", name="Discard").count() == 0


async def test_a_refused_message_can_be_discarded(visitor: Visitor, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, max_message_chars=20)) as site:
        ana = await site.person(ANA)
        page = await visitor.open(site.address, person=ana)
        await ask(page, LONG)
        await page.get_by_role("button", name="Discard").click()
        await ask(page, "something short")
        await settled(page)
        assert await said_by_ana(ana, page) == ["something short"]
        assert LONG not in (await conversation(page).text_content() or "")


async def test_a_refused_message_goes_back_to_be_shortened(visitor: Visitor, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, max_message_chars=20)) as site:
        ana = await site.person(ANA)
        page = await visitor.open(site.address, person=ana)
        await ask(page, LONG)
        await page.get_by_role("button", name="Edit").click()
        field = page.get_by_label("Message", exact=True)
        assert await field.input_value() == LONG
        await ask(page, "please repeat this")
        await settled(page)
        assert await said_by_ana(ana, page) == ["please repeat this"]


async def test_a_message_written_without_a_network_is_sent_once_when_it_is_back(
    visitor: Visitor, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person(ANA)
        page = await _talking(visitor, site, ana)
        await page.context.set_offline(True)
        await page.locator("[data-connection]:not([data-connection=online])").wait_for(state="attached")
        await ask(page, "are you there?")
        await page.get_by_text("Sending…").wait_for()
        await page.context.set_offline(False)
        await settled(page, 2)
        assert await said_by_ana(ana, page) == ["hello", "are you there?"]


async def test_a_message_whose_acknowledgement_was_lost_is_not_said_twice(visitor: Visitor, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person(ANA)
        async with fault_proxy(int(site.address.rsplit(":", maxsplit=1)[-1])) as proxy:
            page = await visitor.open(f"http://127.0.0.1:{proxy.port}", person=ana)
            await ask(page, "hello")
            await settled(page)
            for number in range(5):
                await ask(page, f"again {number}")
                proxy.cut()
                await settled(page, number + 2)
        assert await said_by_ana(ana, page) == ["hello", *(f"again {number}" for number in range(5))]


async def test_a_failed_turn_says_why_and_is_tried_again(visitor: Visitor, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), team=stumbling_team()) as site:
        page = await visitor.open(site.address, person=await site.person(ANA))
        await ask(page, "/ledger what do we owe?")
        await page.get_by_role("alert").get_by_text("the ledger is closed until noon").wait_for()
        await picture(page, "failed-turn")
        await page.get_by_role("button", name="Try again").click()
        await conversation(page).get_by_text("the ledger is open").wait_for()
        await settled(page, 2)


async def _talking(visitor: Visitor, site: Running, person: Person) -> Page:
    """A page with a conversation under way."""
    page = await visitor.open(site.address, person=person)
    await ask(page, "hello")
    await settled(page)
    return page
