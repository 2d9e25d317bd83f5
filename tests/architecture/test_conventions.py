"""Conventions that a reader may rely on."""

import ast
from pathlib import Path

import pytest

from tests.architecture.figures import ROOT, SOURCE, python_files

MODULES = [path for path in python_files(SOURCE) if path.read_text(encoding="utf-8").strip()]


def relative(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_opens_with_its_purpose(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_nothing_is_printed_outside_the_command_line() -> None:
    printing = [
        f"{relative(path)}:{node.lineno}"
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] != "cli"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not printing


def test_the_package_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()


def test_the_lock_names_no_registry() -> None:
    """Whoever installs chooses where from; what is installed is pinned and hashed."""
    lock = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert "--index-url" not in lock
    assert "http://" not in lock
    assert "https://" not in lock
    assert "--hash=sha256:" in lock


def test_many_rows_go_to_postgresql_by_the_one_function_that_survives_a_cancellation() -> None:
    """`kernel/postgres.py` says why. SQLite's own `executemany` is called from threads, never in a coroutine."""
    calling = [
        f"{relative(path)}:{call.lineno}"
        for path in MODULES
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.AsyncFunctionDef) and relative(path) != "kernel/postgres.py"
        for call in ast.walk(function)
        if isinstance(call, ast.Attribute) and call.attr == "executemany"
    ]
    assert not calling
