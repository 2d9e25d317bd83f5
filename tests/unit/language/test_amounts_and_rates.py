"""Quantities of several parts, amounts per something, and words that mean a weight or money by what stands beside them."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from batuta.language.amounts import find_quantities
from batuta.language.annotation import annotated
from batuta.language.expressions import find_expression, needs_last_result
from batuta.language.slots import fill_slot
from batuta.language.times import find_times
from batuta.language.understanding import Slot
from batuta.tools.builtin.calculator import calculated

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("3 horas y media en minutos", "3.5", "h"),
        ("2 and a half hours", "2.5", "h"),
        ("5 feet 10 inches in cm", "70", "in"),
        ("2 h 30 min in seconds", "2.5", "h"),
        ("1 hora y 20 minutos", "80", "min"),
        ("3/4 of a litre in ml", "0.75", "l"),
        ("tres cuartos de hora en minutos", "0.75", "h"),
    ],
)
def test_a_quantity_of_several_parts_is_one(text: str, amount: str, unit: str) -> None:
    [found] = find_quantities(text)
    assert (found.value.amount, found.value.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("8 hours a day at 35 euros an hour for 20 days, how much is that", "8 * 35 * 20"),
        ("8 horas al día a 35 euros la hora durante 20 días, cuánto es", "8 * 35 * 20"),
        ("I earn 1800 a month, how much is that a year", "1800 * 12"),
        ("pago 950 de alquiler al mes, cuánto es al año?", "950 * 12"),
        ("200 euros a month for 3 years", "200 * 3 * 12"),
        ("ahorro 50 a la semana, cuánto en un año", "50 * 52"),
        ("a dinner of 4 cost 148, how much each?", "148 / 4"),
        ("hemos pagado 200 por 8 entradas, ¿cuánto sale por persona?", "200 / 8"),
        ("si compro 6 botellas a 3,25 cuánto es", "6 * 3.25"),
        ("4 seats at 32 plus 15 for the coats", "(4 * 32) + 15"),
        ("5 entradas a 18 más 6 de gastos", "(5 * 18) + 6"),
        ("9 crates with 30 eggs in each, how many eggs", "9 * 30"),
        ("7 bolsas de 12 naranjas, cuántas naranjas son", "7 * 12"),
        ("the licence is 2400 a year, so monthly is?", "2400 / 12"),
        ("gano 36000 al año, ¿cuánto es al mes?", "36000 / 12"),
        ("I run 8 km a day 4 days a week, how many km is that a week", "8 * 4"),
        ("a box of 8 is 6.40, how much is one", "6.40 / 8"),
        ("it was 90, now 72, what discount is that in %", "(90 - 72) / 90 * 100"),
        ("reparte 84 euros en 4", "84 / 4"),
        ("5 friends share 90 euros, how much each", "90 / 5"),
        ("3 socios se reparten 660 euros, cuánto cada uno", "660 / 3"),
        ("I owe 900 and pay 75 a month, how many months", "900 / 75"),
        ("si debo 600 y pago 50 al mes, ¿cuántos meses son?", "600 / 50"),
        ("how much vat is there on 900 at 21%", "900 * 21 / 100"),
        ("price with vat of 900 euros at 21%", "900 * (1 + 21 / 100)"),
        ("from 50 to 65 how much % is it up", "(65 - 50) / 50 * 100"),
        ("a room is 4 by 5 metres, how many square metres is that?", "4 * 5"),
        ("it was 500 last year and 575 this year, how much did it grow in %", "(575 - 500) / 500 * 100"),
        ("I cycled 30 km in 90 minutes, how many minutes per km?", "90 / 30"),
        ("he gastado 45 litros en 600 km, cuántos km por litro son", "600 / 45"),
        ("900 al mes en 14 pagas", "900 * 14"),
        ("24000 al año en 12 meses", "24000 / 12"),
        ("0.4 of 250", "0.4 * 250"),
    ],
)
def test_amounts_per_something_are_multiplied_and_converted(text: str, expression: str) -> None:
    assert find_expression(text) == expression


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("how much vat is in 242 euros, 21% included?", "242 - 242 / (1 + 21 / 100)"),
        ("qué IVA lleva un recibo de 110 con el 10 de IVA incluido", "110 - 110 / (1 + 10 / 100)"),
        ("net amount of 242 incl 21 vat", "242 / (1 + 21 / 100)"),
        ("a coat is 60 after 20% off, what was it originally", "60 / (1 - 20 / 100)"),
        ("cuánto sale si le añado un 8% a 250", "250 * (1 + 8 / 100)"),
        ("30 qué porcentaje es de 120", "30 / 120 * 100"),
        ("visits went from 400 to 500, what growth is it", "(500 - 400) / 400 * 100"),
        ("el precio era 80 y ahora 60, qué bajada es", "(80 - 60) / 80 * 100"),
        ("we sell it for 50 and it costs us 40, what margin is that in percent", "(50 - 40) / 50 * 100"),
        ("10% vat included, 110 euros", None),
        ("how many customers went from 3 to 5", None),
    ],
)
def test_each_number_of_a_percentage_is_read_by_its_part(text: str, expression: str | None) -> None:
    assert find_expression(text) == expression


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("and with 21% VAT?", "200 * (1 + 21 / 100)"),
        ("y con un 10% de descuento", "200 * (1 - 10 / 100)"),
        ("take 20% off", "200 * (1 - 20 / 100)"),
        ("what if I add 3%", "200 * (1 + 3 / 100)"),
    ],
)
def test_a_percentage_alone_goes_on_or_off_the_number_before(text: str, expression: str) -> None:
    assert needs_last_result(text)
    assert find_expression(text, last=Decimal(200)) == expression


@pytest.mark.parametrize(
    "text",
    [
        "meet on 3 days a week",
        "book 2 hours a week",
        "meeting with 3 people at 10 and 11",
        "25 days of holidays a year",
    ],
)
def test_a_rate_of_which_nothing_is_said_is_no_sum(text: str) -> None:
    assert find_expression(text) is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3 pounds in kg", {"quantity", "unit"}),
        ("3 libras en kg", {"quantity", "unit"}),
        ("that costs 3 pounds", {"money", "quantity"}),
    ],
)
def test_pounds_beside_kilos_are_a_weight_and_no_money(text: str, kinds: set[str]) -> None:
    assert set(annotated(text, now=NOW).findings) & {"money", "quantity", "unit"} == kinds


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("days left in november", "2026-11-30"),
        ("cuántos días quedan de año", "2026-12-31"),
        ("how many days until december", "2026-12-01"),
        ("how many days until 24 december", "2026-12-24"),
    ],
)
def test_a_period_ends_on_its_last_day_and_begins_what_is_waited_for(text: str, day: str) -> None:
    assert fill_slot(Slot(name="day", type="end"), annotated(text, now=NOW), now=NOW) == day


@pytest.mark.parametrize(
    "text", ["days between 3 november and 24 november", "cuántos días hay entre el 3 y el 24 de noviembre"]
)
def test_two_days_of_a_range_are_of_one_year(text: str) -> None:
    since = Slot(name="since", type="date", after=("between", "entre", "from"))
    day = Slot(name="day", type="date", after=("and", "y", "to"))
    first, last = (fill_slot(slot, annotated(text, now=NOW), now=NOW) for slot in (since, day))
    assert isinstance(first, str)
    assert isinstance(last, str)
    assert (datetime.fromisoformat(last) - datetime.fromisoformat(first)).days == 21


@pytest.mark.parametrize(("text", "time"), [("at half four", "16:30"), ("around half 10", "10:30")])
def test_half_four_is_half_past_four(text: str, time: str) -> None:
    [found] = find_times(text)
    assert f"{found.value:%H:%M}" == time


@pytest.mark.parametrize(
    ("english", "spanish", "value"),
    [
        ("I paid 121 with 21% VAT included, what is it without VAT", "pagué 121 con el 21% de IVA incluido, cuánto es sin IVA", 100),
        ("raise 200 by 5%", "súbele un 5 % a 200", 210),
        ("the price went from 250 to 200, how much percent less is it", "el precio bajó de 250 a 200, cuánto es en porcentaje", -20),
        ("the bill was 50 and we leave a 10% tip, total?", "la cuenta fueron 50 y dejamos un 10% de propina, total?", 55),
        ("the net price is 200 and VAT 21, what do I charge", "el precio neto es 200 y el IVA 21, cuánto cobro", 242),
        ("1200 minus a quarter", "1200 menos una cuarta parte", 900),
    ],
)  # fmt: skip
def test_prices_are_reckoned_as_people_tell_them(english: str, spanish: str, value: int) -> None:
    for text in (english, spanish):
        assert Decimal(calculated(str(find_expression(text))).split()[0]) == value, text
