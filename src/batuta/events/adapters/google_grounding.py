"""Google's sources: searches become blocks before the text, supports and recitations become its citations."""

from collections.abc import Iterator
from typing import Any

from batuta.events.adapters.plain import Fields, fields_or_empty, optional_text, position_of


def grounded(parts: list[Any], facts: Fields) -> list[Any]:
    """The parts with what stands beside them moved into them. Field names are in snake case."""
    if not facts:
        return parts
    cited = _with_citations(parts, list(_citations(facts)))
    place = next((position for position, part in enumerate(cited) if _is_answer_text(part)), len(cited))
    return [*cited[:place], *_searches(facts), *cited[place:]]


def _is_answer_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("thought") is not True


def _searches(facts: Fields) -> Iterator[Fields]:
    grounding = fields_or_empty(facts.get("grounding_metadata"))
    if grounding:
        web, queries = grounding.get("web_search_queries"), grounding.get("retrieval_queries")
        yield {
            "type": "grounding",
            "name": "google_search" if web or not queries else "retrieval",
            "args": {"queries": web or queries or []},
            "found": [_source_of(chunk) for chunk in _objects(grounding.get("grounding_chunks"))],
            "facts": grounding,
        }
    context = fields_or_empty(facts.get("url_context_metadata"))
    if context:
        pages = [page.get("retrieved_url") for page in _objects(context.get("url_metadata"))]
        args = {"urls": pages}
        yield {"type": "grounding", "name": "url_context", "args": args, "found": pages, "facts": context}


def _citations(facts: Fields) -> Iterator[Fields]:
    grounding = fields_or_empty(facts.get("grounding_metadata"))
    chunks = _objects(grounding.get("grounding_chunks"))
    for support in _objects(grounding.get("grounding_supports")):
        segment = fields_or_empty(support.get("segment"))
        numbers = support.get("grounding_chunk_indices")
        for number in numbers if isinstance(numbers, list) else []:
            if isinstance(number, int) and 0 <= number < len(chunks):
                yield {**_source_of(chunks[number]), "type": "grounding", "segment": segment}
    recited = fields_or_empty(facts.get("citation_metadata"))
    # Vertex AI calls them one thing, the Gemini API the other.
    for recitation in _objects(recited.get("citations")) + _objects(recited.get("citation_sources")):
        yield {**recitation, "type": "recitation", "segment": recitation}


def _source_of(chunk: Fields) -> Fields:
    """The page or document of a chunk, whichever kind it is."""
    return next((source for source in chunk.values() if isinstance(source, dict)), {})


def _with_citations(parts: list[Any], citations: list[Fields]) -> list[Any]:
    """Each citation on the text that holds its words, else on the last text."""
    texts = [position for position, part in enumerate(parts) if _is_answer_text(part)]
    found: dict[int, list[Fields]] = {}
    for citation in citations if texts else []:
        segment = citation.pop("segment")
        quoted = optional_text(segment.get("text"))
        home = next((place for place in texts if quoted and quoted in parts[place]["text"]), texts[-1])
        found.setdefault(home, []).append({**citation, **_place(parts[home]["text"], segment)})
    return [
        {**part, "citations": found[position]} if position in found else part for position, part in enumerate(parts)
    ]


def _place(text: str, segment: Fields) -> Fields:
    """Where a segment stands in its text, in characters: Google counts bytes, and leaves out a start of zero."""
    quoted = optional_text(segment.get("text"))
    start, end = position_of(segment.get("start_index")) or 0, position_of(segment.get("end_index"))
    if end is None or not 0 <= start <= end:
        return {}
    encoded = text.encode()
    before, words = encoded[:start].decode(errors="ignore"), encoded[start:end].decode(errors="ignore")
    if quoted and words != quoted:
        at = text.find(quoted)
        return {"start_index": at, "end_index": at + len(quoted)} if at >= 0 else {}
    return {"start_index": len(before), "end_index": len(before) + len(words)}


def _objects(value: Any) -> list[Fields]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
