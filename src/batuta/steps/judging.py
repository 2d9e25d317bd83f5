"""Judging an answer: its structure first (cheap, always), then its meaning (injected, only if the structure holds)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from inspect import getattr_static, isawaitable
from typing import Any

from pydantic import BaseModel, ValidationError

from batuta.kernel.errors import ConfigurationError, InvalidAnswerError, Rejected
from batuta.pipelines.context import Context
from batuta.steps.correction import Kind
from batuta.steps.parser import Parsed, describe, parse_json

Validator = Callable[[Any, Context], Awaitable[None]]


class VerdictError(Exception):
    """An answer was refused; the agent corrects it or gives up."""

    def __init__(self, kind: Kind, reason: Exception, output: Any = None) -> None:
        super().__init__(str(reason))
        self.kind = kind
        self.reason = reason
        self.confidence = confidence_of(output)
        """What the refused answer called its confidence, if it could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Turns a text into a value of the declared type, or says why not."""

    output: Any
    validate: Validator | None = None
    min_confidence: float | None = None
    takes_cut_text: bool = False
    """A plain text that was cut off counts as an answer."""
    takes_no_text: bool = False
    """An answer may be without words: artefacts are not part of them."""

    async def __call__(self, text: str, ctx: Context, *, is_cut: bool = False) -> Any:
        """The value of an answer, which may have been cut off at its maximum of tokens; raises `VerdictError`."""
        value = await self._structured(text, is_cut=is_cut)
        if self.validate is not None and not ctx.is_dry_run:
            await self._meaningful(value, self.validate, ctx)
        self._confident(value)
        return value

    async def _structured(self, text: str, *, is_cut: bool) -> Any:
        try:
            value = self._text(text, is_cut=is_cut) if self.output is str else self._parsed(text, is_cut=is_cut)
            check = declared(value, "validate_structure")
            if check is not None:
                await check()
        except ValidationError as error:
            raise VerdictError("structural", InvalidAnswerError(describe(error))) from error
        except (InvalidAnswerError, Rejected, ValueError) as error:
            raise VerdictError("structural", _cut_off(error) if is_cut else error) from error
        return value

    def _text(self, text: str, *, is_cut: bool) -> str:
        """Words that are all there: half a letter is no letter, and no words are no answer."""
        if not text.strip() and not self.takes_no_text:
            raise Rejected("the answer is empty", hint="answer the request in words")
        if is_cut and not self.takes_cut_text:
            raise InvalidAnswerError("its end is missing")
        return text

    def _parsed(self, text: str, *, is_cut: bool) -> Any:
        """A repaired value counts only if all of it came: what is missing of one that was cut off is unknown."""
        parsed: Parsed[Any] = parse_json(text, self.output)
        if is_cut and parsed.strategy == "cleaned":
            raise InvalidAnswerError("its end is missing")
        return parsed.value

    async def _meaningful(self, value: Any, validate: Validator, ctx: Context) -> None:
        try:
            judging = validate(value, ctx)
            if not isawaitable(judging):
                raise ConfigurationError("validate is no async def: make it one, so that it can be awaited")
            await judging
        except Rejected as error:
            raise VerdictError("semantic", error, value) from error

    def _confident(self, value: Any) -> None:
        if self.min_confidence is None:
            return
        confidence = declared(value, "confidence")
        if confidence is None or confidence >= self.min_confidence:
            return
        reason = Rejected(
            f"the confidence {confidence} is below {self.min_confidence}",
            hint="look at the request again and answer only what you are sure of",
        )
        raise VerdictError("confidence", reason, value)


def _cut_off(error: Exception) -> Rejected:
    return Rejected(
        f"the answer was cut off at its maximum of tokens (ModelSettings.max_tokens): {error}",
        hint="answer again, more briefly, so that the whole answer fits",
    )


def declared(output: Any, name: str) -> Any:
    """An attribute of an output, or `None`.

    A pydantic model goes a long way before it says that it has no such field, so its class is asked once.
    """
    if isinstance(output, BaseModel) and not _may_have(type(output), name):
        return None
    return getattr(output, name, None)


def confidence_of(output: Any) -> float | None:
    """What an output calls its confidence, if the telemetry contract has room for it."""
    value = declared(output, "confidence")
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


@lru_cache(maxsize=1_024)
def _may_have(model: type[BaseModel], name: str) -> bool:
    return (
        name in model.model_fields
        or model.model_config.get("extra") == "allow"
        or getattr_static(model, name, None) is not None
        or getattr_static(model, "__getattr__", None) is not getattr_static(BaseModel, "__getattr__", None)
    )
