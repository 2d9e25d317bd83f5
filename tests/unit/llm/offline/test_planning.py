"""The built-in model as supervisor (A-40, O-22)."""

import json

import pytest

from batuta.kernel.messages import Message
from batuta.llm.model import OutputSpec
from tests.unit.llm.offline.asking import CARDS, asked, decided, request


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("What is 15% of 1,200?", "calculator_agent"),
        ("¿Cuánto es 3 más 4?", "calculator_agent"),
        ("¿Qué hora es en Londres?", "calculator_agent"),
        ("cita el viernes a las 11 con Marta", "appointments_agent"),
        ("Reschedule the meeting with Tom to Monday at 9am", "appointments_agent"),
        ("How much may I spend on meals?", "documents_agent"),
        ("What does the handbook say about pets?", "documents_agent"),
        ("Who painted the ceiling of the chapel?", "documents_agent"),
    ],
)
async def test_a_request_goes_to_the_agent_whose_card_fits(text: str, agent: str) -> None:
    decision = await decided(text)
    assert [step["agent_id"] for step in decision["steps"]] == [agent]


async def test_then_makes_a_step_that_depends_on_the_one_before() -> None:
    decision = await decided("What is 15% of 1,200? And then book a meeting tomorrow at 10am with Ana")
    assert [(step["agent_id"], step["depends_on"]) for step in decision["steps"]] == [
        ("calculator_agent", []),
        ("appointments_agent", [0]),
    ]


async def test_luego_divides_like_then() -> None:
    decision = await decided("Calcula 3 más 4 y luego multiplica eso por 2")
    assert [(step["task"], step["depends_on"]) for step in decision["steps"]] == [
        ("Calcula 3 más 4", []),
        ("multiplica eso por 2", [0]),
    ]


async def test_and_divides_only_between_requests_of_different_agents() -> None:
    both = await decided("What time is it in Tokyo and how much may I spend on meals?")
    one = await decided("What time is it in Tokyo and Madrid?")
    assert [step["agent_id"] for step in both["steps"]] == ["calculator_agent", "documents_agent"]
    assert both["steps"][1]["depends_on"] == []
    assert len(one["steps"]) == 1


@pytest.mark.parametrize("text", ["Hello!", "hola, buenos días", "thanks", "What can you do?", "¿qué sabes hacer?"])
async def test_small_talk_is_answered_without_agents(text: str) -> None:
    decision = await decided(text)
    assert decision["answer"]


@pytest.mark.parametrize(
    ("text", "words"), [("Write me a poem", "outside what"), ("Escribe un poema", "fuera de lo que")]
)
async def test_it_says_that_it_does_not_know_and_what_the_team_can_do(text: str, words: str) -> None:
    decision = await decided(text)
    assert words in decision["answer"]
    assert "Calculator: Exact arithmetic" in decision["answer"]


async def test_a_short_addition_is_understood_from_what_was_asked_before() -> None:
    before = (Message.user("What time is it in Madrid?"), Message.assistant("It is noon."))
    decision = await decided("and in Tokyo?", *before)
    assert decision["steps"][0]["agent_id"] == "calculator_agent"
    assert "Tokyo" in decision["steps"][0]["task"]


async def test_a_request_limited_to_one_agent_goes_to_it() -> None:
    decision = await decided("What is 2 + 2?\n\n(Use only the agent documents_agent.)")
    assert decision["steps"] == [{"agent_id": "documents_agent", "task": "What is 2 + 2?", "depends_on": []}]


async def test_a_declined_task_goes_to_another_agent() -> None:
    schema = {"type": "object", "properties": {"agent_id": {}, "reason": {}}}
    text = "The task: What is 2 + 2?\ndocuments_agent says: that is no document"
    answer = await asked(request(text, system=CARDS, output=OutputSpec(name="R", schema=schema)))
    assert json.loads(answer.text)["agent_id"] == "calculator_agent"


async def test_a_declined_task_that_nobody_knows_goes_to_nobody() -> None:
    schema = {"type": "object", "properties": {"agent_id": {}, "reason": {}}}
    text = "The task: write a poem\ndocuments_agent says: that is no document"
    answer = await asked(request(text, system=CARDS, output=OutputSpec(name="R", schema=schema)))
    assert json.loads(answer.text)["agent_id"] is None
