"""What peers make of the same disk: LangGraph checkpointers and DBOS, durable steps per second.

python eventlog_peers.py POSTGRES_URL DIRECTORY SECONDS          (started by bench.eventlog, in its own environment)
"""

import asyncio
import json
import logging
import sys
import time
import uuid
from importlib.metadata import version
from typing import Any, TypedDict

from dbos import DBOS
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

STEPS, CALLERS = 10, 32


class State(TypedDict):
    n: int
    text: str


async def step(state: State) -> dict[str, int]:
    return {"n": state["n"] + 1}


def graph(saver: Any) -> Any:
    builder = StateGraph(State)
    previous = START
    for number in range(STEPS):
        builder.add_node(f"s{number}", step)
        builder.add_edge(previous, f"s{number}")
        previous = f"s{number}"
    builder.add_edge(previous, END)
    return builder.compile(checkpointer=saver)


async def drive(peer: str, store: str, call: Any, seconds: float) -> None:
    await call()
    count, start = 0, time.perf_counter()

    async def caller() -> None:
        nonlocal count
        while time.perf_counter() - start < seconds:
            await call()
            count += STEPS

    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    rate = count / (time.perf_counter() - start)
    name = f"{peer} {version(peer)}, durable steps, {CALLERS} callers"
    print(json.dumps({"store": store, "case": name, "events_s": rate}), flush=True)


async def langgraph(saver: Any, store: str, seconds: float) -> None:
    await saver.setup()
    app = graph(saver)

    async def call() -> None:
        place = {"configurable": {"thread_id": uuid.uuid4().hex}}
        await app.ainvoke({"n": 0, "text": "x" * 300}, place, durability="sync")

    await drive("langgraph", store, call, seconds)


@DBOS.step()
async def dbos_step(number: int) -> int:
    return number + 1


@DBOS.workflow()
async def dbos_flow(number: int) -> int:
    for _ in range(STEPS):
        number = await dbos_step(number)
    return number


async def main(url: str, directory: str, seconds: float) -> None:
    async with AsyncSqliteSaver.from_conn_string(f"{directory}/checkpoints.db") as saver:
        await langgraph(saver, "sqlite", seconds)
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=8, max_size=32, kwargs=options) as pool:
        await langgraph(AsyncPostgresSaver(pool), "postgres", seconds)
    logging.disable(logging.CRITICAL)
    for store, place in (("sqlite", f"sqlite:///{directory}/dbos.db"), ("postgres", url)):
        DBOS(config={"name": "bench", "system_database_url": place, "log_level": "CRITICAL", "run_admin_server": False})
        DBOS.launch()
        await drive("dbos", store, lambda: dbos_flow(0), seconds)
        DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
