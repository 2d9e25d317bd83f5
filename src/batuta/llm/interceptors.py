"""Models around models that see, and may replace, request and answer: audit, guardrail, cost estimate, cache.

    model = AuditedModel(GuardedModel(inner, check_request=no_secrets), record=write_audit)

Each takes a `Model` and is one, so they combine in any order, streaming or not. Masking has a module of its own.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Protocol

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.messages import Answer, Delta, TextBlock, ThinkingBlock
from batuta.kernel.numbers import check_number
from batuta.kernel.usage import Usage
from batuta.llm.model import MODEL_CALL_TIMEOUT, Model, ModelRequest
from batuta.llm.prices import Prices, prices_of
from batuta.llm.tokens import TokenEstimator, estimate_tokens
from batuta.llm.wrapper import WrappedModel, closing


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One call of a model, as it was made and as it ended."""

    provider: str
    model: str
    request: ModelRequest
    answer: Answer | None
    error: BaseException | None
    seconds: float


class AuditedModel(WrappedModel):
    """Hands every call to a recorder, whichever way it ended."""

    def __init__(
        self, inner: Model, record: Callable[[AuditRecord], Awaitable[None]], *, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        super().__init__(inner)
        self._record = record
        self._clock = clock

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer and record."""
        started = self._clock.monotonic()
        try:
            answer = await self.inner.generate(request)
        except BaseException as error:
            await self._note(request, None, error, started)
            raise
        await self._note(request, answer, None, started)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Stream, and record when it ends or is left."""
        started = self._clock.monotonic()
        answer: Answer | None = None
        try:
            async with closing(self.inner.stream(request)) as items:
                async for item in items:
                    answer = item if isinstance(item, Answer) else answer
                    yield item
        except BaseException as error:
            await self._note(request, answer, None if answer else error, started)
            raise
        await self._note(request, answer, None, started)

    async def _note(
        self, request: ModelRequest, answer: Answer | None, error: BaseException | None, started: float
    ) -> None:
        await self._record(
            AuditRecord(
                provider=self.provider,
                model=self.name,
                request=request,
                answer=answer,
                error=error,
                seconds=self._clock.monotonic() - started,
            )
        )


CheckRequest = Callable[[ModelRequest], Awaitable[ModelRequest | None]]
CheckAnswer = Callable[[Answer], Awaitable[Answer | None]]


class GuardedModel(WrappedModel):
    """Checks what goes in and what comes out.

    A check returns a replacement, or `None` to let it pass, or raises (`ContentRefusedError` fits). With a check on
    answers a stream is held back until the whole answer has passed: what was shown cannot be taken back.
    """

    def __init__(
        self, inner: Model, *, check_request: CheckRequest | None = None, check_answer: CheckAnswer | None = None
    ) -> None:
        super().__init__(inner)
        self._check_request = check_request
        self._check_answer = check_answer

    async def generate(self, request: ModelRequest) -> Answer:
        """Check, answer, check."""
        return await self._passed(await self.inner.generate(await self._admitted(request)))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same; deltas come at once only if answers are not checked."""
        async with closing(self.inner.stream(await self._admitted(request))) as items:
            async for item in items:
                if self._check_answer is None:
                    yield item
                elif isinstance(item, Answer):
                    for piece in replayed(await self._passed(item)):
                        yield piece

    async def _admitted(self, request: ModelRequest) -> ModelRequest:
        replacement = None if self._check_request is None else await self._check_request(request)
        return request if replacement is None else replacement

    async def _passed(self, answer: Answer) -> Answer:
        replacement = None if self._check_answer is None else await self._check_answer(answer)
        return answer if replacement is None else replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a call will take at most. The cost is `None` where the price or the number of tokens is unknown."""

    input_tokens: int
    max_output_tokens: int | None
    max_cost: Decimal | None


class EstimatedModel(WrappedModel):
    """Tells the expected cost before each call; the listener may raise to keep it from being made."""

    def __init__(
        self,
        inner: Model,
        on_estimate: Callable[[Estimate], Awaitable[None]],
        *,
        prices: Prices | None = None,
        estimate: TokenEstimator = estimate_tokens,
    ) -> None:
        super().__init__(inner)
        self._on_estimate = on_estimate
        self._prices = prices or prices_of(inner)
        self._estimate = estimate

    async def generate(self, request: ModelRequest) -> Answer:
        """Tell, then answer."""
        await self._on_estimate(self.estimated(request))
        return await self.inner.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Tell, then stream."""
        await self._on_estimate(self.estimated(request))
        async with closing(self.inner.stream(request)) as items:
            async for item in items:
                yield item

    def estimated(self, request: ModelRequest) -> Estimate:
        """The estimate of a request."""
        tokens, limit = self._estimate(request), request.settings.max_tokens
        usage = Usage(input=tokens, output=limit or 0)
        cost = None if limit is None else self._prices.worst_case(self.provider, self.name, usage)
        return Estimate(input_tokens=tokens, max_output_tokens=limit, max_cost=cost)


class AnswerCache(Protocol):
    """Keeps answers by key; how many and for how long is its own affair."""

    async def get(self, key: str) -> Answer | None:
        """The answer of a key, if it is kept."""
        ...

    async def put(self, key: str, answer: Answer) -> None:
        """Keep an answer."""
        ...


class MemoryAnswerCache:
    """Keeps the newest answers of this process."""

    def __init__(self, limit: int = 1_000) -> None:
        check_number("limit", limit, at_least=1)
        self._limit = limit
        self._answers: dict[str, Answer] = {}

    async def get(self, key: str) -> Answer | None:
        """The answer of a key."""
        return self._answers.get(key)

    async def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; the oldest goes."""
        self._answers[key] = answer
        while len(self._answers) > self._limit:
            del self._answers[next(iter(self._answers))]


class CachedModel(WrappedModel):
    """Answers a request it has seen before from its cache. Such an answer used no tokens and cost nothing."""

    def __init__(self, inner: Model, cache: AnswerCache) -> None:
        super().__init__(inner)
        self._cache = cache

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer from the cache, or ask and keep."""
        key = self.key_of(request)
        known = await self._cache.get(key)
        if known is not None:
            return _from_cache(known, key)
        return await self._kept(key, await self.inner.generate(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same piece by piece."""
        key = self.key_of(request)
        known = await self._cache.get(key)
        if known is not None:
            for piece in replayed(_from_cache(known, key)):
                yield piece
            return
        async with closing(self.inner.stream(request)) as items:
            async for item in items:
                yield await self._kept(key, item) if isinstance(item, Answer) else item

    def key_of(self, request: ModelRequest) -> str:
        """Everything that decides the answer: the model and the request, its metadata and time limit aside."""
        asked = replace(
            request, metadata={}, understanding=(), settings=replace(request.settings, timeout=MODEL_CALL_TIMEOUT)
        )
        facts = {**asdict(asked), "messages": [message.model_dump(mode="json") for message in request.messages]}
        text = json.dumps([self.provider, self.name, facts], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    async def _kept(self, key: str, answer: Answer) -> Answer:
        if answer.stop_reason == "success":
            await self._cache.put(key, answer)
        return answer


def _from_cache(answer: Answer, key: str) -> Answer:
    return answer.model_copy(update={"usage": Usage(), "cost": Decimal(0), "cache_key": key})


def replayed(answer: Answer) -> list[Delta | Answer]:
    """A whole answer as a stream: one delta per text and thought, then the answer."""
    pieces: list[Delta | Answer] = []
    for block in answer.content:
        if isinstance(block, TextBlock) and block.text:
            pieces.append(Delta("text", block.text))
        elif isinstance(block, ThinkingBlock) and block.text:
            pieces.append(Delta("thinking", block.text))
    return [*pieces, answer]
