"""The first team answers in English and Spanish without any key (A-40, A-10, A-30)."""

from decimal import Decimal

import pytest

from batuta.conversations.conversation import Conversation
from batuta.events.conversation import AssistantMessage
from batuta.events.progress import ContentDelta
from batuta.orchestration import Orchestrator
from batuta.orchestration.orchestrator import Turn
from batuta.tools import ApprovalDecision, ApprovalRequest

CALC, DOCS, AGENDA = "calculator_agent", "documents_agent", "appointments_agent"

PROMPTS = [
    ("What is 15% of 1,200?", CALC, "15 % of 1,200 is 180."),
    ("¿Cuánto es el 21% de 350?", CALC, "El 21 % de 350 es 73,5."),
    ("¿Cuánto es 1.250,50 por 3?", CALC, "1250,50 × 3 = 3751,5"),
    ("¿Cuánto es 1000 entre 3?", CALC, "333,333333 (redondeado)"),
    ("20% off 50", CALC, "is 40."),
    ("100 euros con un 20% de descuento", CALC, "es 80."),
    ("tip 18% on 64.50", CALC, "is 11.61."),
    ("¿Cuánto es 100 más el 21% de IVA?", CALC, "es 121."),
    ("What percentage is 30 of 120?", CALC, "30 is 25 % of 120."),
    ("¿Qué porcentaje es 30 de 120?", CALC, "30 es el 25 % de 120."),
    ("What is 2+2 and what is 3*3?", CALC, "2 + 2 = 4\n3 × 3 = 9"),
    ("/calc foo bar", CALC, "What is 15% of 1,200?"),
    ("/calc hola", CALC, "¿Cuánto es el 21% de 350?"),
    ("¿Cuánto es 1/0?", CALC, "no se puede dividir entre cero"),
    ("What is the date today?", CALC, "Monday, 16 November 2026"),
    ("calculate (3 + 4) * 12", CALC, "= 84"),
    ("Raíz cuadrada de 144", CALC, "La raíz cuadrada de 144 es 12."),
    ("how much is 49.90 € times 12?", CALC, "= 598.8"),
    ("Calcula el promedio de 3, 4 y 8", CALC, "= 5"),
    ("What is 1/0?", CALC, "division by zero"),
    ("What time is it in Tokyo?", CALC, "In Tokyo it is 18:00."),
    ("¿Qué hora es en Buenos Aires?", CALC, "En Buenos Aires son las 06:00."),
    ("What time is it in London and New York?", CALC, "In New York it is 04:00."),
    ("Convert 3pm from Madrid to New York", CALC, "15:00 in Madrid is 09:00 in New York"),
    ("Si en Madrid son las 20:00, ¿qué hora es en Tokio?", CALC, "04:00 del día siguiente en Tokio"),
    ("¿Qué día es hoy?", CALC, "lunes, 16 de noviembre de 2026"),
    ("How much can I spend on meals when travelling?", DOCS, "up to 45 euros per day"),
    ("¿Cuánto puedo gastar en comidas durante un viaje?", DOCS, "hasta 45 euros por día"),
    ("How many days of holidays do I have?", DOCS, "25 days of paid holidays"),
    ("¿Cuántos días de vacaciones tengo?", DOCS, "25 días de vacaciones pagadas"),
    ("What does the Team plan cost?", DOCS, "8 euros per user per month"),
    ("¿Cuánto cuesta el plan Empresa?", DOCS, "14 euros por usuario y mes"),
    ("How long are backups kept?", DOCS, "kept for 35 days"),
    ("When is the office open?", DOCS, "between 7:30 and 20:30"),
    ("¿Cuántos días puedo teletrabajar?", DOCS, "hasta tres días por semana"),
    ("What is the hotel limit?", DOCS, "up to 130 euros per night"),
    ("¿Cuál es el límite para hoteles?", DOCS, "hasta 130 euros por noche"),
    ("What are the office hours?", DOCS, "between 7:30 and 20:30"),
    (
        "What are your opening hours?",
        DOCS,
        "The Valencia office is open from Monday to Friday between 7:30 and 20:30.[^1]",
    ),
    ("¿A qué hora cierra la oficina?", DOCS, "between 7:30 and 20:30"),
    ("Can I work from home?", DOCS, "Remote work is possible up to three days"),
    ("¿Puedo trabajar desde casa?", DOCS, "El teletrabajo es posible hasta tres días"),
    ("Who do I call in an emergency?", DOCS, "extension 4400"),
    ("¿A quién llamo en una emergencia?", DOCS, "extensión 4400"),
    ("Do I need a receipt?", DOCS, "Every expense above 10 euros needs a receipt"),
    ("What is the deadline for expense claims?", DOCS, "within 30 days after the expense"),
    ("¿Qué dice la política de viajes sobre los hoteles?", DOCS, "hasta 130 euros por noche"),
    ("¿Cuál es la política sobre mascotas?", DOCS, "Los documentos no dicen"),
    ("cita mañana 10am con Dr. Pérez", AGENDA, "Reservado: Cita con Dr. Pérez, martes, 17 de noviembre de 2026, 10:00"),
    ("Book a meeting with Ana on Friday at 3pm", AGENDA, "Booked: Meeting with Ana, Friday, 20 November 2026, 15:00"),
    ("Agenda una reunión con Luis el jueves a las 11", AGENDA, "Reservado: Reunión con Luis, jueves, 19"),
    ("Am I free tomorrow at 10am?", AGENDA, "Tuesday, 17 November 2026, 10:00–11:00 is free"),
    ("¿Estoy libre el viernes?", AGENDA, "no hay nada reservado"),
    ("What appointments do I have this week?", AGENDA, "There are no appointments"),
    ("¿Qué citas tengo mañana?", AGENDA, "No hay citas"),
    ("cita con Marta", AGENDA, "¿A qué hora?"),
    ("Move my meeting with Bob to Monday 9am", AGENDA, "no coming appointment"),
    ("Put a meeting with the sales team on Thursday at 2pm", AGENDA, "Booked: Meeting with the sales team, Thursday"),
    (
        "Necesito una cita con el dentista el lunes que viene a las 5 de la tarde",
        AGENDA,
        "lunes, 23 de noviembre de 2026, 17:00",
    ),
    ("Do I have anything on Thursday?", AGENDA, "There are no appointments"),
    ("Do I have meetings next week?", AGENDA, "There are no appointments"),
    ("¿Tengo reuniones la semana que viene?", AGENDA, "No hay citas"),
    ("Remind me to call John tomorrow at 9", AGENDA, "Booked: Call with John, Tuesday, 17 November 2026, 09:00"),
    ("Recuérdame llamar a Juan mañana a las 9", AGENDA, "Reservado: Cita con Juan, martes, 17"),
    ("Call on Friday at 3pm with Ana", AGENDA, "Booked: Call with Ana, Friday, 20"),
    ("Table for two tonight at 9, put it in my diary", AGENDA, "Monday, 16 November 2026, 21:00–22:00"),
    ("Cena con Ana esta noche a las 9", AGENDA, "Reservado: Cena con Ana, lunes, 16 de noviembre de 2026, 21:00"),
    ("Pon una reunión con Eva mañana a las 12 y media", AGENDA, "martes, 17 de noviembre de 2026, 12:30–13:30"),
    ("help me book a meeting", AGENDA, "At what time?"),
    ("Can I fly business class?", DOCS, "Flights are booked in economy class"),
    ("¿Puedo cancelar una suscripción anual?", DOCS, "se puede cancelar en 30 días"),
    ("/calc 2^16", CALC, "2^16 = 65,536"),
    ("/docs refund", DOCS, "full refund"),
    ("/agenda hoy", AGENDA, "No hay citas"),
    ("/agenda", AGENDA, "There are no appointments"),
    ("mi agenda de hoy", AGENDA, "No hay citas"),
    ("cita hoy a las 18:00", AGENDA, "Reservado: Cita, lunes, 16 de noviembre de 2026, 18:00"),
    ("cita hoy a las 25:00", AGENDA, "Esa hora no existe"),
    ("cita dentro de una semana a las 10", AGENDA, "Reservado: Cita, lunes, 23 de noviembre de 2026, 10:00"),
    ("cita dentro de dos semanas a las 10", AGENDA, "Reservado: Cita, lunes, 30 de noviembre de 2026, 10:00"),
    ("book a meeting next month at 10", AGENDA, "Which day?"),
    ("cita el mes que viene a las 10", AGENDA, "¿Qué día?"),
    ("Book a meeting with Bob Dec 3 at 10", AGENDA, "Booked: Meeting with Bob, Thursday, 3 December 2026, 10:00"),
    ("What appointments do I have next month?", AGENDA, "There are no appointments"),
    ("¿Qué citas tengo este fin de semana?", AGENDA, "No hay citas"),
]


class Agrees:
    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision.approve("me")


def said(turn: Turn) -> list[AssistantMessage]:
    return [event for event in turn.events if isinstance(event, AssistantMessage)]


@pytest.mark.parametrize(("text", "agent", "words"), PROMPTS)
async def test_a_prompt_gets_a_useful_answer_from_the_right_agent(
    team: Orchestrator, text: str, agent: str, words: str
) -> None:
    turn = await team.run(text, approver=Agrees())
    assert turn.status == "success"
    assert turn.answer is not None
    assert words in turn.answer
    assert said(turn)[-1].source_agent_id == agent
    assert turn.cost == Decimal(0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello!", "- What is 15% of 1,200?"),
        ("hola", "- ¿Cuánto es el 21% de 350?"),
        ("¿Qué sabes hacer?", "**Agenda**: «Cita mañana 10am con Dr. Pérez»"),
        ("thanks", "You are welcome"),
        ("Write me a poem about spring", "outside what the built-in offline model knows"),
        ("Traduce esto al francés", "fuera de lo que sabe"),
        ("What's the weather like in Madrid?", "outside what the built-in offline model knows"),
        ("Envía un correo a Ana", "fuera de lo que sabe"),
        ("¿cómo estás?", "Soy un programa"),
        ("What documents do you have?", "- Travel policy\n"),
        ("¿Qué documentos tienes?", "- Política de viajes\n"),
        ("What is the capital of France?", "outside what the built-in offline model knows"),
        ("what is 100 usd in euros", "I have no exchange rates"),
        ("I want to change my password", "outside what the built-in offline model knows"),
    ],
)
async def test_the_supervisor_answers_small_talk_and_says_what_is_beyond_it(
    team: Orchestrator, text: str, words: str
) -> None:
    turn = await team.run(text)
    assert turn.plan is None
    assert turn.answer is not None
    assert words in turn.answer


async def test_answers_arrive_word_by_word(team: Orchestrator) -> None:
    turn = await team.run("How many days of holidays do I have?")
    words = [event.delta for event in turn.events if isinstance(event, ContentDelta)]
    assert "".join(words) == turn.answer
    assert len(words) > 20


async def test_a_request_of_several_parts_becomes_a_plan_with_dependencies(team: Orchestrator) -> None:
    turn = await team.run("What is 12 times 7 and then multiply that by 10; how many days of holidays do I have?")
    assert turn.plan is not None
    assert [(step.agent_id, len(step.depends_on)) for step in turn.plan.steps] == [(CALC, 0), (CALC, 1), (DOCS, 0)]
    assert turn.answer is not None
    assert turn.answer.splitlines()[:2] == ["- 12 × 7 = 84 [1]", "- 84 × 10 = 840 [2]"]
    assert "25 days of paid holidays" in turn.answer


async def test_the_conclusion_cites_documents_where_its_workers_did_and_results_elsewhere(team: Orchestrator) -> None:
    turn = await team.run("¿Cuánto es 3 más 4 y cuántos días de vacaciones tengo?")
    conclusion = said(turn)[-1]
    assert conclusion.source_agent_id == "supervisor"
    assert turn.plan is not None
    result, document = conclusion.citations
    assert (result.source, result.title) == (turn.plan.steps[0].step_id, "Calculator")
    assert (document.source, document.title) == ("guia-de-bienvenida.md", "Guía de bienvenida")
    assert document.quote in conclusion.content
    first, second = conclusion.content.splitlines()
    assert first.endswith(" [1]")
    assert second.endswith(" [2]")
    assert "[^" not in conclusion.content


async def test_the_documents_agent_cites_file_section_and_line(team: Orchestrator) -> None:
    turn = await team.run("¿Cuánto se paga por kilómetro?")
    [message] = said(turn)
    [citation] = message.citations
    assert (citation.source, citation.title) == ("politica-de-viajes.md", "Política de viajes")
    assert citation.place == "Coche y taxi, l. 21"
    assert citation.quote == "El coche particular se paga a 0,30 euros por kilómetro."


async def test_a_short_question_continues_the_one_before(team: Orchestrator) -> None:
    conversation = Conversation()
    await team.run("What time is it in Madrid?", conversation=conversation)
    turn = await team.run("and in Tokyo?", conversation=conversation)
    assert turn.answer is not None
    assert "In Tokyo it is 18:00" in turn.answer


async def test_an_agent_can_be_asked_directly(team: Orchestrator) -> None:
    turn = await team.run("2 + 2", target_agent_id=CALC)
    assert (turn.answer, turn.mode, turn.plan) == ("2 + 2 = 4", "directed", None)


@pytest.mark.parametrize("agent", [None, DOCS])
@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (
            "How much can I spend on meals when travelling, and how many days of holidays do I have?",
            ("up to 45 euros per day", "25 days of paid holidays"),
        ),
        (
            "¿Cuánto puedo gastar en comidas durante un viaje y cuántos días de vacaciones tengo?",
            ("hasta 45 euros por día", "25 días de vacaciones pagadas"),
        ),
        ("How much can I spend on hotels and meals?", ("up to 130 euros per night", "up to 45 euros per day")),
        ("¿Cuánto puedo gastar en hoteles y comidas?", ("hasta 130 euros por noche", "hasta 45 euros por día")),
    ],
)
async def test_every_part_of_a_question_is_answered_with_a_citation_of_its_own(
    team: Orchestrator, text: str, answers: tuple[str, str], agent: str | None
) -> None:
    turn = await team.run(text, target_agent_id=agent)
    [message] = said(turn)
    assert turn.status == "success"
    assert [words in citation.quote for words, citation in zip(answers, message.citations, strict=True)] == [True, True]
    assert "[^1]\n\n" in message.content
    assert "[^2]: " in message.content


@pytest.mark.parametrize(
    ("text", "found", "missing"),
    [
        (
            "How many days of holidays do I have and can I bring my dog?",
            "25 days of paid holidays",
            "The documents do not say anything about this part: “can I bring my dog”.",
        ),
        (
            "¿Cuántos días de vacaciones tengo y puedo traer a mi perro?",
            "25 días de vacaciones pagadas",
            "Los documentos no dicen nada sobre esta parte: «puedo traer a mi perro».",
        ),
    ],
)
async def test_the_part_of_a_question_that_no_document_answers_is_named(
    team: Orchestrator, text: str, found: str, missing: str
) -> None:
    turn = await team.run(text)
    [message] = said(turn)
    assert found in message.content
    assert missing in message.content
    assert len(message.citations) == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Suma 12 y 30 y luego divídelo entre 4", ["12 + 30 = 42", "42 ÷ 4 = 10,5"]),
        ("Multiplica 6 por 7, luego réstale 2 y después súmale 10", ["6 × 7 = 42", "42 - 2 = 40", "40 + 10 = 50"]),
        ("Add 12 and 30 and then divide it by 4", ["12 + 30 = 42", "42 ÷ 4 = 10.5"]),
    ],
)
async def test_a_chain_of_sums_goes_on_from_each_result(team: Orchestrator, text: str, lines: list[str]) -> None:
    turn = await team.run(text)
    assert turn.answer is not None
    assert turn.answer.splitlines() == [f"- {line} [{number}]" for number, line in enumerate(lines, 1)]


@pytest.mark.parametrize(
    "talk",
    [
        [("What is 12 + 30?", "= 42"), ("divide it by 4", "42 ÷ 4 = 10.5"), ("and then double it", "10.5 × 2 = 21"),
         ("times 2", "21 × 2 = 42")],
        [("¿Cuánto es 12 más 30?", "= 42"), ("divídelo entre 4", "= 10,5"), ("y súmale 5", "10,5 + 5 = 15,5"),
         ("menos 2,5", "15,5 - 2,5 = 13")],
        [("Book a meeting with Ana tomorrow at 10", "Booked"),
         ("actually make it 11am", "17 November 2026, 11:00–12:00"),
         ("change it to Friday", "Moved: Meeting with Ana is now on Friday, 20"), ("cancel it", "Cancelled")],
        [("mañana a las 10 con Marta", "Reservado"), ("muévela al viernes", "pasa a viernes, 20"),
         ("cancélala", "Cancelado")],
    ],
)  # fmt: skip
async def test_a_talk_goes_on_from_what_was_said_before(team: Orchestrator, talk: list[tuple[str, str]]) -> None:
    conversation = Conversation()
    for text, words in talk:
        turn = await team.run(text, conversation=conversation, approver=Agrees())
        assert turn.answer is not None
        assert words in turn.answer
