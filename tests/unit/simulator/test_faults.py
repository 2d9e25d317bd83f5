"""Faults as changes of a plan: no socket is needed to see what will happen on one."""

import json
from email.utils import parsedate_to_datetime
from typing import get_args

import pytest

from batuta.simulator import PROVIDERS, Fault, Provider
from batuta.simulator.answers import FaultKind, Pace, PlannedAnswer, PlannedRefusal, Text
from batuta.simulator.faults import FAULTS, FaultError, Strike, parse_fault
from batuta.simulator.plans import Cut, DeliveryPlan, Reset, Send, Wait, answer_plan, body_plan, paced, stream_plan
from batuta.simulator.wire import DIALECTS
from batuta.simulator.wire.sse import SseEvent
from tests.unit.simulator.rich_answers import rich, turn_for

STREAM = stream_plan([SseEvent({"n": number}, "tick") for number in range(5)])
BODY = body_plan({"answer": "forty-two"})


def struck(plan: DeliveryPlan, fault: Fault, provider: Provider = "anthropic") -> DeliveryPlan:
    return FAULTS[fault.kind].plan(plan, Strike(fault, DIALECTS[provider], turn_for(provider)))


def sent(plan: DeliveryPlan) -> bytes:
    return b"".join(step.data for step in plan.steps if isinstance(step, Send))


def test_the_table_knows_every_kind() -> None:
    assert set(FAULTS) == set(get_args(FaultKind))


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("bad_request", 400),
        ("unauthorized", 401),
        ("forbidden", 403),
        ("not_found", 404),
        ("too_large", 413),
        ("rate_limited", 429),
        ("server_error", 500),
        ("bad_gateway", 502),
        ("unavailable", 503),
        ("gateway_timeout", 504),
        ("overloaded", 529),
    ],
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_status_fault_replaces_the_answer_by_the_providers_error(
    kind: FaultKind, status: int, provider: Provider
) -> None:
    """F-46"""
    plan = struck(STREAM, Fault(kind=kind, message="as you wished"), provider)

    assert plan.status == status
    assert json.loads(sent(plan))["error"]["message"] == "as you wished"


def test_retry_after_is_told_in_seconds() -> None:
    assert struck(BODY, Fault(kind="rate_limited", retry_after=2)).headers["retry-after"] == "2"


def test_retry_after_is_told_as_a_date() -> None:
    plan = struck(BODY, Fault(kind="rate_limited", retry_after=90, retry_after_form="date"))

    assert parsedate_to_datetime(plan.headers["retry-after"]).timestamp() == turn_for("anthropic").created + 90


def test_retry_after_can_be_kept_back() -> None:
    assert "retry-after" not in struck(BODY, Fault(kind="rate_limited", retry_after_form="none")).headers


def test_only_a_rate_limit_tells_retry_after_by_itself() -> None:
    assert struck(BODY, Fault(kind="rate_limited")).headers["retry-after"] == "1"
    assert "retry-after" not in struck(BODY, Fault(kind="unavailable")).headers


def test_a_slow_first_byte_waits_before_everything() -> None:
    plan = struck(STREAM, Fault(kind="slow_first_byte", seconds=4))

    assert plan.steps == (Wait(4), *STREAM.steps)


def test_a_stalled_stream_waits_in_the_middle_and_never_ends() -> None:
    plan = struck(STREAM, Fault(kind="stalled_stream", after_events=2, seconds=9))

    assert plan.steps == (*STREAM.steps[:2], Wait(9), Cut())


def test_a_stream_is_cut_between_events() -> None:
    assert struck(STREAM, Fault(kind="cut_between_events", after_events=2)).steps == (*STREAM.steps[:2], Cut())


def test_a_cut_stream_may_end_cleanly() -> None:
    assert struck(STREAM, Fault(kind="cut_between_events", after_events=2, clean=True)).steps == STREAM.steps[:2]


def test_a_stream_is_cut_in_the_middle_of_an_event() -> None:
    plan = struck(STREAM, Fault(kind="cut_mid_event", after_events=1))
    half = plan.steps[1]

    assert isinstance(half, Send)
    assert sent(STREAM).startswith(sent(plan))
    assert not half.data.endswith(b"\n\n")
    assert plan.steps[-1] == Cut()


def test_a_cut_comes_before_the_last_event_even_if_asked_later() -> None:
    assert struck(STREAM, Fault(kind="cut_between_events", after_events=99)).steps == (*STREAM.steps[:-1], Cut())


@pytest.mark.parametrize("kind", ["cut_mid_event", "cut_between_events", "stalled_stream", "reset_mid_stream"])
def test_a_body_that_breaks_off_keeps_its_declared_length(kind: FaultKind) -> None:
    plan = struck(BODY, Fault(kind=kind))

    assert plan.length == len(sent(BODY))
    assert 0 < len(sent(plan)) < len(sent(BODY))


def test_a_connection_is_reset_before_a_byte_is_sent() -> None:
    assert struck(STREAM, Fault(kind="connection_reset")).steps == (Reset(),)


def test_a_connection_is_reset_in_the_middle() -> None:
    assert struck(STREAM, Fault(kind="reset_mid_stream", after_events=1)).steps == (STREAM.steps[0], Reset())


def test_a_malformed_body_is_complete_but_no_json() -> None:
    plan = struck(BODY, Fault(kind="malformed_json"))

    assert plan.length == len(sent(plan))
    with pytest.raises(json.JSONDecodeError):
        json.loads(sent(plan))


def test_a_malformed_event_keeps_its_frame_and_the_stream_goes_on() -> None:
    plan = struck(STREAM, Fault(kind="malformed_event", after_events=2))
    broken = plan.steps[2]

    assert isinstance(broken, Send)
    assert broken.data.startswith(b"event: tick\ndata: {")
    assert broken.data.endswith(b"\n\n")
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken.data.partition(b"data: ")[2])
    assert plan.steps[3:] == STREAM.steps[3:]


def test_a_wrong_content_type_is_a_web_page_with_status_200() -> None:
    plan = struck(BODY, Fault(kind="wrong_content_type"))

    assert (plan.status, plan.content_type) == (200, "text/html")


def test_an_empty_body_is_empty() -> None:
    assert sent(struck(BODY, Fault(kind="empty_body"))) == b""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_error_event_ends_the_stream_in_the_providers_words(provider: Provider) -> None:
    plan = answer_plan(DIALECTS[provider], rich("text"), turn_for(provider))
    streamed = stream_plan(DIALECTS[provider].events(rich("text"), turn_for(provider)))

    broken = struck(streamed, Fault(kind="error_event", after_events=2, status=503, message="gone"), provider)

    assert not plan.is_stream
    assert b"gone" in sent(broken)
    assert sent(broken).startswith(sent(DeliveryPlan(steps=streamed.steps[:2])))


def test_an_error_event_without_a_stream_is_an_error_status() -> None:
    assert struck(BODY, Fault(kind="error_event", status=503)).status == 503


def test_a_refusal_replaces_the_blocks() -> None:
    answer = FAULTS["refusal"].answer(rich("parallel calls"))

    assert [type(block) for block in answer.blocks] == [PlannedRefusal]
    assert answer.stop_reason == "refusal"


def test_running_out_of_tokens_cuts_the_text_and_makes_no_call() -> None:
    answer = FAULTS["max_tokens"].answer(rich("parallel calls"))

    assert answer.blocks == (Text(text="Looking "),)
    assert answer.stop_reason == "max_tokens"


def test_a_pause_keeps_the_blocks() -> None:
    answer = FAULTS["pause"].answer(rich("text"))

    assert answer.blocks == rich("text").blocks
    assert answer.stop_reason == "pause"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("overloaded", Fault(kind="overloaded")),
        (
            "rate_limited; retry_after=2; retry_after_form=date",
            Fault(kind="rate_limited", retry_after=2, retry_after_form="date"),
        ),
        ('{"kind": "stalled_stream", "after_events": 1}', Fault(kind="stalled_stream", after_events=1)),
    ],
)
def test_a_fault_is_read_from_a_header(text: str, fault: Fault) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize("text", ["gremlins", "overloaded; spin=3", "{", "overloaded; times=0"])
def test_a_fault_that_cannot_be_read_names_those_that_can(text: str) -> None:
    with pytest.raises(FaultError, match="known kinds: bad_request"):
        parse_fault(text)


def test_a_paced_plan_waits_between_events_and_before_the_first_byte() -> None:
    plan = paced(DeliveryPlan(steps=STREAM.steps[:2]), Pace(delay_ms=20, first_byte_ms=500))

    assert plan.steps == (Wait(0.5), STREAM.steps[0], Wait(0.02), STREAM.steps[1])


def test_a_plan_spread_over_small_writes_sends_the_same_bytes() -> None:
    plan = paced(STREAM, Pace(bytes_per_write=3))
    writes = [step for step in plan.steps if isinstance(step, Send)]

    assert sent(plan) == sent(STREAM)
    assert max(len(write.data) for write in writes) == 3
    assert sum(write.ends_event for write in writes) == len(STREAM.steps)


def test_a_raw_answer_goes_out_verbatim() -> None:
    answer = PlannedAnswer.model_validate(
        {"raw": {"any": {"status": 418, "headers": {"x-pot": "tea"}, "body": {"short": 1}}}}
    )

    plan = answer_plan(DIALECTS["google"], answer, turn_for("google"))

    assert (plan.status, plan.headers, sent(plan)) == (418, {"x-pot": "tea"}, b'{"short":1}')
