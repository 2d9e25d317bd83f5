"""From a model's text to a typed object. It never asks again: correction belongs to agents.

Strategies, in this order: the text is JSON (`direct`); it stands in a code fence (`fenced`); a JSON value stands in
the text (`embedded`); something like JSON can be repaired (`cleaned`). The first value of the asked type wins.
"""

import importlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from batuta.kernel.errors import InvalidAnswerError, NoJsonFoundError
from batuta.pipelines.context import Context
from batuta.pipelines.step import Step

T = TypeVar("T")

Strategy = Literal["direct", "fenced", "embedded", "cleaned"]

MAX_CANDIDATES = 1_000
"""How many places of one text are tried; enough for any answer, and a bound for a hostile one."""
MAX_TEXT = 2_000_000
MAX_REPAIRED = 200_000
"""Longer texts are not repaired."""
REPAIR_SECONDS = 1.0
"""How long all repairs of one text may take: what a hostile text asks of the library grows with its square."""
MAX_PROBLEMS = 20

_FENCE_MARK = "```"
_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


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
    mismatches: list[ValidationError] = []
    for strategy, candidate in _candidates(text.removeprefix(_BOM)):
        try:
            # As JSON, so that a strict model takes a date or an enum member as JSON can write it.
            return Parsed(adapter.validate_json(json.dumps(candidate)), strategy)
        except ValidationError as error:
            mismatches.append(error)
        except RecursionError:
            continue
    if not mismatches:
        raise NoJsonFoundError("the text holds no JSON value")
    raise InvalidAnswerError(describe(mismatches[0])) from mismatches.pop(0)


class ParserStep(Step[str, T]):
    """A text becomes a typed object, or the step fails. The step's completed event names the strategy."""

    def __init__(self, into: type[T], *, name: str = "parse") -> None:
        super().__init__(name, input_type=str, output_type=into)
        self._into = into

    async def _perform(self, value: str, ctx: Context) -> T:
        parsed: Parsed[T] = parse_json(value, self._into)
        ctx.note(strategy=parsed.strategy)
        return parsed.value


def describe(error: ValidationError) -> str:
    """A validation error in words a model can act on: each place and what is wrong there."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    described = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'value'}: {problem['msg']}"
        for problem in problems[:MAX_PROBLEMS]
    ]
    more = len(problems) - len(described)
    return "; ".join([*described, f"and {more} more"] if more else described)


@lru_cache(maxsize=256)
def _cached_adapter(into: Any) -> TypeAdapter[Any]:
    return TypeAdapter(into)


def adapter_for(into: Any) -> TypeAdapter[Any]:
    """The validator of a type, made once where the type can be remembered."""
    try:
        return _cached_adapter(into)
    except TypeError:
        return TypeAdapter(into)


def _candidates(text: str) -> Iterator[tuple[Strategy, Any]]:
    """The values a text may mean. One that is an object or list as a whole, without fences, holds no other value."""
    for strategy, found in _STRATEGIES:
        for candidate in found(text):
            yield strategy, candidate
            if strategy == "direct" and isinstance(candidate, (dict, list)) and _FENCE_MARK not in text:
                return


def _fenced(text: str) -> Iterator[Any]:
    for block in _FENCE.findall(text)[:MAX_CANDIDATES]:
        yield from _loaded(block)


def _embedded(text: str) -> Iterator[Any]:
    """Values that stand in the text. What is inside of something broken is no value of its own: that is skipped."""
    position, tries = 0, 0
    while tries < MAX_CANDIDATES and (opening := _OPENING.search(text, position)):
        tries += 1
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except json.JSONDecodeError as error:
            position = max(error.pos, opening.start() + 1)
        except (ValueError, RecursionError):
            return
        else:
            yield value


def _cleaned(text: str) -> Iterator[Any]:
    """What a repair library makes of the fenced blocks and of everything from the first bracket on."""
    blocks = [block for block in _FENCE.findall(text) if _OPENING.search(block)]
    deadline = time.perf_counter() + REPAIR_SECONDS
    for block in [*blocks[:MAX_CANDIDATES], text]:
        opening = _OPENING.search(block)
        if opening is None or len(block) > MAX_REPAIRED:
            continue
        try:
            with _stopped_at(deadline):
                repaired = _repairer().loads(block[opening.start() :])
        except (ValueError, RecursionError):
            continue
        except TimeoutError:
            return
        if isinstance(repaired, (dict, list)) and repaired:
            yield repaired


@contextmanager
def _stopped_at(deadline: float) -> Iterator[None]:
    """Stop code that does not stop by itself: `TimeoutError` is raised inside it when it next calls something."""

    def check(*_: object) -> None:
        if time.perf_counter() > deadline:
            raise TimeoutError

    before = sys.getprofile()
    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)


@cache
def _repairer() -> Any:
    """The repair library, imported with the first text that needs it."""
    return importlib.import_module("json_repair")


def _loaded(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        return


_STRATEGIES: tuple[tuple[Strategy, Callable[[str], Iterator[Any]]], ...] = (
    ("direct", _loaded),
    ("fenced", _fenced),
    ("embedded", _embedded),
    ("cleaned", _cleaned),
)
