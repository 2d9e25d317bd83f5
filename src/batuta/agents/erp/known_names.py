"""What people call things whose records hold another word: countries by their codes, accounts by what they are for."""

from collections.abc import Iterable, Mapping, Sequence

from batuta.language.findings import Language
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

NATIONALITIES: Mapping[str, tuple[str, str]] = {
    "AT": ("Austrian", "austríac"), "BE": ("Belgian", "belga"), "BR": ("Brazilian", "brasileñ"),
    "CA": ("Canadian", "canadiense"), "CH": ("Swiss", "suiz"), "CN": ("Chinese", "chin"),
    "CZ": ("Czech", "chec"), "DE": ("German", "aleman"), "DK": ("Danish", "danes"),
    "ES": ("Spanish", "español"), "FI": ("Finnish", "finlandes"), "FR": ("French", "frances"),
    "GB": ("British", "británic"), "GR": ("Greek", "grieg"), "IE": ("Irish", "irlandes"),
    "IT": ("Italian", "italian"), "JP": ("Japanese", "japones"), "MA": ("Moroccan", "marroquí"),
    "MX": ("Mexican", "mexican"), "NL": ("Dutch", "holandes"), "NO": ("Norwegian", "norueg"),
    "PL": ("Polish", "polac"), "PT": ("Portuguese", "portugues"), "SE": ("Swedish", "suec"),
    "US": ("American", "estadounidense"),
}  # fmt: skip
"""Adjectives of countries: the English one, and the beginning of the Spanish ones."""
_OF_A_COUNTRY: Mapping[Language, tuple[str, ...]] = {
    "en": ("customers", "clients", "vendors", "suppliers", "market"),
    "es": ("clientes", "clientas", "proveedores", "mercado"),
}
"""What has a nationality. The adjective alone may be a language: "sales by month, in Spanish please"."""
_ENDINGS = ("", "o", "a", "os", "as", "es", "s")


_CODED = ("salesperson", "sales rep", "rep", "vendedor", "vendedora", "comercial")
"""What stands before the code of a salesperson, which is too short to be known by itself."""


def descriptions(countries: Iterable[str], salespeople: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Countries and salespeople by phrases of which no part means them: "Spanish customers", "vendedor MR"."""
    found = {code: _people_of(*NATIONALITIES[code]) for code in countries if code in NATIONALITIES}
    return found | {code: tuple(f"{noun} {code}" for noun in _CODED) for code in salespeople}


def _people_of(english: str, spanish: str) -> tuple[str, ...]:
    of_people = (f"{english} {noun}" for noun in _OF_A_COUNTRY["en"])
    de_gente = (f"{noun} {spanish}{ending}" for noun in _OF_A_COUNTRY["es"] for ending in _ENDINGS)
    return (*of_people, *de_gente)


def accounts_by_name(found: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The numbers of accounts of the ledger, by name; one that several of a chart share tells none of them."""
    numbers: dict[str, set[str]] = {}
    for name, number in found:
        numbers.setdefault(name, set()).add(number)
    return {name: tuple(own) for name, own in numbers.items() if len(own) == 1}


ACCOUNT_SUBJECTS: Sequence[Sequence[str]] = (
    ("rent", "rental", "lease", "leasing", "alquiler", "alquileres", "arrendamiento", "arrendamientos"),
    ("salaries", "salary", "wages", "payroll", "staff", "personnel", "salarios", "sueldos", "nóminas", "nómina",
     "personal"),
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
