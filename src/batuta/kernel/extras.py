"""The one loader of optional dependencies: a missing one says which extra brings it."""

import importlib
from typing import Any

from batuta.kernel.errors import MissingExtraError


def load_extra(module: str, *, extra: str, needed_for: str) -> Any:
    """Import a module of an optional dependency. Raises `MissingExtraError`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(extra, needed_for=needed_for) from error
