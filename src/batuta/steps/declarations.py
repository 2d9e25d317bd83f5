"""What an output says about itself, if it does: `confidence`, `reasoning`, `decision_type`, `validate_structure`."""

from functools import lru_cache
from inspect import getattr_static
from typing import Any

from pydantic import BaseModel


def declared(output: Any, name: str) -> Any:
    """An attribute of an output, or `None`.

    A pydantic model goes a long way before it says that it has no such field, so its class is asked once.
    """
    if isinstance(output, BaseModel) and not _may_have(type(output), name):
        return None
    return getattr(output, name, None)


def confidence_of(output: Any) -> float | None:
    """What an output calls its confidence, if the telemetry contract has room for it."""
    value = declared(output, "confidence")
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


@lru_cache(maxsize=1_024)
def _may_have(model: type[BaseModel], name: str) -> bool:
    return (
        name in model.model_fields
        or model.model_config.get("extra") == "allow"
        or getattr_static(model, name, None) is not None
        or getattr_static(model, "__getattr__", None) is not getattr_static(BaseModel, "__getattr__", None)
    )
