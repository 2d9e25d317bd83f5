"""The two firms of the demo: who they are, whom they trade with, what they sell. All names are invented."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True)
class Place:
    city: str
    country: str
    post_code: str
    area: str


@dataclass(frozen=True, kw_only=True)
class ProductFamily:
    """A category with its products: models are combined with variants; prices are in local currency."""

    code: str
    name: str
    models: tuple[str, ...]
    variants: tuple[str, ...]
    price: tuple[int, int]
    tax_group: str = "STANDARD"


@dataclass(frozen=True, kw_only=True)
class CompanyProfile:
    """Everything that makes one firm different from the other."""

    name: str
    display_name: str
    country: str
    place: Place
    street: str
    tax_rates: tuple[str, str, str]
    seed: int
    foreign_currency: tuple[str, str, str, Decimal]
    """Code, name, symbol, and local currency for one unit at the start."""
    season: tuple[int, ...]
    """Weight of each month."""
    places: tuple[Place, ...]
    customer_names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    """Kind of business, own name, legal form."""
    vendor_names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    families: tuple[ProductFamily, ...]
    services: tuple[tuple[str, int], ...]
    salespeople: tuple[tuple[str, str], ...]
    vendor_places: tuple[Place, ...]


_ES = "ES"
SPANISH = CompanyProfile(
    name="Sierra Clara",
    display_name="Sierra Clara Exterior, S.L.",
    country=_ES,
    place=Place(city="Valencia", country=_ES, post_code="46015", area="EAST"),
    street="Calle de los Tejedores 14",
    tax_rates=("21", "10", "4"),
    seed=4711,
    foreign_currency=("USD", "US dollar", "$", Decimal("0.92")),
    season=(4, 5, 9, 13, 16, 15, 11, 6, 7, 6, 5, 9),
    places=(
        Place(city="Madrid", country=_ES, post_code="28010", area="CENTRE"),
        Place(city="Barcelona", country=_ES, post_code="08018", area="NORTH"),
        Place(city="Sevilla", country=_ES, post_code="41003", area="SOUTH"),
        Place(city="Bilbao", country=_ES, post_code="48009", area="NORTH"),
        Place(city="Valencia", country=_ES, post_code="46004", area="EAST"),
        Place(city="Málaga", country=_ES, post_code="29015", area="SOUTH"),
        Place(city="Palma", country=_ES, post_code="07012", area="EAST"),
        Place(city="Lyon", country="FR", post_code="69003", area="ABROAD"),
        Place(city="Porto", country="PT", post_code="4050-018", area="ABROAD"),
        Place(city="Milano", country="IT", post_code="20121", area="ABROAD"),
        Place(city="München", country="DE", post_code="80331", area="ABROAD"),
        Place(city="Miami", country="US", post_code="33132", area="ABROAD"),
        Place(city="Genève", country="CH", post_code="1204", area="ABROAD"),
    ),
    customer_names=(
        ("Hoteles", "Jardines", "Terrazas", "Muebles", "Viveros", "Resort", "Camping", "Balneario", "Decoración",
         "Espacios"),
        ("Marola", "Brisaluna", "Encinar", "Tramontés", "Azahara", "Rocafría", "Olmedillo", "Lucerval", "Montenube",
         "Piedrasol", "Almarza", "Ventisol", "Calablanca", "Vegaclara", "Sotomar", "Aldarún", "Peñaverde", "Ribalta"),
        ("S.L.", "S.A.", "e Hijos", "y Cía.", "S.C."),
    ),
    vendor_names=(
        ("Maderas", "Textiles", "Aluminios", "Forjas", "Logística", "Plásticos", "Cerámicas", "Holz", "Tissus"),
        ("Urbasa", "Lanamar", "Ferrolid", "Arganda", "Transvega", "Polival", "Barroquel", "Steinbach", "Valloise"),
        ("S.A.", "S.L.", "GmbH", "SARL"),
    ),
    families=(
        ProductFamily(
            code="MESAS", name="Mesas", models=("Almendro", "Sabina", "Nogal", "Retama", "Quejigo", "Abeto"),
            variants=("redonda 90", "120", "160", "180 extensible", "220"), price=(180, 950),
        ),
        ProductFamily(
            code="SILLAS", name="Sillas", models=("Jara", "Tomillo", "Brezo", "Romero", "Salvia", "Lavanda"),
            variants=("apilable", "con brazos", "plegable", "alta"), price=(45, 190),
        ),
        ProductFamily(
            code="SOFAS", name="Sofás y tumbonas", models=("Duna", "Marea", "Cala", "Bahía", "Islote"),
            variants=("tumbona", "2 plazas", "3 plazas", "rinconera"), price=(220, 1400),
        ),
        ProductFamily(
            code="SOMBRA", name="Sombra", models=("Toldo Cierzo", "Parasol Levante", "Pérgola Garbí", "Vela Poniente"),
            variants=("2 m", "3 m", "4 m", "5 m"), price=(90, 1900),
        ),
        ProductFamily(
            code="ACCESORIOS", name="Accesorios", models=("Cojín Lino", "Maceta Barro", "Farol Taller", "Funda Lluvia"),
            variants=("S", "M", "L", "XL"), price=(12, 85),
        ),
        ProductFamily(
            code="PLANTAS", name="Plantas", models=("Olivo", "Buganvilla", "Limonero", "Boj"),
            variants=("joven", "mediano", "grande"), price=(18, 140), tax_group="REDUCED",
        ),
    ),
    services=(("Montaje en destino", 45), ("Proyecto de terraza", 380)),
    salespeople=(("MR", "Marta Robledo"), ("JL", "Julián Lechuga"), ("NT", "Nuria Tarrés"), ("DO", "David Olaizola")),
    vendor_places=(
        Place(city="Zaragoza", country=_ES, post_code="50018", area="NORTH"),
        Place(city="Alicante", country=_ES, post_code="03005", area="EAST"),
        Place(city="Toulouse", country="FR", post_code="31000", area="ABROAD"),
        Place(city="Stuttgart", country="DE", post_code="70173", area="ABROAD"),
        Place(city="Savannah", country="US", post_code="31401", area="ABROAD"),
    ),
)  # fmt: skip
PORTUGUESE = CompanyProfile(
    name="Vento Norte",
    display_name="Vento Norte Equipamentos, Lda.",
    country="PT",
    place=Place(city="Braga", country="PT", post_code="4700-035", area="NORTH"),
    street="Rua das Oficinas 88",
    tax_rates=("23", "13", "6"),
    seed=1903,
    foreign_currency=("GBP", "Pound sterling", "£", Decimal("1.16")),
    season=(9, 9, 10, 8, 8, 7, 6, 4, 9, 10, 11, 12),
    places=(
        Place(city="Lisboa", country="PT", post_code="1100-038", area="SOUTH"),
        Place(city="Porto", country="PT", post_code="4050-018", area="NORTH"),
        Place(city="Coimbra", country="PT", post_code="3000-150", area="CENTRE"),
        Place(city="Faro", country="PT", post_code="8000-076", area="SOUTH"),
        Place(city="Vigo", country=_ES, post_code="36201", area="ABROAD"),
        Place(city="Salamanca", country=_ES, post_code="37001", area="ABROAD"),
        Place(city="Bristol", country="GB", post_code="BS1 4ST", area="ABROAD"),
    ),
    customer_names=(
        ("Cafés", "Padaria", "Restaurante", "Pastelaria", "Hotel", "Cantina", "Catering"),
        ("Marinhal", "Rosmano", "Alvorinha", "Serralves Sul", "Lagoa Fria", "Outeirinho", "Pedralva", "Zimbrais"),
        ("Lda.", "S.A.", "e Filhos", "Unipessoal"),
    ),
    vendor_names=(
        ("Metalomecânica", "Vidros", "Inox", "Máquinas", "Transportes"),
        ("Douro Velho", "Tâmega", "Arrábal", "Barlavento", "Corgo"),
        ("Lda.", "S.A."),
    ),
    families=(
        ProductFamily(
            code="MAQUINAS", name="Máquinas de café", models=("Brasa", "Faísca", "Aurora"),
            variants=("1 grupo", "2 grupos", "3 grupos"), price=(900, 4200),
        ),
        ProductFamily(
            code="MOINHOS", name="Moinhos", models=("Grão", "Pedra"), variants=("manual", "automático", "duplo"),
            price=(150, 900),
        ),
        ProductFamily(
            code="LOUCA", name="Louça", models=("Chávena Lis", "Prato Onda", "Copo Mar"),
            variants=("caixa 6", "caixa 12", "caixa 24"), price=(18, 95),
        ),
        ProductFamily(
            code="CAFE", name="Café", models=("Lote Cedo", "Lote Tarde"), variants=("1 kg", "5 kg", "10 kg"),
            price=(14, 130), tax_group="REDUCED",
        ),
    ),
    services=(("Instalação", 60), ("Manutenção anual", 240)),
    salespeople=(("AC", "Alice Carvalhal"), ("RP", "Rui Pedrosa")),
    vendor_places=(
        Place(city="Aveiro", country="PT", post_code="3800-200", area="NORTH"),
        Place(city="Leiria", country="PT", post_code="2400-120", area="CENTRE"),
        Place(city="Leeds", country="GB", post_code="LS1 4DY", area="ABROAD"),
    ),
)  # fmt: skip
PROFILES = (SPANISH, PORTUGUESE)
