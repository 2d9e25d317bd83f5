"""What stands around an embedding model: batches, retries with breaker and limit, budgets."""

import asyncio
from collections.abc import Iterator, Sequence
from decimal import Decimal

from batuta import resilience
from batuta.kernel.errors import BatutaError, ProviderTimeoutError
from batuta.kernel.usage import Amount, Usage
from batuta.llm.budget import Budget, BudgetLedger
from batuta.llm.budgeted import is_free
from batuta.llm.embedding import EMBEDDING_TIMEOUT, MAX_TEXT_CHARS, EmbeddingModel, EmbeddingPurpose, Embeddings
from batuta.llm.prices import Prices, prices_of
from batuta.llm.resilient import Protection
from batuta.llm.tokens import count_roughly
from batuta.llm.wrapper import Wrapper
from batuta.resilience.retry import retrying

MAX_BATCH_TOKENS = 100_000
"""Of one call; OpenAI takes 300,000, others less."""


class WrappedEmbeddings(Wrapper[EmbeddingModel]):
    """An embedding model around another. Those that inherit change what they need to."""

    @property
    def dimensions(self) -> int | None:
        """See `EmbeddingModel`."""
        return self.inner.dimensions

    @property
    def batch_size(self) -> int:
        """See `EmbeddingModel`."""
        return self.inner.batch_size

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`."""
        return await self.inner.embed(texts, purpose)


class BatchedEmbeddings(WrappedEmbeddings):
    """Takes any number of texts of any length: cuts the long ones, and calls as often as it must."""

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`."""
        parts = [await self.inner.embed(batch, purpose) for batch in batches(texts, self.batch_size)]
        usages = [part.usage for part in parts]
        costs = [part.cost for part in parts]
        return Embeddings(
            vectors=tuple(vector for part in parts for vector in part.vectors),
            model=parts[0].model if parts else self.name,
            usage=None if None in usages else sum((usage for usage in usages if usage is not None), Usage()),
            cost=None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0)),
        )


class ResilientEmbeddings(WrappedEmbeddings):
    """Tries again what may pass, within a time limit; a breaker and a limiter admit each try."""

    def __init__(self, inner: EmbeddingModel, protection: Protection) -> None:
        super().__init__(inner)
        self._protection = protection
        service = getattr(inner, "service", None) or getattr(getattr(inner, "inner", None), "service", inner.provider)
        self._key = f"{service}:{inner.name}"

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`."""
        rules = self._protection
        return await retrying(lambda: self._embed_once(texts, purpose), rules.retry, clock=rules.clock, rand=rules.rand)

    async def _embed_once(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        breaker, limiter = self._protection.breaker, self._protection.limiter
        if breaker is not None:
            await breaker.ask(self._key, clock=self._protection.clock)
        try:
            throttled = None if limiter is None else await limiter.reserve(self._key)
            if limiter is not None and throttled is not None:
                await limiter.settle(throttled)
            found = await self._embed_within_limit(texts, purpose)
        except BaseException as error:
            if breaker is not None:
                await breaker.tell(self._key, resilience.signal_of(error), clock=self._protection.clock)
            raise
        if breaker is not None:
            await breaker.tell(self._key, resilience.Signal.SUCCEEDED, clock=self._protection.clock)
        return found

    async def _embed_within_limit(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        seconds = EMBEDDING_TIMEOUT.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                return await self.inner.embed(texts, purpose)
        except TimeoutError as error:
            raise ProviderTimeoutError(f"no vectors within {seconds:g} s") from error


class BudgetedEmbeddings(WrappedEmbeddings):
    """Counts each call against budgets; one that does not fit is not made. Put it inside `ResilientEmbeddings`."""

    def __init__(self, inner: EmbeddingModel, ledger: BudgetLedger, budgets: Sequence[Budget]) -> None:
        super().__init__(inner)
        self._ledger = ledger
        self._budgets = tuple(budgets)
        self._prices: Prices = prices_of(inner)

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        """See `EmbeddingModel`."""
        worst = Usage(input=sum(map(count_roughly, texts)))
        amount = Amount(worst.total, self._prices.cost(self.provider, self.name, worst))
        reservation = await self._ledger.reserve(self._budgets, amount)
        try:
            found = await self.inner.embed(texts, purpose)
        except BaseException as error:
            is_charged = not (isinstance(error, BatutaError) and is_free(error))
            await self._ledger.settle(reservation, amount if is_charged else Amount())
            raise
        used = amount if found.usage is None else Amount(found.usage.total, found.cost)
        await self._ledger.settle(reservation, used)
        return found


def batches(texts: Sequence[str], size: int, *, max_tokens: int = MAX_BATCH_TOKENS) -> Iterator[list[str]]:
    """The texts in their order, as many at once as one call takes."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        cut = text[:MAX_TEXT_CHARS]
        needed = count_roughly(cut)
        if batch and (len(batch) == size or tokens + needed > max_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(cut)
        tokens += needed
    if batch:
        yield batch
