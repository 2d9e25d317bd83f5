"""What the words of a question for records mean: conditions on the fields of a list, or one record."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess
from batuta.agents.erp.naming import LINES_FIELD
from batuta.agents.erp.questions.exclusions import excluded_names, unused_exclusions
from batuta.agents.erp.questions.periods import due_period
from batuta.agents.erp.questions.question import noun_of, unnamed_owner
from batuta.connectors.business_central.catalogue import CatalogueEntity
from batuta.language.choices import index_of
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed, fold
from batuta.language.understanding import Settled, Synonyms

_COUNTS = re.compile(r"\b(?:how many|how much|number of|cuant[oa]s?|numero de)\b")
_ASKS_WHEN = re.compile(r"^\W*(?:when|cuando)\b")
STATES: Mapping[str, tuple[Sequence[str], Mapping[str, tuple[str, str, Any]]]] = {
    "blocked": (
        ("blocked", "bloqueado", "bloqueada", "bloqueados", "bloqueadas"),
        {"customers": ("blocked", "ne", "_x0020_"), "vendors": ("blocked", "ne", "_x0020_"),
         "items": ("blocked", "eq", True)},
    ),
    "open": (
        ("open", "unpaid", "abierto", "abierta", "abiertos", "abiertas", "pendiente", "pendientes", "sin pagar",
         "sin cobrar"),
        {"salesInvoices": ("status", "eq", "Open"), "purchaseInvoices": ("status", "eq", "Open"),
         "salesOrders": ("fullyShipped", "eq", False), "purchaseOrders": ("fullyReceived", "eq", False),
         "salesQuotes": ("status", "ne", "Accepted")},
    ),
    "paid": (
        ("paid", "settled", "pagada", "pagadas", "cobrada", "cobradas", "pagado", "pagados"),
        {"salesInvoices": ("status", "eq", "Paid"), "purchaseInvoices": ("status", "eq", "Paid")},
    ),
    "posted": (
        ("posted", "post", "issued", "emitida", "emitidas", "emitimos", "registrada", "registradas"),
        {"salesInvoices": ("status", "ne", "Draft"), "purchaseInvoices": ("status", "ne", "Draft"),
         "salesCreditMemos": ("status", "ne", "Draft"), "purchaseCreditMemos": ("status", "ne", "Draft")},
    ),
    "settled": (
        ("no balance", "no outstanding balance", "without a balance", "without balance", "zero balance", "no debt",
         "no debts", "without debt", "without debts", "nothing outstanding", "nothing open", "owe nothing",
         "owe us nothing", "owing nothing", "sin saldo", "sin saldo pendiente", "saldo cero", "saldo a cero",
         "sin deuda", "sin deudas", "sin nada pendiente", "nada pendiente", "no deben nada",
         "no nos deben nada", "no debe nada"),
        {"customers": ("balanceDue", "eq", 0), "vendors": ("balance", "eq", 0)},
    ),
    "draft": (
        ("draft", "drafts", "borrador", "borradores", "sin registrar", "unposted"),
        {"salesInvoices": ("status", "eq", "Draft"), "purchaseInvoices": ("status", "eq", "Draft"),
         "salesOrders": ("status", "eq", "Draft"), "salesCreditMemos": ("status", "eq", "Draft")},
    ),
}  # fmt: skip
"""States that people name: their words, and the condition they are of each entity."""
_SELLING = (
    "a cuánto vendemos", "a cuánto lo vendemos", "a cuánto la vendemos", "a cuánto se vende", "a cuánto se venden",
    "a cuánto cobramos", "a cuánto está", "a cuánto están", "a cuánto sale", "a qué precio vendemos",
    "a qué precio se vende", "a qué precio", "what do we charge", "how much do we charge", "what price do we sell",
    "which price do we sell", "what does it cost", "how much does it cost", "what do they cost",
    "how much do they cost",
)  # fmt: skip
_SELLING_FOR = "how much do we sell"
PRICE_QUESTION = re.compile(rf"\b(?:{'|'.join(fold(words) for words in _SELLING)})\b|\b{_SELLING_FOR}\b(?=.*\bfor\W*$)")
"""Asks for the price of one unit, folded; "how much do we sell" without a "for" at its end asks for the sales."""
ASKED_FIELDS: Synonyms = {
    "status": (
        "paid", "pay", "has paid", "did pay", "settled", "posted", "shipped", "status", "pagada", "pagado", "cobrada",
        "cobrado", "registrada", "registrado", "contabilizada", "enviado", "enviada", "estado", "pagó",
        "ha pagado", "han pagado",
    ),
    "remainingAmount": (
        "left", "remaining", "unpaid", "outstanding", "still open", "left to pay", "pendiente", "queda", "quedan",
        "falta", "por pagar", "sin pagar", "por cobrar",
    ),
    "dueDate": ("due", "due date", "expire", "expires", "vence", "venció", "vencimiento"),
    "requestedDeliveryDate": (
        "delivery", "delivery date", "requested delivery", "requested delivery date", "entrega", "fecha de entrega",
        "se entrega",
    ),
    "postingDate": ("date", "issued", "placed", "fecha", "emitió", "emitida", "hizo"),
    "totalAmountIncludingTax": ("total", "amount", "how much", "importe", "cuánto es", "cuánto"),
    "totalAmountExcludingTax": ("tax base", "taxable amount", "net amount", "base imponible", "importe neto"),
    "totalTaxAmount": ("vat amount", "tax amount", "iva", "cuota de iva"),
    "customerName": ("customer", "client", "cliente", "who", "whose", "quién"),
    "vendorName": ("vendor", "supplier", "proveedor"),
    "phoneNumber": ("phone", "telephone", "phone number", "teléfono", "número de teléfono"),
    "email": ("email", "mail", "e-mail", "correo", "correo electrónico"),
    "addressLine1": ("address", "dirección", "domicilio"),
    "city": ("city", "town", "ciudad"),
    "country": ("country", "país"),
    "website": ("website", "web"),
    "taxRegistrationNumber": (
        "vat number", "tax number", "tax id", "vat id", "vat registration number", "nif", "cif", "número de iva",
        "número fiscal", "identificación fiscal",
    ),
    "contact": ("contact", "contacto"),
    "unitPrice": (
        "price", "sales price", "unit price", "selling price", "list price", "precio", "precio unitario",
        "precio de venta", "cuesta", "cuestan", "it cost", *_SELLING, _SELLING_FOR,
    ),
    "unitCost": (
        "cost", "unit cost", "cost price", "coste", "coste unitario", "precio de coste", "precio de compra",
        "nos cuesta", "nos cuestan", "cost us", "costs us", "do we pay for",
    ),
    "inventory": ("stock", "in stock", "existencias", "en almacén"),
    "creditLimit": ("credit limit", "limit", "credit", "límite de crédito", "límite", "crédito"),
    "balanceDue": ("balance", "owe", "owes", "owe us", "saldo", "debe", "nos debe", "deuda"),
    "blocked": ("blocked", "bloqueado", "bloqueada"),
    "currencyCode": ("currency", "moneda", "divisa"),
    "paymentTermsId": (
        "payment terms", "terms", "payment term", "terms of payment", "condiciones de pago", "plazo de pago",
        "forma y plazo de pago",
    ),
    "paymentMethodId": ("payment method", "forma de pago", "método de pago", "medio de pago", "how do they pay"),
    "shipmentMethodId": ("shipment method", "shipping method", "método de envío", "forma de envío"),
    "salespersonCode": ("salesperson", "sales rep", "vendedor", "comercial"),
    "itemCategoryCode": ("category", "categoría", "familia"),
    "baseUnitOfMeasureCode": ("unit of measure", "unidad de medida"),
    "postalCode": ("postal code", "zip code", "postcode", "código postal"),
    LINES_FIELD: (
        "lines", "line items", "products", "items", "what is on it", "what is in it", "what's in", "what's on",
        "whats in", "whats on", "what is in", "what is on", "what does it contain", "contents", "contain", "líneas",
        "lineas",
        "productos", "artículos", "qué lleva", "qué incluye", "qué contiene", "qué hay en", "contenido",
    ),
}  # fmt: skip
"""What people ask of one record, also of one that was shown before: "and when is it due?"."""
LISTED_FIELDS: Synonyms = {
    name: ASKED_FIELDS[name]
    for name in (
        "phoneNumber", "email", "addressLine1", "city", "country", "website", "taxRegistrationNumber", "unitPrice",
        "unitCost", "inventory", "creditLimit", "currencyCode", "salespersonCode", "itemCategoryCode",
        "postalCode", "dueDate",
    )
}  # fmt: skip
"""What people want to see of each record of a list: "the customers with their city"."""
_WHO = ("number", "displayName", "customerName", "vendorName")
"""What tells which record a row is."""
SUM_WORDS: Synonyms = {
    "sum": (
        "total", "the total", "in total", "total amount", "what is the total", "sum them up", "add them up",
        "how much is that", "how much is that in total", "much do they add up to", "do they add up to",
        "much do they amount to", "el total", "en total", "importe total", "cuál es el total", "cuánto suman",
        "cuánto suma", "suma los importes", "súmalos", "súmalas", "cuánto es en total", "cuánto son en total",
        "cuánto suponen",
    )
}  # fmt: skip
"""What asks for the sum of what was shown."""
ORDER_WORDS: Synonyms = {
    "oldest_first": (
        "oldest", "earliest", "the first", "más antigua", "más antiguas", "más antiguo", "más antiguos", "más vieja",
        "más viejas", "más viejo", "más viejos", "primera", "primer",
    ),
    "newest_first": (
        "newest", "latest", "most recent", "the last", "last", "más reciente", "más recientes", "última", "último",
        "últimas", "últimos", "más nueva", "más nuevo",
    ),
}  # fmt: skip
"""By which end of time a list is to begin."""
EXTREME_WORDS: Synonyms = {
    "unitPrice desc": (
        "most expensive", "dearest", "highest price", "highest prices", "más caro", "más cara", "más caros",
        "más caras", "precio más alto", "precios más altos", "mayor precio",
    ),
    "unitPrice": (
        "cheapest", "least expensive", "lowest price", "lowest prices", "más barato", "más barata", "más baratos",
        "más baratas", "precio más bajo", "precios más bajos", "menor precio",
    ),
    "creditLimit desc": (
        "highest credit limit", "biggest credit limit", "largest credit limit", "mayor límite de crédito",
        "límite de crédito más alto", "más límite de crédito", "más crédito",
    ),
    "creditLimit": (
        "lowest credit limit", "smallest credit limit", "menor límite de crédito", "límite de crédito más bajo",
    ),
}  # fmt: skip
"""By which field a list is to be ordered where its first records are asked for."""
_SINGULAR = re.compile(r"\b(?:item|product|article|customer|client|producto|articulo|cliente)\b")
_ONE = re.compile(
    r"\b(?:invoice|order|quote|offer|bill|credit memo|factura|pedido|oferta|presupuesto|abono)\b(?! de compra\w)"
)
_NAME_FIELDS: Mapping[str, Sequence[str]] = {
    "customer": ("customerName", "displayName"),
    "vendor": ("vendorName", "displayName"),
    "item": ("displayName",),
    "category": ("itemCategoryCode",),
    "country": ("country", "sellToCountry", "buyFromCountry"),
    "city": ("city", "sellToCity", "buyFromCity"),
    "salesperson": ("salespersonCode", "salesperson"),
}
_OWN_KIND = {"customers": "customer", "vendors": "vendor", "items": "item"}
_OWN_FIELDS = {"customerName": ("customers",), "vendorName": ("vendors",)}
"""Fields whose words only say what kind of record is meant."""
_SAME_FIELDS: Mapping[str, Sequence[str]] = {
    "balanceDue": ("balanceDue", "balance", "remainingAmount"),
    "city": ("city", "sellToCity", "buyFromCity"),
    "country": ("country", "sellToCountry", "buyFromCountry"),
    "addressLine1": ("addressLine1", "sellToAddressLine1", "buyFromAddressLine1"),
    "postalCode": ("postalCode", "sellToPostCode", "buyFromPostCode"),
    "postingDate": ("postingDate", "orderDate", "documentDate"),
    "salespersonCode": ("salespersonCode", "salesperson"),
    "remainingAmount": ("remainingAmount", "inventory"),
}
"""What a field is called on each kind of record; what is left of an item is its stock."""
_NEVER_IMPLIED = frozenset({"dueDate", "requestedDeliveryDate", LINES_FIELD})
"""Fields whose words ask for nothing else: the other fields of a record without them are no answer."""
_FIGURES_OF_PARTIES = frozenset(
    {"agedAccountsReceivables", "agedAccountsPayables", "customerSales", "vendorPurchases", "customerFinancialDetails"}
)
"""Reports with a row for each customer or vendor: who names one asks for a figure, and for no record card."""
_NUMBERED = frozenset(
    {
        "salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos", "purchaseOrders", "purchaseInvoices",
        "purchaseCreditMemos", "salesShipments", "purchaseReceipts",
    }
)  # fmt: skip
"""Documents, which people call by their numbers."""
_DRAFTED = ("salesInvoices", "purchaseInvoices", "salesCreditMemos", "purchaseCreditMemos")
"""Documents that are none yet while they are drafts: the last invoice, or those of a month, are posted ones."""
_GROUPED = re.compile(
    r"\b(?:by|per|por)\s+(?:customer|client|vendor|supplier|salesperson|country|city|month|quarter|year|cliente|proveedor|vendedor|comercial|pais|ciudad|mes|trimestre|ano)s?\b"
)
"""Documents of each of something are added up, and so no list of them."""
_NEGATION = re.compile(r"\b(?:no|not|without|sin|never|nunca|ningun[oa]?|(?:do|does|did|have|has|is|are)n['’]?t)\b")
_UP_TO_A_FIELD = re.compile(r"\s+(?:(?:a|an|any|un|una|el|la|su|their|its|have|has|tienen?|ningun[oa]?)\s+)*")
"""What may stand between a negation and what is missing."""
_DUE = re.compile(r"\b(?:due|vence[n]?|vencimiento)\b")
_ASKS_BESIDES = re.compile(
    r"\b(?:and|y|e)\s+(?P<asks>(?:(?:since|until|desde|hasta|de|of|from)\s+)?"
    r"(?:when|how\s+(?:much|many|long)|why|cuando|cuant[oa]s?|por\s+que)\b)"
)
"""Where a sentence asks a second time: a time, an amount or a reason."""
_DATED: Sequence[tuple[re.Pattern[str], Sequence[str]]] = (
    (_DUE, ("dueDate", "requestedDeliveryDate", "requestedReceiptDate")),
    (
        re.compile(r"\b(?:deliver(?:y|ed|ies)?|arriv(?:e|es|ing|al)|entreg(?:a|as|ar|an|amos)|llega[nr]?|recepcion)\b"),
        ("requestedDeliveryDate", "requestedReceiptDate", "postingDate"),
    ),
    (re.compile(r"\b(?:valid|expir(?:e|es|ing)|validez|caduca[nr]?)\b"), ("validUntilDate", "dueDate")),
)
"""Words that say which date a period is meant of: orders that are due in May were not placed then."""
_DATE_FIELDS = ("orderDate", "postingDate", "documentDate", "invoiceDate")
_AMOUNT_FIELDS = ("totalAmountIncludingTax", "balanceDue", "balance", "inventory", "amount")
_OPERATORS = {("above", False): "gt", ("above", True): "ge", ("below", False): "lt", ("below", True): "le"}


def state_words() -> Synonyms:
    """States by their words."""
    return {name: tuple(words) for name, (words, _) in STATES.items()}


def settle_list(access: ErpAccess) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How the slots of a question for records become conditions on their fields."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        kept = dict(values)
        states = kept.pop("states", ())
        names = (*kept.pop("only", ()), *kept.pop("described", ()))
        period, bound, order = (kept.pop(name, None) for name in ("period", "bound", "order"))
        asked_fields = kept.pop("fields", ())
        kept.pop("except", None)
        extreme = kept.pop("extreme", None)
        excluded, said = excluded_names(texts[-1], access)
        text = fold(" ".join(texts))
        known = access.catalogue.entities.get(kept.get("entity", ""))
        if known is None:
            return Settled(values=kept)
        where: list[dict[str, Any]] = []
        shown = [own for name in asked_fields if (own := own_field(known, name))]
        if shown and not any(access.values_named(_OWN_KIND.get(known.entity_set, ""), name) for name in names):
            who = [name for name in _WHO if name in known.properties]
            kept |= {"fields": list(dict.fromkeys((*who, *shown))), "asked": True}
        unknown_splits = [each.group() for each in _GROUPED.finditer(text)] if known.entity_set in _NUMBERED else []
        whose = unnamed_owner(texts[-1])
        unknown: list[str] = [whose] if whose and not values.get("only") else []
        unknown += unknown_splits
        unknown += [each.text for each in unused_exclusions(texts[-1], said)]
        is_summed = bool(kept.pop("sum", None)) and len(texts) > 1  # of a list that was shown; else it is a measure
        unknown += ["total"] if "sum" in values and not is_summed else []
        if _COUNTS.search(fold(texts[0]) if is_summed else text):
            unknown.append("how many")
        if _ASKS_WHEN.search(text):
            unknown.append("when")
        empty, negations = _emptied(known, texts[-1], asked_fields, said)
        where += empty
        unknown += negations
        day = next((each for each in _DATE_FIELDS if each in known.properties), None)
        if order is not None and len(texts) > 1 and not index_of(state_words()).find(texts[0]):
            states = ()  # "is it paid?" asks it of the last invoice, and not for the last one that is
        if "paid" in states and period is not None:
            unknown.append("paid")  # on which day an invoice was paid is not kept with it
        for state in states:
            condition = STATES[state][1].get(known.entity_set)
            if condition is None:
                unknown.append(state)
            else:
                where.append(_condition(*condition))
        limits, strangers = _limited_to(access, known, names, excluded)
        where += limits
        unknown += strangers
        if period is not None:
            if (dated := _date_meant(known, text)) is not None:
                day, period = dated or None, due_period(texts, access.today()) or period
            where += [_condition(day, "ge", period["first"]), _condition(day, "le", period["last"])] if day else []
            where += [] if states or known.entity_set not in _DRAFTED else [_condition("status", "ne", "Draft")]
            unknown += [] if day else [f"{period['first']} – {period['last']}"]
        if order is not None and day is None:
            unknown.append(order.replace("_", " "))
        elif order is not None:
            direction = " desc" if order == "newest_first" else ""
            kept |= {"order_by": [f"{name}{direction}" for name in (day, "number")], "asked": True}
            where += [] if states or known.entity_set not in _DRAFTED else [_condition("status", "ne", "Draft")]
            if _ONE.search(text):
                kept.setdefault("limit", 1)
        if extreme is not None:
            field_name = extreme.partition(" ")[0]
            unknown += [] if field_name in known.properties else [extreme]
            who = [name for name in _WHO if name in known.properties]
            kept |= {"order_by": [extreme], "asked": True, "fields": list(dict.fromkeys((*who, *shown, field_name)))}
            if _SINGULAR.search(text):
                kept.setdefault("limit", 1)
        if bound is not None:
            numeric = [name for name in shown if known.properties[name].type in ("Decimal", "Int32")]
            amount = next((each for each in (*numeric, *_AMOUNT_FIELDS) if each in known.properties), None)
            if amount == "inventory" and "type" in known.properties:
                where.append(_condition("type", "eq", "Inventory"))  # services are kept in no stock
            operator = _OPERATORS[bound["side"], bound["is_inclusive"]]
            where += [_condition(amount, operator, bound["amount"])] if amount and not bound["is_days"] else []
            unknown += [] if amount and not bound["is_days"] else [bound["amount"]]
        if where:
            kept.update(where=where, asked=True)
        return Settled(values=kept, unknown=tuple(unknown))

    return settle


def _date_meant(known: CatalogueEntity, text: str) -> str | None:
    """The field of the date that a period is said of, where words tell; "" for one that the records do not have."""
    for said, fields in _DATED:
        if said.search(text):
            return next((name for name in fields if name in known.properties), "")
    return None


def _limited_to(
    access: ErpAccess, known: CatalogueEntity, names: Sequence[str], excluded: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The conditions that names make, several of one field as one ("of France and Portugal"), and other names."""
    where: list[dict[str, Any]] = []
    wanted: dict[str, list[Any]] = {}
    unknown: list[str] = []
    for name in names:
        field_name, values = _named_field(access, known, name)
        if not field_name:
            unknown.append(name)
        elif name in excluded:
            where += [_condition(field_name, "ne", value) for value in values]
        else:
            wanted[field_name] = list(dict.fromkeys((*wanted.get(field_name, ()), *values)))
    for field_name, values in wanted.items():
        one = len(values) == 1
        where.append(_condition(field_name, "eq" if one else "one_of", values[0] if one else values))
    return where, unknown


def _emptied(
    known: CatalogueEntity, text: str, asked: Sequence[str], excluding: Sequence[Finding[str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The conditions of "customers without a credit limit", and the negations that say something else."""
    plain = aligned(composed(text))
    taken = [each.span for each in (*index_of(state_words()).find(text), *excluding)]
    fields = [each for each in index_of(LISTED_FIELDS).find(text) if each.value in asked]
    where: list[dict[str, Any]] = []
    unknown: list[str] = []
    for each in _NEGATION.finditer(plain):
        if any(TextSpan(start=each.start(), end=each.end()).overlaps(span) for span in taken):
            continue
        lacked = next((one for one in fields if _UP_TO_A_FIELD.fullmatch(plain[each.end() : one.span.start])), None)
        own = own_field(known, lacked.value) if lacked else ""
        if not own:
            unknown.append(each.group())
            continue
        is_number = known.properties[own].type in ("Decimal", "Int32")
        where.append(_condition(own, "eq", 0 if is_number else ""))
    return where, unknown


def settle_record(
    access: ErpAccess, entities_named: Callable[[], Synonyms]
) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How a single record is named: by its number, or by a name that tells what kind of record it is."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        kept = dict(values)
        code, which = kept.pop("code", None), kept.get("which")
        unread = ""
        if code is not None:
            entity, unread = _numbered_by(code, texts[-1], entities_named())
            kept |= {"entity": entity} if entity else {}
        if len(texts) > 1 and (first := index_of(entities_named()).find(texts[0])):
            kept["entity"] = first[0].value  # "who is the customer?" asks it of the invoice that was shown
        if own := _of_named_kind(access, kept.get("entity", ""), which, texts[-1]):
            kept["which"] = which = own
        kinds = [kind for kind in _OWN_KIND.values() if which and access.values_named(kind, which)]
        entities = [entity for entity, kind in _OWN_KIND.items() if kind in kinds]
        if entities and kept.get("entity") in _FIGURES_OF_PARTIES:
            return Settled(values=kept, unknown=(kept["entity"],))
        is_numbered = code is not None and kept.get("entity") in _NUMBERED
        if which and is_numbered and (fold(which) not in fold(texts[-1]) or _names_number(texts[-1], str(code))):
            entities = []  # "the quote 1001" is no item of that number
        if which and not entities:
            del kept["which"]
        elif entities and kept.get("entity") not in entities:
            kept["entity"] = entities[0]
        if "which" not in kept and code is not None:
            kept["which"] = code
        plain = fold(texts[-1])
        if PRICE_QUESTION.search(plain):
            kept["asked"] = ["unitPrice"]
        elif _SELLING_FOR in plain:
            return Settled(values=kept, unknown=(_SELLING_FOR,))
        if {"creditLimit", "remainingAmount"} <= set(kept.get("asked", ())):
            # what is left of a credit is shown by its limit and what is owed
            kept["asked"] = ["creditLimit", "balanceDue"]
        if {"requestedDeliveryDate", "dueDate"} <= set(kept.get("asked", ())):
            kept["asked"] = [name for name in kept["asked"] if name != "dueDate"]  # "when is the delivery due?"
        wanted = [name for name in kept.get("asked", ()) if kept.get("entity") not in _OWN_FIELDS.get(name, ())]
        known = access.catalogue.entities.get(kept.get("entity", ""))
        kept["asked"] = wanted if known is None else [own for name in wanted if (own := own_field(known, name))]
        unknown = [name for name in wanted if known and not own_field(known, name)] if kept.get("which") else []
        unknown = unknown if not kept["asked"] else [name for name in unknown if name in _NEVER_IMPLIED]
        unknown += _asked_besides(texts[-1], known, kept["asked"])
        unknown += [unread] if unread else []
        return Settled(values={name: value for name, value in kept.items() if value != []}, unknown=tuple(unknown))

    return settle


def _of_named_kind(access: ErpAccess, entity: str, which: str | None, text: str) -> str:
    """Whom a number means that records of several kinds have: "vendor 40000" is the vendor of that number."""
    kind = _OWN_KIND.get(entity)
    if kind is None or which is None or access.values_named(kind, which):
        return ""
    words = set(fold(text).replace("?", " ").split())
    return next((name for name, own in access.names(kind).items() if words & {fold(one) for one in own}), "")


def _asked_besides(text: str, known: CatalogueEntity | None, asked: Sequence[str]) -> list[str]:
    """What a second question of a sentence asks for that is no field of the record: "… and since when?"."""
    joint = _ASKS_BESIDES.search(aligned(composed(text)))
    if joint is None or known is None:
        return []
    said = [each.value for each in index_of(ASKED_FIELDS).find(text[joint.start("asks") :])]
    if "remainingAmount" in said and "creditLimit" in asked:
        return []  # how much of the credit is left
    return [] if any(own_field(known, name) for name in said) else [text[joint.start("asks") :].strip(" ?.!")]


def _names_number(text: str, code: str) -> bool:
    """Whether a number stands right behind the word for a document: "did Ana pay invoice 103001?" is of the invoice."""
    before = fold(text).partition(fold(code))[0].split()[-2:]
    return any(noun_of(word) for word in before)


def _numbered_by(code: str, text: str, entities: Synonyms) -> tuple[str, str]:
    """The kind of document whose word stands before a number, and a word for another kind that is not joined to it.

    "The delivery of order 101044" is of an order; "refund invoice 103177" asks for something to be done with one.
    """
    before = [each for each in index_of(entities).find(text) if each.span.end <= text.find(code)]
    if len(before) < 2 or before[-1].value not in _NUMBERED:
        return "", ""
    is_joined = text[before[-2].span.end : before[-1].span.start].strip()
    return before[-1].value, "" if is_joined else before[-2].text


def own_field(known: CatalogueEntity, name: str) -> str:
    """What a field that people ask for is called on an entity; nothing where it has none such."""
    if name == LINES_FIELD:
        return name if known.lines else ""
    return next((each for each in _SAME_FIELDS.get(name, (name,)) if each in known.properties), "")


def _condition(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": name, "operator": operator, "value": value}


def _named_field(access: ErpAccess, known: CatalogueEntity, name: str) -> tuple[str, list[str]]:
    """The field of an entity that holds a name, and the values it may hold; no field where none does."""
    own = _OWN_KIND.get(known.entity_set)
    for kind in dict.fromkeys((own, *NAME_SOURCES)):
        values = access.values_named(kind, name) if kind else []
        # Only the names of customers are called so themselves: payment terms have a name, too.
        fields = [each for each in _NAME_FIELDS.get(kind or "", ()) if each != "displayName" or kind == own]
        field_name = next((each for each in fields if each in known.properties), "")
        if values and field_name:
            return field_name, values
    return "", []
