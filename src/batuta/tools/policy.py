"""What a tool declares about itself besides its schema: effect, limits, who may use it, who must agree.

The kind of a tool sets its default limits; whatever is declared wins.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypedDict

from batuta.kernel.effects import EffectKind
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.numbers import check_duration, check_number
from batuta.tools.context import ToolContext

ToolKind = Literal["retrieval", "computation", "external", "side_effect"]
Approval = Literal["always", "never"] | Callable[[dict[str, Any]], bool]
Preview = (
    Callable[[dict[str, Any]], str | Awaitable[str]] | Callable[[dict[str, Any], ToolContext], str | Awaitable[str]]
)
"""Given the arguments, and the call too if it takes two: for whom it is shown, in which language."""
Authorize = Callable[[dict[str, Any], ToolContext], Awaitable[str | None]]
"""Given the arguments and the call: raises `ToolRefusedError` if its user may not make it; otherwise the role that the
person who decides about it needs, if it needs one.
"""
APPROVAL_REASON = "approval_reason"
"""The fact (`context.enrich`) by which `authorize` says to an approver why a role is needed."""
Reconcile = Callable[[dict[str, Any], ToolContext], Awaitable[Any]]

TOOL_TIMEOUT = timedelta(seconds=30)
MAX_ARGUMENT_BYTES = 64 * 1024
MAX_RESULT_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many calls in a time; the bucket is full at the start."""

    calls: int
    per: timedelta

    def __post_init__(self) -> None:
        """Refuse a limit that would let nothing or everything through."""
        if self.calls < 1 or self.per <= timedelta(0):
            raise ConfigurationError(f"a rate limit needs at least one call in some time, got {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBounds:
    """Bounds on how a tool is run. `None` is no bound."""

    timeout: timedelta = TOOL_TIMEOUT
    rate: RateLimit | None = None
    max_concurrency: int | None = None

    def __post_init__(self) -> None:
        """Refuse bounds under which the tool could never run."""
        check_duration("a tool's timeout", self.timeout)
        check_number("max_concurrency", self.max_concurrency, at_least=1)


KIND_LIMITS: dict[ToolKind | None, ToolBounds] = {
    None: ToolBounds(),
    "retrieval": ToolBounds(max_concurrency=16),
    "computation": ToolBounds(timeout=timedelta(seconds=10), max_concurrency=4),
    "external": ToolBounds(rate=RateLimit(10, timedelta(seconds=1)), max_concurrency=8),
    "side_effect": ToolBounds(rate=RateLimit(5, timedelta(seconds=1)), max_concurrency=1),
}


class ToolOptions(TypedDict, total=False):
    """The options of `@tool`."""

    name: str
    effect: EffectKind
    kind: ToolKind
    timeout: float | timedelta
    roles: Iterable[str]
    approval: Approval
    rate: RateLimit
    max_concurrency: int
    exclusive: bool
    redact: Iterable[str]
    preview: Preview
    reconcile: Reconcile
    settles_within: float | timedelta
    authorize: Authorize
    version: str
    max_argument_bytes: int
    max_result_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPolicy:
    """The declarations of one tool."""

    effect: EffectKind = "read"
    kind: ToolKind | None = None
    limits: ToolBounds = KIND_LIMITS[None]
    roles: frozenset[str] = frozenset()
    """The user must hold all of them."""
    approval: Approval | None = None
    """Undeclared, a write needs no approval in a bare run; on the platform it does."""
    exclusive: bool = False
    """Must not run beside other calls of the same answer."""
    redact: frozenset[str] = frozenset()
    """Fields of the arguments whose values stay out of audit, events, traces and summaries, at any depth."""
    preview: Preview | None = None
    """Shows a person what a call would do."""
    reconcile: Reconcile | None = None
    """Finds out whether a write happened whose answer was lost: its result, `None` if it did not, or it raises."""
    settles_within: timedelta | None = None
    """How long after its beginning a write may still take place, although the caller died or got no answer:
    before that no person is asked whether it did, and a look-up that finds nothing counts for nothing.
    """
    authorize: Authorize | None = None
    """Decides about rights before a person is asked, and again before the tool runs: one taken away between counts."""
    version: str = "1"
    max_argument_bytes: int = MAX_ARGUMENT_BYTES
    max_result_chars: int = MAX_RESULT_CHARS

    def __post_init__(self) -> None:
        """Refuse caps that nothing fits under."""
        check_number("max_argument_bytes", self.max_argument_bytes, at_least=1)
        check_number("max_result_chars", self.max_result_chars, at_least=1)
        if self.settles_within is not None:
            check_duration("settles_within", self.settles_within)

    def needs_approval(self, args: dict[str, Any]) -> bool:
        """True if a call with these arguments needs an approval. A predicate that fails says yes."""
        if self.approval is None or not callable(self.approval):
            return self.approval == "always"
        try:
            return bool(self.approval(args))
        except Exception:  # whatever is wrong with the predicate, the safe answer is to ask
            return True

    def redacted(self, value: Any) -> Any:
        """Arguments as they may be shown and kept."""
        if not self.redact:
            return value
        if isinstance(value, dict):
            return {key: "[redacted]" if key in self.redact else self.redacted(part) for key, part in value.items()}
        return [self.redacted(part) for part in value] if isinstance(value, list) else value

    def redacted_call(self, call: dict[str, Any]) -> dict[str, Any]:
        """A call with its `args` as they may be shown; of `invalid_args` nothing, a broken text hides its fields."""
        if not self.redact:
            return call
        raw = None if call.get("invalid_args") is None else "[redacted]"
        return {**call, "args": self.redacted(call["args"]), "invalid_args": raw}


DEFAULT_POLICY = ToolPolicy()
"""A tool that reads, with the default limits, for every user."""

_OWN_FIELDS = ("effect", "kind", "approval", "exclusive", "preview", "reconcile", "authorize", "version")
_CAPS = ("max_argument_bytes", "max_result_chars")


def policy_from(options: ToolOptions) -> ToolPolicy:
    """The policy of a tool declared with these options."""
    given: dict[str, Any] = {name: options.get(name) for name in (*_OWN_FIELDS, *_CAPS) if name in options}
    settles_within = options.get("settles_within")
    return ToolPolicy(
        **given,
        settles_within=None if settles_within is None else _as_timedelta(settles_within),
        limits=_limits_from(options),
        roles=_names(options.get("roles", ()), "roles"),
        redact=_names(options.get("redact", ()), "redact"),
    )


def _limits_from(options: ToolOptions) -> ToolBounds:
    defaults = KIND_LIMITS[options.get("kind")]
    return ToolBounds(
        timeout=_as_timedelta(options.get("timeout", defaults.timeout)),
        rate=options.get("rate", defaults.rate),
        max_concurrency=options.get("max_concurrency", defaults.max_concurrency),
    )


def _as_timedelta(value: float | timedelta) -> timedelta:
    return value if isinstance(value, timedelta) else timedelta(seconds=value)


def _names(names: Iterable[str], option: str) -> frozenset[str]:
    if isinstance(names, str):
        raise ConfigurationError(f"{option} is a set of names, got the text {names!r}")
    return frozenset(names)
