"""The documents agent: cited answers, corrected when a citation does not hold (A-10)."""

from pathlib import Path

from batuta.agents.documents import DocumentLibrary, specialist
from batuta.agents.documents.library import owner_of
from batuta.events.conversation import AssistantMessage
from batuta.events.runtime import AttemptRejected
from batuta.kernel.users import ToolUser
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.llm.model import Model
from batuta.llm.providers import OFFLINE_MODEL
from batuta.orchestration import Orchestrator
from batuta.orchestration.orchestrator import Turn
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.testing.knowledge import a_document

SEARCH = Reply(tool_calls=[ToolCall("search_documents", {"query": "hotels"})])
GOOD = 'Up to 130 euros.[^1]\n\n[^1]: travel-policy.md: "Hotels may cost up to 130 euros per night"'


async def ask(text: str, model: Model | str, tmp_path: Path) -> Turn:
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[specialist(model, data_dir=tmp_path)])
    return await team.run(text, target_agent_id="documents_agent")


def said(turn: Turn) -> list[AssistantMessage]:
    return [event for event in turn.events if isinstance(event, AssistantMessage)]


async def test_citations_reach_the_message(tmp_path: Path) -> None:
    [message] = said(await ask("How much may a hotel cost?", OFFLINE_MODEL, tmp_path))
    [citation] = message.citations
    assert (citation.source, citation.place) == ("travel-policy.md", "Hotels, l. 16")
    assert citation.quote in message.content
    assert message.model == "batuta-offline"


async def test_a_false_quote_is_corrected_in_the_loop(tmp_path: Path) -> None:
    false = GOOD.replace("130", "300")
    model = ScriptedModel([SEARCH, Reply(false), Reply(GOOD)])
    turn = await ask("How much may a hotel cost?", model, tmp_path)
    model.assert_finished()
    assert turn.answer == GOOD
    assert "does not say" in model.requests[-1].messages[-1].text
    assert [event.kind for event in turn.events if isinstance(event, AttemptRejected)] == ["semantic"]
    assert [message.content for message in said(turn)] == [GOOD]


async def test_an_answer_that_stays_false_is_not_given(tmp_path: Path) -> None:
    model = ScriptedModel([SEARCH, *[Reply("Hotels cost 300 euros.")] * 3])
    turn = await ask("How much may a hotel cost?", model, tmp_path)
    assert turn.status == "failed"
    assert said(turn) == []


async def test_it_says_when_the_documents_do_not_say(tmp_path: Path) -> None:
    turn = await ask("¿Quién ganó el mundial?", OFFLINE_MODEL, tmp_path)
    assert turn.answer == "Los documentos no dicen nada sobre eso, y sin un modelo de lenguaje no sé nada más."


async def test_a_document_is_read_by_name(tmp_path: Path) -> None:
    [message] = said(await ask("read onboarding-guide.md", OFFLINE_MODEL, tmp_path))
    assert {citation.source for citation in message.citations} == {"onboarding-guide.md"}


async def test_an_unknown_document_is_not_made_up(tmp_path: Path) -> None:
    turn = await ask("read salaries-2027.md", OFFLINE_MODEL, tmp_path)
    assert (
        turn.answer == "The documents do not say anything about that, and without a language model I know nothing else."
    )


def test_the_card_lists_what_the_documents_are_called(tmp_path: Path) -> None:
    card = specialist(OFFLINE_MODEL, data_dir=tmp_path).card
    assert {"Expense policy", "Guía de bienvenida"} <= set(card.capabilities)
    assert card.tools == ("search_documents", "read_document", "resolve_words")


async def test_a_statement_that_another_document_contradicts_is_given_with_both(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "old.md").write_text("# Rules\n\nThe hotel limit for every employee is 130 euros per night.\n")
    (folder / "new.md").write_text("# Rules\n\nThe hotel limit for every employee is 150 euros per night.\n")
    one = 'Up to 130 euros.[^1]\n\n[^1]: old.md: "The hotel limit for every employee is 130 euros per night."'
    both = (
        "The documents disagree: 130 euros per night,[^1] or 150 euros per night.[^2]\n\n"
        '[^1]: old.md: "The hotel limit for every employee is 130 euros per night."\n'
        '[^2]: new.md: "The hotel limit for every employee is 150 euros per night."'
    )
    model = ScriptedModel([SEARCH, Reply(one), Reply(both)])
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[specialist(model, folder=folder, data_dir=tmp_path)])
    turn = await team.run("What is the hotel limit?", target_agent_id="documents_agent")
    assert turn.answer == both
    assert "says otherwise" in model.requests[-1].messages[-1].text
    assert "disagreements" in str(model.requests[1].tool_results[-1].content)


async def test_a_figure_that_no_quote_holds_never_leaves_the_agent(tmp_path: Path) -> None:
    false = GOOD.replace("Up to 130", "Up to 140")
    model = ScriptedModel([SEARCH, *[Reply(false)] * 3])
    turn = await ask("How much may a hotel cost?", model, tmp_path)
    assert turn.status == "failed"
    assert said(turn) == []
    assert "140" not in str(turn.answer)


async def test_is06_is07_documents_of_others_are_neither_searched_nor_cited(tmp_path: Path) -> None:
    """A person's own files and the shared ones, and nothing else (IS-06, IS-07)."""
    index = SqlitePassageIndex(tmp_path / "index.sqlite3")
    library = DocumentLibrary(index=index)
    await index.put(a_document("a", "The codeword of Ada is heron.", owner=owner_of("ada")))
    await index.put(a_document("b", "The codeword of Ben is osprey.", owner=owner_of("ben")))
    quoting = 'The codeword is osprey.[^1]\n\n[^1]: b.txt: "The codeword of Ben is osprey."'
    search = Reply(tool_calls=[ToolCall("search_documents", {"query": "codeword osprey"})])
    model = ScriptedModel([search, *[Reply(quoting)] * 3])
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[specialist(model, library=library)])
    turn = await team.run("the codeword?", target_agent_id="documents_agent", user=ToolUser(id="ada"))
    assert turn.status == "failed"
    assert "heron" in str(model.requests[1].tool_results[-1].content)
    assert "Ben" not in str(model.requests[1].tool_results[-1].content)
    assert "no document" in model.requests[-1].messages[-1].text
    await index.close()
