"""Arithmetic in words: from "15% of 1,200" or "la raíz cuadrada de 2 más 3" to an expression a calculator takes."""

import ast
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import cache

from batuta.language.amounts import CURRENCIES
from batuta.language.dates import without_dates
from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import aligned, composed
from batuta.language.lexicon import one_of
from batuta.language.numbers import find_numbers
from batuta.language.portions import find_portion
from batuta.language.rates import find_fill, find_proportion, find_rate
from batuta.language.shares import find_share

MAX_CHARS = 400
LAST_RESULT = "§"
"""Stands for the number said before: "divide it by 4"."""

_RATE_ALONE = re.compile(
    r"^\W*(?:(?:and|then|now|also|what|if|i|y|luego|ahora|despues|tambien|si|le|lo)\s+)*"
    r"(?:with|con|add|plus|take|subtract|minus|discount|sum[aeo]\w*|anad\w+|quit[aeo]\w*|rest[aeo]\w*|descuent\w+)\s+"
    r"(?:(?:an?|another|the|un|el|otro|off)\s+)*[\d.]+\s*%\D{0,25}$"
)
"""A percentage that goes on or off a number said before, and nothing else: "and with 21 % VAT?"."""

_N = r"(-?\d+(?:\.\d+)?|§|\([^()]*\))"
_PERCENT = (
    r"(?:\s*%|\s+(?:percent|percnt|precent|pecent|percen|perc|per\s+cent|pct|por\s+cientos?|porcientos?|x\s+ciento)\b)"
)
_THE = r"(?:(?:the|el|la|un|una|an?|of|de|del|al|lo|los|las|to|a|by|en|with|con|our|mi|my)\s+)*"
_PRICE = r"(?:(?:total|price|precio|bill|cuenta|invoice|factura|importe|base|sueldo|salary)\s+(?:of|de|is|es)?\s*)?"
_DISCOUNT = r"(?:de\s+)?(?:descuento|rebaja|dto\.?|discount|off|reduction)"
_SURCHARGE = r"(?:de\s+|of\s+)?(?:vat|tax|taxes|tip|iva|propina|impuestos?|gratuity|interest|interes|recargo|markup|margin|margen)"
_PRODUCT = r"(?:\s+(?!(?:at|a|por|de|and|y|to|in|en)\b)[a-z]+){1,3}\s+(?:at|a|por|de)\s+"
"""Between how many things and what each of them costs."""
_EACH = r"\s*(?:(?:in\s+)?each|apiece|a\s+piece|per\s+\w+|cada\s+un[oa]|la\s+unidad|el\s+kilo|por\s+(?:unidad|persona|cabeza))"
_METRES = r"(?:m|cm|km|met(?:re|er)s?|metros?|centimet(?:re|er)s?|centimetros?|feet|pies)"
_MENTIONS = r"\D{1,60}?"
_LIST = r"((?:-?\d+(?:\.\d+)?(?:\s*,\s*(?:and\s+|y\s+|e\s+)?|\s+(?:and|y|e)\s+|\s+|\s*;\s*)?){2,})"

Rewriting = str | Callable[[re.Match[str]], str]


def _listed(match: re.Match[str]) -> list[str]:
    groups = [group for group in match.groups() if group is not None]
    return re.findall(r"-?\d+(?:\.\d+)?", groups[0])


def _left_of(match: re.Match[str]) -> str:
    """An amount less each of a list: "what is left of 500 after paying 120 and 60"."""
    whole, spent = (group for group in match.groups() if group is not None)
    return f"({' - '.join([whole, *_NUMBERS.findall(spent)])})"


def _sum(match: re.Match[str]) -> str:
    return "(" + " + ".join(_listed(match)) + ")"


def _product(match: re.Match[str]) -> str:
    return "(" + " * ".join(_listed(match)) + ")"


def _average(match: re.Match[str]) -> str:
    numbers = _listed(match)
    return f"(({' + '.join(numbers)}) / {len(numbers)})"


REWRITINGS: tuple[tuple[str, Rewriting], ...] = (
    (rf"{_N}\D{{1,30}}?{_N}{_PERCENT}\s*(?:of\s+|de\s+)?(?:simple\s+interest|interes\s+simple)\D{{1,20}}?{_N}\s+(?:years?|anos?)\b", r"(\1 * \2 / 100 * \3)"),
    (rf"\b(?:simple\s+interest|interes\s+simple)\s+(?:of|on|de)\s+{_N}\D{{1,10}}?{_N}{_PERCENT}\D{{1,20}}?{_N}\s+(?:years?|anos?)\b", r"(\1 * \2 / 100 * \3)"),
    (rf"{_N}\D{{1,40}}?{_N}{_PERCENT}\s*{_SURCHARGE}\D{{1,25}}?\b(?:by|between|among|entre|into)\s+{_N}", r"(\1 * (1 + \2 / 100) / \3)"),
    (rf"(\d+)\s+(?:quarters|cuartos|cuartas\s+partes)\s+(?:of|del?)\s+{_N}", r"(\1 / 4 * \2)"),
    (rf"(\d+)\s+(?:thirds|tercios|terceras\s+partes)\s+(?:of|del?)\s+{_N}", r"(\1 / 3 * \2)"),
    (rf"(\d+)\s+(?:fifths|quintos|quintas\s+partes)\s+(?:of|del?)\s+{_N}", r"(\1 / 5 * \2)"),
    (rf"(?:the\s+|la\s+|el\s+)?(?:average|mean|promedio|media|valor\s+medio)\s+(?:of|de|entre|is|es)?\s*:?\s*{_LIST}", _average),
    (rf"\b(?:sum(?:\s+me)?(?:\s+up)?(?:\s+of)?|total\s+(?:of|de)|add(?:\s+up|\s+together)?|sumar?(?:me)?s?(?:\s+de)?|la\s+suma\s+de)\s*:?\s*{_LIST}(?!\s*(?:%|to\b|al?\b))", _sum),
    (rf"\b(?:product\s+of|producto\s+de|multiply|multiplicar?)\s+{_LIST}(?!\s*(?:by|por)\b)", _product),
    (rf"{_N}(?:\s+[a-z]+){{1,3}}\s+for\s+{_N}{_EACH}", r"(\1 * \2)"),
    (rf"(?<![\d.])(0\.\d+)\s+(?:of|del?)\s+{_N}", r"(\1 * \2)"),
    (rf"{_N}\s+(?:a|per|al|por|each|cada)\s+(?:month|mes)\D{{1,15}}?{_N}\s+(?:payments|instal?ments|pagas|cuotas|mensualidades)\b", r"(\1 * \2)"),
    (rf"{_N}{_PRODUCT}{_N}(?=\s*(?:plus|mas|\+|minus|menos)\s+{_N}(?!{_PERCENT}))(?!{_PERCENT})", r"(\1 * \2)"),
    (rf"\b(?:was|were|costaba|costaban|valia|valian|era)\s+{_N}\D{{1,15}}?\b(?:now|ahora)\b\D{{0,15}}?{_N}(?=.*\b(?:discount|reduction|descuento|rebaja)\b)(?=.*(?:%|percent|porcentaje|por\s+ciento))",
     r"((\1 - \2) / \1 * 100)"),
    (rf"{_N}\D{{1,25}}?\b(?:pay|save|pago|ahorro|devuelvo)\s+{_N}\s+(?:an?|per|al?|cada|por)\s+(?:la\s+)?(?:month|mes|week|semana|year|ano)\b(?=.*\b(?:how\s+many|cuant[oa]s)\s+(?:months|meses|weeks|semanas|years|anos)\b)",
     r"(\1 / \2)"),
    (rf"{_N}\s*{_METRES}?\s*(?:by|x|×|por)\s*{_N}\s*{_METRES}?(?=.*\b(?:square|cuadrad\w+|area|superficie|m2)\b)", r"(\1 * \2)"),
    (rf"{_N}\D{{1,30}}?{_N}\b\D{{0,30}}?\b(?:grow\w*|grew|grown|increas\w*|change\w*|crecid\w+|creci\w*|aument\w+|subid\w+|variacion|drop\w*|caid\w+|bajad\w+)\b(?=\D*(?:%|percent|porcentaje|por\s+ciento))", r"((\2 - \1) / \1 * 100)"),
    (rf"{_N}{_MENTIONS}\b(?:what(?:'s|\s+is)|how\s+much\s+is|cuanto\s+es)\s+{_THE}{_N}{_PERCENT}\s*{_SURCHARGE}", r"(\1 * \2 / 100)"),
    (rf"{_N}\D{{1,40}}?{_N}{_PERCENT}\s*{_SURCHARGE}(?=.*\b(?:total|in\s+all|altogether|pay|charge|pago|pagamos|cobro|cobramos|cobrar)\b)", r"(\1 * (1 + \2 / 100))"),
    (rf"{_N}\s*(?:-|minus|less|menos)\s*(?:an?|one|1|una?|la)?\s*(?:quarter|cuarta\s+parte|cuarto)\b(?!\s+(?:of|de))", r"(\1 * 3 / 4)"),
    (rf"{_N}\s*(?:-|minus|less|menos)\s*(?:an?|one|1|un|una|la)?\s*(?:third|tercio|tercera\s+parte)\b(?!\s+(?:of|de))", r"(\1 * 2 / 3)"),
    (rf"{_N}{_PERCENT}\s*{_SURCHARGE}\s+(?:on|of|sobre|de|en|for|para|a)\s+{_THE}{_PRICE}{_N}", r"(\1 / 100 * \2)"),
    (rf"\b(?:left|remains?|queda|quedan|sobran?)\s+(?:(?:of|de|from)\s+)?{_THE}{_N}\s+(?:after|if|despues|tras|si)\b\D{{1,25}}?{_LIST}", _left_of),
    (rf"\b(?:difference\s+between|diferencia\s+(?:hay\s+)?entre)\s+{_THE}{_N}{_PERCENT}\s+(?:and|y)\s+{_THE}{_N}{_PERCENT}\s+(?:of|de)\s+{_THE}{_N}",
     r"(abs(\1 - \2) / 100 * \3)"),
    (rf"\badd\s+{_N}\s+to\s+{_N}|\b(?:suma|anade)(?:le)?\s+{_N}\s+al?\s+{_N}", r"(\2 + \1)"),
    (rf"\b(?:subtract|take(?:\s+away)?)\s+{_N}\s+(?:away\s+)?from\s+{_N}|\b(?:restar?|quitar?)(?:le)?\s+{_N}\s+(?:a|de)l?\s+{_N}", r"(\2 - \1)"),
    (rf"\b(?:difference\s+between|diferencia\s+entre)\s+{_N}\s+(?:and|y)\s+{_N}", r"(\1 - \2)"),
    (rf"\b(?:multiply|multiplicar?|multiplico)\s+{_N}\s+(?:by|por|times|with|con)\s+{_N}", r"(\1 * \2)"),
    (rf"\b(?:divide|dividir|divido|reparte|repartir|split|share)\s+{_THE}{_PRICE}{_N}\s+(?:by|entre|por|between|among|into)\s+{_N}", r"(\1 / \2)"),
    (rf"{_N}{_PERCENT}\s*(?:of|del?|off?|sobre|on|from|desde)\s+{_THE}{_PRICE}{_N}", r"(\1 / 100 * \2)"),
    (r"(?<![\d/.])(\d+)\s*/\s*(\d+)\s+(?:of|del?)\s+(-?\d+(?:\.\d+)?)", r"(\1 / \2 * \3)"),
    (rf"(?:the\s+)?(?:square|sqare|sqaure)\s+root\s+(?:of\s+)?{_N}|(?:la\s+)?raiz(?:\s+cuadrada)?\s+(?:de\s+)?{_N}|sqrt\s+(?:of\s+)?{_N}|√\s*{_N}", r"sqrt(\1)"),
    (rf"(?:the\s+)?cube\s+root\s+of\s+{_N}|(?:la\s+)?raiz\s+cubica\s+de\s+{_N}", r"(\1 ** (1 / 3))"),
    (rf"(?:the\s+)?(?:a\s+)?half\s+(?:of\s+)?{_N}|(?:la\s+)?mitad\s+de\s+{_N}", r"(\1 / 2)"),
    (rf"(?:a\s+|one\s+|the\s+)?third\s+of\s+{_N}|(?:un|el)\s+tercio\s+de\s+{_N}|(?:la\s+)?tercera\s+parte\s+de\s+{_N}", r"(\1 / 3)"),
    (rf"(?:a\s+|one\s+)?quarter\s+of\s+{_N}|(?:un|el)\s+cuarto\s+de\s+{_N}|(?:la\s+)?cuarta\s+parte\s+de\s+{_N}", r"(\1 / 4)"),
    (rf"(?:the\s+)?(?:double|twice)\s+(?:of\s+)?{_N}|(?:el\s+)?doble\s+de\s+{_N}", r"(\1 * 2)"),
    (rf"(?:the\s+)?triple\s+(?:of\s+)?{_N}|(?:el\s+)?triple\s+de\s+{_N}", r"(\1 * 3)"),
    (rf"{_N}\s+(?:squared|al\s+cuadrado|cuadrado)", r"(\1 ** 2)"),
    (rf"{_N}\s+(?:cubed|al\s+cubo)", r"(\1 ** 3)"),
    (rf"(?:the\s+|el\s+)?(?:square|sqare|cuadrado)\s+(?:of|de)\s+{_N}", r"(\1 ** 2)"),
    (rf"(?:the\s+|el\s+)?(?:cube|cubo)\s+(?:of|de)\s+{_N}", r"(\1 ** 3)"),
    (rf"{_N}{_MENTIONS}\b{_N}{_PERCENT}\s*{_DISCOUNT}", r"(\1 * (1 - \2 / 100))"),
    (rf"(?<=[\d)§])\s*,?\s*(?:(?:and|y|then|luego)\s+)*(?:take\s+away|take|subtract|minus|(?:le\s+)?(?:quito|resto)|quita(?:le|r)?|resta(?:le|r)?)\s+{_N}(?!{_PERCENT})(?!\s*(?:from|a|de)\b)", r" - \1"),
    (rf"(?<=[\d)§])\s*,?\s*(?:(?:and|y|then|luego)\s+)*(?:add|(?:le\s+)?(?:sumo|anado)|suma(?:le|r)?|anade(?:le)?)\s+{_N}(?!{_PERCENT})(?!\s*(?:to|a)\b)", r" + \1"),
    (rf"(?<=\))\s*,?\s*(?:(?:and|y|then|luego|despues)\s+)*(?:multiply\s+(?:it|that|the\s+result)\s+by|multiplica(?:lo|la|r)?\s+por)\s+{_N}", r" * \1"),
    (r"(?<=\))\s*,?\s*(?:(?:and|y|then|luego|despues)\s+)*(?:double\s+(?:it|that)|doblalo|duplicalo)\b", " * 2"),
    (rf"(?<=\))\s*,?\s*(?:(?:and|y|then|luego|despues)\s+)*(?:divide\s+(?:it|that|the\s+result)\s+by|divide(?:lo|la)\s+(?:por|entre))\s+{_N}", r" / \1"),
    (r"\s*\b(?:(?:raised\s+)?to\s+the\s+power\s+(?:of\s+)?|elevado\s+a(?:\s+la)?)\s*", " ** "),
    (r"\s*\b(?:multiplied\s+by|multiplicado\s+por|times|veces)\s+", " * "),
    (r"(?<=[\d)§])\s*(?:multiply|multiplicar|multiplica)\s+(?:(?:by|por|with|con)\s+)?(?=[\d(§])", " * "),
    (r"(?<=[\d)§])\s*(?:por|x|×|·)\s*(?=[\d(§])", " * "),
    (r"\s*\b(?:divided\s+by|dividido\s+(?:por|entre)|over)\s+", " / "),
    (r"(?<=[\d)§])\s+entre\s+(?=[\d(§])", " / "),
    (r"(?<=[\d)§])\s*\b(?:plus|mas)\s+", " + "),
    (r"(?<=[\d)§])\s*\b(?:minus|menos|less)\s+", " - "),
    (r"÷", " / "),
    (r"\^", " ** "),
)  # fmt: skip
"""Applied in order; the groups of an alternative that did not match are left out before numbering."""

_ROUNDING = re.compile(
    r"\W*\b(?:and\s+|y\s+)?(?:round\w*|redond\w+)\s+(?:(?:it|that|to|up|off|a|con|lo)\s+)*(?P<places>\d)\s+(?:decimals?|places|decimal\s+places|decimales)\b"
)
_ROUNDED = re.compile(
    r"\W*(?:(?:please|can\s+you|puedes|me)\s+)*(?:round\w*|redond\w+)(?:\s+(?:off|up))?\s+(?:el\s+)?(?P<number>-?\d+(?:\.\d+)?)\s+(?:to|a|con)\s+"
    r"(?:(?P<places>\d)\s+(?:decimals?|places|decimal\s+places|decimales)|(?:the\s+nearest\s+|el\s+|la\s+)?(?:whole(?:\s+number)?|integer|unit|euro|entero|unidad))\b"
)
"""A number alone that is to be rounded."""
_TOKEN = re.compile(r"\d+(?:\.\d+)?|§|\*\*|//|[-+*/%()]|\b(?:sqrt|round|abs|floor|ceil|min|max|pi)\b|,|\s+")
_CURRENCY = re.compile(
    rf"(?<=[\d)])\s*(?:[€$£¥]|(?:de\s+)?{one_of(re.escape(each) for each in CURRENCIES if each.isalpha())}\b)|[€$£¥](?=\s*[\d(])"
)
_CENTS = re.compile(r"\s*(?:¢|cents?\b|c[eé]ntimos?\b|centavos?\b)", re.IGNORECASE)
_DOZENS = re.compile(r"dozen|docena", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_OPERATOR = re.compile(r"\*\*|//|[-+*/%]|sqrt|round|abs|floor|ceil|min|max")
_DATE_LIKE = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:t[\d:.+z-]*)?|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d\d\b", re.IGNORECASE
)
_YEARS = re.compile(
    r"\b(?:de|desde|from)\s+(?:19[5-9]|20[0-4])\d\s+(?:a|al|hasta|to|until)\s+(?:19[5-9]|20[0-4])\d\b"
    r"(?!.*(?:[€$£%]|\b(?:euros?|eur|dollars?|pounds?|percent\w*|porcentaje|por\s+ciento)\b))",
    re.IGNORECASE,
)
"""From one year to another: nothing to reckon with."""
_REFERENCE = re.compile(
    r"\b(?:that|it|this|the\s+(?:result|total|answer)|eso|esto|ese\s+(?:resultado|total|numero)|el\s+(?:resultado|total)|lo|la)\b"
)
_ATTACHED = (
    (r"\b(divide|multiplica|reduce|aumenta|incrementa|sube|baja|resta|suma)l[oae]\b(?=\s+(?:por|entre|un|en|a)\b)", r"\1 §"),
    (r"\b(?:suma|anade|agrega)(?:le|la|lo)\s+(?:otr[oa]s?\s+)?(\d[\d.]*)(?!\s*%)", r"§ + \1"),
    (r"\b(?:resta|quita)(?:le|la|lo)\s+(?:otr[oa]s?\s+)?(\d[\d.]*)(?!\s*%)", r"§ - \1"),
    (r"\ble\s+(?:sumo|anado)\s+(\d[\d.]*)(?!\s*%)", r"§ + \1"),
    (r"\ble\s+(?:quito|resto)\s+(\d[\d.]*)(?!\s*%)", r"§ - \1"),
    (r"\blo\s+multiplico\s+por\s+(\d[\d.]*)", r"§ * \1"),
    (r"\blo\s+divido\s+(?:entre|por)\s+(\d[\d.]*)", r"§ / \1"),
    (r"\b(?:saca|calcula)le\s+(?:el\s+)?(\d[\d.]*)\s*%", r"(§ * \1 / 100)"),
    (r"\b(?:halve|half)\s+(?:it|that)\b|\bla\s+mitad(?:\s+de\s+eso)?\s*\W*$", "(§ / 2)"),
    (r"\b(?:double|twice)\s+(?:it|that)\b|\bdoblalo\b|\bel\s+doble(?:\s+de\s+eso)?\s*\W*$|\bduplicalo\b", "(§ * 2)"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*(?:add|plus|suma|mas|\+)\s*(?:(?:an?|another|the|un|el|otro)\s+)?(\d[\d.]*)\s*(%?)(?:\s*(?:of\s+|de\s+)?(?:vat|tax|iva))?\W*$", r"§ + \1\2"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*(?:subtract|minus|resta|menos|less|-)\s*(?:(?:an?|another|un|el|otro)\s+)?(\d[\d.]*)\s*(%?)\W*$", r"§ - \1\2"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*(?:times|multiplied\s+by|por|multiplicado\s+por|[*x×])\s*(\d[\d.]*)\W*$", r"§ * \1"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*(?:divided\s+by|entre|dividido\s+(?:por|entre)|[/÷])\s*(\d[\d.]*)\W*$", r"§ / \1"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*(?:multiply|multiplica)\s+(?:by|por)\s+(\d[\d.]*)\W*$", r"§ * \1"),
    (r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*divide\s+(?:by|por|entre)\s+(\d[\d.]*)\W*$", r"§ / \1"),
)  # fmt: skip
"""Pronouns that a verb carries or leaves out: "divídelo entre 4", "times 3"."""


def find_expression(text: str, *, language: Language | None = None, last: Decimal | None = None) -> str | None:
    """The longest arithmetic expression a text holds; `last` is the number that `it` or `eso` means, if there is one."""
    text_language = language or detect_language(text)
    plain = _plain(text[:MAX_CHARS], text_language)
    written = _CURRENCY.sub("", _with_numbers(text[:MAX_CHARS], text_language))
    has_money = written != _with_numbers(text[:MAX_CHARS], text_language)
    whole = find_share(written) or find_portion(plain, has_money=has_money) or _reckoned(plain, written)
    if whole is not None or last is None:
        return whole
    referred = _with_reference(plain)
    found = _sum_in(referred) if LAST_RESULT in referred else None
    return (
        found.replace(LAST_RESULT, f"({last})" if last < 0 else str(last)) if found and LAST_RESULT in found else None
    )


def _reckoned(plain: str, written: str) -> str | None:
    """An expression that stands in a text in words or signs. One that leaves out a number is the answer to another sum."""
    alone = _ROUNDED.match(plain)
    if alone is not None:
        return f"round({alone['number']}, {alone['places'] or 0})"
    rounding = _ROUNDING.search(plain)
    stated = plain if rounding is None else plain.replace(rounding.group(), " ")
    whole = _longest(_rewritten(stated)) if _NUMBERS.search(stated) else None
    if whole is None or not _holds_every_number(whole, stated):
        is_partial = whole is None or set(_NUMBERS.findall(stated)) - set(_NUMBERS.findall(whole))
        whole = (
            find_rate(written)
            or find_proportion(written)
            or find_fill(written)
            or (None if is_partial and not _are_several_sums(stated) else whole)
        )
    return f"round({whole}, {rounding['places']})" if whole and rounding else whole


_AND = re.compile(r"\s(?:and|y|e)\s")


def _are_several_sums(plain: str) -> bool:
    """Whether an `and` stands between sums that are each whole: one of them leaves the numbers of the others out."""
    parts = [part for part in _AND.split(plain) if _NUMBERS.search(part)]
    sums = [_longest(_rewritten(part)) for part in parts]
    return len(parts) > 1 and all(
        found is not None and _holds_every_number(found, part) for found, part in zip(sums, parts, strict=True)
    )


def is_one_sum(text: str, expression: str | None, *, language: Language | None = None) -> bool:
    """Whether an expression holds every number of a text, so that no `and` in it divides two requests."""
    text_language = language or detect_language(text)
    plain = _plain(text[:MAX_CHARS], text_language)
    if expression is None or _holds_every_number(expression, plain):
        return expression is not None
    return expression == find_rate(_with_numbers(text[:MAX_CHARS], text_language))  # "7.5 l per 100 km" is 0.075 a km


def refers_to_rate(said: str, text: str) -> bool:
    """Whether a text asks for a sum of what was only said before it: "240 euros a month", then "and how much a year?"."""
    has_number = _NUMBERS.search(_plain(text[:MAX_CHARS], detect_language(text)))
    return not has_number and find_expression(said) is None and find_expression(f"{said} {text}") is not None


def _holds_every_number(expression: str, plain: str) -> bool:
    return not Counter(_NUMBERS.findall(plain)) - Counter(_NUMBERS.findall(expression))


def needs_last_result(text: str) -> bool:
    """Whether a text is a sum about a number said before: "times 3", "divídelo entre 4"."""
    plain = _plain(text[:MAX_CHARS], detect_language(text))
    referring = _with_reference(plain)
    if LAST_RESULT not in referring or (_NUMBERS.search(plain) and _longest(_rewritten(plain)) is not None):
        return False
    return LAST_RESULT in (_sum_in(referring) or "")


def _sum_in(plain: str) -> str | None:
    return find_share(plain) or _longest(_rewritten(plain))


def _with_reference(plain: str) -> str:
    if _RATE_ALONE.match(plain):
        return f"{LAST_RESULT} {plain}"
    for pattern, words in _ATTACHED:
        changed = re.sub(pattern, words, plain)
        if changed != plain:
            return changed
    return _REFERENCE.sub(LAST_RESULT, plain)


def _plain(text: str, language: Language) -> str:
    """Folded, with every number as a computer writes it, without dates, times and currencies."""
    plain = _with_numbers(text, language)
    if re.search(r"[a-z]{3}", plain):
        plain = without_dates(plain, is_numeric_too=False).replace("\0", " ")
    return _CURRENCY.sub("", plain)


def _with_numbers(text: str, language: Language) -> str:
    text = _DATE_LIKE.sub(_blank, composed(text))
    text = _YEARS.sub(_blank, text)
    for number in reversed(find_numbers(text, language=language)):
        cents = _CENTS.match(text, number.span.end)
        if cents is not None:
            text = f"{text[: cents.start()]}{text[cents.end() :]}"
        written = _written(number.value / (100 if cents else 1))
        if _DOZENS.search(number.text):
            written = f"({_written(number.value / 12)} * 12)"  # a sum by itself: "how many are three dozen?"
        text = f"{text[: number.span.start]}{written}{text[number.span.end :]}"
    return re.sub(rf"(?<=\d){_PERCENT}", "%", aligned(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _written(value: Decimal) -> str:
    return f"{value.normalize():f}" if value == value.to_integral() else f"{value:f}"


def _rewritten(plain: str) -> str:
    for pattern, replacement in _compiled():
        plain = pattern.sub(replacement, plain)
    return plain


def _numbered(replacement: Rewriting) -> Callable[[re.Match[str]], str]:
    """A replacement whose groups are those that matched, whichever alternative they stand in."""

    def rewrite(match: re.Match[str]) -> str:
        if callable(replacement):
            return replacement(match)
        groups = [group for group in match.groups() if group is not None]
        return re.sub(r"\\(\d)", lambda place: groups[int(place.group(1)) - 1], replacement)

    return rewrite


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]:
    return tuple((re.compile(pattern), _numbered(replacement)) for pattern, replacement in REWRITINGS)


def _longest(text: str) -> str | None:
    runs, current, place = [], "", 0
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            runs.append(current)
            current = ""
        current += match.group()
        place = match.end()
    stripped = [run.strip(" ,") for run in [*runs, current]]
    valid = [run for run in stripped if _OPERATOR.search(run) and _is_arithmetic(run)]
    if not valid:
        return None
    longest = max(valid, key=len)
    inner = longest[1:-1].strip()
    is_wrapped = longest.startswith("(") and longest.endswith(")") and _is_arithmetic(inner)
    return inner if is_wrapped else longest


def _is_arithmetic(run: str) -> bool:
    try:
        tree = ast.parse(run.replace(LAST_RESULT, "1"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(tree.body, ast.BinOp | ast.Call)
