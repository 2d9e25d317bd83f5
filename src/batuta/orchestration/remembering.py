"""Calls that were allowed for the rest of a session, and what else such a permission covers.

A user who allows "transfer 100 to ACME" for a session agrees to more transfers to ACME of up to 100, not to any
transfer. So all arguments have to be the same, except that an amount may be smaller.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NAMES_SOMETHING = re.compile(
    r"(?i)(^|_)(id|ids|no|nr|num|number|code|key|year|month|day|date|version|line|account|ref)$"
)
"""Fields whose numbers name a thing: a smaller one is another thing, not less of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedCall:
    """A call that ran and may be repeated in its session."""

    tool_name: str
    args: Mapping[str, Any]
    by: str
    """Who allowed it."""

    def covers(self, tool_name: str, args: Mapping[str, Any]) -> bool:
        """Whether another call has the same target and at most the same amount."""
        return tool_name == self.tool_name and _is_within(dict(self.args), dict(args), field="")


def _is_within(allowed: Any, asked: Any, *, field: str) -> bool:
    if isinstance(allowed, dict) and isinstance(asked, dict):
        return allowed.keys() == asked.keys() and all(
            _is_within(allowed[name], asked[name], field=str(name)) for name in allowed
        )
    if isinstance(allowed, list) and isinstance(asked, list):
        pairs = zip(allowed, asked, strict=False)
        return len(allowed) == len(asked) and all(_is_within(old, new, field=field) for old, new in pairs)
    if _is_amount(allowed, field) and _is_amount(asked, field):
        return bool(0 <= asked <= allowed)
    return type(allowed) is type(asked) and bool(allowed == asked)


def _is_amount(value: Any, field: str) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and _NAMES_SOMETHING.search(_words(field)) is None


def _words(field: str) -> str:
    """`customerId` as `customer_Id`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field)
