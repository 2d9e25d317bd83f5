"""Two ways to name the same thing: an id and a number or code.

What is named must exist; both must mean the same record; the one that was not given is filled in.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.company import local_currency
from batuta.sandbox.business.fields import reference, text
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.records import Records
from batuta.sandbox.values import UNSET_GUID, Row


@dataclass(frozen=True, kw_only=True)
class ReferencePair:
    """A pair of properties that name a record of `target`; without `code` there is only the id."""

    id: str
    target: str
    code: str = ""
    target_code: str = "code"


_CURRENCY = ReferencePair(id="currencyId", code="currencyCode", target="currencies")
_TERMS = ReferencePair(id="paymentTermsId", target="paymentTerms")
_SHIPMENT = ReferencePair(id="shipmentMethodId", target="shipmentMethods")
_METHOD = ReferencePair(id="paymentMethodId", target="paymentMethods")
_SALES_HEADER = (
    ReferencePair(id="customerId", code="customerNumber", target="customers", target_code="number"),
    ReferencePair(id="billToCustomerId", code="billToCustomerNumber", target="customers", target_code="number"),
    _CURRENCY, _TERMS, _SHIPMENT,
)  # fmt: skip
_PURCHASE_HEADER = (
    ReferencePair(id="vendorId", code="vendorNumber", target="vendors", target_code="number"),
    ReferencePair(id="payToVendorId", code="payToVendorNumber", target="vendors", target_code="number"),
    _CURRENCY, _TERMS, _SHIPMENT,
)  # fmt: skip
_LINE = (
    ReferencePair(id="unitOfMeasureId", code="unitOfMeasureCode", target="unitsOfMeasure"),
    ReferencePair(id="locationId", target="locations"),
    ReferencePair(id="itemVariantId", target="itemVariants"),
)
_BALANCING = ReferencePair(
    id="balancingAccountId", code="balancingAccountNumber", target="accounts", target_code="number"
)

REFERENCES: Mapping[str, tuple[ReferencePair, ...]] = {
    "customers": (
        _CURRENCY, _TERMS, _SHIPMENT, _METHOD,
        ReferencePair(id="taxAreaId", code="taxAreaDisplayName", target="taxAreas", target_code="displayName"),
    ),
    "vendors": (_CURRENCY, _TERMS, _METHOD),
    "bankAccounts": (_CURRENCY,),
    "items": (
        ReferencePair(id="taxGroupId", code="taxGroupCode", target="taxGroups"),
        ReferencePair(id="itemCategoryId", code="itemCategoryCode", target="itemCategories"),
        ReferencePair(id="baseUnitOfMeasureId", code="baseUnitOfMeasureCode", target="unitsOfMeasure"),
        ReferencePair(
            id="generalProductPostingGroupId",
            code="generalProductPostingGroupCode",
            target="generalProductPostingGroups",
        ),
        ReferencePair(
            id="inventoryPostingGroupId", code="inventoryPostingGroupCode", target="inventoryPostingGroups"
        ),
    ),
    "itemVariants": (ReferencePair(id="itemId", code="itemNumber", target="items", target_code="number"),),
    "salesQuotes": _SALES_HEADER,
    "salesOrders": _SALES_HEADER,
    "salesInvoices": (
        *_SALES_HEADER, ReferencePair(id="disputeStatusId", code="disputeStatus", target="disputeStatus"),
    ),
    "salesCreditMemos": (
        *_SALES_HEADER,
        ReferencePair(id="invoiceId", code="invoiceNumber", target="salesInvoices", target_code="number"),
        ReferencePair(id="customerReturnReasonId", target="customerReturnReasons"),
    ),
    "purchaseOrders": _PURCHASE_HEADER,
    "purchaseInvoices": tuple(each for each in _PURCHASE_HEADER if each not in {_TERMS, _SHIPMENT}),
    "purchaseCreditMemos": (
        *_PURCHASE_HEADER,
        ReferencePair(id="invoiceId", code="invoiceNumber", target="purchaseInvoices", target_code="number"),
    ),
    "salesQuoteLines": _LINE,
    "salesOrderLines": _LINE,
    "salesInvoiceLines": _LINE,
    "salesCreditMemoLines": _LINE,
    "purchaseOrderLines": _LINE,
    "purchaseInvoiceLines": _LINE,
    "purchaseCreditMemoLines": _LINE,
    "journals": (_BALANCING,),
    "customerPaymentJournals": (_BALANCING,),
    "vendorPaymentJournals": (_BALANCING,),
    "customerPayments": (
        ReferencePair(id="customerId", code="customerNumber", target="customers", target_code="number"),
        ReferencePair(
            id="appliesToInvoiceId", code="appliesToInvoiceNumber", target="salesInvoices", target_code="number"
        ),
    ),
    "vendorPayments": (
        ReferencePair(id="vendorId", code="vendorNumber", target="vendors", target_code="number"),
        ReferencePair(
            id="appliesToInvoiceId", code="appliesToInvoiceNumber", target="purchaseInvoices", target_code="number"
        ),
    ),
}  # fmt: skip


def register(behaviour: Behaviour) -> None:
    for set_name, references in REFERENCES.items():
        _register_set(behaviour, set_name, references)


def _register_set(behaviour: Behaviour, set_name: str, references: tuple[ReferencePair, ...]) -> None:
    @behaviour.on_insert(set_name)
    def resolve_new(records: Records, values: Row) -> Row:
        for each in references:
            values.update(resolved(records, each, values))
        return values

    @behaviour.on_update(set_name)
    def resolve_changed(records: Records, row: Row, changes: Row) -> Row:
        del row
        for each in references:
            changes.update(resolved(records, each, changes))
        return changes


def resolved(records: Records, pair: ReferencePair, values: Row) -> Row:
    """What the given id and code stand for: both of them, or nothing where neither was given."""
    has_id, has_code = pair.id in values, bool(pair.code) and pair.code in values
    if not has_id and not has_code:
        return {}
    code, key = text(values, pair.code), reference(values, pair.id)
    if pair.target == "currencies" and not key and (code in {"", local_currency(records)}):
        return {pair.id: UNSET_GUID, pair.code: local_currency(records)}
    if key is None and not code:
        return {pair.id: UNSET_GUID, **({pair.code: ""} if pair.code else {})}
    found = _named(records, pair, key, code)
    if key is not None and code and text(found, pair.target_code).casefold() != code.casefold():
        raise ApplicationError(
            f'The values of "{pair.id}" and "{pair.code}" do not refer to the same record of {pair.target}.'
        )
    both: Row = {pair.id: text(found, "id")}
    if pair.code:
        both[pair.code] = text(found, pair.target_code)
    return both


def _named(records: Records, pair: ReferencePair, key: str | None, code: str) -> Row:
    if key is not None:
        found = records.get(pair.target, key)
        given = f'"{pair.id}" {key}'
    else:
        found = records.first(pair.target, **{pair.target_code: code})
        if found is None and code != code.upper():
            found = records.first(pair.target, **{pair.target_code: code.upper()})
        given = f'"{pair.code}" {code}'
    if found is None:
        raise ApplicationError(f"The {given} does not match any record of {pair.target}.")
    return found
