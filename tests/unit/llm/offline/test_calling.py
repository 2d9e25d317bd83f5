"""The built-in model as worker: which tool, with which arguments (A-40, O-25)."""

import json
from typing import Any

import pytest

from batuta.kernel.messages import Message, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest, ToolSpec
from tests.unit.llm.offline.asking import TOOLS, asked, called


def tool(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description,
        schema={"type": "object", "properties": properties, "required": list(required)},
    )


CHECK = tool(
    "check_availability",
    "Check an appointment before it is made or moved.",
    ("request",),
    request={"type": "string", "description": "The appointment in the user's words."},
)
BOOK = tool(
    "create_appointment",
    "Create an appointment, for example «cita mañana 10am con Dr. Pérez».",
    ("title", "start"),
    title={"type": "string", "description": "As `check_availability` gives it."},
    start={"type": "string", "format": "date-time", "description": "As `check_availability` gives it."},
)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("What is 15% of 1,200?", ("calculate", {"expression": "15 / 100 * 1200"})),
        ("¿Cuánto es 3 más 4?", ("calculate", {"expression": "3 + 4"})),
        ("What time is it in Tokyo?", ("current_time", {"zone": "Asia/Tokyo"})),
        ("¿qué hora es?", ("current_time", {})),
    ],
)
async def test_the_tool_that_fits_is_called_with_what_the_message_says(text: str, call: Any) -> None:
    assert await called(text) == [call]


async def test_each_place_gets_a_call_of_its_own() -> None:
    calls = await called("What time is it in London and Tokyo?")
    assert [args["zone"] for _, args in calls] == ["Europe/London", "Asia/Tokyo"]


async def test_each_sum_gets_a_call_of_its_own() -> None:
    calls = await called("What is 10 plus 5, and 3 times 4?")
    assert calls == [("calculate", {"expression": "10 + 5"}), ("calculate", {"expression": "3 * 4"})]


async def test_a_required_tool_is_called_even_for_what_no_tool_fits() -> None:
    assert len(await called("Lorem ipsum")) == 1


async def test_a_required_tool_that_needs_nothing_is_not_called_to_answer_what_nobody_asked() -> None:
    """The clock could be called without an argument, but "foo bar" does not ask for the time."""
    assert await called("foo bar", *reversed(TOOLS)) == [("calculate", {"expression": "foo bar"})]


async def test_each_question_gets_a_call_of_its_own() -> None:
    search = tool("search", "Search documents.", ("query",), query={"type": "string", "description": "The question."})
    text = "How much are meals, and how many holidays do I have? What about badges and pets?"
    parts = ["How much are meals", "how many holidays do I have?", "What about badges and pets?"]
    assert [args["query"] for _, args in await called(text, search)] == parts


async def test_questions_beyond_what_may_be_asked_at_once_stay_together() -> None:
    search = tool("search", "Search documents.", ("query",), query={"type": "string", "description": "The question."})
    calls = await called("what is a1a? what is b1b? what is c1c? what is d1d? what is e1e?", search)
    assert [args["query"] for _, args in calls][-1] == "what is d1d? what is e1e?"


async def test_a_booking_is_not_divided_into_questions() -> None:
    text = "can you book a meeting with Ana tomorrow at 10, and can you tell me whether Friday is free?"
    assert await called(text, BOOK, CHECK) == [("check_availability", {"request": text})]


async def test_without_need_nothing_is_called_that_does_not_fit() -> None:
    assert await called("Lorem ipsum", tool_choice="auto") == []


async def test_no_tool_is_called_when_none_may_be() -> None:
    assert await called("What is 2 + 2?", tool_choice="none") == []


async def test_a_tool_that_a_parameter_names_is_called_first() -> None:
    text = "cita mañana 10am con Dr. Pérez"
    assert await called(text, BOOK, CHECK) == [("check_availability", {"request": text})]


async def after_check(result: str, *, is_error: bool = False) -> list[tuple[str, dict[str, Any]]]:
    call = ToolCallBlock(id="1", name="check_availability", args={"request": "cita mañana"})
    outcome = ToolResultBlock(tool_use_id="1", tool_name="check_availability", content=result, is_error=is_error)
    messages = (Message.user("cita mañana 10am"), Message.assistant([call]), Message.tool([outcome]))
    answer = await asked(ModelRequest(messages=messages, tools=(BOOK, CHECK)))
    return [(call.name, call.args) for call in answer.tool_calls]


async def test_a_result_that_names_the_next_tool_is_followed_with_its_values() -> None:
    facts = {"next_tool": "create_appointment", "title": "Cita", "start": "2026-11-16T10:00:00+01:00"}
    assert await after_check(json.dumps(facts)) == [
        ("create_appointment", {"title": "Cita", "start": "2026-11-16T10:00:00+01:00"})
    ]


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        ('{"next_tool": "create_appointment", "title": "Cita"}', False),
        ('{"next_tool": "delete_everything", "title": "Cita"}', False),
        ('{"title": "Cita"}', False),
        ("no JSON", False),
        ('{"next_tool": "create_appointment", "title": "Cita", "start": "2026-11-16T10:00:00Z"}', True),
    ],
)
async def test_a_result_without_what_the_next_tool_needs_ends_the_work(result: str, is_error: bool) -> None:
    assert await after_check(result, is_error=is_error) == []


async def test_that_means_the_result_of_the_step_before() -> None:
    text = "multiply that by 3\n\nResults of earlier steps:\n[1] Calculator: 2+2 = 4"
    assert await called(text) == [("calculate", {"expression": "4 * 3"})]


async def test_values_are_taken_by_the_kind_a_parameter_speaks_of() -> None:
    remind = tool(
        "remind",
        "Remind somebody.",
        ("whom", "priority"),
        whom={"type": "string", "description": "The person to remind."},
        delay_minutes={"type": "integer"},
        priority={"type": "string", "enum": ["low", "high"]},
        title={"type": "string"},
    )
    [(_, args)] = await called('remind me with Ana in 2 hours about "the offer", high priority', remind)
    assert args == {"whom": "Ana", "delay_minutes": 120, "priority": "high", "title": "the offer"}


async def test_calls_of_different_requests_have_different_ids_and_the_same_request_the_same() -> None:
    asked_for = [ModelRequest(messages=(Message.user(text),), tools=TOOLS) for text in ("2+2", "2+2", "2+3")]
    first, again, other = [(await asked(each)).tool_calls[0].id for each in asked_for]
    assert first == again != other
