"""One public class name, one meaning in the whole of `src`: a reader who met a name knows it everywhere."""

import ast
from collections import defaultdict

from tests.architecture.figures import SOURCE, python_files

SHARED: dict[str, int] = {}
"""Names that still stand for several classes, with how many. The list only shrinks: rename one, and take it out."""
BOUND = 0


def public_classes() -> dict[str, list[str]]:
    """The places where each public class name is defined, at the top of a module."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in python_files(SOURCE):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    return dict(found)


def test_a_public_class_name_has_one_meaning() -> None:
    several = {name: places for name, places in public_classes().items() if len(places) > 1}
    new = {name: places for name, places in several.items() if len(places) > SHARED.get(name, 1)}
    assert not new, f"these names are taken: choose another for the newer class: {new}"


def test_the_list_of_shared_names_only_shrinks() -> None:
    """A name that has become unique is taken out and the bound lowered; it is never raised."""
    assert len(SHARED) <= BOUND
