"""The fault matrix: every fault × every client × streaming or not, over real sockets (F-70, F-71)."""

from datetime import timedelta
from typing import Any

import pytest

from batuta.kernel.errors import (
    BatutaError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
)
from batuta.simulator import Fault
from batuta.simulator.faults import FAULTS
from tests.integration.models.stage import PATIENT, Stage, said

IMPATIENT = timedelta(milliseconds=300)

FAILURES: dict[str, tuple[type[BatutaError], int]] = {
    "bad_request": (ProviderRejectedError, 1),
    "unauthorized": (ProviderRejectedError, 1),
    "forbidden": (ProviderRejectedError, 1),
    "not_found": (ProviderRejectedError, 1),
    "too_large": (ProviderRejectedError, 1),
    "rate_limited": (RateLimitedError, 2),
    "server_error": (ProviderUnavailableError, 3),
    "bad_gateway": (ProviderUnavailableError, 3),
    "unavailable": (ProviderUnavailableError, 3),
    "gateway_timeout": (ProviderTimeoutError, 3),
    "overloaded": (ProviderUnavailableError, 3),
    "slow_first_byte": (ProviderTimeoutError, 3),
    "stalled_stream": (ProviderTimeoutError, 3),
    "cut_mid_event": (ProviderUnavailableError, 3),
    "cut_between_events": (ProviderUnavailableError, 3),
    "malformed_json": (ProviderUnavailableError, 3),
    "malformed_event": (ProviderUnavailableError, 3),
    "wrong_content_type": (ProviderUnavailableError, 3),
    "empty_body": (ProviderUnavailableError, 3),
    "connection_reset": (ProviderUnavailableError, 3),
    "reset_mid_stream": (ProviderUnavailableError, 3),
    "error_event": (ProviderUnavailableError, 3),
}
"""The error each fault becomes, and how often the call is tried."""

ENDINGS = {"refusal": "refused", "max_tokens": "max_tokens", "pause": "paused"}
"""What is no failure but an answer that ends differently."""

SLOW = ("slow_first_byte", "stalled_stream")
WORDS = "A rather long answer, so that a stream of it has several events to be cut between."


def patience(kind: str) -> timedelta:
    return IMPATIENT if kind in SLOW else PATIENT


def test_the_table_holds_every_fault_of_the_simulator() -> None:
    assert set(FAULTS) == {*FAILURES, *ENDINGS}


@pytest.mark.parametrize("kind", FAILURES)
async def test_ft12_a_lasting_fault_becomes_the_right_error_after_the_right_number_of_tries(
    stage: Stage, kind: str, streaming: bool
) -> None:
    expected, tries = FAILURES[kind]
    await stage.warm_up()
    stage.play({"answers": [{"text": WORDS}], "otherwise": "repeat"})
    stage.simulator.inject(Fault(kind=kind, times=99, seconds=5))
    with pytest.raises(BatutaError) as caught:
        await stage.ask_protected(said(timeout=patience(kind)), streaming=streaming)
    assert type(caught.value) is expected
    assert stage.tries == tries
    assert len(stage.noted.retries) == tries - 1


@pytest.mark.parametrize("kind", [kind for kind, (_, tries) in FAILURES.items() if tries > 1])
async def test_a_fault_that_passes_is_not_seen_by_the_caller(stage: Stage, kind: str, streaming: bool) -> None:
    await stage.warm_up()
    stage.play({"answers": [{"text": WORDS}], "otherwise": "repeat"})
    stage.simulator.inject(Fault(kind=kind, times=1, seconds=5))
    answer = await stage.ask_protected(said(timeout=patience(kind)), streaming=streaming)
    assert answer.text == WORDS
    assert stage.tries == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_ft14_retry_after_is_honoured(stage: Stage, streaming: bool, form: str) -> None:
    """F-71: 429 waits `Retry-After` plus jitter, in virtual time; a date is as good as seconds."""
    stage.play({"answers": ["fine"], "otherwise": "repeat"})
    stage.simulator.inject(Fault(kind="rate_limited", retry_after=40, retry_after_form=form))
    assert (await stage.ask_protected(said(), streaming=streaming)).text == "fine"
    [waited] = stage.clock.sleeps
    assert waited == pytest.approx(40 * 1.075, abs=2.5)
    assert stage.noted.retries[0].delay_seconds == waited


async def test_a_rate_limit_without_a_time_waits_as_the_policy_says(stage: Stage, streaming: bool) -> None:
    stage.simulator.inject(Fault(kind="rate_limited", retry_after_form="none"))
    await stage.ask_protected(said(), streaming=streaming)
    assert stage.clock.sleeps == [1.0]


@pytest.mark.parametrize(("kind", "status"), [("unavailable", 503), ("overloaded", 529)])
async def test_a_lasting_overload_opens_the_breaker(stage: Stage, streaming: bool, kind: str, status: int) -> None:
    """F-71: exhausting the policy opens the breaker and counts a degradation."""
    stage.simulator.inject(Fault(kind=kind, times=99))
    with pytest.raises(ProviderUnavailableError) as caught:
        await stage.ask_protected(said(), streaming=streaming)
    assert caught.value.status == status
    assert await stage.breaker.phase(stage.protected.key) == "open"
    assert stage.noted.degradations == [stage.protected.key]


@pytest.mark.parametrize("kind", ENDINGS)
async def test_an_answer_that_ends_differently_is_an_answer(stage: Stage, kind: str, streaming: bool) -> None:
    stage.play({"answers": [{"text": WORDS}]})
    stage.simulator.inject(Fault(kind=kind))
    answer = await stage.ask_protected(said(), streaming=streaming)
    is_paused = kind == "pause" and stage.provider != "anthropic"  # the others have no pause: they just stop
    assert answer.stop_reason == ("success" if is_paused else ENDINGS[kind])
    assert len(stage.simulator.requests) == 1


@pytest.mark.parametrize("body", [{"status": "ok"}, [], "busy"])
async def test_json_that_is_no_answer_is_tried_again(stage: Stage, streaming: bool, body: Any) -> None:
    """A gateway that answers 200 with something else is the provider's failure, not the model's."""
    odd = {"raw": {"any": {"body": body, "events": [{"data": body}]}}}
    stage.play({"answers": [odd, {"text": WORDS}], "otherwise": "repeat"})
    assert (await stage.ask_protected(said(), streaming=streaming)).text == WORDS
    assert len(stage.noted.retries) == 1


async def test_a_provider_that_cannot_be_reached_is_unavailable(stage: Stage, streaming: bool) -> None:
    await stage.simulator.stop()
    with pytest.raises(ProviderUnavailableError):
        await stage.ask_protected(said(), streaming=streaming)
    assert len(stage.noted.retries) == 2


async def test_the_message_of_a_refused_request_says_what_the_provider_said(stage: Stage, streaming: bool) -> None:
    stage.simulator.inject(Fault(kind="bad_request", message="max_tokens: 99 is too many"))
    with pytest.raises(ProviderRejectedError, match="400: max_tokens: 99 is too many") as caught:
        await stage.ask(said(), streaming=streaming)
    assert caught.value.status == 400
