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


def names_for_type_checkers() -> dict[str, str]:
    """Each name that stands under `if TYPE_CHECKING`, with the module it comes from."""
    tree = ast.parse(INIT.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def modules_after(statement: str) -> set[str]:
    """The modules that are loaded in a fresh interpreter after a statement."""
    script = f"import sys; sys.path.insert(0, {str(INIT.parents[1])!r}); {statement}; print(*sys.modules)"
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


def test_the_public_names_need_only_what_a_core_install_brings() -> None:
    """No optional extra is imported by the core."""
    startup, loaded = modules_after("pass"), modules_after("from batuta import *")
    roots = {module.partition(".")[0] for module in loaded - startup}
    assert "pydantic" in roots
    assert not {name for name in roots - CORE - sys.stdlib_module_names if not name.startswith("_sysconfigdata")}
