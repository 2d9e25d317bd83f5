"""What the ERP agent can be asked, as data: intents with example sentences, words of measures and dimensions."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from batuta.agents.erp.access import BALANCES, DESCRIBED, LEDGER, ErpAccess
from batuta.agents.erp.changes.understanding import change_intents
from batuta.agents.erp.measures.model import MeasureBook, Words
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.exclusions import EXCLUSION_WORDS
from batuta.agents.erp.questions.fields import compared_entity
from batuta.agents.erp.questions.figures import settle_measure
from batuta.agents.erp.questions.ledger import ACCOUNT_WORDS
from batuta.agents.erp.questions.limits import PLACE_WORDS
from batuta.agents.erp.questions.lists import (
    ASKED_FIELDS,
    EXTREME_WORDS,
    LISTED_FIELDS,
    ORDER_WORDS,
    SUM_WORDS,
    settle_list,
    settle_record,
    state_words,
)
from batuta.agents.erp.questions.members import ABSENCE_WORDS, NEW_WORDS
from batuta.agents.erp.questions.payments import payments_intent
from batuta.agents.erp.questions.periods import ALL_TIME_WORDS, EARLIER_WORDS
from batuta.agents.erp.questions.question import qualifier_words
from batuta.datasets.charts.vocabulary import CHART_WORDS, KIND_WORDS, LOOSE_KIND_WORDS
from batuta.language.choices import index_of
from batuta.language.findings import Language
from batuta.language.folding import fold
from batuta.language.understanding import Intent, Slot, Synonyms, Understanding

LISTING_WORDS = {
    "list": (
        "list", "show", "give me", "which", "what", "all", "display", "see", "lista", "listado", "ensename", "muestra",
        "muestrame", "dame", "que", "cuales", "todos", "todas", "ver",
    )
}  # fmt: skip
"""Without one of these a sentence that names customers or items is about them, and asks for no list."""
FIGURE_FILLERS = (
    "different distinct unique both detail details breakdown customer customers company money amount invoice invoices bill bills order orders document documents business figure figures "
    "most least more less well ago erp business central data report overview so far until be had been got year's net balance issue issued send sent post posted difference between long left leave leaves catalogue catalog some there's "
    "going goes doing gone went developing be still wich whats qe ke their its her his nor ni "
    "over versus vs against cumulative accumulated sort sorted order ordered from to dimension brought bring brings bringing generate generated generates contribute contributed contributes gave gives during within altogether actually really situation position level levels numbers happened "
    "chart graph plot draw visualise visualize diagram please instead split broken down grouped average averages averaged mean",
    "distintos distintas diferentes ambas detalle detalles cliente clientes empresa dinero importe factura facturas pedido pedidos documento documentos negocio cifra cifras datos "
    "informe resumen erp mas menos hace hasta tuvimos tuvo tenido hubo tenia teniamos habia llevamos hecho realizado realizados parte netas neto saldo emitir emitido emitidas emitimos enviamos enviado enviadas registramos registrado registradas diferencia diferencias entre asciende ascienden pasta hicimos hacemos dejan deja catalogo algun alguna algunos pagarnos llevan lleva "
    "van ir yendo marchan marcha faltan falta quedan queda q k x "
    "pero dimension ido fueron siendo frente contra acumulado acumulada acumuladas acumulados ordena ordenalo ordenala ordenalos ordenado ordenada ordenados ordenadas dado dan dieron dejado generado genera generan generaron aportado aporta aportan aportaron traido trae traen durante realmente aproximadamente situacion nivel niveles numeros concretamente "
    "grafico grafica graficos dibuja dibujame pinta pintame diagrama visualiza vez lugar "
    "promedio media medias medio desglosado desglosada desglosados desglosadas separado separada separados separadas agrupado agrupada",
    *(fold(word) for word in CHART_WORDS),
    *(fold(word) for kinds in (KIND_WORDS, LOOSE_KIND_WORDS) for words in kinds.values() for word in words),
)
"""Words of questions about figures that name no measure, split or limit: what they say is in the measure's own words."""
LIST_FILLERS = (
    "list record records located based live living whose name names called number numbers with erp full complete exist have ones issue send sent made make their its assigned look looks after handle handles responsible",
    "lista listado registro registros listar nombre nombres llamado numero numeros con erp completo completa existen tengan "
    "hay ficha fichas emitir emitio registrado registrados hicimos hecho enviamos su sus asignado asignada asignados asignadas lleva atiende cargo",
)
RECORD_FILLERS = (
    "phone telephone number email mail address city country price cost details detail card record data information info credit "
    "limit balance status contact website web blocked currency terms payment due date status stock find open look up paid posted "
    "settled shipped invoiced unpaid expire expires placed issued their its his her and",
    "telefono numero correo email mail direccion ciudad pais precio coste detalles detalle ficha registro datos informacion limite "
    "credito saldo estado contacto web bloqueado bloqueada moneda condiciones pago vencimiento fecha existencias abre consulta "
    "pagada pagado cobrada cobrado registrada registrado contabilizada vence vencio enviado enviada facturado facturada emitio emitida hizo su sus",
)
VENDOR_MEASURES = ("payables", "overdue_payables", "payables_due", "purchases")
"""Measures whose titles in an answer say that vendors were spoken of."""
COMPANY_WORDS = ("company", "empresa", "sociedad")
"""What stands before the name of a company of ours: without it a name may be a customer's."""

MEASURE_EXAMPLES: Mapping[Language, Sequence[str]] = {
    "en": (
        "Which customers owe us the most money?",
        "who owes us money",
        "sales by month this year",
        "revenue by country in Q3 compared with last year",
        "top 5 products by margin",
        "which products sell at a loss?",
        "how much did we sell last month?",
        "overdue invoices by customer",
        "invoices overdue by more than 60 days",
        "how much do we owe our suppliers?",
        "what is our stock worth?",
        "stock by category",
        "orders to ship by customer",
        "average invoice per salesperson",
        "what did customer Ana buy last year?",
        "show me sales of customers",
        "best customers of the last 12 months",
        "expenses by account year to date",
        "how many open orders do we have?",
        "what is our cash balance?",
        "days sales outstanding",
        "did we make money this quarter?",
        "total of open quotes",
        "who pays late?",
        "net income this year",
        "show each overdue invoice",
        "what did we sell in February?",
        "what is our gross margin?",
        "how much money do we have in the bank?",
        "how much is overdue and from whom",
        "how many customers do we have?",
        "number of vendors",
        "how long do customers take to pay?",
        "which supplier invoices are overdue?",
        "are we making money this year?",
        "which products are sold out?",
        "what goods are we still waiting to receive?",
        "invoiced amount before credit memos",
        "how much did we spend with suppliers?",
        "margin percentage by category",
        "average discount we gave this year",
        "how much is the rent per month?",
        "sales commissions of this quarter",
        "purchase invoices not paid yet",
        "total sales of the year so far",
        "which was the most expensive month in costs?",
        "how long do we take to pay suppliers?",
        "what will customers pay us in May?",
        "how much did our vendors bill us?",
        "is any customer behind with payments?",
    ),
    "es": (
        "¿Qué clientes nos deben más dinero?",
        "quién nos debe dinero",
        "ventas por mes este año",
        "facturación por país en el T3 comparada con el año pasado",
        "los 5 productos con más margen",
        "¿qué productos se venden con pérdida?",
        "¿cuánto vendimos el mes pasado?",
        "facturas vencidas por cliente",
        "facturas vencidas hace más de 60 días",
        "¿cuánto debemos a los proveedores?",
        "¿cuánto vale el almacén?",
        "existencias por categoría",
        "pedidos por enviar por cliente",
        "factura media por vendedor",
        "¿qué compró el cliente Ana el año pasado?",
        "enséñame las ventas de los clientes",
        "mejores clientes de los últimos 12 meses",
        "gastos por cuenta en lo que va de año",
        "¿cuántos pedidos abiertos tenemos?",
        "¿cuánto dinero tenemos en el banco?",
        "periodo medio de cobro",
        "¿hemos ganado dinero este trimestre?",
        "total de ofertas abiertas",
        "¿quiénes son los morosos?",
        "resultado de este año",
        "enséñame cada factura vencida",
        "¿cuánto vendimos en febrero?",
        "¿cuál es nuestro margen bruto?",
        "¿qué pedidos tenemos por enviar?",
        "cuánto hay vencido y de quién",
        "¿cuántos clientes tenemos?",
        "número de proveedores",
        "¿cuánto tardan los clientes en pagar?",
        "¿qué facturas de proveedores están vencidas?",
        "¿estamos ganando dinero este año?",
        "¿qué productos se han agotado?",
        "¿qué compras nos faltan por recibir?",
        "importe facturado sin descontar abonos",
        "¿cuánto hemos gastado con los proveedores?",
        "porcentaje de margen por categoría",
        "descuento medio que hicimos este año",
        "¿cuánto pagamos de alquiler al mes?",
        "comisiones de venta de este trimestre",
        "facturas de compra sin pagar",
        "facturación acumulada del año",
        "importe medio de las facturas de mayo",
        "productos vendidos por debajo del coste",
        "¿en cuántos días nos pagan los clientes?",
        "¿cuánto cobraremos en mayo?",
        "¿cuánto nos han facturado los proveedores?",
    ),
}


def erp_understanding(access: ErpAccess) -> Understanding:
    """The intents of the agent, over the names that the ERP holds now."""
    measures = (_measure_intent(access),) if access.measures.measures else ()
    reading = (
        *measures,
        _list_intent(access),
        _comparison_intent(),
        _record_intent(access),
        payments_intent(access),
        *_help_intents(access),
    )
    return Understanding(intents=(*reading, *change_intents(access)))


def _measure_intent(access: ErpAccess) -> Intent:
    book = access.measures
    return Intent(
        id="measure",
        tool="compute_measure",
        label={"en": "compute a figure from the ERP", "es": "calcular una cifra del ERP"},
        examples=MEASURE_EXAMPLES,
        slots=(
            Slot(
                name="measure",
                type="choice",
                is_required=True,
                values=measure_words(book),
                question={
                    "en": "Which figure: sales, margin, receivables, purchases, stock, orders …?",
                    "es": "¿Qué cifra: ventas, margen, pendiente de cobro, compras, existencias, pedidos …?",
                },
            ),
            Slot(name="qualifiers", type="choice", is_many=True, values=qualifier_words(book)),
            Slot(
                name="split_by",
                type="choice",
                is_many=True,
                values=dimension_words(book),
                is_grouping=True,
                stands_in=True,
            ),
            Slot(name="only", type="choice", is_many=True, values=access.all_names, is_narrowing=True),
            Slot(
                name="described", type="choice", is_many=True, values=lambda: access.names(DESCRIBED), has_names=False
            ),
            Slot(
                name="account",
                type="choice",
                is_many=True,
                values=lambda: access.names("account"),
                has_names=False,
                stands_in=True,
            ),
            Slot(
                name="ledger",
                type="choice",
                is_many=True,
                values=lambda: access.names(LEDGER),
                after=ACCOUNT_WORDS,
                has_names=False,
            ),
            Slot(
                name="balance_of", type="choice", is_many=True, values=lambda: access.names(BALANCES), has_names=False
            ),
            Slot(name="period", type="period"),
            Slot(name="earlier", type="choice", values=EARLIER_WORDS),
            Slot(name="all_time", type="choice", values=ALL_TIME_WORDS),
            Slot(name="compare", type="comparison"),
            Slot(name="absent", type="choice", values=ABSENCE_WORDS),
            Slot(name="newness", type="choice", values=NEW_WORDS),
            Slot(name="except", type="choice", values=EXCLUSION_WORDS),
            Slot(name="place", type="choice", values=PLACE_WORDS),
            Slot(name="bound", type="bound"),
            Slot(name="top", type="limit"),
            Slot(name="ranking", type="ranking"),
            Slot(name="sum", type="flag", values=SUM_WORDS, asks_more=True),
            Slot(name="side", type="found", find=_side_spoken_of(access)),
            Slot(
                name="company",
                type="choice",
                values=lambda: access.names("company"),
                after=COMPANY_WORDS,
            ),
        ),
        gives="dataset",
        reads_every_word=True,
        fillers=FIGURE_FILLERS,
        settle=settle_measure(access, measure_words(book)),
    )


def _side_spoken_of(access: ErpAccess) -> Callable[[str, str], str | None]:
    """Whose a figure may be that is asked for without saying it: the vendors' where the last answer was about them."""
    sides = {kind: dimension_words(access.measures)[f"{SPLIT_PREFIX}{kind}"] for kind in ("customer", "vendor")}
    titles = tuple(title for name in VENDOR_MEASURES for title in access.measures.measures[name].title.values())

    def find(text: str, last: str) -> str | None:
        is_said = bool(index_of(sides).find(text))
        return "vendor" if not is_said and any(title in last for title in titles) else None

    return find


def _list_intent(access: ErpAccess) -> Intent:
    return Intent(
        id="list_records",
        tool="read_records",
        label={"en": "list records of the ERP", "es": "listar registros del ERP"},
        examples={
            "en": (
                "list our customers", "show me all vendors", "give me the list of items",
                "which bank accounts are there?", "show the open sales orders", "list the employees",
                "show payment terms", "list of purchase orders",
                "show me the sales quotes", "what item categories are there?",
            ),
            "es": (
                "lista de clientes", "enséñame todos los proveedores", "dame la lista de productos",
                "¿qué cuentas bancarias tenemos?", "muéstrame los pedidos de venta", "lista de empleados",
                "muestra las condiciones de pago", "lista de pedidos de compra", "enséñame las ofertas de venta",
                "¿qué categorías de producto hay?",
            ),
        },
        slots=(
            Slot(
                name="entity",
                type="choice",
                is_required=True,
                values=lambda: access.catalogue.words, has_names=False,
                question={"en": "Which records: customers, vendors, items, orders …?",
                          "es": "¿Qué registros: clientes, proveedores, productos, pedidos …?"},
            ),
            Slot(
                name="asked", type="flag", is_required=True, values=LISTING_WORDS,
                question={"en": "Do you want a list of them?", "es": "¿Quieres una lista?"},
            ),
            Slot(name="states", type="choice", is_many=True, values=state_words(), asks_more=True),
            Slot(name="fields", type="choice", is_many=True, values=LISTED_FIELDS),
            Slot(name="sum", type="flag", values=SUM_WORDS, asks_more=True),
            Slot(name="extreme", type="choice", values=EXTREME_WORDS),
            Slot(name="except", type="choice", values=EXCLUSION_WORDS),
            Slot(name="only", type="choice", is_many=True, values=access.all_names, is_narrowing=True),
            Slot(name="described", type="choice", is_many=True, values=lambda: access.names(DESCRIBED), has_names=False),
            Slot(name="period", type="period"),
            Slot(name="bound", type="bound"),
            Slot(name="order", type="choice", values=ORDER_WORDS),
            Slot(name="limit", type="limit"),
            Slot(name="company", type="choice", values=lambda: access.names("company"), after=COMPANY_WORDS),
        ),
        gives="dataset",
        reads_every_word=True,
        fillers=LIST_FILLERS,
        settle=settle_list(access),
    )  # fmt: skip


def _comparison_intent() -> Intent:
    return Intent(
        id="compare_fields",
        tool="read_records",
        label={"en": "compare two figures of records", "es": "comparar dos cifras de los registros"},
        examples={
            "en": ("scatter of stock against price", "plot price versus cost", "balance against credit limit"),
            "es": ("dispersión de existencias frente a precio", "precio contra coste", "saldo frente a límite de crédito"),
        },
        slots=(Slot(name="entity", type="found", find=compared_entity, is_required=True, is_conclusive=True),),
        gives="dataset",
    )  # fmt: skip


def _record_intent(access: ErpAccess) -> Intent:
    return Intent(
        id="find_record",
        tool="find_record",
        label={"en": "show one record of the ERP", "es": "mostrar un registro del ERP"},
        examples={
            "en": (
                "show me the customer Ana", "what is the phone number of the vendor Bosch?", "details of the item Desk",
                "the address of our customer Casa Lola", "customer card of Ana", "show item 1000",
                "is the customer Ana blocked?", "what is the price of the desk?",
            ),
            "es": (
                "enséñame el cliente Ana", "¿cuál es el teléfono del proveedor Bosch?", "detalles del producto Mesa",
                "la dirección de nuestro cliente Casa Lola", "ficha del cliente Ana", "muestra el producto 1000",
                "¿está bloqueado el cliente Ana?", "¿cuál es el precio de la mesa?",
            ),
        },
        slots=(
            Slot(
                name="entity", type="choice", is_required=True, values=lambda: access.catalogue.words, has_names=False,
                question={"en": "A customer, a vendor, an item, an invoice …?",
                          "es": "¿Un cliente, un proveedor, un producto, una factura …?"},
            ),
            Slot(
                name="which", type="choice", is_required=True, values=access.all_names, is_narrowing=True,
                question={"en": "Which one? Its name or number.", "es": "¿Cuál? Su nombre o número."},
            ),
            Slot(name="code", type="code"),
            Slot(name="asked", type="choice", is_many=True, values=ASKED_FIELDS, asks_more=True),
            Slot(name="company", type="choice", values=lambda: access.names("company"), after=COMPANY_WORDS),
        ),
        arguments={"fields": "asked"},
        reads_every_word=True,
        fillers=RECORD_FILLERS,
        settle=settle_record(access, lambda: access.catalogue.words),
    )  # fmt: skip


def _help_intents(access: ErpAccess) -> tuple[Intent, ...]:
    workflows = {one.id: tuple(one.title.values()) for one in access.catalogue.workflows.values()}
    return (
        Intent(
            id="workflow",
            tool="workflow_steps",
            label={"en": "explain a process of the ERP", "es": "explicar un proceso del ERP"},
            examples={
                "en": ("how do I register a payment in the ERP?", "steps from quote to cash",
                       "how is an invoice corrected?", "how do I create a customer?",
                       "which processes do you know in the ERP?"),
                "es": ("¿cómo registro un cobro en el ERP?", "pasos de la oferta al cobro",
                       "¿cómo se corrige una factura?", "¿cómo doy de alta un cliente?",
                       "¿qué procesos del ERP conoces?"),
            },
            slots=(Slot(name="workflow", type="choice", values=workflows),),
        ),
        Intent(
            id="entity_details",
            tool="entity_details",
            label={"en": "describe the fields of the ERP's API", "es": "describir los campos de la API del ERP"},
            examples={
                "en": ("which fields does a sales invoice have in the API?", "what can I filter customers by?",
                       "describe the entity items", "which actions has a sales order?"),
                "es": ("¿qué campos tiene una factura de venta en la API?", "¿por qué puedo filtrar clientes?",
                       "describe la entidad productos", "¿qué acciones tiene un pedido de venta?"),
            },
            slots=(
                Slot(name="entity", type="choice", is_required=True, values=lambda: access.catalogue.words, has_names=False,
                     question={"en": "Of which entity?", "es": "¿De qué entidad?"}),
            ),
        ),
    )  # fmt: skip


_OF_ONE_OWNER: Mapping[str, Sequence[str]] = {
    "we": ("i",), "our": ("my",), "us": ("me",), "are we": ("am i",),
    "nos": ("me",), "nuestro": ("mi",), "nuestra": ("mi",), "nuestros": ("mis",), "nuestras": ("mis",),
    "hemos": ("he",), "tenemos": ("tengo",), "debemos": ("debo",), "debíamos": ("debía",), "adeudamos": ("adeudo",),
    "vendemos": ("vendo",), "vendimos": ("vendí",), "facturamos": ("facturo", "facturé"), "cobramos": ("cobré",),
    "compramos": ("compro", "compré"), "pagamos": ("pagué",), "gastamos": ("gasté",), "ganamos": ("gano", "gané"),
    "perdemos": ("pierdo",), "cobraremos": ("cobraré",), "pagaremos": ("pagaré",), "tardamos": ("tardo",),
    "vamos a": ("voy a",), "estamos": ("estoy",), "somos": ("soy",),
}  # fmt: skip
"""What an owner says alone where the words of a figure speak of several. Words that also say something else are none:
"pago" is a payment, too.
"""


def measure_words(book: MeasureBook) -> Synonyms:
    """Measures by what people call them, in both languages: "we owe", and "I owe" of who owns the business alone."""
    return {one.id: _with_one_owner(_all_words(one.words, one.title.values())) for one in book.measures.values()}


def _with_one_owner(words: Sequence[str]) -> tuple[str, ...]:
    """Words and phrases, and what they are where one person speaks."""
    found = list(words)
    for said, alone in _OF_ONE_OWNER.items():
        pattern = re.compile(rf"(?<!\w){said}(?!\w)")
        found += [pattern.sub(one, word) for word in found if pattern.search(word) for one in alone]
    return tuple(dict.fromkeys(found))


def dimension_words(book: MeasureBook) -> Synonyms:
    """Dimensions by what people call them; `by_`, because a bare `year` is said of periods too."""
    return {f"{SPLIT_PREFIX}{one.id}": _all_words(one.words, ()) for one in book.dimensions.values()}


def _all_words(words: Words, titles: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(word for language in words.values() for word in language), *titles]))
