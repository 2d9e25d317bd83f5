"""Internal tables of the ledgers, and the properties that are read from them.

Amounts are stored as everywhere: scaled by 10^5, debit positive. `_party_entries` are the ledgers of customers and
vendors, which the API does not show; `_account_days` sums the general ledger by account and day, so that a report over
any period needs no walk through its entries.
"""

from batuta.sandbox.behaviour import Behaviour, PreviewedLedger

LEDGER_TABLES = """
CREATE TABLE _numbers (company TEXT NOT NULL, series TEXT NOT NULL, last TEXT NOT NULL, PRIMARY KEY (company, series))
  WITHOUT ROWID;
CREATE TABLE _counters (company TEXT NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (company, name))
  WITHOUT ROWID;
CREATE TABLE _company_setup (company TEXT NOT NULL PRIMARY KEY, setup TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE _party_entries (
  company TEXT NOT NULL, id TEXT NOT NULL, entry_number INTEGER NOT NULL, party TEXT NOT NULL, party_id TEXT NOT NULL,
  kind TEXT NOT NULL, document_id TEXT NOT NULL, document_number TEXT NOT NULL, external_number TEXT NOT NULL,
  posting_date TEXT NOT NULL, due_date TEXT NOT NULL, currency TEXT NOT NULL, amount INTEGER NOT NULL,
  local INTEGER NOT NULL, remaining INTEGER NOT NULL, remaining_local INTEGER NOT NULL, sales INTEGER NOT NULL,
  control TEXT NOT NULL, description TEXT NOT NULL, PRIMARY KEY (company, id));
CREATE INDEX _party_entries_open ON _party_entries (company, party_id) WHERE remaining <> 0;
CREATE INDEX _party_entries_party ON _party_entries (company, party_id, posting_date);
CREATE INDEX _party_entries_document ON _party_entries (company, document_id);
CREATE TABLE _applications (
  company TEXT NOT NULL, entry TEXT NOT NULL, against TEXT NOT NULL, posting_date TEXT NOT NULL,
  amount INTEGER NOT NULL, local INTEGER NOT NULL, against_local INTEGER NOT NULL);
CREATE INDEX _applications_entry ON _applications (company, entry);
CREATE INDEX _applications_against ON _applications (company, against);
CREATE TABLE _tax_entries (
  company TEXT NOT NULL, party TEXT NOT NULL, document_number TEXT NOT NULL, posting_date TEXT NOT NULL,
  business_group TEXT NOT NULL, tax_group TEXT NOT NULL, percent INTEGER NOT NULL, base INTEGER NOT NULL,
  tax INTEGER NOT NULL, is_reverse_charge INTEGER NOT NULL);
CREATE INDEX _tax_entries_date ON _tax_entries (company, posting_date);
CREATE TABLE _stock (
  company TEXT NOT NULL, item TEXT NOT NULL, quantity INTEGER NOT NULL, value INTEGER NOT NULL,
  unit_cost INTEGER NOT NULL, PRIMARY KEY (company, item)) WITHOUT ROWID;
CREATE TABLE _accruals (
  company TEXT NOT NULL, line TEXT NOT NULL, quantity INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (company, line)) WITHOUT ROWID;
CREATE TABLE _line_costs (
  company TEXT NOT NULL, line TEXT NOT NULL, quantity INTEGER NOT NULL, cost INTEGER NOT NULL,
  PRIMARY KEY (company, line)) WITHOUT ROWID;
CREATE TABLE _account_days (
  company TEXT NOT NULL, account TEXT NOT NULL, day TEXT NOT NULL, debit INTEGER NOT NULL, credit INTEGER NOT NULL,
  PRIMARY KEY (company, account, day)) WITHOUT ROWID;
CREATE TABLE _posting_groups (
  company TEXT NOT NULL, party_id TEXT NOT NULL, business_group TEXT NOT NULL, PRIMARY KEY (company, party_id))
  WITHOUT ROWID;
CREATE INDEX _item_entries_item ON itemLedgerEntries (company, itemNumber, entryNumber)
"""

LEDGERS = {
    "_party_entries": PreviewedLedger(
        name="{}LedgerEntries",
        kind="party",
        decimals=frozenset({"amount", "local", "remaining", "remaining_local", "sales"}),
    ),
    "_applications": PreviewedLedger(name="appliedEntries", decimals=frozenset({"amount", "local", "against_local"})),
    "_tax_entries": PreviewedLedger(name="taxEntries", decimals=frozenset({"percent", "base", "tax"})),
}
"""Tables that a preview shows; the others are bookkeeping."""

_OPEN = "FROM _party_entries e WHERE e.company = t.company AND e.party_id = t.id AND e.remaining <> 0"

COMPUTED = {
    ("customers", "balanceDue"): f"(SELECT COALESCE(SUM(e.remaining_local), 0) {_OPEN})",
    ("vendors", "balance"): f"(SELECT COALESCE(-SUM(e.remaining_local), 0) {_OPEN})",
    ("items", "inventory"): (
        "COALESCE((SELECT s.quantity FROM _stock s WHERE s.company = t.company AND s.item = t.number), 0)"
    ),
    ("accounts", "netChange"): (
        "(SELECT COALESCE(SUM(d.debit - d.credit), 0) FROM _account_days d "
        "WHERE d.company = t.company AND d.account = t.number)"
    ),
}


def register(behaviour: Behaviour) -> None:
    behaviour.tables(LEDGER_TABLES)
    for table, ledger in LEDGERS.items():
        behaviour.ledger(table, ledger)
    for (set_name, prop), expression in COMPUTED.items():
        behaviour.computed(set_name, prop, expression)
