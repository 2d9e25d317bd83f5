"""`batuta init`: a project that runs and has a test, to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from batuta.cli.output import err, fail

FILES = {
    "pyproject.toml": """[project]
name = "orders"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["batuta-ai[cli]"]

[dependency-groups]
dev = ["pytest"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
""",
    "orders/__init__.py": "",
    "orders/results.py": '''"""What the steps of this project give one another."""

from pydantic import BaseModel


class Order(BaseModel):
    sku: str
    quantity: int
''',
    "orders/tools.py": '''"""What agents may ask for."""

from batuta import tool


@tool(effect="read")
async def stock(sku: str) -> int:
    """Units on hand of one item.

    Args:
        sku: Item number.
    """
    return {"A-100": 7}.get(sku, 0)
''',
    "orders/agents.py": '''"""The creative part. The model comes from BATUTA_MODEL, or is the built-in offline one."""

import os

from batuta import AgentStep

from orders.results import Order
from orders.tools import stock

MODEL = os.environ.get("BATUTA_MODEL", "offline:batuta-offline")

read_order = AgentStep(
    name="read_order",
    model=MODEL,
    instructions="Read the order: which item, how many.",
    output=Order,
    tools=[stock],
)
''',
    "orders/steps.py": '''"""The rigorous part."""

from batuta import step

from orders.results import Order


@step
async def confirm(order: Order) -> str:
    return f"{order.quantity} of {order.sku}"
''',
    "orders/pipelines.py": '''"""What runs after what."""

from batuta import Pipeline

from orders.agents import read_order
from orders.steps import confirm

pipeline = Pipeline("orders", read_order >> confirm)
''',
    "tests/test_orders.py": '''"""No model is asked in a test: it plays a script."""

import asyncio

from batuta.testing import Reply, ScriptedModel

from orders.agents import read_order
from orders.pipelines import pipeline


def test_an_order_is_read_and_confirmed() -> None:
    model = ScriptedModel([Reply("Three chairs!"), Reply('{"sku": "A-100", "quantity": 3}')])
    with read_order.override(model=model):
        result = asyncio.run(pipeline.run("three chairs"))
    assert result.value == "3 of A-100"
    model.assert_finished()
''',
    "README.md": """# Orders

    batuta draw orders.pipelines:pipeline
    batuta run orders.pipelines:pipeline --input "three chairs"
    pytest
""",
}


def init(folder: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Write a small project: agents, pipelines, steps, results, tools, its configuration, and a test that passes."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise fail(f"{folder} is {'not empty' if folder.is_dir() else 'a file'}; name a new folder", 2)
    try:
        _write(folder)
    except OSError as error:
        raise fail(f"{folder} cannot be written: {error.strerror}", 2) from error
    err.print(f"[green]✓[/] {folder} is ready: cd {folder} && pytest", highlight=False)


def _write(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
