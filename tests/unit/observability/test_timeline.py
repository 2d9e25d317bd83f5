"""An execution is rebuilt from its events: ordered, summed up, nested, shown (T-25); and counted from all sides."""

import io
import json
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from rich.console import Console

from batuta import AgentStep, Pipeline
from batuta.events import AgentRetryAttempted, AssistantMessage, Event, Usage
from batuta.kernel.errors import ProviderUnavailableError
from batuta.observability.audit_counts import IncompleteTelemetryError, audit, provider_tries
from batuta.observability.console import ConsoleMetrics, ConsoleSpans, LiveTree
from batuta.observability.timeline import as_data, as_json, as_table, as_tree, timeline_of
from batuta.testing import CapturingSink, Reply, ScriptedModel
from batuta.testing.clock import FakeClock
from examples.appointments import AGENTS, book
from tests.unit.observability.told import Story


async def booked() -> list[Event]:
    kept = CapturingSink()
    await book(kept)
    return kept.events


def shown(what: Any) -> str:
    console = Console(file=io.StringIO(), width=180)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_the_summary_of_the_contract() -> None:
    events = await booked()
    summary = timeline_of(events).summary
    assert summary.total_events == len(events)
    assert summary.agents_executed == AGENTS
    assert summary.errors == 1
    assert summary.retries == 4, "their outcomes are told, too, and are no retries"
    assert summary.fallbacks == 1
    assert summary.model_calls == 7
    assert summary.usage == Usage(input=6 * 287, output=6 * 136)
    assert summary.cost_usd is None, "a script has no price"
    assert summary.total_time_ms > 1000, "the clock of the example counts the waits between retries"
    assert summary.trace_id == events[0].trace_id


def test_cost_is_the_sum_of_the_calls() -> None:
    story = Story().step("a", "AgentStep").agent("a")
    story.call("a", "1", cost=Decimal("0.1"), usage=Usage(input=1)).call("a", "2", cost=Decimal("0.2"))
    assert timeline_of(story.agent_done("a").done("a").events).summary.cost_usd == Decimal("0.3")


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    story = Story().step("a", "AgentStep").agent("a").call("a", "1", cost=Decimal("0.1")).call("a", "2")
    assert timeline_of(story.agent_done("a").done("a").events).summary.cost_usd is None


def test_without_told_calls_the_messages_tell_tokens_and_agents() -> None:
    """As in a session that was brought in from elsewhere."""
    answer = AssistantMessage(content="x", usage=Usage(input=2, output=3), cost=Decimal(1), source_agent_id="a")
    summary = timeline_of([answer]).summary
    assert (summary.usage.total, summary.cost_usd, summary.agents_executed) == (5, Decimal(1), ("a",))


async def test_lines_are_in_order_with_their_distance() -> None:
    events = await booked()
    lines = timeline_of(events).lines
    assert [line.event for line in lines] == events
    assert lines[0].offset.total_seconds() == 0
    assert all(line.offset.total_seconds() >= 0 for line in lines)


async def test_stored_events_are_taken_in_the_order_of_the_log() -> None:
    """Whatever order they are handed over in: a timeline is a function of the log."""
    events = [event.model_copy(update={"sequence_number": number}) for number, event in enumerate(await booked(), 1)]
    mixed = events.copy()
    random.Random(1).shuffle(mixed)
    assert as_json(timeline_of(mixed)) == as_json(timeline_of(events))


def test_nothing_is_an_empty_timeline() -> None:
    empty = timeline_of([])
    assert (empty.lines, empty.roots) == ((), ())
    assert empty.summary.total_events == 0


async def test_the_tree_shows_outcomes_retries_and_tokens() -> None:
    text = shown(as_tree(timeline_of(await booked())))
    assert "✓ invoke_workflow appointment_creation" in text
    assert "✗ invoke_agent parsing_agent " in text
    assert "PROVIDER_UNAVAILABLE" in text
    assert "• retry_attempted retry_attempt=1 retry_reason=error" in text
    assert "• fallback_triggered fallback_agent=regex_parsing_agent" in text
    assert "✓ chat qwen-2.5 0 ms 423 tokens" in text
    assert "✓ invoke_agent temporal_agent 0 ms 1 retries" in text


async def test_the_table_has_a_row_per_event() -> None:
    table = as_table(timeline_of(await booked()))
    assert table.row_count == 56
    assert "1 errors · 4 retries · 1 fallbacks" in shown(table)


async def test_json_has_the_form_of_the_contract() -> None:
    data = as_data(timeline_of(await booked()))
    assert json.loads(json.dumps(data)) == data
    assert set(data) == {"trace_id", "summary", "tree", "timeline"}
    assert set(data["timeline"][0]) == {"time", "offset_ms", "event", "details"}
    assert data["tree"][0]["children"][0]["children"][0]["failed"] is True


def test_square_brackets_are_shown_as_they_are() -> None:
    story = Story().step("p[0]").failed("p[0]", "list[int] is [red]not[/red] a word")
    assert "list[int] is [red]not[/red] a word" in shown(as_table(timeline_of(story.events)))
    assert "✗ p[0]" in shown(as_tree(timeline_of(story.events)))


def test_a_run_that_goes_on_is_drawn_as_far_as_it_is() -> None:
    text = shown(as_tree(timeline_of(Story().step("p", "Pipeline").step("p/a").events)))
    assert "◌ invoke_workflow p" in text
    assert "◌ a" in text


async def test_the_live_tree_ends_with_the_whole_run() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    with LiveTree(console) as tree:
        await book(tree)
    assert isinstance(console.file, io.StringIO)
    assert "availability_agent" in console.file.getvalue().rpartition("56 events")[2]


async def test_where_there_is_no_terminal_the_tree_ends_its_line() -> None:
    """What is printed next, into a file or a pipe, begins on a line of its own."""
    console = Console(file=io.StringIO(), width=120)
    with LiveTree(console) as tree:
        await book(tree)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().endswith("\n")


async def test_console_spans_and_metrics_need_nothing_installed() -> None:
    """T-20: the development default."""
    spans, metrics = io.StringIO(), io.StringIO()
    lines, figures = ConsoleSpans(spans), ConsoleMetrics(metrics)
    for event in await booked():
        lines.emit(event)
        figures.emit(event)
    assert "  invoke_agent temporal_agent" in spans.getvalue()
    assert "FAILED PROVIDER_UNAVAILABLE" in spans.getvalue()
    assert spans.getvalue().count("\n") == 25
    assert 'agent_executions_total{agent_name="geo_agent",status="success"} 1' in metrics.getvalue()
    assert 'agent_confidence{agent_name="geo_agent"} 0.95' in metrics.getvalue()
    assert "mean=" in metrics.getvalue()


async def test_a_run_told_in_full_passes_the_audit() -> None:
    """Events = spans = provider calls, where a call that is tried again is several for the provider."""
    events = await booked()
    models = 7
    tries = models + 2
    assert provider_tries(events) == tries
    audit(events, provider_calls=tries, exported_spans=25).assert_complete()


async def test_the_audit_agrees_with_the_models_own_count() -> None:
    down = ProviderUnavailableError("503", status=503)
    model = ScriptedModel([down, Reply("no json"), down, Reply('{"n": 1}')])
    kept = CapturingSink()
    agent: Any = AgentStep(name="a", model=model, instructions="", output=dict[str, int])
    await Pipeline("p", agent).run("x", sink=kept, clock=FakeClock())
    audit(kept.events, provider_calls=len(model.requests)).assert_complete()


@pytest.mark.parametrize("missing", ["step.completed", "llm.request", "llm.response", "agent.execution.completed"])
async def test_the_audit_finds_what_was_not_told(missing: str) -> None:
    events = await booked()
    events.remove(next(event for event in events if event.type == missing))
    with pytest.raises(IncompleteTelemetryError, match="events of the run are incomplete"):
        audit(events).assert_complete()


async def test_the_audit_reads_tries_from_three_sides() -> None:
    """What began, what ended and the spans are counted each for itself: a lost end is seen, not copied."""
    events = await booked()

    def without(is_it: Callable[[Event], bool]) -> list[str]:
        lost = next(event for event in events if is_it(event))
        return audit([event for event in events if event is not lost]).problems()

    def is_outcome(event: Event) -> bool:
        return isinstance(event, AgentRetryAttempted) and event.retry_successful is not None and event.delay_seconds > 0

    assert "tries: 9 begun, 8 ended, 9 spans" in without(lambda event: event.type == "llm.response")
    assert "tries: 8 begun, 9 ended, 8 spans" in without(lambda event: event.type == "llm.request")
    assert without(is_outcome) == ["tries: 9 begun, 8 ended, 9 spans"], "the end of a try alone was lost"


async def test_the_audit_finds_calls_that_nobody_told() -> None:
    problems = audit(await booked(), provider_calls=8, exported_spans=22).problems()
    assert problems == [
        "tries: 9 begun, 9 ended, 9 spans, 8 counted elsewhere",
        "25 spans follow from the events, 22 were exported",
    ]


async def test_the_audit_finds_an_event_that_occurs_twice() -> None:
    events = await booked()
    assert any("occurs twice" in problem for problem in audit([*events, events[-1]]).problems())
