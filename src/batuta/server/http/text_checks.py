"""Text that no store can keep is refused at the edge: the character NUL, wherever it stands."""

import re
from typing import Any

from batuta.server.problems import InvalidProblem, NotFoundProblem

_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def check_text(content: Any) -> None:
    """Refuse an object that holds such a text. Raises `InvalidProblem`."""
    if isinstance(content, str):
        if "\x00" in content:
            raise _refusal()
    elif isinstance(content, dict):
        for name, value in content.items():
            check_text(name)
            check_text(value)
    elif isinstance(content, list):
        for value in content:
            check_text(value)


def check_body(body: bytes) -> None:
    """Refuse a JSON document that holds such a text. Raises `InvalidProblem`."""
    if b"\\u0000" in body and _ESCAPED_NUL.search(body):
        raise _refusal()


def check_address(raw_path: bytes, query: bytes) -> None:
    """Refuse an address that holds such a text: nothing is there. Raises `NotFoundProblem`, or `InvalidProblem`."""
    if b"%00" in raw_path:
        raise NotFoundProblem
    if b"%00" in query:
        raise _refusal()


def _refusal() -> InvalidProblem:
    return InvalidProblem("A text holds the character NUL, which is no text.", code="NUL_CHARACTER")
