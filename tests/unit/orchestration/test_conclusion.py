"""What a plan is concluded from: every source has one number, and that number is its place among the citations."""

from datetime import UTC, datetime

from batuta.events.conversation import AssistantMessage, Citation
from batuta.kernel.ids import new_id
from batuta.orchestration.conclusion import Conclusion, conclusion_of
from batuta.orchestration.plans import Plan, PlanStep

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
    plan = Plan(plan_id=new_id(), query="q", created_at=NOW, updated_at=NOW, steps=steps)
    told = [
        AssistantMessage(content=text, source_agent_id=agent, citations=citations) for agent, text, citations in results
    ]
    return conclusion_of(plan, NAMES, told)


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
    assert found.cite("Nothing.") == ()
    assert found.cite("A number nobody gave [9].") == ()
    assert len(found.cite("[1] [2] [3] [9]")) == 3
