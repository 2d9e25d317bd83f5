"""Reports, computed from the ledgers when they are read.

Filter fields are instructions with defaults: trial balance and balance sheet stand at today, statements of a period run
from 1 January to today, aged reports are as of today by periods of 30 days, overdue means due before today.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid5

from batuta.sandbox.behaviour import Behaviour, FlowFilter
from batuta.sandbox.business.company import local_currency
from batuta.sandbox.business.fields import text
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import ZERO
from batuta.sandbox.ledger.dates import DateFormulaError, apply_formula
from batuta.sandbox.ledger.entries import Party
from batuta.sandbox.ledger.statements import (
    CASH,
    AgedAmounts,
    ChartAccount,
    StatementLine,
    account_amount,
    aged,
    balance_sheet,
    cash_flow_statement,
    income_statement,
    retained_earnings_statement,
)
from batuta.sandbox.records import Records
from batuta.sandbox.values import UNSET_DATE, UNSET_GUID, Row, from_scaled

Filters = Mapping[str, FlowFilter]
_BEGIN, _END = "Begin_x002D_Total", "End_x002D_Total"
_IDS = UUID("6f1d7a52-3f1c-4c7b-9a55-5a1f0d1c2b3e")
_FIRST_DAY = date(1, 1, 2)


def register(behaviour: Behaviour) -> None:
    behaviour.report("trialBalances")(_trial_balance)
    behaviour.report("balanceSheets")(_balance_sheet)
    behaviour.report("incomeStatements")(_income_statement)
    behaviour.report("cashFlowStatements")(_cash_flow)
    behaviour.report("retainedEarningsStatements")(_retained_earnings)
    behaviour.report("agedAccountsReceivables")(_aged_receivables)
    behaviour.report("agedAccountsPayables")(_aged_payables)
    behaviour.report("customerFinancialDetails")(_financial_details)
    behaviour.report("customerSales")(_customer_sales)
    behaviour.report("vendorPurchases")(_vendor_purchases)


def chart_of_accounts(records: Records) -> list[ChartAccount]:
    """The chart in order, with the range that each end-total sums: back to the begin-total it closes."""
    chart: list[ChartAccount] = []
    begun: list[str] = []
    for row in sorted(records.find("accounts"), key=lambda row: text(row, "number")):
        kind, key = text(row, "accountType"), text(row, "number")
        if kind == _BEGIN:
            begun.append(key)
        totals = (begun.pop(), key) if kind == _END and begun else None
        chart.append(
            ChartAccount(
                number=key,
                name=text(row, "displayName"),
                category=text(row, "category"),
                sub_category=text(row, "subCategory"),
                kind=kind,
                totals=totals,
                id=text(row, "id"),
            )
        )
    return chart


def account_sums(records: Records, first: date, last: date) -> dict[str, Decimal]:
    """Debit less credit by account over a period."""
    found = records.sql(
        "SELECT account, SUM(debit - credit) FROM _account_days WHERE company = ? AND day BETWEEN ? AND ? "
        "GROUP BY account",
        (records.company, first.isoformat(), last.isoformat()),
    )
    return {account: from_scaled(amount) for account, amount in found}


def _period(records: Records, filters: Filters, name: str, *, starts_in_january: bool = False) -> tuple[date, date]:
    given = filters.get(name, FlowFilter())
    today = records.store.today()
    last = given.highest if isinstance(given.highest, date) else None
    first = given.lowest if isinstance(given.lowest, date) else None
    if last is None:
        last = max(today, first) if first else today
    if first is None:
        first = date(last.year, 1, 1) if starts_in_january else _FIRST_DAY
    return first, last


def _trial_balance(records: Records, filters: Filters) -> Iterable[Row]:
    first, last = _period(records, filters, "dateFilter")
    changes, balances = account_sums(records, first, last), account_sums(records, _FIRST_DAY, last)
    for account in chart_of_accounts(records):
        change, balance = account_amount(account, changes), account_amount(account, balances)
        yield {
            "number": account.number,
            "accountId": account.id,
            "accountType": account.kind,
            "display": account.name,
            "totalDebit": _printed(change),
            "totalCredit": _printed(-change),
            "balanceAtDateDebit": _printed(balance),
            "balanceAtDateCredit": _printed(-balance),
            "dateFilter": last,
        }


def _printed(amount: Decimal) -> str:
    return f"{amount:.2f}" if amount > 0 else ""


def _statement(records: Records, set_name: str, lines: Sequence[StatementLine], amount: str, last: date) -> list[Row]:
    return [
        {
            "id": str(uuid5(_IDS, f"{records.company} {set_name} {at}")),
            "lineNumber": at * 10_000,
            "display": line.text,
            amount: line.amount if line.amount is not None else ZERO,
            "lineType": line.kind,
            "indentation": line.indentation,
            "dateFilter": last,
        }
        for at, line in enumerate(lines, start=1)
    ]


def _balance_sheet(records: Records, filters: Filters) -> Iterable[Row]:
    _, last = _period(records, filters, "dateFilter")
    lines = balance_sheet(chart_of_accounts(records), account_sums(records, _FIRST_DAY, last))
    return _statement(records, "balanceSheets", lines, "balance", last)


def _income_statement(records: Records, filters: Filters) -> Iterable[Row]:
    first, last = _period(records, filters, "dateFilter", starts_in_january=True)
    lines = income_statement(chart_of_accounts(records), account_sums(records, first, last))
    return _statement(records, "incomeStatements", lines, "netChange", last)


def _cash_flow(records: Records, filters: Filters) -> Iterable[Row]:
    first, last = _period(records, filters, "dateFilter", starts_in_january=True)
    chart = chart_of_accounts(records)
    before = account_sums(records, _FIRST_DAY, first - timedelta(days=1))
    cash = sum((before.get(a.number, ZERO) for a in chart if a.is_posting and a.sub_category == CASH), ZERO)
    lines = cash_flow_statement(chart, account_sums(records, first, last), cash)
    return _statement(records, "cashFlowStatements", lines, "netChange", last)


def _retained_earnings(records: Records, filters: Filters) -> Iterable[Row]:
    first, last = _period(records, filters, "dateFilter", starts_in_january=True)
    before = account_sums(records, _FIRST_DAY, first - timedelta(days=1))
    lines = retained_earnings_statement(chart_of_accounts(records), before, account_sums(records, first, last))
    return _statement(records, "retainedEarningsStatements", lines, "netChange", last)


def _aged_receivables(records: Records, filters: Filters) -> Iterable[Row]:
    return _aged(records, filters, Party.CUSTOMER, _receivable_row)


def _aged_payables(records: Records, filters: Filters) -> Iterable[Row]:
    return _aged(records, filters, Party.VENDOR, _payable_row)


def _aged(
    records: Records,
    filters: Filters,
    party: Party,
    row: Callable[[Row, AgedAmounts, tuple[str, str, str]], Row],
) -> Iterable[Row]:
    """A row for every customer or vendor and one for their total."""
    as_of = _period(records, filters, "agedAsOfDate")[1]
    period = str(filters.get("periodLengthFilter", FlowFilter()).lowest or "30D")
    try:
        labels = _labels(as_of, period)
    except DateFormulaError as error:
        raise ApplicationError(str(error), code="Application_FilterErrorException") from None
    by_party = open_amounts(records, party, as_of)
    shared: Row = {"agedAsOfDate": as_of, "periodLengthFilter": period, "currencyCode": local_currency(records)}
    everything: list[tuple[date, Decimal]] = []
    for each in _parties(records, "customers" if party is Party.CUSTOMER else "vendors"):
        amounts = by_party.get(text(each, "id"), [])
        everything += amounts
        yield {**row(each, aged(amounts, as_of, period), labels), **shared}
    total: Row = {"id": UNSET_GUID, "number": "", "displayName": "Total"}
    yield {**row(total, aged(everything, as_of, period), labels), **shared}


def _parties(records: Records, table: str) -> Iterable[Row]:
    """Names of all customers or vendors: reading whole records would compute the balance of each."""
    found = records.sql(
        f'SELECT id, number, "displayName", "lastModifiedDateTime" FROM {table} WHERE company = ? ORDER BY rowid',
        (records.company,),
    )
    for key, number, name, modified in found:
        yield {
            "id": key,
            "number": number,
            "displayName": name,
            "lastModifiedDateTime": datetime.fromisoformat(modified),
        }


def _labels(as_of: date, period: str) -> tuple[str, str, str]:
    first = apply_formula(f"-{period}", as_of)
    second = apply_formula(f"-{period}", first)
    one = timedelta(days=1)
    return f"{first} - {as_of - one}", f"{second} - {first - one}", f"Before {second}"


def _receivable_row(customer: Row, amounts: AgedAmounts, labels: tuple[str, str, str]) -> Row:
    return {
        "customerId": customer["id"],
        "customerNumber": customer["number"],
        "name": customer["displayName"],
        **_amounts(amounts),
        **{f"period{at}Label": label for at, label in enumerate(labels, start=1)},
    }


def _payable_row(vendor: Row, amounts: AgedAmounts, labels: tuple[str, str, str]) -> Row:
    del labels
    return {
        "vendorId": vendor["id"],
        "vendorNumber": vendor["number"],
        "name": vendor["displayName"],
        **_amounts(amounts),
    }


def _amounts(amounts: AgedAmounts) -> Row:
    return {
        "balanceDue": amounts.balance,
        "currentAmount": amounts.current,
        **{f"period{at}Amount": amount for at, amount in enumerate(amounts.periods, start=1)},
    }


def open_amounts(records: Records, party: Party, as_of: date) -> dict[str, list[tuple[date, Decimal]]]:
    """Due date and open local amount of every entry that was open on a day; what we owe a vendor is positive."""
    latest = records.sql(
        "SELECT MAX(MAX(posting_date), COALESCE((SELECT MAX(posting_date) FROM _applications WHERE company = ?1), '')) "
        "FROM _party_entries WHERE company = ?1",
        (records.company,),
    )[0][0]
    day = as_of.isoformat()
    applied = (
        "0"
        if latest is None or day >= latest
        else "(SELECT COALESCE(SUM(CASE WHEN a.entry = e.id THEN a.local ELSE a.against_local END), 0) "
        "FROM _applications a WHERE a.company = e.company AND (a.entry = e.id OR a.against = e.id) "
        "AND a.posting_date > ?3)"
    )
    found = records.sql(
        f"SELECT e.party_id, e.due_date, e.remaining_local + {applied} AS left_open FROM _party_entries e "
        "WHERE e.company = ?1 AND e.party = ?2 AND e.posting_date <= ?3 AND left_open <> 0",
        (records.company, party.value, day),
    )
    result: dict[str, list[tuple[date, Decimal]]] = {}
    sign = 1 if party is Party.CUSTOMER else -1
    for key, due, amount in found:
        result.setdefault(key, []).append((date.fromisoformat(due), sign * from_scaled(amount)))
    return result


def _financial_details(records: Records, filters: Filters) -> Iterable[Row]:
    del filters
    today = records.store.today()
    found = records.sql(
        "SELECT party_id, SUM(remaining_local), SUM(sales), "
        "SUM(CASE WHEN due_date < ? THEN remaining_local ELSE 0 END) "
        "FROM _party_entries WHERE company = ? AND party = 'Customer' GROUP BY party_id",
        (today.isoformat(), records.company),
    )
    sums = {key: [from_scaled(amount) for amount in amounts] for key, *amounts in found}
    for customer in _parties(records, "customers"):
        balance, sales, overdue = sums.get(text(customer, "id"), [ZERO, ZERO, ZERO])
        yield {
            "id": customer["id"],
            "number": customer["number"],
            "balance": balance,
            "totalSalesExcludingTax": sales,
            "overdueAmount": overdue,
            "lastModifiedDateTime": customer["lastModifiedDateTime"],
        }


def _customer_sales(records: Records, filters: Filters) -> Iterable[Row]:
    return _traded(records, filters, Party.CUSTOMER, "customer", "totalSalesAmount")


def _vendor_purchases(records: Records, filters: Filters) -> Iterable[Row]:
    return _traded(records, filters, Party.VENDOR, "vendor", "totalPurchaseAmount")


def _traded(records: Records, filters: Filters, party: Party, name: str, amount: str) -> Iterable[Row]:
    given = filters.get("dateFilter_FilterOnly", FlowFilter())
    first = given.lowest if isinstance(given.lowest, date) else _FIRST_DAY
    last = given.highest if isinstance(given.highest, date) else date(9999, 12, 31)
    found = records.sql(
        "SELECT party_id, SUM(sales) FROM _party_entries WHERE company = ? AND party = ? AND "
        "posting_date BETWEEN ? AND ? GROUP BY party_id",
        (records.company, party.value, first.isoformat(), last.isoformat()),
    )
    sums = {key: from_scaled(value) for key, value in found}
    sign = 1 if party is Party.CUSTOMER else -1
    for each in _parties(records, f"{name}s"):
        yield {
            f"{name}Id": each["id"],
            f"{name}Number": each["number"],
            "name": each["displayName"],
            amount: sign * sums.get(text(each, "id"), ZERO),
            "dateFilter_FilterOnly": last if last.year < 9999 else UNSET_DATE,
        }
