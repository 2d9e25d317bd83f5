"""One pipeline, three front doors: a tool in a chat, a batch, an HTTP endpoint. It is written and validated once."""

import asyncio

from aiohttp import ClientSession, web
from pydantic import BaseModel

from batuta import AgentStep, ChatAgentStep, Pipeline, step, tool
from batuta.events import StepCompleted
from batuta.llm.model import ModelRequest
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall


class Ticket(BaseModel):
    topic: str
    urgent: bool


class Assignment(BaseModel):
    team: str
    hours: int


def read_aloud(request: ModelRequest) -> Reply:
    """What a model would make of a ticket."""
    return Reply(Ticket(topic="billing", urgent="!" in request.messages[-1].text).model_dump_json())


reader = ScriptedModel([read_aloud] * 5)
read = AgentStep(name="read", model=reader, instructions="Read the ticket.", output=Ticket)


@step
async def assign(ticket: Ticket) -> Assignment:
    """Code decides; the model only read."""
    return Assignment(team=f"{ticket.topic}-desk", hours=4 if ticket.urgent else 48)


triage = Pipeline("triage", read >> assign)


@tool(effect="read")
async def triage_ticket(text: str) -> Assignment:
    """Find out who takes a ticket and how soon."""
    return (await triage.run(text)).unwrap()  # inside a running step it joins that run


async def in_a_chat() -> None:
    model = ScriptedModel(
        [
            Reply(tool_calls=[ToolCall("triage_ticket", {"text": "My invoice is wrong!"})]),
            Reply("The billing desk, within 4 hours."),
        ]
    )
    sink = CapturingSink()
    chat = ChatAgentStep(name="front_desk", model=model, tools=[triage_ticket])
    result = await chat.run("Who handles my wrong invoice?", sink=sink)
    assert result.value.startswith("The billing desk")
    assert [answer.content for answer in model.requests[1].tool_results] == ['{"team":"billing-desk","hours":4}']
    assert "front_desk/triage/assign" in [event.path for event in sink.of(StepCompleted)]


async def in_a_batch() -> None:
    hours = [result.value.hours async for result in triage.map(["late!", "typo", "down!"], max_concurrency=2)]
    assert hours == [4, 48, 4]


async def behind_an_api() -> None:
    async def post_ticket(request: web.Request) -> web.Response:
        result = await triage.run(await request.text(), timeout=5.0)
        if result.is_error:
            return web.json_response({"error": result.error.message, "category": result.error.category}, status=422)
        return web.json_response(text=result.value.model_dump_json())

    app = web.Application()
    app.router.add_post("/tickets", post_ticket)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/tickets"
    async with ClientSession() as client, client.post(url, data="My invoice is wrong!") as response:
        assert (response.status, await response.json()) == (200, {"team": "billing-desk", "hours": 4})
    await runner.cleanup()


async def main() -> None:
    await in_a_chat()
    await in_a_batch()
    await behind_an_api()
    reader.assert_finished()


asyncio.run(main())
