"""Every provider's citations as `Citation`: one table by the type the provider gives them.

`place` is where in the source it stands; `start` and `end` say which part of the answer it supports, where known.
"""

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from batuta.events.adapters.plain import Fields, fields_or_empty, list_of, optional_text, position_of
from batuta.events.conversation import Citation

_FILE_STARTS = ("start_index", "index", "file_index")
"""Where OpenAI, and LangChain after it, say at which place of the answer a file is cited."""

CitationReader = Callable[[Fields], dict[str, Any]]


def citations_of(block: Fields) -> tuple[JsonValue, ...]:
    """The citations of a text block, whichever name its provider has for them."""
    raws = list_of(block.get("citations"), "citations") or list_of(block.get("annotations"), "annotations")
    return tuple(_read(raw) for raw in raws)


def _read(raw: Any) -> JsonValue:
    fields = raw if isinstance(raw, dict) else {"value": raw}
    kind = fields.get("type")
    reader = CITATIONS.get(kind, _unknown) if isinstance(kind, str) else _unknown
    found = {name: value for name, value in reader(fields).items() if value is not None}
    citation = Citation(**{"source": str(kind or "unknown"), **found}, raw=fields)
    return citation.model_dump(mode="json", exclude_defaults=True)


def _document(raw: Fields, place: str | None) -> dict[str, Any]:
    title = optional_text(raw.get("document_title"))
    number = position_of(raw.get("document_index"))
    return {
        "source": optional_text(raw.get("file_id")) or title or (None if number is None else f"document {number}"),
        "title": title,
        "place": place,
        "quote": optional_text(raw.get("cited_text")),
    }


def _range(raw: Fields, word: str, first: str, last: str) -> str | None:
    start, end = position_of(raw.get(first)), position_of(raw.get(last))
    return None if start is None or end is None else f"{word} {start}-{end}"


def _characters(raw: Fields) -> dict[str, Any]:
    return _document(raw, _range(raw, "characters", "start_char_index", "end_char_index"))


def _pages(raw: Fields) -> dict[str, Any]:
    return _document(raw, _range(raw, "pages", "start_page_number", "end_page_number"))


def _blocks(raw: Fields) -> dict[str, Any]:
    return _document(raw, _range(raw, "blocks", "start_block_index", "end_block_index"))


def _search_result(raw: Fields) -> dict[str, Any]:
    return {
        "source": optional_text(raw.get("source")),
        "title": optional_text(raw.get("title")),
        "place": _range(raw, "blocks", "start_block_index", "end_block_index"),
        "quote": optional_text(raw.get("cited_text")),
    }


def _web(raw: Fields) -> dict[str, Any]:
    """A page, as Anthropic, OpenAI, Google and LangChain all describe it."""
    url = optional_text(raw.get("url")) or optional_text(raw.get("uri"))
    return {
        "source": url or optional_text(raw.get("title")),
        "title": optional_text(raw.get("title")),
        "quote": optional_text(raw.get("cited_text")),
        "url": url,
        "start": position_of(raw.get("start_index")),
        "end": position_of(raw.get("end_index")),
    }


def _nested_web(raw: Fields) -> dict[str, Any]:
    """Chat completions put the page one level deeper; LangChain and the Responses API do not."""
    inner = raw.get("url_citation")
    return _web(inner if isinstance(inner, dict) else raw)


def _file(raw: Fields) -> dict[str, Any]:
    return {
        "source": optional_text(raw.get("file_id")) or optional_text(raw.get("filename")),
        "title": optional_text(raw.get("filename")),
        "start": next((at for name in _FILE_STARTS if (at := position_of(raw.get(name))) is not None), None),
        "end": position_of(raw.get("end_index")),
    }


def _standard(raw: Fields) -> dict[str, Any]:
    """LangChain's own form, which keeps what it has no field for in `extras`."""
    extras = fields_or_empty(raw.get("extras"))
    read = _file if "file_id" in extras else _web
    found = read({**extras, **raw})
    return {**found, "title": optional_text(raw.get("title")), "quote": optional_text(raw.get("cited_text"))}


def _wrapped(raw: Fields) -> dict[str, Any]:
    """What LangChain had no word for."""
    value = fields_or_empty(raw.get("value"))
    reader = CITATIONS.get(str(value.get("type")), _unknown)
    return {} if reader is _wrapped else reader(value)


def _unknown(raw: Fields) -> dict[str, Any]:
    return _web(raw)


CITATIONS: dict[str, CitationReader] = {
    "char_location": _characters,
    "page_location": _pages,
    "content_block_location": _blocks,
    "search_result_location": _search_result,
    "web_search_result_location": _web,
    "url_citation": _nested_web,
    "file_citation": _file,
    "container_file_citation": _file,
    "file_path": _file,
    "grounding": _web,
    "recitation": _web,
    "citation": _standard,
    "non_standard_annotation": _wrapped,
}
