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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello!", "built-in offline model"),
        ("hola, buenos días", "modelo sin conexión"),
        ("What can you do?", "The team can do this"),
        ("What can you help me with?", "The team can do this"),
        ("¿qué sabes hacer?", "El equipo sabe hacer esto"),
        ("¿En qué puedes ayudarme?", "El equipo sabe hacer esto"),
        ("Who are you?", "neither a person nor a language model"),
        ("¿Eres una persona?", "ni una persona ni un modelo"),
        ("how are you?", "I am a program"),
        ("How are you doing today?", "I am a program"),
        ("¿Qué tal?", "Soy un programa"),
        ("thanks a lot!", "You are welcome"),
        ("many thanks, that was helpful", "You are welcome"),
        ("muchas gracias por tu ayuda", "De nada"),
        ("ok", "Tell me if you need anything else"),
        ("vale, perfecto", "Dime si necesitas algo más"),
        ("good night", "Goodbye"),
        ("no", "I do not know what that answers"),
    ],
)
async def test_small_talk_is_answered_without_agents_in_the_language_it_is_made(text: str, words: str) -> None:
    decision = await decided(text)
    assert words in decision.get("answer", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Write me a poem", "outside what"),
        ("Escribe un poema", "fuera de lo que"),
        ("What's the weather like in Madrid?", "outside what"),
        ("Will it rain tomorrow at 5pm?", "outside what"),
        ("¿Qué tiempo hará mañana?", "fuera de lo que"),
        ("¿Hace frío en Bogotá?", "fuera de lo que"),
        ("tell me a joke", "outside what"),
        ("recommend a restaurant in Barcelona for tonight", "outside what"),
        ("stock price of Apple", "outside what"),
        ("¿Quién ganó el mundial de 2018?", "fuera de lo que"),
        ("Send the zebras home tomorrow", "outside what"),
    ],
)
async def test_it_says_that_it_does_not_know_and_what_the_team_can_do(text: str, words: str) -> None:
    decision = await decided(text)
    assert words in decision.get("answer", "")
    assert "**Calculator**" in decision["answer"]


async def test_a_sum_that_leaves_out_its_first_number_is_for_whoever_calculates() -> None:
    for text in ("times 3", "por 3", "and then add 5", "y luego menos 2,5"):
        decision = await decided(text)
        assert [step["agent_id"] for step in decision["steps"]] == ["calculator_agent"]


async def test_tomorrow_alone_is_no_farewell() -> None:
    assert "Hasta luego" in (await decided("hasta mañana"))["answer"]
    assert "Hasta luego" not in (await decided("mañana")).get("answer", "")


async def test_thanks_with_a_request_is_a_request() -> None:
    decision = await decided("Thanks! What is 15% of 1,200?")
    assert [step["agent_id"] for step in decision["steps"]][-1] == "calculator_agent"


async def test_the_team_is_described_in_the_language_of_the_question() -> None:
    english, spanish = await decided("what can you do?"), await decided("¿qué sabes hacer?")
    assert "- **Calculator**: Exact arithmetic and the time, such as “What is 15% of 1,200?”" in english["answer"]
    assert "- **Calculator**: por ejemplo, «¿Qué hora es en Tokio?»" in spanish["answer"]
    assert "Exact" not in spanish["answer"]


async def test_what_the_team_asked_for_is_understood_with_the_request_it_belongs_to() -> None:
    before = (Message.user("Book a meeting with Ana tomorrow"), Message.assistant("At what time?"))
    decision = await decided("at 10am", *before)
    assert decision["steps"][0]["agent_id"] == "appointments_agent"
    assert decision["steps"][0]["task"] == "Book a meeting with Ana tomorrow at 10am"


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
