"""Calls that were allowed for the rest of a session, and what else such a permission covers.

A user who allows "transfer 100 to ACME" for a session agrees to more transfers to ACME of up to 100, not to any
transfer. So the same agent has to ask with the same arguments, except that an amount may be smaller. A number is an
amount only where its name says so: any other one may be the number of an account or of a room.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from batuta.kernel.ids import canonical_id

_IS_AMOUNT = re.compile(
    r"(?i)(^|_)(amount|amounts|quantity|quantities|qty|price|cost|costs|fee|total|subtotal|sum|value|budget|net|gross|"
    r"units|pieces|hours|minutes|percent|percentage|eur|usd|gbp|chf|importe|cantidad|precio|coste|horas|unidades)$"
)
"""Fields whose numbers say how much: a smaller one is less of the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedCall:
    """A call that ran and may be repeated in its session."""

    tool_name: str
    args: Mapping[str, Any]
    by: str
    """Who allowed it."""
    key_id: str = ""
    """The API key it was allowed with."""
    agent_id: str = ""
    """Whose call it was: tools of two agents may have one name."""

    def covers(self, tool_name: str, args: Mapping[str, Any], agent_id: str = "") -> bool:
        """Whether another call is of the same agent, has the same target and at most the same amount."""
        is_same = tool_name == self.tool_name and canonical_id(agent_id) == canonical_id(self.agent_id)
        return is_same and _is_within(dict(self.args), dict(args), field="")


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
    return is_number and math.isfinite(value) and _IS_AMOUNT.search(_words(field)) is not None


def _words(field: str) -> str:
    """`customerId` as `customer_Id`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field)
