"""What the charts can be asked, as data (A-41): draw what there is, and change the last one (A-21)."""

from batuta.language.understanding import Intent, Slot, Understanding

KINDS = {
    "bar": ("bar", "bars", "bar chart", "barras", "columnas", "columns"),
    "stacked": ("stacked", "stacked bars", "apiladas", "barras apiladas"),
    "line": ("line", "lines", "línea", "líneas", "trend", "tendencia"),
    "area": ("area", "área"),
    "pie": ("pie", "donut", "tarta", "circular", "quesito", "pastel"),
    "scatter": ("scatter", "dispersión", "puntos"),
    "heatmap": ("heat map", "heatmap", "mapa de calor"),
    "histogram": ("histogram", "histograma"),
    "combined": ("combined", "combinado"),
    "table": ("table", "tabla"),
    "kpi": ("kpi", "single figure", "indicador"),
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
    )
}
"""Words that ask for a picture whatever else is said."""
_SLOTS = (
    Slot(name="kind", type="choice", values=KINDS, is_telling=True),
    Slot(name="time_unit", type="choice", values=UNITS),
    Slot(name="top", type="limit"),
)

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
        ),
    )
)  # fmt: skip
