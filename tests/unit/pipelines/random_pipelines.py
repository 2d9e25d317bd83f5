"""Pipelines put together at random: functions, actions, switches, branches and pipelines in one another.

Every function counts its calls; some fail, some are slow, some do not end. The same seed gives the same pipeline.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from batuta import ActionStep, Branch, Context, ParallelStep, Pipeline, Step, SwitchStep, step


class Way(Enum):
    LEFT = "left"
    RIGHT = "right"
    AHEAD = "ahead"


class Sum:
    def __init__(self) -> None:
        self.total = 0

    def add(self, value: int) -> None:
        self.total += value


@dataclass
class Maker:
    """Makes one pipeline; `calls` counts every call of a function of it, by the name of its step."""

    seed: int
    failure_rate: float = 0.08
    calls: Counter[str] = field(default_factory=Counter)
    begun: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._count = 0

    def pipeline(self) -> Pipeline[int, int]:
        return self._pipeline(depth=3)

    def _pipeline(self, depth: int) -> Pipeline[int, int]:
        steps = [self._any(depth - 1) for _ in range(self._random.randint(1, 4))]
        chain = steps[0]
        for following in steps[1:]:
            chain = chain >> following
        return Pipeline(self._name("pipe"), chain, timeout=self._maybe(self._random.randint(5, 40)))

    def _any(self, depth: int) -> Step[int, int]:
        leaves: list[Callable[[], Step[int, int]]] = [self._function, self._action, self._function]
        if depth <= 0:
            return self._random.choice(leaves)()
        nodes: list[Callable[[int], Step[int, int]]] = [self._pipeline, self._switch, self._parallel, self._invoking]
        if self._random.random() < 0.5:
            return self._random.choice(leaves)()
        return self._random.choice(nodes)(depth)

    def _function(self) -> Step[int, int]:
        name = self._name("work")
        return step(name=name, timeout=self._random.uniform(0.5, 5))(self._work(name))

    def _action(self) -> Step[int, int]:
        name = self._name("act")
        modes: list[Literal["fire_and_forget", "transactional", "idempotent"]] = [
            "fire_and_forget", "transactional", "idempotent",
        ]  # fmt: skip
        mode = self._random.choice(modes)
        work = self._work(name)

        async def act(value: int) -> None:
            await work(value)

        async def undo(value: int) -> None:
            self.calls[f"{name}/rollback"] += 1
            await asyncio.sleep(1)

        rollback = undo if mode == "transactional" else None
        return ActionStep(act, mode=mode, name=name, timeout=self._random.uniform(0.5, 5), rollback=rollback)

    def _switch(self, depth: int) -> Step[int, int]:
        cases = {way: self._any(depth - 1) for way in Way}
        ways = list(Way)
        return SwitchStep(Way, cases, on=lambda value: ways[value % 3], name=self._name("switch"))

    def _parallel(self, depth: int) -> Step[int, int]:
        branches = [Branch(self._any(depth - 1), merge=Sum.add) for _ in range(self._random.randint(1, 5))]
        gather = ParallelStep(
            Sum,
            branches,
            name=self._name("gather"),
            max_concurrency=self._maybe(self._random.randint(1, 3)),
            on_failure=self._random.choice(["fail_fast", "collect"]),
        )

        @step(name=self._name("total"), timeout=60)
        async def total(found: Sum) -> int:
            return found.total

        return Pipeline(self._name("fan"), gather >> total)

    def _invoking(self, depth: int) -> Step[int, int]:
        child, times = self._any(depth - 1), self._random.randint(0, 3)
        name = self._name("invoke")

        async def ask(value: int, ctx: Context) -> int:
            self.calls[name] += 1
            for _ in range(times):
                value = await ctx.invoke(child, value)
            return value

        return step(name=name, timeout=self._random.uniform(2, 20), invokes={child: times})(ask)

    def _work(self, name: str) -> Callable[[int], Any]:
        fate = self._random.random()
        takes = self._random.choice([0.0, 0.0, 0.1, 1.0, 6.0])

        async def work(value: int) -> int:
            self.calls[name] += 1
            if takes:
                await asyncio.sleep(takes)
            if fate < self.failure_rate:
                raise ValueError(name)
            return value + 1

        return work

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def _maybe(self, value: int) -> int | None:
        return value if self._random.random() < 0.4 else None
