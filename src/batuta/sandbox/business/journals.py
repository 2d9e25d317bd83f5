"""Journals and payments: lines, numbers, posting, application to invoices.

Payment journals are journals too: each has a twin of the same id among the journals, so that
`journals({id})/Microsoft.NAV.post` posts the payments in it, as in Business Central.
"""

from collections.abc import Mapping, Sequence

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.applying import apply_entries, document_entry, open_entry, refresh_document
from batuta.sandbox.business.books import PostedDocument, check_posting_date, control_account, write_posting
from batuta.sandbox.business.company import company_setup, exchange_rate
from batuta.sandbox.business.dimensions import (
    DimensionWriter,
    check_presets,
    dimension_set,
    preset_dimensions,
    remove_sets,
)
from batuta.sandbox.business.fields import day, flag, is_set, number, reference, text, whole
from batuta.sandbox.business.references import ReferencePair, resolved
from batuta.sandbox.business.series import take_number
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import rounded
from batuta.sandbox.ledger.entries import EntryKind, Party, PostingError
from batuta.sandbox.ledger.journal import JournalAccount, JournalEntryLine, documents_of, post_journal
from batuta.sandbox.quirks import quirk_refusal
from batuta.sandbox.records import Records
from batuta.sandbox.values import UNSET_GUID, Row

PAYMENT_JOURNALS = {"customerPaymentJournals": "CASHRCPT", "vendorPaymentJournals": "PAYMENT"}
"""Sets of payment journals and the template they belong to."""
LINE_SETS = {
    "journalLines": "journals",
    "customerPayments": "customerPaymentJournals",
    "vendorPayments": "vendorPaymentJournals",
}
_SERIES = {"journalLines": "generalJournal", "customerPayments": "customerPayments", "vendorPayments": "vendorPayments"}
_STEP = 10_000
_GL, _BANK = "G_x002F_L_x0020_Account", "Bank_x0020_Account"
_ACCOUNT_SETS = {
    _GL: "accounts",
    "Customer": "customers",
    "Vendor": "vendors",
    _BANK: "bankAccounts",
    "Employee": "employees",
}


def register(behaviour: Behaviour) -> None:
    for set_name in PAYMENT_JOURNALS:
        _register_payment_journal(behaviour, set_name)
    for set_name in LINE_SETS:
        _register_lines(behaviour, set_name)
    behaviour.on_insert("journals")(_new_journal)
    behaviour.on_update("journals")(_changed_journal)
    behaviour.on_delete("journals")(_remove_lines)
    behaviour.on_insert("journalLines")(_resolve_accounts)
    behaviour.on_update("journalLines")(lambda records, row, changes: _resolve_accounts(records, changes, row))
    behaviour.action("journals", "post")(lambda records, row, _: post_batch(records, row))
    behaviour.on_update("applyVendorEntries")(_mark_for_application)


def _new_journal(records: Records, values: Row) -> Row:
    code = text(values, "code").strip().upper()
    if not code:
        raise ApplicationError('The "code" of a journal must be given and must not be blank.')
    template = text(values, "templateDisplayName") or "GENERAL"
    if records.exists("journals", code=code, templateDisplayName=template):
        raise ApplicationError(f"A journal {code} already exists.", code="Internal_EntityWithSameKeyExists", status=409)
    return {"displayName": code, **values, "code": code, "templateDisplayName": template}


def _changed_journal(records: Records, row: Row, changes: Row) -> Row:
    code = text(changes, "code").strip().upper()
    if "code" not in changes or code == text(row, "code"):
        return changes
    if not code or records.exists("journals", code=code, templateDisplayName=text(row, "templateDisplayName")):
        raise ApplicationError(f'The code "{code}" cannot be used: it is blank or another journal has it.')
    return {**changes, "code": code}


def _remove_lines(records: Records, row: Row) -> None:
    for set_name in LINE_SETS:
        for line in records.find(set_name, journalId=text(row, "id")):
            remove_sets(records, [text(line, "id")])
            records.delete(set_name, text(line, "id"))


def _register_payment_journal(behaviour: Behaviour, set_name: str) -> None:
    @behaviour.on_insert(set_name)
    def complete(records: Records, values: Row) -> Row:
        named = _new_journal(records, {**values, "templateDisplayName": PAYMENT_JOURNALS[set_name]})
        return {name: value for name, value in named.items() if name != "templateDisplayName"}

    @behaviour.after_insert(set_name)
    def add_twin(records: Records, row: Row) -> None:
        records.insert("journals", {**row, "templateDisplayName": PAYMENT_JOURNALS[set_name]})

    @behaviour.after_update(set_name)
    def change_twin(records: Records, before: Row, row: Row) -> None:
        del before
        shared = ("code", "displayName", "balancingAccountId", "balancingAccountNumber")
        records.update("journals", text(row, "id"), values={name: row[name] for name in shared})

    @behaviour.on_delete(set_name)
    def remove_twin(records: Records, row: Row) -> None:
        _remove_lines(records, row)
        records.delete("journals", text(row, "id"))


def _register_lines(behaviour: Behaviour, set_name: str) -> None:
    @behaviour.on_insert(set_name)
    def complete(records: Records, values: Row) -> Row:
        return _new_line(records, set_name, values)

    @behaviour.after_insert(set_name)
    def give_dimensions(records: Records, row: Row) -> None:
        owner = reference(row, "customerId") or reference(row, "vendorId") or reference(row, "accountId")
        used = preset_dimensions(records, owner) if owner else ()
        DimensionWriter(records).write(set_name, [(text(row, "id"), used)])

    @behaviour.on_update(set_name)
    def check(records: Records, row: Row, changes: Row) -> Row:
        del records
        for name in ("journalId", "journalDisplayName"):
            if name in changes and changes[name] != row[name]:
                raise ApplicationError(f'The "{name}" of a line cannot be changed after it was created.')
        _round_amount(changes)
        return changes

    @behaviour.on_delete(set_name)
    def remove(records: Records, row: Row) -> None:
        remove_sets(records, [text(row, "id")])


def _new_line(records: Records, set_name: str, values: Row) -> Row:
    journal_id = reference(values, "journalId")
    journal = records.get("journals", journal_id) if journal_id else None
    if journal is None:
        raise ApplicationError('A line needs the "journalId" of a journal that exists.')
    found = records.sql(
        f"SELECT MAX(lineNumber), MAX(documentNumber) FROM {set_name} WHERE company = ? AND journalId = ?",
        (records.company, text(journal, "id")),
    )
    _round_amount(values)
    line: Row = {
        "lineNumber": int(found[0][0] or 0) + _STEP,
        "postingDate": records.store.today(),
        **values,
        "journalDisplayName": journal["code"],
    }
    if whole(line, "lineNumber") and records.exists(
        set_name, journalId=text(journal, "id"), lineNumber=line["lineNumber"]
    ):
        raise ApplicationError(f"The journal already has a line {line['lineNumber']}.")
    if not text(line, "documentNumber"):
        last = text({"n": found[0][1] or ""}, "n")
        keeps = set_name == "journalLines" and last and not reference(journal, "balancingAccountId")
        line["documentNumber"] = last if keeps else take_number(records, _SERIES[set_name])
    if not text(line, "description"):
        line["description"] = _description(records, set_name, line)
    if set_name == "journalLines" and "balancingAccountId" not in line and reference(journal, "balancingAccountId"):
        line.update(
            balancingAccountId=journal["balancingAccountId"], balancingAccountNumber=journal["balancingAccountNumber"]
        )
    return line


def _round_amount(values: Row) -> None:
    if "amount" in values:
        values["amount"] = rounded(number(values, "amount"))


def _description(records: Records, set_name: str, line: Row) -> str:
    party = {"customerPayments": ("customers", "customerId"), "vendorPayments": ("vendors", "vendorId")}.get(set_name)
    if party is None:
        return ""
    key = reference(line, party[1])
    return text(records.get(party[0], key) or {}, "displayName") if key else ""


def _resolve_accounts(records: Records, values: Row, row: Row | None = None) -> Row:
    """Fill in id or number of the account of a line by the type it has."""
    before = row or {}
    for kind_name, id_name, code_name in (
        ("accountType", "accountId", "accountNumber"),
        ("balanceAccountType", "balancingAccountId", "balancingAccountNumber"),
    ):
        kind = text(values, kind_name) or text(before, kind_name) or _GL
        target = _ACCOUNT_SETS.get(kind)
        if target is None:
            raise ApplicationError(f'The "{kind_name}" {kind} is not part of this sandbox.')
        if kind_name in values and row is not None and values[kind_name] != row[kind_name] and id_name not in values:
            values.setdefault(id_name, UNSET_GUID)
            values.setdefault(code_name, "")
        pair = ReferencePair(id=id_name, code=code_name, target=target, target_code="number")
        values.update(resolved(records, pair, values))
        if not text(values, "description") and not text(before, "description") and id_name == "accountId":
            found = records.get(target, text(values, id_name)) if reference(values, id_name) else None
            if found:
                values["description"] = text(found, "displayName")
    return values


def post_batch(records: Records, journal: Row) -> None:
    """Post everything in a journal and empty it."""
    lines = [
        (set_name, line) for set_name in LINE_SETS for line in records.find(set_name, journalId=text(journal, "id"))
    ]
    if not lines:
        raise ApplicationError(f"There is nothing to post: the journal {text(journal, 'code')} has no lines.")
    by_id = {text(line, "id"): (set_name, line) for set_name, line in lines}
    entry_lines = [_entry_line(records, journal, set_name, line) for set_name, line in lines]
    for (posting_date, document_number), document in documents_of(entry_lines).items():
        check_posting_date(records, posting_date)
        _post_one(records, document, document_number, by_id)
    for set_name, line in lines:
        remove_sets(records, [text(line, "id")])
        records.delete(set_name, text(line, "id"))


def _post_one(
    records: Records,
    document: Sequence[JournalEntryLine],
    document_number: str,
    lines: Mapping[str, tuple[str, Row]],
) -> None:
    try:
        posting = post_journal(document)
    except PostingError as error:
        raise ApplicationError(str(error)) from None
    source = PostedDocument(
        number=document_number,
        posting_date=document[0].posting_date,
        kind=document[0].kind,
        external_number=text(lines[document[0].id][1], "externalDocumentNumber"),
    )
    entry_ids = iter(write_posting(records, posting, source))
    for line in document:
        for side in (line.account, line.balancing):
            if side is not None and side.party is not None:
                entry = next(entry_ids)
                if side is line.account:
                    _apply(records, entry, *lines[line.id])


def _apply(records: Records, entry_id: str, set_name: str, line: Row) -> None:
    """Close the invoices that a payment names, or those of the vendor that were marked for it."""
    on = day(line, "postingDate")
    invoice = reference(line, "appliesToInvoiceId")
    if invoice:
        target = document_entry(records, invoice)
        if not target.remaining:
            raise ApplicationError(f"Invoice {text(line, 'appliesToInvoiceNumber')} is already paid.")
        apply_entries(records, entry_id, [target], on)
        refresh_document(records, invoice)
    elif set_name == "vendorPayments":
        marked = records.sql(
            "SELECT a.id, e.document_id FROM applyVendorEntries a JOIN _party_entries e ON e.company = a.company AND "
            "e.id = a.id WHERE a.company = ? AND a.vendorNumber = ? AND a.applied = 1 ORDER BY e.entry_number",
            (records.company, text(line, "vendorNumber")),
        )
        apply_entries(records, entry_id, [open_entry(records, each[0]) for each in marked], on)
        for _, document in marked:
            refresh_document(records, document)


def _entry_line(records: Records, journal: Row, set_name: str, line: Row) -> JournalEntryLine:
    where = f"Line {line['lineNumber']} of journal {text(journal, 'code')}"
    if not is_set(day(line, "postingDate")) or not text(line, "documentNumber"):
        raise ApplicationError(f"{where} needs a posting date and a document number.")
    if not number(line, "amount"):
        raise ApplicationError(f"{where} needs an amount.")
    balancing = _balancing(records, journal, line)
    if set_name == "journalLines":
        account = _account(records, text(line, "accountType"), text(line, "accountNumber"), where)
        kind, currency = EntryKind.NONE, ""
    else:
        account, currency = _payment_account(records, set_name, line, where)
        kind = EntryKind.PAYMENT
    used = dimension_set(records, text(line, "id"))
    owner = reference(line, "customerId") or reference(line, "vendorId")
    if owner:
        check_presets(records, owner, f"{(account.party or Party.CUSTOMER).value.lower()} {account.number}", used)
    return JournalEntryLine(
        id=text(line, "id"),
        account=account,
        amount=number(line, "amount"),
        posting_date=day(line, "postingDate"),
        document=text(line, "documentNumber"),
        kind=kind,
        balancing=balancing,
        description=text(line, "description"),
        currency=currency,
        rate=exchange_rate(records, currency, day(line, "postingDate")),
        dimensions=used,
    )


def _payment_account(records: Records, set_name: str, line: Row, where: str) -> tuple[JournalAccount, str]:
    """The customer or vendor of a payment and the currency they pay in."""
    is_customer = set_name == "customerPayments"
    party = Party.CUSTOMER if is_customer else Party.VENDOR
    key = text(line, "customerNumber" if is_customer else "vendorNumber")
    if not key:
        raise ApplicationError(f"{where} needs a {party.value.lower()}.")
    if is_customer and number(line, "amount") > 0:
        raise quirk_refusal("customer_payment_sign", where)
    if not is_customer and number(line, "amount") < 0:
        raise quirk_refusal("vendor_payment_sign", where)
    row = records.first("customers" if is_customer else "vendors", number=key) or {}
    if text(row, "blocked") == "All" or (not is_customer and text(row, "blocked") == "Payment"):
        raise ApplicationError(f"{where}: {party.value.lower()} {key} is blocked with type {text(row, 'blocked')}.")
    currency = text(row, "currencyCode")
    invoice = reference(line, "appliesToInvoiceId")
    if invoice:
        found = records.get("salesInvoices" if is_customer else "purchaseInvoices", invoice) or {}
        if text(found, "customerId" if is_customer else "vendorId") != text(row, "id") and text(
            found, "billToCustomerId" if is_customer else "payToVendorId"
        ) != text(row, "id"):
            raise ApplicationError(f"{where} applies to an invoice of another {party.value.lower()}.")
        currency = text(found, "currencyCode")
    local = company_setup(records).local_currency
    account = JournalAccount(account=control_account(records, party, key), party=party, number=key)
    return account, "" if currency == local else currency


def _balancing(records: Records, journal: Row, line: Row) -> JournalAccount | None:
    if text(line, "balancingAccountNumber"):
        kind = text(line, "balanceAccountType") or _GL
        return _account(records, kind, text(line, "balancingAccountNumber"), f"Line {line['lineNumber']}")
    if "balancingAccountNumber" not in line and text(journal, "balancingAccountNumber"):
        return _account(records, _GL, text(journal, "balancingAccountNumber"), f"Journal {text(journal, 'code')}")
    return None


def _account(records: Records, kind: str, key: str, where: str) -> JournalAccount:
    if not key:
        raise ApplicationError(f"{where} needs an account.")
    if kind in {"Customer", "Vendor"}:
        party = Party(kind)
        return JournalAccount(account=control_account(records, party, key), party=party, number=key)
    if kind == _BANK:
        return JournalAccount(account=company_setup(records).posting.bank)
    if kind != _GL:
        raise ApplicationError(f'{where}: accounts of type "{kind}" are not part of this sandbox.')
    found = records.first("accounts", number=key) or {}
    if not flag(found, "directPosting"):
        raise ApplicationError(f"{where}: the account {key} does not allow direct posting.")
    return JournalAccount(account=key)


def _mark_for_application(records: Records, row: Row, changes: Row) -> Row:
    """Mark an open entry of a vendor for the next payment to them."""
    waiting = records.first("vendorPayments", vendorNumber=text(row, "vendorNumber"))
    if flag(changes, "applied") and waiting is None:
        raise ApplicationError(f"There is no payment to vendor {text(row, 'vendorNumber')} that could be applied.")
    return {**changes, "appliesToId": text(waiting or {}, "documentNumber") if flag(changes, "applied") else ""}
