"""A title for a session, from its first message: the first words that fit, without markup. Pure."""

import re

LONGEST = 60
_MARKUP = re.compile(r"[`*_#>|~\[\]]+")
_COMMAND = re.compile(r"^/\S+\s+")
_SENTENCE = re.compile(
    r".*?[.!?…](?<!\b(?:Dr|Sr|Mr|Ms|St|Ud)\.)(?<!\b(?:Dra|Sra|Mrs|Uds)\.)(?<!\b(?:Srta|Prof)\.)(?=\s|$)", re.I
)
"""Up to a stop that is not the one of a title such as "Dr."."""


def title_of(text: str) -> str:
    """A short title; of nothing sayable, nothing."""
    plain = " ".join(_MARKUP.sub(" ", _COMMAND.sub("", text.strip())).split())
    first = _SENTENCE.match(plain)
    sentence = (first[0] if first else plain).rstrip(". ")
    title = sentence if len(sentence) <= LONGEST else _cut(sentence)
    return title[:1].upper() + title[1:]


def _cut(text: str) -> str:
    """At the last word that fits, or within it if it is the only one."""
    fitting = text[: LONGEST - 1]
    words = fitting.rsplit(" ", 1)[0] if " " in fitting else fitting
    return words.rstrip(" ,;:-") + "…"
