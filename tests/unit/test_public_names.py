"""The top level of the package: about thirty names, each imported when it is first used."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import batuta

INIT = Path(batuta.__file__)
CORE = {
    "batuta", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "json_repair",
    "docstring_parser",
}  # fmt: skip
"""What a core install brings, by the names it is imported under."""
MOST_MODULES_OF_AN_AGENT = 45


def names_for_type_checkers() -> dict[str, str]:
    """Each name that stands under `if TYPE_CHECKING`, with the module it comes from."""
    tree = ast.parse(INIT.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def modules_after(statement: str) -> set[str]:
    """The modules that are loaded in a fresh interpreter after a statement."""
    script = f"import sys; sys.path.insert(0, {str(INIT.parents[1])!r})\n{statement}\nprint(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_type_checkers_and_the_interpreter_see_the_same_names() -> None:
    assert sorted(names_for_type_checkers()) == batuta.__all__


@pytest.mark.parametrize(("name", "module"), names_for_type_checkers().items())
def test_every_name_is_what_its_module_defines(name: str, module: str) -> None:
    assert getattr(batuta, name) is getattr(importlib.import_module(module), name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'batuta' has no attribute 'Workflow'"):
        _ = batuta.Workflow  # type: ignore[attr-defined]


def test_importing_the_package_imports_next_to_nothing() -> None:
    loaded = modules_after("import batuta")
    assert {name for name in loaded if name.startswith("batuta")} == {"batuta", "batuta.kernel", "batuta.kernel.lazy"}
    assert not any(name.partition(".")[0] in ("pydantic", "pydantic_core", "json_repair") for name in loaded)


TWO_STEPS = """
import asyncio
from batuta import Pipeline, step
@step
async def double(value: int) -> int:
    return value * 2
@step
async def word(value: int) -> str:
    return str(value)
assert asyncio.run(Pipeline("main", double >> word).run(21)).value == "42"
"""

AN_AGENT = """
import asyncio
from batuta import AgentStep
from batuta.testing import Reply, ScriptedModel
agent = AgentStep(name="ask", output=str, model=ScriptedModel([Reply("Lima")]))
assert asyncio.run(agent.run("Which city?")).value == "Lima"
"""


def test_a_pipeline_without_listeners_needs_no_pydantic() -> None:
    """Neither to be imported nor to be run: that is more than half of what it would cost (spec 09)."""
    loaded = modules_after(TWO_STEPS)
    assert "batuta.pipelines.runner" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in ("pydantic", "pydantic_core")}


def test_declaring_agents_builds_no_models_and_loads_nothing_that_runs_them() -> None:
    """What `from batuta import AgentStep` may cost, counted instead of timed (spec 09)."""
    ours = {name for name in modules_after("from batuta import AgentStep") if name.startswith("batuta.")}
    with_models = {"batuta.kernel.messages", "batuta.events.envelope"}
    assert not ours & {*with_models, "batuta.steps.execution", "batuta.llm.providers"}
    assert len(ours) <= MOST_MODULES_OF_AN_AGENT, sorted(ours)


UNUSED = (
    "tools", "resilience.circuit_breaker", "resilience.rate_limiter", "llm.budget", "llm.providers", "steps.tagging",
    "steps.tool_rounds", "pipelines.journaling", "events.runtime", "events.telemetry",
)  # fmt: skip


def test_an_agent_loads_only_what_its_run_uses() -> None:
    """One without tools, tags, budget and listeners pays for none of them."""
    loaded = modules_after(AN_AGENT)
    assert "batuta.steps.execution" in loaded
    assert not {name for name in loaded for part in UNUSED if f"{name}.".startswith(f"batuta.{part}.")}


def test_the_public_names_need_only_what_a_core_install_brings() -> None:
    """No optional extra is imported by the core."""
    startup, loaded = modules_after("pass"), modules_after("from batuta import *")
    roots = {module.partition(".")[0] for module in loaded - startup}
    assert "pydantic" in roots
    assert not {name for name in roots - CORE - sys.stdlib_module_names if not name.startswith("_sysconfigdata")}


def test_the_check_of_an_installation_loads_no_reader_of_documents() -> None:
    """They belong to the process that reads: `batuta doctor` answers within half a second without them."""
    assert "pypdfium2" not in modules_after("import batuta.cli.doctor")
