"""Own documents in the page: dropped, read, asked about, cited, opened at the marked place (P-34, W-4, W-9)."""

import asyncio
import base64
import random
import re
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor, grave_findings, picture
from tests.support.demo import Demo
from tests.support.made_files import a_pdf, a_workbook

pytestmark = pytest.mark.asyncio(loop_scope="session")

SLOW = {"offline": False, "latency": 20, "downloadThroughput": -1, "uploadThroughput": 150_000}
OFFLINE_SECONDS = 2


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a page says in one language."""

    locale: str
    demo: str
    hello: str
    message: str
    uploading: str
    ready: str
    sources: str
    question: str
    line: str
    answer: str
    files: str
    search: str
    page: str
    scope: str
    everything: str
    attached: str
    held_back: str
    remove: str


ENGLISH = Words(
    locale="en-GB",
    demo="Open the demo",
    hello="what shall we work on?",
    message="Message",
    uploading="Uploading",
    ready="Ready",
    sources="Sources",
    question="What does the penguin clause cost per month?",
    line="The penguin clause costs 4,310 euros per month.",
    answer="4,310 euros per month",
    files="Files",
    search="Search everything",
    page="Page 2 of 2",
    scope="Documents to ask about",
    everything="All documents",
    attached="Attached files",
    held_back="One of the files cannot be used.",
    remove="Remove",
)
SPANISH = Words(
    locale="es-ES",
    demo="Abrir la demo",
    hello="en qué trabajamos",
    message="Mensaje",
    uploading="Subiendo",
    ready="Listo",
    sources="Fuentes",
    question="¿Cuánto cuesta la cláusula del pingüino al mes?",
    line="La cláusula del pingüino cuesta 4.310 euros al mes.",
    answer="4.310 euros al mes",
    files="Archivos",
    search="Buscar en todo",
    page="Página 2 de 2",
    scope="Documentos sobre los que preguntar",
    everything="Todos los documentos",
    attached="Archivos adjuntos",
    held_back="Uno de los archivos no se puede usar.",
    remove="Quitar",
)


async def entered(visitor: Visitor, demo: Demo, words: Words, **options: Any) -> Page:
    page = await visitor.open(demo.address, locale=words.locale, **options)
    await page.get_by_role("button", name=words.demo).click()
    await page.get_by_text(words.hello).wait_for()
    return page


def heavy_pdf(line: str) -> bytes:
    """Two pages, and enough bytes that cannot be packed to take a while to send."""
    noise = base64.b85encode(random.Random(7).randbytes(500_000)).replace(b"%", b"")
    return a_pdf(["First page without a word about it."], [line], extra=b"\n%" + noise)


async def drop(page: Page, name: str, data: bytes) -> None:
    """Drop a file on the page, as from a folder of the desktop."""
    transfer = await page.evaluate_handle(
        """([name, content]) => {
          const transfer = new DataTransfer();
          const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
          transfer.items.add(new File([bytes], name));
          return transfer;
        }""",
        [name, base64.b64encode(data).decode()],
    )
    await page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    await page.dispatch_event("body", "drop", {"dataTransfer": transfer})


async def kept(page: Page, demo: Demo, name: str, data: bytes, folder: str) -> None:
    """Upload a file into a folder as the page does, and wait until it was read."""
    token = (await (await page.request.get(f"{demo.address}/api/me")).json())["csrf_token"]
    spelt = {key: base64.b64encode(value.encode()).decode() for key, value in (("filename", name), ("folder", folder))}
    announced = {
        "Upload-Length": str(len(data)),
        "Upload-Metadata": ",".join(f"{key} {value}" for key, value in spelt.items()),
        "X-CSRF-Token": token,
    }
    begun = await page.request.post(f"{demo.address}/api/files", headers=announced)
    part = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0", "X-CSRF-Token": token}
    await page.request.patch(f"{demo.address}{begun.headers['location']}", headers=part, data=data)
    address = f"{demo.address}/api/files/{(await begun.json())['file_id']}"
    while (await (await page.request.get(address)).json())["status"] != "ready":
        await asyncio.sleep(0.1)


async def asked(page: Page, words: Words, question: str) -> None:
    await page.get_by_label(words.message, exact=True).fill(question)
    await page.keyboard.press("Enter")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["english", "spanish"])
async def test_a_dropped_file_is_asked_about_and_opened_at_the_marked_place(
    visitor: Visitor, demo: Demo, words: Words
) -> None:
    """W-7, W-9: the network is lost and the page is reloaded while the file is on its way."""
    page = await entered(visitor, demo, words)
    session = await page.context.new_cdp_session(page)
    await session.send("Network.emulateNetworkConditions", SLOW)
    await drop(page, "lease.pdf", heavy_pdf(words.line))
    chip = page.get_by_role("listitem").filter(has_text="lease.pdf")
    await chip.get_by_text(re.compile(rf"{words.uploading} [1-9]")).wait_for()
    await picture(page, f"upload-{words.locale}")
    await page.context.set_offline(True)
    await asyncio.sleep(OFFLINE_SECONDS)
    await page.context.set_offline(False)
    await session.send("Network.emulateNetworkConditions", SLOW)
    await chip.get_by_text(re.compile(rf"{words.uploading} \d")).wait_for()
    await page.reload()
    await chip.get_by_text(words.ready).wait_for(timeout=40_000)
    await asked(page, words, words.question)
    await page.get_by_text(words.answer).first.wait_for()
    sources = page.get_by_role("navigation", name=words.sources).get_by_role("button")
    await sources.first.hover()
    await page.get_by_role("tooltip").filter(has_text=words.line[:20]).wait_for()
    await sources.first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text(words.page).wait_for()
    mark, drawn = dialog.locator("figure mark").first, dialog.locator("figure img")
    box, sheet = await mark.bounding_box(), await drawn.bounding_box()
    assert box is not None
    assert sheet is not None
    assert 0.05 < (box["x"] - sheet["x"]) / sheet["width"] < 0.2
    assert 0.03 < (box["y"] - sheet["y"]) / sheet["height"] < 0.1
    assert await grave_findings(page) == []
    await picture(page, f"cited-page-{words.locale}")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["english", "spanish"])
async def test_a_message_with_a_file_that_cannot_be_read_says_why_it_waits(
    visitor: Visitor, demo: Demo, words: Words
) -> None:
    """W-4: nothing is sent without the file unasked, and taking it off sends the message."""
    page = await entered(visitor, demo, words)
    await drop(page, "heron.txt", words.line.replace("penguin", "heron").replace("pingüino", "heron").encode())
    await drop(page, "broken.pdf", b"%PDF-1.4 nothing more")
    attached = page.get_by_role("list", name=words.attached)
    await attached.get_by_text(words.ready).wait_for()
    await attached.get_by_role("alert").wait_for()
    await asked(page, words, words.question.replace("penguin", "heron").replace("pingüino", "heron"))
    await page.get_by_role("status").get_by_text(words.held_back).wait_for()
    await page.get_by_role("button", name=f"{words.remove} broken.pdf").click()
    await page.get_by_text(words.answer).first.wait_for()


async def test_files_are_kept_in_folders_and_found_again(visitor: Visitor, demo: Demo) -> None:
    """P-34, P-35: added, moved, renamed, asked about, searched, deleted; one that cannot be read says what to do."""
    page = await entered(visitor, demo, ENGLISH)
    await page.get_by_role("link", name="Files", exact=True).click()
    await page.get_by_role("heading", name="Files", level=1).wait_for()
    rows = page.get_by_role("list", name="Files").get_by_role("listitem")
    await drop(page, "osprey.xlsx", a_workbook({"Birds": [["Bird", "Wing"], ["Osprey", 180], ["Wren", 15]]}))
    await drop(page, "broken.pdf", b"%PDF-1.4 nothing more")
    await rows.filter(has_text="osprey.xlsx").get_by_text("Ready").wait_for()
    await rows.filter(has_text="broken.pdf").get_by_text("save it anew").wait_for()
    await page.get_by_role("button", name="Actions for osprey.xlsx").click()
    await page.get_by_role("menuitem", name="Move to a folder").click()
    await page.get_by_label("Folder", exact=True).fill("birds/big")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("navigation", name="Folders").get_by_role("button", name="birds/big").click()
    await rows.filter(has_text="osprey.xlsx").get_by_text("Ready").wait_for()
    assert await rows.count() == 1
    assert await grave_findings(page) == []
    await picture(page, "files")
    await page.get_by_role("button", name="Search in this folder").click()
    await page.get_by_label("What are you looking for?").fill("osprey wing")
    hit = page.get_by_role("region", name="Documents").get_by_role("button").first
    await hit.get_by_text("osprey.xlsx").wait_for()
    assert await grave_findings(page) == []
    await picture(page, "search")
    await hit.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("cell", name="Osprey").wait_for()
    await picture(page, "table-preview")
    await dialog.get_by_role("button", name="Ask about this file").click()
    await page.get_by_role("list", name="Attached files").get_by_text("osprey.xlsx").wait_for()
    await page.go_back()
    await page.get_by_role("link", name="Files", exact=True).click()
    await page.get_by_role("button", name="Actions for broken.pdf").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await rows.filter(has_text="broken.pdf").wait_for(state="detached")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["english", "spanish"])
async def test_a_question_is_about_one_folder_one_file_or_everything(
    visitor: Visitor, demo: Demo, words: Words
) -> None:
    """A-11: the same clause stands in two folders with two figures; the folder that is chosen answers."""
    page = await entered(visitor, demo, words)
    signed, drafts = f"signed-{words.locale}", f"drafts-{words.locale}"
    for folder, cost in ((signed, "4.310"), (drafts, "9.999")):
        line = words.line.replace("4,310", cost).replace("4.310", cost)
        await kept(page, demo, f"{folder}.txt", line.encode(), folder)
    scope = page.get_by_role("button", name=words.scope)
    await scope.click()
    await page.get_by_role("menuitemradio", name=drafts, exact=True).click()
    await page.get_by_role("button", name=f"{words.scope}: {drafts}").wait_for()
    await asked(page, words, words.question)
    await page.get_by_text("9.999").first.wait_for()
    assert "4.310" not in str(await page.locator("main").text_content())
    assert await grave_findings(page) == []
    await scope.click()
    await picture(page, f"scope-{words.locale}")
    await page.get_by_role("menuitemradio", name=words.everything).click()
    await scope.click()
    await page.get_by_role("menuitem", name=f"{signed}.txt").click()
    await page.get_by_role("list", name=words.attached).get_by_text(f"{signed}.txt").wait_for()
    await asked(page, words, words.question)
    await page.get_by_text("4.310").first.wait_for()


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["english", "spanish"])
async def test_files_and_search_fit_a_phone_in_the_dark(visitor: Visitor, demo: Demo, words: Words) -> None:
    """W-5: no sideways scrolling, and axe finds nothing grave."""
    phone = {"viewport": {"width": 375, "height": 740}, "color_scheme": "dark", "has_touch": True}
    page = await entered(visitor, demo, words, **phone)
    for path, title in (("/files", words.files), ("/search", words.search.split()[0])):
        await page.goto(f"{demo.address}{path}")
        await page.get_by_role("heading", name=title, level=1).wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 375
        assert await grave_findings(page) == []
        await picture(page, f"phone{path.replace('/', '-')}-{words.locale}")
