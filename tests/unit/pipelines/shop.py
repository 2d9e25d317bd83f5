"""The story that interruption tests tell: an order in six steps, with a parallel step and transactional actions.

Every function stops at numbered points, so that a test can cancel, or let a deadline pass, at each of them. The world
outside remembers what was really done to it.
"""

import asyncio
from collections import Counter

from pydantic import BaseModel

from batuta import Branch, Context, ParallelStep, Pipeline, action, step


class Found(BaseModel):
    prices: list[int] = []


class World:
    """What the actions change: it cannot be charged twice."""

    def __init__(self, *, hangs_at: int | None = None) -> None:
        self.done: list[str] = []
        """What stands: what was done and not undone."""
        self.finished: list[str] = []
        """Transactional actions whose function returned, in that order."""
        self.undone: list[str] = []
        self.calls: Counter[str] = Counter()
        self.points = 0
        self._hangs_at = hangs_at

    async def point(self) -> None:
        """A place where the code waits, for one turn of the loop or, if asked to, for ever."""
        self.points += 1
        if self.points == self._hangs_at:
            await asyncio.sleep(1_000_000)
        await asyncio.sleep(0)

    async def act(self, name: str) -> None:
        self.calls[name] += 1
        await self.point()
        assert name not in self.done, f"{name} was done twice"
        self.done.append(name)
        await self.point()
        self.finished.append(name)

    async def undo(self, name: str) -> None:
        await self.point()
        self.done.remove(name)
        self.undone.append(name)
        await self.point()


def order_pipeline(world: World, *, can_reconcile: bool = True) -> Pipeline[int, int]:
    """Six steps: reserve, gather prices side by side (one branch books), check, charge, notify, finish."""

    def reconcile(name: str) -> dict[str, object]:
        return {"reconcile": lambda _: name in world.done} if can_reconcile else {}

    @action(mode="transactional", rollback=lambda _: world.undo("reserve"), **reconcile("reserve"))  # type: ignore[arg-type]
    async def reserve(value: int) -> None:
        await world.act("reserve")

    @step
    async def look(value: int) -> int:
        await world.point()
        return value

    @action(mode="transactional", rollback=lambda _: world.undo("book"), **reconcile("book"))  # type: ignore[arg-type]
    async def book(value: int) -> None:
        await world.act("book")

    @step
    async def check(found: Found, ctx: Context) -> int:
        await ctx.progress("checking")
        await world.point()
        return sum(found.prices)

    @action(mode="idempotent")
    async def mark(value: int) -> int:
        world.calls["mark"] += 1
        await world.point()
        return value + 1

    @action(mode="fire_and_forget")
    async def notify(value: int) -> None:
        world.calls["notify"] += 1
        await world.point()
        await world.point()

    @step
    async def finish(value: int) -> int:
        await world.point()
        return value

    gather = ParallelStep(
        Found,
        [
            Branch(look, merge=lambda found, price: found.prices.append(price)),
            Branch(
                Pipeline("booking", book >> look.named("again")), merge=lambda found, price: found.prices.append(price)
            ),
        ],
        name="gather",
    )
    return Pipeline("order", reserve >> gather >> check >> mark >> notify >> finish)


TRANSACTIONAL = ("reserve", "book")
ANSWER = 3
"""What an order of one costs: two prices of one, and one for the mark."""
