"""Master data: numbers and codes, defaults, what may be changed or deleted, stock adjustments."""

from collections.abc import Mapping
from decimal import Decimal

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.books import PostedDocument, check_posting_date, stock_costs, write_posting
from batuta.sandbox.business.company import company_setup, local_currency
from batuta.sandbox.business.dimensions import preset_dimensions
from batuta.sandbox.business.fields import flag, number, reference, text
from batuta.sandbox.business.series import take_free_number, take_number
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import ZERO, rounded
from batuta.sandbox.ledger.costing import issued, received
from batuta.sandbox.ledger.dates import DateFormulaError, apply_formula
from batuta.sandbox.ledger.entries import AccountSums, Posting, StockEntry
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row

NUMBERED = ("customers", "vendors", "items", "contacts", "employees", "bankAccounts")
CODED = (
    "countriesRegions", "currencies", "itemCategories", "locations", "paymentMethods", "paymentTerms",
    "salespeoplePurchasers", "shipmentMethods", "taxAreas", "taxGroups", "unitsOfMeasure",
)  # fmt: skip
"""Sets whose records people know by a code; codes are upper case and unique."""
IN_USE: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "customers": (
        ("_party_entries", "party_id", "id"), ("salesQuotes", "customerId", "id"), ("salesOrders", "customerId", "id"),
        ("salesInvoices", "customerId", "id"), ("salesCreditMemos", "customerId", "id"),
    ),
    "vendors": (
        ("_party_entries", "party_id", "id"), ("purchaseOrders", "vendorId", "id"),
        ("purchaseInvoices", "vendorId", "id"), ("purchaseCreditMemos", "vendorId", "id"),
    ),
    "items": (
        ("itemLedgerEntries", "itemNumber", "number"), ("salesOrderLines", "itemId", "id"),
        ("salesQuoteLines", "itemId", "id"), ("salesInvoiceLines", "itemId", "id"),
        ("salesCreditMemoLines", "itemId", "id"), ("purchaseOrderLines", "itemId", "id"),
        ("purchaseInvoiceLines", "itemId", "id"), ("purchaseCreditMemoLines", "itemId", "id"),
    ),
    "currencies": (("customers", "currencyId", "id"), ("vendors", "currencyId", "id"),
        ("_party_entries", "currency", "code"),),
    "paymentTerms": (("customers", "paymentTermsId", "id"), ("vendors", "paymentTermsId", "id")),
    "paymentMethods": (("customers", "paymentMethodId", "id"), ("vendors", "paymentMethodId", "id")),
    "shipmentMethods": (("customers", "shipmentMethodId", "id"),),
    "itemCategories": (("items", "itemCategoryId", "id"),),
    "unitsOfMeasure": (("items", "baseUnitOfMeasureId", "id"),),
    "taxGroups": (("items", "taxGroupId", "id"),),
    "taxAreas": (("customers", "taxAreaId", "id"),),
    "salespeoplePurchasers": (("customers", "salespersonCode", "code"),),
    "countriesRegions": (("customers", "country", "code"), ("vendors", "country", "code")),
}  # fmt: skip
"""A record of the set cannot be deleted while a row of (table, column) holds its property."""
_IN_WORDS = {"_party_entries": "ledger entries", "itemLedgerEntries": "ledger entries"}
"""What people call rows that hold a record in place."""


def register(behaviour: Behaviour) -> None:
    for set_name in NUMBERED:
        _register_number(behaviour, set_name)
    for set_name in CODED:
        _register_code(behaviour, set_name)
    for set_name in IN_USE:
        _register_in_use(behaviour, set_name)
    behaviour.on_insert("customers", "vendors", "contacts", "employees", "locations")(_check_country)
    behaviour.on_update("customers", "vendors", "contacts", "employees", "locations")(
        lambda records, _, changes: _check_country(records, changes)
    )
    behaviour.on_insert("customers")(_default_customer)
    behaviour.on_insert("customers", "vendors")(_default_currency)
    behaviour.on_update("customers")(_check_customer)
    behaviour.after_insert("customers", "vendors")(_store_group)
    behaviour.after_update("customers", "vendors")(lambda records, _, row: _store_group(records, row))
    behaviour.on_insert("items")(_default_item)
    behaviour.on_update("items")(_change_item)
    behaviour.on_insert("paymentTerms")(_check_terms)
    behaviour.on_update("paymentTerms")(lambda records, _, changes: _check_terms(records, changes))


def _register_number(behaviour: Behaviour, set_name: str) -> None:
    @behaviour.on_insert(set_name)
    def number_new(records: Records, values: Row) -> Row:
        if not text(values, "number"):
            return {**values, "number": take_free_number(records, set_name)}
        values["number"] = text(values, "number").upper()
        return _unique(records, set_name, "number", values)

    @behaviour.on_update(set_name)
    def renumber(records: Records, row: Row, changes: Row) -> Row:
        if "number" in changes and text(changes, "number").upper() != text(row, "number"):
            if not text(changes, "number"):
                raise ApplicationError("Number must not be blank.")
            if set_name in IN_USE:
                _refuse_in_use(records, set_name, row, "renumbered")
            changes["number"] = text(changes, "number").upper()
            return _unique(records, set_name, "number", changes)
        return changes


def _register_code(behaviour: Behaviour, set_name: str) -> None:
    @behaviour.on_insert(set_name)
    def new_code(records: Records, values: Row) -> Row:
        code = text(values, "code").strip().upper()
        if not code:
            raise ApplicationError('The "code" must be given and must not be blank.')
        return _unique(records, set_name, "code", {**values, "code": code})

    @behaviour.on_update(set_name)
    def changed_code(records: Records, row: Row, changes: Row) -> Row:
        code = text(changes, "code").strip().upper()
        if "code" not in changes or code == text(row, "code"):
            return changes
        if not code:
            raise ApplicationError('The "code" must not be blank.')
        return _unique(records, set_name, "code", {**changes, "code": code})


def _unique(records: Records, set_name: str, prop: str, values: Row) -> Row:
    if records.exists(set_name, **{prop: values[prop]}):
        raise ApplicationError(
            f'A record of {set_name} with the {prop} "{values[prop]}" already exists.',
            code="Internal_EntityWithSameKeyExists",
            status=409,
        )
    return values


def _register_in_use(behaviour: Behaviour, set_name: str) -> None:
    @behaviour.on_delete(set_name)
    def refuse(records: Records, row: Row) -> None:
        _refuse_in_use(records, set_name, row, "deleted")
        if set_name in {"customers", "vendors", "items"}:
            records.sql(
                "DELETE FROM defaultDimensions WHERE company = ? AND parentId = ?", (records.company, text(row, "id"))
            )
            records.store.forget()


def _refuse_in_use(records: Records, set_name: str, row: Row, what: str) -> None:
    for table, column, prop in IN_USE[set_name]:
        found = records.sql(
            f'SELECT 1 FROM "{table}" WHERE company = ? AND "{column}" = ? LIMIT 1',
            (records.company, text(row, prop)),
        )
        if found:
            name = text(row, "number") or text(row, "code")
            raise ApplicationError(
                f"{set_name} {name} cannot be {what}: there are {_IN_WORDS.get(table, table)} for it."
            )


def _check_country(records: Records, values: Row) -> Row:
    country = text(values, "country").upper()
    if not country:
        return values
    if not records.exists("countriesRegions", code=country):
        raise ApplicationError(f'The country "{country}" does not match any record of countriesRegions.')
    return {**values, "country": country}


def _default_customer(records: Records, values: Row) -> Row:
    if not text(values, "displayName").strip():
        raise ApplicationError('The "displayName" must be given and must not be blank.')
    _check_salesperson(records, values)
    if "taxAreaId" not in values:
        group = company_setup(records).business_group(text(values, "country"))
        area = records.first("taxAreas", code=group)
        if area is not None:
            values.update(taxAreaId=area["id"], taxAreaDisplayName=area["displayName"])
    return {"taxLiable": True, **values}


def _default_currency(records: Records, values: Row) -> Row:
    return {"currencyCode": local_currency(records), **values}


def _check_customer(records: Records, row: Row, changes: Row) -> Row:
    del row
    if "displayName" in changes and not text(changes, "displayName").strip():
        raise ApplicationError('The "displayName" must not be blank.')
    _check_salesperson(records, changes)
    return changes


def _check_salesperson(records: Records, values: Row) -> None:
    code = text(values, "salespersonCode").upper()
    if code:
        if not records.exists("salespeoplePurchasers", code=code):
            raise ApplicationError(f'The salesperson "{code}" does not match any record of salespeoplePurchasers.')
        values["salespersonCode"] = code


def _store_group(records: Records, row: Row) -> None:
    """A customer's tax area is their posting group; a vendor's follows from the country."""
    area = reference(row, "taxAreaId")
    found = records.get("taxAreas", area) if area else None
    group = text(found, "code") if found else company_setup(records).business_group(text(row, "country"))
    records.sql("INSERT OR REPLACE INTO _posting_groups VALUES (?, ?, ?)", (records.company, text(row, "id"), group))
    records.store.forget()


def _check_terms(records: Records, values: Row) -> Row:
    for name in ("dueDateCalculation", "discountDateCalculation"):
        try:
            apply_formula(text(values, name), records.store.today())
        except DateFormulaError as error:
            raise ApplicationError(str(error), code="Application_EvaluateException") from None
    return values


_ITEM_DEFAULTS = (
    ("baseUnitOfMeasureId", "baseUnitOfMeasureCode", "unitsOfMeasure", "PCS"),
    ("generalProductPostingGroupId", "generalProductPostingGroupCode", "generalProductPostingGroups", "RETAIL"),
    ("inventoryPostingGroupId", "inventoryPostingGroupCode", "inventoryPostingGroups", "RESALE"),
    ("taxGroupId", "taxGroupCode", "taxGroups", "STANDARD"),
)


def _default_item(records: Records, values: Row) -> Row:
    if "inventory" in values:
        raise ApplicationError("The inventory of a new item cannot be set: create the item, then change its inventory.")
    _check_prices(values)
    is_stocked = text(values, "type") in {"", "Inventory"}
    for id_name, code_name, target, default in _ITEM_DEFAULTS:
        if id_name in values or (target == "inventoryPostingGroups" and not is_stocked):
            continue
        code = default if is_stocked or target != "generalProductPostingGroups" else "SERVICES"
        found = records.first(target, code=code)
        if found is not None:
            values.update({id_name: found["id"], code_name: found["code"]})
    return values


def _check_prices(values: Row) -> None:
    for name in ("unitPrice", "unitCost"):
        if number(values, name) < 0:
            raise ApplicationError(f'The "{name}" must not be negative.')


def _change_item(records: Records, row: Row, changes: Row) -> Row:
    _check_prices(changes)
    has_entries = records.exists("itemLedgerEntries", itemNumber=text(row, "number"))
    if has_entries and text(changes, "type") not in {"", text(row, "type")}:
        raise ApplicationError(f"The type of item {text(row, 'number')} cannot be changed: there are entries for it.")
    if has_entries and "unitCost" in changes and number(changes, "unitCost") != number(row, "unitCost"):
        raise ApplicationError(
            f"The unit cost of item {text(row, 'number')} is the average of its entries and cannot be set."
        )
    if "inventory" in changes:
        target = changes.pop("inventory")
        adjust_stock(records, row, Decimal(str(target)) - number(row, "inventory"))
    return changes


def adjust_stock(records: Records, item: Row, difference: Decimal) -> None:
    """Post a count of stock: what is found too much comes in at unit cost, what is missing goes out at average."""
    if not difference:
        return
    if text(item, "type") != "Inventory":
        raise ApplicationError(f"Item {text(item, 'number')} has no stock: its type is {text(item, 'type')}.")
    if flag(item, "blocked"):
        raise ApplicationError(f"Item {text(item, 'number')} is blocked.")
    today, key = records.store.today(), text(item, "number")
    check_posting_date(records, today)
    stock = stock_costs(records, [key])[key]
    is_more = difference > 0
    movement = (
        received(stock, difference, rounded(difference * stock.unit_cost)) if is_more else issued(stock, -difference)
    )
    setup, sums = company_setup(records).posting, AccountSums()
    dimensions = preset_dimensions(records, text(item, "id"))
    sums.add(setup.inventory, movement.cost - movement.correction, dimensions)
    sums.add(setup.cost_of_sales, movement.correction, dimensions)
    sums.add(setup.stock_adjustment, -movement.cost, dimensions)
    entry = StockEntry(
        item=key, quantity=movement.quantity, cost=movement.cost, sales=ZERO, correction=movement.correction
    )
    posting = Posting(
        accounts=sums.entries(f"Inventory adjustment of {key}"), stock=(entry,), costs={key: movement.after}
    )
    kind = "Positive_x0020_Adjmt_x002E_" if is_more else "Negative_x0020_Adjmt_x002E_"
    document = PostedDocument(number=take_number(records, "stockAdjustments"), posting_date=today, stock_entry=kind)
    write_posting(records, posting, document)
