"""An order is told from a question, a report and a prohibition, in both languages."""

import pytest

from batuta.language.stance import stance_of

ORDERS = """
cancel my meeting with Ana | cancela mi reunión con Ana
can you cancel my meeting? | ¿me cancelas la reunión?
could we move the lunch to 2pm | podemos mover la comida a las 14h
lunch with Ana on Friday at 1 | comida con Ana el viernes a las 13h
I can't make it, please cancel the call | no puedo ir, anula la llamada
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
"""


@pytest.mark.parametrize(
    ("stance", "text"),
    [
        (stance, text.strip())
        for stance, table in (("order", ORDERS), ("question", QUESTIONS), ("report", REPORTS), ("refusal", REFUSALS))
        for line in table.strip().splitlines()
        for text in line.split("|")
    ],
)
def test_what_a_sentence_does(stance: str, text: str) -> None:
    assert stance_of(text) == stance
