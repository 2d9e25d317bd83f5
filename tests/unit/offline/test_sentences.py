"""The table of sentences, asked of the built-in model as its team would ask it (A-40): 0 wrong actions."""

from decimal import Decimal

import pytest

from batuta.agents.graphing.understanding import UNDERSTANDING as CHARTS
from batuta.kernel.messages import Message
from batuta.language import Understanding
from batuta.language.interpretation import interpreter_for
from batuta.offline.context import DialogueContext
from batuta.offline.planning import Planner
from batuta.offline.requests import Task
from batuta.tools.builtin.calculator import calculated
from tests.unit.language.test_understanding import UNDERSTANDING as BUSINESS
from tests.unit.offline.asking import NOW, TEAM
from tests.unit.offline.sentences import TABLES, rows

EVERYBODY = (*TEAM, Understanding(agent_id="graphing_agent", name="Charts", intents=CHARTS.intents), BUSINESS[0])
CHANGES = {"create", "move", "cancel", "post_invoice"}
LEAST_RIGHT = 0.97

Outcome = tuple[str, str]
"""Who does it, and which of its intents; ("answer", words) where the built-in model answers itself."""


def outcome(text: str, expected: str = "") -> Outcome:
    """What becomes of a sentence: after figures have been shown, where it is about a chart."""
    has_figures = expected.startswith("graphing_agent")
    context = (
        DialogueContext(request="sales by country", answer="Sales (dataset `sales`)")
        if has_figures
        else DialogueContext()
    )
    decision = Planner(EVERYBODY, NOW).decision(Task(text=text), context)
    if "answer" in decision:
        return "answer", decision["answer"]
    step = decision["steps"][-1]
    own = [each for each in EVERYBODY if each.agent_id == step["agent_id"]]
    meant = interpreter_for(own).interpret(step["task"], now=NOW)[0]
    return step["agent_id"], meant.intent.id


def is_right(expected: str, got: Outcome, text: str, value: str | None) -> bool:
    if expected.startswith("answer:"):
        is_refusal = got[1].startswith(("I cannot answer", "No puedo responder"))
        return got[0] == "answer" and is_refusal == expected.endswith("refusal")
    if value is not None and got == ("calculator_agent", "calculate"):
        [own] = [each for each in EVERYBODY if each.agent_id == "calculator_agent"]
        meant = interpreter_for([own]).interpret(text, now=NOW)[0]
        return Decimal(calculated(str(meant.values["expression"])).split()[0]) == Decimal(value)
    return "/".join(got) == expected


def test_the_table_is_large_and_covers_every_specialist() -> None:
    assert len(rows()) // 2 >= 300
    assert {key.partition("/")[0] for key in TABLES} >= {each.agent_id for each in TEAM} | {"graphing_agent"}


def test_nearly_every_sentence_is_understood() -> None:
    wrong = [
        (expected, text, got)
        for expected, text, value in rows()
        if not is_right(expected, got := outcome(text, expected), text, value)
    ]
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(rows()), wrong


def test_no_sentence_leads_to_an_action_that_was_not_asked_for() -> None:
    """A change where none was asked for, or another than was asked for, is worse than a refusal."""
    wrong = [
        (text, got)
        for expected, text, _ in rows()
        if (got := outcome(text, expected))[1] in CHANGES and "/".join(got) != expected
    ]
    assert wrong == []


@pytest.mark.parametrize(("first", "then"), [("book a meeting with Ana tomorrow at 10", "thanks!"), ("hola", "ok")])
def test_kind_words_change_nothing(first: str, then: str) -> None:
    messages = [Message.user(first), Message.assistant("Booked.")]
    context = DialogueContext(request=messages[0].text, answer=messages[1].text)
    assert "answer" in Planner(EVERYBODY, NOW).decision(Task(text=then), context)
