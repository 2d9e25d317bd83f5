"""What tokens cost. An unknown price is `None`, never zero.

The table comes with the provider extras (package `genai-prices`); `Prices(overrides=…)` corrects and completes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

from batuta.kernel.errors import MissingExtraError
from batuta.kernel.extras import load_extra
from batuta.kernel.numbers import check_number
from batuta.kernel.usage import Usage

MILLION = Decimal(1_000_000)
LIBRARY_NAMES = {"xai": "x-ai", "openai-chat": "openai", "openai-responses": "openai"}
"""Our providers whose name in the price library differs."""
WITHOUT_LIST_PRICE = frozenset({"ollama", "vllm", "lmstudio", "openai-compatible", "unknown"})
"""Served by the user: the library would take a list price from a provider that happens to sell the same model."""

FREE = frozenset({"offline"})
"""Runs in this process: its price is known, and it is zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price per million tokens, in US dollars. Cached tokens cost the input price unless said otherwise."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    context_tokens: int | None = None
    """How long a request and its answer may be together: bounds the cost of a call before it is made."""

    def __post_init__(self) -> None:
        """Refuse a price below nothing: a budget would grow by being used."""
        for name in ("input", "output", "cache_read", "cache_write"):
            check_number(f"the price of {name} tokens", getattr(self, name), is_whole=False)

    def of(self, usage: Usage) -> Decimal:
        """The cost of some usage."""
        cache_read = self.input if self.cache_read is None else self.cache_read
        cache_write = self.input if self.cache_write is None else self.cache_write
        fresh = max(usage.input - usage.cache_read - usage.cache_write, 0)
        total = (
            fresh * self.input
            + usage.cache_read * cache_read
            + usage.cache_write * cache_write
            + usage.output * self.output
        )
        return total / MILLION


_Steps: TypeAlias = tuple[tuple[int, Price], ...]


class Prices:
    """Looks prices up: overrides first, by `provider:model` or `model` alone, then the library."""

    def __init__(self, overrides: Mapping[str, Price] | None = None) -> None:
        self._overrides = dict(overrides or {})
        self._found: dict[tuple[str, str], Any] = {}
        """What the library says of a model: its price, as ours where that can be, or `None` if it has none."""

    def cost(self, provider: str, model: str, usage: Usage) -> Decimal | None:
        """The cost of a call, or `None` if the model has no known price."""
        price = self._overrides.get(f"{provider}:{model}") or self._overrides.get(model)
        if price is None and provider in FREE:
            return Decimal(0)
        return price.of(usage) if price is not None else self._library_cost(provider, model, usage)

    def worst_case(self, provider: str, model: str, usage: Usage) -> Decimal | None:
        """The most such a call can cost: its whole prompt might be written to the cache, which may cost extra."""
        plain = self.cost(provider, model, usage)
        if plain is None:
            return None
        written = self.cost(provider, model, replace(usage, cache_write=usage.input))
        return plain if written is None else max(plain, written)

    def dearest_call(self, provider: str, model: str, output_tokens: int | None) -> Decimal | None:
        """The most that any call can cost: a prompt as long as the model takes, and the longest answer to it."""
        window = 0 if provider in FREE else self._context_tokens(provider, model)
        if window is None:
            return None
        output = window if output_tokens is None else min(output_tokens, window)
        return self.worst_case(provider, model, Usage(input=window, output=output))

    def _context_tokens(self, provider: str, model: str) -> int | None:
        price = self._overrides.get(f"{provider}:{model}") or self._overrides.get(model)
        if price is not None and price.context_tokens is not None:
            return price.context_tokens
        if provider in WITHOUT_LIST_PRICE:
            return None
        try:
            library = load_extra("genai_prices", extra=provider, needed_for="the price list")
            found = library.calc_price(library.Usage(), model, provider_id=LIBRARY_NAMES.get(provider, provider))
        except (MissingExtraError, LookupError):
            return None
        window: int | None = found.model.context_window
        return window

    def _library_cost(self, provider: str, model: str, usage: Usage) -> Decimal | None:
        name = LIBRARY_NAMES.get(provider, provider)
        known = self._found.get((name, model), _NOT_ASKED)
        if provider in WITHOUT_LIST_PRICE or known is None:
            return None
        if isinstance(known, tuple):
            steps: _Steps = known
            return next(price for start, price in steps if usage.input > start).of(usage)
        try:
            library = load_extra("genai_prices", extra=provider, needed_for="the price list")
        except MissingExtraError:
            return None
        counted = library.Usage(
            input_tokens=usage.input,
            output_tokens=usage.output,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
        )
        return self._calculated(library, name, model, counted)

    def _calculated(self, library: Any, provider: str, model: str, counted: Any) -> Decimal | None:
        known = self._found.get((provider, model))
        if known is not None:
            return Decimal(known.calc_price(counted)["total_price"])
        try:
            result = library.calc_price(counted, model, provider_id=provider)
        except LookupError:
            self._found[provider, model] = None
            return None
        if result.model.prices is result.model_price:
            # A search takes a tenth of a millisecond. A price that depends on the date is looked up each time.
            self._found[provider, model] = _steps(result.model_price) or result.model_price
        return Decimal(result.total_price)


_TOKEN_KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
"""Our kinds of tokens, by their names in the library."""


def _steps(found: Any) -> _Steps | None:
    """A price of the library as ours, which are applied far sooner: with the prompt's length above which each holds,
    the longest first. Nothing if it asks for something besides tokens.
    """
    kinds = {name: getattr(found, theirs) for name, theirs in _TOKEN_KINDS.items()}
    if found.requests_kcount is not None or kinds["input"] is None or kinds["output"] is None:
        return None
    starts = {tier.start for kind in kinds.values() for tier in getattr(kind, "tiers", ())}
    return tuple(
        (start, Price(**{name: _above(kind, start) for name, kind in kinds.items()}))
        for start in sorted({-1, *starts}, reverse=True)
    )


def _above(kind: Any, start: int) -> Any:
    """What the library asks for a kind of tokens in a prompt that is longer than this."""
    if kind is None or isinstance(kind, Decimal):
        return kind
    return next((tier.price for tier in reversed(kind.tiers) if tier.start <= start), kind.base)


_NOT_ASKED = object()
DEFAULT_PRICES = Prices()


def prices_of(model: object) -> Prices:
    """The prices that a model was made with, whatever is wrapped around it; else those of the library."""
    while model is not None:
        own = getattr(model, "prices", None)
        if isinstance(own, Prices):
            return own
        model = getattr(model, "inner", None)
    return DEFAULT_PRICES
