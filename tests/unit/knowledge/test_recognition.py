"""Scans and pictures become text with their pages, where text recognition is installed (P-34)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pypdfium2
import pytest

from batuta.knowledge.extract.extractor import RECOGNITION_LIMITS, ExtractionLimits, Extractor
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.language_data import installed_languages
from batuta.knowledge.extract.pages import draw_page
from tests.support.debian import Bundle
from tests.support.made_files import a_pdf

DATA = Bundle(
    name="tessdata",
    packages=("tesseract-ocr-eng", "tesseract-ocr-spa"),
    program="usr/share/tesseract-ocr/5/tessdata/spa.traineddata",
)
PAGES = (["The penguin clause costs 40 euros."], ["La factura vence en treinta dias."])


@pytest.fixture(autouse=True)
def languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str((DATA.unpacked() / DATA.program).parent))


@pytest.fixture
async def extractor() -> AsyncIterator[Extractor]:
    made = Extractor(recognition=RECOGNITION_LIMITS)
    yield made
    await made.close()


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """The pages as pictures: no text is left in the file."""
    drawn = pypdfium2.PdfDocument.new()
    for number in range(1, len(PAGES) + 1):
        source = pypdfium2.PdfDocument(a_pdf(*PAGES))
        width, height = source[number - 1].get_size()
        bitmap = source[number - 1].render(scale=3)
        page = drawn.new_page(width, height)
        picture = pypdfium2.PdfImage.new(drawn)
        picture.set_bitmap(bitmap)
        picture.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
        page.insert_obj(picture)
        page.gen_content()
    path = tmp_path / "scan.pdf"
    drawn.save(path)
    return path


async def test_a_scan_is_read_with_its_pages(extractor: Extractor, scan: Path) -> None:
    document = await extractor.extract(scan, "scan.pdf")
    penguin, factura = document.text.find("penguin"), document.text.find("factura")
    assert document.place_at(penguin, penguin + 7) == "p. 1"
    assert document.place_at(factura, factura + 7) == "p. 2"
    assert document.extractor.startswith("tesserocr/")


async def test_a_picture_is_read(extractor: Extractor, tmp_path: Path) -> None:
    path = tmp_path / "note"
    path.write_bytes(draw_page(a_pdf(*PAGES), number=1, words="", width=1_800).png)
    document = await extractor.extract(path, "note.png")
    assert "penguin clause" in document.text


async def test_a_picture_without_words_says_so(extractor: Extractor, tmp_path: Path) -> None:
    path = tmp_path / "blank.png"
    path.write_bytes(draw_page(a_pdf([""]), number=1, words="", width=400).png)
    with pytest.raises(ExtractionFailedError, match="No text was found"):
        await extractor.extract(path, "blank.png")


async def test_a_broken_picture_is_refused_and_the_next_one_read(
    extractor: Extractor, tmp_path: Path, scan: Path
) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 200)
    with pytest.raises(ExtractionFailedError):
        await extractor.extract(path, "broken.png")
    assert "penguin" in (await extractor.extract(scan, "scan.pdf")).text


async def test_recognition_ends_at_its_limit(scan: Path) -> None:
    extractor = Extractor(recognition=ExtractionLimits(seconds=0.05))
    try:
        with pytest.raises(ExtractionFailedError) as refused:
            await extractor.extract(scan, "scan.pdf")
        assert refused.value.reason == "too_slow"
    finally:
        await extractor.close()


async def test_without_recognition_a_scan_says_what_to_do(scan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extractor = Extractor()
    try:
        with pytest.raises(ExtractionFailedError, match="text recognition"):
            await extractor.extract(scan, "scan.pdf")
    finally:
        await extractor.close()
    monkeypatch.setenv("TESSDATA_PREFIX", str(scan.parent))
    assert installed_languages() == ()


async def test_a_scan_without_data_of_any_language_says_what_is_missing(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would end the process, which looked like a damaged file."""
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "none"))
    extractor = Extractor(recognition=RECOGNITION_LIMITS)
    try:
        with pytest.raises(ExtractionFailedError, match="have text recognition installed"):
            await extractor.extract(scan, "scan.pdf")
    finally:
        await extractor.close()
