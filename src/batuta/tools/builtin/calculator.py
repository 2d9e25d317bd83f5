"""A calculator: exact arithmetic on an expression that is parsed, never evaluated as code.

Numbers are fractions, so `0.1 + 0.2` is `0.3` and `1/3*3` is `1`. Sizes are bounded before anything is computed.
"""

import ast
import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

from batuta.kernel.errors import ToolFailedError, ToolRefusedError
from batuta.tools.tool import Tool, tool

MAX_CHARS = 500
MAX_NODES = 200
MAX_BITS = 8_192
MAX_EXPONENT_DIGITS = 4
SHOWN_DIGITS = 30

_SHOWN = Context(prec=SHOWN_DIGITS)


def calculator_tool() -> Tool:
    """A tool `calculate` that computes an arithmetic expression exactly."""

    @tool(kind="computation")
    async def calculate(expression: str) -> str:
        """Compute an arithmetic expression exactly.

        It knows + - * / // % **, parentheses, pi, e, and abs, round, floor, ceil, sqrt, min, max.

        Args:
            expression: For example `(1200 * 0.19) / 12` or `round(sqrt(2), 4)`.
        """
        return calculated(expression)

    return calculate


def calculated(expression: str) -> str:
    """The value of an expression as text. Raises `ToolFailedError` for what is no arithmetic or has no value."""
    if len(expression) > MAX_CHARS:
        raise ToolRefusedError(f"the expression has {len(expression)} characters, at most {MAX_CHARS} are allowed")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolFailedError("this is no arithmetic expression") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ToolRefusedError(f"the expression has more than {MAX_NODES} parts")
    return _shown(_Evaluation(expression.strip()).value(tree.body))


class _Evaluation:
    """One expression. The text is kept because a literal's digits are exact only there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name) and node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if isinstance(node, ast.UnaryOp) and type(node.op) in UNARY:
            return UNARY[type(node.op)](self.value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            return _bounded(BINARY[type(node.op)](self.value(node.left), self.value(node.right)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._called(node.func.id, [self.value(argument) for argument in node.args])
        raise ToolFailedError(f"{_source(self._text, node)!r} is no arithmetic; use ** for powers")

    def _number(self, node: ast.Constant) -> Fraction:
        literal = _source(self._text, node).replace("_", "")
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise ToolFailedError(f"{literal!r} is no number")
        exponent = literal.lower().partition("e")[2].lstrip("+-")
        if len(exponent) > MAX_EXPONENT_DIGITS and not literal.lower().startswith("0x"):
            raise ToolRefusedError(f"the number {literal} is too large")
        return _bounded(Fraction(node.value if isinstance(node.value, int) else Decimal(literal)))

    def _called(self, name: str, arguments: list[Fraction]) -> Fraction:
        if name not in FUNCTIONS:
            raise ToolFailedError(f"there is no function {name!r}; there are: {', '.join(sorted(FUNCTIONS))}")
        try:
            return FUNCTIONS[name](*arguments)
        except TypeError:
            raise ToolFailedError(f"{name} does not take {len(arguments)} numbers") from None


def _source(text: str, node: ast.expr) -> str:
    return ast.get_source_segment(text, node) or ""


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ToolRefusedError(f"a number of more than {MAX_BITS} bits came up")
    return value


def _divide(dividend: Fraction, divisor: Fraction) -> Fraction:
    if divisor == 0:
        raise ToolFailedError("division by zero")
    return dividend / divisor


def _floor_divide(dividend: Fraction, divisor: Fraction) -> Fraction:
    return Fraction(math.floor(_divide(dividend, divisor)))


def _remainder(dividend: Fraction, divisor: Fraction) -> Fraction:
    return dividend - divisor * _floor_divide(dividend, divisor)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise ToolFailedError("an exponent is a whole number; use sqrt for roots")
    if base == 0 and exponent < 0:
        raise ToolFailedError("division by zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent.numerator) > MAX_BITS and abs(base) != 1 and base != 0:
        raise ToolRefusedError(f"the power would have more than {MAX_BITS} bits")
    parity = exponent.numerator if abs(base) != 1 else exponent.numerator % 2
    return base**parity if base != 0 else Fraction(int(exponent == 0))


def _square_root(value: Fraction) -> Fraction:
    if value < 0:
        raise ToolFailedError("a negative number has no real square root")
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if (numerator**2, denominator**2) == (value.numerator, value.denominator):
        return Fraction(numerator, denominator)
    root = _SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator)).sqrt(_SHOWN)
    return Fraction(root)


def _round(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    if digits.denominator != 1 or abs(digits) > SHOWN_DIGITS:
        raise ToolFailedError(f"round takes a whole number of digits up to {SHOWN_DIGITS}")
    scale = Fraction(10) ** digits.numerator
    half_away = math.floor(abs(value) * scale + Fraction(1, 2))
    return Fraction(half_away if value >= 0 else -half_away) / scale


CONSTANTS = {"pi": Fraction("3.141592653589793238462643383280"), "e": Fraction("2.718281828459045235360287471353")}
UNARY: dict[type[ast.unaryop], Callable[[Fraction], Fraction]] = {
    ast.UAdd: lambda value: value,
    ast.USub: lambda value: -value,
}
BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: _divide,
    ast.FloorDiv: _floor_divide,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": abs,
    "round": _round,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "sqrt": _square_root,
    "min": lambda first, *rest: min(first, *rest, first),
    "max": lambda first, *rest: max(first, *rest, first),
}


def _shown(value: Fraction) -> str:
    """Whole numbers and finite decimals as they are, others to 30 digits."""
    if value.denominator == 1:
        return str(value.numerator)
    places = _decimal_places(value.denominator)
    if places is not None:
        digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return f"{_SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator))} (rounded)"


def _decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction with this denominator has; `None` if they never end or are too many."""
    counts = []
    for prime in (2, 5):
        count = 0
        while denominator % prime == 0:
            denominator //= prime
            count += 1
        counts.append(count)
    return max(counts) if denominator == 1 and max(counts) <= SHOWN_DIGITS else None
