"""Characters that hide or turn text around, made visible: what a person agrees to must be what they read."""

import unicodedata

_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u034f")
"""Letters that show as nothing."""
_HIDDEN_CATEGORIES = frozenset({"Cf", "Zl", "Zp", "Cc"})
"""Format characters (direction marks, zero-width ones), other separators of lines, and controls."""


def reveal_hidden(text: str) -> str:
    """A text with each hidden character as its code, as in `⟦U+202E⟧`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟦U+{ord(each):04X}⟧" if _is_hidden(each) else each for each in text)


def _is_hidden(character: str) -> bool:
    if character in "\n\t":
        return False
    return character in _BLANK_LETTERS or unicodedata.category(character) in _HIDDEN_CATEGORIES
