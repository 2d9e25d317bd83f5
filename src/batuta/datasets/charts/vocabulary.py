"""Words that people use for charts, in English and Spanish: kinds, periods, columns, countries. Data only."""

from collections.abc import Mapping, Sequence
from typing import Final

Words = Mapping[str, Sequence[str]]

KIND_WORDS: Final[Words] = {
    "bar": ("bar", "bars", "bar chart", "barra", "barras", "columnas", "columns"),
    "stacked": ("stacked", "stacked bars", "apiladas", "barras apiladas", "apilado"),
    "line": ("line", "lines", "line chart", "trend", "evolution", "línea", "líneas", "tendencia", "evolución"),
    "area": ("area", "area chart", "área", "áreas"),
    "pie": ("pie", "pie chart", "donut", "tarta", "circular", "gráfico circular", "pastel", "quesito"),
    "scatter": ("scatter", "scatter plot", "dispersión", "puntos", "nube de puntos"),
    "heatmap": ("heat map", "heatmap", "mapa de calor"),
    "histogram": ("histogram", "histograma"),
    "combined": (
        "combined",
        "combo",
        "combinado",
        "bars and line",
        "barras y línea",
        "two axes",
        "dual axis",
        "dos ejes",
        "doble eje",
    ),
    "table": ("table", "as a table", "tabla", "como tabla"),
    "kpi": ("kpi", "single figure", "one number", "una sola cifra", "indicador"),
}
"""Words that ask for a kind of chart wherever they stand."""
LOOSE_KIND_WORDS: Final[Words] = {
    "stacked": ("stack them", "stack it", "stack the bars", "apila las barras", "apilalas", "apilalo"),
    "pie": ("queso", "sectores"),
    "scatter": (
        "points",
        "relationship between",
        "correlation",
        "correlation between",
        "relación entre",
        "correlación",
        "correlación entre",
    ),
    "histogram": ("distribution", "distribución"),
    "kpi": ("as a figure", "one figure", "cifra"),
}
"""Words that name a kind of chart where one is asked for, and something else elsewhere."""

TIME_UNIT_WORDS: Final[Words] = {
    "day": (
        "by day",
        "per day",
        "daily",
        "por día",
        "por dia",
        "diario",
        "diaria",
        "each day",
        "every day",
        "cada día",
    ),
    "week": ("by week", "per week", "weekly", "por semana", "semanal", "each week", "every week", "cada semana"),
    "month": (
        "by month",
        "per month",
        "monthly",
        "por mes",
        "mensual",
        "por meses",
        "mes a mes",
        "each month",
        "every month",
        "cada mes",
    ),
    "quarter": (
        "by quarter",
        "per quarter",
        "quarterly",
        "por trimestre",
        "trimestral",
        "each quarter",
        "every quarter",
        "cada trimestre",
    ),
    "year": ("by year", "per year", "yearly", "annual", "por año", "anual", "each year", "every year", "cada año"),
}
CHART_WORDS: Final = (
    "chart", "graph", "plot", "diagram", "visualise", "visualize", "draw", "gráfico", "gráfica", "diagrama", "graficar",
    "grafica", "grafícalo", "grafícame", "visualiza", "visualízalo", "dibuja", "dibújame", "dibújalo", "pinta",
    "píntame", "píntalo",
)  # fmt: skip
"""Words that ask for a picture, whatever else is said."""

FIGURES: Final = (
    "amount", "quantity", "inventory", "balance", "price", "cost", "hours", "days", "weight", "margin", "budget",
    "discount", "score", "age", "salary", "actual",
)  # fmt: skip
"""Of `COLUMN_WORDS`: what is measured. Of other things a table holds so many."""
COLUMN_WORDS: Final[Words] = {
    "customer": (
        "customer",
        "customers",
        "client",
        "clients",
        "cliente",
        "clientes",
        "customer name",
        "sold to",
        "bill to",
        "ship to",
        "buyer",
        "buyers",
        "comprador",
    ),
    "vendor": ("vendor", "vendors", "supplier", "suppliers", "proveedor", "proveedores"),
    "item": ("item", "items", "product", "products", "producto", "productos", "artículo", "artículos"),
    "country": ("country", "countries", "país", "países", "pais", "country region"),
    "city": ("city", "cities", "town", "ciudad", "ciudades", "población", "localidad", "municipio"),
    "province": ("province", "provinces", "provincia", "provincias"),
    "site": ("site", "sites", "office", "offices", "sede", "sedes", "oficina", "oficinas"),
    "salesperson": ("salesperson", "salespeople", "seller", "vendedor", "vendedores", "comercial", "comerciales"),
    "category": ("category", "categories", "categoría", "categorías", "type", "tipo"),
    "priority": ("priority", "priorities", "prioridad", "prioridades"),
    "status": ("status", "state", "estado"),
    "company": ("company", "companies", "empresa", "empresas"),
    "currency": ("currency", "currencies", "curr", "ccy", "moneda", "divisa"),
    "location": ("location", "warehouse", "warehouses", "whse", "wh", "almacén", "almacenes", "alm", "ubicación"),
    "region": ("region", "regions", "área", "zona", "región", "regiones", "zone", "territory", "territorio"),
    "amount": (
        "amount",
        "amounts",
        "importe",
        "importes",
        "sales",
        "ventas",
        "venta",
        "revenue",
        "ingresos",
        "facturación",
        "total",
        "turnover",
    ),
    "quantity": (
        "quantity",
        "quantities",
        "qty",
        "units",
        "pieces",
        "pcs",
        "cantidad",
        "cantidades",
        "cant",
        "unidades",
        "uds",
        "unid",
        "piezas",
        "pzas",
    ),
    "inventory": ("inventory", "stock", "existencias", "existencia", "inventario"),
    "balance": ("balance", "balances", "saldo", "saldos"),
    "price": ("price", "prices", "precio", "precios"),
    "cost": ("cost", "costs", "coste", "costes", "costo", "costos", "gasto", "gastos", "expense", "expenses"),
    "hours": ("hours", "hour", "horas", "hora"),
    "days": ("days", "días"),
    "weight": ("weight", "peso"),
    "margin": ("margin", "margins", "margen", "márgenes", "profit", "beneficio", "beneficios", "ganancia"),
    "actual": ("actual", "actuals", "real", "reales", "realizado"),
    "budget": ("budget", "budgets", "presupuesto", "presupuestos"),
    "discount": ("discount", "discounts", "disc", "descuento", "descuentos", "dto", "dcto"),
    "employee": ("employee", "employees", "empleado", "empleados", "staff", "plantilla"),
    "project": ("project", "projects", "proyecto", "proyectos"),
    "team": ("team", "teams", "equipo", "equipos"),
    "score": ("score", "scores", "rating", "nota", "notas", "puntuación"),
    "age": ("age", "ages", "edad", "edades"),
    "date": ("date", "day", "fecha", "día"),
    "department": ("department", "departments", "dept", "departamento", "departamentos", "dpto", "depto"),
    "channel": ("channel", "channels", "canal", "canales"),
    "salary": ("salary", "salaries", "wage", "wages", "salario", "salarios", "sueldo", "sueldos", "nómina", "nóminas"),
}
COLOUR_WORDS: Final[Words] = {
    "blue": ("blue", "azul", "azules"),
    "red": ("red", "rojo", "roja", "rojos", "rojas"),
    "green": ("green", "verde", "verdes"),
    "orange": ("orange", "naranja", "naranjas"),
    "yellow": ("yellow", "amarillo", "amarilla", "amarillos", "amarillas"),
    "purple": ("purple", "violet", "morado", "morada", "violeta", "lila"),
    "pink": ("pink", "rosa"),
    "grey": ("grey", "gray", "gris", "grises"),
    "brown": ("brown", "marron"),
    "teal": ("teal", "turquoise", "turquesa"),
}
"""Colours that can be seen on a light and on a dark page."""

CURRENCY_WORDS: Final[Words] = {
    "EUR": ("euros?",),
    "USD": ("dollars?", "us dollars?", "dolar", "dolares"),
    "GBP": ("pounds sterling", "sterling", "british pounds", "libras(?: esterlinas)?"),
    "CHF": ("swiss francs?", "francos? suizos?"),
    "JPY": ("yen", "yenes"),
}
"""Patterns of what currencies are called, folded, by their codes."""
COUNTRY_WORDS: Final[Words] = {
    "ES": ("España", "Spain", "ES", "ESP"),
    "PT": ("Portugal", "PT", "PRT"),
    "FR": ("Francia", "France", "FR", "FRA"),
    "DE": ("Alemania", "Germany", "DE", "DEU"),
    "IT": ("Italia", "Italy", "IT", "ITA"),
    "GB": ("Reino Unido", "United Kingdom", "UK", "GB", "GBR", "Great Britain", "Gran Bretaña"),
    "IE": ("Irlanda", "Ireland", "IE", "IRL"),
    "NL": ("Países Bajos", "Netherlands", "Holanda", "NL", "NLD"),
    "BE": ("Bélgica", "Belgium", "BE", "BEL"),
    "AT": ("Austria", "AT", "AUT"),
    "CH": ("Suiza", "Switzerland", "CH", "CHE"),
    "PL": ("Polonia", "Poland", "PL", "POL"),
    "US": ("Estados Unidos", "United States", "USA", "US"),
    "CA": ("Canadá", "Canada", "CA", "CAN"),
    "MX": ("México", "Mexico", "MX", "MEX"),
    "AR": ("Argentina", "AR", "ARG"),
    "BR": ("Brasil", "Brazil", "BR", "BRA"),
    "CL": ("Chile", "CL", "CHL"),
    "CO": ("Colombia", "CO", "COL"),
    "MA": ("Marruecos", "Morocco", "MA", "MAR"),
}

COMPARING: Final = (
    r" (?:(?:and |y )?(?:compare[ds]?|compara\w*)(?: it| this| the chart)?|vs|versus|against|frente|contra|respecto)"
    r"(?: (?:with|to|against|con|al?|el|lo|la|the))*"
    r" (?:last year|(?:the )?(?:previous|prior) year|(?:the )?year before|(?:el |al )?ano (?:pasado|anterior|previo))"
    r"(?!\w)"
)
"""Pattern of what asks for the year before beside a chart, folded."""
COMPARING_YEAR: Final = (
    r" (?:and |y )?(?:compar\w*|vs|versus|against|frente|contra|respecto)"
    r"(?: (?:with|to|against|con|al?|el|lo|la|it|the))* (?P<year>(?:19|20)\d\d)(?!\w)"
)
"""The same for a year that is named: it has to be the one before."""
NOT_COMPARING: Final = r" (?:without|no|sin)(?: the| la)? (?:comparison|comparing|comparar|comparacion)(?!\w)"
BY_WORDS: Final = ("by", "per", "por", "segun", "for each", "each", "por cada", "cada", "a lo largo de", "across")
SPLIT_WORDS: Final = (
    "split by", "broken down by", "stacked by", "coloured by", "colored by", "colour it by", "color it by",
    "colorea por", "colorealo por", "grouped by", "desglosado por", "desglosadas por", "separado por",
    "separadas por", "separa por", "separar por", "separalo por", "desglosa por", "desglosar por", "desglosalo por",
    "dividir por", "divide por", "split it by", "break down by", "break it down by", "dividido por", "apilado por",
    "apiladas por", "agrupado por", "por colores de", "one line per", "one line for each", "a line per",
    "a line for each", "one bar per", "one colour per", "una linea por", "una linea por cada", "una barra por",
    "un color por",
)  # fmt: skip
ONLY_WORDS: Final = (
    "only",
    "just",
    "only for",
    "just for",
    "solo",
    "solamente",
    "unicamente",
    "solo para",
    "nada mas que",
    "only show",
    "filter by",
    "filter to",
    "filtra por",
    "filtrado por",
    "quedate con",
    "keep",
    "deja",
    "limit to",
)
OF_WORDS: Final = (
    "of",
    "in",
    "for",
    "from",
    "de",
    "en",
    "para",
    "y en",
    "y de",
    "and in",
    "and for",
    "what about",
    "que tal",
)
ADDING: Final = (
    r" (?:and |y |now |ahora )?(?:add|also|include|anade\w*|agrega\w*|incluye|tambien|"
    r"compar\w+ (?:(?:it|this|lo) )?(?:with|to|con|a))(?= )"
)
"""Pattern of what opens a message that keeps what was shown and wants more beside it, folded."""
COMPARE_WORDS: Final = ("compare", "comparing", "compara", "comparar", "comparame", "comparando")
"""Before values that are kept, and set beside one another."""
COMPARED_VALUES: Final = r" (?:compar\w+|versus|vs) "
"""Pattern: values of one column are set beside one another, and not added up."""
WITHOUT_WORDS: Final = (
    "without",
    "except",
    "excluding",
    "exclude",
    "remove",
    "drop",
    "leave out",
    "not",
    "but not",
    "minus",
    "everything but",
    "ignore",
    "hide",
    "quita",
    "quitale",
    "quitando",
    "sin",
    "excepto",
    "salvo",
    "menos",
    "all but",
    "apart from",
    "other than",
    "aparte de",
    "exceptuando",
    "excluye",
    "excluyendo",
    "elimina",
    "saca",
    "oculta",
    "sin contar",
    "ignora",
)
AGAINST_WORDS: Final = ("against", "versus", "vs", "frente al?", "contra", "respecto al?")
"""Patterns between two figures that make a scatter plot."""
INSTEAD_WORDS: Final = ("instead of", "rather than", "en vez del?", "en lugar del?")
"""Patterns: what follows is not wanted any more."""
EVERYTHING_WORDS: Final = (
    "all of them", "all customers", "everything again", "no filter", "without the filter", "without filters",
    "remove the filter", "show all", "with all", "todos otra vez", "todo otra vez", "sin filtro", "sin filtros",
    "quita el filtro", "quita los filtros", "con todos", "con todas", "muestra todos", "muestra todo",
    "todos los clientes", "otra vez todos", "show me everything", "show everything", "everything", "all again",
    "ensename todo", "ensenamelo todo", "all of it", "back to all", "back to everything", "all of them again",
    "vuelve a todos", "vuelve a todas", "vuelve a todo", "todas otra vez", "otra vez todas", "todos de nuevo",
)  # fmt: skip
EXTREME_WORDS: Final[Words] = {
    "largest": (
        "biggest", "largest", "highest", "greatest", "top", "best", "first", "mayor", "mayores", "mas grandes?",
        "mas alt[oa]s?", "primer[oa]?s?", "mejor", "mejores",
    ),
    "smallest": (
        "smallest", "lowest", "least", "worst", "bottom", "last", "menor", "menores", "mas pequen[oa]s?",
        "mas baj[oa]s?", "ultim[oa]s?", "peor", "peores",
    ),
}  # fmt: skip
"""Patterns of what is named by its place in a chart: "without the biggest"."""
SUPERLATIVES: Final = (
    ("most expensive|dearest|costliest|mas car[oa]s?", "largest", frozenset({"price", "cost"})),
    ("cheapest|least expensive|mas barat[oa]s?|mas economic[oa]s?", "smallest", frozenset({"price", "cost"})),
    ("heaviest|mas pesad[oa]s?", "largest", frozenset({"weight"})),
    ("lightest|mas liger[oa]s?", "smallest", frozenset({"weight"})),
    ("longest|mas larg[oa]s?", "largest", frozenset({"length", "duration", "longitud", "duracion", "largo"})),
    ("shortest|mas cort[oa]s?", "smallest", frozenset({"length", "duration", "longitud", "duracion", "largo"})),
    ("oldest|mas viej[oa]s?", "largest", frozenset({"age"})),
    ("youngest|mas jov(?:en|enes)", "smallest", frozenset({"age"})),
)
"""Patterns of adjectives that rank by a figure they do not name, which end of it, and what its column is called."""
REST_WORDS: Final = (
    "and the rest", "and the others", "and all the others", "and others", "plus the rest", "plus others",
    "with the rest", "and the rest as others", "and group the rest", "y el resto", "y los demas", "y las demas",
    "y los otros", "y las otras", "y otros", "mas el resto", "con el resto", "y el resto como otros",
    "y agrupa el resto", "y el resto agrupado", "y el resto junto",
)  # fmt: skip
"""After so many of the largest: what is left is one figure."""
TOP_WORDS: Final = (
    "top",
    "first",
    "largest",
    "biggest",
    "best",
    "highest",
    "greatest",
    "primeros",
    "primeras",
    "mayores",
    "mejores",
    "principales",
    "mas grandes",
    "mas altos",
    "mas altas",
    "los primeros",
    "the first",
    "the top",
    "los mayores",
    "las mayores",
)
BOTTOM_WORDS: Final = (
    "bottom",
    "smallest",
    "lowest",
    "worst",
    "least",
    "peores",
    "menores",
    "ultimos",
    "mas pequenos",
    "mas bajos",
    "mas bajas",
    "last",
)
ONE_FIGURE_WORDS: Final = (
    "what is", "what s", "whats", "what was", "how much", "how many", "cual es", "cual fue", "cuanto", "cuanta",
    "cuantos", "cuantas", "the total", "in total", "grand total", "el total", "en total", "total",
    "the sum", "sum of", "la suma", "suma de",
)  # fmt: skip
"""Words that ask for one figure where nothing is named to compare it by."""
WHICH_WORDS: Final = ("which", "what", "que", "cual", "cuales", "quien")
"""Before a column: its values are compared."""
NUMBER_WORDS: Final[Mapping[str, str]] = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "dos": "2",
    "tres": "3",
    "cuatro": "4",
    "cinco": "5",
    "seis": "6",
    "siete": "7",
    "ocho": "8",
    "nueve": "9",
    "diez": "10",
    "doce": "12",
    "twelve": "12",
    "veinte": "20",
    "twenty": "20",
}
ORDINALS: Final[Mapping[int, Sequence[str]]] = {
    1: ("first", "primera"), 2: ("second", "segunda"), 3: ("third", "tercera"), 4: ("fourth", "cuarta"),
    5: ("fifth", "quinta"), 6: ("sixth", "sexta"),
}  # fmt: skip
"""Of columns: "by the second column"."""
LATEST_WORDS: Final = ("ultimos", "ultimas", "last", "latest", "most recent", "mas recientes", "past")
PERIOD_WORDS: Final = (
    "days", "weeks", "months", "quarters", "years", "periods", "dias", "semanas", "meses", "trimestres", "anos",
    "periodos",
)  # fmt: skip
"""With a number and one of `LATEST_WORDS`: the end of a chart along time, not its smallest figures."""
BOUND_WORDS: Final[Words] = {
    "at_least": (
        "more than", "above", "over", "greater than", "larger than", "at least", "exceeding", "exceed", "mas de",
        "mayores de", "mayores que", "mayor de", "mayor que", "por encima de", "superior a", "superiores a", "pasen de",
        "pasan de", "superen", "superan", "superen los", "al menos", "como minimo", "a partir de",
    ),
    "at_most": (
        "less than", "below", "under", "smaller than", "at most", "up to", "menos de", "menores de", "menores que",
        "menor de", "menor que", "por debajo de", "inferior a", "inferiores a", "no pasen de", "no superen", "hasta",
        "como maximo",
    ),
}  # fmt: skip
"""What stands before a number that the figures of a chart are compared with."""
SHARE_WORDS: Final = (
    "as a percentage", "as percentages", "in percent", "percentage", "percentages", "percent", "%", "in %",
    "as a share", "share of the total", "as a percentage of the total", "en porcentaje", "en porcentajes",
    "porcentaje", "porcentual", "en %", "como porcentaje", "por ciento", "en proporcion", "proporcion",
    "peso relativo", "share", "share of", "what share of", "parte", "que parte", "que proporcion", "que porcentaje",
    "que peso", "cuota",
)  # fmt: skip
ORDER_WORDS: Final[Words] = {
    "largest": (
        "largest first",
        "biggest first",
        "highest first",
        "descending",
        "from largest to smallest",
        "from highest to lowest",
        "highest to lowest",
        "high to low",
        "best to worst",
        "de mejor a peor",
        "de mayor a menor",
        "descendente",
        "mayores primero",
        "los mayores primero",
        "primero los mayores",
    ),
    "smallest": (
        "smallest first",
        "lowest first",
        "ascending",
        "from smallest to largest",
        "from lowest to highest",
        "lowest to highest",
        "low to high",
        "worst to best",
        "de peor a mejor",
        "de menor a mayor",
        "ascendente",
        "menores primero",
        "los menores primero",
        "primero los menores",
    ),
    "label": (
        "alphabetically",
        "in alphabetical order",
        "a to z",
        "alfabeticamente",
        "por orden alfabetico",
        "en orden alfabetico",
        "de la a a la z",
    ),
    "column": (
        "sort by",
        "sorted by",
        "order by",
        "ordered by",
        "sort it by",
        "order it by",
        "sort them by",
        "order them by",
        "ordena por",
        "ordenado por",
        "ordenada por",
        "ordenados por",
        "ordenadas por",
        "ordenalo por",
        "ordenala por",
        "ordenalos por",
        "ordenalas por",
        "ordenar por",
    ),
}
"""`column` is followed by the name of one."""
AGGREGATE_WORDS: Final[Words] = {
    "average": (
        "average",
        "averages",
        "mean",
        "promedio",
        "media",
        "medio",
        "medias",
        "medios",
        "en promedio",
        "de media",
    ),
    "count": (
        "how many",
        "headcount",
        "head count",
        "number of",
        "count of",
        "cuantos",
        "cuantas",
        "numero de",
        "cantidad de filas",
    ),
    "median": ("median", "medians", "mediana", "medianas"),
    "maximum": ("maximum", "maximo", "maxima"),
    "minimum": ("minimum", "minimo", "minima"),
    "sum": ("the sum", "total sum", "la suma", "sumado"),
}
CHART_FILLERS: Final = (
    ("result results but data table tables figures numbers thing picture image column columns row rows file csv excel "
     "sheet spreadsheet uploaded attached same again instead better rather way form switch change turn convert put "
     "use using new then next also too last previous above before it's itself style type kind of split broken down "
     "grouped group sort sorted order ordered side question answer euro euros eur title called by name names between "
     "color colour colors colours paint during spend spent sell sold bill billed most more "
     "invoiced "
     "took take takes lasted buy buys bought owe owes going gone pay pays"),
    ("resultado resultados datos tabla tablas cifras numeros cosa imagen dibujo columna columnas fila filas archivo "
     "fichero hoja subido adjunto subida otra vez vez lugar mejor manera forma cambia cambialo cambiar pasa pasalo "
     "pasar convierte conviertelo convertir pon ponlo ponla usa usando nuevo nueva luego despues ultimo ultima "
     "anterior tambien estilo tipo desglosa desglosado desglosada separa separado agrupa agrupado ordena ordenalo "
     "ordenado orden aqui mio mia desglose muestralo muestramelo ensenamelo verlo vea veamos dibujar pintar llamado "
     "nombre nombres pero euros color colores titulo hazlo hazla pintalo pintala durante gasta gastamos gastado "
     "gastaron mas vende vendemos vendimos vendido facturamos facturado comprado gastado "
     "ido van va vendieron vendio tardado tardaron tardan duraron hay compra compran compraron gastan venden facturan "
     "deben pagan"),
)  # fmt: skip
"""Words that say nothing of a chart beside those that never do: what is left of a request must be of the table."""
