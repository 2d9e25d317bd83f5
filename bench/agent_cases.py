"""The three agent runs that are compared, and the floor: the same loop written by hand.

    text         one model call, an answer in words
    correction   structured output; the first answer is wrong, the second is right
    tools        three tool calls at once, then an answer

The module needs nothing but pydantic, because peers use it in environments of their own.
"""

import asyncio
import json
from typing import Any

from pydantic import BaseModel, ValidationError

CASES = ("text", "correction", "tools")
QUESTION, ANSWER = "hi", "done"
RIGHT: dict[str, Any] = {"city": "Paris", "population": 2_100_000, "tags": ["a", "b"]}
WRONG: dict[str, Any] = {**RIGHT, "population": "many"}
ARGUMENTS = {"x": 1}


class City(BaseModel):
    """What the structured case asks for."""

    city: str
    population: int
    tags: list[str]


async def tool_a(x: int) -> str:
    """Tool a."""
    return f"a{x}"


async def tool_b(x: int) -> str:
    """Tool b."""
    return f"b{x}"


async def tool_c(x: int) -> str:
    """Tool c."""
    return f"c{x}"


TOOLS = (tool_a, tool_b, tool_c)


def require_right(case: str, outcome: object) -> None:
    """Whoever is measured did the work."""
    expected: object = RIGHT if case == "correction" else ANSWER
    found = outcome.model_dump() if isinstance(outcome, BaseModel) else outcome
    if found != expected:
        raise AssertionError(f"{case}: {found!r} instead of {expected!r}")


def by_hand(case: str) -> Any:
    """The loop without a framework: what cannot be saved."""
    right, wrong, arguments = json.dumps(RIGHT), json.dumps(WRONG), json.dumps(ARGUMENTS)
    tools = {tool.__name__: tool for tool in TOOLS}

    async def answer(messages: list[Any]) -> tuple[str, list[tuple[str, str]]]:
        is_first = len(messages) == 1
        if case == "correction":
            return (wrong if is_first else right), []
        if case == "tools" and is_first:
            return "", [(name, arguments) for name in tools]
        return ANSWER, []

    async def run() -> object:
        messages: list[Any] = [{"role": "user", "content": QUESTION}]
        while True:
            text, calls = await answer(messages)
            if calls:
                results = await asyncio.gather(*(tools[name](**json.loads(args)) for name, args in calls))
                messages += [{"role": "tool", "content": result} for result in results]
            elif case != "correction":
                return text
            else:
                try:
                    return City.model_validate_json(text)
                except ValidationError as error:
                    messages.append({"role": "user", "content": str(error)})

    return run
