"""Writes whose answers get lost, in every kind of thing that writes, through a durable turn (O-3, F-98).

    loss × subject × with or without `reconcile` × whether it took place before its answer was lost

`run_case` has one such turn run to its end, the person answering truthfully, and reports what really happened.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import mcp_types as wire
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from mcp import MCPError

from batuta import AgentStep, Context, Pipeline, action
from batuta.events.conversation import UserMessage
from batuta.events.queue import NewWork, WorkStatus
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.worker import TurnWorker
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.testing.views import UNKNOWN_OUTCOME
from batuta.tools import ToolContext, tool
from batuta.tools.mcp import IDEMPOTENCY_META, _Session
from batuta.tools.mcp_tools import McpServer, tool_of

Loss = Literal["broken", "timeout", "killed", "server_error"]
Subject = Literal["tool", "action", "mcp", "graph"]
LOSSES: tuple[Loss, ...] = ("broken", "timeout", "killed", "server_error")
SUBJECTS: tuple[Subject, ...] = ("tool", "action", "mcp", "graph")
DONE = "order placed"


@dataclass
class World:
    """The outside system: what was done to it, and how the first answer gets lost."""

    loss: Loss
    is_done_before: bool
    subject: Subject
    orders: Counter[str] = field(default_factory=Counter)
    keys: list[str] = field(default_factory=list)
    killed: asyncio.Event = field(default_factory=asyncio.Event)
    wrong_words: list[str] = field(default_factory=list)
    tool_name: str = field(default_factory=lambda: f"order_{new_id()[-12:]}")
    """Of its own for each world: the circuit breaker of one that failed five times would refuse the next."""

    async def order(self, key: str) -> str:
        self.keys.append(key)
        if len(self.keys) > 1:
            self.orders[key] += 1
            return DONE
        if self.is_done_before:
            self.orders[key] += 1
        if self.loss == "killed":
            self.killed.set()
            await asyncio.sleep(3600)
        raise _error(self.loss, self.subject)

    def found(self, key: str) -> str | None:
        return DONE if self.orders[key] else None

    def hear(self, request: ModelRequest) -> None:
        """Whether what a model is told is what is so."""
        for result in request.tool_results:
            if result.is_error == bool(self.orders):
                self.wrong_words.append(result.content)


@dataclass(frozen=True, kw_only=True)
class CaseReport:
    """What became of one turn."""

    effects: int
    keys: int
    was_asked: bool
    wrong_words: tuple[str, ...]
    status: WorkStatus


async def run_case(
    loss: Loss, subject: Subject, *, has_reconcile: bool, is_done_before: bool, store: TeamStore
) -> CaseReport:
    world = World(loss, is_done_before, subject)
    session, turn = new_id(), new_id()
    message = UserMessage(content="order", session_id=session, turn_id=turn)
    work = NewWork(turn_id=turn, session_id=session, payload={"text": "order", "target_agent_id": "buyer"})
    await store.queue.accept(work, [message], client_key=turn)
    running = asyncio.create_task(_worker(world, store, has_reconcile).run_until_idle())
    if loss == "killed":
        await world.killed.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        running = asyncio.create_task(_worker(world, store, has_reconcile).run_until_idle())
    await running
    was_asked = await _answered(store, session, turn, world)
    if was_asked:
        await _worker(world, store, has_reconcile).run_until_idle()
    done = await store.queue.get(turn)
    assert done is not None
    return CaseReport(
        effects=sum(world.orders.values()),
        keys=len(set(world.keys)),
        was_asked=was_asked,
        wrong_words=tuple(world.wrong_words),
        status=done.status,
    )


async def _answered(store: TeamStore, session: str, turn: str, world: World) -> bool:
    """A person answers what is asked, truthfully; whether anything was."""
    events = (await store.log.read(session, limit=1_000)).events
    asked = [event for event in events if isinstance(event, ApprovalRequested) and UNKNOWN_OUTCOME in event.reason]
    for question in asked:
        decision: Literal["rejected", "approved"] = "rejected" if world.orders else "approved"
        answer = ApprovalResolved(
            approval_id=question.approval_id, decision=decision, by="ana", session_id=session, turn_id=turn
        )
        await store.log.append(session, [answer])
        await store.queue.resume(turn, waiting_for=question.approval_id)
    return bool(asked)


def _worker(world: World, store: TeamStore, has_reconcile: bool) -> TurnWorker:
    build = {"tool": _tool_agent, "mcp": _mcp_agent, "action": _action, "graph": _graph}[world.subject]
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[build(world, has_reconcile)])
    return TurnWorker.at(store, team)


class _Buyer:
    """A model that places the order, again if it is told that nothing was done, and says what it was told."""

    provider, name = "test", "buyer"

    def __init__(self, world: World, tool_name: str) -> None:
        self._world = world
        self._tool_name = tool_name

    async def generate(self, request: ModelRequest) -> Answer:
        self._world.hear(request)
        results = request.tool_results
        if not results or results[-1].is_error:
            line = Reply(tool_calls=[ToolCall(self._tool_name, {"sku": "A"}, id=f"call-{len(results)}")])
        else:
            line = Reply(results[-1].content)
        return ScriptedModel([line])._answer(line)

    async def stream(self, request: ModelRequest) -> Any:
        yield await self.generate(request)


def _tool_agent(world: World, has_reconcile: bool) -> Specialist:
    async def look_up(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return world.found(ctx.idempotency_key)

    async def order(sku: str, ctx: ToolContext) -> str:
        """Order."""
        return await world.order(ctx.idempotency_key)

    options: Any = {"reconcile": look_up} if has_reconcile else {}
    placed = tool(effect="write", **options)(order)
    return Specialist(AgentStep(name="buyer", model=_Buyer(world, "order"), output=str, tools=[placed]), name="Buyer")


class _McpClient:
    """The client of a server whose answers get lost."""

    protocol_version = "2026-07-28"

    def __init__(self, world: World) -> None:
        self._world = world

    async def call_tool(self, name: str, args: Any, *, progress_callback: Any, meta: Any) -> wire.CallToolResult:
        text = await self._world.order(meta[IDEMPOTENCY_META])
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)])


def _mcp_agent(world: World, has_reconcile: bool) -> Specialist:
    async def look_up(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return world.found(ctx.idempotency_key)

    server = McpServer(
        name="shop",
        url="http://shop.test",
        approval="never",
        reconcile={world.tool_name: look_up} if has_reconcile else {},
    )

    async def body(args: dict[str, Any], context: ToolContext) -> str:
        session = _Session(server, lambda _: None)
        session.client = _McpClient(world)  # type: ignore[assignment] # the one call that is used
        return str(await session.call(world.tool_name, args, context))

    schema: dict[str, Any] = {"type": "object", "properties": {"sku": {"type": "string"}}}
    offered = tool_of(wire.Tool(name=world.tool_name, input_schema=schema), server, body)
    assert offered is not None
    model = _Buyer(world, world.tool_name)
    return Specialist(AgentStep(name="buyer", model=model, output=str, tools=[offered]), name="Buyer")


def _action(world: World, has_reconcile: bool) -> Specialist:
    def look_up(_: str) -> bool:
        return bool(world.orders)

    async def order(task: str, ctx: Context) -> None:
        await world.order(ctx.idempotency_key)

    def undo(_: str) -> None:
        world.orders.clear()

    reconcile = look_up if has_reconcile else None
    placed: Any = action(mode="transactional", name="order", rollback=undo, reconcile=reconcile)(order)
    return Specialist(Pipeline("buyer", placed), name="Buyer")


def _graph(world: World, has_reconcile: bool) -> Specialist:
    async def order(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
        return {"messages": [AIMessage(await world.order(config["configurable"]["idempotency_key"]))]}

    async def look_up(task: str, key: str) -> str | None:
        return world.found(key)

    graph = StateGraph(MessagesState)
    graph.add_node("order", order)
    graph.add_edge(START, "order")
    graph.add_edge("order", END)
    reconcile = look_up if has_reconcile else None
    return Specialist(graph.compile(), name="Buyer", agent_id="buyer", effect="write", reconcile=reconcile)


def _error(loss: Loss, subject: Subject) -> Exception:
    """How a lost answer looks to the caller: as network libraries and the MCP client raise it."""
    if subject == "mcp":
        codes = {"broken": wire.CONNECTION_CLOSED, "timeout": wire.REQUEST_TIMEOUT, "server_error": wire.INTERNAL_ERROR}
        return MCPError(codes[loss], loss)
    request = httpx.Request("POST", "http://shop.test/orders")
    if loss == "server_error":
        return httpx.HTTPStatusError("503", request=request, response=httpx.Response(503, request=request))
    return httpx.ReadTimeout("late", request=request) if loss == "timeout" else ConnectionResetError("reset by peer")
