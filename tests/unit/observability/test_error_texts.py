"""Errors say what kind they are and where they happened; what somebody said stays out of logs and spans (T-24)."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import structlog
from pydantic import BaseModel

from batuta import AgentStep, Context, Pipeline, step, tool
from batuta.events import EventSink
from batuta.kernel.clock import SystemClock
from batuta.kernel.errors import DeadlineExceededError, ProviderRejectedError, Rejected
from batuta.observability.error_texts import told_stack, told_text
from batuta.observability.redaction import Redactor
from batuta.testing import Reply, ScriptedModel, ToolCall
from tests.support.outlets import Outlets

SAID = "my husband Ramiro has leukaemia"
WORDS = ("Ramiro", "leukaemia", "husband")


class Quick(SystemClock):
    """Nobody waits."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@pytest.fixture(params=[False, True], ids=["default", "content"])
def has_content(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def outlets(*, has_content: bool) -> Iterator[Outlets]:
    seen = Outlets()
    with seen.logging(Redactor(has_content=has_content)):
        yield seen


class Booking(BaseModel):
    """What an agent answers."""

    day: int


def refuse(text: str) -> NoReturn:
    raise ValueError(f"cannot parse {text!r}\n  and more of {text}")


@step
async def parse(text: str) -> str:
    log = logging.getLogger("shop")
    try:
        refuse(text)
    except ValueError as error:
        error.add_note(f"while reading {text}")
        log.exception("parsing failed")
        log.warning("tried in vain: %s", error)
        log.warning("tried %(how)s", {"how": error})
        log.warning("seen %r", error)
        structlog.get_logger("shop").warning("again", error=error, failure=error)
        raise LookupError(f"nothing for {text}") from error


async def strict(booking: Booking, ctx: Context) -> None:
    raise Rejected(f"{SAID} is no reason", hint=f"ask about {SAID}")


async def everything_fails(text: str, sink: EventSink) -> None:
    @tool(effect="read")
    async def look_up(query: str) -> str:
        """Find something."""
        raise ValueError(f"no row for {query}")

    async def run(name: str, work: Any) -> None:
        await Pipeline(name, work).run(text, sink=sink, clock=Quick())

    def agent(name: str, replies: list[Any], **options: Any) -> Any:
        return AgentStep(name=name, model=ScriptedModel(replies), instructions="", **{"output": str, **options})

    refused = ProviderRejectedError(f"openai answered 400: invalid message: {text}", status=400)
    await run("refused", agent("a", [refused]))
    await run("stood-in", agent("b", [refused], fallback=agent("c", [Reply("fine")])))
    await run("tool", agent("d", [Reply(tool_calls=[ToolCall("look_up", {"query": text})]), refused], tools=[look_up]))
    await run("unknown", agent("e", [Reply(tool_calls=[ToolCall(text, {"q": text})]), Reply("x")], tools=[look_up]))
    await run("wrong", agent("f", [Reply(json.dumps({"day": text}))] * 3, output=Booking))
    await run("rejected", agent("g", [Reply('{"day": 1}')] * 3, output=Booking, validate=strict))
    await run("parse", parse)


async def observed(outlets: Outlets, *, has_content: bool) -> None:
    with outlets.watching(has_content=has_content) as channel:
        await everything_fails(SAID, channel)


async def test_errors_that_quote_what_was_said_do_not_tell_it(outlets: Outlets, *, has_content: bool) -> None:
    await observed(outlets, has_content=has_content)
    assert outlets.raw_text().count(SAID) > 30, "it went through the runs in many ways"
    found = {where: [word for word in WORDS if word in text] for where, text in outlets.texts().items()}
    if has_content:
        assert found["logs"]
        assert found["spans"], "whoever asks for contents gets the words of errors, too"
    else:
        assert found == {"logs": [], "spans": [], "metrics": [], "console": []}


@pytest.mark.parametrize("has_content", [False])
async def test_operators_still_see_what_kind_of_error_it_was(outlets: Outlets, *, has_content: bool) -> None:
    await observed(outlets, has_content=has_content)
    failed = outlets.logged("agent_execution_failed")[0]
    assert (failed["error_type"], failed["error_category"]) == ("ProviderRejectedError", "permanent")
    assert failed["error_message"].startswith("answered 400")
    assert 'File "' in failed["stack_trace"]
    assert "ProviderRejectedError" in failed["stack_trace"]
    rejected = outlets.logged("attempt_rejected")[0]
    assert rejected["message"].startswith("day: Input should be a valid integer")
    [raised] = outlets.logged("parsing failed")
    assert raised["exception_type"] == "ValueError"
    assert "in parse" in raised["exception"]
    statuses = [span.status.description or "" for span in outlets.spans.get_finished_spans()]
    assert any(said.startswith("answered 400") for said in statuses)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[Errno 111] Connect call failed ('127.0.0.1', 5432)", "[Errno 111] … Connect call failed"),
        ("openai answered 429: slow down, Ramiro", "answered 429"),
        ("503 from the provider: overloaded", "503 … overloaded"),
        ("anthropic did not answer in time", "did not answer in time"),
        ("no complete answer within 30 s (ModelSettings.timeout)", "no complete answer within 30 s … timeout"),
        ("items.0.price: Input should be greater than 0", "items.0.price: Input should be greater than 0"),
        ("Expecting value: line 1 column 1 (char 0)", "Expecting value … line 1 column 1"),
    ],
)
def test_a_text_is_told_by_what_it_says_went_wrong(text: str, told: str) -> None:
    assert told_text(text) == f"{told} [of {len(text)} characters]"


@pytest.mark.parametrize("text", ["LLM_TIMEOUT", "CircuitOpenError", "recovered", ""])
def test_names_of_errors_are_told(text: str) -> None:
    assert told_text(text) == text


@pytest.mark.parametrize("text", [SAID, "Ramiro", "I paid 450 euros in 2024", "x" * 5_000])
def test_of_other_words_only_the_length_is_told(text: str) -> None:
    assert told_text(text) == f"[{len(text)} characters]"


def test_sentences_that_are_ours_are_told_whole() -> None:
    redactor = Redactor()
    said = "it did not answer within 5 s"
    assert redactor.exception(DeadlineExceededError(said)) == f"DeadlineExceededError: {said}"
    assert redactor.fields({"code": "DEADLINE_EXCEEDED", "message": said})["message"] == said

    class TooSlowError(DeadlineExceededError):
        """Somebody else's class of the kind."""

    assert redactor.exception(TooSlowError(SAID)) == f"TooSlowError: [{len(SAID)} characters]"


def test_a_stack_as_text_keeps_places_and_types() -> None:
    stack = (
        "Traceback (most recent call last):\n"
        '  File "/app/shop.py", line 3, in read\n'
        f"    raise ValueError('{SAID}')\n"
        f"shop.errors.ParseError: {SAID}\n{SAID}\n"
    )
    assert told_stack(stack).splitlines() == [
        "Traceback (most recent call last):",
        '  File "/app/shop.py", line 3, in read',
        "shop.errors.ParseError",
    ]


@pytest.mark.parametrize("has_content", [False])
async def test_a_task_nobody_asked_about_does_not_tell_its_exception(outlets: Outlets, *, has_content: bool) -> None:
    async def fail() -> None:
        raise ValueError(SAID)

    task = asyncio.ensure_future(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    assert "Task exception was never retrieved" in outlets.logs.getvalue()
    assert "Ramiro" not in outlets.logs.getvalue()


@pytest.mark.parametrize("has_content", [False])
def test_groups_of_exceptions_tell_their_kinds(outlets: Outlets, *, has_content: bool) -> None:
    group = ExceptionGroup(SAID, [ValueError(SAID), ConnectionError("connection refused")])
    logging.getLogger("shop").error("both", exc_info=group)
    [line] = outlets.logged("both")
    assert "ExceptionGroup" in line["exception"]
    assert "ConnectionError: connection refused" in line["exception"]
    assert "Ramiro" not in outlets.logs.getvalue()
