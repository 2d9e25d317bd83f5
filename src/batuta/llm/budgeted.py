"""A model whose calls count against budgets: reserve, call, settle."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from batuta.kernel.errors import (
    CircuitOpenError,
    ConfigurationError,
    ProviderRejectedError,
    ProviderUnavailableError,
    RateLimitedError,
)
from batuta.kernel.messages import Answer, Delta
from batuta.kernel.usage import Amount, Usage, note_lost_try
from batuta.llm.budget import Budget, BudgetLedger, Reservation
from batuta.llm.model import Model, ModelRequest
from batuta.llm.prices import Prices, prices_of
from batuta.llm.tokens import TokenEstimator, count_roughly, estimate_tokens
from batuta.llm.wrapper import WrappedModel, closing

MAX_TOKENS_OF_A_BUDGETED_CALL = 4_096
"""Asked for when the settings name no maximum: without one a call has no worst case."""
NEVER_CHARGED = (ProviderRejectedError, RateLimitedError, CircuitOpenError, ConfigurationError)


class LostTriesModel(WrappedModel):
    """Notes tries whose answer was lost, where no budget does: their provider may count them.

    Nothing is estimated before a try is lost.
    """

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self._prices = prices_of(inner)

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once; if it fails with an unknown end, note its worst case."""
        try:
            return await self.inner.generate(request)
        except BaseException as error:
            if not is_free(error):
                note_lost_try(worst_case(request, self.inner, self._prices))
            raise

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same piece by piece."""
        is_answered = False
        try:
            async with closing(self.inner.stream(request)) as items:
                async for item in items:
                    is_answered = is_answered or isinstance(item, Answer)
                    yield item
        except BaseException as error:
            if not (is_answered or is_free(error)):
                note_lost_try(worst_case(request, self.inner, self._prices))
            raise


def worst_case(
    request: ModelRequest, model: Model, prices: Prices | None = None, estimate: TokenEstimator = estimate_tokens
) -> Amount:
    """The most that one try of a request may take."""
    output = request.settings.max_tokens
    if output is None:
        output = MAX_TOKENS_OF_A_BUDGETED_CALL + (request.settings.thinking_budget_tokens or 0)
    worst = Usage(input=estimate(request), output=output)
    return Amount(worst.total, (prices or prices_of(model)).worst_case(model.provider, model.name, worst))


class BudgetedModel(WrappedModel):
    """Counts each call against all given budgets; one that does not fit is not made.

    Put it inside `ResilientModel`: each try may cost. A try that the provider answered with an error costs nothing.
    One whose end is unknown (timeout, broken connection, cancellation) counts with what was received of the stream,
    or with its worst case if it was not streamed.
    """

    def __init__(
        self,
        inner: Model,
        ledger: BudgetLedger,
        budgets: Sequence[Budget],
        *,
        prices: Prices | None = None,
        estimate: TokenEstimator = estimate_tokens,
    ) -> None:
        super().__init__(inner)
        self._ledger = ledger
        self._budgets = tuple(budgets)
        self._prices = prices or prices_of(inner)
        self._estimate = estimate

    async def generate(self, request: ModelRequest) -> Answer:
        """Reserve, answer, settle."""
        bounded = _bounded(request)
        reservation = await self._reserve(bounded)
        try:
            answer = await self.inner.generate(bounded)
        except BaseException as error:
            await self._settle_lost(reservation, Amount() if is_free(error) else reservation.amount)
            raise
        await self._ledger.settle(reservation, self._actual(answer, reservation))
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same piece by piece; a reader that stops pays for what came so far."""
        bounded = _bounded(request)
        reservation = await self._reserve(bounded)
        received = _Received(self._estimate(bounded))
        try:
            async with closing(self.inner.stream(bounded)) as items:
                async for item in items:
                    received.add(item)
                    yield item
        except BaseException as error:
            costs_nothing = is_free(error) and received.is_empty
            taken = Amount() if costs_nothing else self._so_far(received, reservation)
            if received.answer is not None:  # its reader left with it
                await self._ledger.settle(reservation, taken)
            else:
                await self._settle_lost(reservation, taken)
            raise
        await self._ledger.settle(reservation, self._so_far(received, reservation))

    async def _reserve(self, request: ModelRequest) -> Reservation:
        return await self._ledger.reserve(self._budgets, worst_case(request, self, self._prices, self._estimate))

    async def _settle_lost(self, reservation: Reservation, amount: Amount) -> None:
        note_lost_try(amount)
        await self._ledger.settle(reservation, amount)

    def _actual(self, answer: Answer, reservation: Reservation) -> Amount:
        if answer.usage is None:
            return reservation.amount
        cost = answer.cost if answer.cost is not None else self._prices.cost(self.provider, self.name, answer.usage)
        return Amount(answer.usage.total, cost)

    def _so_far(self, received: "_Received", reservation: Reservation) -> Amount:
        if received.answer is not None:
            return self._actual(received.answer, reservation)
        usage = Usage(input=received.input_tokens, output=received.output_tokens)
        return Amount(usage.total, self._prices.cost(self.provider, self.name, usage))


class _Received:
    """What came of a stream so far."""

    def __init__(self, input_tokens: int) -> None:
        self.input_tokens = input_tokens
        self.output_tokens = 0
        self.answer: Answer | None = None

    @property
    def is_empty(self) -> bool:
        return self.output_tokens == 0 and self.answer is None

    def add(self, item: Delta | Answer) -> None:
        if isinstance(item, Answer):
            self.answer = item
        else:
            self.output_tokens += count_roughly(item.text)


def _bounded(request: ModelRequest) -> ModelRequest:
    settings = request.settings
    if settings.max_tokens is not None:
        return request
    limit = MAX_TOKENS_OF_A_BUDGETED_CALL + (settings.thinking_budget_tokens or 0)
    return replace(request, settings=replace(settings, max_tokens=limit))


def is_free(error: BaseException) -> bool:
    """Whether the provider charges nothing for a call that ended so: it refused, or answered with an error status."""
    is_error_status = isinstance(error, ProviderUnavailableError) and error.status is not None
    return is_error_status or isinstance(error, NEVER_CHARGED)
