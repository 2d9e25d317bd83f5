"""Units of one kind converted into one another: lengths, weights, volumes, temperatures, speeds, times."""

from decimal import Decimal
from typing import Any

from batuta.kernel.errors import ToolFailedError
from batuta.language.amounts import DIMENSIONS
from batuta.language.findings import LANGUAGES, Language
from batuta.tools.tool import Tool, tool

FACTORS: dict[str, str] = {
    "mm": "0.001", "cm": "0.01", "m": "1", "km": "1000", "in": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344",
    "mg": "0.000001", "g": "0.001", "kg": "1", "t": "1000", "lb": "0.45359237", "oz": "0.028349523125",
    "ml": "0.001", "l": "1", "gal": "3.785411784",
    "m2": "1", "ha": "10000",
    "km/h": "1", "mph": "1.609344",
    "s": "1", "min": "60", "h": "3600", "d": "86400", "wk": "604800", "mo": "2628000", "yr": "31536000",
    "B": "1", "kB": "1000", "MB": "1000000", "GB": "1000000000", "TB": "1000000000000",
}  # fmt: skip
"""How much of its kind's base unit each unit is; temperatures are converted by formula, a year has 365 days."""
_DIGITS = 4


def units_tool() -> Tool:
    """A tool `convert_units`."""

    @tool(kind="computation")
    async def convert_units(amount: Decimal, from_unit: str, to_unit: str) -> dict[str, Any]:
        """Convert an amount from one unit to another of the same kind, such as 5 km to miles.

        Args:
            amount: How much.
            from_unit: The symbol of its unit: mm cm m km in ft yd mi mg g kg t lb oz ml l gal C F m2 ha km/h mph s min h d wk mo yr B kB MB GB TB.
            to_unit: The symbol of the unit wanted.
        """
        value = converted(amount, from_unit, to_unit)
        shown: dict[Language, str] = {
            language: f"{_shown(amount, language)} {_symbol(from_unit, language)} = {_shown(value, language)} {_symbol(to_unit, language)}"
            for language in LANGUAGES
        }
        return {
            "amount": str(amount),
            "from_unit": from_unit,
            "value": str(value),
            "to_unit": to_unit,
            "summary": shown,
        }

    return convert_units


def converted(amount: Decimal, start: str, end: str) -> Decimal:
    """An amount in another unit. Raises `ToolFailedError` for units that are unknown or of different kinds."""
    for unit in (start, end):
        if unit not in DIMENSIONS:
            raise ToolFailedError(f"there is no unit {unit[:20]!r} here; there are {', '.join(DIMENSIONS)}")
    if DIMENSIONS[start] != DIMENSIONS[end]:
        raise ToolFailedError(f"{start} is a unit of {DIMENSIONS[start]}, {end} of {DIMENSIONS[end]}")
    if start == end:
        return amount
    if DIMENSIONS[start] == "temperature":
        value = amount * 9 / 5 + 32 if end == "F" else (amount - 32) * 5 / 9
    else:
        value = amount * Decimal(FACTORS[start]) / Decimal(FACTORS[end])
    return round(value, _DIGITS).normalize()


def _symbol(unit: str, language: Language) -> str:
    return _SPOKEN[language].get(unit) or {"C": "°C", "F": "°F", "m2": "m²"}.get(unit, unit)


_SPOKEN: dict[Language, dict[str, str]] = {
    "en": {"d": "days", "wk": "weeks", "mo": "months", "yr": "years"},
    "es": {"d": "días", "wk": "semanas", "mo": "meses", "yr": "años"},
}


def _shown(number: Decimal, language: Language) -> str:
    text = f"{number.normalize():,f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "es" else text
