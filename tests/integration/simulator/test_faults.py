"""Every fault reaches the official clients as the failure they document (F-46)."""

import json
from email.utils import parsedate_to_datetime

import aiohttp
import anthropic
import httpx2
import openai
import pytest
from google.genai import errors as google_errors

from batuta.simulator import PROVIDERS, Fault, Provider, Simulator
from batuta.simulator.answers import FaultKind
from tests.integration.simulator.clients import Clients

EVERYONE = pytest.mark.parametrize("provider", PROVIDERS)
BOTH = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
QUESTION = "Hello there, how are you doing?"

STATUS_ERRORS: dict[FaultKind, tuple[type[Exception], type[Exception], type[Exception]]] = {
    "bad_request": (anthropic.BadRequestError, openai.BadRequestError, google_errors.ClientError),
    "unauthorized": (anthropic.AuthenticationError, openai.AuthenticationError, google_errors.ClientError),
    "forbidden": (anthropic.PermissionDeniedError, openai.PermissionDeniedError, google_errors.ClientError),
    "not_found": (anthropic.NotFoundError, openai.NotFoundError, google_errors.ClientError),
    "too_large": (anthropic.ContentTooLargeError, openai.APIStatusError, google_errors.ClientError),
    "rate_limited": (anthropic.RateLimitError, openai.RateLimitError, google_errors.ClientError),
    "server_error": (anthropic.InternalServerError, openai.InternalServerError, google_errors.ServerError),
    "bad_gateway": (anthropic.InternalServerError, openai.InternalServerError, google_errors.ServerError),
    "unavailable": (anthropic.ServiceUnavailableError, openai.InternalServerError, google_errors.ServerError),
    "gateway_timeout": (anthropic.GatewayTimeoutError, openai.InternalServerError, google_errors.ServerError),
    "overloaded": (anthropic.OverloadedError, openai.InternalServerError, google_errors.ServerError),
}
POSITION: dict[Provider, int] = {"anthropic": 0, "openai_chat": 1, "openai_responses": 1, "google": 2}

BROKEN_CONNECTION = (anthropic.APIConnectionError, openai.APIConnectionError, aiohttp.ClientError)
# Anthropic's client lets the transport's own error through once the stream has begun.
BROKEN_STREAM = (httpx2.TransportError, openai.APIConnectionError, aiohttp.ClientPayloadError)
NO_JSON = (json.JSONDecodeError, json.JSONDecodeError, json.JSONDecodeError)
NO_JSON_EVENT = (json.JSONDecodeError, json.JSONDecodeError, google_errors.UnknownApiResponseError)


@EVERYONE
@BOTH
@pytest.mark.parametrize("kind", STATUS_ERRORS)
async def test_a_status_fault_is_the_clients_own_error(
    clients: Clients, simulator: Simulator, kind: FaultKind, provider: Provider, streaming: bool
) -> None:
    simulator.inject(Fault(kind=kind, message="as you wished"))

    with pytest.raises(STATUS_ERRORS[kind][POSITION[provider]], match="as you wished"):
        await clients.ask(provider, streaming=streaming)(QUESTION)


@EVERYONE
@pytest.mark.parametrize("kind", ["connection_reset", "cut_mid_event", "cut_between_events", "reset_mid_stream"])
async def test_a_body_that_breaks_off_is_a_connection_error(
    clients: Clients, simulator: Simulator, kind: FaultKind, provider: Provider
) -> None:
    simulator.inject(Fault(kind=kind))

    with pytest.raises(BROKEN_CONNECTION[POSITION[provider]]):
        await clients.ask(provider, streaming=False)(QUESTION)


@EVERYONE
@pytest.mark.parametrize("kind", ["cut_mid_event", "cut_between_events", "reset_mid_stream", "stalled_stream"])
async def test_a_stream_that_breaks_off_is_a_broken_stream(
    clients: Clients, simulator: Simulator, kind: FaultKind, provider: Provider
) -> None:
    simulator.inject(Fault(kind=kind, after_events=1, seconds=0.05))

    with pytest.raises(BROKEN_STREAM[POSITION[provider]]):
        await clients.ask(provider, streaming=True)(QUESTION)


@EVERYONE
async def test_a_reset_before_the_stream_is_a_connection_error(
    clients: Clients, simulator: Simulator, provider: Provider
) -> None:
    simulator.inject(Fault(kind="connection_reset"))

    with pytest.raises(BROKEN_CONNECTION[POSITION[provider]]):
        await clients.ask(provider, streaming=True)(QUESTION)


@EVERYONE
async def test_a_malformed_body_is_no_json(clients: Clients, simulator: Simulator, provider: Provider) -> None:
    simulator.inject(Fault(kind="malformed_json"))

    with pytest.raises(NO_JSON[POSITION[provider]]):
        await clients.ask(provider, streaming=False)(QUESTION)


@EVERYONE
@pytest.mark.parametrize("kind", ["malformed_json", "malformed_event"])
async def test_a_malformed_event_is_no_json(
    clients: Clients, simulator: Simulator, kind: FaultKind, provider: Provider
) -> None:
    simulator.inject(Fault(kind=kind))

    with pytest.raises(NO_JSON_EVENT[POSITION[provider]]):
        await clients.ask(provider, streaming=True)(QUESTION)


async def test_a_wrong_content_type_is_handed_on_as_text(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="wrong_content_type"))

    answer: object = await clients.anthropic.messages.create(
        model="claude", max_tokens=99, messages=[{"role": "user", "content": "Hi"}]
    )

    assert isinstance(answer, str)
    assert "<html>" in answer


@pytest.mark.parametrize(
    ("provider", "error"),
    [
        ("anthropic", anthropic.APIStatusError),
        ("openai_chat", openai.APIError),
        ("google", google_errors.ServerError),
    ],
)
async def test_an_error_event_is_raised_in_the_middle_of_a_stream(
    clients: Clients, simulator: Simulator, provider: Provider, error: type[Exception]
) -> None:
    simulator.inject(Fault(kind="error_event", status=503, after_events=2, message="gone in the middle"))

    with pytest.raises(error, match="gone in the middle"):
        await clients.ask(provider, streaming=True)(QUESTION)


async def test_responses_tell_an_error_in_the_stream_as_events(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="error_event", after_events=2, message="gone in the middle"))

    stream = await clients.openai.responses.create(model="gpt-5", input="Hi", stream=True)
    events = [event async for event in stream]

    assert [event.type for event in events[-2:]] == ["error", "response.failed"]
    assert [event.sequence_number for event in events] == [0, 1, 2, 3]


@EVERYONE
async def test_a_slow_first_byte_meets_the_clients_timeout(
    impatient: Clients, simulator: Simulator, provider: Provider
) -> None:
    simulator.inject(Fault(kind="slow_first_byte", seconds=30))

    with pytest.raises((anthropic.APITimeoutError, openai.APITimeoutError, TimeoutError)):
        await impatient.ask(provider, streaming=False)(QUESTION)


@EVERYONE
async def test_a_short_delay_is_only_a_delay(clients: Clients, simulator: Simulator, provider: Provider) -> None:
    simulator.inject(Fault(kind="slow_first_byte", seconds=0.01))

    assert (await clients.ask(provider, streaming=True)("Hi")).text == "You said: Hi"


async def test_retry_after_reaches_the_client_in_both_forms(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="rate_limited", retry_after=7))
    simulator.inject(Fault(kind="rate_limited", retry_after=60, retry_after_form="date"))
    ask = clients.ask("anthropic", streaming=False)

    with pytest.raises(anthropic.RateLimitError) as in_seconds:
        await ask("Hi")
    with pytest.raises(anthropic.RateLimitError) as as_date:
        await ask("Hi")

    assert in_seconds.value.response.headers["retry-after"] == "7"
    then = parsedate_to_datetime(as_date.value.response.headers["retry-after"]).timestamp()
    assert 50 < then - simulator.requests[-1].received_at < 70


@EVERYONE
@BOTH
async def test_it_fails_as_often_as_told_and_then_succeeds(
    clients: Clients, simulator: Simulator, provider: Provider, streaming: bool
) -> None:
    simulator.play({"answers": [{"text": "At last.", "fault": {"kind": "unavailable", "times": 2}}]})
    ask = clients.ask(provider, streaming=streaming)

    for _ in range(2):
        with pytest.raises(STATUS_ERRORS["unavailable"][POSITION[provider]]):
            await ask("Hi")

    assert (await ask("Hi")).text == "At last."
    simulator.assert_finished()


async def test_a_header_asks_for_a_fault(clients: Clients) -> None:
    client = clients.anthropic.with_options(default_headers={"x-simulator-fault": "overloaded; message=by header"})

    with pytest.raises(anthropic.OverloadedError, match="by header"):
        await client.messages.create(model="c", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])


async def test_a_header_that_cannot_be_read_is_a_bad_request(clients: Clients) -> None:
    client = clients.openai.with_options(default_headers={"x-simulator-fault": "gremlins"})

    with pytest.raises(openai.BadRequestError, match="known kinds"):
        await client.responses.create(model="gpt-5", input="Hi")


async def test_running_out_of_tokens_is_told_in_a_stream(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="max_tokens", times=2))

    chat = await clients.openai.chat.completions.create(
        model="gpt-5", messages=[{"role": "user", "content": "Hi"}], stream=True
    )
    finishes = [chunk.choices[0].finish_reason async for chunk in chat]
    response = await clients.openai.responses.create(model="gpt-5", input="Hi", stream=True)
    kinds = [event.type async for event in response]

    assert finishes[-1] == "length"
    assert kinds[-1] == "response.incomplete"


async def test_a_cleanly_cut_stream_just_stops(clients: Clients, simulator: Simulator) -> None:
    simulator.inject(Fault(kind="cut_between_events", after_events=4, clean=True))

    stream = await clients.anthropic.messages.create(
        model="c", max_tokens=9, messages=[{"role": "user", "content": "Hi"}], stream=True
    )
    kinds = [event.type async for event in stream]

    assert kinds == ["message_start", "content_block_start", "content_block_delta"]
