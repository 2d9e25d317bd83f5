"""What people call things whose records hold another word: countries by their codes, accounts by what they are for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from batuta.language.findings import Language
from batuta.language.folding import words_of
from batuta.language.nationalities import NATIONALITIES, spanish_forms

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

_OF_A_COUNTRY: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "{} customers", "{} customer", "{} clients", "{} client", "{} vendors", "{} vendor", "{} suppliers",
        "{} supplier", "{} companies", "{} buyers", "{} market", "{} ones", "{} accounts", "only {}", "only the {}",
        "only the {}s", "just the {}", "just the {}s", "the {}s", "that are {}", "who are {}",
    ),
    "es": (
        "clientes {}", "cliente {}", "clientas {}", "clienta {}", "proveedores {}", "proveedor {}", "empresas {}",
        "compradores {}", "mercado {}", "solo {}", "solo los {}", "solo las {}", "los {}", "las {}", "que son {}",
        "que sean {}",
    ),
}  # fmt: skip
"""How a nationality is said of somebody. The adjective alone may be a language: "sales by month, in Spanish please"."""

_SHORT: Mapping[str, tuple[str, ...]] = {"GB": ("UK",), "US": ("USA", "EEUU", "EE UU")}
"""Countries by letters that are no name of anything else."""
_CODED = ("salesperson", "sales rep", "rep", "vendedor", "vendedora", "comercial")
"""What stands before the code of a salesperson, which is too short to be known by itself."""


def descriptions(countries: Iterable[str], salespeople: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Countries and salespeople by phrases of which no part means them: "Spanish customers", "vendedor MR"."""
    found = {code: (*_people_of(code), *_SHORT.get(code, ())) for code in countries if code in NATIONALITIES}
    return found | {code: tuple(f"{noun} {code}" for noun in _CODED) for code in salespeople}


def _people_of(code: str) -> tuple[str, ...]:
    adjectives: dict[Language, Sequence[str]] = {"en": NATIONALITIES[code][:1], "es": spanish_forms(code)}
    return tuple(
        said.format(each)
        for language in adjectives
        for said in _OF_A_COUNTRY[language]
        for each in adjectives[language]
    )


def accounts_by_name(found: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The numbers of accounts of the ledger, by name; one that several of a chart share tells none of them."""
    numbers: dict[str, set[str]] = {}
    for name, number in found:
        numbers.setdefault(name, set()).add(number)
    return {name: tuple(own) for name, own in numbers.items() if len(own) == 1}


OF_ACCOUNT = "account: "
"""Before the name of an account: by the name alone a figure may be meant, such as the cost of goods sold."""
_BALANCE_OF = (
    "{} balance", "balance of {}", "balance of the {}", "balance on the {}", "balance of our {}", "balance on our {}",
    "saldo de {}", "saldo del {}", "saldo de la {}", "saldo de los {}", "saldo de las {}", "saldo de nuestro {}",
)  # fmt: skip
"""How an account is called without saying that it is one."""
_BALANCE_SUBJECTS = (
    ("bank loan", "préstamo bancario", "préstamo del banco"),
    ("loan", "préstamo"),
    ("share capital", "capital social"),
    ("retained earnings", "reservas", "resultados acumulados"),
    ("accumulated depreciation", "amortización acumulada"),
)


def account_balances(accounts: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Phrases that ask for the balance of an account, by its name: "bank loan balance", "saldo del préstamo".

    Names of one word are those of figures as well ("cash balance"), and a word that several accounts share tells none.
    """
    said = {name: set(words_of(name)) for name in accounts if len(words_of(name)) > 1}
    words = {
        name: {name, *(word for group in _BALANCE_SUBJECTS if set(words_of(group[0])) <= own for word in group)}
        for name, own in said.items()
    }
    counts = Counter(word for own in words.values() for word in own)
    return {
        f"{OF_ACCOUNT}{name}": tuple(
            pattern.format(word) for word in sorted(own) if counts[word] == 1 for pattern in _BALANCE_OF
        )
        for name, own in words.items()
    }


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


GOODS: Sequence[tuple[Sequence[str], Sequence[str]]] = (
    (("chairs", "seats"), ("sillas", "asientos")),
    (("tables",), ("mesas",)),
    (("sofas", "couches", "settees"), ("sofás",)),
    (("armchairs",), ("sillones", "butacas")),
    (("stools",), ("taburetes",)),
    (("benches",), ("bancos",)),
    (("beds",), ("camas",)),
    (("mattresses",), ("colchones",)),
    (("wardrobes", "closets"), ("armarios",)),
    (("shelves", "shelving"), ("estanterías",)),
    (("desks",), ("escritorios",)),
    (("lamps", "lighting"), ("lámparas", "iluminación")),
    (("furniture",), ("muebles", "mobiliario")),
    (("carpets", "rugs"), ("alfombras",)),
    (("curtains",), ("cortinas",)),
    (("cushions",), ("cojines",)),
    (("shade", "sunshades", "awnings"), ("sombra", "toldos")),
    (("umbrellas", "parasols"), ("sombrillas", "parasoles")),
    (("plants",), ("plantas",)),
    (("flowers",), ("flores",)),
    (("trees",), ("árboles",)),
    (("garden",), ("jardín",)),
    (("accessories",), ("accesorios", "complementos")),
    (("spare parts", "spares", "parts"), ("repuestos", "recambios", "piezas de recambio")),
    (("tools",), ("herramientas",)),
    (("machines", "machinery"), ("máquinas", "maquinaria")),
    (("packaging",), ("envases", "embalaje", "embalajes")),
    (("raw materials",), ("materias primas",)),
    (("consumables",), ("consumibles",)),
    (("services",), ("servicios",)),
    (("drinks", "beverages"), ("bebidas",)),
    (("food",), ("alimentación", "alimentos")),
    (("wines",), ("vinos",)),
    (("books",), ("libros",)),
    (("toys",), ("juguetes",)),
    (("clothes", "clothing"), ("ropa",)),
    (("shoes", "footwear"), ("zapatos", "calzado")),
    (("bicycles", "bikes"), ("bicicletas", "bicis")),
    (("tyres", "tires"), ("neumáticos",)),
    (("computers",), ("ordenadores",)),
    (("screens", "monitors"), ("pantallas", "monitores")),
    (("cables",), ("cables",)),
    (("paints",), ("pinturas",)),
    (("tiles",), ("azulejos", "baldosas")),
    (("doors",), ("puertas",)),
    (("windows",), ("ventanas",)),
    (("kitchen",), ("cocina",)),
    (("bathroom",), ("baño",)),
    (("office",), ("oficina",)),
    (("outdoor",), ("exterior",)),
)
"""What categories of items are called in one language and the other."""
_SAID_OF_GOODS = ("of {}", "of the {}", "of our {}", "many {}", "the {} sold", "{} sold", "{} and", "and {}", "in {}")
"""How goods are said that are called as a table of figures is: the word alone asks for that."""
_ALSO_A_FORM = frozenset({"tables"})


def category_words(names: Iterable[str]) -> tuple[str, ...]:
    """What a category is also called, in one language and the other, where its name or code is a word of these."""
    known = {" ".join(words_of(name)) for name in names}
    found = [group for group in GOODS if known & {" ".join(words_of(word)) for words in group for word in words}]
    said = dict.fromkeys(
        word for group in found for words in group for word in words if " ".join(words_of(word)) not in known
    )
    return tuple(
        phrase
        for word in said
        for phrase in ([each.format(word) for each in _SAID_OF_GOODS] if word in _ALSO_A_FORM else [word])
    )


def account_words(name: str) -> tuple[str, ...]:
    """What people call an account: its name, and every word for what its name says it is for."""
    said = set(words_of(name))
    known = [words for words in ACCOUNT_SUBJECTS if any(set(words_of(word)) <= said for word in words)]
    return tuple(dict.fromkeys((name, *(word for words in known for word in words))))
