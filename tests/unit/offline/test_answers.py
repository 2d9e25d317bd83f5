"""What the built-in model says: from results and from nothing else (A-40, O-26)."""

import json
import re

import pytest

from batuta.offline.answers import summary_of
from tests.unit.offline.asking import asked, request, told

PASSAGES = {
    "passages": [
        {
            "file": "expenses.md",
            "title": "Expenses",
            "section": "Meals",
            "place": "Meals, line 5",
            "relevance": 0.9,
            "text": "Keep every receipt.\nMeals are paid up to 40 euros a day. Alcohol is not paid.",
        },
        {"file": "other.md", "place": "line 1", "relevance": 0.1, "text": "Meals are served at noon."},
    ]
}


async def test_a_calculation_is_told_with_its_result() -> None:
    assert await told("2+2?", "4", "calculate", args={"expression": "2 + 2"}) == "2 + 2 = 4"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What time is it in Tokyo?", "In Asia/Tokyo it is 18:05 on Monday, 16 November 2026."),
        ("¿Qué hora es en Tokio?", "En Asia/Tokyo son las 18:05 del lunes, 16 de noviembre de 2026."),
    ],
)
async def test_a_time_is_told_in_the_language_of_the_request(text: str, answer: str) -> None:
    result = {"time": "2026-11-16T18:05:00+09:00", "weekday": "Monday", "zone": "Asia/Tokyo"}
    assert await told(text, json.dumps(result)) == answer


async def test_a_result_that_says_itself_in_both_languages_is_quoted() -> None:
    result = json.dumps({"summary": {"en": "It is free.", "es": "Está libre."}, "noise": 1})
    assert await told("is it free?", result) == "It is free."
    assert await told("¿está libre?", result) == "Está libre."
    spanish_first = json.dumps({"summary": {"es": "No hay citas.", "en": "There are none."}})
    assert await told("/agenda", spanish_first) == "No hay citas."
    assert await told("my agenda", spanish_first) == "There are none."


async def test_other_facts_are_listed() -> None:
    assert (
        await told("show it", '{"open_orders": 3, "note": "", "lines": [{"sku": "A"}]}')
        == "- open orders: 3\n- lines: sku: A"
    )
    assert await told("show it", "[]") == "I found nothing."


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ("calculate failed: division by zero", "I could not do that: division by zero"),
        ("book was not approved", "I have not done it, because it was not approved."),
        ("book was not approved: too late", "I have not done it, because it was not approved: too late"),
    ],
)
async def test_a_failure_is_told_as_one(result: str, answer: str) -> None:
    assert await told("do it", result, is_error=True) == answer


async def test_an_answer_from_passages_quotes_the_sentence_that_says_it() -> None:
    answer = await told("How much is paid for meals?", json.dumps(PASSAGES))
    assert answer == (
        'Meals are paid up to 40 euros a day.[^1]\n\n[^1]: expenses.md, Meals: "Meals are paid up to 40 euros a day."'
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "How much is paid for pets?",
            "The documents do not say anything about that, and without a language model I know nothing else.",
        ),
        (
            "When are meals paid?",
            "The documents do not say anything about that, and without a language model I know nothing else.",
        ),
        (
            "¿Cuánto se paga por mascotas?",
            "Los documentos no dicen nada sobre eso, y sin un modelo de lenguaje no sé nada más.",
        ),
    ],
)
async def test_passages_that_do_not_say_it_are_not_made_to(text: str, answer: str) -> None:
    assert await told(text, json.dumps({"passages": PASSAGES["passages"][1:]})) == answer


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "Ref | Name | Price\nRef: R-6204 | Name: Bearing | Price: 8.4\nRef: R-6305 | Name: Bearing | Price: 14.9",
            "How much is the bearing R-6305?",
            "Ref: R-6305 | Name: Bearing | Price: 14.9",
        ),
        (
            "4. Penalty. For each day of delay the supplier pays 0.5 %.\n5. Warranty. It lasts 24 months.",
            "What is the penalty?",
            "For each day of delay the supplier pays 0.5 %.",
        ),
        (
            "The workshop opens at 7:00 and closes at 15:30. Fridays end at 14:00. Bring your own lunch.",
            "At what time does the workshop close on Fridays?",
            "The workshop opens at 7:00 and closes at 15:30.[^1] Fridays end at 14:00.",
        ),
        (
            "El taller abre a las 7:00 y cierra a las 15:30. Los viernes acaba a las 14:00.",
            "¿A qué hora cierra el taller los viernes?",
            "El taller abre a las 7:00 y cierra a las 15:30.[^1] Los viernes acaba a las 14:00.",
        ),
    ],
    ids=["a row of a table", "a labelled clause", "a topic in the next sentence", "in Spanish"],
)
async def test_an_answer_is_the_part_of_a_passage_that_has_what_is_asked(text: str, question: str, answer: str) -> None:
    """A-10: not the whole table, not the label of a clause, and nothing that was asked is left out."""
    passage = {"file": "a.pdf", "title": "Papers", "section": "", "relevance": 0.9, "text": text}
    said, _, _ = (await told(question, json.dumps({"passages": [passage]}))).partition("\n\n")
    assert re.sub(r"\[\^\d\]$", "", said) == answer


@pytest.mark.parametrize(
    "question",
    ["What does the supply agreement say about pets?", "¿Qué dice el supply agreement sobre las mascotas?"],
)
async def test_what_a_document_says_about_something_else_is_no_answer(question: str) -> None:
    text = "This supply agreement is governed by the law of England."
    passage = {"file": "a.pdf", "title": "Supply agreement", "section": "", "relevance": 0.9, "text": text}
    assert "England" not in await told(question, json.dumps({"passages": [passage]}))


@pytest.mark.parametrize(
    ("question", "is_said"),
    [("What does the guide say about safety training?", True), ("What does the guide say about safety shoes?", False)],
)
async def test_what_is_asked_about_is_known_by_its_other_names(question: str, is_said: bool) -> None:
    passage = {
        "file": "guide.md", "title": "Guide", "section": "First week", "relevance": 0.9,
        "text": "Finish the safety course before Wednesday.",
    }  # fmt: skip
    said = await told(question, json.dumps({"passages": [passage]}))
    assert ("Wednesday" in said) is is_said


async def test_a_conclusion_cites_each_result_and_says_what_is_missing() -> None:
    prompt = (
        "The request: What is 2+2, and then book it\n\nResults of earlier steps:\n"
        "Result 1, Calculator (What is 2+2): 2+2 = 4 [1]\nResult 2, Agenda (book it): (failed) the calendar is closed"
    )
    answer = await asked(request(prompt, system="Write the answer to the request from the results."))
    assert answer.text == "- 2+2 = 4 [1]\n- book it: not done (the calendar is closed)"


ASKED_TWO = "The request: {text}\n\nResults of earlier steps:\nResult 1, Documents ({text}): {first}\nResult 2, ERP ({text}): {second}"
NOT_IN_THEM = "The documents do not say anything about that, and without a language model I know nothing else. [1]"
NOT_KNOWN = (
    "I do not know what “happened 4471” means here, and a figure without it might be the wrong one. Could you say it in other "
    "words? [2]"
)


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ("Order 4471 is held at customs. [1]", NOT_KNOWN, "Order 4471 is held at customs. [1]"),
        ("Orders are shipped on Mondays. [1]", NOT_KNOWN, NOT_KNOWN.removesuffix(" [2]")),
        (NOT_IN_THEM, NOT_KNOWN, NOT_KNOWN.removesuffix(" [2]")),
        (NOT_IN_THEM, "Order 4471: open. [2]", "Order 4471: open. [2]"),
    ],
)
async def test_of_two_that_were_asked_the_same_the_one_that_knows_answers(first: str, second: str, answer: str) -> None:
    """A document counts that has the words which the other agent did not understand."""
    prompt = ASKED_TWO.format(text="what happened with order 4471?", first=first, second=second)
    assert (await asked(request(prompt))).text == answer


async def test_a_conclusion_keeps_the_sources_of_a_result() -> None:
    prompt = "The request: x\n\nResults of earlier steps:\nResult 1, Documents (x): Forty. [1] Or fifty. [2]"
    answer = await asked(request(prompt))
    assert answer.text == "- Forty. [1] Or fifty. [2]"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What is the limit for meals on business trips abroad please?", "Limit for meals on business trips abroad"),
        ("¿Cuánto es el 21% de 350?", "21% de 350"),
        ("", "Conversation"),
        ("x" * 500, "X" + "x" * 59),
    ],
)
async def test_a_title_is_a_few_words_of_the_request(text: str, title: str) -> None:
    answer = await asked(request(text, system="Give this conversation a short title."))
    assert answer.text == title


def test_a_summary_ends_with_a_whole_sentence() -> None:
    text = "One sentence. " * 80
    assert summary_of(text).endswith("sentence.")
    assert len(summary_of(text)) <= 600
