"""The same work in the words of each framework: ten small typed async steps, and a fan-out with a merge.

A subject gives `linear(steps, sleep_at)` and `fan_out(branches)`; both return a function that runs the thing once. This
module runs in two environments: ours, and the one of the peers. So every subject imports what it needs when it is made.
"""

import asyncio
import operator
import os
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Annotated, Any, Protocol, TypedDict

from pydantic import BaseModel

os.environ.setdefault("BURR_TELEMETRY_ENABLED", "false")
os.environ.setdefault("LANGSMITH_TRACING", "false")

SLEEP_SECONDS = 0.05


class Item(BaseModel):
    id: str
    n: int
    text: str


Runner = Callable[[Item], Awaitable[Any]]


class Subject(Protocol):
    """Something that is measured."""

    distribution: str

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        """Steps one after the other."""
        ...

    def fan_out(self, branches: int) -> Runner:
        """Steps side by side, and a merge of what they give."""
        ...


def fresh() -> Item:
    return Item(id="s-1", n=0, text="hello world")


def worked(item: Item) -> Item:
    """What a step does: it makes a new, validated object."""
    return Item(id=item.id, n=item.n + 1, text=item.text)


def total(items: list[Item]) -> Item:
    return Item(id="s-1", n=sum(item.n for item in items), text="x")


async def work(item: Item) -> Item:
    return worked(item)


async def slow_work(item: Item) -> Item:
    await asyncio.sleep(SLEEP_SECONDS)
    return worked(item)


class Floor:
    """Plain awaits, and a plain task group."""

    distribution = ""

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        functions = [slow_work if number == sleep_at else work for number in range(steps)]

        async def run(item: Item) -> Item:
            for function in functions:
                item = await function(item)
            return item

        return run

    def fan_out(self, branches: int) -> Runner:
        async def run(item: Item) -> Item:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(work(item)) for _ in range(branches)]
            return total([task.result() for task in tasks])

        return run


class Batuta:
    """Ours, with events on: a sink sees every event."""

    distribution = "batuta-ai"

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        from batuta import Pipeline, step

        chain: Any = None
        for number in range(steps):
            one = step(slow_work if number == sleep_at else work).named(f"s{number}")
            chain = one if chain is None else chain >> one
        pipeline = Pipeline("bench", chain)

        async def run(item: Item) -> Item:
            return (await pipeline.run(item, sink=_Seen())).unwrap()

        return run

    def fan_out(self, branches: int) -> Runner:
        from batuta import Branch, ParallelStep, Pipeline, step

        every = [Branch(step(work).named(f"b{number}"), merge=list.append) for number in range(branches)]
        pipeline = Pipeline("bench", ParallelStep(list[Item], every))

        async def run(item: Item) -> Item:
            return total((await pipeline.run(item, sink=_Seen())).unwrap())

        return run


class _Seen:
    """A sink that keeps the last event only: what others keep is not our memory."""

    last: Any = None
    never_blocks = True

    def emit(self, event: Any) -> None:
        self.last = event


class Burr:
    """Its application holds the state of a run, so that every run builds one from a shared graph."""

    distribution = "burr"

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        from burr.core import ApplicationBuilder, GraphBuilder, State, action

        def made(number: int) -> Any:
            function = slow_work if number == sleep_at else work

            @action(reads=["item"], writes=["item"])
            async def act(state: State) -> State:
                return state.update(item=await function(state["item"]))

            return act

        names = [f"s{number}" for number in range(steps)]
        builder = GraphBuilder().with_actions(**{name: made(number) for number, name in enumerate(names)})
        graph = builder.with_transitions(*pairwise(names)).build()

        async def run(item: Item) -> Item:
            application = ApplicationBuilder().with_graph(graph).with_state(item=item).with_entrypoint(names[0])
            *_, state = await (await application.abuild()).arun(halt_after=[names[-1]])
            return state["item"]

        return run

    def fan_out(self, branches: int) -> Runner:
        from burr.core import ApplicationBuilder, State, action
        from burr.core.parallelism import MapStates

        @action(reads=["item"], writes=["item"])
        async def branch(state: State) -> State:
            return state.update(item=await work(state["item"]))

        class Spread(MapStates):  # type: ignore[misc, valid-type]
            reads = writes = property(lambda self: ["item"])

            def is_async(self) -> bool:
                return True

            def action(self, state: Any, inputs: Any) -> Any:
                return branch

            async def states(self, state: Any, context: Any, inputs: Any) -> Any:
                for _ in range(branches):
                    yield state

            async def reduce(self, state: Any, states: Any) -> Any:
                return state.update(item=total([one["item"] async for one in states]))

        async def run(item: Item) -> Item:
            builder = ApplicationBuilder().with_actions(spread=Spread()).with_state(item=item)
            *_, state = await (await builder.with_entrypoint("spread").abuild()).arun(halt_after=["spread"])
            return state["item"]

        return run


class PydanticGraph:
    """Its typed graph builder, without instrumentation."""

    distribution = "pydantic-graph"

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        from pydantic_graph import GraphBuilder, StepContext

        builder: Any = GraphBuilder(input_type=Item, output_type=Item, auto_instrument=False)

        def made(number: int) -> Any:
            function = slow_work if number == sleep_at else work

            async def act(ctx: Any) -> Item:
                return await function(ctx.inputs)

            act.__annotations__ = {"ctx": StepContext[None, None, Item], "return": Item}
            return builder.step(act, node_id=f"s{number}")

        nodes = [builder.start_node, *(made(number) for number in range(steps)), builder.end_node]
        for first, second in pairwise(nodes):
            builder.add(builder.edge_from(first).to(second))
        return _graph_run(builder.build())

    def fan_out(self, branches: int) -> Runner:
        from pydantic_graph import GraphBuilder, StepContext, reduce_list_append

        builder: Any = GraphBuilder(input_type=Item, output_type=Item, auto_instrument=False)

        async def spread(ctx: Any) -> list[Item]:
            return [ctx.inputs] * branches

        async def branch(ctx: Any) -> Item:
            return await work(ctx.inputs)

        async def merge(ctx: Any) -> Item:
            return total(ctx.inputs)

        for function, takes, gives in ((spread, Item, list[Item]), (branch, Item, Item), (merge, list[Item], Item)):
            function.__annotations__ = {"ctx": StepContext[None, None, takes], "return": gives}
        first, middle, last = (builder.step(one, node_id=one.__name__) for one in (spread, branch, merge))
        join = builder.join(reduce_list_append, initial_factory=list[Item])
        builder.add(
            builder.edge_from(builder.start_node).to(first),
            builder.edge_from(first).map().to(middle),
            builder.edge_from(middle).to(join),
            builder.edge_from(join).to(last),
            builder.edge_from(last).to(builder.end_node),
        )
        return _graph_run(builder.build())


def _graph_run(graph: Any) -> Runner:
    async def run(item: Item) -> Any:
        return await graph.run(inputs=item)

    return run


class LangGraph:
    """Its state graph over a typed dict, without a checkpointer."""

    distribution = "langgraph"

    def linear(self, steps: int, sleep_at: int | None = None) -> Runner:
        from langgraph.graph import END, START, StateGraph

        class State(TypedDict):
            item: Item

        def made(number: int) -> Any:
            function = slow_work if number == sleep_at else work

            async def act(state: Any) -> Any:
                return {"item": await function(state["item"])}

            return act

        graph: Any = StateGraph(State)
        names = [f"s{number}" for number in range(steps)]
        for number, name in enumerate(names):
            graph.add_node(name, made(number))
        for first, second in zip([START, *names], [*names, END], strict=True):
            graph.add_edge(first, second)
        compiled = graph.compile()

        async def run(item: Item) -> Any:
            return (await compiled.ainvoke({"item": item}, {"recursion_limit": steps + 10}))["item"]

        return run

    def fan_out(self, branches: int) -> Runner:
        from langgraph.graph import END, START, StateGraph

        class State(TypedDict):
            item: Item
            found: Annotated[list[Item], operator.add]

        async def branch(state: Any) -> Any:
            return {"found": [await work(state["item"])]}

        async def merge(state: Any) -> Any:
            return {"item": total(state["found"])}

        graph: Any = StateGraph(State)
        names = [f"b{number}" for number in range(branches)]
        graph.add_node("merge", merge)
        for name in names:
            graph.add_node(name, branch)
            graph.add_edge(START, name)
        graph.add_edge(names, "merge")
        graph.add_edge("merge", END)
        compiled = graph.compile()

        async def run(item: Item) -> Any:
            return (await compiled.ainvoke({"item": item, "found": []}))["item"]

        return run


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "plain await": Floor,
    "batuta": Batuta,
    "burr": Burr,
    "pydantic-graph": PydanticGraph,
    "langgraph": LangGraph,
}
PEERS = ("burr", "pydantic-graph", "langgraph")
