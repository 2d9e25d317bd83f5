"""Citations are opened by whoever may read the answer that holds them, and by nobody else."""

from pathlib import Path
from typing import Any

import pytest

from batuta.events.conversation import AssistantMessage, Citation
from batuta.kernel.ids import MessageId, SessionId, new_id
from batuta.server.config import Settings
from batuta.server.sessions.sources import MOST_CHARACTERS, shown
from tests.support.platform import Person, Running, running, settings_for

TEXT = "# Travel\n\nHotels may cost up to **130** euros per night.\n"
CITATION = Citation(source="travel.md", title="Travel", place="line 3", quote="cost up to 130 euros", start=21, end=45)


async def read(citation: Citation, user_id: str) -> str | None:
    return TEXT if citation.source == "travel.md" else None


async def answered(site: Running, person: Person, *citations: Citation) -> tuple[str, str]:
    """A session with an answer that cites."""
    session, message = await person.session(), new_id()
    said = AssistantMessage(
        session_id=SessionId(session),
        message_id=MessageId(message),
        content="130 [^1]",
        citations=citations,
        source_agent_id="documents_agent",
    )
    appended = await site.platform.backends.log.append(session, [said])
    await site.platform.backends.projector.ensure(session, appended.last_seq)
    return session, message


async def opened(person: Person, session: str, message: str, number: int = 0) -> Any:
    params: dict[str, Any] = {"message_id": message, "number": number}
    return await person.http.get(f"/api/sessions/{session}/source", params=params)


async def test_a_citation_is_opened_in_its_document(settings: Settings) -> None:
    async with running(settings, read_source=read) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        gone = Citation(source="gone.md", quote="away")
        session, message = await answered(site, ana, CITATION, gone)
        found = (await opened(ana, session, message)).json()
        assert (found["text"], found["title"]) == (TEXT, "Travel")
        assert found["text"][found["start"] : found["end"]] == "cost up to **130** euros"
        assert (await opened(ana, session, message, 1)).json()["text"] is None
        missing = await opened(ana, session, message, 2)
        assert missing.status_code == 404
        assert (await opened(ben, session, message)).json() == missing.json()
        other, _ = await answered(site, ben, CITATION)
        assert (await opened(ben, other, message)).json() == missing.json()


async def test_a_team_without_documents_shows_the_citation_alone(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session, message = await answered(site, ana, CITATION)
        found = (await opened(ana, session, message)).json()
        assert (found["text"], found["quote"]) == (None, CITATION.quote)


@pytest.mark.parametrize(
    ("text", "place"),
    [(TEXT, (21, 45)), ("now: cost up to 130 euros", (5, 25)), ("something else", (None, None)), ("", (None, None))],
    ids=["as it was", "moved", "changed", "empty"],
)
def test_the_words_are_marked_where_they_are_now(text: str, place: tuple[int | None, int | None]) -> None:
    found = shown(CITATION, text)
    assert (found.start, found.end) == place


def test_of_a_very_long_document_the_part_around_the_quote_is_shown() -> None:
    text = "x" * 500_000 + CITATION.quote + "y" * 500_000
    found = shown(CITATION.model_copy(update={"start": None, "end": None}), text)
    assert (found.is_part, len(found.text or "")) == (True, MOST_CHARACTERS)
    assert (found.text or "")[found.start : found.end] == CITATION.quote
