"""An order is told from a question, a report and a prohibition, in both languages."""

import pytest

from batuta.agents.appointments.understanding import UNDERSTANDING as AGENDA
from batuta.language.stance import stance_of, without_reason
from batuta.language.understanding import Intent

ORDERS = """
cancel my meeting with Ana | cancela mi reunión con Ana
could you move the dentist to Friday, at 5? | ¿me apuntas el oculista, el jueves 26 a las 10:40?
can you cancel my meeting? | ¿me cancelas la reunión?
could you pls schedule a call with the bank | puedes porfa agendar una llamada con el banco
could we move the lunch to 2pm | podemos mover la comida a las 14h
lunch with Ana on Friday at 1 | comida con Ana el viernes a las 13h
I can't make it, please cancel the call | no puedo ir, anula la llamada
the call with Luis has to be an hour later | la llamada con Luis tiene que ser una hora más tarde
gym the 3rd of December at 5 | cena la noche del 3 de diciembre a las 9
call the bank tomorrow at 9 | recoger el coche el jueves a las 17h
don't forget to book the dentist | no olvides reservar el dentista
the meeting was too early, move it to 11 | la reunión era muy pronto, pásala a las 11
"""
QUESTIONS = """
did I cancel my meeting with Ana? | ¿cancelé mi reunión con Ana?
how do I cancel an appointment? | ¿cómo se cancela una cita?
should I move the call to Friday? | ¿debería mover la llamada al viernes?
can appointments be moved? | ¿se pueden mover las citas?
why was my meeting cancelled? | ¿por qué se canceló mi reunión?
"""
REPORTS = """
I already booked the dentist | ya reservé el dentista
the meeting with Ana was great | la reunión con Ana fue genial
Ana moved the call yesterday | Ana movió la llamada ayer
"""
REFUSALS = """
don't cancel my meeting | no canceles mi reunión
please do not move anything | por favor no muevas nada
I don't want to cancel it | no quiero cancelarla
make sure you don't move the call with Tom | asegúrate de no mover la llamada con Tom
"""
UNCLEAR = """
Pedro has a meeting with Ana on Friday at ten | Pedro tiene una reunión con Ana el viernes a las diez
I can't make it to lunch with Marta | no puedo ir a la comida con Marta
cancel the dentist, or should I wait? | cancela el dentista, ¿o mejor espero?
if it rains, cancel the dentist | si llueve, cancela el dentista
she told me this: cancel the dentist | me dijo esto: cancela el dentista
book the dentist on Monday, no, never mind | reserva el dentista el lunes, no, déjalo
"""
NOT_ORDERED = """
I was going to book a call with Paco at 9 | iba a poner una llamada con Paco a las 9
I wish I could move the meeting to next month | ojalá pudiera mover la reunión al mes que viene
Ana wrote: "please cancel our meeting". What now? | Ana me escribió: «por favor cancela la reunión». ¿Y ahora qué?
move the demo when Tom tells you to | pasa la demo al lunes cuando te lo diga Tom
postpone the demo unless Tom is here | aplaza la demo a no ser que venga Tom
rewrite this note: move the demo to Monday and book a room | traduce esta nota: pasa la demo al lunes y reserva una sala
Tom asked: can you move the demo to Monday? | Tom pregunta: ¿puedes pasar la demo al lunes?
suppose I moved the call to Thursday | supongamos que muevo la llamada al jueves
do you remember when we moved the call to Friday | te acuerdas de cuando movimos la llamada al viernes
can you believe that Ana cancelled our meeting? | ¿puedes creer que Ana canceló la reunión?
skip yoga tomorrow at 7 | sáltate yoga mañana a las 7
my husband has the dentist on Thursday at 12 | mi marido tiene dentista el jueves a las 12
smash the meeting with Bob tomorrow at 10 | sacude la reunión con Bob mañana a las 10
could you water my plants | me puedes regar las plantas
lunch with Ana on Friday at 1? | ¿comida con Ana el viernes a las 13h?
"""
"""However it is called, it is no order."""


@pytest.mark.parametrize(
    "text", [text.strip() for line in NOT_ORDERED.strip().splitlines() for text in line.split("|")]
)
def test_what_is_not_proven_is_no_order(text: str) -> None:
    assert stance_of(text) != "order"


@pytest.mark.parametrize(
    "intent", [intent for intent in AGENDA.intents if intent.effect == "change"], ids=lambda intent: intent.id
)
def test_every_example_of_a_change_is_an_order(intent: Intent) -> None:
    """What a specialist teaches as a change can be done at once."""
    assert [text for texts in intent.examples.values() for text in texts if stance_of(text) != "order"] == []


@pytest.mark.parametrize(
    ("stance", "text"),
    [
        (stance, text.strip())
        for stance, table in (
            ("order", ORDERS),
            ("question", QUESTIONS),
            ("report", REPORTS),
            ("refusal", REFUSALS),
            ("unclear", UNCLEAR),
        )
        for line in table.strip().splitlines()
        for text in line.split("|")
    ],
)
def test_what_a_sentence_does(stance: str, text: str) -> None:
    assert stance_of(text) == stance


@pytest.mark.parametrize("text", ["could you water my plants", "riega la orquídea mañana"])
def test_a_verb_that_a_specialist_brings_orders_too(text: str) -> None:
    """A-41: verbs of change come from examples as well; without them such a sentence is asked about."""
    assert (stance_of(text), stance_of(text, frozenset(("water", "riega")))) == ("unclear", "order")


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("cancela la cita de mañana que estoy malo", "cancela la cita de mañana"),
        ("cancela la cita de mañana, no puedo ir", "cancela la cita de mañana"),
        ("quita lo del dentista del jueves que me han llamado para un turno", "quita lo del dentista del jueves"),
        ("pasa lo de Luis al viernes a las 5 porque el miércoles hago doblete", "pasa lo de Luis al viernes a las 5"),
        ("cancel tomorrow's meeting, I'm on nights", "cancel tomorrow's meeting"),
        ("can you scrap Thursday's dentist, got called in for a shift", "can you scrap Thursday's dentist"),
        ("move Luis to Friday 5pm because Wednesday I'm doing a double", "move Luis to Friday 5pm"),
    ],
)
def test_an_order_is_read_without_the_reason_behind_it(text: str, order: str) -> None:
    assert without_reason(text) == order


@pytest.mark.parametrize(
    "text",
    [
        "cancela la cita que tengo mañana", "cancela la cita de mañana que tengo con Ana", "cancela la reunión, no la comida",
        "cancela la cita del jueves que tengo a las 10", "cancela lo de mañana, me refiero a la comida", "dile a Ana que estoy malo",
        "cancela la cita del martes, ya la he cancelado yo", "cancela la cita de mañana, no sé", "cancel the dentist, I mean the lunch",
        "cancel tomorrow's meeting if I'm ill", "cancel the dentist, I already cancelled it", "cancel the meeting, my one with Ana",
        "move Luis to Friday because he can only do 5pm", "I cancelled the meeting because I was ill", "don't cancel it because I'm ill",
    ],
)  # fmt: skip
def test_what_may_be_more_than_a_reason_stays(text: str) -> None:
    """Which one is meant, a time, a correction, a condition, another change."""
    assert without_reason(text) == text


@pytest.mark.parametrize("text", ["cancel the dentist, I mean the lunch", "cancela el dentista, digo la comida"])
def test_an_order_that_is_corrected_is_not_carried_out(text: str) -> None:
    assert stance_of(text) == "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "I cancelled the dentist and put it on Friday at 10", "we have moved the demo and set it for Monday",
        "Ana called and put the lunch on Thursday at 2",
    ],
)  # fmt: skip
def test_a_report_may_go_on_with_a_verb_that_could_order(text: str) -> None:
    assert stance_of(text) == "unclear"


def test_an_order_after_a_report_is_an_order() -> None:
    assert stance_of("Ana called, please put the lunch on Thursday at 2") == "order"
