"""Figures in words, in the user's language: written by code, so that no model has to repeat a number."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from batuta.agents.erp.measures.compute import Figures
from batuta.agents.erp.measures.model import MeasureBook, MeasureUnit
from batuta.agents.erp.measures.periods import EARLIEST
from batuta.agents.erp.measures.records import Books
from batuta.datasets.charts.labels import named_period
from batuta.language.wording import days_between, short_day

SHOWN_ROWS = 5
SHOWN_NAMES = 5
WHOLE = Decimal(100)
SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£"}
WHOLE_CURRENCIES = frozenset({"JPY", "KRW", "CLP", "ISK", "HUF", "VND"})
"""Currencies that are paid without a smaller unit."""

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "as_of": "as of {day}", "until": "until {day}", "figure": "{title} ({when}): **{value}**{mean}.",
        "nothing": "{title} ({when}): nothing found.", "newest": " The newest there is: {day}.",
        "table": "{title} by {split} ({when}): {rows}.",
        "absent": "{title} by {split} ({when}): **{count}**: {names}.",
        "more": "{rows}; and {count} more", "total": " Total: **{value}**.", "overall": " Overall: **{value}**.",
        "total_of_all": " Total of all, not only of these: **{value}**.", "others": "{names} and {count} more",
        "before": " Before{when}: {value}{change}.",
        "against": " Compared with{when}: {value}{change}.", "to_date": ", up to the same day",
        "above": "above {value}", "above_inclusive": "from {value}", "below": "below {value}",
        "below_inclusive": "up to {value}", "late": "more than {count} days late",
        "changed_less": "only those that are less than before", "changed_more": "only those that are more than before",
        "without": "without {names}", "place": "no. {count} of the order",
        "counted": " Counted: {basis}; {company}.", "days": "{value} days", "before_short": "before",
    },
    "es": {
        "as_of": "a {day}", "until": "hasta {day}", "figure": "{title} ({when}): **{value}**{mean}.",
        "nothing": "{title} ({when}): no hay nada.", "newest": " Lo más reciente es del {day}.",
        "table": "{title} por {split} ({when}): {rows}.",
        "absent": "{title} por {split} ({when}): **{count}**: {names}.",
        "more": "{rows}; y {count} más", "total": " Total: **{value}**.", "overall": " En conjunto: **{value}**.",
        "total_of_all": " Total de todo, no solo de estos: **{value}**.", "others": "{names} y {count} más",
        "before": " Antes{when}: {value}{change}.",
        "against": " Comparado con{when}: {value}{change}.", "to_date": ", hasta el mismo día",
        "above": "más de {value}", "above_inclusive": "desde {value}", "below": "menos de {value}",
        "below_inclusive": "hasta {value}", "late": "con más de {count} días de retraso",
        "changed_less": "solo los que son menos que antes", "changed_more": "solo los que son más que antes",
        "without": "sin {names}", "place": "n.º {count} del orden",
        "counted": " Se cuenta: {basis}; {company}.", "days": "{value} días", "before_short": "antes",
    },
}  # fmt: skip


def figures_in_words(figures: Figures, books: Books, book: MeasureBook, language: str) -> str:
    """A sentence or two that say the figure, or the first rows and the total, and what was counted."""
    words = _WORDS[language]
    title = figures.measure.title[language]
    when = f"{_when_in_words(figures, books, language)}{limits_in_words(figures, language)}"

    def shown(value: Decimal | None) -> str:
        return amount_in_words(value, figures.measure.unit, figures.currency, language)

    if not figures.records:
        text = words["nothing"].format(title=title, when=when)
        text += words["newest"].format(day=short_day(figures.newest, language)) if figures.newest else ""
    elif figures.is_absence:
        split = book.dimensions[figures.split[0]].title[language].lower()
        names = "; ".join(row.group[0] for row in figures.rows[:SHOWN_ROWS])
        if len(figures.rows) > SHOWN_ROWS:
            names = words["others"].format(names=names, count=len(figures.rows) - SHOWN_ROWS)
        text = words["absent"].format(title=title, split=split, when=when, count=len(figures.rows), names=names)
    elif not figures.split:
        text = words["figure"].format(title=title, when=when, value=shown(figures.total), mean=_mean(figures, language))
    else:
        split = ", ".join(book.dimensions[name].title[language].lower() for name in figures.split)
        rows = "; ".join(
            f"{_group_in_words(figures.split, row.group, language)} {shown(row.value)}{_share(row.share, language)}"
            + (f" ({words['before_short']} {shown(row.before)})" if figures.change else "")
            for row in figures.rows[:SHOWN_ROWS]
        )
        if len(figures.rows) > SHOWN_ROWS:
            rows = words["more"].format(rows=rows, count=len(figures.rows) - SHOWN_ROWS)
        text = words["table"].format(title=title, split=split, when=when, rows=rows)
        kind = "overall" if figures.measure.kind == "ratio" else "total_of_all" if figures.is_cut else "total"
        is_part = len(figures.rows) > 1 and figures.shown_share != WHOLE
        part = _share(figures.shown_share, language) if is_part else ""
        text += words[kind].format(value=shown(figures.total) + part)
    if figures.total_before is not None:
        change = _change(figures.total, figures.total_before, language)
        before = _compared_when(figures, language)
        is_later = figures.compared_with and figures.period and figures.compared_with.first > figures.period.first
        text += words["against" if is_later else "before"].format(
            value=shown(figures.total_before), change=change, when=before
        )
    return text + words["counted"].format(basis=figures.basis[language], company=books.company.display_name.rstrip("."))


def _group_in_words(split: Sequence[str], group: Sequence[str], language: str) -> str:
    """What a row stands for: months and quarters as they are said."""
    named = [
        named_period(value, language) if dimension in ("month", "quarter") else value
        for dimension, value in zip(split, group, strict=True)
    ]
    return " · ".join(named) or "—"


def _mean(figures: Figures, language: str) -> str:
    """What a mean is of, to stand behind it."""
    if figures.mean_of is None:
        return ""
    total, count = figures.mean_of
    return f" ({amount_in_words(total, figures.measure.unit, figures.currency, language)} ÷ {count})"


def limits_in_words(figures: Figures, language: str) -> str:
    """Whose, of what and beyond what alone the figures are, to stand behind what is measured: " · Hoteles Ribalta"."""
    words = _WORDS.get(language, _WORDS["en"])
    without = _named(figures.without, words)
    parts = (
        _named(figures.only, words),
        words["without"].format(names=without) if without else "",
        _bound_in_words(figures, language),
        words[f"changed_{figures.change}"] if figures.change else "",
        words["place"].format(count=figures.place) if figures.place else "",
    )
    return "".join(f" · {part}" for part in parts if part)


def _named(limits: Mapping[str, tuple[str, ...]], words: Mapping[str, str]) -> str:
    """The values that figures are limited by, the first of many."""
    names = [value for values in limits.values() for value in values]
    shown = "; ".join(names[:SHOWN_NAMES])
    return words["others"].format(names=shown, count=len(names) - SHOWN_NAMES) if len(names) > SHOWN_NAMES else shown


def _bound_in_words(figures: Figures, language: str) -> str:
    """Beyond which amount, or how late, what is shown is."""
    bound = figures.bound
    if bound is None:
        return ""
    words = _WORDS.get(language, _WORDS["en"])
    if bound.is_days:
        return words["late"].format(count=int(bound.amount))
    value = amount_in_words(bound.amount, figures.measure.unit, figures.currency, language)
    return words[f"{bound.side}_inclusive" if bound.is_inclusive else bound.side].format(value=value)


def _compared_when(figures: Figures, language: str) -> str:
    """The period that was compared with, to stand behind "before"."""
    other = figures.compared_with
    if other is None:
        return ""
    part = _WORDS[language]["to_date"] if figures.is_cut_at_today else ""
    return f" ({days_between(other.first, other.last, language)}{part})"


def _when_in_words(figures: Figures, books: Books, language: str) -> str:
    """The period, or the day of a balance, in a sentence."""
    period, words = figures.period, _WORDS[language]
    if period is None:
        return words["as_of"].format(day=short_day(books.today, language))
    if period.first == EARLIEST:
        return words["until"].format(day=short_day(period.last, language))
    return days_between(period.first, period.last, language)


def when_of(figures: Figures, books: Books, language: str) -> str:
    """The period, or the day of a balance, for a title: days as charts and other tools read them."""
    words = _WORDS.get(language, _WORDS["en"])
    if figures.period is None:
        return words["as_of"].format(day=books.today.isoformat())
    if figures.period.first == EARLIEST:
        return words["until"].format(day=figures.period.last.isoformat())
    return f"{figures.period.first.isoformat()} – {figures.period.last.isoformat()}"


def amount_in_words(value: Decimal | None, unit: MeasureUnit, currency: str | None, language: str) -> str:
    """A number as people of a language write it, with its unit."""
    if value is None:
        return "—"
    places = 2 if unit == "money" else 1 if unit in ("percent", "days") else None
    plain = f"{value:,.{places}f}" if places is not None else f"{value.normalize():,f}"
    if language == "es":
        plain = plain.translate(str.maketrans(",.", ".,"))
    if unit == "money":
        return f"{plain} {SYMBOLS.get(currency or '', currency or '')}".strip()
    return {"percent": f"{plain} %", "days": _WORDS[language]["days"].format(value=plain)}.get(unit, plain)


def money_in_words(value: Decimal, currency: str, language: str, *, is_money: bool = True) -> str:
    """An amount with the cents its currency has, or another number with the digits it has."""
    digits = 0 if currency in WHOLE_CURRENCIES else 2
    plain = f"{value:,.{digits}f}" if is_money else f"{value.normalize():,f}"
    if language == "es":
        plain = plain.translate(str.maketrans(",.", ".,"))
    return f"{plain} {SYMBOLS.get(currency, currency)}".strip()


def _share(share: Decimal | None, language: str) -> str:
    return "" if share is None else f" ({amount_in_words(share, 'percent', None, language)})"


def _change(now: Decimal | None, before: Decimal, language: str) -> str:
    if now is None or not before:
        return ""
    percent = amount_in_words((now - before) * 100 / abs(before), "percent", None, language)
    return f" ({'+' if now >= before else ''}{percent})"
