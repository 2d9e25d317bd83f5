"""`@tool`: name, description and schema from the function, options into the policy."""

from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from batuta.kernel.errors import ConfigurationError, InvalidArgumentsError
from batuta.tools import RateLimit, ToolContext, tool


class Colour(Enum):
    RED = "red"


class Line(BaseModel):
    sku: str
    quantity: int = Field(gt=0)


@tool(effect="read", timeout=2.0)
async def stock(sku: str) -> int:
    """Units on hand of one item.

    Args:
        sku: Item number.
    """
    return {"A-100": 7}[sku]


def test_the_schema_has_types_and_descriptions_and_no_titles() -> None:
    """F-50, as the acceptance example states it."""
    assert stock.schema["properties"]["sku"] == {"type": "string", "description": "Item number."}
    assert stock.schema["required"] == ["sku"]
    assert "title" not in stock.schema


def test_the_model_sees_name_description_and_schema() -> None:
    """F-50."""
    assert (stock.spec.name, stock.spec.description) == ("stock", "Units on hand of one item.")
    assert stock.spec.schema is stock.schema


GOOGLE = """Look something up.

Args:
    word: What to find.
"""
NUMPY = """Look something up.

Parameters
----------
word : str
    What to find.
"""
REST = """Look something up.

:param word: What to find.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_arguments_are_described_in_any_usual_docstring_style(docstring: str) -> None:
    """F-50."""

    async def look_up(word: str) -> str:
        return word

    look_up.__doc__ = docstring
    described = tool(look_up)

    assert described.description == "Look something up."
    assert described.schema["properties"]["word"]["description"] == "What to find."


def test_a_bare_decorator_takes_everything_from_the_function() -> None:
    @tool
    async def next_free_slot(day: date, title: str = "meeting") -> str:
        return f"{title} on {day}"

    assert next_free_slot.description == "next free slot"
    assert next_free_slot.schema["properties"]["title"] == {"type": "string", "default": "meeting"}
    assert next_free_slot.schema["required"] == ["day"]


def test_an_annotation_wins_over_the_docstring() -> None:
    @tool
    async def find(word: Annotated[str, Field(description="From the annotation.", max_length=5)]) -> str:
        """Find.

        Args:
            word: From the docstring.
        """
        return word

    assert find.schema["properties"]["word"] == {
        "type": "string",
        "description": "From the annotation.",
        "maxLength": 5,
    }


def test_a_context_parameter_is_injected_and_not_in_the_schema() -> None:
    @tool
    async def whoami(ctx: ToolContext) -> str:
        return ctx.agent_id

    assert whoami.schema["properties"] == {}


async def test_a_tool_can_be_called_alone_in_a_test() -> None:
    """Its arguments are checked as if a model had sent them, and its errors are raised."""

    @tool
    async def greet(name: str, ctx: ToolContext) -> str:
        return f"{name} from {ctx.agent_id}"

    assert await greet.call(ToolContext(agent_id="clerk"), name="Ada") == "Ada from clerk"
    with pytest.raises(InvalidArgumentsError, match="name: is required"):
        await greet.call()


def test_a_tool_is_not_callable_like_its_function() -> None:
    assert not callable(stock)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"day": "2026-03-01"}, {"day": date(2026, 3, 1)}),
        ({"price": "1.10"}, {"price": Decimal("1.10")}),
        ({"colour": "red"}, {"colour": Colour.RED}),
        ({"lines": [{"sku": "A", "quantity": 2}]}, {"lines": [Line(sku="A", quantity=2)]}),
        ({"ratio": 1}, {"ratio": 1.0}),
        ({"pair": [1, 2]}, {"pair": (1, 2)}),
        ({"mode": "fast"}, {"mode": "fast"}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
async def test_json_arguments_arrive_in_their_python_types(args: dict[str, Any], expected: dict[str, Any]) -> None:
    """F-50: JSON has no dates, decimals or tuples, the signature has."""
    assert await many_types.call(**args) == expected


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"day": 3}, "day"),
        ({"ratio": "1.5"}, "ratio"),
        ({"colour": "blue"}, "colour"),
        ({"lines": [{"sku": "A", "quantity": 0}]}, "lines.0.quantity"),
        ({"mode": "slow"}, "mode"),
        ({"unheard_of": 1}, "unheard_of"),
        ({"ratio": True}, "ratio"),
        ({"pair": [1, 2.5]}, "pair.1"),
    ],
)
async def test_arguments_are_checked_strictly_and_the_error_names_them(args: dict[str, Any], problem: str) -> None:
    """F-50."""
    with pytest.raises(InvalidArgumentsError) as caught:
        await many_types.call(**args)

    assert list(caught.value.problems) == [problem]
    assert problem in str(caught.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e400, object()])
async def test_bi11_what_json_cannot_say_is_refused(value: object) -> None:
    """BI-11."""
    with pytest.raises(InvalidArgumentsError, match="no JSON"):
        await many_types.call(ratio=value)


@tool
async def many_types(
    day: date | None = None,
    price: Decimal | None = None,
    colour: Colour | None = None,
    lines: list[Line] | None = None,
    ratio: float | None = None,
    pair: tuple[int, int] | None = None,
    mode: Literal["fast", "exact"] | None = None,
) -> dict[str, object]:
    given = {"day": day, "price": price, "colour": colour, "lines": lines, "ratio": ratio, "pair": pair, "mode": mode}
    return {name: value for name, value in given.items() if value is not None}


async def _sync_like(x: int) -> int:
    return x


def _blocking(x: int) -> int:
    return x


async def _no_annotation(x) -> int:  # type: ignore[no-untyped-def]
    return 1


async def _star(*words: str) -> None: ...


async def _unknown_type(x: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_blocking, "asyncio.to_thread"),
        (_no_annotation, "has no annotation"),
        (_star, "cannot be given by name"),
        (_unknown_type, "Nowhere"),
    ],
)
def test_a_function_that_cannot_be_a_tool_says_why(function: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        tool(function)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "no spaces"}, "1 to 64 letters"),
        ({"timeout": 0}, "timeout is a time above zero"),
        ({"max_concurrency": 0}, "at least 1"),
        ({"roles": "buyer"}, "set of names"),
        ({"retries": 3}, "no option retries"),
    ],
)
def test_contradicting_options_are_refused_when_declared(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        tool(**options)(_sync_like)


def test_a_rate_limit_lets_something_through() -> None:
    with pytest.raises(ConfigurationError):
        RateLimit(0, timedelta(seconds=1))


def test_the_kind_sets_default_limits_and_a_declared_limit_wins() -> None:
    """F-53."""
    external = tool(kind="external")(_sync_like).policy.limits
    declared = tool(kind="external", timeout=timedelta(minutes=1), max_concurrency=2)(_sync_like).policy.limits
    default = tool(_sync_like).policy.limits

    assert (external.timeout, external.max_concurrency) == (timedelta(seconds=30), 8)
    assert external.rate == declared.rate == RateLimit(10, timedelta(seconds=1))
    assert (declared.timeout, declared.max_concurrency) == (timedelta(minutes=1), 2)
    assert (default.timeout, default.rate, default.max_concurrency) == (timedelta(seconds=30), None, None)


def test_redaction_reaches_every_depth() -> None:
    """F-52."""
    policy = tool(redact={"password"})(_sync_like).policy

    shown = policy.redacted({"user": "ada", "login": [{"password": "s3cret"}], "password": {"value": "s3cret"}})

    assert shown == {"user": "ada", "login": [{"password": "[redacted]"}], "password": "[redacted]"}
