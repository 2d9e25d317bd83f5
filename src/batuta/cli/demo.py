"""`batuta demo`: a pipeline in the terminal, without a key and without a server."""

import asyncio
from collections.abc import AsyncIterator

from pydantic import BaseModel

from batuta.cli.output import err, out
from batuta.cli.pipelines import run_live
from batuta.kernel.errors import Rejected
from batuta.kernel.messages import Answer, Delta, TextBlock
from batuta.llm.model import ModelRequest
from batuta.pipelines.context import Context
from batuta.pipelines.pipeline import Pipeline
from batuta.pipelines.step import step
from batuta.steps.agent import AgentStep
from batuta.steps.parallel import Branch, ParallelStep


class CustomerOrder(BaseModel):
    """What a customer wants to buy."""

    sku: str
    quantity: int


class SupplierQuote(BaseModel):
    """What it would cost, and when it would come."""

    price: float = 0.0
    days: int = 0


class Learner:
    """A model for show: it is wrong twice."""

    provider, name = "demo", "learner"
    answers = (
        "Sure! Three chairs.",
        '{"sku": "CHAIR", "quantity": 3}',
        'Here it is:\n```json\n{"sku": "A-100", "quantity": 3,}\n```',
    )

    def __init__(self) -> None:
        self._asked = 0

    async def generate(self, request: ModelRequest) -> Answer:
        """The next answer; the last one for ever after."""
        text = self.answers[min(self._asked, len(self.answers) - 1)]
        self._asked += 1
        return Answer(content=(TextBlock(text=text),), model=self.name, provider=self.provider)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same at once."""
        yield await self.generate(request)


@step
async def price(order: CustomerOrder) -> float:
    """Look a price up."""
    await asyncio.sleep(0.3)
    return 9.5 * order.quantity


@step
async def delivery(order: CustomerOrder) -> int:
    """Look a delivery time up."""
    await asyncio.sleep(0.5)
    return 2 if order.quantity < 10 else 5


async def in_stock(order: CustomerOrder, ctx: Context) -> None:
    """Only items we sell."""
    if order.sku != "A-100":
        raise Rejected(f"there is no item {order.sku}", hint="A-100 is the item for chairs")


def build() -> Pipeline[str, SupplierQuote]:
    """An agent that reads an order, and two look-ups side by side. The model's first two answers are wrong."""
    read = AgentStep(
        name="read", model=Learner(), instructions="Read the order.", output=CustomerOrder, validate=in_stock
    )
    look_up = ParallelStep(
        SupplierQuote,
        [
            Branch(price, merge=lambda quote, amount: setattr(quote, "price", amount)),
            Branch(delivery, merge=lambda quote, days: setattr(quote, "days", days)),
        ],
        name="look up",
    )
    return Pipeline("quote", read >> look_up)


def demo() -> None:
    """Watch a pipeline correct its model's mistakes, live, offline."""
    err.print("[bold]A model is asked to read an order; it is wrong twice, and nothing wrong leaves the agent.[/]\n")
    result = run_live(build(), "three chairs, please")
    out.print(f"\n{result.value!r} after {result.metrics.attempts} attempts")
