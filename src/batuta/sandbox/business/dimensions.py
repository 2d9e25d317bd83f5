"""Dimensions: presets of customers, vendors and items, sets of documents, lines and entries.

    preset of the party -> document -> line (with the item's preset) -> entries

A document takes the presets of its customer or vendor when it is made; a line takes the set of its document at that
moment and what its item presets. The two global dimensions also stand as shortcut codes on the document.
"""

from collections.abc import Iterable, Mapping

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.company import company_setup
from batuta.sandbox.business.fields import reference, text
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.entries import DimensionSet
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row

PARENT_TYPES = {
    "salesQuotes": "Sales_x0020_Quote",
    "salesQuoteLines": "Sales_x0020_Quote_x0020_Line",
    "salesOrders": "Sales_x0020_Order",
    "salesOrderLines": "Sales_x0020_Order_x0020_Line",
    "salesInvoices": "Sales_x0020_Invoice",
    "salesInvoiceLines": "Sales_x0020_Invoice_x0020_Line",
    "salesCreditMemos": "Sales_x0020_Credit_x0020_Memo",
    "salesCreditMemoLines": "Sales_x0020_Credit_x0020_Memo_x0020_Line",
    "salesShipments": "Sales_x0020_Shipment",
    "salesShipmentLines": "Sales_x0020_Shipment_x0020_Line",
    "purchaseOrders": "Purchase_x0020_Order",
    "purchaseOrderLines": "Purchase_x0020_Order_x0020_Line",
    "purchaseInvoices": "Purchase_x0020_Invoice",
    "purchaseInvoiceLines": "Purchase_x0020_Invoice_x0020_Line",
    "purchaseCreditMemos": "Purchase_x0020_Credit_x0020_Memo",
    "purchaseCreditMemoLines": "Purchase_x0020_Credit_x0020_Memo_x0020_Line",
    "purchaseReceipts": "Purchase_x0020_Receipt",
    "purchaseReceiptLines": "Purchase_x0020_Receipt_x0020_Line",
    "journalLines": "Journal_x0020_Line",
    "customerPayments": "Journal_x0020_Line",
    "vendorPayments": "Journal_x0020_Line",
    "generalLedgerEntries": "General_x0020_Ledger_x0020_Entry",
}
"""The name of each kind of parent of a dimension set."""
_OWNERS = {"customers": "Customer", "vendors": "Vendor", "items": "Item", "employees": "Employee"}
_MANDATORY, _SAME, _NONE = "Code_x0020_Mandatory", "Same_x0020_Code", "No_x0020_Code"


def dimension_set(records: Records, parent_id: str) -> DimensionSet:
    """Codes of the dimensions of a document, a line or an entry."""
    found = records.sql(
        "SELECT code, valueCode FROM dimensionSetLines WHERE company = ? AND parentId = ?",
        (records.company, parent_id),
    )
    return tuple(sorted((code, value) for code, value in found))


def preset_dimensions(records: Records, owner_id: str) -> DimensionSet:
    """What a customer, vendor or item brings along."""
    return tuple(sorted((code, value) for code, value, _ in _presets(records, owner_id) if value))


def _presets(records: Records, owner_id: str) -> list[tuple[str, str, str]]:
    """Code, value and posting rule of the default dimensions of a customer, vendor or item."""
    statement = (
        "SELECT dimensionCode, dimensionValueCode, postingValidation FROM defaultDimensions WHERE company = ? AND "
        "parentId = ?"
    )
    bound = (records.company, owner_id)
    return records.store.remember(("defaultDimensions", *bound, "codes"), lambda: records.sql(statement, bound))


def merged(*sets: DimensionSet) -> DimensionSet:
    """One set of several; a later one decides where they name the same dimension."""
    together: dict[str, str] = {}
    for each in sets:
        together.update(each)
    return tuple(sorted(together.items()))


class DimensionWriter:
    """Writes dimension sets; looks the codes up once."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._values = records.store.remember(("dimensionValues", records.company, "codes"), self._all_values)

    def _all_values(self) -> dict[tuple[str, str], tuple[str, ...]]:
        found = self._records.sql(
            "SELECT d.code, v.code, d.id, d.displayName, d.consolidationCode, v.id, v.displayName, v.consolidationCode "
            "FROM dimensionValues v JOIN dimensions d ON d.company = v.company AND d.id = v.dimensionId "
            "WHERE v.company = ?",
            (self._records.company,),
        )
        return {(each[0], each[1]): each[2:] for each in found}

    def write(self, set_name: str, sets: Iterable[tuple[str, DimensionSet]]) -> None:
        """Give new records (by id) their sets."""
        kind, company = PARENT_TYPES[set_name], self._records.company
        rows = [self._row(company, parent, kind, *pair) for parent, pairs in sets for pair in pairs]
        if rows:
            self._records.sql_many(
                'INSERT INTO dimensionSetLines (company, parentId, parentType, code, "valueCode", id, "displayName", '
                '"consolidationCode", "valueId", "valueDisplayName", "valueConsolidationCode") '
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def _row(self, company: str, parent: str, kind: str, code: str, value: str) -> tuple[str, ...]:
        found = self._values.get((code, value))
        if found is None:
            raise ApplicationError(f"The dimension {code} has no value {value}.")
        return company, parent, kind, code, value, *found


def check_presets(records: Records, owner_id: str, owner: str, used: DimensionSet) -> None:
    """Refuse to post what breaks a rule of a preset: a mandatory dimension, a fixed value, one not allowed."""
    given = dict(used)
    for code, value, rule in _presets(records, owner_id):
        if rule == _MANDATORY and code not in given:
            raise ApplicationError(f"Select a value of dimension {code} for {owner} before posting.")
        if rule == _SAME and given.get(code, "") != value:
            raise ApplicationError(f"Dimension {code} must be {value or 'empty'} for {owner}.")
        if rule == _NONE and code in given:
            raise ApplicationError(f"Dimension {code} must not be used for {owner}.")


def with_shortcuts(records: Records, base: DimensionSet, values: Mapping[str, object]) -> DimensionSet:
    """The set with the shortcut codes that were given: an empty one removes its dimension."""
    result = dict(base)
    for position, code in enumerate(company_setup(records).global_dimensions[:2], start=1):
        given = values.get(f"shortcutDimension{position}Code")
        if given:
            result[code] = str(given)
        elif given == "" and f"shortcutDimension{position}Code" in values:
            result.pop(code, None)
    return tuple(sorted(result.items()))


def shortcut_codes(records: Records, used: DimensionSet) -> Row:
    given = dict(used)
    codes = company_setup(records).global_dimensions[:2]
    return {f"shortcutDimension{at}Code": given.get(code, "") for at, code in enumerate(codes, start=1)}


def replace_set(records: Records, set_name: str, parent_id: str, used: DimensionSet) -> None:
    records.sql("DELETE FROM dimensionSetLines WHERE company = ? AND parentId = ?", (records.company, parent_id))
    DimensionWriter(records).write(set_name, [(parent_id, used)])


def remove_sets(records: Records, parent_ids: Iterable[str]) -> None:
    records.sql_many(
        "DELETE FROM dimensionSetLines WHERE company = ? AND parentId = ?",
        [(records.company, parent) for parent in parent_ids],
    )


def register(behaviour: Behaviour) -> None:
    behaviour.on_insert("defaultDimensions")(_complete_preset)
    behaviour.on_update("defaultDimensions")(_change_preset)
    behaviour.on_insert("dimensionSetLines")(_complete_line)
    behaviour.on_update("dimensionSetLines")(_change_line)
    behaviour.on_delete("dimensionSetLines")(_refuse_posted)
    behaviour.after_insert("dimensionSetLines")(_update_shortcuts)
    behaviour.after_update("dimensionSetLines")(lambda records, _, row: _update_shortcuts(records, row))
    behaviour.after_delete("dimensionSetLines")(_update_shortcuts)


def _complete_preset(records: Records, values: Row) -> Row:
    owner = text(values, "parentId")
    kind = next((kind for set_name, kind in _OWNERS.items() if records.get(set_name, owner)), None)
    if kind is None:
        raise ApplicationError("A default dimension needs a customer, vendor, item or employee as its parent.")
    dimension = records.get("dimensions", text(values, "dimensionId"))
    if dimension is None:
        raise ApplicationError(
            f'The "dimensionId" {text(values, "dimensionId")} does not match any record of dimensions.'
        )
    if records.exists("defaultDimensions", parentId=owner, dimensionId=text(dimension, "id")):
        raise ApplicationError(f"The record already has a default dimension {text(dimension, 'code')}.")
    value = _value_of(records, dimension, reference(values, "dimensionValueId"), "")
    return {
        **values,
        "parentType": kind,
        "dimensionCode": text(dimension, "code"),
        "dimensionValueCode": text(value, "code") if value else "",
    }


def _change_preset(records: Records, row: Row, changes: Row) -> Row:
    if text(changes, "dimensionId") not in {"", text(row, "dimensionId")}:
        raise ApplicationError('The "dimensionId" of a default dimension cannot be changed.')
    if "dimensionValueId" in changes:
        dimension = records.get("dimensions", text(row, "dimensionId")) or {}
        value = _value_of(records, dimension, reference(changes, "dimensionValueId"), "")
        changes["dimensionValueCode"] = text(value, "code") if value else ""
    return changes


def _value_of(records: Records, dimension: Row, value_id: str | None, code: str) -> Row | None:
    """The value of a dimension by id, code or both."""
    if value_id is None and not code:
        return None
    found = (
        records.get("dimensionValues", value_id)
        if value_id
        else records.first("dimensionValues", dimensionId=text(dimension, "id"), code=code.upper())
    )
    if found is None or found["dimensionId"] != dimension["id"]:
        raise ApplicationError(f"The dimension {text(dimension, 'code')} has no value {value_id or code}.")
    if code and text(found, "code") != code.upper():
        raise ApplicationError('The values of "valueId" and "valueCode" do not refer to the same dimension value.')
    return found


def _complete_line(records: Records, values: Row) -> Row:
    dimension_id, code = reference(values, "id"), text(values, "code").upper()
    if dimension_id is None and not code:
        raise ApplicationError('Give the "id" or the "code" of the dimension.')
    dimension = records.get("dimensions", dimension_id) if dimension_id else records.first("dimensions", code=code)
    if dimension is None:
        raise ApplicationError(f"The dimension {dimension_id or code} does not match any record of dimensions.")
    if code and text(dimension, "code") != code:
        raise ApplicationError('The values of "id" and "code" do not refer to the same dimension.')
    value = _value_of(records, dimension, reference(values, "valueId"), text(values, "valueCode"))
    if value is None:
        raise ApplicationError('Give the "valueId" or the "valueCode" of the dimension value.')
    parent = text(values, "parentId")
    if records.exists("dimensionSetLines", parentId=parent, id=text(dimension, "id")):
        raise ApplicationError(
            f"The dimension {text(dimension, 'code')} already has a value here. Change it with PATCH."
        )
    set_name = _parent_set(records, parent)
    return {**_names(dimension, value), "parentId": parent, "parentType": PARENT_TYPES[set_name]}


def _change_line(records: Records, row: Row, changes: Row) -> Row:
    _refuse_posted(records, row)
    for name in ("id", "code"):
        if name in changes and text(changes, name).casefold() != text(row, name).casefold():
            raise ApplicationError(f'The "{name}" of a dimension line cannot be changed.')
    dimension = records.get("dimensions", text(row, "id")) or {}
    value = _value_of(records, dimension, reference(changes, "valueId"), text(changes, "valueCode"))
    if value is None:
        raise ApplicationError('Give the "valueId" or the "valueCode" of the dimension value.')
    return _names(dimension, value)


def _names(dimension: Row, value: Row) -> Row:
    return {
        "id": dimension["id"],
        "code": dimension["code"],
        "displayName": dimension["displayName"],
        "consolidationCode": dimension["consolidationCode"],
        "valueId": value["id"],
        "valueCode": value["code"],
        "valueDisplayName": value["displayName"],
        "valueConsolidationCode": value["consolidationCode"],
    }


_POSTED_PARENTS = frozenset(
    {"generalLedgerEntries", "salesShipments", "salesShipmentLines", "purchaseReceipts", "purchaseReceiptLines"}
)


def _parent_set(records: Records, parent: str) -> str:
    """The set that a parent belongs to: ids are unique over all of them."""
    found = records.sql(_WHICH_PARENT, (records.company, parent))
    if not found:
        raise ApplicationError("Dimensions are reached through the document, line or entry that they belong to.")
    set_name = str(found[0][0])
    _refuse_if_posted(records, set_name, records.get(set_name, parent) or {})
    return set_name


_WHICH_PARENT = " UNION ALL ".join(
    f"SELECT '{name}' FROM \"{name}\" WHERE company = ?1 AND id = ?2" for name in PARENT_TYPES
)


def _refuse_posted(records: Records, row: Row) -> None:
    _parent_set(records, text(row, "parentId"))


def _refuse_if_posted(records: Records, set_name: str, row: Row) -> None:
    header = row
    if set_name.endswith("Lines") and "documentId" in row:
        header = records.get(set_name.removesuffix("Lines") + "s", text(row, "documentId")) or row
    if set_name in _POSTED_PARENTS or text(header, "status") in {"Open", "Paid", "Canceled", "Corrective"}:
        is_order = set_name.startswith(("salesOrder", "purchaseOrder"))
        if not is_order:
            raise ApplicationError("The dimensions of a posted document or entry cannot be changed.")


def _update_shortcuts(records: Records, row: Row) -> None:
    """Keep the shortcut codes of a document in step with its set."""
    parent = text(row, "parentId")
    for set_name, kind in PARENT_TYPES.items():
        table = records.store.table(set_name)
        if (
            kind == text(row, "parentType")
            and "shortcutDimension1Code" in table.columns
            and records.get(set_name, parent)
        ):
            records.update(set_name, parent, values=shortcut_codes(records, dimension_set(records, parent)))
