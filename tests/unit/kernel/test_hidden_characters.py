"""Characters that hide or turn text around are shown as their codes."""

import pytest

from batuta.kernel.hidden_characters import reveal_hidden


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Pay ACME 100 €", "Pay ACME 100 €"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("ACME\u202e99\u202c", "ACME⟦U+202E⟧99⟦U+202C⟧"),
        ("pay\u200bpal", "pay⟦U+200B⟧pal"),
        ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
        ("\ufeffx\u00ady\u3164", "⟦U+FEFF⟧x⟦U+00AD⟧y⟦U+3164⟧"),
        ("\U000e0041hidden", "⟦U+E0041⟧hidden"),
        ("\x1b[2Kgone\r", "⟦U+001B⟧[2Kgone⟦U+000D⟧"),
        ("niño 会社 👍", "niño 会社 👍"),
        ("with ❤\ufe0f and ‼\ufe0f", "with ❤\ufe0f and ‼\ufe0f"),
        ("ACME\ufe0f", "ACME⟦U+FE0F⟧"),
        ("👍\ufe0f\ufe0e", "👍\ufe0f⟦U+FE0E⟧"),
        ("👍\U000e0101\U000e01ef", "👍⟦U+E0101⟧⟦U+E01EF⟧"),
        ("pay\u2800pal\u17b4\u180b", "pay⟦U+2800⟧pal⟦U+17B4⟧⟦U+180B⟧"),
    ],
)
def test_hidden_characters_are_made_visible(text: str, shown: str) -> None:
    assert reveal_hidden(text) == shown
