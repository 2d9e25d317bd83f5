"""Named places where a test may make the process die, fail, wait or freeze.

    failpoint("log.append.after_commit")

Off unless asked for: then a call costs one look at an empty table. Asked for by the environment,

    BATUTA_FAILPOINTS="log.append.after_commit=kill@3,projector.before_cursor=sleep:0.5"

or in a test, which also learns how often each place was reached:

    with failpoints.active({"log.append.after_commit": "raise"}) as hits: ...
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

VARIABLE = "BATUTA_FAILPOINTS"


class FailpointSyntaxError(ValueError):
    """A failpoint was asked for in words that mean nothing; the message lists what does."""


class InjectedFaultError(RuntimeError):
    """Raised by the action `raise`. Not part of the error tree: no handler expects it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"failpoint {name!r} was set to raise")
        self.name = name


@dataclass(frozen=True, slots=True)
class Action:
    """What happens at a failpoint, and on which hit of it (`None`: on every one)."""

    verb: str
    seconds: float = 0.0
    only_hit: int | None = None


@dataclass(slots=True)
class _Armed:
    action: Action
    hits: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def counts_and_fires(self) -> bool:
        with self.lock:
            self.hits += 1
            return self.action.only_hit in (None, self.hits)


class Hits(Mapping[str, int]):
    """How often each armed failpoint was reached, whether or not it fired."""

    def __init__(self, armed: Mapping[str, _Armed]) -> None:
        self._armed = armed

    def __getitem__(self, name: str) -> int:
        return self._armed[name].hits

    def __iter__(self) -> Iterator[str]:
        return iter(self._armed)

    def __len__(self) -> int:
        return len(self._armed)


_armed: dict[str, _Armed] = {}


def failpoint(name: str) -> None:
    """Do what was asked for at this place; nothing, if nothing was."""
    if _armed:
        _reach(name)


@contextmanager
def active(actions: Mapping[str, str]) -> Iterator[Hits]:
    """Arm these failpoints for the block, in place of whatever was armed before it."""
    armed = {name: _Armed(parse_action(text)) for name, text in actions.items()}
    before = dict(_armed)
    _replace_armed(armed)
    try:
        yield Hits(armed)
    finally:
        _replace_armed(before)


def configure(text: str) -> None:
    """Arm the failpoints of a text such as `BATUTA_FAILPOINTS` holds; an empty one disarms all."""
    _replace_armed({name: _Armed(parse_action(action)) for name, action in parse(text).items()})


def parse(text: str) -> dict[str, str]:
    """Split `name=action,name=action` into a table."""
    table: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, action = part.partition("=")
        if not (equals and name.strip()):
            raise FailpointSyntaxError(f"{part!r} is not of the form name=action (in {VARIABLE})")
        if name.strip() in table:
            raise FailpointSyntaxError(f"failpoint {name.strip()!r} is given twice (in {VARIABLE})")
        table[name.strip()] = action.strip()
    return table


def parse_action(text: str) -> Action:
    """Read `verb`, `verb@hit`, `sleep:seconds` or `sleep:seconds@hit`."""
    call, at, hit = text.partition("@")
    verb, colon, seconds = call.partition(":")
    if verb not in _VERBS or bool(colon) != (verb == "sleep"):
        raise FailpointSyntaxError(f"unknown failpoint action {text!r}; {_USAGE}")
    return Action(
        verb=verb,
        seconds=_duration(seconds, text) if colon else 0.0,
        only_hit=_hit_number(hit, text) if at else None,
    )


def _duration(text: str, action: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= _LONGEST_SLEEP:
        raise FailpointSyntaxError(f"{action!r} needs seconds from 0 to {_LONGEST_SLEEP:g} after the colon; {_USAGE}")
    return seconds


def _hit_number(text: str, action: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise FailpointSyntaxError(f"{action!r} needs a hit number from 1 after the @; {_USAGE}")
    return int(text)


def _replace_armed(table: Mapping[str, _Armed]) -> None:
    # One table object for ever: `failpoint` looks at it without a `global`, and so does every importer.
    _armed.clear()
    _armed.update(table)


def _reach(name: str) -> None:
    armed = _armed.get(name)
    if armed is not None and armed.counts_and_fires():
        _VERBS[armed.action.verb](name, armed.action)


def _kill(name: str, action: Action) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _pause(name: str, action: Action) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _raise(name: str, action: Action) -> None:
    raise InjectedFaultError(name)


def _sleep(name: str, action: Action) -> None:
    # Blocks the thread, and so an event loop: that is the fault wanted. `time.sleep` fails under a faked clock.
    threading.Event().wait(action.seconds)


_VERBS: dict[str, Callable[[str, Action], None]] = {"kill": _kill, "raise": _raise, "sleep": _sleep, "pause": _pause}
_LONGEST_SLEEP = 3600.0
_USAGE = "write kill, raise, pause or sleep:SECONDS, each optionally followed by @HIT"

configure(os.environ.get(VARIABLE, ""))
