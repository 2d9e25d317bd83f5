"""Arithmetic in words: from "15% of 1,200" or "raíz cuadrada de 2 más 3" to an expression a calculator takes."""

import ast
import re
from collections.abc import Callable

from batuta.llm.offline.lexicon import NUMBER_WORDS, Language

MAX_CHARS = 400

_N = r"(\d+(?:\.\d+)?)"
_PERCENT = r"(?:%|percent|per\s+cent|por\s+ciento)"
_DISCOUNT = r"(?:de\s+)?(?:descuento|dto\.?|discount)"
_SURCHARGE = r"(?:de\s+)?(?:vat|tax|tip|iva|propina)"
_OF_IT = r"(?!\s*(?:[\d(]|of\b|del?\s+\d))"
"""After a percentage: it is one of what stands before it, neither a remainder nor a share of what follows."""
_LIST = r"((?:-?\d+(?:\.\d+)?(?:\s*,\s*|\s+(?:and|y|e)\s+|\s*,\s*(?:and|y)\s+)?){2,})"


def _numbers(text: str) -> list[str]:
    return re.findall(r"-?\d+(?:\.\d+)?", text)


def _sum(match: re.Match[str]) -> str:
    return "(" + " + ".join(_numbers(match.group(1))) + ")"


def _average(match: re.Match[str]) -> str:
    numbers = _numbers(match.group(1))
    return f"(({' + '.join(numbers)}) / {len(numbers)})"


Rewriting = str | Callable[[re.Match[str]], str]

REWRITINGS: tuple[tuple[str, Rewriting], ...] = (
    (rf"(?:the\s+)?(?:average|mean)\s+of\s+{_LIST}", _average),
    (rf"(?:el\s+|la\s+)?(?:promedio|media)\s+(?:de|entre)\s+{_LIST}", _average),
    (rf"\b(?:sum\s+of|add|add\s+up)\s+{_LIST}|\b(?:suma(?:r)?(?:\s+de)?)\s+{_LIST}", _sum),
    (rf"{_N}\s+(?:con|with|menos|less)\s+(?:(?:an?|un|el)\s+)?{_N}\s*{_PERCENT}\s*{_DISCOUNT}",
     r"(\1 * (1 - \2 / 100))"),
    (rf"{_N}\s*{_PERCENT}\s*(?:off|{_DISCOUNT}\s+(?:en|sobre|de|a|on|of))\s+{_N}", r"(\2 * (1 - \1 / 100))"),
    (rf"{_N}\s*{_PERCENT}\s*(?:{_SURCHARGE}\s+)?(?:on|sobre)\s+{_N}", r"(\1 / 100 * \2)"),
    (rf"{_N}\s*(?:\+|plus|m[aá]s)\s*(?:(?:el|un)\s+)?{_N}\s*{_PERCENT}{_OF_IT}", r"(\1 * (1 + \2 / 100))"),
    (rf"{_N}\s*(?:-|minus|menos)\s*(?:(?:el|un)\s+)?{_N}\s*{_PERCENT}{_OF_IT}", r"(\1 * (1 - \2 / 100))"),
    (rf"\bwhat\s+percent(?:age)?\s+of\s+{_N}\s+is\s+{_N}", r"(\2 / \1 * 100)"),
    (rf"{_N}\s+is\s+what\s+percent(?:age)?\s+of\s+{_N}", r"(\1 / \2 * 100)"),
    (rf"\bwhat\s+percent(?:age)?\s+is\s+{_N}\s+of\s+{_N}", r"(\1 / \2 * 100)"),
    (rf"\bqu[eé]\s+porcentaje\s+(?:es|son|representan?)\s+{_N}\s+(?:de|sobre)\s+{_N}", r"(\1 / \2 * 100)"),
    (rf"\badd\s+{_N}\s+to\s+{_N}", r"(\2 + \1)"),
    (rf"\b(?:increase|raise)\s+{_N}\s+by\s+{_N}\s*%", r"(\1 * (1 + \2 / 100))"),
    (rf"\b(?:aumenta|incrementa|sube)\s+{_N}\s+un\s+{_N}\s*%", r"(\1 * (1 + \2 / 100))"),
    (rf"\b(?:decrease|reduce|discount)\s+{_N}\s+by\s+{_N}\s*%", r"(\1 * (1 - \2 / 100))"),
    (rf"\b(?:reduce|baja|descuenta)\s+{_N}\s+un\s+{_N}\s*%", r"(\1 * (1 - \2 / 100))"),
    (rf"\bsubtract\s+{_N}\s+from\s+{_N}|\bresta(?:r)?\s+{_N}\s+(?:a|de)\s+{_N}", r"(\2 - \1)"),
    (rf"\b(?:multiply|multiplica(?:r)?)\s+{_N}\s+(?:by|por)\s+{_N}", r"(\1 * \2)"),
    (rf"\b(?:divide|dividir)\s+{_N}\s+(?:by|entre|por)\s+{_N}", r"(\1 / \2)"),
    (rf"{_N}\s*(?:%|percent|per\s+cent|por\s+ciento)\s*(?:of|del?)\s+{_N}", r"(\1 / 100 * \2)"),
    (rf"(?:the\s+)?square\s+root\s+of\s+{_N}|(?:la\s+)?ra[ií]z(?:\s+cuadrada)?\s+de\s+{_N}", r"sqrt(\1)"),
    (rf"(?:the\s+)?half\s+of\s+{_N}|(?:la\s+)?mitad\s+de\s+{_N}", r"(\1 / 2)"),
    (rf"(?:the\s+)?(?:double|twice)\s+(?:of\s+)?{_N}|(?:el\s+)?doble\s+de\s+{_N}", r"(\1 * 2)"),
    (rf"{_N}\s+(?:squared|al\s+cuadrado)", r"(\1 ** 2)"),
    (rf"{_N}\s+(?:cubed|al\s+cubo)", r"(\1 ** 3)"),
    (r"\s*\b(?:to\s+the\s+power\s+of|elevado\s+a(?:\s+la)?)\s+", " ** "),
    (r"\s*\b(?:multiplied\s+by|multiplicado\s+por|times)\s+", " * "),
    (r"(?<=\d)\s*(?:por|x)\s*(?=\d)", " * "),
    (r"\s*\b(?:divided\s+by|dividido\s+(?:por|entre)|over)\s+", " / "),
    (r"(?<=\d)\s+entre\s+(?=\d)", " / "),
    (r"(?<=[\d)])\s*\b(?:plus|m[aá]s)\s+", " + "),
    (r"(?<=[\d)])\s*\b(?:minus|menos)\s+", " - "),
    (r"[×·]", " * "),
    (r"÷", " / "),
    (r"\^", " ** "),
)  # fmt: skip
"""Applied in order; the groups of an alternative that did not match are left out before numbering."""

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\*\*|//|[-+*/%()]|\b(?:sqrt|round|abs|floor|ceil|min|max|pi)\b|,|\s+")
_CURRENCY = re.compile(r"(?<=\d)\s*(?:[€$£]|(?:eur(?:os?)?|usd|dollars?|d[oó]lares)\b)|[€$£](?=\s*\d)", re.IGNORECASE)
_OPERATOR = re.compile(r"\*\*|//|[-+*/%]|sqrt|round|abs|floor|ceil|min|max")
_DATE_LIKE = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:t[\d:.+z-]*)?|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d\d\b", re.IGNORECASE
)


def expression_in(text: str, language: Language) -> str | None:
    """The longest arithmetic expression a text holds, or `None`."""
    runs = _runs(_rewritten(text[:MAX_CHARS], language))
    valid = [run for run in runs if _OPERATOR.search(run) and _is_arithmetic(run)]
    return _bare(max(valid, key=len)) if valid else None


def numbers_in(text: str, language: Language) -> list[str]:
    """The numbers a text names, as a computer writes them."""
    return re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])", _plain_numbers(text[:MAX_CHARS], language))


def _rewritten(text: str, language: Language) -> str:
    plain = _CURRENCY.sub("", _plain_numbers(_DATE_LIKE.sub(" ", text), language))
    for pattern, replacement in REWRITINGS:
        plain = re.sub(pattern, _numbered(replacement), plain, flags=re.IGNORECASE)
    return plain


def _numbered(replacement: Rewriting) -> Rewriting:
    """A replacement whose groups are those that matched, whichever alternative they stand in."""

    def rewrite(match: re.Match[str]) -> str:
        groups = [group for group in match.groups() if group is not None]
        if callable(replacement):
            whole = re.match(r"(.*)", groups[0], re.DOTALL)
            assert whole is not None
            return replacement(whole)
        return re.sub(r"\\(\d)", lambda place: groups[int(place.group(1)) - 1], replacement)

    return rewrite


def _plain_numbers(text: str, language: Language) -> str:
    """Numbers without separators of thousands and with a decimal point; number words as digits."""
    thousands, decimal = (",", ".") if language == "en" else (".", ",")
    grouped = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?!\d)")
    text = grouped.sub(lambda match: match.group().replace(thousands, ""), text)
    if decimal == ",":
        text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    return re.sub(r"[^\W\d_]+", lambda match: str(NUMBER_WORDS.get(match.group().lower(), match.group())), text)


def _runs(text: str) -> list[str]:
    runs, current, place = [], "", 0
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            runs.append(current)
            current = ""
        current += match.group()
        place = match.end()
    return [run.strip(" ,") for run in [*runs, current]]


def _bare(run: str) -> str:
    """Without parentheses around the whole."""
    inner = run[1:-1].strip()
    is_wrapped = run.startswith("(") and run.endswith(")") and _is_arithmetic(inner)
    return inner if is_wrapped else run


def _is_arithmetic(run: str) -> bool:
    try:
        tree = ast.parse(run, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(tree.body, ast.BinOp | ast.Call)
