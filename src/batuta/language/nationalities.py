"""Adjectives of countries in both languages: what people and companies of a country are called."""

from collections.abc import Mapping

from batuta.language.folding import fold

NATIONALITIES: Mapping[str, tuple[str, str]] = {
    "AT": ("Austrian", "austríac"), "BE": ("Belgian", "belga"), "BR": ("Brazilian", "brasileñ"),
    "CA": ("Canadian", "canadiense"), "CH": ("Swiss", "suiz"), "CN": ("Chinese", "chin"),
    "CZ": ("Czech", "chec"), "DE": ("German", "aleman"), "DK": ("Danish", "danes"),
    "ES": ("Spanish", "español"), "FI": ("Finnish", "finlandes"), "FR": ("French", "frances"),
    "GB": ("British", "británic"), "GR": ("Greek", "grieg"), "IE": ("Irish", "irlandes"),
    "IT": ("Italian", "italian"), "JP": ("Japanese", "japones"), "MA": ("Moroccan", "marroquí"),
    "MX": ("Mexican", "mexican"), "NL": ("Dutch", "holandes"), "NO": ("Norwegian", "norueg"),
    "PL": ("Polish", "polac"), "PT": ("Portuguese", "portugues"), "SE": ("Swedish", "suec"),
    "US": ("American", "estadounidense"),
}  # fmt: skip
"""Adjectives of countries: the English one, and the beginning of the Spanish ones."""
_ENDINGS = ("", "o", "a", "os", "as", "es", "s")


def spanish_forms(code: str) -> tuple[str, ...]:
    """The Spanish adjectives of a country, with every ending that one of them has."""
    return tuple(f"{NATIONALITIES[code][1]}{ending}" for ending in _ENDINGS)


ADJECTIVES = frozenset(
    fold(word) for code, (english, _) in NATIONALITIES.items() for word in (english, *spanish_forms(code))
)
"""All of them, folded. Each is a word of its own, and no mistyped name of its country: it may be a language as well."""
