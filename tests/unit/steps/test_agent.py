"""Agents: the life cycle, the conversation they leave, and what they refuse to be."""

import json
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from batuta import (
    AgentStep,
    ChatAgentStep,
    Context,
    Conversation,
    Message,
    Pipeline,
    PipelineTypeError,
    Rejected,
    step,
)
from batuta.events import (
    AgentFallbackTriggered,
    AssistantMessage,
    AttemptRejected,
    ContentDelta,
    LlmRequest,
    LlmResponse,
    StreamDiscarded,
    Thinking,
    ThinkingDelta,
    Usage,
)
from batuta.kernel.errors import (
    BudgetExceededError,
    ContentRefusedError,
    ProviderRejectedError,
    ProviderUnavailableError,
)
from batuta.llm.budget import Budget
from batuta.llm.model import Model, ModelSettings
from batuta.llm.resilient import Protection
from batuta.pipelines.journal import MemoryJournal
from batuta.resilience.retry import NO_RETRY, fixed_delay
from batuta.steps.artefacts import Tag
from batuta.steps.correction import MIN_FEEDBACK_TOKENS, feedback_on
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel, ToolCall
from batuta.tools import tool


class Sum(BaseModel):
    total: int
    confidence: float = 1.0


UNASKED = ScriptedModel([])
GOOD = Reply('{"total": 3}')


def adder(model: ScriptedModel, **options: Any) -> AgentStep[str, Sum]:
    return AgentStep(name="add", model=model, instructions="Add.", output=Sum, **options)


async def test_a_valid_answer_is_the_result() -> None:
    model = ScriptedModel([GOOD])
    result = await adder(model).run("1 + 2")
    assert result.value == Sum(total=3)
    assert model.requests[0].system.startswith("Add.")
    assert model.requests[0].messages == (Message.user("1 + 2"),)
    model.assert_finished()


async def test_two_failures_and_a_success_leave_request_and_answer() -> None:
    """F-23: failed attempts never stay in the conversation."""
    conversation = Conversation()
    result = await adder(ScriptedModel([Reply("no"), Reply('{"total": "x"}'), GOOD])).run(
        "1 + 2", conversation=conversation
    )
    assert result.metrics.attempts == 3
    assert [message.text for message in conversation.messages] == ["1 + 2", '{"total": 3}']


async def test_a_failed_step_leaves_the_conversation_as_it_was() -> None:
    """F-80."""
    conversation = Conversation([Message.user("hello"), Message.assistant("hi")])
    result = await adder(ScriptedModel([Reply("no")] * 3)).run("1 + 2", conversation=conversation)
    assert result.is_error
    assert [message.text for message in conversation.messages] == ["hello", "hi"]


async def test_an_agent_without_a_conversation_writes_none() -> None:
    result = await adder(ScriptedModel([GOOD])).run("1 + 2")
    assert not result.is_error


async def test_only_the_newest_rejection_is_quoted() -> None:
    """F-81: one last user message; the system prompt stays."""
    model = ScriptedModel([Reply("first mistake"), Reply("second mistake"), GOOD])
    await adder(model).run("1 + 2")
    third = model.requests[2]
    assert [message.role for message in third.messages] == ["user", "user"]
    assert "second mistake" in third.text
    assert "first mistake" not in third.text
    assert "Add." in third.system


async def test_every_rejection_is_an_event() -> None:
    """F-21a: every attempt is told even though only the valid one stays."""
    sink = CapturingSink()
    await adder(ScriptedModel([Reply("no"), GOOD])).run("1 + 2", sink=sink)
    (rejected,) = sink.of(AttemptRejected)
    assert (rejected.attempt, rejected.kind, rejected.answer) == (1, "structural", "no")
    assert len(sink.of(LlmRequest)) == len(sink.of(LlmResponse)) == 2


@pytest.mark.parametrize(
    ("limits", "judged"),
    [({}, 3), ({"max_attempts": 1}, 1), ({"max_attempts": 5}, 5), ({"max_structural": 2}, 2)],
)
async def test_an_always_invalid_model_stops_after_the_bound(limits: dict[str, int], judged: int) -> None:
    """F-20, F-24."""
    model = ScriptedModel([Reply(f"no {n}") for n in range(9)])
    result = await adder(model, **limits).run("1 + 2")
    assert len(model.requests) == judged
    assert result.error.last_answer == f"no {judged - 1}"
    assert [rejection.attempt for rejection in result.error.rejections] == list(range(1, judged + 1))


async def test_the_two_budgets_are_counted_apart() -> None:
    """F-21a: one structural failure does not use up the semantic budget."""

    async def small(value: Sum, ctx: Context) -> None:
        if value.total > 5:
            raise Rejected("too large")

    script = [Reply("no"), Reply('{"total": 9}'), GOOD]
    result = await adder(ScriptedModel(script), validate=small, max_structural=2, max_semantic=2).run("x")
    assert result.value.total == 3
    script = [Reply('{"total": 9}'), Reply('{"total": 8}'), GOOD]
    failed = await adder(ScriptedModel(script), validate=small, max_semantic=2).run("x")
    assert failed.error.category == "semantic"
    assert len(failed.error.rejections) == 2


async def test_semantic_validation_runs_only_after_the_structure_holds() -> None:
    seen: list[int] = []

    async def note(value: Sum, ctx: Context) -> None:
        seen.append(value.total)

    await adder(ScriptedModel([Reply("no"), GOOD]), validate=note).run("x")
    assert seen == [3]


async def test_an_output_checks_its_own_structure() -> None:
    """F-21: an optional `validate_structure` of the output."""

    class Even(BaseModel):
        total: int

        async def validate_structure(self) -> None:
            if self.total % 2:
                raise ValueError("the total must be even")

    model = ScriptedModel([Reply('{"total": 3}'), Reply('{"total": 4}')])
    result = await AgentStep(name="add", model=model, output=Even).run("x")
    assert result.value.total == 4
    assert "the total must be even" in model.requests[1].text


async def test_a_validator_that_breaks_fails_the_step_at_once() -> None:
    async def broken(value: Sum, ctx: Context) -> None:
        raise KeyError("bug")

    model = ScriptedModel([GOOD, GOOD])
    result = await adder(model, validate=broken).run("x")
    assert result.error.category == "logical"
    assert len(model.requests) == 1


async def test_low_confidence_is_corrected() -> None:
    """T-9: a threshold per agent."""
    script = [Reply('{"total": 3, "confidence": 0.2}'), Reply('{"total": 3, "confidence": 0.9}')]
    sink = CapturingSink()
    result = await adder(ScriptedModel(script), min_confidence=0.5).run("x", sink=sink)
    assert result.value.confidence == 0.9
    assert [event.kind for event in sink.of(AttemptRejected)] == ["confidence"]


@pytest.mark.parametrize(
    ("output", "text", "value"),
    [
        (str, "hello", "hello"),
        (list[int], "[1, 2]", [1, 2]),
        (Sum | None, "null", None),
        (Sum | None, '{"total": 1}', Sum(total=1)),
        (dict[str, int], '{"a": 1}', {"a": 1}),
    ],
)
async def test_output_takes_any_type_form(output: Any, text: str, value: object) -> None:
    """F-85."""
    agent = AgentStep(name="any", model=ScriptedModel([Reply(text)]), output=output)
    assert (await agent.run("x")).value == value


async def test_a_pydantic_input_is_sent_as_json_and_a_template_is_filled() -> None:
    """F-20b."""

    class Order(BaseModel):
        sku: str
        quantity: int

    plain = ScriptedModel([Reply("ok")])
    await AgentStep(name="a", model=plain, input=Order, output=str).run(Order(sku="A", quantity=2))
    assert plain.requests[0].messages[0].text == '{"sku":"A","quantity":2}'
    filled = ScriptedModel([Reply("ok")])
    agent = AgentStep(name="a", model=filled, input=Order, output=str, prompt="{quantity} of {sku} {{now}}")
    await agent.run(Order(sku="A", quantity=2))
    assert filled.requests[0].messages[0].text == "2 of A {now}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prompt": "{colour}"}, "colour"),
        ({"prompt": "{unclosed"}, "template"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_semantic": 4}, "max_semantic"),
        ({"max_tool_iterations": 0}, "max_tool_iterations"),
        ({"tools": [lambda: 1]}, "tool"),
        ({"temprature": 1}, "temprature"),
        ({"prompt": "{input:{width}}"}, "width"),
        ({"fallback": "by rule"}, "a fallback is a step"),
        ({"settings": {"temperature": 0.2}}, "ModelSettings"),
        ({"tags": ["file"]}, "a tag is declared as"),
    ],
)
def test_wrong_declarations_are_found_when_built(options: dict[str, Any], words: str) -> None:
    with pytest.raises(PipelineTypeError, match=words):
        adder(ScriptedModel([]), **options)


def test_a_model_that_is_none_is_found_when_built() -> None:
    nothing: Any = None
    with pytest.raises(PipelineTypeError, match="a model is a name"):
        adder(nothing)


async def test_a_validator_that_cannot_be_awaited_is_named() -> None:
    def sync(value: Sum, ctx: Context) -> None:
        """Not async."""

    result = await adder(ScriptedModel([GOOD]), validate=sync).run("x")
    assert "validate is no async def" in result.error.message


async def test_the_structure_is_told_as_json() -> None:
    """F-29: a provider without a mechanism of its own reads a schema, not a Python dictionary."""
    model = ScriptedModel([GOOD])
    await adder(model).run("x")
    assert json.loads(model.requests[0].system.splitlines()[-1]) == Sum.model_json_schema()


async def test_fields_are_written_into_a_template_as_a_reader_expects_them() -> None:
    """F-20b: dates and amounts without quotes, formats as they are asked for, members by their value."""

    class Size(str, Enum):  # noqa: UP042 - many write it so
        LARGE = "large"

    class Order(BaseModel):
        due: date
        total: Decimal
        size: Size
        tags: list[str]

    model = ScriptedModel([Reply("ok")])
    prompt = "{size} by {due}, {due:%d %B}: {total} ({total:.1f}) {tags}"
    agent = AgentStep(name="a", model=model, input=Order, output=str, prompt=prompt)
    await agent.run(Order(due=date(2026, 1, 2), total=Decimal("9.50"), size=Size.LARGE, tags=["x"]))
    assert model.requests[0].messages[0].text == 'large by 2026-01-02, 02 January: 9.50 (9.5) ["x"]'


class Basket(BaseModel):
    items: list[str]


@pytest.mark.parametrize("cut", ['{"items": ["chair", "tab', '```json\n{"items": ["chair"', "", "I think that"])
async def test_a_structure_that_was_cut_off_is_corrected_and_not_completed(cut: str) -> None:
    """F-20: what `max_tokens` left of an answer may be repairable, but it is not what the model meant."""
    model = ScriptedModel([Reply(cut, stop_reason="max_tokens"), Reply('{"items": ["chair", "table"]}')])
    result = await AgentStep(name="a", model=model, output=Basket).run("x")
    assert result.value == Basket(items=["chair", "table"])
    assert "more briefly" in model.requests[1].messages[-1].text


async def test_an_agent_that_is_always_cut_off_says_which_setting_does_it() -> None:
    model = ScriptedModel([Reply('{"items": ["chair", "tab', stop_reason="max_tokens")] * 3)
    result = await AgentStep(name="a", model=model, output=Basket).run("x")
    assert "max_tokens" in result.error.message


async def test_a_whole_structure_stays_valid_even_if_the_words_after_it_were_cut_off() -> None:
    model = ScriptedModel([Reply('{"items": []} As you can', stop_reason="max_tokens")])
    assert (await AgentStep(name="a", model=model, output=Basket).run("x")).value == Basket(items=[])


async def test_a_text_that_was_cut_off_is_corrected() -> None:
    """F-20: half a letter is not what was asked for, and nobody who gets it could tell."""
    sink = CapturingSink()
    model = ScriptedModel([Reply("Dear customer, we", stop_reason="max_tokens"), Reply("Dear customer. Bye.")])
    result = await AgentStep(name="a", model=model, output=str).run("write", sink=sink)
    assert result.value == "Dear customer. Bye."
    assert "more briefly" in model.requests[1].messages[-1].text
    assert [event.content for event in sink.of(AssistantMessage)] == ["Dear customer. Bye."]


async def test_a_text_that_is_always_cut_off_is_an_error_that_names_the_setting_and_has_the_text() -> None:
    model = ScriptedModel([Reply("Dear customer, we", stop_reason="max_tokens")] * 3)
    result = await AgentStep(name="a", model=model, output=str).run("write")
    assert "max_tokens" in result.error.message
    assert result.error.last_answer == "Dear customer, we"


async def test_a_text_that_was_cut_off_may_be_taken_and_is_marked() -> None:
    """E-7: in a chat a person reads it, and sees that it is not whole."""
    model = ScriptedModel([Reply("It is", stop_reason="max_tokens")] * 2)
    taking = AgentStep(name="a", model=model, output=str, takes_cut_text=True)
    for agent in (ChatAgentStep(name="a", model=model), taking):
        sink = CapturingSink()
        result = await agent.run("tell", sink=sink)
        assert result.value == "It is"
        assert [event.stop_reason for event in sink.of(AssistantMessage)] == ["max_tokens"]


@pytest.mark.parametrize("stop_reason", ["success", "max_tokens"])
@pytest.mark.parametrize("nothing", ["", " \n"])
async def test_an_empty_text_is_corrected(nothing: str, stop_reason: Any) -> None:
    """F-20: also in a chat, and also when thinking used up all tokens."""
    for agent in (ChatAgentStep(name="a", model=UNASKED), AgentStep(name="a", model=UNASKED, output=str)):
        model = ScriptedModel([Reply(nothing, stop_reason=stop_reason), Reply("Here.")])
        with agent.override(model=model):
            assert (await agent.run("x")).value == "Here."
        assert "the answer is empty" in model.requests[1].messages[-1].text


async def test_an_answer_that_is_an_artefact_alone_needs_no_words() -> None:
    """F-31: what stands between tags is not part of the text."""
    model = ScriptedModel([Reply('<file path="a.py">print(1)</file>')])
    result = await AgentStep(name="a", model=model, output=str, tags=[Tag("file")], is_streaming=True).run("x")
    assert result.value == ""


async def test_a_structured_answer_streams_its_thoughts_and_its_json_only_if_it_speaks() -> None:
    """F-30: JSON is for code; whoever wants to show it says `is_speaking=True`."""
    for is_speaking, text in (({}, ""), ({"is_speaking": True}, '{"total": 3}')):
        sink = CapturingSink()
        model = ScriptedModel([Reply('{"total": 3}', thinking="one and two")])
        result = await adder(model, is_streaming=True, **is_speaking).run("x", sink=sink)
        assert result.value.total == 3
        assert "".join(event.delta for event in sink.of(ThinkingDelta)) == "one and two"
        assert "".join(event.delta for event in sink.of(ContentDelta)) == text


async def test_a_refusal_of_the_provider_is_returned_at_once() -> None:
    model = ScriptedModel([Reply("I cannot help with that.", stop_reason="refused"), GOOD])
    result = await adder(model).run("x")
    assert isinstance(result.error.exception, ContentRefusedError)
    assert len(model.requests) == 1


async def test_transient_errors_are_retried_and_counted() -> None:
    """F-71, F-83: retries are not attempts."""
    clock = FakeClock()
    model = ScriptedModel([ProviderUnavailableError("503"), GOOD])
    result = await adder(model).run("x", clock=clock)
    assert result.value.total == 3
    assert (result.metrics.retries, result.metrics.attempts) == (1, 1)
    assert clock.sleeps


async def test_a_fallback_stands_in_when_the_provider_is_exhausted() -> None:
    """F-28: the result says that it was used and at what confidence."""

    @step
    async def by_hand(text: str) -> Sum:
        return Sum(total=3, confidence=0.6)

    model = ScriptedModel([ProviderUnavailableError("503")] * 3)
    protection = Protection(retry=fixed_delay(max_attempts=3), breaker=None, clock=FakeClock())
    result = await adder(model, fallback=by_hand).run("1 + 2", protection=protection)
    assert result.value.total == 3
    (used,) = result.metrics.fallbacks
    assert (used.step, used.confidence) == ("by_hand", 0.6)


@pytest.mark.parametrize(
    ("effect", "does_reach_it", "payments"),
    [("write", True, 1), ("write", False, 1), ("idempotent", True, 2), ("read", True, 2)],
)
async def test_a_fallback_does_not_begin_anew_after_a_write(effect: Any, does_reach_it: bool, payments: int) -> None:
    """F-28: what was written, or may have been, is not written again; the error says why nobody stands in."""
    paid: list[int] = []

    @tool(effect=effect)
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        if not does_reach_it:
            raise ConnectionResetError("nobody knows whether it was paid")
        return "paid"

    call, gone = Reply(tool_calls=[ToolCall("pay", {"amount": 1})]), ProviderUnavailableError("503", status=503)
    other = AgentStep(name="other", model=ScriptedModel([call, Reply("done")]), output=str, tools=[pay])
    first = AgentStep(name="first", model=ScriptedModel([call, gone]), output=str, tools=[pay], fallback=other)
    sink = CapturingSink()
    result = await first.run("pay once", protection=Protection(retry=NO_RETRY, breaker=None), sink=sink)
    assert len(paid) == payments
    assert result.is_error == (payments == 1)
    assert len(sink.of(AgentFallbackTriggered)) == payments - 1
    if result.is_error:
        assert result.error.exception is gone
        assert "503; other does not stand in, because something was written" in result.error.message


async def test_when_the_fallback_fails_too_the_first_error_stands() -> None:
    @step
    async def broken(text: str) -> Sum:
        raise ValueError("also broken")

    result = await adder(ScriptedModel([Reply("no")] * 3), fallback=broken).run("x")
    assert result.error.last_answer == "no"


async def test_a_logical_error_does_not_call_the_fallback() -> None:
    @step
    async def by_hand(text: str) -> Sum:
        return Sum(total=3)

    async def broken(value: Sum, ctx: Context) -> None:
        raise KeyError("bug")

    result = await adder(ScriptedModel([GOOD]), validate=broken, fallback=by_hand).run("x")
    assert result.is_error


@pytest.mark.parametrize(
    ("model", "options", "error"),
    [
        (ScriptedModel([Reply("No.", stop_reason="refused")]), {}, ContentRefusedError),
        (ScriptedModel([]), {"budgets": [Budget(scope="run", id="r", limit_tokens=1)]}, BudgetExceededError),
        (ScriptedModel([ProviderRejectedError("401")]), {}, ProviderRejectedError),
    ],
)
async def test_a_fallback_gets_around_no_decision(model: Model, options: Any, error: type[Exception]) -> None:
    """F-28, F-47, F-70: a refusal and a budget that is used up are returned at once."""
    asked: list[str] = []

    @step
    async def by_hand(text: str) -> Sum:
        asked.append(text)
        return Sum(total=3)

    sink = CapturingSink()
    agent = AgentStep(name="add", model=model, output=Sum, fallback=by_hand)
    result = await agent.run("x", sink=sink, **options)
    assert isinstance(result.error.exception, error)
    assert not asked
    assert not sink.of(AgentFallbackTriggered)


async def test_streaming_gives_the_same_result_and_tells_deltas() -> None:
    """F-30."""
    sink = CapturingSink()
    agent = AgentStep(
        name="a", model=ScriptedModel([Reply("one two three", thinking="hm")]), output=str, is_streaming=True
    )
    result = await agent.run("x", sink=sink)
    assert result.value == "one two three"
    assert "".join(event.delta for event in sink.of(ContentDelta)) == "one two three"
    (message,) = sink.of(AssistantMessage)
    assert {event.message_id for event in sink.of(ContentDelta)} == {message.message_id}
    assert [event.content for event in sink.of(Thinking)] == ["hm"]


async def test_a_rejected_answer_that_was_shown_is_taken_away() -> None:
    """Whoever follows sees one answer, not every attempt."""

    async def short(text: str, ctx: Context) -> None:
        if len(text) > 5:
            raise Rejected("too long")

    sink = CapturingSink()
    model = ScriptedModel([Reply("far too long", thinking="hm"), Reply("short")])
    agent = AgentStep(name="a", model=model, output=str, is_streaming=True, validate=short)
    assert (await agent.run("x", sink=sink)).value == "short"
    (void,) = sink.of(StreamDiscarded)
    first = [event for event in sink.of(ContentDelta) if event.message_id == void.message_id]
    assert "".join(event.delta for event in first) == "far too long"
    assert void.reason == "rejected"
    (message,) = sink.of(AssistantMessage)
    assert message.message_id != void.message_id


async def test_a_refusal_that_was_shown_is_taken_away() -> None:
    sink = CapturingSink()
    agent = AgentStep(
        name="a", model=ScriptedModel([Reply("I would", stop_reason="refused")]), output=str, is_streaming=True
    )
    assert (await agent.run("x", sink=sink)).is_error
    assert [event.reason for event in sink.of(StreamDiscarded)] == ["failed"]


@pytest.mark.parametrize("is_streaming", [False, True])
async def test_nothing_is_taken_away_that_was_not_shown(is_streaming: bool) -> None:
    """Neither JSON that nobody saw, nor an answer that stands."""
    sink = CapturingSink()
    await adder(ScriptedModel([Reply("no"), GOOD]), is_streaming=is_streaming).run("x", sink=sink)
    talker = AgentStep(name="a", model=ScriptedModel([Reply("yes")]), output=str, is_streaming=is_streaming)
    await talker.run("x", sink=sink)
    assert not sink.of(StreamDiscarded)


async def test_structured_answers_are_not_told_as_messages() -> None:
    sink = CapturingSink()
    await adder(ScriptedModel([GOOD])).run("x", sink=sink)
    assert not sink.of(AssistantMessage)


async def test_usage_and_cost_add_up_over_all_attempts() -> None:
    """F-83: rejected answers cost too."""
    script = [Reply("no", usage=Usage(input=10, output=1)), Reply('{"total": 3}', usage=Usage(input=20, output=2))]
    pipeline = Pipeline("sum", adder(ScriptedModel(script)))
    result = await pipeline.run("x")
    assert result.metrics.usage == Usage(input=30, output=3)
    assert result.metrics.cost is None  # nobody knows the price


async def test_a_model_can_be_replaced_in_a_test() -> None:
    """F-87."""
    agent = adder(ScriptedModel([]))
    with agent.override(model=ScriptedModel([GOOD])):
        assert (await agent.run("x")).value.total == 3
    assert (await agent.run("x")).is_error


async def test_a_dry_run_asks_no_model() -> None:
    """F-11."""
    model = ScriptedModel([])
    assert (await adder(model, stand_in=Sum(total=0)).run("x", dry_run=True)).value.total == 0
    failed = await adder(model).run("x", dry_run=True)
    assert "stand_in" in failed.error.message
    assert not model.requests


async def test_a_repeated_run_gets_recorded_answers_and_results_back() -> None:
    """O-3: no model and no tool is asked twice."""
    calls: list[int] = []

    @tool(effect="write")
    async def count(n: int) -> int:
        """Count."""
        calls.append(n)
        return n

    def build(script: list[Any]) -> AgentStep[str, str]:
        return AgentStep(name="a", model=ScriptedModel(script), output=str, tools=[count])

    journal = MemoryJournal()
    first = await build([Reply(tool_calls=[ToolCall("count", {"n": 1})]), Reply("done")]).run(
        "x", journal=journal, correlation_id="c"
    )
    again = await build([]).run("x", journal=journal, correlation_id="c")
    assert first.value == again.value == "done"
    assert calls == [1]


def test_the_worst_case_is_known_before_anything_runs() -> None:
    """F-13."""

    @tool(timeout=5)
    async def look() -> str:
        """Look."""
        return ""

    agent = AgentStep(
        name="a", model=ScriptedModel([]), output=str, tools=[look], max_tool_iterations=4, settings=ModelSettings()
    )
    bounds = agent.bounds()
    assert (bounds.model_calls, bounds.tool_rounds, bounds.attempts) == (7, 4, 3)
    assert bounds.time is not None


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("feedback_tokens", -1),
        ("feedback_tokens", MIN_FEEDBACK_TOKENS - 1),
        ("min_confidence", 7),
        ("min_confidence", -0.1),
        ("min_confidence", float("nan")),
        ("max_attempts", 0),
        ("max_attempts", 2.5),
        ("max_structural", 0),
        ("max_semantic", True),
        ("max_tool_iterations", 0),
        ("timeout", -1),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_when_the_agent_is_built(option: str, value: Any) -> None:
    with pytest.raises(PipelineTypeError, match=r"^a: "):
        AgentStep(name="a", model=ScriptedModel([]), output=Sum, **{option: value})


def test_the_least_room_for_feedback_is_enough_for_it() -> None:
    """What `feedback_tokens` promises holds for the smallest value it takes."""
    text = feedback_on("x" * 9_000, Rejected("y" * 9_000, hint="z"), MIN_FEEDBACK_TOKENS)
    assert len(text) <= MIN_FEEDBACK_TOKENS * 4


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("nonsense", "a model is named provider:model"),
        ("", "a model is named provider:model"),
        ("openai:", "a model is named provider:model"),
        ("opnai:gpt-5.2", "unknown provider 'opnai'"),
        ("offline:other", "there is one offline model"),
    ],
)
def test_a_name_that_no_provider_answers_to_is_refused_when_the_agent_is_built(model: str, reason: str) -> None:
    """F-41: the first call would be too late. Neither a key nor an SDK is needed to tell."""
    with pytest.raises(PipelineTypeError, match=f"^a: {reason}"):
        AgentStep(name="a", model=model, output=str)
    with pytest.raises(PipelineTypeError, match=r"^chat: summary_model: "):
        ChatAgentStep(name="chat", model=ScriptedModel([]), summary_model=model)
    good = AgentStep(name="a", model="anthropic/claude-sonnet-4-6", output=str)
    with pytest.raises(PipelineTypeError, match=reason), good.override(model=model):
        pass


async def test_rejections_of_both_kinds_together_use_up_the_attempts() -> None:
    """F-21a: `max_attempts` bounds the answers judged, whichever way each of them fails."""

    async def small(value: Sum, ctx: Context) -> None:
        raise Rejected("too large")

    model = ScriptedModel([Reply("no"), Reply('{"total": 9}'), Reply("no"), GOOD])
    result = await adder(model, validate=small).run("x")
    assert [rejection.kind for rejection in result.error.rejections] == ["structural", "semantic", "structural"]
    assert len(model.requests) == 3


async def test_the_least_confidence_is_enough() -> None:
    model = ScriptedModel([Reply('{"total": 3, "confidence": 0.5}')])
    assert (await adder(model, min_confidence=0.5).run("x")).value.total == 3


@tool
async def look() -> str:
    """Look."""
    return "seen"


async def test_as_many_rounds_of_tools_as_allowed_are_allowed() -> None:
    """F-25: the limit is the last round that runs, not the first that fails."""
    asks = Reply(tool_calls=[ToolCall("look", {})])
    agent = adder(ScriptedModel([asks, asks, GOOD]), tools=[look], max_tool_iterations=2)
    assert (await agent.run("x")).value.total == 3


async def test_feedback_that_led_to_a_tool_is_still_the_last_word_after_it() -> None:
    """F-81: a model sees only what it is sent; without it, it would not know what was wrong."""
    model = ScriptedModel([Reply("no"), Reply(tool_calls=[ToolCall("look", {})]), GOOD])
    await adder(model, tools=[look]).run("x")
    assert "rejected" in model.requests[1].messages[-1].text
    assert [message.role for message in model.requests[2].messages] == ["user", "assistant", "tool", "user"]
    assert model.requests[2].messages[-1] == model.requests[1].messages[-1]
