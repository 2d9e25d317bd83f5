"""What people call things whose records hold another word: countries by their codes, accounts by what they are for."""

from collections.abc import Mapping, Sequence

from batuta.language.folding import words_of

COUNTRY_NAMES: Mapping[str, tuple[str, ...]] = {
    "AT": ("Austria",), "BE": ("Belgium", "Bélgica"), "BR": ("Brazil", "Brasil"), "CA": ("Canada", "Canadá"),
    "CH": ("Switzerland", "Suiza"), "CN": ("China",), "CZ": ("Czechia", "Chequia"), "DE": ("Germany", "Alemania"),
    "DK": ("Denmark", "Dinamarca"), "ES": ("Spain", "España"), "FI": ("Finland", "Finlandia"),
    "FR": ("France", "Francia"), "GB": ("United Kingdom", "UK", "Reino Unido"), "GR": ("Greece", "Grecia"),
    "IE": ("Ireland", "Irlanda"), "IT": ("Italy", "Italia"), "JP": ("Japan", "Japón"), "MA": ("Morocco", "Marruecos"),
    "MX": ("Mexico", "México"), "NL": ("Netherlands", "Países Bajos", "Holanda"), "NO": ("Norway", "Noruega"),
    "PL": ("Poland", "Polonia"), "PT": ("Portugal",), "SE": ("Sweden", "Suecia"),
    "US": ("United States", "USA", "Estados Unidos"),
}  # fmt: skip
"""What people call countries whose codes the records hold, in both languages."""

ACCOUNT_SUBJECTS: Sequence[Sequence[str]] = (
    ("rent", "rental", "lease", "leasing", "alquiler", "alquileres", "arrendamiento", "arrendamientos"),
    ("salaries", "salary", "wages", "payroll", "salarios", "sueldos", "nóminas", "nómina"),
    ("electricity", "energy", "electricidad", "luz", "energía"),
    ("heating", "calefacción"),
    ("utilities", "suministros"),
    ("water", "agua"),
    ("insurance", "insurances", "seguro", "seguros"),
    ("advertising", "marketing", "publicidad", "propaganda"),
    ("freight", "transport", "carriage", "transporte", "transportes", "portes", "fletes", "flete"),
    ("vehicles", "vehículos", "coches"),
    ("fuel", "petrol", "combustible", "gasolina"),
    ("software", "licences", "licenses", "licencias"),
    ("telephone", "communications", "teléfono", "telefonía", "comunicaciones"),
    ("internet",),
    ("depreciation", "amortisation", "amortization", "amortización", "amortizaciones", "depreciación"),
    ("interest", "interests", "intereses", "interés"),
    ("travel", "trips", "viajes", "desplazamientos"),
    ("repairs", "maintenance", "reparaciones", "mantenimiento"),
    ("office supplies", "stationery", "material de oficina", "papelería"),
    ("cleaning", "limpieza"),
    ("consulting", "advisers", "advisors", "legal", "asesoría", "consultoría", "abogados"),
    ("training", "formación"),
    ("bank charges", "bank fees", "comisiones bancarias"),
    ("taxes", "tributos", "impuestos"),
    ("social security", "seguridad social"),
)  # fmt: skip
"""What expense accounts are kept for: each line one thing, in the words of both languages."""


def account_words(name: str) -> tuple[str, ...]:
    """What people call an account: its name, and every word for what its name says it is for."""
    said = set(words_of(name))
    known = [words for words in ACCOUNT_SUBJECTS if any(set(words_of(word)) <= said for word in words)]
    return tuple(dict.fromkeys((name, *(word for words in known for word in words))))
