"""Words of charts in both languages: messages, months, and what people call kinds, units of time and columns."""

import re
from typing import Final

Language = str

MESSAGES: Final[dict[str, dict[Language, str]]] = {
    "whole_year": {"en": "Year", "es": "Año"},
    "others": {"en": "Others", "es": "Otros"},
    "by": {"en": "{y} by {x}", "es": "{y} por {x}"},
    "by_series": {"en": "{y} by {x} and {series}", "es": "{y} por {x} y {series}"},
    "and": {"en": " and ", "es": " y "},
    "count": {"en": "Number of rows", "es": "Número de filas"},
    "weekday": {"en": "Weekday", "es": "Día de la semana"},
    "clock": {"en": "Time of day", "es": "Franja horaria"},
    "share": {"en": "Share", "es": "Proporción"},
    "from_to": {"en": "{low} to {high}", "es": "{low} a {high}"},
    "blank": {"en": "(empty)", "es": "(vacío)"},
    "no_currency": {"en": "without a code", "es": "sin código"},
    "describe": {
        "en": "{kind} of {title}. {count} values; highest {high} ({at_high}), lowest {low} ({at_low}).",
        "es": "{kind} de {title}. {count} valores; máximo {high} ({at_high}), mínimo {low} ({at_low}).",
    },
    "describe_one": {"en": "{kind} of {title}: {high}.", "es": "{kind} de {title}: {high}."},
    "describe_compared": {
        "en": "{kind} of {title}: {high}; before, {before} ({change}).",
        "es": "{kind} de {title}: {high}; antes, {before} ({change}).",
    },
    "describe_values": {"en": "{kind} of {title}: {count} values.", "es": "{kind} de {title}: {count} valores."},
    "describe_points": {"en": "{kind} of {title}: {count} points.", "es": "{kind} de {title}: {count} puntos."},
    "year_before": {
        "en": "{year} is shown for the same days ({first} to {last}).",
        "es": "{year} se muestra en los mismos días (del {first} al {last}).",
    },
    "only": {"en": "Only {values}.", "es": "Solo {values}."},
    "without": {"en": "Without {values}.", "es": "Sin {values}."},
    "title_top": {"en": "Top {shown}", "es": "Los {shown} mayores"},
    "title_bottom": {"en": "Bottom {shown}", "es": "Los {shown} menores"},
    "since": {"en": "since {low}", "es": "desde {low}"},
    "until": {"en": "until {high}", "es": "hasta {high}"},
    "months_as_columns": {
        "en": "“{dataset}” has its months as columns, and a chart goes by rows. Name one of the columns, or bring the "
        "table with a row for each month.",
        "es": "«{dataset}» tiene los meses en columnas, y un gráfico va por filas. Nombre una columna, o traiga "
        "la tabla con una fila por mes.",
    },
    # what was mended, and why
    "currencies_apart": {
        "en": "{y} is in several currencies ({codes}): shown apart by {column}, never added up. Ask for one of them.",
        "es": "{y} está en varias monedas ({codes}): se muestra por separado según {column}, sin sumarlas. "
        "Pida una de ellas.",
    },
    "currencies_no_rank": {
        "en": "Which are the largest cannot be said across currencies: all are shown. Ask for one currency.",
        "es": "Entre monedas distintas no se puede decir cuáles son mayores: se muestran todas. Pida una moneda.",
    },
    "no_colour": {
        "en": "A figure or a table is not drawn in a colour.",
        "es": "Una cifra o una tabla no se dibuja en un color.",
    },
    "colours_apart": {
        "en": "Colours tell the parts of this chart apart: it is not drawn in one colour.",
        "es": "Los colores distinguen las partes de este gráfico: no se dibuja de un solo color.",
    },
    "top_and_others": {
        "en": "Shows the {shown} largest of {all}; the rest is added up as “{others}”.",
        "es": "Se muestran los {shown} mayores de {all}; el resto se suma en «{others}».",
    },
    "top_only": {
        "en": "Shows the {shown} largest of {all}.",
        "es": "Se muestran los {shown} mayores de {all}.",
    },
    "bottom_only": {
        "en": "Shows the {shown} smallest of {all}.",
        "es": "Se muestran los {shown} menores de {all}.",
    },
    "periods_apart": {
        "en": "A line would join periods that do not follow one another: drawn as bars.",
        "es": "Una línea uniría periodos que no van seguidos: se dibuja con barras.",
    },
    "within": {
        "en": "Shows the {shown} of {all} whose figures are within what was asked for.",
        "es": "Se muestran los {shown} de {all} cuyas cifras están dentro de lo pedido.",
    },
    "words_unread": {
        "en": "I do not know what {words} means here: the chart does not go by it.",
        "es": "No sé qué significa aquí {words}: el gráfico no lo tiene en cuenta.",
    },
    "not_beside": {
        "en": "Only “{drawn}” is drawn: {left} has other columns or another unit.",
        "es": "Solo se dibuja «{drawn}»: {left} tiene otras columnas u otra unidad.",
    },
    "stack_of_one": {
        "en": "A stack needs something to split by, and nothing was named: drawn as plain bars.",
        "es": "Apilar necesita algo por lo que separar, y no se ha dicho: se dibuja con barras sencillas.",
    },
    "one_figure_only": {
        "en": "Only {kept} is shown: split by {series} there is no room for {left}.",
        "es": "Solo se muestra {kept}: separado por {series} no cabe {left}.",
    },
    "no_bounds": {
        "en": "A limit on figures has no meaning for this kind of chart: everything is shown.",
        "es": "Un límite para las cifras no tiene sentido en este tipo de gráfico: se muestra todo.",
    },
    "last_only": {
        "en": "Shows the last {shown} of {all}.",
        "es": "Se muestran los últimos {shown} de {all}.",
    },
    "share_no_whole": {
        "en": "These figures are no parts of a whole: shown as they are, not as percentages.",
        "es": "Estas cifras no son partes de un todo: se muestran tal cual, no en porcentaje.",
    },
    "series_cut": {
        "en": "Shows the {shown} largest groups of {all}; the rest is added up as “{others}”.",
        "es": "Se muestran los {shown} grupos mayores de {all}; el resto se suma en «{others}».",
    },
    "pie_negative": {
        "en": "A pie cannot show negative parts: drawn as bars.",
        "es": "Un gráfico circular no puede mostrar partes negativas: se dibuja con barras.",
    },
    "pie_no_whole": {
        "en": "These figures are no parts of a whole: drawn as bars.",
        "es": "Estas cifras no son partes de un todo: se dibuja con barras.",
    },
    "area_no_whole": {
        "en": "These figures are no parts of a whole: drawn as lines.",
        "es": "Estas cifras no son partes de un todo: se dibujan con líneas.",
    },
    "gaps_are_zero": {
        "en": "Where {series} has no figure, zero is shown.",
        "es": "Donde {series} no tiene cifra se muestra cero.",
    },
    "time_gaps": {
        "en": "There are no figures for {periods}: the axis shows the gap.",
        "es": "No hay cifras de {periods}: el eje muestra el hueco.",
    },
    "stack_negative": {
        "en": "Stacked parts cannot be negative: drawn side by side.",
        "es": "Las partes apiladas no pueden ser negativas: se dibujan una junto a otra.",
    },
    "line_without_order": {
        "en": "A line needs an order, and {x} has none: drawn as bars.",
        "es": "Una línea necesita un orden y {x} no lo tiene: se dibuja con barras.",
    },
    "single_point": {
        "en": "There is only one value: shown as a figure.",
        "es": "Solo hay un valor: se muestra como cifra.",
    },
    "histogram_of_one": {
        "en": "A histogram counts the rows of one figure: it is not split by {x}.",
        "es": "Un histograma cuenta las filas de una sola cifra: no se separa por {x}.",
    },
    "axis_from_zero": {
        "en": "The axis begins at zero: cut bars exaggerate differences.",
        "es": "El eje empieza en cero: unas barras cortadas exageran las diferencias.",
    },
    "coarser_time": {
        "en": "Too many points for a chart: added up by {unit}.",
        "es": "Demasiados puntos para un gráfico: sumados por {unit}.",
    },
    "many_to_table": {
        "en": "{all} values of {x} are too many for a chart: shown as a table.",
        "es": "{all} valores de {x} son demasiados para un gráfico: se muestra como tabla.",
    },
    "table_cut": {
        "en": "Shows the first {shown} of {all} rows; a download of the table has them all.",
        "es": "Se muestran las primeras {shown} de {all} filas; la descarga de la tabla las tiene todas.",
    },
    "counted": {
        "en": "There is no figure to add up: rows are counted.",
        "es": "No hay ninguna cifra que sumar: se cuentan las filas.",
    },
    "averaged": {
        "en": "{y} cannot be added up: averages are shown.",
        "es": "{y} no se puede sumar: se muestran promedios.",
    },
    "left_out": {
        "en": "{count} rows without {x} are left out.",
        "es": "Se omiten {count} filas sin {x}.",
    },
    "cut_short": {
        "en": "The data was cut short: {rows} rows of {records} records.",
        "es": "Los datos están cortados: {rows} filas de {records} registros.",
    },
    "there_are_more": {
        "en": "Shows the {rows} that were asked for; there are more.",
        "es": "Se muestran los {rows} que se pidieron; hay más.",
    },
    "scatter_needs_two": {
        "en": "A scatter plot needs two figures: drawn as bars.",
        "es": "Un diagrama de dispersión necesita dos cifras: se dibuja con barras.",
    },
    "unit_of_no_time": {
        "en": "{x} is no time: not added up by {unit}.",
        "es": "{x} no es un tiempo: no se suma por {unit}.",
    },
    "other_units": {
        "en": "{left} is left out: its unit differs from {kept}.",
        "es": "Se omite {left}: su unidad es distinta de la de {kept}.",
    },
}

REFUSALS: Final[dict[str, dict[Language, str]]] = {
    "empty": {
        "en": "There is nothing to draw: {dataset} has no rows{filtered}.",
        "es": "No hay nada que dibujar: {dataset} no tiene filas{filtered}.",
    },
    "mixed_currencies": {
        "en": "{y} is in several currencies ({codes}): ask for one of them, or for a split by {column}.",
        "es": "{y} está en varias monedas ({codes}): pida una de ellas, o separar por {column}.",
    },
    "no_bound": {
        "en": "“{value}” is no limit for {column}: give a number or a day.",
        "es": "«{value}» no sirve de límite para {column}: indique un número o un día.",
    },
    "no_extremes": {
        "en": "The largest or smallest can be left out where names are compared; say which values to leave out.",
        "es": "Se puede quitar el mayor o el menor cuando se comparan nombres; diga qué valores quitar.",
    },
    "too_many_points": {
        "en": "{count} points are too many for a scatter plot (at most {most}): filter, or group by something.",
        "es": "{count} puntos son demasiados para un diagrama de dispersión (máximo {most}): filtre o agrupe.",
    },
    "nothing_within": {
        "en": "No figure of {dataset} is within what was asked for.",
        "es": "Ninguna cifra de {dataset} está dentro de lo pedido.",
    },
    "too_many_groups": {
        "en": "{x} has more than {most} different values: filter, or compare by something else.",
        "es": "{x} tiene más de {most} valores distintos: filtre, o compare por otra cosa.",
    },
    "no_column": {
        "en": "{dataset} has no column {column}; it has: {known}.",
        "es": "{dataset} no tiene la columna {column}; tiene: {known}.",
    },
    "no_value": {
        "en": "No column of {dataset} holds “{value}”.",
        "es": "Ninguna columna de {dataset} contiene «{value}».",
    },
    "no_chart": {
        "en": "There is no chart to change in this conversation; draw one first.",
        "es": "No hay ningún gráfico que cambiar en esta conversación; pida uno antes.",
    },
    "no_dataset": {
        "en": "There is no dataset in this conversation yet: read one first.",
        "es": "Todavía no hay ninguna tabla en esta conversación: lea una antes.",
    },
    "no_room_for_year": {
        "en": "The year before is one split too many for this chart: ask for bars or a line without another split.",
        "es": "El año anterior es una separación de más en este gráfico: pida barras o una línea sin otra.",
    },
    "compared_large": {
        "en": "The year before is not set beside a table of this size: ask for one year, then for the other.",
        "es": "En una tabla de este tamaño no se pone al lado el año anterior: pida un año y luego el otro.",
    },
    "parts_large": {
        "en": "A table of this size is not compared by weekdays or hours here: query it for them first, and draw that.",
        "es": "Una tabla de este tamaño no se compara aquí por días de la semana ni por horas: consúltelas antes y "
        "dibuje eso.",
    },
    "no_year_before": {
        "en": "“{dataset}” has no rows of {year} to compare with.",
        "es": "«{dataset}» no tiene filas de {year} con las que comparar.",
    },
    "no_time": {
        "en": "{dataset} has no column with a time; it has: {known}.",
        "es": "{dataset} no tiene ninguna columna con fechas; tiene: {known}.",
    },
    "nothing_named": {
        "en": "Nothing in “{asked}” is in the table of the chart; its columns are: {known}.",
        "es": "Nada de «{asked}» está en la tabla del gráfico; sus columnas son: {known}.",
    },
    "unread": {
        "en": "I do not know what {words} means in “{dataset}”, and a chart without it might show something "
        "else. It can be drawn by these columns: {known}.",
        "es": "No sé qué significa {words} en «{dataset}», y un gráfico sin ello podría mostrar otra cosa. Se "
        "puede dibujar por estas columnas: {known}.",
    },
    "too_many_columns": {
        "en": "A chart compares by one column and splits by another: {left} has no place in it. Ask for two of them, "
        "or for a table.",
        "es": "Un gráfico compara por una columna y separa por otra: {left} no cabe. Pida dos de ellas, o una tabla.",
    },
    "bad_number": {
        "en": "A chart shows from 1 to {most} of them, not {value}: ask for another number.",
        "es": "Un gráfico muestra entre 1 y {most}, no {value}: pida otro número.",
    },
    "bad_part": {
        "en": "“{value}” does not fit as {part} of a chart: say it in another way.",
        "es": "«{value}» no sirve como {part} de un gráfico: dígalo de otra manera.",
    },
    "nothing_to_compare": {
        "en": "{dataset} has nothing to compare its figures by; ask for a figure or a table.",
        "es": "{dataset} no tiene por qué comparar sus cifras; pida una cifra o una tabla.",
    },
    "needs_two_categories": {
        "en": "A heat map needs two columns to cross; name them.",
        "es": "Un mapa de calor necesita dos columnas que cruzar; indíquelas.",
    },
}

KIND_NAMES: Final[dict[str, dict[Language, str]]] = {
    "bar": {"en": "Bar chart", "es": "Gráfico de barras"},
    "stacked": {"en": "Stacked bar chart", "es": "Gráfico de barras apiladas"},
    "line": {"en": "Line chart", "es": "Gráfico de líneas"},
    "area": {"en": "Area chart", "es": "Gráfico de áreas"},
    "pie": {"en": "Pie chart", "es": "Gráfico circular"},
    "scatter": {"en": "Scatter plot", "es": "Diagrama de dispersión"},
    "heatmap": {"en": "Heat map", "es": "Mapa de calor"},
    "histogram": {"en": "Histogram", "es": "Histograma"},
    "combined": {"en": "Combined chart", "es": "Gráfico combinado"},
    "table": {"en": "Table", "es": "Tabla"},
    "kpi": {"en": "Figure", "es": "Cifra"},
}

UNIT_NAMES: Final[dict[str, dict[Language, str]]] = {
    "day": {"en": "day", "es": "día"},
    "week": {"en": "week", "es": "semana"},
    "month": {"en": "month", "es": "mes"},
    "quarter": {"en": "quarter", "es": "trimestre"},
    "year": {"en": "year", "es": "año"},
}

AGGREGATE_NAMES: Final[dict[str, dict[Language, str]]] = {
    "average": {"en": "Average {y}", "es": "Promedio de {y}"},
    "median": {"en": "Median {y}", "es": "Mediana de {y}"},
    "distinct": {"en": "Number of different values of {y}", "es": "Número de valores distintos de {y}"},
    "minimum": {"en": "Lowest {y}", "es": "Mínimo de {y}"},
    "maximum": {"en": "Highest {y}", "es": "Máximo de {y}"},
    "sum": {"en": "{y}", "es": "{y}"},
    "count": {"en": "{y}", "es": "{y}"},
}

SEPARATORS: Final[dict[Language, tuple[str, str]]] = {"en": (",", "."), "es": (".", ",")}
"""Of thousands and of decimals."""


def say(message: str, language: Language, **facts: object) -> str:
    """A message in the language of the reader."""
    texts = MESSAGES.get(message) or REFUSALS[message]
    return re.sub(r"(?<!\.)\.\.(?!\.)", ".", texts[language].format(**facts))  # a name may end as a sentence does
