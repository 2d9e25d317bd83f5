"""What may be shown of an error: what kind it is, where it happened, and no word of a user's text.

The text of an exception may be private: a provider quotes the prompt, a parser the answer, a developer the argument.
So a text is read for the phrases that say what went wrong (statuses, refused connections, time limits, broken JSON,
the place and rule of a validation), and those are shown with the length of the whole. The few classes whose sentences
are ours from beginning to end, names and figures included, are shown as they are.
"""

import re
import traceback
from collections.abc import Iterator

from batuta.kernel import errors

_OURS: tuple[type[errors.BatutaError], ...] = (
    errors.BudgetExceededError,
    errors.CircuitOpenError,
    errors.DeadlineExceededError,
    errors.EventTooLargeError,
    errors.FencedError,
    errors.MissingExtraError,
    errors.SequenceConflictError,
    errors.SettingsError,
    errors.StaleEpochError,
    errors.ToolLimitError,
    errors.WriteForbiddenError,
)
OUR_KINDS = frozenset(name for each in _OURS for name in (each.__name__, each.code))
"""By class and by code: errors whose text is entirely ours."""

MAX_READ = 10_000
MAX_SIGNS = 6
MAX_CAUSES = 8

_PLACE = r"\b[a-z_][a-z0-9_]{0,40}(?:\.[a-z0-9_]{1,40}){0,6}"
_RULES = (
    r"field required|extra inputs are not permitted|"
    r"input should be an? (?:valid )?[a-z]{1,20}(?: or [a-z]{1,20})?|"
    r"input should be (?:greater|less) than (?:or equal to )?-?[\d.]{1,20}|"
    r"(?:string|list|value|data) should have at (?:least|most) \d{1,9} (?:characters?|items?)"
)
"""Where a validation found something and what it wanted: both are the schema's words."""

_SIGNS = (
    # what an HTTP server says
    r"\A[45]\d\d\b",
    r"\b(?:answered|status(?: code)?|error code|http)[ :=]{1,3}[45]\d\d\b",
    r"bad gateway|service unavailable|gateway time-?out|internal server error|too many requests|unauthorized|forbidden",
    r"overloaded|rate[ _]limit(?:ed| exceeded|_exceeded)?|insufficient_quota|quota exceeded|model_not_found",
    r"invalid_api_key|authentication failed|permission denied|context_length_exceeded|maximum context length",
    r"invalid_request_error|content_filter",
    # the network and the machine
    r"connect(?:ion)? (?:attempts? |call )?(?:refused|reset(?: by peer)?|aborted|failed|closed|lost|error)",
    r"server disconnected|broken pipe|network is unreachable|no route to host|name or service not known",
    r"temporary failure in name resolution|nodename nor servname provided|certificate verify failed|ssl error",
    r"no such file or directory|no space left on device|too many open files|address already in use",
    r"read-only file system",
    r"\[Errno -?\d{1,5}\]|database is locked|disk i/o error|out of memory|deadlock detected",
    r"server closed the connection",
    r"tim(?:ed|e)[ -]?out|did not answer (?:in time|within [\d.]{1,9} s)|no complete answer within [\d.]{1,9} s",
    r"broke off its answer before it was complete|cannot be reached|the store is closed|in \d{1,4} attempts",
    # Python
    r"invalid literal for int\(\) with base \d{1,2}|could not convert string to float|division by zero",
    r"(?:list|string|tuple) index out of range|object has no attribute",
    r"object is not (?:callable|iterable|subscriptable)",
    r"unexpected keyword argument|missing \d{1,2} required (?:positional|keyword-only) arguments?",
    r"maximum recursion depth exceeded|is not JSON serializable|codec can't (?:de|en)code",
    # JSON and validation, with the place and the rule, without the value
    r"expecting (?:value|property name enclosed in double quotes|',' delimiter|':' delimiter)|unterminated string",
    r"line \d{1,9},? column \d{1,9}|invalid JSON|its end is missing|the text has \d{1,12} characters",
    rf"(?:{_PLACE}: )?(?:{_RULES})",
    r"\d{1,3} attempt(?:s|\(s\))|confidence [\d.]{1,6} (?:is )?(?:below|under) [\d.]{1,6}|there is no such tool",
)
_SIGN = re.compile("|".join(_SIGNS), re.IGNORECASE)
_NAME = re.compile(r"(?:[A-Z][A-Z0-9_]*|\w{0,60}(?:Error|Exception|Rejected|Timeout))", re.ASCII)
_WORDS = frozenset({"recovered", "decided", "retried", "forbidden", "rate_limited", "unknown_tool"})


def told_text(text: str) -> str:
    """What an error's text says went wrong, without its words."""
    if not text or text in _WORDS or _NAME.fullmatch(text):
        return text
    found = list(dict.fromkeys(sign[0] for sign in _SIGN.finditer(text[:MAX_READ])))[:MAX_SIGNS]
    return f"{' … '.join(found)} [of {len(text)} characters]" if found else f"[{len(text)} characters]"


def is_ours(error: BaseException) -> bool:
    """Whether every word of an exception's text is ours."""
    return isinstance(error, _OURS) and type(error).__module__.startswith("batuta.")


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """An exception, what caused it, what caused that."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < MAX_CAUSES:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def frames_of(error: BaseException) -> str:
    """Where an exception was raised: files, lines and code, without its text."""
    return "".join(traceback.format_tb(error.__traceback__))


_FRAME = re.compile(r"  File \"[^\"\n]{1,400}\", line \d{1,9}, in [\w<>.]{1,200}")
_HEAD = re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200}(?:Error|Exception|Rejected|Interrupt|Exit|Group|Warning))(?::|\Z)")
_JOINTS = ("Traceback (most recent call last):", "The above exception was", "During handling of the above exception")


def told_stack(stack: str) -> str:
    """A stack that came as text: its files, lines and types; code and texts look alike and are left out."""
    kept: list[str] = []
    for line in stack[: MAX_READ * 10].splitlines():
        if _FRAME.fullmatch(line) or line.startswith(_JOINTS):
            kept.append(line)
        elif (head := _HEAD.match(line)) is not None:
            kept.append(head["type"])
    return "\n".join(kept)
