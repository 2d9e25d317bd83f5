"""An optional dependency that is not installed explains itself."""

import importlib
import subprocess
import sys

import pytest

from batuta.kernel.errors import MissingExtraError

NEEDS = [
    ("batuta.tools.builtin.http", "aiohttp", "tools"),
    ("batuta.tools.builtin.select_only", "sqlglot", "tools"),
    ("batuta.tools.builtin.json_schema", "jsonschema", "tools"),
    ("batuta.tools.builtin.sql_postgres", "asyncpg", "postgres"),
    ("batuta.tools.mcp", "mcp", "mcp"),
    ("batuta.tools.mcp_tools", "mcp_types", "mcp"),
    ("batuta.conversations.stores.postgres", "asyncpg", "postgres"),
]


@pytest.mark.parametrize(("module", "dependency", "extra"), NEEDS)
def test_a_module_says_which_extra_it_needs(
    monkeypatch: pytest.MonkeyPatch, module: str, dependency: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, dependency, None)
    monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(MissingExtraError, match=rf'pip install "batuta-ai\[{extra}\]"'):
        importlib.import_module(module)


def test_the_core_needs_none_of_them() -> None:
    """Importing the packages brings no optional dependency along."""
    names = {dependency for _, dependency, _ in NEEDS}
    code = f"import sys, batuta.tools, batuta.conversations; print(sorted({names!r} & set(sys.modules)))"
    source = str(importlib.import_module("batuta").__file__).removesuffix("/batuta/__init__.py")
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": source}
    )

    assert run.stdout.strip() == "[]"
