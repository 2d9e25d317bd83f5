"""One page of a PDF as a picture, with the places of some words on it. Runs inside the extraction process (W-9)."""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pypdfium2

from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.pdf import opened_pdf

MAX_SIDE_PIXELS = 2_200
MAX_MARKS = 200
_IGNORED = frozenset("\u00ad\ufffe\x02-")
"""Signs that a line break puts into a word, or takes out of it."""

Box = tuple[float, float, float, float]
"""Left, top, width and height as shares of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A page as people see it."""

    number: int
    """From 1."""
    pages: int
    width: int
    height: int
    png: bytes
    marks: tuple[Box, ...] = ()
    """Where the words stand; nothing if the page does not have them."""


def draw_page(data: bytes, number: int, words: str, *, width: int) -> PageImage:
    """Draw a page, so many pixels wide. Raises `ExtractionFailedError`."""
    document = opened_pdf(data)
    try:
        if not 1 <= number <= len(document):
            raise ExtractionFailedError("broken", f"there is no page {number}")
        page = document[number - 1]
        return _drawn(page, number, len(document), words, width)
    except pypdfium2.PdfiumError as error:
        raise ExtractionFailedError("broken", str(error)) from error
    finally:
        document.close()


def to_json(image: PageImage) -> dict[str, Any]:
    """As JSON that `from_json` reads back."""
    return {**{name: getattr(image, name) for name in PageImage.__dataclass_fields__}, "png": image.png.hex()}


def from_json(data: Mapping[str, Any]) -> PageImage:
    """An image from what `to_json` gave."""
    return PageImage(**{**data, "png": bytes.fromhex(data["png"]), "marks": tuple(map(tuple, data["marks"]))})


def _drawn(page: Any, number: int, pages: int, words: str, width: int) -> PageImage:
    page_width, page_height = page.get_size()
    if page_width <= 0 or page_height <= 0:
        raise ExtractionFailedError("broken", "the page has no size")
    scale = min(width / page_width, MAX_SIDE_PIXELS / page_height)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=True)
    text_page = page.get_textpage()
    spans = spans_of(words, text_page.get_text_range())
    boxes = [_box(text_page.get_rect(index), bitmap, page) for span in spans for index in _rectangles(text_page, span)]
    return PageImage(
        number=number,
        pages=pages,
        width=bitmap.width,
        height=bitmap.height,
        png=_png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride),
        marks=tuple(boxes[:MAX_MARKS]),
    )


def spans_of(words: str, text: str) -> list[tuple[int, int]]:
    """Where a text has the words, whatever blanks and hyphens divide their lines: start and length."""
    wanted = "".join(character for character in words.casefold() if not _is_ignored(character))
    kept = [(place, character) for place, character in enumerate(text.casefold()) if not _is_ignored(character)]
    if not wanted or len(text.casefold()) != len(text):
        return []
    found = "".join(character for _, character in kept).find(wanted)
    if found < 0:
        return []
    start, end = kept[found][0], kept[found + len(wanted) - 1][0]
    return [(start, end - start + 1)]


def _is_ignored(character: str) -> bool:
    return character.isspace() or character in _IGNORED


def _rectangles(text_page: Any, span: tuple[int, int]) -> range:
    """Rectangles are numbered by the last count: it is made for each span anew."""
    return range(text_page.count_rects(*span))


def _box(rectangle: tuple[float, float, float, float], bitmap: Any, page: Any) -> Box:
    """Where a rectangle of the page is on its picture, which may be turned or cropped."""
    left, bottom, right, top = rectangle
    on_picture = bitmap.get_posconv(page)
    (x1, y1), (x2, y2) = on_picture.to_bitmap(left, top), on_picture.to_bitmap(right, bottom)
    return (
        round(min(x1, x2) / bitmap.width, 5),
        round(min(y1, y2) / bitmap.height, 5),
        round(abs(x2 - x1) / bitmap.width, 5),
        round(abs(y2 - y1) / bitmap.height, 5),
    )


def _png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """A PNG of RGBX pixels: no library is needed for a picture without an alpha channel."""
    rgb = bytearray(width * height * 3)
    rows = b"".join(pixels[row * stride : row * stride + width * 4] for row in range(height))
    for channel in range(3):
        rgb[channel::3] = rows[channel::4]
    line = width * 3
    filtered = b"".join(b"\x00" + rgb[row * line : (row + 1) * line] for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
