"""The calculator tool of the agent: exact arithmetic, answered in a sentence of both languages."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.kernel.errors import ToolFailedError
from batuta.language.findings import LANGUAGES, Language
from batuta.tools.builtin.calculator import calculated
from batuta.tools.tool import Tool, tool

SHOWN_DECIMALS = 6

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_FORMS: tuple[tuple[re.Pattern[str], dict[Language, str]], ...] = (
    (re.compile(r"(?P<a>[\d.]+) / 100 \* (?P<b>[\d.]+)"), {"en": "{a} % of {b} is {value}", "es": "El {a} % de {b} es {value}"}),
    (re.compile(r"(?P<b>[\d.]+) \* \(1 \+ (?P<a>[\d.]+) / 100\)"), {"en": "{b} plus {a} % is {value}", "es": "{b} más el {a} % es {value}"}),
    (re.compile(r"(?P<b>[\d.]+) \* \(1 - (?P<a>[\d.]+) / 100\)"), {"en": "{b} less {a} % is {value}", "es": "{b} menos el {a} % es {value}"}),
    (re.compile(r"(?P<a>[\d.]+) / (?P<b>[\d.]+) \* 100"), {"en": "{a} is {value} % of {b}", "es": "{a} es el {value} % de {b}"}),
    (re.compile(r"sqrt\((?P<a>[\d.]+)\)"), {"en": "The square root of {a} is {value}", "es": "La raíz cuadrada de {a} es {value}"}),
)  # fmt: skip
"""Expressions that people say in words, and how the result is worded."""
_FAILURES = {
    "division by zero": {"en": "There is no result: division by zero.", "es": "No hay resultado: no se puede dividir entre cero."},
}  # fmt: skip


def calculator_tool() -> Tool:
    """A tool `calculate` that computes an arithmetic expression exactly and says the result in words."""

    @tool(kind="computation")
    async def calculate(expression: str) -> dict[str, Any]:
        """Compute an arithmetic expression exactly.

        It knows + - * / // % **, parentheses, pi, e, and abs, round, floor, ceil, sqrt, min, max.

        Args:
            expression: For example `(1200 * 0.19) / 12` or `round(sqrt(2), 4)`.
        """
        try:
            value = calculated(expression)
        except ToolFailedError as failed:
            known = next((words for sign, words in _FAILURES.items() if sign in str(failed)), None)
            if known is None:
                raise
            return {"expression": expression, "value": None, "summary": known}
        return {"expression": expression, "value": value, "summary": in_words(expression, value)}

    return calculate


def in_words(expression: str, value: str) -> dict[str, str]:
    """The result of an expression as a sentence in both languages: "15 % of 1,200 is 180"."""
    sentences: dict[str, str] = {}
    for language in LANGUAGES:
        shown = _shown(value, language)
        form = next(((match, words) for pattern, words in _FORMS if (match := pattern.fullmatch(expression))), None)
        if form is not None:
            facts = {name: _shown(text, language) for name, text in form[0].groupdict().items()}
            sentences[language] = form[1][language].format(value=shown, **facts) + "."
        else:
            sentences[language] = f"{_written(expression, language)} = {shown}"
    return sentences


def _written(expression: str, language: Language) -> str:
    """An expression with the signs people write."""
    text = _NUMBER.sub(lambda match: _shown(match.group(), language), expression)
    text = re.sub(r"\s*\*\*\s*2\b", "²", text)
    text = re.sub(r"\s*\*\*\s*", "^", text)
    text = re.sub(r"\s*\*\s*", " × ", text)
    text = re.sub(r"\s*/\s*", " ÷ ", text)
    text = re.sub(r"\s*([+-])\s*", r" \1 ", text).strip()
    return text.replace("sqrt", "√")


def _shown(text: str, language: Language) -> str:
    """A number with the separators of a language; what is not exact is rounded and says so."""
    is_rounded = "(rounded)" in text
    try:
        number = Decimal(text.replace("(rounded)", "").strip())
    except InvalidOperation:
        return text
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -SHOWN_DECIMALS:
        number, is_rounded = round(number, SHOWN_DECIMALS).normalize(), True
    grouped = f"{number:,f}" if abs(number) >= 10_000 or (language == "en" and abs(number) >= 1000) else f"{number:f}"
    if language == "es":
        grouped = grouped.translate(str.maketrans(",.", ".,"))
    return f"{grouped} ({ {'en': 'rounded', 'es': 'redondeado'}[language] })" if is_rounded else grouped
