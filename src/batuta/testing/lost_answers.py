"""Executed, but the caller saw a timeout: every operation of a log and of a queue, sent again.

    undisturbed:   prepare, send
    disturbed:     prepare, send (it takes effect, its answer gets lost), send again

Both must leave the same behind, and answer the same where the contract promises it. The suites lose answers in the
process, which any backend can be asked to bear; a backend with a real way of losing them gives it as `lose`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from batuta.kernel.ids import new_id

Send = Callable[[], Awaitable[Any]]
Lose = Callable[[Send], Awaitable[None]]
"""Sends something in such a way that its answer gets lost."""

LEFT_OUT = {
    "tail": "a hint: it may fail to ring",
    "listening": "a hint: it may say nothing",
    "close": "nothing is asked of a closed log",
}
"""Operations without an answer to lose."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One operation, ready to be sent. `send` may be called any number of times and is the same each time."""

    operation: str
    prepare: Callable[[Any, str], Awaitable[Send]]
    """Bring a session of a store to where the operation makes sense."""
    answers_alike: bool = True
    """Whether the second answer is the first one; otherwise only what is left behind counts."""
    variant: str = ""

    def __str__(self) -> str:
        """Its name in a report."""
        return f"{self.operation} {self.variant}".strip()


async def lost_in_the_process(send: Send) -> None:
    """Let it take effect, and lose the answer."""
    await send()


async def check(case: Case, store: Any, left_behind: Callable[[str], Awaitable[Any]], lose: Lose) -> None:
    """Fail unless a lost answer makes no difference."""
    calm, disturbed = new_id(), new_id()
    expected = await (await case.prepare(store, calm))()
    wanted = await left_behind(calm)
    send = await case.prepare(store, disturbed)
    await lose(send)
    answer = await send()
    if case.answers_alike:
        assert answer == expected, f"{case}: {answer} instead of {expected}"
    found = await left_behind(disturbed)
    assert found == wanted, f"{case} left {found} behind instead of {wanted}"
