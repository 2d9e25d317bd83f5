"""The documents agent: cited answers, corrected when a citation does not hold (A-10)."""

from pathlib import Path

from batuta.agents.documents import specialist
from batuta.events.conversation import AssistantMessage
from batuta.events.runtime import AttemptRejected
from batuta.llm.model import Model
from batuta.llm.providers import OFFLINE_MODEL
from batuta.orchestration import Orchestrator
from batuta.orchestration.orchestrator import Turn
from batuta.testing import Reply, ScriptedModel, ToolCall

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
    assert card.tools == ("search_documents", "read_document")
