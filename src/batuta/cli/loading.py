"""Finds a user's pipeline: `orders.py:pipeline` or `package.module:pipeline`."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from batuta.cli.output import fail
from batuta.pipelines.step import Step


def load_step(target: str) -> Step[Any, Any]:
    """The step a target names."""
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise fail(f"{target!r} names no pipeline; write file.py:name or package.module:name", 2)
    step = getattr(_module(place), name, None)
    if not isinstance(step, Step):
        raise fail(f"{place} has no pipeline or step called {name!r}", 2)
    return step


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise fail(f"there is no module {place!r}: {error}", 2) from error
    path = Path(place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise fail(f"there is no file {place!r}", 2)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
