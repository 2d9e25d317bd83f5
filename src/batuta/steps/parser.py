"""From a model's text to a typed object. It never asks again: correction belongs to agents.

Strategies, in this order: the text is JSON (`direct`); it stands in a code fence (`fenced`); a JSON value stands in
the text (`embedded`); something like JSON can be repaired (`cleaned`). The first value of the asked type wins.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

import json_repair
from pydantic import TypeAdapter, ValidationError

from batuta.kernel.errors import InvalidAnswerError, NoJsonFoundError
from batuta.pipelines.context import Context
from batuta.pipelines.step import Step

T = TypeVar("T")

Strategy = Literal["direct", "fenced", "embedded", "cleaned"]

MAX_CANDIDATES = 64
"""How many places of one text are tried; enough for any answer, and a bound for a hostile one."""
MAX_TEXT = 2_000_000

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A typed value, and how it was found."""

    value: T
    strategy: Strategy


def parse_json(text: str, into: type[T] | Any) -> Parsed[T]:
    """The first value of a type that a text holds.

    Raises `NoJsonFoundError` if there is no JSON at all, and `InvalidAnswerError`, naming each field that is wrong,
    if what is there does not have the asked structure.
    """
    if len(text) > MAX_TEXT:
        raise InvalidAnswerError(f"the text has {len(text)} characters; at most {MAX_TEXT} are parsed")
    adapter = adapter_for(into)
    mismatch: ValidationError | None = None
    for strategy, candidates in _STRATEGIES:
        for candidate in candidates(text):
            try:
                return Parsed(adapter.validate_python(candidate), strategy)
            except ValidationError as error:
                mismatch = mismatch or error
    if mismatch is None:
        raise NoJsonFoundError("the text holds no JSON value")
    raise InvalidAnswerError(describe(mismatch)) from mismatch


class ParserStep(Step[str, T]):
    """A text becomes a typed object, or the step fails. The strategy is told with the step's completed event."""

    def __init__(self, into: type[T], *, name: str = "parse") -> None:
        super().__init__(name, input_type=str, output_type=into)
        self._into = into

    async def _perform(self, value: str, ctx: Context) -> T:
        parsed: Parsed[T] = parse_json(value, self._into)
        ctx.note(strategy=parsed.strategy)
        return parsed.value


def describe(error: ValidationError) -> str:
    """A validation error in words a model can act on: each place and what is wrong there."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'value'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    )


@lru_cache(maxsize=256)
def _cached_adapter(into: Any) -> TypeAdapter[Any]:
    return TypeAdapter(into)


def adapter_for(into: Any) -> TypeAdapter[Any]:
    """The validator of a type, made once where the type can be remembered."""
    try:
        return _cached_adapter(into)
    except TypeError:
        return TypeAdapter(into)


def _direct(text: str) -> Iterator[Any]:
    yield from _loaded(text)


def _fenced(text: str) -> Iterator[Any]:
    for block in _FENCE.findall(text)[:MAX_CANDIDATES]:
        yield from _loaded(block)


def _embedded(text: str) -> Iterator[Any]:
    """Values that stand in the text, outermost first, each place tried once."""
    position, tries = 0, 0
    while tries < MAX_CANDIDATES and (opening := _OPENING.search(text, position)):
        tries += 1
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.start() + 1
        else:
            yield value


def _cleaned(text: str) -> Iterator[Any]:
    """What a repair library makes of the fenced blocks and of everything from the first bracket on."""
    blocks = [block for block in _FENCE.findall(text) if _OPENING.search(block)]
    for block in [*blocks[:MAX_CANDIDATES], text]:
        opening = _OPENING.search(block)
        if opening is None:
            continue
        try:
            repaired = json_repair.loads(block[opening.start() :])
        except (ValueError, RecursionError):
            continue
        if isinstance(repaired, (dict, list)) and repaired:
            yield repaired


def _loaded(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        return


_STRATEGIES: tuple[tuple[Strategy, Callable[[str], Iterator[Any]]], ...] = (
    ("direct", _direct),
    ("fenced", _fenced),
    ("embedded", _embedded),
    ("cleaned", _cleaned),
)
