"""The peer of `bench.streaming`, in its own environment: one agent of Agno behind its AgentOS, sessions in SQLite."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai import OpenAIChat
from agno.os import AgentOS


def app(provider: str, folder: str) -> Any:
    """The server of one agent that remembers its conversation."""
    agent = Agent(
        id="clerk",
        name="Clerk",
        instructions="Be helpful.",
        model=OpenAIChat(id="gpt-4o", base_url=f"{provider}/v1", api_key="any"),
        db=SqliteDb(db_file=str(Path(folder) / "agno.db")),
        add_history_to_context=True,
        telemetry=False,
    )
    return AgentOS(agents=[agent], telemetry=False).get_app()


if __name__ == "__main__":
    provider, folder, port = sys.argv[1:]
    print(f"agno {version('agno')}", flush=True)
    uvicorn.run(app(provider, folder), port=int(port), log_level="error")
