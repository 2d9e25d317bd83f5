"""Text recognition of scans and pictures, page by page, by Tesseract (extra `ocr`). Runs inside the extraction process.

`language_data` says which languages there are.
"""

import math
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from batuta.kernel.extras import load_extra
from batuta.knowledge.document import DocumentText, Location
from batuta.knowledge.extract.builder import TextBuilder, TextLimitReached
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.language_data import data_folder, installed_languages
from batuta.knowledge.extract.pdf import opened_pdf
from batuta.knowledge.extract.sniff import MEDIA_TYPES, SNIFFED_BYTES, sniff

MAX_PAGES = 200
DOTS_PER_INCH = 300
MAX_PIXELS = 30_000_000
"""Of one page: more than a page of 300 dots an inch in twice the size of a letter."""
LEAST_CONFIDENCE = 40
"""Of 100, on the mean of a page: below it the words are those of a photograph, or of no language that is known."""


def recognise(path: Path, data: bytes, name: str, *, max_chars: int) -> DocumentText:
    """The text of a scanned PDF or of a picture, with its pages. Raises `ExtractionFailedError`."""
    languages = installed_languages()
    if not languages:  # without one the library ends the process
        raise ExtractionFailedError("no_text", "no data of languages")
    kind = sniff(data[:SNIFFED_BYTES], name, data)
    out = TextBuilder(max_chars=max_chars)
    is_partial = False
    os.environ["OMP_THREAD_LIMIT"] = "1"  # threads of the library cost more than they bring on a shared machine
    library = load_extra("tesserocr", extra="ocr", needed_for="text recognition")
    with library.PyTessBaseAPI(path=str(data_folder()), lang="+".join(languages)) as reader:
        try:
            if kind == "pdf":
                is_partial = _read_pdf(data, reader, out)
            elif kind == "image":
                _read_page(reader, lambda: reader.SetImageFile(str(path)), 1, out)
        except TextLimitReached:
            is_partial = True
    if out.is_empty:
        raise ExtractionFailedError("no_text")
    extractor = f"tesserocr/{library.__version__}"
    return out.built(name=name, media_type=MEDIA_TYPES[kind], extractor=extractor, is_partial=is_partial)


def _read_pdf(data: bytes, reader: Any, out: TextBuilder) -> bool:
    """Every page; whether there were more than are read."""
    document = opened_pdf(data)
    try:
        for number in range(min(len(document), MAX_PAGES)):
            page = document[number]
            bitmap = page.render(scale=_scale(*page.get_size()), grayscale=True)
            pixels = (bytes(bitmap.buffer), bitmap.width, bitmap.height, 1, bitmap.stride)
            _read_page(reader, partial(reader.SetImageBytes, *pixels), number + 1, out)
            bitmap.close()
            page.close()
        return len(document) > MAX_PAGES
    finally:
        document.close()


def _read_page(reader: Any, show: Callable[[], None], number: int, out: TextBuilder) -> None:
    try:
        show()
        text = reader.GetUTF8Text()
    except RuntimeError as error:  # a picture that cannot be decoded, or not within the memory there is
        raise ExtractionFailedError("broken", str(error)) from error
    if reader.MeanTextConf() >= LEAST_CONFIDENCE:
        for paragraph in _paragraphs(text):
            out.add(paragraph, Location(kind="page", number=number))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if any(character.isalnum() for character in paragraph):
            yield paragraph


def _scale(width: float, height: float) -> float:
    """From points to pixels."""
    return min(DOTS_PER_INCH / 72, math.sqrt(MAX_PIXELS / max(1.0, width * height)))
