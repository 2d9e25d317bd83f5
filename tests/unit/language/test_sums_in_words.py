"""Sums as business people say them: prices with several rates, parts of a bill, boxes, lines of an order."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from batuta.language.annotation import annotated
from batuta.language.expressions import find_expression
from batuta.tools.builtin.calculator import calculated

RATES = """
invoice is 2,340.50 net, what do i pay with 21 vat on top? | la factura son 2.340,50 netos, cuanto pago con el 21 de iva? | 2832.005
the supplier charged me 605 incl. 21% VAT, how much of that is the tax | el proveedor me cobro 605 con el 21% de iva incluido, cuanto es el impuesto | 105
20% off 150 and another 5% off that | 20% de descuento sobre 150 y otro 5% sobre eso | 114
price 200, minus 10%, plus 21% vat | precio 200, menos 10%, mas 21% de iva | 217.8
1,000 with 15% discount and then 21% vat | 1.000 con 15% de descuento y luego 21% de iva | 1028.5
i add 30% to a cost of 40 and then vat at 21%, final price? | a un coste de 40 le sumo un 30% y luego el 21% de iva, precio final? | 62.92
what does 250 become after two rises of 3% and 2% | en cuanto se quedan 250 tras dos subidas del 3% y el 2% | 262.65
salary of 24,000 + 3% + 1.5% | sueldo de 24.000 + 3% + 1,5% | 25090.8
invoice of 1000 plus 21% vat minus 15% withholding | factura de 1000 mas 21% de iva menos 15% de irpf | 1060
what's 1,800 net with vat 21 | cuanto es 1.800 netos con iva del 21 | 2178
total with 21% vat for a base of 640 | total con 21% de iva para una base de 640 | 774.4
121 vat included at 21, base? | 121 iva incluido al 21, base? | 100
how much vat is there in 484 at 21%? | cuanto iva hay en 484 al 21%? | 84
how much vat do i pay on 350 at 21% | cuanto iva pago por 350 al 21% | 73.5
my invoice says 726 with vat at 21, what is the taxable base | mi factura pone 726 con iva al 21, cual es la base imponible | 600
cost 35, margin of 30% on the sale price, what do i sell at? | coste 35, margen del 30% sobre el precio de venta, a cuanto vendo? | 50
i buy at 40 and want a 25% markup, selling price? | compro a 40 y quiero ganar un 25%, precio de venta? | 50
bought for 64 sold for 80, whats my profit in percent of cost | compre por 64 y vendi por 80, que beneficio en porcentaje sobre el coste | 25
gross salary 2,900, 19% withheld, what's left | sueldo bruto 2.900, retencion del 19%, que queda | 2349
profit of 84,000 on sales of 420,000, margin %? | beneficio de 84.000 con ventas de 420.000, margen %? | 20
we spent 340 of the 2,000 budget, what percentage is left? | hemos gastado 340 de los 2.000 del presupuesto, que porcentaje queda? | 83
we invoiced 18,350 in march and 21,470 in april, how much more is that? | facturamos 18.350 en marzo y 21.470 en abril, cuanto mas es? | 3120
vat on 1,275.40 at 10% | iva de 1.275,40 al 10% | 127.54
my hotel bill of 423.50 includes 10% vat, base amount? | mi factura de hotel de 423,50 incluye un 10% de iva, base? | 385
20% tip on 64.50 | 20% de propina sobre 64,50 | 12.9
"""
PARTS = """
we had 40 boxes and sold 13, how many are left | teniamos 40 cajas y vendimos 13, cuantas quedan | 27
5 of us drive 40 km each, how many km in total | somos 5 y hacemos 40 km cada uno, cuantos km en total | 200
rent was 800 and now it is 840, how much has it gone up in percent | el alquiler era de 800 y ahora es de 840, cuanto ha subido en porcentaje | 5
4 sacks of 250 g, how many kilos are they | 4 sacos de 250 g, cuantos kilos son | 1
3 people stay for 45 euros each, what does the bill come to | 3 personas duermen por 45 euros cada una, cuanto es la cuenta | 135
6 ropes of 2.5 m each, how many metres are they | 6 cuerdas de 2,5 m cada una, cuantos metros son | 15
400 grams at 15 euros a kilo, how much is it | 400 gramos a 15 euros el kilo, cuanto es | 6
330 ml at 4 euros a litre, what do i pay | 330 ml a 4 euros el litro, cuanto pago | 1.32
20 minutes at 45 euros an hour, how much is that | 20 minutos a 45 euros la hora, cuanto es | 15
210 km at 70 km/h, how long does it take | 210 km a 70 km/h, cuanto tardo | 3
3 hours at 95 km/h, how many km | 3 horas a 95 km/h, cuantos km | 285
how much do i have left of 640 euros after paying 212.25 | cuanto me queda de 640 euros despues de pagar 212,25 | 427.75
a coat of 120 is at 90 now, what discount is it | un abrigo de 120 ahora esta a 90, que descuento es | 25
120 labels at 15 cents each | 120 etiquetas a 15 centimos cada una | 18
if 4 kg cost 10 euros how much are 7 kg | si 4 kg cuestan 10 euros cuanto cuestan 7 kg | 17.5
a dozen pens cost 9, what do 20 pens cost | si la docena de rosas vale 9, cuanto valen 20 rosas | 15
how many 40 cm shelves do I get from 2 metres | cuantos tablones de 40 cm salen de 2 metros | 5
10 mg per kilo for a cat of 4 kg, how many mg | 10 mg por kilo para un gato de 4 kg, cuantos mg son | 40
300 km at 6 litres per 100, how many litres | 300 km a 6 litros a los 100, cuantos litros | 18
what's left of 500 after spending 120, 60 and 45.50 | cuanto queda de 500 despues de gastar 120, 60 y 45,50 | 274.5
difference between 12% and 15% of 900 | diferencia entre el 12% y el 15% de 900 | 27
1,500 at 3% simple interest for 4 years | 1.500 al 3% de interes simple durante 4 años | 180
round 12.3456 to 2 decimals | redondea 12,3456 a 2 decimales | 12.35
split a 364.80 dinner bill btw 6 ppl | una cena de 364,80 a repartir entre 6 | 60.8
300 euros between 4 people | 300 euros entre 4 personas | 75
we are 7 and the bill is 245 | somos 7 y la cuenta son 245 | 35
how much per head if the bill is 364.80 for 6 | cuanto por cabeza si la cuenta es 364,80 para 6 | 60.8
a dinner for 6 was 364.80, what's each person's share? | una cena para 6 fueron 364,80, que le toca a cada uno? | 60.8
I have 1,000 euros to split 8 ways | tengo 1.000 euros para repartir entre 8 | 125
how many boxes of 12 do i need for 300 bottles | cuantas cajas de 12 necesito para 300 botellas | 25
480 screws in bags of 20, how many bags? | 480 tornillos en bolsas de 20, cuantas bolsas? | 24
how many trips if the van takes 8 and there are 50 of us | cuantos viajes si en la furgoneta caben 8 y somos 50 | 7
how many pallets do i need for 1,150 boxes if 48 fit on each | cuantos palets necesito para 1.150 cajas si caben 48 en cada uno | 24
how many bottles of 750 ml do i need for 9 litres | cuantas botellas de 750 ml necesito para 9 litros | 12
"""
ORDERS = """
3 invoices: 120.50, 89.90 and 310, total? | 3 facturas: 120,50, 89,90 y 310, total? | 520.4
rent is 850 + 60 for gas + 45 internet, sum? | alquiler 850 + 60 de gas + 45 de internet, suma? | 955
18 crates of 24 bottles at 0.85 each, total | 18 cajas de 24 botellas a 0,85 cada una, total | 367.2
14 salaries of 1,650, yearly total? | 14 pagas de 1.650, total anual? | 23100
i sold 40 at 12.50 and 25 at 9, total? | vendi 40 a 12,50 y 25 a 9, total? | 725
2 nights at 130 and 3 at 190? | 2 noches a 130 y 3 a 190? | 830
5 licences at 39.90 per month, what does that come to for a year? | 5 licencias a 39,90 al mes, cuanto sale al año? | 2394
the square of 17 minus 9 | el cuadrado de 17 menos 9 | 280
litre costs 1.65, how much is 42 litres | el litro cuesta 1,65, cuanto son 42 litros | 69.3
42 litres at 1.65 | 42 litros a 1,65 | 69.3
a car uses 6.5 l per 100 km, how much for 340 km | un coche gasta 6,5 l a los 100 km, cuanto para 340 km | 22.1
divide 1000 by 3 and round to 2 decimals | divide 1000 entre 3 y redondea a 2 decimales | 333.33
"""


@pytest.mark.parametrize("line", [line for table in (RATES, PARTS, ORDERS) for line in table.strip().splitlines()])
def test_a_sum_in_words_is_reckoned_in_both_languages(line: str) -> None:
    english, spanish, value = (part.strip() for part in line.split(" | "))
    for said in (english, spanish):
        assert Decimal(calculated(str(find_expression(said)))) == Decimal(value), said


@pytest.mark.parametrize(
    "text",
    [
        "12% discount on 89.95 and then 10% more",  # off once more, or back on?
        "buy 3 get 1 free, 4 shirts at 20 each: what is 3 x 20",
        "two dozen roses at one fifty each",
        "book a room for 8 people between 9 and 11",
        "meeting at 4 with 3 people",
        "10% vat included, 110 euros",
    ],
)
def test_a_sum_that_would_leave_out_a_number_is_none(text: str) -> None:
    assert find_expression(text) is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("What is 2+2 and what is 3*3?", "2+2"),
        ("¿cuánto es 12*7 y cuánto es 5+5?", "12*7"),
        ("850 for rent and 60 + 45 for gas", "850 + 60 + 45"),
    ],
)
def test_a_sum_leaves_only_the_numbers_of_other_whole_sums_out(text: str, first: str) -> None:
    assert find_expression(text) == first


def test_more_people_need_no_more_time() -> None:
    assert find_expression("if 3 painters need 8 days how many days do 6 painters need") is None


def test_a_time_of_day_is_no_sum() -> None:
    now = datetime(2026, 11, 16, 9, tzinfo=UTC)
    assert annotated("entrevista con Hugo mañana a las cinco menos diez", now=now).expression is None
    assert annotated("cinco menos diez", now=now).expression == "5 - 10"
