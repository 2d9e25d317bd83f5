"""Finds what a user wrote: `orders.py:pipeline` or `package.module:pipeline`."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from batuta.cli.output import fail
from batuta.pipelines.step import Step

T = TypeVar("T")


def load_step(target: str) -> Step[Any, Any]:
    """The step a target names."""
    return load(target, Step, "pipeline or step")


def load(target: str, kind: type[T], called: str) -> T:
    """Whatever a target names, if it is of the wanted kind."""
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise fail(f"{target!r} names no {called}; write file.py:name or package.module:name", 2)
    found = getattr(_module(place), name, None)
    if not isinstance(found, kind):
        raise fail(f"{place} has no {called} called {name!r}", 2)
    return found


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
