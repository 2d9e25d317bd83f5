"""Interceptors see and may replace request and answer, streaming too (F-44)."""

from dataclasses import replace
from decimal import Decimal

import pytest

from batuta.kernel.errors import BudgetExceededError, ContentRefusedError, ProviderTimeoutError
from batuta.kernel.messages import Answer, Delta, Message, TextBlock, ThinkingBlock
from batuta.kernel.usage import Usage
from batuta.llm.interceptors import (
    AuditedModel,
    AuditRecord,
    CachedModel,
    Estimate,
    EstimatedModel,
    GuardedModel,
    MemoryAnswerCache,
    replayed,
)
from batuta.llm.masking import MaskedModel
from batuta.llm.model import Model, ModelRequest
from batuta.llm.prices import Price, Prices
from batuta.testing.clock import FakeClock
from tests.unit.llm.doubles import PlayedModel, answer, answer_of, request

Items = list[Delta | Answer]


async def streamed(model: Model, asked: ModelRequest | None = None) -> Items:
    return [item async for item in model.stream(asked or request())]


class Audit:
    def __init__(self) -> None:
        self.records: list[AuditRecord] = []

    async def __call__(self, record: AuditRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize("streaming", [False, True])
async def test_audit_records_request_answer_and_time(streaming: bool) -> None:
    audit, clock = Audit(), FakeClock()
    model = AuditedModel(PlayedModel([answer()]), audit, clock=clock)
    await (streamed(model) if streaming else model.generate(request()))
    [record] = audit.records
    assert (record.provider, record.model, record.answer, record.error) == ("test", "m", answer(), None)
    assert record.request == request()


@pytest.mark.parametrize("streaming", [False, True])
async def test_audit_records_failures_too(streaming: bool) -> None:
    audit, error = Audit(), ProviderTimeoutError("late")
    model = AuditedModel(PlayedModel([error]), audit)
    with pytest.raises(ProviderTimeoutError):
        await (streamed(model) if streaming else model.generate(request()))
    assert audit.records[0].error is error


async def test_audit_records_a_stream_that_was_left() -> None:
    audit = Audit()
    stream = AuditedModel(PlayedModel([answer("one two")]), audit).stream(request())
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert isinstance(audit.records[0].error, GeneratorExit)


async def no_weapons(asked: ModelRequest) -> ModelRequest | None:
    if "weapon" in asked.text:
        raise ContentRefusedError("not about weapons")
    return replace(asked, system="Be kind.") if "rude" in asked.text else None


async def no_secrets(given: Answer) -> Answer | None:
    return answer("[withheld]") if "secret" in given.text else None


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_guardrail_refuses_a_request_before_it_is_sent(streaming: bool) -> None:
    inner = PlayedModel([answer()])
    model = GuardedModel(inner, check_request=no_weapons)
    with pytest.raises(ContentRefusedError):
        await (streamed(model, request("a weapon")) if streaming else model.generate(request("a weapon")))
    assert inner.requests == []


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_guardrail_may_replace_the_request(streaming: bool) -> None:
    inner = PlayedModel([answer()])
    model = GuardedModel(inner, check_request=no_weapons)
    await (streamed(model, request("rude words")) if streaming else model.generate(request("rude words")))
    assert inner.requests[0].system == "Be kind."


async def test_a_guardrail_may_replace_the_answer() -> None:
    model = GuardedModel(PlayedModel([answer("the secret is 7")]), check_answer=no_secrets)
    assert (await model.generate(request())).text == "[withheld]"


async def test_nothing_of_an_answer_is_streamed_before_it_was_checked() -> None:
    model = GuardedModel(PlayedModel([answer("the secret is 7")]), check_answer=no_secrets)
    assert await streamed(model) == [Delta("text", "[withheld]"), answer("[withheld]")]


async def test_without_a_check_on_answers_deltas_come_at_once() -> None:
    model = GuardedModel(PlayedModel([answer("one two")]), check_request=no_weapons)
    assert await streamed(model) == [Delta("text", "one"), Delta("text", "two"), answer("one two")]


class Estimates:
    def __init__(self, limit: Decimal = Decimal(1)) -> None:
        self.seen: list[Estimate] = []
        self._limit = limit

    async def __call__(self, estimate: Estimate) -> None:
        self.seen.append(estimate)
        if estimate.max_cost is not None and estimate.max_cost > self._limit:
            raise BudgetExceededError("too dear")


PRICES = Prices(overrides={"m": Price(input=Decimal(0), output=Decimal(1_000))})


@pytest.mark.parametrize("streaming", [False, True])
async def test_the_cost_is_told_before_the_call_and_may_prevent_it(streaming: bool) -> None:
    estimates, inner = Estimates(), PlayedModel([answer(), answer()])
    model = EstimatedModel(inner, estimates, prices=PRICES)
    await (streamed(model, request(max_tokens=500)) if streaming else model.generate(request(max_tokens=500)))
    with pytest.raises(BudgetExceededError):
        await model.generate(request(max_tokens=5_000))
    assert [estimate.max_cost for estimate in estimates.seen] == [Decimal("0.5"), Decimal(5)]
    assert len(inner.requests) == 1


async def test_without_a_maximum_the_cost_is_unknown() -> None:
    estimates = Estimates()
    await EstimatedModel(PlayedModel([answer()]), estimates, prices=PRICES).generate(request())
    assert estimates.seen[0].max_cost is None


async def test_the_same_request_is_answered_from_the_cache_for_nothing() -> None:
    paid = answer(usage=Usage(input=5, output=5), cost=Decimal("0.1"))
    inner = PlayedModel([paid])
    model = CachedModel(inner, MemoryAnswerCache())
    assert await model.generate(request()) == paid
    again = await model.generate(request())
    assert (again.text, again.cost, again.usage) == (paid.text, Decimal(0), Usage())
    assert len(inner.requests) == 1


async def test_a_cached_answer_streams_and_a_streamed_one_is_cached() -> None:
    model = CachedModel(PlayedModel([answer("one two")]), MemoryAnswerCache())
    assert len(await streamed(model)) == 3
    items = await streamed(model)
    assert items[0] == Delta("text", "one two")
    assert isinstance(items[1], Answer)


@pytest.mark.parametrize(
    "other",
    [
        request("other words"),
        request(temperature=0.5),
        replace(request(), system="Be kind."),
        replace(request(), tool_choice="none"),
    ],
)
def test_whatever_decides_the_answer_is_part_of_the_key(other: ModelRequest) -> None:
    model = CachedModel(PlayedModel([]), MemoryAnswerCache())
    assert model.key_of(request()) != model.key_of(other)


def test_who_asks_is_not_part_of_the_key() -> None:
    model = CachedModel(PlayedModel([]), MemoryAnswerCache())
    assert model.key_of(request()) == model.key_of(replace(request(), metadata={"user": "ana"}))


async def test_an_answer_that_was_cut_is_not_kept() -> None:
    cut = answer().model_copy(update={"stop_reason": "max_tokens"})
    inner = PlayedModel([cut, answer()])
    model = CachedModel(inner, MemoryAnswerCache())
    await model.generate(request())
    assert (await model.generate(request())).stop_reason == "success"


async def test_the_cache_keeps_the_newest() -> None:
    cache = MemoryAnswerCache(limit=2)
    for name in "abc":
        await cache.put(name, answer(name))
    assert [await cache.get(name) is not None for name in "abc"] == [False, True, True]


def test_a_whole_answer_replays_as_a_stream() -> None:
    whole = answer_of(ThinkingBlock(text="hm"), TextBlock(text="yes"))
    assert replayed(whole) == [Delta("thinking", "hm"), Delta("text", "yes"), whole]


async def test_interceptors_combine_in_any_order() -> None:
    audit, inner = Audit(), PlayedModel([answer("write to <EMAIL_1>")])
    model = AuditedModel(GuardedModel(MaskedModel(inner), check_answer=no_secrets), audit)
    assert isinstance(model, Model)
    result = await model.generate(ModelRequest(messages=(Message.user("mail ana@example.com"),)))
    assert result.text == "write to ana@example.com"
    assert inner.requests[0].text.strip() == "mail <EMAIL_1>"
    await model.aclose()
    assert inner.is_closed
