"""The sizes of the code, as house style counts them."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "batuta"
TESTS = ROOT / "tests"

_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAY_IMPORT_INSIDE = ("__init__.py", "cli/", "kernel/lazy.py", "kernel/extras.py")


@dataclass(frozen=True)
class Function:
    """One function, with what is counted of it."""

    place: str
    body: int
    parameters: int
    nesting: int
    imports: int


@dataclass(frozen=True)
class Spread:
    """How a count is distributed."""

    median: float
    p90: float
    most: int
    worst: str

    def __str__(self) -> str:
        return f"median {self.median:g}, p90 {self.p90:g}, most {self.most} ({self.worst})"


def python_files(folder: Path) -> list[Path]:
    """The files people wrote; migrations are records of what was, and are not counted."""
    return sorted(path for path in folder.rglob("*.py") if not {"node_modules", "migrations"} & set(path.parts))


def file_lines(folder: Path) -> Spread:
    """Lines of the files that hold code; a package's docstring is no file."""
    counts = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(folder)
    }
    return spread({name: count for name, count in counts.items() if count > 5})


def functions(folder: Path) -> Iterator[Function]:
    for path in python_files(folder):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                yield _measured(node, str(path.relative_to(ROOT)))


def imports_inside(every: Iterable[Function]) -> list[str]:
    """Functions that import something, without those that exist to do so."""
    return [
        one.place for one in every if one.imports and not any(allowed in one.place for allowed in _MAY_IMPORT_INSIDE)
    ]


def spread(counts: dict[str, int]) -> Spread:
    worst = max(counts, key=lambda name: counts[name])
    p90 = quantiles(counts.values(), n=10)[-1] if len(counts) > 1 else float(counts[worst])
    return Spread(median(counts.values()), round(p90, 1), counts[worst], worst)


def lines_of(folder: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(folder))


def _measured(node: ast.FunctionDef | ast.AsyncFunctionDef, path: str) -> Function:
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    body = (node.end_lineno or 0) - statements[0].lineno + 1 if statements else 0
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return Function(
        place=f"{path}:{node.name}",
        body=body,
        parameters=len([name for name in names if name not in ("self", "cls")]),
        nesting=_nesting(node),
        imports=sum(isinstance(child, (ast.Import, ast.ImportFrom)) for child in ast.walk(node)),
    )


def _nesting(node: ast.AST) -> int:
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue
        deepest = max(deepest, _nesting(child) + isinstance(child, _BLOCKS))
    return deepest
