"""Units of one kind converted into one another: lengths, weights, volumes, temperatures, speeds, times."""

from decimal import Decimal
from typing import Any

from batuta.kernel.errors import ToolFailedError
from batuta.language.amounts import DIMENSIONS, UNIT_FACTORS
from batuta.language.findings import LANGUAGES, Language
from batuta.tools.tool import Tool, tool

ZERO_CELSIUS = Decimal("273.15")
"""In kelvins."""
_DIGITS = 4


def units_tool() -> Tool:
    """A tool `convert_units`."""

    @tool(kind="computation")
    async def convert_units(amount: Decimal, from_unit: str, to_unit: str) -> dict[str, Any]:
        """Convert an amount from one unit to another of the same kind, such as 5 km to miles.

        Args:
            amount: How much.
            from_unit: The symbol of its unit: mm cm m km in ft yd mi mg g kg q t lb oz st ml cl dl l m3 cm3 pt cup gal
                C F K cm2 m2 km2 ft2 ac ha km/h m/s mph kn J kJ kcal Wh kWh W kW hp cv Pa bar psi s min h d wk mo yr B kB MB
                GB TB.
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
        value = _from_celsius(_to_celsius(amount, start), end)
    else:
        value = amount * UNIT_FACTORS[start] / UNIT_FACTORS[end]
    behind_the_point = _DIGITS if not value else max(_DIGITS, _DIGITS - 1 - value.adjusted())  # 5 mg are not 0 kg
    return round(value, behind_the_point).normalize()


def _to_celsius(amount: Decimal, unit: str) -> Decimal:
    return {"C": amount, "F": (amount - 32) * 5 / 9, "K": amount - ZERO_CELSIUS}[unit]


def _from_celsius(amount: Decimal, unit: str) -> Decimal:
    return {"C": amount, "F": amount * 9 / 5 + 32, "K": amount + ZERO_CELSIUS}[unit]


def _symbol(unit: str, language: Language) -> str:
    return _SPOKEN[language].get(unit) or {
        "C": "°C",
        "F": "°F",
        "m2": "m²",
        "cm2": "cm²",
        "km2": "km²",
        "ft2": "ft²",
        "m3": "m³",
        "cm3": "cm³",
    }.get(unit, unit)


_SPOKEN: dict[Language, dict[str, str]] = {
    "en": {"d": "days", "wk": "weeks", "mo": "months", "yr": "years"},
    "es": {"d": "días", "wk": "semanas", "mo": "meses", "yr": "años"},
}


def _shown(number: Decimal, language: Language) -> str:
    text = f"{number.normalize():,f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "es" else text
