"""Characters that hide or turn text around, made visible: what a person agrees to must be what they read."""

import re
import unicodedata

_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d159\U000e0000-\U000e0fff]"
)
"""Characters that show as nothing though their category is that of letters, marks or symbols."""
_SELECTORS = range(0xFE00, 0xFE10)
"""Choose how the character before looks: after a symbol, as with emoji, that is all they do."""
_HIDDEN_CATEGORIES = frozenset({"Cf", "Zl", "Zp", "Cc"})
"""Format characters (direction marks, zero-width ones), other separators of lines, and controls."""


def reveal_hidden(text: str) -> str:
    """A text with each hidden character as its code, as in `⟦U+202E⟧`."""
    if text.isascii() and text.isprintable():
        return text
    before = f"\n{text}"
    return "".join(
        f"⟦U+{ord(each):04X}⟧" if _is_hidden(each, before[place]) else each for place, each in enumerate(text)
    )


def _is_hidden(character: str, before: str) -> bool:
    if character in "\n\t":
        return False
    if ord(character) in _SELECTORS:
        return unicodedata.category(before)[0] not in "SP"
    return _BLANK.match(character) is not None or unicodedata.category(character) in _HIDDEN_CATEGORIES
