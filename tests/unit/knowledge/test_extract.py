"""Every kind of file is read with its places, in a process that can be killed (P-34)."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

import pytest

from batuta.knowledge.document import DocumentText
from batuta.knowledge.extract.extractor import (
    ATTEMPTS,
    ExtractionInterruptedError,
    ExtractionLimits,
    Extractor,
)
from batuta.knowledge.extract.failures import REASONS, ExtractionFailedError
from batuta.knowledge.extract.reading import read
from tests.support.made_files import (
    a_message,
    a_pdf,
    a_presentation,
    a_word_document,
    a_workbook,
    hostile_files,
)


def text_of(data: bytes, name: str) -> DocumentText:
    return read(data, name, max_chars=1_000_000)


def places(document: DocumentText) -> list[tuple[str, str]]:
    """The words of each segment with their place."""
    return [
        (document.text[each.start : each.end], document.place_at(each.start, each.end))
        for each in document.segments
        if each.kind != "heading"
    ]


def test_a_word_document_keeps_headings_and_tables() -> None:
    table = [["Item", "Price"], ["Chair", "120 €"]]
    found = text_of(a_word_document("#Contract", "Between two.", "##Term", "Two years.", table=table), "c.docx")
    assert found.title == "Contract"
    assert places(found) == [
        ("Between two.", ""),
        ("Two years.", "Term"),
        ("Item | Price", "Term!A1:B1"),
        ("Item: Chair | Price: 120 €", "Term!A2:B2"),
    ]


def test_a_workbook_keeps_sheets_cells_and_dates() -> None:
    rows: list[list[str | float]] = [["Customer", "Owed", "Due"], ["Acme", 1250.5, 46037], ["Globex", 70, 46038]]
    found = text_of(a_workbook({"Debtors": rows, "Empty": []}), "d.xlsx")
    assert places(found)[1] == ("Customer: Acme | Owed: 1250.5 | Due: 2026-01-15", "Debtors!A2:C2")


def test_a_presentation_keeps_slides() -> None:
    found = text_of(a_presentation(("Plan", "Grow."), ("Risks", "Rain & wind.".replace("&", "&amp;"))), "p.pptx")
    assert (found.title, places(found)) == ("Plan", [("Grow.", "№ 1"), ("Rain & wind.", "Risks, № 2")])


def test_a_pdf_keeps_pages_and_numbered_headings() -> None:
    found = text_of(a_pdf(["Agreement of 2026"], ["2.1 Prices", "It costs 40 \u20ac a month."]), "a.pdf")
    assert places(found) == [("Agreement of 2026", "p. 1"), ("It costs 40 € a month.", "2.1 Prices, p. 2")]


def test_a_message_keeps_its_parts() -> None:
    found = text_of(a_message("Dear Ben,\n\nsee below.", terms__md=b"# Terms\n\nPaid in 30 days."), "m.eml")
    assert found.title == "Offer for the café"
    headers = [text for text, _ in places(found)[:2]]
    assert headers == ["Subject: Offer for the café", "From: Ana Pérez <ana@example.com>"]
    assert places(found)[-1] == ("Paid in 30 days.", "terms.md")


def test_html_is_read_without_its_scripts() -> None:
    page = "<html><title>Shop</title><script>alert(1)</script><h2>Returns</h2><p>Within <b>14</b> days.</p>"
    page += "<table><tr><th>Size</th><th>Price</th></tr><tr><td>L</td><td>9 €</td></tr></table>"
    found = text_of(page.encode(), "shop.html")
    assert found.title == "Shop"
    assert places(found) == [
        ("Within 14 days.", "Returns"),
        ("Size | Price", "Returns!A1:B1"),
        ("Size: L | Price: 9 €", "Returns!A2:B2"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_is_read_in_any_encoding(encoding: str) -> None:
    text = "Política de años\n\nEl niño pagó 30 €. ¿Cuándo llegará el camión? Mañana, según el señor Muñoz.\n"
    found = text_of(text.encode(encoding), "a.txt")
    assert found.title == "Política de años"
    assert places(found)[1][1] == "l. 3"
    assert "señor Muñoz" in found.text


def test_separated_values_are_rows_with_cells() -> None:
    found = text_of(b"Nombre;Precio\nSilla;12,50\n", "p.csv")
    assert places(found)[1] == ("Nombre: Silla | Precio: 12,50", "A2:B2")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"Quotation 7781\nPosition;Work;Price GBP\n1;Pump, new;1,285.00\n2;Fitting;240.00\n", "q.csv"),
        (
            a_workbook(
                {
                    "Q": [
                        ["Quotation 7781"],
                        ["Position", "Work", "Price GBP"],
                        [1, "Pump, new", "1,285.00"],
                        [2, "F", 240],
                    ]
                }
            ),
            "q.xlsx",
        ),
    ],
)
def test_the_columns_of_a_table_below_a_title_have_their_names(data: bytes, name: str) -> None:
    texts = [text for text, _ in places(text_of(data, name))]
    assert texts[:3] == [
        "Quotation 7781",
        "Position | Work | Price GBP",
        "Position: 1 | Work: Pump, new | Price GBP: 1,285.00",
    ]


def test_a_table_of_data_alone_has_no_names_of_columns() -> None:
    found = text_of(b"1;2,5\nChair;blue\nDesk;red\n", "d.csv")
    assert [text for text, _ in places(found)] == ["1 | 2,5", "Chair | blue", "Desk | red"]


MARKDOWN = (
    "# Workshop\n\nAsk at the desk.\n\n## Prices\n\n| Service | Minutes | **Price** |\n|:--|--:|---|\n"
    "| Full \\| checked | 120 | 85 € |\n| Paint | | `40 €` |\n\nVAT included.\n\n"
    "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n"
)


def test_a_table_in_markdown_is_rows_with_the_names_of_their_columns() -> None:
    """A-6: as in every other format; each row has its line, and what stands in code is no table."""
    found = text_of(MARKDOWN.encode(), "workshop.md")
    assert places(found)[1:5] == [
        ("Service | Minutes | Price", "Prices, l. 7"),
        ("Service: Full | checked | Minutes: 120 | Price: 85 €", "Prices, l. 9"),
        ("Service: Paint | Price: 40 €", "Prices, l. 10"),
        ("VAT included.", "Prices, l. 12"),
    ]
    assert "| 1 | 2 |" in found.text
    assert [segment.kind for segment in found.segments].count("row") == 3


@pytest.mark.parametrize("text", ["either | or", "a | b\nc | d", "| a |\n|---|\n| b |", "| a | b |\n|---|"])
def test_bars_without_a_rule_below_the_head_are_text(text: str) -> None:
    assert all(segment.kind == "text" for segment in text_of(text.encode(), "a.md").segments)


def test_a_table_of_years_keeps_its_head() -> None:
    found = text_of(b"| Fee | 2025 | 2026 |\n|---|---|---|\n| Berth | 900 | 980 |\n", "fees.md")
    assert places(found)[1][0] == "Fee: Berth | 2025: 900 | 2026: 980"


def test_bytes_decide_and_not_the_name() -> None:
    assert text_of(a_word_document("Hello."), "lies.pdf").text == "Hello."
    with pytest.raises(ExtractionFailedError, match="older format"):
        text_of(b"{\\rtf1 x}", "a.docx")


def test_a_long_text_is_kept_up_to_the_limit() -> None:
    found = read(b"word " * 1_000, "a.txt", max_chars=100)
    assert (len(found.text), found.is_partial) == (100, True)


def test_every_failure_says_what_to_do_in_both_languages() -> None:
    assert all(
        set(texts) == {"en", "es"} and all(text.endswith(".") for text in texts.values()) for texts in REASONS.values()
    )


@pytest.fixture(scope="module")
def hostile() -> dict[str, tuple[str, bytes]]:
    return hostile_files()


@pytest.fixture
async def extractor() -> AsyncIterator[Extractor]:
    extractor = Extractor(limits=ExtractionLimits(seconds=30, cpu_seconds=8, memory_bytes=1024 * 1024 * 1024))
    yield extractor
    await extractor.close()


async def test_bi07_bi09_no_hostile_file_takes_the_reader_with_it(
    extractor: Extractor, hostile: dict[str, tuple[str, bytes]], tmp_path: Path
) -> None:
    """Each ends as text or with a reason, and the next one is read (BI-07, BI-09)."""
    outcomes, path = {}, tmp_path / "file"
    for kind, (name, data) in hostile.items():
        path.write_bytes(data)
        try:
            outcomes[kind] = "read" if (await extractor.extract(path, name)).text else "nothing"
        except ExtractionFailedError as error:
            outcomes[kind] = error.reason
    path.write_text("Still here.")
    assert (await extractor.extract(path, "a.txt")).text == "Still here."
    assert {outcomes[kind] for kind in ("zip bomb", "sheet bomb", "many parts")} == {"bomb"}
    assert {outcomes[kind] for kind in ("encrypted", "encrypted member")} == {"encrypted"}
    assert (outcomes["wrong extension"], outcomes["empty"], outcomes["program"]) == ("image", "empty", "unknown")
    assert outcomes["far cell"] == "read"
    assert "nothing" not in outcomes.values()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """As files arrive that were cut short, written badly, or put together wrongly."""
    at, many = chance.randrange(len(data)), max(1, len(data) // 500)
    match chance.randrange(4):
        case 0:
            return data[:at]
        case 1:
            places = {chance.randrange(len(data)): chance.randrange(256) for _ in range(many)}
            return bytes(places.get(place, byte) for place, byte in enumerate(data))
        case 2:
            return data[:at] + chance.randbytes(200) + data[at:]
        case _:
            return data[at:] + data[:at]


@pytest.mark.timeout(1800)
async def test_every_damaged_file_ends_as_text_or_with_a_reason(extractor: Extractor, tmp_path: Path) -> None:
    """`BATUTA_DAMAGED=500` of them in `make fuzz`; none takes the reader with it."""
    chance = random.Random(19)
    whole = [
        ("a.pdf", a_pdf(["The lease costs 900 euros."], ["It ends in May."])),
        ("a.docx", a_word_document("#Lease", "It costs 900 euros.", "It ends in May.")),
        ("a.xlsx", a_workbook({"Prices": [["Item", "Price"], ["Chair", 129], ["Desk", 480]]})),
        ("a.pptx", a_presentation(("Plan", "We move in June."), ("Costs", "It costs 900 euros."))),
        ("a.eml", a_message("The plumber comes on Friday.")),
        ("a.html", b"<html><body><h1>Rules</h1><table><tr><td>Adult</td><td>4.50</td></tr></table></body></html>"),
        ("a.csv", b"name;sum\nChair;129\nDesk;480\n"),
    ]
    reasons, path = set(), tmp_path / "file"
    for number in range(int(os.environ.get("BATUTA_DAMAGED", "70"))):
        name, data = whole[number % len(whole)]
        path.write_bytes(damaged(data, chance))
        try:
            await extractor.extract(path, chance.choice((name, "other.pdf", "other.docx", "other.txt")))
        except ExtractionFailedError as error:
            reasons.add(error.reason)
    path.write_text("Still here.")
    assert (await extractor.extract(path, "a.txt")).text == "Still here."
    assert "broken" in reasons
    assert reasons <= set(REASONS)


async def test_nothing_outside_a_file_is_read(
    extractor: Extractor, hostile: dict[str, tuple[str, bytes]], tmp_path: Path
) -> None:
    path = tmp_path / "outside.docx"
    path.write_bytes(hostile["outside entity"][1])
    try:
        text = (await extractor.extract(path, "outside.docx")).text
    except ExtractionFailedError:
        text = ""
    assert "root" not in text


async def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path, hostile: dict[str, tuple[str, bytes]]) -> None:
    extractor = Extractor(limits=ExtractionLimits(seconds=0.2, cpu_seconds=20))
    path = tmp_path / "slow.html"
    path.write_bytes(b"<html>" + b"<p>word</p>" * 900_000)
    with pytest.raises(ExtractionFailedError, match="too long"):
        await extractor.extract(path, "slow.html")
    await extractor.close()


async def test_a_killed_process_is_replaced(extractor: Extractor, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    await extractor.extract(path, "a.txt")
    process = extractor._all[0]._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    assert (await extractor.extract(path, "a.txt")).text == "Hello."


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()]


async def kill_one(wanted: int, *, is_fork: bool, but: Collection[int] = ()) -> int:
    """Kill the reading process, or its fork that reads a file, as soon as there is another one: its number."""
    async with asyncio.timeout(60):
        while True:
            for child in children_of(wanted):
                target = next(iter(children_of(child)), None) if is_fork else child
                if target is not None and target not in but and children_of(child):
                    os.kill(target, signal.SIGKILL)
                    return target
            await asyncio.sleep(0.002)


@pytest.mark.parametrize("is_fork", [True, False], ids=["fork", "process"])
async def test_a_file_whose_process_is_killed_is_read_all_the_same(
    extractor: Extractor, tmp_path: Path, is_fork: bool
) -> None:
    """P-34: a kill from outside says nothing about the file; it is neither lost nor called damaged."""
    path = tmp_path / "long.csv"
    path.write_text("name,sum\n" + "".join(f"customer {number},{number}\n" for number in range(30_000)), "utf-8")
    for _ in range(2):
        reading = asyncio.create_task(extractor.extract(path, "long.csv"))
        await kill_one(os.getpid(), is_fork=is_fork)
        assert "customer 29999" in (await reading).text


async def test_kills_of_the_extraction_process_are_not_counted_against_a_file(
    extractor: Extractor, tmp_path: Path
) -> None:
    """P-34: more of them than a file's own process may be killed; the file is read, and not called too large."""
    path = tmp_path / "long.csv"
    path.write_text("name,sum\n" + "".join(f"customer {number},{number}\n" for number in range(60_000)), "utf-8")
    reading = asyncio.create_task(extractor.extract(path, "long.csv"))
    killed: list[int] = []
    for _ in range(ATTEMPTS + 1):
        killed.append(await kill_one(os.getpid(), is_fork=False, but=killed))
    assert "customer 59999" in (await reading).text


async def test_an_extraction_process_that_never_lives_is_no_fault_of_the_file(
    extractor: Extractor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error may be tried again: a job keeps its file."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    with pytest.raises(ExtractionInterruptedError) as given_up:
        await extractor.extract(path, "a.txt")
    assert given_up.value.retryable


async def test_a_reading_that_is_cancelled_twice_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform that stops while a lease runs out cancels its jobs more than once."""
    started: list[asyncio.subprocess.Process] = []
    create = asyncio.create_subprocess_exec

    async def watched(*command: str, **options: Any) -> asyncio.subprocess.Process:
        started.append(await create(*command, **options))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    path = tmp_path / "a.txt"
    path.write_text("words " * 1000)
    extractor = Extractor()
    reading = asyncio.ensure_future(extractor.extract(path, "a.txt"))
    while not started:
        await asyncio.sleep(0)
    for _ in range(2):
        await asyncio.sleep(0)
        reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert [process.returncode for process in started] == [-signal.SIGKILL]
    await extractor.close()


async def test_a_file_over_the_limit_is_kept_and_not_read(extractor: Extractor, tmp_path: Path) -> None:
    """The person reads that it is kept, that it is not read, and what to do."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(ExtractionLimits().file_bytes + 1)  # a hole: it takes no room
    with pytest.raises(ExtractionFailedError) as refused:
        await extractor.extract(path, "huge.csv")
    assert all("100 MiB" in text for text in REASONS[refused.value.reason].values())


async def test_a_file_whose_process_is_killed_every_time_is_given_up(extractor: Extractor, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("name,sum\n" + "".join(f"customer {number},{number}\n" for number in range(60_000)), "utf-8")
    reading = asyncio.create_task(extractor.extract(path, "long.csv"))
    killed: list[int] = []
    for _ in range(ATTEMPTS):
        killed.append(await kill_one(os.getpid(), is_fork=True, but=killed))
    with pytest.raises(ExtractionFailedError) as given_up:
        await reading
    assert given_up.value.reason == "too_large"


def test_lines_in_large_letters_of_a_pdf_are_headings() -> None:
    """A heading of two lines is one, and goes on over the end of a page."""
    pages = [
        [
            "# Rules of the",
            "# shipyard",
            "Open from May on.",
            "# Cranes",
            "A lift costs 40 euros.",
            "It takes an hour.",
        ],
        ["Masts are lifted as well.", "# Sheds", "A place costs 9 euros."],
    ]
    found = read(a_pdf(*pages), "rules.pdf", max_chars=10_000)
    assert found.title == "Rules of the shipyard"
    assert [(each.headings, each.place.number) for each in found.segments if each.kind == "text"] == [
        ((), 1),
        (("Cranes",), 1),
        (("Cranes",), 2),
        (("Sheds",), 2),
    ]
    assert "A lift costs 40 euros.\nIt takes an hour." in found.text


def test_a_page_in_letters_of_one_size_has_no_headings_of_them() -> None:
    found = read(a_pdf(["Cranes", "A lift costs 40 euros."]), "rules.pdf", max_chars=10_000)
    assert [each.kind for each in found.segments] == ["text"]
