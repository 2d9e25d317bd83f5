"""Find quoted words in a stored text, whatever blanks, emphasis, hyphens, ligatures and quotation marks it has.

Offsets are those of the stored text. Letters and digits are compared as they are: a quote with another figure, another
word or another case is another quote.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

MIN_QUOTE_CHARS = 2
MAX_QUOTE_CHARS = 2_000

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2007\u202f\u2009\u200a", " "),
    }
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_RUN = re.compile(
    r"(?P<gap>\s+)"
    r"|(?P<dropped>[*_\u00ad\u200b\ufeff]+|(?<=[^\W\d_])-(?:\s*\n\s*)?(?=[^\W\d_]))"
    r"|(?P<ligature>[ﬀ-ﬆ])"
    r"|(?P<words>[^\s*_\u00ad\u200b\ufeffﬀ-ﬆ-]+|-)"
)
_OUTER_MARKS = " \t\n\"'.…"


@dataclass(frozen=True, slots=True)
class FlatText:
    """A text with one blank between words and without what may differ, and where each run of it came from."""

    text: str
    starts: tuple[int, ...]
    sources: tuple[int, ...]

    def source(self, offset: int) -> int:
        """The offset in the stored text."""
        run = bisect_right(self.starts, offset) - 1
        return self.sources[run] + offset - self.starts[run]


def flattened(text: str) -> FlatText:
    """A text ready for comparison."""
    parts: list[str] = []
    starts: list[int] = []
    sources: list[int] = []
    length = 0
    for match in _RUN.finditer(text.translate(_SAME)):
        kind, words = match.lastgroup, match.group()
        if kind == "dropped":
            continue
        if kind == "gap":
            if parts and parts[-1] == " ":
                continue
            words = " "
        elif kind == "ligature":
            words = _LIGATURES[words]
        parts.append(words)
        starts.append(length)
        sources.append(match.start())
        length += len(words)
    return FlatText("".join(parts), tuple(starts), tuple(sources))


def located(text: str, quote: str) -> list[tuple[int, int]]:
    """Every span of a text that holds these words, as offsets; none for a quote that is too short or too long."""
    if not MIN_QUOTE_CHARS <= len(quote.strip()) <= MAX_QUOTE_CHARS:
        return []
    exact = _exact(text, quote)
    if exact:
        return exact
    whole = flattened(quote).text.strip()
    flat = flattened(text)
    for wanted in dict.fromkeys((whole, whole.strip(_OUTER_MARKS))):
        found = _whole(flat.text, wanted) if len(wanted) >= MIN_QUOTE_CHARS else []
        if found:
            return [(flat.source(at), flat.source(at + len(wanted) - 1) + 1) for at in found]
    return []


def _exact(text: str, quote: str) -> list[tuple[int, int]]:
    return [(at, at + len(quote)) for at in _whole(text, quote)]


def _whole(text: str, words: str) -> list[int]:
    """Where words stand that are not cut out of longer ones: "30 euros" is no quote of "130 euros"."""
    found, at = [], text.find(words)
    while at >= 0:
        end = at + len(words)
        begins_inside = at > 0 and _joins(text[at - 1], words[0])
        ends_inside = end < len(text) and _joins(words[-1], text[end])
        if not begins_inside and not ends_inside and not _cuts_number(text, at, end):
            found.append(at)
        at = text.find(words, at + 1)
    return found


def _joins(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum()


def _cuts_number(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends between the digits of one number, such as `1.` and `200`."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    begins = text[start].isdigit() and len(before) == 2 and before[1] in ".," and before[0].isdigit()
    ends = text[end - 1].isdigit() and len(after) == 2 and after[0] in ".," and after[1].isdigit()
    return begins or ends
