"""Words that people use for charts, in English and Spanish: kinds, periods, columns, countries. Data only."""

from collections.abc import Mapping, Sequence
from typing import Final

Words = Mapping[str, Sequence[str]]

KIND_WORDS: Final[Words] = {
    "bar": ("bar", "bars", "bar chart", "barra", "barras", "columnas", "columns"),
    "stacked": ("stacked", "stacked bars", "apiladas", "barras apiladas", "apilado"),
    "line": ("line", "lines", "line chart", "trend", "línea", "líneas", "tendencia", "evolución"),
    "area": ("area", "area chart", "área", "áreas"),
    "pie": ("pie", "pie chart", "donut", "tarta", "circular", "gráfico circular", "pastel", "queso", "sectores"),
    "scatter": ("scatter", "scatter plot", "points", "dispersión", "puntos", "nube de puntos"),
    "heatmap": ("heat map", "heatmap", "mapa de calor"),
    "histogram": ("histogram", "distribution", "histograma", "distribución"),
    "combined": ("combined", "combo", "combinado", "bars and line", "barras y línea"),
    "table": ("as a table", "table", "tabla", "como tabla"),
    "kpi": ("kpi", "as a figure", "single figure", "cifra", "indicador"),
}

TIME_UNIT_WORDS: Final[Words] = {
    "day": ("by day", "per day", "daily", "por día", "por dia", "diario", "diaria"),
    "week": ("by week", "per week", "weekly", "por semana", "semanal"),
    "month": ("by month", "per month", "monthly", "por mes", "mensual", "por meses", "mes a mes"),
    "quarter": ("by quarter", "per quarter", "quarterly", "por trimestre", "trimestral"),
    "year": ("by year", "per year", "yearly", "annual", "por año", "anual"),
}

COLUMN_WORDS: Final[Words] = {
    "customer": ("customer", "customers", "client", "clients", "cliente", "clientes", "customer name"),
    "vendor": ("vendor", "vendors", "supplier", "suppliers", "proveedor", "proveedores"),
    "item": ("item", "items", "product", "products", "producto", "productos", "artículo", "artículos"),
    "country": ("country", "countries", "país", "países", "pais", "country region"),
    "city": ("city", "cities", "ciudad", "ciudades"),
    "salesperson": ("salesperson", "salespeople", "seller", "vendedor", "vendedores", "comercial", "comerciales"),
    "category": ("category", "categories", "categoría", "categorías", "type", "tipo"),
    "status": ("status", "state", "estado"),
    "company": ("company", "companies", "empresa", "empresas"),
    "currency": ("currency", "currencies", "moneda", "divisa"),
    "location": ("location", "warehouse", "almacén", "ubicación"),
}

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
