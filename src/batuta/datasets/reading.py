"""From the cells of a file to typed columns: where the head is, what the numbers and dates mean, what is no row.

A spreadsheet may begin with a title, leave its head out, write 1.234,50 € or 1,234.50, and end with a total.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.datasets.dataset import MAX_COLUMNS, Column, dataset_name
from batuta.events.datasets import ColumnType
from batuta.language.folding import fold
from batuta.language.lexicon import MONTHS

LOOKED_AT = 10
"""Rows among which the head is looked for."""
CURRENCIES = {"€": "EUR", "eur": "EUR", "euros": "EUR", "$": "USD", "usd": "USD", "£": "GBP", "gbp": "GBP"}
CODES = frozenset({
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF",
    "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MAD", "MXN", "MYR", "NOK", "NZD", "PEN", "PHP", "PLN", "RON", "RUB",
    "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "UYU", "VES", "VND", "ZAR",
})  # fmt: skip
"""Codes of currencies that tables of amounts have, by ISO 4217."""
TOTALS = frozenset({"total", "totales", "total general", "grand total", "suma", "sum", "totals", "subtotal"})

Cells = Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberStyle:
    """How a file writes numbers and days."""

    has_decimal_comma: bool | None = None
    """Nothing where the file does not say: each number is read as it looks."""
    has_decimal_point: bool = False
    """Whether numbers of the file have decimals after a point, so that no point of it parts thousands."""
    has_month_first: bool = False


@dataclass(slots=True)
class _Guess:
    """A type that a column may have, with what its cells say besides."""

    kind: ColumnType
    values: list[Any]
    currency: str | None = None
    unit: str | None = None
    marks: list[str] = field(default_factory=list)
    """Of each number: the code of its currency, %, or nothing."""
    codes: list[str | None] | None = None
    """Of each cell, where a column holds several currencies."""


def table_of(rows: Sequence[Cells], delimiter: str = "") -> tuple[list[Column], list[list[Any]]]:
    """The columns and rows of a table: the values of each column in the first type that all of them have."""
    place = _head_place(rows)
    labels, body = ([], rows) if place is None else ([_label(cell) for cell in rows[place]], rows[place + 1 :])
    body = [row for row in body if any(not _is_empty(cell) for cell in row)]
    body = body[:-1] if len(body) > 1 and _is_total(body[-1]) else body
    width = max((len(row) for row in (*body, labels)), default=0)
    labels += [""] * (width - len(labels))
    style = _style(body, delimiter)
    columns: list[Column] = []
    values: list[list[Any]] = []
    for number, label in enumerate(labels):
        cells = [row[number] if number < len(row) else None for row in body]
        is_called = _IS_CALLED.search(fold(label)) is not None
        guess = _as_written(cells) if is_called else _guessed(cells, style, is_money=currency_named(label) is not None)
        if guess.unit is None and guess.currency is None and "%" in label and guess.kind in ("integer", "decimal"):
            guess.unit = "%"
        currency = guess.currency
        if currency is None and guess.codes is None and guess.unit is None and guess.kind in ("integer", "decimal"):
            currency = currency_named(label)
        is_additive = guess.unit != "%" and not _is_identity(label) and not _is_of_one(label)
        columns.append(
            Column(
                name=_free(label, number, columns),
                type=guess.kind,
                label=label[:200],
                currency=currency,
                unit=guess.unit,
                is_additive=is_additive,
            )
        )
        values.append(guess.values)
        if guess.codes is not None:  # 100 € beside $200: the currency of each is a column of its own
            columns.append(Column(name=_free(f"{label} currency", len(columns), columns), type="text"))
            values.append(guess.codes)
            columns[-2] = columns[-2].model_copy(update={"currency_column": columns[-1].name})
    columns = _with_currency_column(columns, values)
    return columns, [list(row) for row in zip(*values, strict=True)] if body else []


def currency_named(label: str) -> str | None:
    """The one currency that the head of a column names: "Gasto (€)", "Amount USD"; none for counts and for several."""
    words = set(re.findall(r"[^\W\d_]+|[€$£]", label))
    codes = {CURRENCIES.get(word.lower()) or (word if word in CODES else None) for word in words} - {None}
    words_of_label = _words_of(label)
    is_money = bool(words_of_label & _VALUED) or not words_of_label & _COUNTED
    return next(iter(codes)) if len(codes) == 1 and is_money else None


def _with_currency_column(columns: list[Column], values: Sequence[Sequence[Any]]) -> list[Column]:
    """Amounts beside a column of currency codes are in those currencies; counts and rates are in none."""
    own = {column.currency_column for column in columns}
    code = next(
        (
            one.name
            for one, cells in zip(columns, values, strict=True)
            if one.name not in own and _are_codes(one, cells)
        ),
        None,
    )
    return [
        one.model_copy(update={"currency_column": code}) if code is not None and _is_amount(one) else one
        for one in columns
    ]


def _are_codes(column: Column, cells: Sequence[Any]) -> bool:
    """Whether a column says currencies: nothing but codes, and where some are missing its name has to say it too."""
    known = [str(cell).strip() for cell in cells if not _is_empty(cell)]
    is_named = re.search(r"\b(?:currency|curr|ccy|moneda|divisa)\b", fold(column.title).replace("_", " ")) is not None
    are_codes = column.type == "text" and bool(known) and all(one.upper() in CODES for one in known)
    return are_codes and (is_named or len(known) == len(cells))


def _is_amount(column: Column) -> bool:
    words = _words_of(column.title)
    has_own = column.currency is not None or column.currency_column is not None or column.unit is not None
    can_be = column.is_numeric and (column.is_additive or bool(words & _PRICES))
    return can_be and not has_own and (bool(words & _PRICES) or not words & _COUNTED_BESIDE)


def _is_of_one(label: str) -> bool:
    """Whether a column says something of each, which makes no sum: a price, a rate, a cost per unit."""
    is_each = re.search(r"\b(?:unit|per|each|por unidad|por hora|cada uno)\b", fold(label)) is not None
    return is_each or bool(_words_of(label) & (_PRICES | _RATES))


def _words_of(label: str) -> set[str]:
    return set(re.split(r"[\W_]+", fold(label)))


_COUNTED = frozenset({
    "quantity", "qty", "units", "pieces", "count", "number", "no", "orders", "days", "hours", "stock", "cantidad",
    "unidades", "piezas", "numero", "num", "pedidos", "dias", "horas", "existencias", "year", "ano", "month", "mes",
})  # fmt: skip
"""In the names of columns whose numbers are no amounts of money."""
_COUNTED_BESIDE = _COUNTED | frozenset({
    "nights", "noches", "guests", "huespedes", "people", "personas", "headcount", "visits", "visitas", "sessions",
    "sesiones", "clicks", "clics", "trips", "viajes", "tickets", "users", "usuarios", "employees", "empleados", "items",
    "articulos", "km", "kms", "miles", "kilometros", "kg", "kilos", "litres", "liters", "litros", "kwh", "minutes",
    "minutos", "weeks", "semanas", "months", "meses", "years", "anos", "uds", "unid", "pcs", "pax", "views",
    "downloads", "descargas", "m2", "weight",
})  # fmt: skip
"""The same beside a column of currencies: a head that names none itself."""
_VALUED = frozenset({"value", "valor", "cost", "coste", "costo", "amount", "importe", "sales", "ventas"})
"""Of something that is counted: "Stock value (USD)"."""
_PRICES = frozenset({"price", "prices", "precio", "precios", "tarifa", "unitario", "unitaria"})
_RATES = frozenset({
    "rate", "tasa", "ratio", "percent", "percentage", "porcentaje", "pct", "average", "avg", "mean", "media",
    "promedio", "score", "satisfaction", "satisfaccion", "valoracion", "rating", "nota", "puntuacion", "age", "edad",
    "temperature", "temperatura", "csat", "nps", "stars", "estrellas", "grade", "calificacion",
})  # fmt: skip
"""In the names of columns whose numbers make no sum."""


def _head_place(rows: Sequence[Cells]) -> int | None:
    """Where the head is: the first row of names that is nearly as wide as the table. Nothing where there is none."""
    filled = [sum(not _is_empty(cell) for cell in row) for row in rows[:50]]
    width = max(filled, default=0)
    for place, row in enumerate(rows[:LOOKED_AT]):
        cells = [cell for cell in row if not _is_empty(cell)]
        if len(cells) < max(1, 0.6 * width):
            continue
        return place if all(_is_name(cell) for cell in cells) else None
    return 0


def _is_name(cell: Any) -> bool:
    """Whether a cell may head a column: a text that is no number and no day; a year may be."""
    if not isinstance(cell, str):
        return isinstance(cell, int) and not isinstance(cell, bool) and 1900 <= cell <= 2100
    text = cell.strip()
    return re.fullmatch(r"(?:19|20)\d\d", text) is not None or not re.fullmatch(
        r"[-+]?[\d.,/:\s€$£%-]*\d[\d.,/:\s€$£%-]*", text
    )


def _is_total(row: Cells) -> bool:
    first = next((cell for cell in row if not _is_empty(cell)), None)
    return isinstance(first, str) and fold(first).strip(" :") in TOTALS


def _is_identity(label: str) -> bool:
    """Whether a column of numbers tells which, not how many."""
    return re.fullmatch(r"(?:id|no|num|numero|code|codigo|year|ano|n|nº|zip|cp)", fold(label).strip(" .º")) is not None


def _style(body: Sequence[Cells], delimiter: str) -> NumberStyle:
    texts = [
        cell.strip() for row in body[:2_000] for cell in row if isinstance(cell, str) and any(map(str.isdigit, cell))
    ]
    comma = any(re.search(r"\d,\d{1,2}(?!\d)", text) and "." not in text.rpartition(",")[2] for text in texts)
    point = any(re.search(r"\d\.\d{1,2}(?!\d)", text) and not re.search(r"\.\d+\.", text) for text in texts)
    has_comma = comma if comma != point else (None if delimiter != ";" else True) if not comma else None
    if has_comma is None and delimiter == ",":
        has_comma = False
    days = [match for text in texts if (match := re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d\d)", text))]
    has_month_first = bool(days) and any(int(one[2]) > 12 for one in days) and not any(int(one[1]) > 12 for one in days)
    return NumberStyle(has_decimal_comma=has_comma, has_decimal_point=point, has_month_first=has_month_first)


def _guessed(cells: Sequence[Any], style: NumberStyle, *, is_money: bool) -> _Guess:
    present = [cell for cell in cells if not _is_empty(cell)]
    if present:
        style = _style_of_amounts(present, style, is_money=is_money)
        for kind, read in _READERS.items():
            guess = _Guess(kind=kind, values=[])
            try:
                guess.values = [None if _is_empty(cell) else read(cell, style, guess) for cell in cells]
            except (ValueError, TypeError, InvalidOperation, OverflowError):
                continue
            marks = set(guess.marks)
            if len(marks) <= 1:
                mark = next(iter(marks), "")
                guess.currency, guess.unit = mark if mark in CODES else None, "%" if mark == "%" else None
                return guess
            if "%" not in marks:
                codes = iter(guess.marks)
                guess.codes = [None if _is_empty(cell) else next(codes) for cell in cells]
                return guess
    months = [None if _is_empty(cell) else _month(cell) for cell in cells]
    if present and all(month for month, cell in zip(months, cells, strict=True) if not _is_empty(cell)):
        return _Guess(kind="text", values=months)
    return _as_written(cells)


def _as_written(cells: Sequence[Any]) -> _Guess:
    whole = (int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in cells)
    return _Guess(kind="text", values=[None if cell is None else str(cell) for cell in whole])


_IS_CALLED = re.compile(
    r"\b(?:tele?ph?ones?|phones?|tel|telefonos?|tlf|tfno|mobiles?|moviles|movil|fax|extension|ext|iban|nif|cif|dni|ean|sku|"
    r"postcode|postal|zip)\b"
)
"""In the names of columns whose digits are dialled or typed, and no number."""
_MONTH = re.compile(
    rf"(?P<name>{'|'.join(MONTHS)})\b\.?(?:[-/.' ]*(?:(?:de|del) )?(?P<year>\d{{4}})|[-/.']+(?P<short>\d\d))|"
    r"(?P<number>0?[1-9]|1[0-2])[/-](?P<of>(?:19|20)\d\d)|(?P<first>(?:19|20)\d\d)[/-](?P<second>0?[1-9]|1[0-2])"
)
"""ene-25, marzo de 2025, Mar 2025, 03/2025, 2025/3; folded."""


def _month(cell: Any) -> str:
    """A month of a year as charts and periods know it, 2025-03; empty for anything else."""
    match = _MONTH.fullmatch(fold(str(cell)).strip())
    if match is None:
        return ""
    year = match["year"] or match["short"] or match["of"] or match["first"]
    month = MONTHS[match["name"]] if match["name"] else int(match["number"] or match["second"])
    return f"{_year(year)}-{month:02}"


_WHOLE_AMOUNT = re.compile(
    r"[-(]?(?:€|\$|£)?-?(?:(?P<grouped>\d{1,3}(?:\.\d{3})+)|\d{1,3})(?:€|\$|£|[A-Za-z]{3}|euros)?\)?"
)


def _style_of_amounts(cells: Sequence[Any], style: NumberStyle, *, is_money: bool) -> NumberStyle:
    """The style of a column of money: where all of it is without cents, 59.900 € has a point after its thousands."""
    if style.has_decimal_point or style.has_decimal_comma:
        return style
    if not all(isinstance(cell, str) for cell in cells):
        return style
    texts = [re.sub(r"\s", "", cell) for cell in cells]
    matches = [_WHOLE_AMOUNT.fullmatch(text) for text in texts]
    is_money = is_money or any(text.strip("-().0123456789") for text in texts)
    are_grouped = all(matches) and any(match["grouped"] for match in matches if match)
    return replace(style, has_decimal_comma=True) if is_money and are_grouped else style


def _integer(cell: Any, style: NumberStyle, guess: _Guess) -> int:
    if isinstance(cell, bool | datetime | date | time):
        raise TypeError
    if isinstance(cell, int):
        return cell
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    text = str(cell).strip()
    if not re.fullmatch(r"-?(0|[1-9]\d{0,17})", text):  # 007 is a code
        raise ValueError
    return int(text)


def _decimal(cell: Any, style: NumberStyle, guess: _Guess) -> Decimal:
    if isinstance(cell, bool | datetime | date | time):
        raise TypeError
    if isinstance(cell, int | float):
        guess.marks.append("")
        return Decimal(repr(cell))
    text = re.sub(r"\s", "", str(cell)).replace("\u2212", "-")
    mark = re.search(r"€|\$|£|%|(?i:euros)$|^[A-Za-z]{3}(?=[-\d(])|(?<=[\d)])[A-Za-z]{3}$", text)
    found = mark.group().lower() if mark else ""
    guess.marks.append(CURRENCIES.get(found, found.upper()))
    if found.isalpha() and guess.marks[-1] not in CODES:
        raise ValueError  # a number with a word is no amount
    text = text if mark is None else text.replace(mark.group(), "")
    if text.startswith("(") and text.endswith(")"):  # how accountants write a loss
        text = f"-{text[1:-1]}"
    return Decimal(_plain_number(text, style))


def _plain_number(text: str, style: NumberStyle) -> str:
    """A number as Python reads it. Raises `ValueError` for what is none."""
    with_comma = re.fullmatch(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?", text)
    with_point = re.fullmatch(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", text)
    looks_comma = re.search(r"\.\d{3},|,\d{1,2}$|^-?\d{1,3}(?:\.\d{3}){2,}$", text) is not None
    has_comma = style.has_decimal_comma if style.has_decimal_comma is not None else looks_comma or not with_point
    if has_comma and with_comma:
        text = text.replace(".", "").replace(",", ".")
    elif with_point:
        text = text.replace(",", "")
    if not re.fullmatch(r"-?(0|[1-9]\d{0,23})(\.\d{1,10})?", text):
        raise ValueError
    return text


def _date(cell: Any, style: NumberStyle, guess: _Guess) -> date:
    if isinstance(cell, datetime):
        if cell.time() != time(0):
            raise ValueError
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = str(cell).strip()
    if match := re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d\d)", text):
        first, second = int(match[1]), int(match[2])
        return date(_year(match[3]), *((first, second) if style.has_month_first else (second, first)))
    if match := _DAY_IN_WORDS.fullmatch(fold(text)):
        return date(_year(match["year"]), MONTHS[match["month"]], int(match["day"] or match["second"]))
    return date.fromisoformat(text.replace("/", "-"))


_DAY_IN_WORDS = re.compile(
    rf"(?:(?P<day>\d{{1,2}})[-/. ]*(?:(?:de|of) )?)?(?P<month>{'|'.join(MONTHS)})\b[-/. ,]*"
    r"(?:(?P<second>(?<!\d)\d{1,2}),? )?(?:(?:de|del) )?(?P<year>\d{4}|\d\d)"
)
"""3-ene-25, 15 de marzo de 2025, March 15, 2025; folded."""


def _year(text: str) -> int:
    """A year of two digits is of this century, unless that is far ahead."""
    return int(text) if len(text) == 4 else int(text) + (2000 if int(text) < 70 else 1900)


def _datetime(cell: Any, style: NumberStyle, guess: _Guess) -> datetime:
    moment = cell if isinstance(cell, datetime) else datetime.fromisoformat(str(cell).strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


_TRUE = frozenset({"true", "si", "yes", "verdadero"})
_FALSE = frozenset({"false", "no", "falso"})


def _boolean(cell: Any, style: NumberStyle, guess: _Guess) -> bool:
    word = fold(str(cell)).strip()
    if word not in _TRUE | _FALSE:
        raise ValueError
    return word in _TRUE


_READERS: dict[ColumnType, Callable[[Any, NumberStyle, _Guess], Any]] = {
    "integer": _integer,
    "decimal": _decimal,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
}
"""In the order in which they are tried."""


def _label(cell: Any) -> str:
    return "" if _is_empty(cell) else " ".join(str(cell).split())


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _free(label: str, place: int, taken: Sequence[Column]) -> str:
    name = dataset_name(label) if label else f"column_{place + 1}"
    names = {column.name for column in taken}
    if name not in names:
        return name
    return next(f"{name[:50]}_{n}" for n in range(2, MAX_COLUMNS + 2) if f"{name[:50]}_{n}" not in names)
