"""Number series: the next number after one, as people write them (`G00009` -> `G00010`)."""

import re

_DIGITS = re.compile(r"\d+(?=\D*$)")


def next_number(last: str) -> str:
    """Count the last group of digits up by one and keep its width."""
    found = _DIGITS.search(last)
    if found is None:
        msg = f"'{last}' has no digits to count up"
        raise ValueError(msg)
    digits = found[0]
    return f"{last[: found.start()]}{int(digits) + 1:0{len(digits)}d}{last[found.end() :]}"
