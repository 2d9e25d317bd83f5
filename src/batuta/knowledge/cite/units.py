"""Units, months and weekdays in English and Spanish: data for `facts`, written folded and in lower case."""

UNITS: dict[str, str] = {
    word: unit
    for unit, words in {
        "EUR": "€ euro euros eur",
        "USD": "$ dollar dollars usd dolar dolares",
        "GBP": "£ pound pounds gbp libra libras",
        "JPY": "¥ yen yenes jpy",
        "CHF": "chf franc francs franco francos",
        "MXN": "peso pesos mxn",
        "%": "% percent pct porciento",
        "second": "second seconds segundo segundos",
        "minute": "minute minutes minuto minutos min mins",
        "hour": "hour hours hora horas h hrs",
        "day": "day days dia dias",
        "night": "night nights noche noches",
        "week": "week weeks semana semanas",
        "month": "month months mes meses monthly mensual mensuales",
        "quarter": "quarter quarters trimestre trimestres",
        "year": "year years ano anos yearly annual anual",
        "kilometre": "km kilometre kilometres kilometer kilometers kilometro kilometros",
        "metre": "metre metres meter meters metro metros",
        "mile": "mile miles milla millas",
        "kilogram": "kg kilogram kilograms kilo kilos kilogramo kilogramos",
        "gram": "g gram grams gramo gramos",
        "tonne": "tonne tonnes ton tons tonelada toneladas",
        "litre": "litre litres liter liters litro litros",
        "byte": "gb mb kb tb gigabyte gigabytes megabyte megabytes",
        "person": "person persons people persona personas",
        "user": "user users usuario usuarios",
        "employee": "employee employees empleado empleados",
        "unit": "unit units unidad unidades",
        "thousand": "thousand thousands mil",
        "million": "million millions millon millones",
        "billion": "billion billions",
    }.items()
    for word in words.split()
}
NUMBER_WORDS: dict[str, int] = {
    word: number
    for number, words in {
        2: "two dos", 3: "three tres", 4: "four cuatro", 5: "five cinco", 6: "six seis", 7: "seven siete",
        8: "eight ocho", 9: "nine nueve", 10: "ten diez", 11: "eleven once", 12: "twelve doce",
        13: "thirteen trece", 14: "fourteen catorce", 15: "fifteen quince", 16: "sixteen dieciseis",
        17: "seventeen diecisiete", 18: "eighteen dieciocho", 19: "nineteen diecinueve", 20: "twenty veinte",
        25: "veinticinco", 30: "thirty treinta", 40: "forty cuarenta", 50: "fifty cincuenta", 60: "sixty sesenta",
        70: "seventy setenta", 80: "eighty ochenta", 90: "ninety noventa", 100: "hundred cien ciento",
    }.items()
    for word in words.split()
}  # fmt: skip
MONTHS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "january enero jan", "february febrero feb", "march marzo mar", "april abril apr abr", "may mayo",
            "june junio jun", "july julio jul", "august agosto aug ago", "september septiembre setiembre sep sept",
            "october octubre oct", "november noviembre nov", "december diciembre dec dic",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
WEEKDAYS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        ("monday mondays lunes", "tuesday tuesdays martes", "wednesday wednesdays miercoles",
         "thursday thursdays jueves", "friday fridays viernes", "saturday saturdays sabado sabados",
         "sunday sundays domingo domingos"),
        1,
    )
    for word in words.split()
}  # fmt: skip

_OPENERS = (
    "a according accordingly additionally all also although an and another any applications approval approvals are as "
    "at bank based because before after both but by can cancellation cancelling claims companies contracts costs "
    "customers data days deliveries delivery discounts documents each either employees everyone everything every "
    "except expenses fees first finally flights following for from full further furthermore general he here hotels "
    "hours how however i if in invoices is it items its journeys later less many may meals members moreover more most "
    "neither new no not note notice of offers office on once one only or orders other others otherwise our over paid "
    "parking part payment payments people per persons please prices private products public quotes returns second she "
    "shipping should since so some someone staff such taxes than that the their then there therefore these they third "
    "this those thus to total trips two under unless until up users usually warranty we what when whenever where "
    "whether which while who with within without workers yes you your "
    "además ademas al algunas algunos antes aplica aquí aqui así asi aunque ambas ambos cada clientes como con cual "
    "cualquier cuando de debe deben del desde después despues devoluciones donde dos el él ella ellas ellos en entre "
    "envíos envios es esa ese eso esta está estas este esto estos existe existen facturas finalmente gastos hasta hay "
    "hoteles la las le les lo los luego más mas mi mientras ni ningún ninguna ninguno no nuestra nuestro nunca o otra "
    "otras otro otros para pedidos pero personas por porque precios primero productos puede pueden que qué quien "
    "quienes se segundo según segun sí si siempre sin sobre solo sólo son su sus también tambien tampoco todas todo "
    "todos tras tu tus un una unas uno unos usted ustedes vacaciones viajes vuelos y ya yo"
)
OPENERS = frozenset(_OPENERS.split())
"""Words that may begin a sentence without being a name."""
