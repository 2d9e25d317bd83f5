"""Readers of Word documents and presentations, on the standard library."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.packages import Package, attribute, local_name, opened
from batuta.knowledge.extract.rows import read_rows

_HEADING_STYLE = re.compile(r"^(?:heading|título|titulo|encabezado|überschrift)\s*(\d)$", re.IGNORECASE)
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_BREAKS = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-"}


def read_word(data: bytes, out: TextBuilder) -> None:
    """Paragraphs below their headings, tables row by row, then the notes."""
    with opened(data) as package:
        main = next((target for target, kind in package.relationships("").values() if kind == "officeDocument"), "")
        main = main if main in package else "word/document.xml"
        levels = _heading_levels(package)
        for element in package.elements(main, "p", "tbl"):
            if local_name(element.tag) == "tbl":
                _read_table(element, out)
            else:
                _read_paragraph(element, levels, out)
        for notes in _NOTES:
            for note in package.elements(notes, "p") if notes in package else ():
                out.add(_text(note), _section(out))


def read_slides(data: bytes, out: TextBuilder) -> None:
    """The slides in order, each with its title as heading and its notes."""
    with opened(data) as package:
        slides = package.relationships("ppt/presentation.xml")
        ids = [_relationship(each) for each in package.elements("ppt/presentation.xml", "sldId")]
        targets = [slides[each][0] for each in ids if each in slides and slides[each][0] in package]
        for number, target in enumerate(targets, 1):
            _read_slide(package, target, number, out)


def _read_slide(package: Package, target: str, number: int, out: TextBuilder) -> None:
    location = Location(kind="slide", number=number)
    out.section()
    shapes = [(_is_title(each), _said_in(each)) for each in package.elements(target, "sp", "graphicFrame")]
    title = next((" ".join(lines) for is_title, lines in shapes if is_title and lines), "")
    if title:
        out.heading(title, location, level=1)
    for is_title, lines in shapes:
        if not (is_title and " ".join(lines) == title):
            _add_each(lines, location, out)
    for notes, kind in package.relationships(target).values():
        if kind == "notesSlide" and notes in package:
            for shape in package.elements(notes, "sp"):
                _add_each([line for line in _paragraphs(shape) if not line.isdigit()], location, out)


def _add_each(lines: Iterable[str], location: Location, out: TextBuilder) -> None:
    """Each line of a slide says something of its own; none ends with a full stop."""
    for line in lines:
        out.add(line, location)


def _heading_levels(package: Package) -> dict[str, int]:
    """Levels of the styles that are headings."""
    levels = {}
    for style in package.elements("word/styles.xml", "style") if "word/styles.xml" in package else ():
        names = [attribute(each, "val") for each in style.iter() if local_name(each.tag) == "name"]
        outline = [attribute(each, "val") for each in style.iter() if local_name(each.tag) == "outlineLvl"]
        match = _HEADING_STYLE.match(names[0]) if names else None
        identity = attribute(style, "styleId")
        if match:
            levels[identity] = int(match.group(1))
        elif outline and outline[0].isdigit() and int(outline[0]) < 9:
            levels[identity] = int(outline[0]) + 1
        elif names and names[0].lower() in ("title", "título"):
            levels[identity] = 0
    return levels


def _read_paragraph(element: ET.Element, levels: dict[str, int], out: TextBuilder) -> None:
    text = _text(element)
    if not text.strip():
        return
    style = next((attribute(each, "val") for each in element.iter() if local_name(each.tag) == "pStyle"), "")
    if style in levels:
        out.heading(text, _section(out), level=levels[style])
    else:
        out.add(text, _section(out))


def _read_table(element: ET.Element, out: TextBuilder) -> None:
    rows = (
        (
            number,
            {column: _text(cell) for column, cell in enumerate((e for e in row if local_name(e.tag) == "tc"), 1)},
        )
        for number, row in enumerate((each for each in element if local_name(each.tag) == "tr"), 1)
    )
    read_rows(rows, out, sheet=out.headings[-1] if out.headings else "")


def _section(out: TextBuilder) -> Location:
    return Location(kind="section", name=out.headings[-1] if out.headings else "")


def _text(element: ET.Element) -> str:
    """The words of an element; deleted text and field codes are not among them."""
    parts = []
    for each in element.iter():
        name = local_name(each.tag)
        if name == "t":
            parts.append(each.text or "")
        elif name == "p" and parts:
            parts.append("\n")
        else:
            parts.append(_BREAKS.get(name, ""))
    return "".join(parts)


def _said_in(shape: ET.Element) -> list[str]:
    """The lines of a text box; the cells of a table or chart, which tell nothing alone, as one."""
    lines = _paragraphs(shape)
    return ["\n".join(lines)] if local_name(shape.tag) == "graphicFrame" else lines


def _paragraphs(shape: ET.Element) -> list[str]:
    texts = (_text(each) for each in shape.iter() if local_name(each.tag) == "p")
    return [text.strip() for text in texts if text.strip()]


def _is_title(shape: ET.Element) -> bool:
    kinds = (attribute(each, "type") for each in shape.iter() if local_name(each.tag) == "ph")
    return any(kind in ("title", "ctrTitle") for kind in kinds)


def _relationship(element: ET.Element) -> str:
    """The relationship id: the attribute of that name with a namespace; the other one numbers the slide."""
    ids: Iterable[str] = (value for key, value in element.attrib.items() if key.endswith("}id"))
    return next(iter(ids), "")
