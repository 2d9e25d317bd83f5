"""What the calculator can be asked, as data: sums, units, the time here and elsewhere, days (A-41)."""

import re

from batuta.language.amounts import CURRENCIES
from batuta.language.folding import fold
from batuta.language.times import find_hour_ranges, find_times
from batuta.language.understanding import Intent, Slot, Understanding

_NO_RATES = {
    "en": "I have no exchange rates. Give me the rate, and I calculate it: “250 * 0.92”.",
    "es": "No tengo tipos de cambio. Dime el cambio y lo calculo: «250 * 0,92».",
}
_ONLY_WORKING = Slot(
    name="only_working", type="flag",
    values={"yes": (
        "working days", "workdays", "work days", "business days", "weekdays", "dias laborables", "dias habiles", "jornadas laborales",
    )},
)  # fmt: skip
_CURRENCY = re.compile(
    r"[€$£¥]|\b(?:"
    + "|".join(word for word in CURRENCIES if word.isascii() and word[0].isalpha())
    + r"|pesos?|currency|"
    r"divisas?|monedas?|exchange|tipo de cambio|cambio)\b"
)


def _currency_named(text: str, _: str) -> str | None:
    """The money a request names: without any it asks for no rate."""
    found = _CURRENCY.search(fold(text))
    return found.group() if found else None


_COUNTDOWN = re.compile(
    r"\b(?:how\s+many|cuant[oa]s)\s+(?:more\s+)?(?:days|weeks|months|dias|semanas|meses)\s+(?:(?:are\s+)?(?:there\s+)?(?:left\s+)?(?:until|till|to|before)|(?:nos\s+)?(?:faltan|quedan))\b"
)
"""What asks for the time until a day and not for what is left of anything in stock, folded."""
_WEEKDAY_OF = re.compile(
    r"\b(?:(?:what|which)\s+(?:day\s+of\s+the\s+week|weekday)|(?:que|cual)\s+dia\s+de\s+la\s+semana|(?:en\s+que\s+dia|en\s+que)\s+(?:cae|cayo|caera))\b"
    r"(?!.*\b(?:today|hoy)\b)"
)
"""What asks for the weekday of another day than today."""


def _asked_of_day(text: str, _: str) -> str | None:
    found = _COUNTDOWN.search(fold(text)) or _WEEKDAY_OF.search(fold(text))
    return found.group() if found else None


def _stretch(text: str) -> tuple[str | None, str | None]:
    """From when until when something lasts, where a request names both times of day and no other."""
    stretches = [each.value for each in find_hour_ranges(text)]
    times = [each.value for each in find_times(text)]
    if len(stretches) == 1:
        return f"{stretches[0].start:%H:%M}", f"{stretches[0].end:%H:%M}"
    return (f"{times[0]:%H:%M}", f"{times[1]:%H:%M}") if len(times) == 2 else (None, None)


UNDERSTANDING = Understanding(
    intents=(
        Intent(
            id="calculate",
            tool="calculate",
            label={"en": "What is 15% of 1,200?", "es": "¿Cuánto es el 21% de 350?"},
            examples={
                "en": (
                    "What is 15% of 1,200?", "calculate 3 + 4", "how much is 12 times 12", "square root of 144",
                    "what's 200 minus 45", "add 21% VAT to 350", "half of 90", "what percentage of 80 is 20",
                    "divide 100 by 3", "a 20% discount on 59.99", "the average of 3, 4 and 8", "sum 12, 15 and 20",
                    "(3+4)*12", "2^10", "tip of 15% on 84 dollars", "split 340 between 4 people", "times 3", "divide it by 4",
                    "and plus 10", "how much would 3 licences at 45 euros be: 3 * 45", "1200 / 12", "increase 1200 by 5%",
                    "what is twenty percent of eighty", "7x8?", "if I buy 12 at 3.50 each, 12 * 3.50", "multiply that by 2",
                    "how much do 5 tickets at 12.50 cost", "I bought 3 books at 20 each, how much is it in total", "three quarters of 80", "sqrt of 81", "price with 21% VAT of 100",
                    "if it costs 60 and there is 25% off what do I pay", "it went from 80 to 100, what increase is that in percent", "30 out of 40 as a percentage",
                    "my rent is 900 and goes up by 4%, how much will it be", "and 10% of that", "9 cubed", "take away 12", "and plus 5%",
                    "the lunch of 5 cost 90, how much each?", "a field is 30 by 20 metres, how many square metres is it", "we paid 200 for 8 tickets, how much is it per person", "it was 40 last year and 50 this year, how much did it grow in %",
                    "6 hours a day at 20 euros an hour for 10 days, how much is it", "I pay 40 a month, how much is that a year", "add up 10, 20 and 30 and take away 5",
                ),
                "es": (
                    "¿Cuánto es el 21% de 350?", "calcula 3 + 4", "cuánto son 12 por 12", "raíz cuadrada de 144",
                    "cuánto es 200 menos 45", "súmale el 21% de IVA a 350", "la mitad de 90", "qué porcentaje de 80 es 20",
                    "divide 100 entre 3", "un 20% de descuento sobre 59,99", "la media de 3, 4 y 8", "suma 12, 15 y 20",
                    "(3+4)*12", "2^10", "propina del 10% sobre 84 euros", "reparte 340 entre 4", "por 3", "divídelo entre 4",
                    "y súmale 10", "cuanto me sale 3 por 45", "1200 / 12", "aumenta 1200 un 5%", "el veinte por ciento de ochenta",
                    "cuanto es 7x8", "120 más IVA del 21%", "multiplica eso por 2", "hazme la cuenta 450 entre 3",
                    "cuánto cuestan 5 entradas a 12,50", "compré 3 libros a 20 cada uno, cuánto es en total", "tres cuartos de 80", "raíz de 81", "precio con IVA del 21% de 100",
                    "si cuesta 60 y hay un 25% de descuento cuánto pago", "pasó de 80 a 100, qué aumento es en porcentaje", "30 de 40 en porcentaje",
                    "mi alquiler es 900 y sube un 4%, cuánto será", "y el 10% de eso", "9 al cubo", "quítale 12", "más un 5%",
                    "la comida de 5 ha costado 90, cuánto toca a cada uno?", "un campo mide 30 por 20 metros, cuántos metros cuadrados son", "hemos pagado 200 por 8 entradas, cuánto sale por persona", "era 40 el año pasado y 50 este año, cuánto ha crecido en %",
                    "6 horas al día a 20 euros la hora durante 10 días, cuánto es", "pago 40 al mes, cuánto es al año", "suma 10, 20 y 30 y quítale 5",
                ),
            },
            slots=(
                Slot(
                    name="expression", type="expression", is_required=True,
                    question={
                        "en": "Which sum? Write it, for example, as “15% of 1,200” or “(3 + 4) * 12”.",
                        "es": "¿Qué operación? Escríbela, por ejemplo, como «el 21% de 350» o «(3 + 4) * 12».",
                    },
                ),
            ),
        ),
        Intent(
            id="current_time",
            tool="current_time",
            label={"en": "What time is it in Tokyo?", "es": "¿Qué hora es en Buenos Aires?"},
            examples={
                "en": (
                    "What time is it in Tokyo?", "what time is it", "current time in New York", "what's the time in London now",
                    "time in Paris", "do you know what time it is in Sydney", "tell me the time",
                    "is it late in Mexico City now?", "local time in Lima and Bogota", "whats the hour in berlin",
                    "what time zone is Madrid in", "which time zone does New York use?",
                ),
                "es": (
                    "¿Qué hora es en Buenos Aires?", "qué hora es", "hora actual en Nueva York", "dime la hora en Londres",
                    "hora en París", "sabes qué hora es en Sídney", "dime la hora", "qué hora tienen ahora en México",
                    "hora local en Lima y Bogotá", "q hora es en berlin", "en qué zona horaria está Madrid", "qué huso horario usa Nueva York",
                ),
            },
            slots=(Slot(name="zone", type="zone", is_many=True),),
        ),
        Intent(
            id="convert_time",
            tool="convert_time",
            label={"en": "Convert 3pm from Madrid to New York", "es": "Pasa las 15:00 de Madrid a hora de Tokio"},
            examples={
                "en": (
                    "Convert 3pm from Madrid to New York", "what is 10am London time in Tokyo", "if it is 9:00 in Paris what time is "
                    "it in Lima", "3pm Madrid in New York time", "convert 15:30 to Tokyo time", "when it's noon in Berlin what "
                    "time is it in Mexico", "what time is 5pm in New York for Madrid", "at 4pm here what time is it in Chicago",
                    "convert 10:00 UTC to Madrid", "8am in Bogota is what time in Madrid", "the call is at 11am Chicago time, what time is that for me",
                    "if it's 9 in Rome what time is it in Delhi", "a meeting tomorrow at 9 in Paris, what time is that in Tokyo", "my train leaves at 9:10 Rome time, what time is that here",
                ),
                "es": (
                    "Pasa las 15:00 de Madrid a hora de Tokio", "convierte las 3 de la tarde de Madrid a Nueva York", "si son las 9:00 en "
                    "París qué hora es en Lima", "a qué hora equivalen las 10 de Londres en Tokio", "las 15:30 en hora de Tokio",
                    "cuando es mediodía en Berlín qué hora es en México", "qué hora es en Madrid cuando son las 5pm en Nueva York",
                    "a las 16h de aquí qué hora es en Chicago", "convierte las 10:00 UTC a Madrid", "8am en Bogotá qué hora es en Madrid", "la llamada es a las 11 de Chicago, qué hora es para mí",
                    "si son las 9 en Roma qué hora es en Delhi", "una reunión mañana a las 9 en París, qué hora sería en Tokio", "mi tren sale a las 9:10 hora de Roma, qué hora es aquí",
                ),
            },
            slots=(
                Slot(
                    name="time_of_day", type="time", is_required=True,
                    question={"en": "Which time should I convert?", "es": "¿Qué hora convierto?"},
                ),
                Slot(
                    name="to_zone", type="zone_to", is_required=True,
                    question={"en": "To the time of which place?", "es": "¿A la hora de qué lugar?"},
                ),
                Slot(name="from_zone", type="zone_from"),
                Slot(name="on", type="date"),
            ),
        ),
        Intent(
            id="time_difference",
            tool="time_difference",
            label={"en": "What is the time difference with Tokyo?", "es": "¿Qué diferencia horaria hay con Tokio?"},
            examples={
                "en": (
                    "What is the time difference with Tokyo?", "time difference between Paris and Lima", "how many hours ahead is Sydney",
                    "how many hours behind us is New York", "is London in the same time zone as Madrid?", "are Rome and Berlin in the same time zone",
                    "how far ahead is Tokyo of Berlin", "what's the difference in hours between Chicago and Rome", "is it later in Dubai than here?",
                ),
                "es": (
                    "¿Qué diferencia horaria hay con Tokio?", "diferencia horaria entre París y Lima", "cuántas horas más son en Sídney",
                    "cuántas horas de diferencia hay con Nueva York", "¿está Londres en la misma zona horaria que Madrid?", "tienen Roma y Berlín la misma hora",
                    "cuántas horas va Tokio por delante de Berlín", "qué diferencia de hora hay entre Chicago y Roma", "¿es más tarde en Dubái que aquí?",
                ),
            },
            slots=(
                Slot(
                    name="to_zone", type="zone_to", is_required=True,
                    question={"en": "With which place?", "es": "¿Con qué lugar?"},
                ),
                Slot(name="from_zone", type="zone_from"),
            ),
        ),
        Intent(
            id="convert_units",
            tool="convert_units",
            arguments={"amount": "quantity.amount", "from_unit": "quantity.unit"},
            label={"en": "Convert 5 km to miles", "es": "Convierte 5 km a millas"},
            examples={
                "en": (
                    "Convert 5 km to miles", "how many pounds are 3 kg in lb", "100 fahrenheit in celsius", "how many minutes are 3 hours",
                    "10 inches in cm", "what is 70 kg in lbs", "convert 2 litres to gallons", "how many feet is 2 metres",
                    "30 degrees celsius in fahrenheit", "60 mph in km/h", "how many hours in 3 days", "5 miles to km", "2.5 h in minutes",
                    "how many grams in half a pound", "how many minutes are there in a day", "how much is an ounce in grams", "how many months in 3 years",
                    "700 mb in gb", "half an hour in seconds", "how many square metres is a hectare", "how many litres is a gallon", "3 weeks in days",
                    "2 pounds in kg", "2/3 of a litre in ml", "how many kilos are 10 pounds", "5 feet 8 inches in cm", "how many minutes is 2 and a half hours",
                ),
                "es": (
                    "Convierte 5 km a millas", "cuántas onzas son 3 kilos", "100 fahrenheit en celsius", "cuántos minutos son 3 horas",
                    "10 pulgadas en cm", "pasa 70 kg a lb", "convierte 2 litros a galones", "cuántos pies son 2 metros",
                    "30 grados centígrados en fahrenheit", "60 millas por hora en km/h", "cuántas horas son 3 días", "5 millas a km",
                    "2,5 horas en minutos", "cuántos gramos hay en media libra", "cuántos minutos hay en un día", "cuánto es una onza en gramos", "cuántos meses son 3 años",
                    "700 mb en gb", "media hora en segundos", "cuántos metros cuadrados es una hectárea", "cuántos litros tiene un galón", "3 semanas en días",
                    "2 libras en kg", "dos tercios de litro en ml", "cuántos kilos son 10 libras", "5 pies y 8 pulgadas en cm", "cuántos minutos son 2 horas y media",
                ),
            },
            slots=(
                Slot(
                    name="quantity", type="quantity", is_required=True,
                    question={"en": "How much of which unit?", "es": "¿Qué cantidad y de qué unidad?"},
                ),
                Slot(
                    name="to_unit", type="unit", is_required=True, after=("to", "in", "into", "a", "en", "are", "is", "many", "cuantos", "cuantas"),
                    question={"en": "To which unit?", "es": "¿A qué unidad?"},
                ),
            ),
        ),
        Intent(
            id="time_after",
            tool="time_after",
            label={"en": "It starts at 9:40 and takes 2 h 30 min: when does it end?", "es": "Empieza a las 9:40 y dura 2 h 30 min: ¿cuándo acaba?"},
            examples={
                "en": (
                    "the film starts at 20:30 and lasts 2 hours and 10 minutes, when does it end", "if I leave at 8:15 and it takes 50 minutes when do I arrive",
                    "what time is it 3 hours after 11:20", "a train departs at 6:05 and takes 4 h, what time does it arrive?", "18:40 plus 95 minutes, what time is that",
                    "the meeting begins at 10:30 and takes 90 minutes, at what time is it over", "when should I leave to be there at 9:00 if it takes 35 minutes",
                    "what time is 45 minutes before 14:10", "I start at 7:30 and work 8 hours, when do I finish?", "it takes 2 hours and has to be ready by 13:00, when do I start",
                ),
                "es": (
                    "la película empieza a las 20:30 y dura 2 horas y 10 minutos, cuándo acaba", "si salgo a las 8:15 y tardo 50 minutos a qué hora llego",
                    "qué hora es 3 horas después de las 11:20", "un tren sale a las 6:05 y tarda 4 h, a qué hora llega?", "18:40 más 95 minutos, qué hora es",
                    "la reunión empieza a las 10:30 y dura 90 minutos, a qué hora termina", "a qué hora tengo que salir para llegar a las 9:00 si tardo 35 minutos",
                    "qué hora es 45 minutos antes de las 14:10", "entro a las 7:30 y trabajo 8 horas, cuándo salgo?", "tarda 2 horas y tiene que estar para las 13:00, cuándo empiezo",
                ),
            },
            slots=(
                Slot(
                    name="time_of_day", type="time", is_required=True,
                    question={"en": "From what time on?", "es": "¿Desde qué hora?"},
                ),
                Slot(
                    name="minutes", type="duration", is_required=True,
                    question={"en": "How long does it take?", "es": "¿Cuánto dura?"},
                ),
                Slot(
                    name="is_backwards", type="flag",
                    values={"yes": (
                        "before", "to be there", "to get there", "to arrive", "to be ready", "ready by", "antes de", "para llegar", "para estar", "estar para", "tiene que estar",
                    )},
                ),
            ),
        ),
        Intent(
            id="time_between",
            tool="time_between",
            label={"en": "How long is it from 8:45 to 17:20?", "es": "¿Cuánto tiempo hay de 8:45 a 17:20?"},
            examples={
                "en": (
                    "How long is it from 8:45 to 17:20?", "how many hours are there between 9:15 and 18:00", "I worked from 7:30 to 15:10, how many hours is that",
                    "how much time from 10:20 until 13:05", "hours between 6 am and 2 pm", "the shift goes from 22:00 to 6:00, how long is it",
                    "how long does a film last that starts at 20:15 and ends at 22:40", "if I leave at 8:15 and get there at 9:40 how long does it take",
                ),
                "es": (
                    "¿Cuánto tiempo hay de 8:45 a 17:20?", "cuántas horas hay entre las 9:15 y las 18:00", "he trabajado de 7:30 a 15:10, cuántas horas son",
                    "cuánto tiempo va de las 10:20 a las 13:05", "horas entre las 6 y las 14", "el turno es de 22:00 a 6:00, cuánto dura",
                    "cuánto dura una película que empieza a las 20:15 y acaba a las 22:40", "si salgo a las 8:15 y llego a las 9:40 cuánto tardo",
                ),
            },
            slots=(
                Slot(
                    name="start", type="found", is_required=True, find=lambda text, _: _stretch(text)[0],
                    question={"en": "From what time on?", "es": "¿Desde qué hora?"},
                ),
                Slot(
                    name="end", type="found", is_required=True, find=lambda text, _: _stretch(text)[1],
                    question={"en": "Until what time?", "es": "¿Hasta qué hora?"},
                ),
            ),
        ),
        Intent(
            id="exchange",
            reply=lambda language: _NO_RATES[language],
            label={"en": "How much is that in another currency?", "es": "¿Cuánto es en otra moneda?"},
            examples={
                "en": (
                    "how much is 80 pounds in dollars", "convert 300 euros to dollars", "exchange rate of the dollar", "what is the pound worth today in euros",
                    "1,000 yen in euros", "what's the dollar at against the euro", "how many euros do I get for 60 dollars", "current exchange rate euro dollar", "75 eur in usd",
                    "change 20 pounds into euros", "is the dollar stronger than the euro today",
                ),
                "es": (
                    "cuánto son 80 libras en dólares", "convierte 300 euros a dólares", "tipo de cambio del dólar", "cuánto vale hoy la libra en euros",
                    "1.000 yenes en euros", "a cómo está el dólar respecto al euro", "cuántos euros me dan por 60 dólares", "cambio actual euro dólar", "75 eur en usd",
                    "cambia 20 libras a euros", "está el dólar más fuerte que el euro hoy",
                ),
            },
            slots=(Slot(name="currency", type="found", is_required=True, find=_currency_named),),
        ),
        Intent(
            id="today",
            tool="current_time",
            label={"en": "What day is it today?", "es": "¿Qué día es hoy?"},
            examples={
                "en": (
                    "What day is it today?", "what's today's date", "which week is it", "what is the date", "what is the date today", "what day of the week is it",
                    "today's date please", "which calendar week are we in", "what year is it", "which week number is it",
                ),
                "es": (
                    "¿Qué día es hoy?", "qué fecha es hoy", "en qué semana estamos", "cuál es la fecha", "cuál es la fecha de hoy", "qué día de la semana es",
                    "a qué día estamos", "dime la fecha de hoy", "en qué año estamos", "número de semana",
                ),
            },
        ),
        Intent(
            id="count_days",
            tool="count_days",
            label={"en": "How many days until Christmas?", "es": "¿Cuántos días faltan para Navidad?"},
            examples={
                "en": (
                    "How many days until Christmas?", "what day of the week is 3 March 2027", "how long until the 1st of January",
                    "which weekday was 5 May 2025", "days left until 31 December", "what weekday is next month's 15th", "how many days ago was 1 October",
                    "what day is tomorrow", "what date is next friday", "how many weeks until 1 May", "what date is it in 5 weeks", "what date is it 10 days from today", "which day will it be 20 days from now", "30 days from today, what date is that?",
                    "what was the date 20 days ago", "was 3 June 2026 a Tuesday?", "is 6 May 2027 a Monday?", "does 1 May fall on a Friday?", "which day does 6 January fall on", "how long till monday",  "what's the date on wednesday", "what is the date next tuesday", "how many days have passed since 1 may",
                    "how many days are left this month", "days left in the year", "how many days are there left in March", "how much of the year is left",
                    "how many working days until 1 May", "business days left until friday", "45 days after 3 March", "2 weeks before 1 June, what date is that", "invoice of 3 March at 60 days, when is it due", "due date of a bill from 4 April at 90 days",
                ),
                "es": (
                    "¿Cuántos días faltan para Navidad?", "qué día de la semana es el 3 de marzo de 2027", "cuánto falta para el 1 de enero",
                    "qué día cayó el 5 de mayo de 2025", "días que quedan hasta el 31 de diciembre", "en qué cae el 15 de diciembre",
                    "cuántos días hace del 1 de octubre", "qué día es mañana", "qué fecha es el viernes que viene", "cuántas semanas faltan para el 1 de mayo", "qué fecha será dentro de 5 semanas", "qué día será de aquí a 10 días", "dentro de 30 días, ¿qué fecha es?",
                    "qué fecha era hace 20 días", "¿fue martes el 3 de junio de 2026?", "el 3 de junio de 2026 fue martes?", "en qué día cae el 6 de enero", "cuánto queda para el lunes", "qué fecha es el miércoles", "¿el 3 de mayo de 2027 es lunes?", "¿cae en viernes el 1 de mayo?", "cuántos días han pasado desde el 1 de mayo",
                    "cuántos días quedan de este mes", "días que quedan de año", "cuántos días le quedan a marzo", "cuánto queda de año",
                    "cuántos días laborables faltan para el 1 de mayo", "días hábiles hasta el viernes", "45 días después del 3 de marzo", "2 semanas antes del 1 de junio, qué fecha es", "factura del 3 de marzo a 60 días, cuándo vence", "vencimiento de un recibo del 4 de abril a 90 días",
                ),
            },
            slots=(
                Slot(
                    name="day", type="end", is_required=True,
                    question={"en": "Until which day?", "es": "¿Hasta qué día?"},
                ),
                Slot(name="asked_of_day", type="found", is_conclusive=True, find=_asked_of_day),
                _ONLY_WORKING,
            ),
        ),
        Intent(
            id="days_between",
            tool="count_days",
            label={"en": "How many days are there between 1 March and 15 April?", "es": "¿Cuántos días hay entre el 1 de marzo y el 15 de abril?"},
            examples={
                "en": (
                    "How many days are there between 1 March and 15 April?", "days from 3 May to 10 June", "how long is it from today to 24 December",
                    "how many weeks between 1 January and 1 July", "count the days from monday to friday", "number of days between 2026-01-05 and 2026-02-10",
                    "how many days from tomorrow until the 30th", "how many days between 2 May and 9 June", "days between monday and the 20th",
                ),
                "es": (
                    "¿Cuántos días hay entre el 1 de marzo y el 15 de abril?", "días del 3 de mayo al 10 de junio", "cuánto hay de hoy al 24 de diciembre",
                    "cuántas semanas hay entre el 1 de enero y el 1 de julio", "cuenta los días de lunes a viernes", "número de días entre el 2026-01-05 y el 2026-02-10",
                    "cuántos días van de mañana al 30", "cuántos días entre el 2 de mayo y el 9 de junio", "cuántos días pasan desde el 2 de enero hasta el 9 de marzo",
                ),
            },
            slots=(
                Slot(
                    name="since", type="date", after=("between", "from", "since", "entre", "de", "desde", "del"),
                    question={"en": "From which day?", "es": "¿Desde qué día?"},
                ),
                Slot(
                    name="day", type="date", is_required=True, after=("and", "to", "until", "till", "y", "a", "al", "hasta"),
                    question={"en": "Until which day?", "es": "¿Hasta qué día?"},
                ),
                _ONLY_WORKING,
            ),
        ),
    )
)  # fmt: skip
