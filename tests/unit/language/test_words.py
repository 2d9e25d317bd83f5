"""Numbers, money, units, places, names and the small signs of a dialogue."""

from decimal import Decimal

import pytest

from batuta.language import (
    Money,
    Quantity,
    detect_language,
    find_companies,
    find_money,
    find_numbers,
    find_people,
    find_percentages,
    find_quantities,
    find_zones,
    nearest,
    stem,
)
from batuta.language.dialogue import corrected, is_follow_up, is_no, is_yes
from batuta.language.names import find_contact
from batuta.language.places import find_clocks, unknown_places
from batuta.language.rewording import plain_wordings

NUMBERS = {
    "1,200": ["1200"],
    "suma 1.200,50": ["1200.50"],
    "1.234.567": ["1234567"],
    "two hundred and fifty": ["250"],
    "mil doscientos treinta y cuatro": ["1234"],
    "dos millones y medio": ["2500000.0"],
    "2,5 millones": ["2500000.0"],
    "12k": ["12000"],
    "half a million": ["500000.0"],
    "dos docenas": ["24"],
    "between two and three": ["2", "3"],
    "uno y medio": ["1.5"],
    "5-3": ["5", "3"],
    "-5 + 3": ["-5", "3"],
    "one of them": [],
    "3rd of may at 4pm": [],
    "un 15 por ciento": ["15"],
}


@pytest.mark.parametrize(("text", "expected"), NUMBERS.items())
def test_a_number_is_read(text: str, expected: list[str]) -> None:
    assert [each.value for each in find_numbers(text)] == [Decimal(number) for number in expected]


def test_what_a_separator_means_depends_on_the_language_and_the_other_reading_is_kept() -> None:
    [english], [spanish] = find_numbers("1.200", language="en"), find_numbers("1.200", language="es")
    assert (english.value, english.alternatives) == (Decimal("1.200"), (Decimal(1200),))
    assert (spanish.value, spanish.alternatives) == (Decimal(1200), (Decimal("1.200"),))


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [("1.200,50 €", "1200.50", "EUR"), ("€3k", "3000", "EUR"), ("quinientos mil euros", "500000", "EUR"),
     ("1,200 euros", "1200", "EUR"), ("$20", "20", "USD"), ("2,5 millones de euros", "2500000", "EUR")],
)  # fmt: skip
def test_money_is_read(text: str, amount: str, currency: str) -> None:
    [found] = find_money(text)
    assert found.value == Money(amount=Decimal(amount), currency=currency)
    assert found.text == text


def test_percentages_and_units_are_read() -> None:
    assert [each.value for each in find_percentages("el 21% de 350 y un 5 por ciento")] == [Decimal(21), Decimal(5)]
    assert [each.value for each in find_quantities("72 degrees fahrenheit")] == [Quantity(amount=Decimal(72), unit="F")]


@pytest.mark.parametrize(
    ("text", "zone"),
    [("What time is it in Tokyo?", "Asia/Tokyo"), ("hora en nueva york", "America/New_York"), ("in Toyko", "Asia/Tokyo"),
     ("Europe/Madrid", "Europe/Madrid"), ("¿qué hora es en méxico?", "America/Mexico_City")],
)  # fmt: skip
def test_a_place_has_a_time_zone(text: str, zone: str) -> None:
    assert [each.value for each in find_zones(text)] == [zone]


def test_a_country_with_several_zones_is_ambiguous() -> None:
    [found] = find_zones("in the USA")
    assert found.value == "America/New_York"
    assert "America/Los_Angeles" in found.alternatives


def test_a_place_that_is_not_known_is_told() -> None:
    assert [each.value for each in unknown_places("What time is it in Xanadu?")] == ["Xanadu"]
    assert [each.value for each in unknown_places("que hora es en villarriba")] == ["villarriba"]
    assert unknown_places("que hora es en tokio ahora") == []


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("call at 9am Boston time", ("America/New_York", "Boston time")),
        ("llamada a las 10, hora de Tokio", ("Asia/Tokyo", "hora de Tokio")),
        ("a las 18 de Londres", ("Europe/London", "de Londres")),
        ("at 4pm EST on Thursday", ("America/New_York", "EST")),
        ("thursday 16:00 cest", ("Europe/Paris", "cest")),
        ("a las 9 GMT", ("UTC", "GMT")),
        ("at 4pm XYT", (None, "XYT")),
        ("at 4pm Villarriba time", (None, "Villarriba time")),
        ("a las 4, hora de Villarriba", (None, "hora de Villarriba")),
        ("call the Lima branch at 3pm their time", ("America/Lima", "their time")),
        ("con los de Oslo a las 11, hora de allí", ("Europe/Oslo", "hora de allí")),
        ("with Bruno at 3pm local time", (None, "local time")),
        ("from Rome to Lima at 9, their time", (None, "their time")),
    ],
)
def test_a_text_may_say_in_whose_time_its_times_are(text: str, clock: tuple[str | None, str]) -> None:
    assert [(each.value, each.text) for each in find_clocks(text)] == [clock]


@pytest.mark.parametrize(
    "text",
    [
        "lunch time in London",
        "a las 2, hora de comer",
        "the same time",
        "10 people from Tokyo",
        "at 10 west gate",
        "las 9 pt 3",
        "3 pet shops",
        "room 12 Art",
    ],
)
def test_a_place_or_a_time_alone_says_nothing_of_whose_time_it_is(text: str) -> None:
    assert find_clocks(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("lunch with the Boston team", "the Boston team"), ("cena con los suegros", "los suegros"),
     ("dinner with my in-laws", "my in-laws"), ("call with her lawyers", "her lawyers")],
)  # fmt: skip
def test_groups_are_met_like_people(text: str, name: str) -> None:
    contact = find_contact(text)
    assert contact is not None
    assert contact.value == name


def test_people_and_companies_are_found_by_their_form() -> None:
    contact = find_contact("cita con la dra. López el lunes")
    assert contact is not None
    assert contact.value == "la dra. López"
    assert [each.value for each in find_people("ask Ana García about it")] == ["Ana García"]
    assert [each.value for each in find_companies("facturas de Muebles García S.L. de marzo")] == [
        "Muebles García S.L."
    ]
    assert find_contact("meet on monday") is None
    assert find_contact("pádel con los del curro") is None
    assert find_contact("drinks with some friends") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("¿Cuánto es 3 más 4?", "es"), ("que clientes nos deben mas", "es"), ("which customers owe us", "en"), ("15*3", "en"),
     ("cuanto debemos a proveedores", "es"), ("send a fax", "en"), ("delete customer Camping Aldarún", "en"),
     ("vuelve a todos", "es"), ("pedido de Camping Aldarún", "es"),
     ("compras pendientes a Bosch", "es"), ("desbloquea a Bosch", "es")],
)  # fmt: skip
def test_the_language_is_told_by_small_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["redondea 5,25 a un decimal", "dos horas a minutos", "enero", "vuelos baratos a Roma"]
)
def test_a_word_of_both_languages_does_not_tell_of_one(text: str) -> None:
    assert detect_language(text, default="es") == "es"


@pytest.mark.parametrize("text", ["only Portugal", "without Germany", "the same instead"])
def test_short_follow_ups_tell_their_language(text: str) -> None:
    assert detect_language(text, default="es") == "en"


def test_nothing_in_a_text_leaves_the_language_of_the_reader() -> None:
    assert detect_language("15 * 3", default="es") == "es"


def test_forms_of_a_word_share_a_stem_and_typing_errors_are_near() -> None:
    assert stem("customers") == stem("customer")
    assert stem("clientes") == stem("cliente")
    assert stem("offers") == stem("offer") != stem("off")
    assert nearest("custoners", ["customers", "orders"]) == "customers"
    assert nearest("bentas", ["ventas", "rentas"]) == "ventas"
    assert nearest("mar", ["may"]) is None


@pytest.mark.parametrize(
    ("text", "wording"),
    [("is a glass of wine paid", "alcohol"), ("puedo pasar una copa de vino como gasto", "alcohol gasto")],
)
def test_rules_name_the_thing_and_not_how_much_of_it(text: str, wording: str) -> None:
    assert plain_wordings(text)[0] == wording


def test_signs_of_a_dialogue() -> None:
    assert corrected("no, el jueves") == "el jueves"
    assert corrected("perdona, quería decir a las 5") == "a las 5"
    assert corrected("no") is None
    assert is_yes("sí, por favor")
    assert is_no("no, gracias")
    assert not is_yes("yes but at 5")
    assert is_follow_up("¿y en marzo?")
    assert is_follow_up("ahora por país")
    assert not is_follow_up("book a meeting")
