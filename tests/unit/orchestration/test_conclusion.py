"""What a plan is concluded from: every source has one number, and that number is its place among the citations."""

from datetime import UTC, datetime

import pytest

from batuta.events import AttemptRejected
from batuta.events.conversation import AssistantMessage, Citation
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.conclusion import Conclusion, conclusion_of
from batuta.orchestration.plans import Plan, PlanStep
from batuta.testing import Reply, ScriptedModel
from tests.unit.orchestration.teams import agent, of, plan

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = {"docs": "Documents", "calc": "Calculator"}
HOTELS = Citation(source="travel.md", title="Travel", place="Hotels, l. 3", quote="Hotels cost 130.")
MEALS = Citation(source="travel.md", title="Travel", place="Meals, l. 9", quote="Meals cost 45.")
BOTH = (
    'Hotels cost 130.[^1] Meals cost 45.[^b]\n\n[^1]: travel.md: "Hotels cost 130."\n[^b]: travel.md: "Meals cost 45."'
)


def concluded(*results: tuple[str, str, tuple[Citation, ...]]) -> Conclusion:
    steps = tuple(
        PlanStep(step_id=new_id(), step_index=index, agent_id=agent, task="t", status="completed", result=text)
        for index, (agent, text, _) in enumerate(results)
    )
    done = Plan(plan_id=new_id(), query="q", created_at=NOW, updated_at=NOW, steps=steps)
    told = [
        AssistantMessage(content=text, source_agent_id=agent, citations=citations) for agent, text, citations in results
    ]
    return conclusion_of(done, NAMES, told)


def test_the_marks_of_a_worker_become_the_numbers_of_its_documents() -> None:
    found = concluded(("calc", "2 + 2 = 4", ()), ("docs", BOTH, (HOTELS, MEALS)))
    assert found.prompt.splitlines()[-2:] == [
        "Result 1, Calculator (t): 2 + 2 = 4 [1]",
        "Result 2, Documents (t): Hotels cost 130. [2] Meals cost 45. [3]",
    ]
    assert [source.title for source in found.sources] == ["Calculator", "Travel", "Travel"]


def test_sources_that_are_not_marked_stand_at_the_end() -> None:
    found = concluded(("docs", "Hotels cost 130 and meals 45.", (HOTELS, MEALS)))
    assert found.prompt.endswith(": Hotels cost 130 and meals 45. [1] [2]")


def test_the_same_words_of_a_document_have_one_number() -> None:
    found = concluded(("docs", "A.", (HOTELS,)), ("docs", "B.", (HOTELS,)))
    assert found.sources == (HOTELS,)
    assert found.prompt.count("[1]") == 2


def test_the_number_of_a_source_is_its_place_among_the_citations() -> None:
    found = concluded(("calc", "2 + 2 = 4", ()), ("docs", BOTH, (HOTELS, MEALS)))
    assert found.cite("Hotels cost 130 [2].")[1] == HOTELS
    assert len(found.cite("[1] [2] [3] [9]")) == 3


@pytest.mark.parametrize("text", ["Hotels and meals.", "As somebody said [9].", "The list[0] is empty."])
def test_an_answer_that_names_no_source_cites_all_it_was_written_from(text: str) -> None:
    """O-26: the supervisor cites the results, whether or not its model remembers to."""
    found = concluded(("calc", "2 + 2 = 4", ()), ("docs", BOTH, (HOTELS, MEALS)))
    assert found.cite(text) == found.sources


def test_a_plan_without_a_result_has_nothing_to_cite() -> None:
    assert Conclusion("q", ()).cite("Nothing worked.") == ()


def supervised(*last_words: str) -> tuple[ScriptedModel, Orchestrator]:
    model = ScriptedModel([plan(("erp", "look", []), ("rag", "read", [])), *map(Reply, last_words)])
    workers = [agent("erp", [Reply("7")]), agent("rag", [Reply("8 %")])]
    return model, Orchestrator(supervisor=model, agents=[Specialist(w, name=w.name.upper()) for w in workers])


async def test_a_source_that_the_model_invents_is_a_mistake_to_correct() -> None:
    model, crew = supervised("7 at 8 % [5].", "7 [1] at 8 % [2].")
    turn = await crew.run("q")
    assert turn.answer == "7 [1] at 8 % [2]."
    assert "no source [5]; the sources are [1] to [2]" in model.requests[-1].messages[-1].text
    assert [rejected.attempt for rejected in of(turn, AttemptRejected)] == [1]
    model.assert_finished()


async def test_a_number_that_the_model_insists_on_is_no_citation() -> None:
    """It may be none: the turn does not fail for it, and it cites what the answer was written from."""
    model, crew = supervised("See list[5].", "It is list[5].")
    turn = await crew.run("q")
    assert turn.answer == "It is list[5]."
    (said,) = [m for m in of(turn, AssistantMessage) if m.source_agent_id == "supervisor"]
    assert [citation.quote for citation in said.citations] == ["7", "8 %"]
    model.assert_finished()
