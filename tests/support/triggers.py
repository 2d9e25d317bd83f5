"""When a fault strikes: tests on the bytes a client sends, remembering per connection what they need to.

A trigger makes a fresh matcher for every connection; the matcher sees each chunk on its way to the server.
Mind prepared statements: PostgreSQL's clients send the text of a statement once and only its arguments later,
so look for an argument to catch the execution.
"""

from collections.abc import Callable
from random import Random

Matcher = Callable[[bytes], bool]
Trigger = Callable[[], Matcher]


def any_request() -> Matcher:
    """The next bytes, whatever they are."""
    return lambda chunk: True


def nth_request(number: int) -> Trigger:
    """That chunk, counted from when the fault was armed, whichever connection carries it."""
    seen = 0

    def matches(chunk: bytes) -> bool:
        nonlocal seen
        seen += 1
        return seen == number

    return lambda: matches


def containing(needle: bytes) -> Trigger:
    """Bytes that hold the needle, also where two chunks share it."""

    def start() -> Matcher:
        tail = b""

        def matches(chunk: bytes) -> bool:
            nonlocal tail
            text = tail + chunk
            tail = text[len(text) - len(needle) + 1 :] if len(needle) > 1 else b""
            return needle in text

        return matches

    return start


def after_bytes(count: int) -> Trigger:
    """The chunk with which a connection has sent that many bytes since the fault was armed."""

    def start() -> Matcher:
        seen = 0

        def matches(chunk: bytes) -> bool:
            nonlocal seen
            seen += len(chunk)
            return seen >= count

        return matches

    return start


def sometimes(trigger: Trigger, probability: float, rng: Random) -> Trigger:
    """The same, but only so often."""

    def start() -> Matcher:
        matches = trigger()
        return lambda chunk: matches(chunk) and rng.random() < probability

    return start
