"""The shapes of secrets and personal data in a text, and the names of fields that hold secrets.

Two searches. Secrets that are known by the name before them (`POSTGRES_PASSWORD=…`, `"api_keys": […]`, headers, flags)
are looked for only where such a name may be; keys, tokens and personal data are known by their own shape anywhere.
Every repetition is bounded or begins at one place of a run of characters: a text is searched in time that grows with
its length, whatever it holds.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote_plus

from batuta.llm.masking import PII_PATTERNS

REDACTED = "[redacted]"

_KEYS = (
    r"(?:api|app|application|access|account|auth|client|consumer|deploy|encryption|fernet|hmac|jwt|license|master|"
    r"private|secret|service|session|shared|signing|ssh|storage|subscription|webhook)[-_. ]?keys?"
)
_TOKENS = r"(?:access|api|auth|bearer|bot|csrf|id|refresh|security|session|xsrf)[-_ ]?token"
_LONG = rf"(?:pass(?:wor|w)d|passphrase|passcode|contrase[ñn]a|secret|credential)s?|{_KEYS}|{_TOKENS}"
"""Words that say secret wherever they stand in a name."""
_SHORT = r"(?:pwd|pass|token|signature|clave)"
"""Words that say so as a part of their own: `db_pass`, but not `compass`."""
_NOT_A_LETTER_BEFORE = r"(?<![^\W\d_])"

_SECRET_NAME = re.compile(
    rf"(?:{_LONG})(?:[-_. ][^\W_]{{1,24}}){{0,3}}$|{_NOT_A_LETTER_BEFORE}(?:{_SHORT}|tokens|authorization|cookies?)"
    r"(?:[-_](?:hash|header|key|value))?$"
)
_NOT_SECRET = frozenset({"max_tokens"})


def is_secret_name(name: str) -> bool:
    """Whether a field's name says that its value is a secret."""
    lowered = name.lower()
    return _SECRET_NAME.search(lowered) is not None and lowered not in _NOT_SECRET


_NAMED = (
    rf"(?:{_LONG})(?:[-_.][^\W_]{{1,24}}){{0,3}}|{_NOT_A_LETTER_BEFORE}{_SHORT}(?:[-_](?:hash|key|secret|value))?"
    r"|(?<=[?&])(?:code|key|sig)"
    r"|tokens(?=\\?[\"']?\s{0,8}[:=]\s{0,8}[\"'\[({]{0,2}(?!\d+\b|None|null|true|false|[\s\"'\])}]))"
    rf"|{_NOT_A_LETTER_BEFORE}(?:pin|otp|cvv|cvc)(?=\\?[\"']?\s{{0,8}}[:=]\s{{0,8}}\\?[\"']?\d{{3,8}}\b)"
)
_SEPARATOR = r"\\?[\"']?\]?\s{0,8}(?::=|=>|[:=])\s{0,8}"
_QUOTED = r"\w{0,20}\(?(?:\"(?:[^\"\\\n]|\\.){0,4000}\"?|'(?:[^'\\\n]|\\.){0,4000}'?)|\\\"[^\"\\\n]{0,4000}"
_LISTED = r"\[[^\]\n]{0,4000}\]?|\{[^}\n]{0,4000}\}?"
_PLAIN = r"(?:(?:apikey|basic|bearer|token)\s{1,8})?[^\s\"'&,;<>)\]}]+"
_HEADER_VALUE = r"(?:digest\b[^\r\n]{0,4000}|[^\r\n\"']{1,4000})"
_HARMLESS = (
    r"(?:a|an|always|being|changed|checked|correct|demasiado|el|empty|encrypted|expired|hashed|in|incorrect|incorrecta|"
    r"invalid|kept|la|missing|necesaria|needed|never|no|not|now|obligatoria|only|required|reset|sent|set|still|stored|"
    r"the|to|too|un|una|used|valid|weak|wrong)\b"
)
_ASSIGNED = re.compile(
    rf"(?P<header>{_NOT_A_LETTER_BEFORE}(?:authorization|(?:set-)?cookie){_SEPARATOR})(?:{_QUOTED}|{_HEADER_VALUE})"
    rf"|(?P<said>(?:password|passphrase|passcode|contraseña|clave)\s{{1,8}}(?:is|es)\s{{1,8}})(?!{_HARMLESS})"
    rf"(?:{_QUOTED}|\S+)"
    rf"|(?P<tag><(?:[\w:.-]{{1,40}}[-_.:])?(?:{_LONG}|token)>)[^<]{{1,4000}}"
    rf"|(?P<flag>(?<!\S)--?(?:[\w-]{{1,40}}-)?(?:{_LONG}|{_SHORT})\s{{1,8}})(?!-)(?:{_QUOTED}|\S+)"
    r"|(?P<user>(?<!\S)(?:-u|--user)\s{1,8}[^\s:]{1,64}:)\S+"
    rf"|(?P<name>(?<!palabra )(?:{_NAMED}){_SEPARATOR})(?:{_QUOTED}|{_LISTED}|{_PLAIN})",
    re.IGNORECASE,
)
_WHOLE = r"\w{0,20}\(?(?:\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)|\\\"[^\"\\\n]*+|(?=[\[{])"
"""A value of any length: what is declared as sensitive may be one letter."""
_BRACKET = re.compile(r"[\[\]{}]")
_HINTS = re.compile(
    r"pass|pwd|secret|token|signature|authorization|cookie|credential|contrase|clave|[?&](?:code|sig)=|"
    r"(?<![^\W\d_])(?:pin|otp|cv[vc])(?![^\W\d_])|"
    r"key(?:[\w.-]{0,40}\\?[\"']?\]?\s{0,8}[:=]|>|\s)|(?<!\S)-(?:u|-user)\s",
    re.IGNORECASE,
)
"""Without any of these there is no name of a secret in a text."""

_SHAPES: dict[str, str] = {
    "KEY_BLOCK": r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY|\Z)",
    "URL_USER": r"(?<=://)(?:[^\s/@:]*:[^\s/]+(?=@)|[^\s/@:?#]+(?=@))",
    "WEBHOOK": r"(?<=hooks\.slack\.com/services/)[\w/-]+|(?<=discord\.com/api/webhooks/)[\w/-]+",
    "BEARER": r"(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}",
    "JWT": r"(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*",
    "KEY": r"\b(?:sk|pk|rk)[-_][\w-]{8,}|\b(?:AIza|ya29\.|GOCSPX-)[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|"
    r"\b(?:gh[opsur]_|github_pat_|glpat-|hf_|gsk_|xai-|npm_|pypi-|xox[abeoprs]-|whsec_|dop_v1_|hvs\.|SG\.)[\w.-]{8,}|"
    r"\b\d{6,12}:[A-Za-z0-9_-]{30,}",
    **PII_PATTERNS,
    "NATIONAL_ID": r"\b\d{8}-?[A-HJ-NP-TV-Za-hj-np-tv-z]\b|\b[XYZ]-?\d{7}-?[A-Z]\b|\b\d{3}-\d{2}-\d{4}\b",
    "LOCAL_PHONE": r"(?<![\w.-])(?:\(\d{2,4}\) ?|\d{2,4}[ .])\d{2,4}[ .-]\d{2,4}(?:[ .-]\d{2,4})?\b",
    "USER": r"(?<![\w.@/:-])[\w.-]{1,40}:[^\s:/@\"']{1,80}@(?=tcp\(|[\w.-]{1,80}[:/]\w)",
    "TOKEN": r"(?<![\w/-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[A-Za-z0-9_-]{24,}(?![\w/-])|"
    r"(?<![\w/+.-])(?=[\w/+]{0,40}[a-z])(?=[\w/+]{0,40}[A-Z])(?=[\w/+]{0,40}\d)[A-Za-z0-9/+]{40}(?![\w/+.-])",
}
_FIND = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES.items()))
_WORD = re.compile(r"[^\s\"'<>]+")


def searched(text: str) -> str:
    """A text with every secret and every personal datum replaced that has a known name or shape."""
    if "%" in text or "+" in text:
        text = _WORD.sub(_decoded_if_secret, text)
    return _shown(text)


def assigned_to(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds the values that a text gives to fields of these names: `salary=…`, `"salary": …`; nothing without names."""
    known = "|".join(re.escape(name) for name in sorted(names))
    if not known:
        return None
    return re.compile(rf"(?P<name>(?<!\w)(?:{known}){_SEPARATOR})(?:{_WHOLE}|{_PLAIN})", re.IGNORECASE)


def without_values(pattern: re.Pattern[str], text: str) -> str:
    """A text with every value replaced that a pattern of `assigned_to` finds."""
    shown: list[str] = []
    done = 0
    while (found := pattern.search(text, done)) is not None:
        shown += (text[done : found.start()], _without_value(found))
        done = _past_brackets(text, found.end()) if text[found.end() : found.end() + 1] in ("[", "{") else found.end()
    return "".join((*shown, text[done:])) if shown else text


def _past_brackets(text: str, start: int) -> int:
    """Where what opens here is closed; the end of the text, if it is not."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "[{" else -1
        if not depth:
            return bracket.end()
    return len(text)


def _shown(text: str) -> str:
    if _HINTS.search(text) is not None:
        text = _ASSIGNED.sub(_without_value, text)
    return _FIND.sub(_by_kind, text)


def _decoded_if_secret(found: re.Match[str]) -> str:
    """What a word hides as it stands in an address is seen only when it is decoded."""
    if "%" not in found[0] and "+" not in found[0]:
        return found[0]
    decoded = unquote_plus(found[0])
    shown = _shown(decoded)
    return found[0] if shown == decoded else shown


def _without_value(found: re.Match[str]) -> str:
    return f"{found[found.lastgroup or 0]}{REDACTED}"


def _by_kind(found: re.Match[str]) -> str:
    return f"[{(found.lastgroup or '').lower()}]"
