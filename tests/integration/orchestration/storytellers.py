"""A team that talks to a provider over a real socket, slowly, and the worker process it may live in."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from batuta import AgentStep
from batuta.llm.factory import client
from batuta.orchestration import Orchestrator, Specialist
from batuta.server.wiring import open_worker
from batuta.testing import ScriptedModel
from tests.support.platform import settings_for
from tests.support.processes import say

STORY = "Once upon a time there was a conductor who never stopped. " * 40
SCENARIO: Mapping[str, Any] = {
    "name": "a long story",
    "rules": [{"when": {"last_user": "story"}, "answer": {"text": STORY, "pace": {"chunk_chars": 6, "delay_ms": 15}}}],
}


def build(model: str, base_url: str) -> Orchestrator:
    """One teller, with the provider's own client."""
    teller = AgentStep(
        name="teller", model=client(model, api_key="key", base_url=base_url), output=str, is_streaming=True
    )
    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(teller, name="Teller")])


async def work(url: str, directory: str, model: str, base_url: str) -> None:
    """A worker process on PostgreSQL, without Redis: nobody carries it a signal."""
    settings = settings_for(Path(directory), database_url=url)
    async with open_worker(settings, build(model, base_url)) as process:
        say(ready=True)
        await process.run(asyncio.Event())
