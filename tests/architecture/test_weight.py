"""What the core weighs: to import, and to install (spec 09, the short forms of the benchmark)."""

from bench.weight import core_install, import_cost

REPEATS = 5


def test_importing_the_package_costs_less_than_importing_pydantic() -> None:
    """≤ 1.5 × `import pydantic`, each in a fresh interpreter."""
    ours, floor = import_cost("import batuta", repeats=REPEATS), import_cost("import pydantic", repeats=REPEATS)
    assert ours <= 1.5 * floor


def test_importing_a_pipeline_costs_little_more_than_importing_pydantic() -> None:
    """≤ 3 × `import pydantic`; what agents cost is counted, in `tests/unit/test_public_names.py`."""
    ours, floor = (
        import_cost(statement, repeats=REPEATS) for statement in ("from batuta import Pipeline", "import pydantic")
    )
    assert ours <= 3 * floor


def test_a_core_install_is_small() -> None:
    """≤ 10 packages and ≤ 20 MB, counted from what the installed distributions say of themselves."""
    weight = core_install()
    assert weight.packages <= 10, weight.names
    assert weight.megabytes <= 20
