"""Days that have a name: holidays of a fixed date, and those that follow Easter or a weekday. English and Spanish."""

from collections.abc import Callable
from datetime import date, timedelta

from batuta.language.calendar_math import nth_weekday

MONDAY, THURSDAY, SUNDAY = 0, 3, 6

FEASTS = {
    **dict.fromkeys(("christmas eve", "nochebuena", "vispera de navidad"), (12, 24)),
    **dict.fromkeys(("christmas day", "christmas", "xmas", "el dia de navidad", "dia de navidad", "navidad"), (12, 25)),
    **dict.fromkeys(("boxing day", "san esteban"), (12, 26)),
    **dict.fromkeys(("dia de los santos inocentes", "dia de los inocentes", "santos inocentes"), (12, 28)),
    **dict.fromkeys(
        ("new year's eve", "new years eve", "nochevieja", "fin de ano", "vispera de ano nuevo", "noche vieja"), (12, 31)
    ),
    **dict.fromkeys(
        ("new year's day", "new years day", "dia de ano nuevo", "ano nuevo", "new year", "the new year"), (1, 1)
    ),
    **dict.fromkeys(("dia de reyes", "dia de los reyes magos", "reyes magos", "epiphany", "epifania"), (1, 6)),
    **dict.fromkeys(
        ("valentine's day", "valentines day", "valentine day", "san valentin", "dia de los enamorados"), (2, 14)
    ),
    **dict.fromkeys(("international women's day", "dia de la mujer", "dia internacional de la mujer"), (3, 8)),
    **dict.fromkeys(("st patrick's day", "saint patrick's day", "san patricio", "dia de san patricio"), (3, 17)),
    **dict.fromkeys(("april fools' day", "april fool's day", "april fools day", "april fools"), (4, 1)),
    **dict.fromkeys(("dia del trabajo", "dia del trabajador", "may day"), (5, 1)),
    **dict.fromkeys(("dia del padre", "san jose"), (3, 19)),
    **dict.fromkeys(("noche de san juan", "dia de san juan", "san juan"), (6, 24)),
    **dict.fromkeys(("independence day",), (7, 4)),
    **dict.fromkeys(("dia de la asuncion",), (8, 15)),
    **dict.fromkeys(("dia de la hispanidad", "dia de la raza", "dia del pilar", "columbus day"), (10, 12)),
    **dict.fromkeys(("halloween", "noche de brujas"), (10, 31)),
    **dict.fromkeys(("dia de todos los santos", "todos los santos", "all saints' day", "all saints day"), (11, 1)),
    **dict.fromkeys(("dia de los muertos", "dia de los difuntos", "dia de muertos", "all souls' day"), (11, 2)),
    **dict.fromkeys(("veterans day", "veteran's day", "remembrance day"), (11, 11)),
    **dict.fromkeys(("dia de la constitucion",), (12, 6)),
    **dict.fromkeys(("dia de la inmaculada", "inmaculada concepcion", "la inmaculada"), (12, 8)),
}
"""Month and day."""


def easter_sunday(year: int) -> date:
    """Of the Gregorian calendar, by the anonymous algorithm."""
    century, in_century = divmod(year, 100)
    golden = year % 19
    correction = (8 * century + 13) // 25 - 2
    epact = (19 * golden + century - century // 4 - correction + 13) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (in_century // 4) - epact - in_century % 4) % 7
    months = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * months + 114, 31)
    return date(year, month, day + 1)


def _from_easter(days: int) -> Callable[[int], date]:
    return lambda year: easter_sunday(year) + timedelta(days=days)


def _thanksgiving(year: int) -> date:
    return nth_weekday(date(year, 11, 1), 4, THURSDAY)


def _nth_of(month: int, nth: int, weekday: int) -> Callable[[int], date]:
    return lambda year: nth_weekday(date(year, month, 1), nth, weekday)


MOVABLE: dict[str, Callable[[int], date]] = {
    **dict.fromkeys(("domingo de ramos", "palm sunday"), _from_easter(-7)),
    **dict.fromkeys(("jueves santo", "maundy thursday"), _from_easter(-3)),
    **dict.fromkeys(("viernes santo", "good friday"), _from_easter(-2)),
    **dict.fromkeys(("sabado santo", "holy saturday"), _from_easter(-1)),
    **dict.fromkeys(("easter sunday", "domingo de pascua", "domingo de resurreccion"), _from_easter(0)),
    **dict.fromkeys(("easter monday", "lunes de pascua"), _from_easter(1)),
    **dict.fromkeys(("martes de carnaval", "shrove tuesday", "mardi gras"), _from_easter(-47)),
    **dict.fromkeys(("miercoles de ceniza", "ash wednesday"), _from_easter(-46)),
    **dict.fromkeys(
        ("thanksgiving", "thanksgiving day", "dia de accion de gracias", "accion de gracias"), _thanksgiving
    ),
    **dict.fromkeys(("black friday", "viernes negro"), lambda year: _thanksgiving(year) + timedelta(days=1)),
    **dict.fromkeys(("martin luther king day", "mlk day"), _nth_of(1, 3, MONDAY)),
    **dict.fromkeys(("memorial day",), _nth_of(5, -1, MONDAY)),
    **dict.fromkeys(("labor day",), _nth_of(9, 1, MONDAY)),
    **dict.fromkeys(("mother's day", "mothers day"), _nth_of(5, 2, SUNDAY)),
    **dict.fromkeys(("dia de la madre",), _nth_of(5, 1, SUNDAY)),
    **dict.fromkeys(("father's day", "fathers day"), _nth_of(6, 3, SUNDAY)),
    **dict.fromkeys(("cyber monday",), lambda year: _thanksgiving(year) + timedelta(days=4)),
}
"""The day of a year."""
