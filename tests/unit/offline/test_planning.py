"""As supervisor and worker: plans, questions, follow-ups, and a specialist that is only data (A-40, A-41, A-42)."""

from typing import Any

import pytest

from batuta.agents.graphing.understanding import UNDERSTANDING as GRAPHS
from batuta.kernel.messages import Message
from batuta.language import Intent, Slot, Understanding
from batuta.llm.model import ModelRequest, ToolSpec
from batuta.offline.context import DialogueContext
from batuta.offline.planning import Planner
from batuta.offline.requests import Task
from tests.unit.language.test_understanding import UNDERSTANDING as BUSINESS
from tests.unit.offline.asking import NOW, TEAM, asked, decided, request

CALC, DOCS, AGENDA = "calculator_agent", "documents_agent", "appointments_agent"
EVERYBODY = (*TEAM, *BUSINESS)


async def steps(
    text: str, *before: Message, team: tuple[Understanding, ...] = TEAM
) -> list[tuple[str, str, list[int]]]:
    decision = await decided(text, *before, team=team)
    return [(step["agent_id"], step["task"], step["depends_on"]) for step in decision.get("steps", [])]


async def test_a_chart_of_a_measure_is_a_plan_of_two() -> None:
    """The sentence that the platform is known by."""
    plan = await steps("¿Qué clientes nos deben más dinero? Hazme un gráfico", team=EVERYBODY)
    assert plan == [
        ("erp_agent", "¿Qué clientes nos deben más dinero?", []),
        ("graphing_agent", "Hazme un gráfico", [0]),
    ]


@pytest.mark.parametrize(
    "text", ["make a bar chart of sales by country", "hazme un gráfico de barras de ventas por país"]
)
async def test_a_chart_asked_for_in_one_sentence_gets_its_figures_first(text: str) -> None:
    plan = await steps(text, team=EVERYBODY)
    assert [(agent, depends) for agent, _, depends in plan] == [("erp_agent", []), ("graphing_agent", [0])]


async def test_a_chart_of_nothing_is_asked_about() -> None:
    decision = await decided("hazme un gráfico", team=EVERYBODY)
    assert decision["answer"].startswith("¿Qué tiene que mostrar?")


async def test_the_last_result_is_drawn_where_there_is_one() -> None:
    before = (
        Message.user("ventas por país este año"),
        Message.assistant("Ventas por país: dataset `sales_by_country`."),
    )
    assert [agent for agent, _, _ in await steps("hazme un gráfico", *before, team=EVERYBODY)] == ["graphing_agent"]


async def test_two_requests_of_one_sentence_are_two_steps() -> None:
    plan = await steps("What is 3 plus 4 and how many days of holidays do I have?")
    assert [(agent, depends) for agent, _, depends in plan] == [(CALC, []), (DOCS, [])]


@pytest.mark.parametrize(("reply", "asked"), [("4pm", "At what time?"), ("a las 16:00", "¿A qué hora?")])
async def test_a_bare_time_answers_what_was_asked(reply: str, asked: str) -> None:
    """It begins no appointment of its own."""
    plan = await steps(reply, Message.user("book a call with Jon on friday"), Message.assistant(asked))
    assert plan == [(AGENDA, f"book a call with Jon on friday ▸ {reply}", [])]


@pytest.mark.parametrize("text", ["sum 120, 340 and 90 and take away 50", "suma 120, 340 y 90 y quítale 50"])
async def test_one_sum_is_one_step_whatever_joins_its_numbers(text: str) -> None:
    assert await steps(text) == [(CALC, text, [])]


async def test_a_sum_that_goes_on_depends_on_the_one_before() -> None:
    plan = await steps("Suma 12 y 30 y luego divídelo entre 4")
    assert [(agent, depends) for agent, _, depends in plan] == [(CALC, []), (CALC, [0])]


@pytest.mark.parametrize("text", ["dibújalo en tarta", "draw it as a pie"])
async def test_what_is_to_be_drawn_is_the_last_result_as_it_was_asked_for(text: str) -> None:
    before = (Message.user("ventas por país este año"), Message.assistant("Ventas: dataset `sales_by_country`."))
    assert [(agent, task) for agent, task, _ in await steps(text, *before, team=EVERYBODY)] == [
        ("graphing_agent", text)
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("move the demo to Friday and the call to Monday", "move the demo to Friday; move the call to Monday"),
        ("move Eva to Friday and Tom to Monday", "move Eva to Friday; move Tom to Monday"),
        ("pasa la demo al viernes y lo de Eva al lunes", "pasa la demo al viernes; pasa lo de Eva al lunes"),
    ],
)
async def test_two_that_share_a_verb_are_each_changed(text: str, parts: str) -> None:
    assert await steps(text) == [(AGENDA, parts, [])]


@pytest.mark.parametrize(
    "text", ["proofread this: move the demo and book a room", "corrige esto: mueve la demo y reserva sala"]
)
async def test_orders_within_a_text_to_work_on_are_not_carried_out(text: str) -> None:
    assert not [agent for agent, _, _ in await steps(text) if agent == AGENDA]


async def test_what_comes_after_a_day_is_one_request() -> None:
    assert await steps("qué tengo después del miércoles") == [(AGENDA, "qué tengo después del miércoles", [])]


@pytest.mark.parametrize("text", ["quítame la cita con Eva", "cancélame el dentista"])
async def test_a_verb_with_a_pronoun_is_the_verb(text: str) -> None:
    assert await steps(text) == [(AGENDA, text, [])]


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("sales by customer this year", "and in march?", "sales by customer this year ▸ and in march?"),
        ("ventas por cliente este año", "ahora por país", "ventas por cliente este año ▸ ahora por país"),
        ("ventas por cliente este año", "no, el año pasado", "ventas por cliente este año ▸ el año pasado"),
        ("sales by customer this year", "the same for Fabrikam", "sales by customer this year ▸ for Fabrikam"),
    ],
)
async def test_a_follow_up_goes_on_from_the_last_request(first: str, then: str, expected: str) -> None:
    plan = await steps(then, Message.user(first), Message.assistant("…"), team=EVERYBODY)
    assert plan == [("erp_agent", expected, [])]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("ventas por cliente este año", "comparado con el año anterior"),
        ("sales by customer this year", "compared with last year"),
        ("sales by customer this year", "vs last year"),
    ],
)
async def test_a_bare_comparison_goes_on_from_the_last_figure(first: str, then: str) -> None:
    before = (Message.user(first), Message.assistant("1.000 €"))
    assert [task for _, task, _ in await steps(then, *before, team=EVERYBODY)] == [f"{first} ▸ {then}"]


async def test_a_refused_message_does_not_lose_the_request_before_it() -> None:
    refused = (await decided("qué tiempo hace mañana", team=EVERYBODY))["answer"]
    before = (
        Message.user("ventas por cliente este año"), Message.assistant("1.000 €"),
        Message.user("azul marengo"), Message.assistant(refused),
    )  # fmt: skip
    [(_, task, _)] = await steps("y el año pasado?", *before, team=EVERYBODY)
    assert task == "ventas por cliente este año ▸ y el año pasado?"


async def test_a_follow_up_of_a_follow_up_keeps_both() -> None:
    before = (
        Message.user("ventas por cliente este año"),
        Message.assistant("…"),
        Message.user("¿y en marzo?"),
        Message.assistant("…"),
    )
    [(_, task, _)] = await steps("ahora por país", *before, team=EVERYBODY)
    assert task == "ventas por cliente este año ▸ ¿y en marzo? ▸ ahora por país"


async def test_small_talk_between_does_not_lose_the_context() -> None:
    before = (
        Message.user("ventas por país"),
        Message.assistant("…"),
        Message.user("gracias"),
        Message.assistant("De nada."),
    )
    [(_, task, _)] = await steps("¿y en marzo?", *before, team=EVERYBODY)
    assert task == "ventas por país ▸ ¿y en marzo?"


async def test_an_answer_to_its_own_question_completes_the_request() -> None:
    before = (Message.user("Agenda una llamada con Luis el jueves"), Message.assistant("¿A qué hora?"))
    [(agent, task, _)] = await steps("a las 11", *before)
    assert (agent, task) == (AGENDA, "Agenda una llamada con Luis el jueves ▸ a las 11")


async def test_a_new_request_is_no_follow_up() -> None:
    before = (Message.user("What is 2 + 2?"), Message.assistant("2 + 2 = 4"))
    assert await steps("What time is it in Tokyo?", *before) == [(CALC, "What time is it in Tokyo?", [])]


@pytest.mark.parametrize(
    "text", ["what's the weather tomorrow", "escríbeme un poema", "send an email to Ana", "asdfgh"]
)
async def test_what_is_outside_is_refused_with_two_examples(text: str) -> None:
    decision = await decided(text)
    assert decision["answer"].count("\n- ") == 2
    assert len(decision["answer"]) < 300


@pytest.mark.parametrize("text", ["hola", "qué tiempo hace mañana"])
async def test_a_question_about_the_business_is_offered_where_its_figures_can_be_read(text: str) -> None:
    decision = await decided(text, team=EVERYBODY)
    assert "ventas por cliente" in decision["answer"].split("\n- ")[1]


async def test_an_unsure_change_is_asked_about_and_the_reply_is_understood() -> None:
    decision = await decided("cancel the newspaper")
    assert decision["answer"].startswith("Do you mean “Cancel my meeting")
    before = (Message.user("cancel the newspaper"), Message.assistant(decision["answer"]))
    assert [agent for agent, _, _ in await steps("yes", *before)] == [AGENDA]


async def test_an_unknown_place_is_said() -> None:
    tool = ToolSpec(name="current_time", description="", schema={"type": "object", "properties": {"zone": {}}})
    answer = await asked(request("What time is it in Xanadu?", tools=(tool,), understanding=TEAM[:1]))
    assert not answer.tool_calls
    assert "“Xanadu”" in answer.text


@pytest.mark.parametrize(
    "text", ["what time is it right now in Upper Nowhere", "qué hora es ahora en Villarriba de Arriba"]
)
async def test_the_time_of_an_unknown_place_is_looked_for_nowhere_else(text: str) -> None:
    assert [agent for agent, _, _ in await steps(text)] == [TEAM[0].agent_id]


@pytest.mark.parametrize(
    "text", ["cancel the dentist and what's 20% of 90?", "anula el dentista y dime cuánto es el 20% de 90"]
)
async def test_an_order_beside_a_sum_is_not_left_out(text: str) -> None:
    assert [agent for agent, _, _ in await steps(text)] == [AGENDA, TEAM[0].agent_id]


@pytest.mark.parametrize("text", ["I've got choir every Monday at 8pm, put it in", "cool, at 5pm then"])
async def test_what_says_when_is_no_kind_word(text: str) -> None:
    decision = await decided(text)
    assert not str(decision.get("answer")).startswith("Good.")


TOY = Understanding(
    agent_id="plants_agent",
    name="Plants",
    intents=(
        Intent(
            id="water",
            tool="water_plant",
            effect="change",
            examples={
                "en": ("water the ficus", "give the cactus some water", "please water the orchid with 200 ml",
                       "the palm needs water", "water my plants"),
                "es": ("riega el ficus", "dale agua al cactus", "riega la orquídea con 200 ml", "la palmera necesita agua",
                       "regar las plantas"),
            },
            slots=(
                Slot(name="plant", type="choice", is_required=True, question={"en": "Which plant?", "es": "¿Qué planta?"},
                     values=lambda: {"ficus": ("ficus",), "cactus": ("cactus",), "orchid": ("orchid", "orquídea")}),
                Slot(name="amount", type="quantity"),
            ),
        ),
    ),
)  # fmt: skip
WATER = ToolSpec(
    name="water_plant",
    description="Water a plant.",
    schema={
        "type": "object",
        "properties": {"plant": {"type": "string"}, "amount": {"type": "object"}},
        "required": ["plant"],
    },
)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("could you water the ficus please", {"plant": "ficus"}),
        ("riega la orquidea con 150 ml", {"plant": "orchid", "amount": {"amount": "150", "unit": "ml"}}),
        ("dale un poco de agua al cactus", {"plant": "cactus"}),
    ],
)
async def test_a_new_specialist_of_ten_sentences_works_without_a_line_of_code(text: str, args: dict[str, Any]) -> None:
    """A-41: it is routed to among the others, and its tool is called with arguments from its slots."""
    assert [agent for agent, _, _ in await steps(text, team=(*TEAM, TOY))] == ["plants_agent"]
    answer = await asked(ModelRequest(messages=(Message.user(text),), tools=(WATER,), understanding=(TOY,)))
    assert [(call.name, call.args) for call in answer.tool_calls] == [("water_plant", args)]


async def test_what_a_new_specialist_misses_is_asked_in_its_own_words() -> None:
    answer = await asked(
        ModelRequest(messages=(Message.user("riega las plantas"),), tools=(WATER,), understanding=(TOY,))
    )
    assert answer.text == "¿Qué planta?"


@pytest.mark.parametrize(
    ("said", "question", "yes", "no"),
    [
        ("my husband has the dentist on thursday at 12", "as I take “Book", "yes, please", "no thanks"),
        ("mi marido tiene dentista el jueves a las 12", "como «Cita", "sí", "mejor no"),
    ],
)
async def test_what_may_be_no_order_is_done_when_it_is_confirmed(said: str, question: str, yes: str, no: str) -> None:
    asked_back = (await decided(said))["answer"]
    assert question in asked_back, "it says what would be done"
    before = (Message.user(said), Message.assistant(asked_back))
    assert await steps(yes, *before) == [(AGENDA, f"{said} ▸ {yes}", [])]
    assert "answer" in await decided(no, *before)


@pytest.mark.parametrize(
    "text",
    ["could you water my plants", "me puedes regar las plantas", "delete all my files", "borra todos mis archivos"],
)
async def test_a_favour_that_nobody_can_do_is_refused_and_not_looked_up(text: str) -> None:
    decision = await decided(text, team=EVERYBODY)
    assert decision.get("answer", "").startswith(("I cannot answer that", "No puedo responder a eso"))


@pytest.mark.parametrize(
    ("text", "has_documents", "agent"),
    [
        ("How much is the ticket for an adult?", True, "documents_agent"),
        ("¿Cuánto cuesta el billete de un adulto?", True, "documents_agent"),
        ("How much is the ticket for an adult?", False, "graphing_agent"),
        ("Draw the fares as bars", True, "graphing_agent"),
    ],
)
def test_figures_are_asked_of_tables_that_come_without_documents(text: str, has_documents: bool, agent: str) -> None:
    task = Task(text=text, has_tables=True, has_documents=has_documents)
    graphs = Understanding(agent_id="graphing_agent", name="Charts", intents=GRAPHS.intents)
    decision = Planner((*TEAM, graphs), NOW).decision(task, DialogueContext())
    assert [step["agent_id"] for step in decision["steps"]] == [agent]


@pytest.mark.parametrize(
    "text",
    [
        "ponme el despertador el jueves a las 7", "set an alarm for Thursday at 7", "pídeme un taxi para el jueves a las 7",
        "I need a cab on Thursday at 7", "can you book me a flight on Thursday at 7?", "resérvame un hotel para el jueves",
    ],
)  # fmt: skip
async def test_what_a_calendar_cannot_do_is_no_appointment(text: str) -> None:
    assert await steps(text, team=EVERYBODY) == []


@pytest.mark.parametrize(
    "text", ["put the taxi in my calendar on Thursday at 7pm", "book a meeting about the alarm on Thursday at 12"]
)
async def test_an_appointment_may_be_about_an_alarm_or_a_taxi(text: str) -> None:
    assert await steps(text, team=EVERYBODY) == [(AGENDA, text, [])]


@pytest.mark.parametrize(
    "text", ["tomorrow at 5", "el viernes a las 10", "on Friday from 3 to 4", "mañana a las 9 una hora"]
)
async def test_a_time_alone_is_asked_about_and_not_booked(text: str) -> None:
    """It may as well go on from a message that was not understood."""
    assert text in (await decided(text, team=EVERYBODY))["answer"]


@pytest.mark.parametrize(
    "text",
    ["cancel the call with Eva and put it on Friday at 10", "anula la llamada con Eva y ponla el viernes a las 10"],
)
async def test_what_is_cancelled_to_be_made_again_is_one_step(text: str) -> None:
    assert await steps(text, team=EVERYBODY) == [(AGENDA, text, [])]


@pytest.mark.parametrize(
    "text",
    [
        "anula el dentista y la comida y ponlos el viernes a las 10", "quita la demo y la llamada y pásalas al lunes a las 9",
    ],
)  # fmt: skip
async def test_several_that_are_cancelled_to_be_made_again_are_no_two_changes(text: str) -> None:
    plan = await steps(text, team=EVERYBODY)
    assert [task for _, task, _ in plan] in ([], [text])
