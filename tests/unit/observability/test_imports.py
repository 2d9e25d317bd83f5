"""The core has no observability library in it, and nobody below the edge knows observability (T-20)."""

import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[3] / "src"
LIBRARIES = ("opentelemetry", "prometheus_client", "structlog", "rich", "grpc")


def loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


RUN = """
import asyncio, batuta
from batuta import AgentStep, Pipeline
from batuta.testing import CapturingSink, Reply, ScriptedModel
work = Pipeline("p", AgentStep(name="a", model=ScriptedModel([Reply("x")]), instructions="", output=str))
asyncio.run(work.run("go", sink=CapturingSink()))
"""


def test_running_the_core_imports_no_observability_library() -> None:
    assert loaded_after(RUN) & set(LIBRARIES) == set()


@pytest.mark.parametrize(
    "module",
    ["channel", "runs", "span_facts", "spans", "metrics", "metric_table", "logs", "timeline", "console", "standard"],
)
def test_a_module_loads_its_library_only_when_it_is_used(module: str) -> None:
    assert loaded_after(f"import batuta.observability.{module}") & set(LIBRARIES) == set()


def test_what_is_exported_is_there() -> None:
    """Names come when they are asked for."""
    loaded_after("import batuta.observability as o\nfor name in o.__all__: getattr(o, name)")
