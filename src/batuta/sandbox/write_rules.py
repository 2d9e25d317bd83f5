"""The write rules of the catalogue, checked before any behaviour runs.

    values = WriteRules(records, quirks).for_insert(entity, values)

Two names for one thing (`customerId` and `customerNumber`) must agree; where one is given the other is filled in, so
that behaviour always sees both. Identifiers must lead to records that exist.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from batuta.sandbox.errors import ApplicationError, BadRequestError
from batuta.sandbox.quirks import Quirks
from batuta.sandbox.records import Records
from batuta.sandbox.schema import EntitySet
from batuta.sandbox.values import UNSET_GUID, Row, Value, unset


@dataclass(frozen=True, kw_only=True)
class IdentifierPair:
    """Two properties that name the same record of another set: by its id, and by its number or code."""

    by_id: str
    by_name: str
    target: str
    name: str
    sets: frozenset[str] | None = None
    """Only in these sets; everywhere where nothing is said."""


def _pair(by_id: str, by_name: str, target: str, name: str = "code", *sets: str) -> IdentifierPair:
    return IdentifierPair(by_id=by_id, by_name=by_name, target=target, name=name, sets=frozenset(sets) or None)


PAIRS: Final = (
    _pair("customerId", "customerNumber", "customers", "number"),
    _pair("billToCustomerId", "billToCustomerNumber", "customers", "number"),
    _pair("vendorId", "vendorNumber", "vendors", "number"),
    _pair("payToVendorId", "payToVendorNumber", "vendors", "number"),
    _pair("employeeId", "employeeNumber", "employees", "number"),
    _pair("itemId", "itemNumber", "items", "number"),
    _pair("currencyId", "currencyCode", "currencies"),
    _pair("itemCategoryId", "itemCategoryCode", "itemCategories"),
    _pair("taxGroupId", "taxGroupCode", "taxGroups"),
    _pair("baseUnitOfMeasureId", "baseUnitOfMeasureCode", "unitsOfMeasure"),
    _pair("unitOfMeasureId", "unitOfMeasureCode", "unitsOfMeasure"),
    _pair("generalProductPostingGroupId", "generalProductPostingGroupCode", "generalProductPostingGroups"),
    _pair("inventoryPostingGroupId", "inventoryPostingGroupCode", "inventoryPostingGroups"),
    _pair("dimensionId", "dimensionCode", "dimensions"),
    _pair("dimensionValueId", "dimensionValueCode", "dimensionValues"),
    _pair("appliesToInvoiceId", "appliesToInvoiceNumber", "salesInvoices", "number", "customerPayments"),
    _pair("appliesToInvoiceId", "appliesToInvoiceNumber", "purchaseInvoices", "number", "vendorPayments"),
    _pair("invoiceId", "invoiceNumber", "salesInvoices", "number", "salesCreditMemos"),
    _pair("invoiceId", "invoiceNumber", "purchaseInvoices", "number", "purchaseCreditMemos"),
)
_OTHERWISE_CHECKED: Final = frozenset({("journalLines", "accountId"), ("journalLines", "balancingAccountId")})
"""Identifiers whose set depends on another field of the record: behaviour looks them up."""


class WriteRules:
    """Checks and completes what a request wants to store in one company."""

    def __init__(self, records: Records, quirks: Quirks) -> None:
        self._records = records
        self._quirks = quirks

    def for_insert(self, entity: EntitySet, values: Row, linked: Row) -> Row:
        """The values of a new record; `linked` are those that its place in the path decides."""
        # A record may be given its id, although the field is read-only otherwise.
        self._refuse_read_only(entity, values.keys() - set(entity.key))
        for rule in entity.rules_of("notOnInsert"):
            self._refuse_given(rule.fields, values)
        whole = {**values, **linked}
        completed = self._with_agreeing_identifiers(entity, whole)
        self._check_required(entity, completed)
        self._check_values(entity, completed)
        return completed

    def for_update(self, entity: EntitySet, row: Row, changes: Row) -> Row:
        """The changes of a record, as they may be stored."""
        self._refuse_read_only(entity, changes.keys())
        for rule in entity.rules_of("immutable"):
            for name in rule.fields:
                if name in changes and changes[name] != row.get(name):
                    raise ApplicationError(f"The field '{name}' cannot be changed once the record exists.")
        completed = self._with_agreeing_identifiers(entity, changes)
        self._check_values(entity, completed)
        return completed

    def _refuse_read_only(self, entity: EntitySet, names: Iterable[str]) -> None:
        for name in names:
            if entity.properties[name].read_only:
                self._quirks.meet("read_only_field", name)

    def _refuse_given(self, names: tuple[str, ...], values: Row) -> None:
        for name in names:
            if name in values:
                raise ApplicationError(f"The field '{name}' cannot be set on a new record; change it afterwards.")

    def _check_required(self, entity: EntitySet, values: Row) -> None:
        for rule in entity.rules_of("required"):
            for name in rule.fields:
                if name not in values:
                    raise BadRequestError(
                        f"The field '{name}' is required.", code="BadRequest_RequiredParamNotProvided"
                    )
        for rule in entity.rules_of("oneOfRequired"):
            if not any(_is_set(entity, name, values) for name in rule.fields):
                raise ApplicationError(f"One of {' or '.join(rule.fields)} has to be given.")

    def _check_values(self, entity: EntitySet, values: Row) -> None:
        blank = {name for rule in entity.rules_of("notBlank") for name in rule.fields}
        for name, value in values.items():
            prop = entity.properties[name]
            if value == "" and (prop.not_blank or name in blank):
                raise ApplicationError(
                    f"The field '{name}' must not be blank.", code="Application_FieldValidationException"
                )
        for rule in entity.rules_of("mutuallyExclusive"):
            if all(_is_set(entity, name, values) for name in rule.fields):
                raise ApplicationError(f"{' and '.join(rule.fields)} exclude each other: give only one of them.")
        self._check_links(entity, values)

    def _check_links(self, entity: EntitySet, values: Row) -> None:
        """A given identifier that leads to one set has to name a record of it."""
        for name, target in _single_links(entity).items():
            value = values.get(name, UNSET_GUID)
            if value != UNSET_GUID and self._records.get(target, value) is None:
                raise ApplicationError(
                    f"The {name} {value} does not exist in {target}.", code="Internal_InvalidTableRelation"
                )

    def _with_agreeing_identifiers(self, entity: EntitySet, values: Row) -> Row:
        completed = dict(values)
        for pair in PAIRS:
            has_both = pair.by_id in entity.properties and pair.by_name in entity.properties
            if has_both and (pair.sets is None or entity.name in pair.sets):
                self._complete(pair, completed)
        return completed

    def _complete(self, pair: IdentifierPair, values: Row) -> None:
        by_id, by_name = values.get(pair.by_id), values.get(pair.by_name)
        if pair.by_id == "currencyId" and self._is_local_currency(by_id, by_name):
            values.update({pair.by_id: UNSET_GUID, pair.by_name: by_name or ""})
            return
        if by_id not in (None, UNSET_GUID):
            found = self._records.get(pair.target, by_id or "")
            if found is None:
                raise ApplicationError(f"The {pair.by_id} {by_id} does not exist in {pair.target}.")
            if by_name not in (None, "", found[pair.name]):
                raise ApplicationError(
                    f"'{pair.by_id}' and '{pair.by_name}' do not agree: they name different records of {pair.target}."
                )
            values[pair.by_name] = found[pair.name]
        elif by_name:
            found = self._records.first(pair.target, **{pair.name: by_name})
            if found is None:
                raise ApplicationError(f"The {pair.by_name} '{by_name}' does not exist in {pair.target}.")
            values[pair.by_id] = found["id"]
        elif by_id is not None or by_name is not None:
            values.update({pair.by_id: UNSET_GUID, pair.by_name: ""})

    def _is_local_currency(self, by_id: Value | None, by_name: Value | None) -> bool:
        if by_id not in (None, UNSET_GUID) or not by_name:
            return False
        setup = self._records.first("generalLedgerSetup")
        return setup is not None and setup["localCurrencyCode"] == by_name


def _single_links(entity: EntitySet) -> dict[str, str]:
    """Identifiers that lead to exactly one set by its id."""
    targets: dict[str, set[str]] = {}
    for way in entity.navigation.values():
        if not way.is_many and len(way.on) == 1:
            own, theirs = next(iter(way.on.items()))
            if theirs == "id" and own not in entity.key and entity.properties[own].type == "Edm.Guid":
                targets.setdefault(own, set()).add(way.target)
    return {
        name: next(iter(found))
        for name, found in targets.items()
        if len(found) == 1 and (entity.name, name) not in _OTHERWISE_CHECKED
    }


def _is_set(entity: EntitySet, name: str, values: Row) -> bool:
    return name in values and name in entity.properties and values[name] != unset(entity.properties[name])
