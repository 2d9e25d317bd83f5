"""Pictures and documents inside a value: they travel as themselves, and what is around them as text.

rest, attached = separated(invoice)     # of a model with a field `scan`: {"number": 7, "scan": "[image 1]"}
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from batuta.kernel.messages import DocumentBlock, ImageBlock

Attachment = ImageBlock | DocumentBlock
DEPTH = 2
"""How deep is looked: a field of a value, or an item of a list in it."""


def separated(value: Any) -> tuple[Any, tuple[Attachment, ...]]:
    """A value with its attachments replaced by their names, and the attachments; most values have none."""
    if isinstance(value, str):
        return value, ()
    found: list[Attachment] = []
    rest = _without(value, found, DEPTH)
    return (rest, tuple(found)) if found else (value, ())


def _without(value: Any, found: list[Attachment], depth: int) -> Any:
    if isinstance(value, Attachment):
        found.append(value)
        return f"[{value.type} {len(found)}]"
    if depth == 0:
        return value
    if isinstance(value, (list, tuple)):
        return [_without(item, found, depth - 1) for item in value]
    if isinstance(value, Mapping):
        return {name: _without(item, found, depth - 1) for name, item in value.items()}
    if isinstance(value, BaseModel):
        return {name: _without(getattr(value, name), found, depth - 1) for name in type(value).model_fields}
    return value
