"""Values in words: amounts and countries, as either language writes them."""

import re
from decimal import Decimal

from batuta.agents.erp.known_names import COUNTRY_NAMES
from batuta.language.findings import Language
from batuta.language.folding import fold
from batuta.language.numbers import find_numbers

_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.,])|(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,])")


def decimal_of(words: str, language: Language) -> Decimal | None:
    """The one number that some words say."""
    grouped = _GROUPED.search(words)
    if grouped is not None:  # of an amount, three digits behind a separator are thousands in either language
        words = words.replace(grouped.group(), re.sub(r"[.,]", "", grouped.group()))
    found = find_numbers(words, language=language)
    small = {"un": 1, "una": 1, "uno": 1, "one": 1, "a": 1, "an": 1}.get(fold(words.strip()))
    if small is not None:
        return Decimal(small)
    return found[0].value if len(found) == 1 else None


def country_code(words: str) -> str | None:
    """The code of a country by its name in either language, or by the code itself."""
    plain = fold(words.strip())
    for code, spoken in COUNTRY_NAMES.items():
        if plain in (code.lower(), *map(fold, spoken)):
            return code
    return None
