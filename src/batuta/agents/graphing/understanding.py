"""What the charts can be asked, as data (A-41): draw what there is, and change the last one (A-21)."""

from collections.abc import Mapping, Sequence
from typing import Any

from batuta.language.folding import fold
from batuta.language.understanding import Intent, Settled, Slot, Understanding

KINDS = {
    "bar": ("bar", "bars", "bar chart", "barras", "columnas", "columns"),
    "stacked": ("stacked", "stacked bars", "apiladas", "barras apiladas"),
    "line": ("line", "lines", "línea", "líneas", "trend", "tendencia", "evolución", "evolution"),
    "area": ("area", "área"),
    "pie": ("pie", "donut", "tarta", "circular", "quesito", "pastel"),
    "scatter": ("scatter", "dispersión", "puntos"),
    "heatmap": ("heat map", "heatmap", "mapa de calor"),
    "histogram": ("histogram", "histograma"),
    "combined": ("combined", "combinado"),
    "table": ("table", "tabla"),
    "kpi": ("kpi", "single figure", "one number", "indicador", "una sola cifra"),
}
UNITS = {
    "day": ("by day", "daily", "por día", "diario"),
    "week": ("by week", "weekly", "por semana", "semanal"),
    "month": ("by month", "monthly", "por mes", "mensual"),
    "quarter": ("by quarter", "quarterly", "por trimestre", "trimestral"),
    "year": ("by year", "yearly", "por año", "anual"),
}
CHART_WORDS = {
    "chart": (
        "chart",
        "graph",
        "plot",
        "diagram",
        "visualise",
        "gráfico",
        "gráfica",
        "grafícalo",
        "diagrama",
        "visualiza",
        "draw",
        "dibuja",
        "dibújame",
        "pinta",
        "píntame",
    )
}
"""Words that ask for a picture whatever else is said."""
_COUNT = r"(?:the |los |las )?(?:\d{1,3}|two|three|four|five|six|ten|dos|tres|cuatro|cinco|seis|diez)"
_KIND_WORDS = "|".join(sorted({fold(word) for words in KINDS.values() for word in words}, key=len, reverse=True))
AMENDING = (
    "only|just|solo|solamente|unicamente",
    "without|except|remove|drop|leave out|exclude|hide|everything but|all but|ignore",
    r"quita\w*|sin|excepto|salvo|excluye\w*|elimina|saca|oculta|todo menos|todos menos|ignora",
    r"(?:sort|order)(?:ed)?(?: it)? (?:by|from|alphabetically)|ordena\w*|alphabetically|alfabeticamente",
    "(?:largest|biggest|highest|smallest|lowest) first|ascending|descending|de mayor a menor|de menor a mayor",
    "en porcentajes?|as (?:a )?percentages?|in percent|en %|como porcentaje|as a share",
    r"(?:the |los |las )?(?:top|bottom) \w+",
    rf"{_COUNT} (?:\w+ )?(?:biggest|largest|best|highest|lowest|smallest|worst|primer[oa]s|mayores|mejores|peores|menores)",
    r"split by|broken down by|desglos\w+ por|separ\w+ por",
    r"(?:show|use|with|con|muestra|usa|pon)\b.*\b(?:instead|en vez|en lugar)",
    "(?:la |el |the )?(?:media|promedio|average|mean|suma|sum) (?:en vez|en lugar|instead|rather)",
    "show all|muestra todo|con todos|with all|no filter",
    r"(?:show|give|muestra\w*|ensena\w*|pon\w*)(?: me| us| it)? (?:everything|all|todos?|todas)",
    rf"(?:en|como|as|in|into|de) (?:an? |una? |el |la )?(?:{_KIND_WORDS})",
    rf"(?:an? |una? )?(?:{_KIND_WORDS})(?: please| por favor)?\W*$",
)
"""How messages open that change a chart, folded."""
_SLOTS = (
    Slot(name="kind", type="choice", values=KINDS, is_telling=True),
    Slot(name="time_unit", type="choice", values=UNITS),
    Slot(name="top", type="limit"),
)


def _with_words(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
    """The request itself goes with what was found in it: columns and values are read against the table."""
    return Settled(values={**values, "options": {"asked": texts[-1]}})


UNDERSTANDING = Understanding(
    intents=(
        Intent(
            id="draw",
            tool="draw_chart",
            takes="dataset",
            label={"en": "Draw the result as bars", "es": "Hazme un gráfico"},
            examples={
                "en": (
                    "Draw the result as bars", "make a chart", "plot that", "draw it as a bar chart", "show it as a pie chart", "a line chart please",
                    "chart it", "can you graph this", "show me a graph", "turn it into a chart", "visualise it", "Top 5 customers as a pie", "graph of sales by month",
                    "make a bar chart of the result", "put it in a diagram",
                ),
                "es": (
                    "Hazme un gráfico", "dibuja un gráfico", "grafícalo", "ponlo en un gráfico de barras", "muéstralo como gráfico circular", "un gráfico de líneas por favor",
                    "haz una gráfica", "puedes hacer un gráfico de esto", "enséñame una gráfica", "conviértelo en un gráfico", "visualízalo", "Los 5 mayores en un gráfico circular",
                    "gráfico de ventas por mes", "un diagrama de barras con eso", "quiero verlo en una gráfica", "dibújalo como línea",
                ),
            },
            slots=(*_SLOTS, Slot(name="chart_asked", type="flag", values=CHART_WORDS, is_telling=True)),
            settle=_with_words,
        ),
        Intent(
            id="change",
            tool="change_chart",
            takes="dataset",
            label={"en": "The same by month", "es": "Lo mismo por mes"},
            examples={
                "en": ("The same by month", "as a line", "now as a pie", "change the chart to bars", "only the top 5 in the chart", "as bars instead", "the same chart by quarter", "switch to a line chart"),
                "es": ("Lo mismo por mes", "como línea", "ahora como tarta", "cambia el gráfico a barras", "solo los 5 primeros en el gráfico", "mejor en barras", "el mismo gráfico por trimestre", "pásalo a líneas"),
            },
            slots=_SLOTS,
            amends=AMENDING,
            settle=_with_words,
        ),
    )
)  # fmt: skip
