"""The documents agent: searches, quotes, and says so when the documents do not say (A-10)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from batuta.agents.documents.citations import check_citations, citations_in
from batuta.agents.documents.index import DocumentIndex, Found
from batuta.agents.documents.passages import passages_of
from batuta.llm.model import Model, ModelSettings
from batuta.llm.roles import DEFAULT_ROLES
from batuta.orchestration.specialist import Specialist
from batuta.pipelines.context import Context
from batuta.steps.agent import AgentStep
from batuta.tools.tool import Tool, tool

AGENT_ID = "documents_agent"
ROLE = "rag_agent"
SAMPLES = Path(__file__).parent / "samples"
"""A folder of documents to try it with."""
MAX_LISTED_TITLES = 12

INSTRUCTIONS = (
    "You answer from the user's documents and from nothing else. Search first; read a document when its passages are "
    "not enough. Mark every statement with [^1], [^2] … and end with one line per mark that names the file and quotes "
    'the exact words it rests on:\n[^1]: travel-policy.md, Hotels: "Hotels may cost up to 130 euros per night"\n'
    "Quotes are checked against the files. If the documents do not answer the question, or a part of it, write one "
    'sentence about that which begins with "The documents do not say" (in Spanish: "Los documentos no dicen"). Answer '
    "in the language of the question."
)
EXAMPLES = {
    "en": (
        "How much can I spend on meals when travelling?",
        "How many days of holidays do I have?",
        "What does the Team plan cost?",
    ),
    "es": (
        "¿Cuánto puedo gastar en comidas durante un viaje?",
        "¿Cuántos días de vacaciones tengo?",
        "¿Qué dice la política de viajes sobre los hoteles?",
    ),
}


def specialist(
    model: Model | str,
    *,
    folder: Path | str = SAMPLES,
    data_dir: Path | str,
    settings: ModelSettings | None = None,
    is_streaming: bool = True,
) -> Specialist:
    """The agent as a member of a team: `folder` holds Markdown and text files, `data_dir` takes its index."""
    index = DocumentIndex(folder, Path(data_dir) / "documents.sqlite3")

    async def holds(text: str, ctx: Context) -> None:
        await asyncio.to_thread(check_citations, text, index.text)

    work: AgentStep[str, str] = AgentStep(
        name=AGENT_ID,
        model=model,
        output=str,
        instructions=INSTRUCTIONS,
        tools=document_tools(index),
        validate=holds,
        cite=lambda text: citations_in(text, index.text),
        settings=settings or DEFAULT_ROLES[ROLE].settings,
        is_streaming=is_streaming,
    )
    return Specialist(
        work,
        name="Documents",
        icon="📚",
        color="#10B981",
        description="Answers questions from the documents of the company, with checked citations",
        capabilities=("search documents", "quote policies", *_titles(index)),
        commands=("/docs",),
        examples=EXAMPLES,
        model_role=ROLE,
    )


def reader(*, folder: Path | str = SAMPLES, data_dir: Path | str) -> Callable[[str], Awaitable[str | None]]:
    """Reads the documents that the agent cites, by the names its citations give."""
    index = DocumentIndex(folder, Path(data_dir) / "documents.sqlite3")

    async def read(file: str) -> str | None:
        return await asyncio.to_thread(index.text, file)

    return read


def document_tools(index: DocumentIndex) -> tuple[Tool, Tool]:
    """The tools `search_documents` and `read_document` over one index."""

    @tool(kind="retrieval")
    async def search_documents(query: str) -> dict[str, Any]:
        """Search the documents for what a question asks, such as policies, prices, deadlines or rules.

        Args:
            query: The question in the user's own words.
        """
        found = await asyncio.to_thread(index.search, query)
        return {"query": query, "passages": [_shown(each) for each in found]}

    @tool(kind="retrieval")
    async def read_document(file: str) -> dict[str, Any]:
        """Read one document whole.

        Args:
            file: The file name, as a search result gives it.
        """
        text = await asyncio.to_thread(index.text, file)
        if text is None:
            return {"file": file, "passages": [], "known_files": list(await asyncio.to_thread(index.titles))}
        passages = [Found(passage=passage, relevance=1.0) for passage in passages_of(file, text)]
        return {"file": file, "passages": [_shown(each) for each in passages]}

    return search_documents, read_document


def _shown(found: Found) -> dict[str, Any]:
    passage = found.passage
    return {
        "file": passage.file,
        "title": passage.title,
        "section": passage.section,
        "place": passage.place,
        "relevance": found.relevance,
        "text": passage.text,
    }


def _titles(index: DocumentIndex) -> tuple[str, ...]:
    """What the documents are called, so that the supervisor knows what they are about."""
    titles = list(index.titles().values())
    return tuple(title.replace(",", "") for title in titles[:MAX_LISTED_TITLES])
