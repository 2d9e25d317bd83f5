"""A company ready for business: chart, posting groups, currencies, terms, dimensions, journals; no documents yet."""

from datetime import date
from decimal import Decimal

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.company import DOMESTIC, EXPORT, UNION, CompanySetup, store_setup
from batuta.sandbox.business.reports import chart_of_accounts
from batuta.sandbox.demo.chart import CHART, CONTROL, TAX_GROUPS, posting_setup
from batuta.sandbox.demo.profiles import CompanyProfile
from batuta.sandbox.ledger.dates import add_months
from batuta.sandbox.records import Records, SandboxStore
from batuta.sandbox.values import Row, Value

LOCAL_CURRENCY = "EUR"
GLOBAL_DIMENSIONS = ("DEPARTMENT", "CUSTOMERGROUP")
DIMENSIONS = (
    ("DEPARTMENT", "Department", (
        ("ADM", "Administration"), ("SALES", "Sales"), ("PURCHASING", "Purchasing"), ("PROD", "Production"))),
    ("CUSTOMERGROUP", "Customer group", (("LARGE", "Large"), ("MEDIUM", "Medium"), ("SMALL", "Small"))),
    ("AREA", "Area", (
        ("NORTH", "North"), ("SOUTH", "South"), ("EAST", "East"), ("CENTRE", "Centre"), ("ABROAD", "Abroad"))),
)  # fmt: skip
_CODES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("countriesRegions", (
        ("ES", "Spain"), ("PT", "Portugal"), ("FR", "France"), ("IT", "Italy"), ("DE", "Germany"),
        ("GB", "United Kingdom"), ("US", "United States"), ("CH", "Switzerland"),
        ("NL", "Netherlands"), ("MX", "Mexico"))),
    ("paymentMethods", (("BANK", "Bank transfer"), ("CARD", "Card"), ("CASH", "Cash"), ("GIRO", "Direct debit"))),
    ("shipmentMethods", (("EXW", "Ex works"), ("CIF", "Cost, insurance, freight"),
        ("DELIVERY", "Own delivery"), ("PICKUP", "Pick-up"))),
    ("unitsOfMeasure", (("PCS", "Piece"), ("BOX", "Box"), ("SET", "Set"), ("HOUR", "Hour"), ("KG", "Kilogram"))),
    ("locations", (("MAIN", "Main warehouse"), ("OUTLET", "Outlet"))),
    ("taxAreas", ((DOMESTIC, "Domestic"), (UNION, "European Union"), (EXPORT, "Export"))),
    ("taxGroups", TAX_GROUPS),
    ("customerReturnReasons", (("DEFECT", "Defect"), ("WRONG", "Wrong article"), ("LATE", "Delivered too late"))),
    ("disputeStatus", (("QUANTITY", "Quantity disputed"), ("PRICE", "Price disputed"))),
)  # fmt: skip
_TERMS = (("COD", "0D"), ("14 DAYS", "14D"), ("30 DAYS", "30D"), ("60 DAYS", "60D"), ("CM", "CM"), ("1M(8D)", "1M+8D"))
_POSTING_GROUPS = (
    ("RETAIL", "Resale items"), ("SERVICES", "Services"), ("FREIGHT", "Freight"), ("MISC", "Miscellaneous"),
)  # fmt: skip


def create_company(
    store: SandboxStore, behaviour: Behaviour, profile: CompanyProfile, first_day: date, last_day: date
) -> str:
    """A new company with its foundation; its id."""
    row = store.records("").insert(
        "companies",
        {
            "name": profile.name,
            "displayName": profile.display_name,
            "systemVersion": "27.0.0.0",
            "businessProfileId": "",
        },
    )
    records = store.records(str(row["id"]))
    tax = profile.tax_rates
    store_setup(
        records,
        CompanySetup(
            local_currency=LOCAL_CURRENCY,
            country=profile.country,
            posting=posting_setup(*tax),
            global_dimensions=GLOBAL_DIMENSIONS,
        ),
    )
    _company_rows(records, profile, first_day, last_day)
    _ledger_rows(records)
    _coded_rows(records, profile)
    _currency_rows(records, profile, first_day, last_day)
    _dimension_rows(records)
    _journal_rows(records, behaviour)
    assert chart_of_accounts(records)[-1].totals, "every begin-total of the chart needs its end-total"
    return str(row["id"])


def _company_rows(records: Records, profile: CompanyProfile, first_day: date, last_day: date) -> None:
    place = profile.place
    records.insert(
        "companyInformation",
        {
            "displayName": profile.display_name,
            "addressLine1": profile.street,
            "city": place.city,
            "country": place.country,
            "postalCode": place.post_code,
            "currencyCode": LOCAL_CURRENCY,
            "currentFiscalYearStartDate": date(last_day.year, 1, 1),
            "email": f"hola@{profile.name.lower().replace(' ', '')}.example",
            "taxRegistrationNumber": f"{place.country}B{profile.seed:08d}",
        },
    )
    records.insert(
        "generalLedgerSetup",
        {
            "localCurrencyCode": LOCAL_CURRENCY,
            "localCurrencySymbol": "€",
            "shortcutDimension1Code": GLOBAL_DIMENSIONS[0],
            "shortcutDimension2Code": GLOBAL_DIMENSIONS[1],
            "shortcutDimension3Code": "AREA",
            "allowPostingFrom": date(first_day.year, 1, 1),
        },
    )
    month = date(first_day.year, 1, 1)
    while month.year <= last_day.year:
        values: Row = {"startingDate": month, "name": month.strftime("%B"), "newFiscalYear": month.month == 1}
        records.insert("accountingPeriods", values)
        month = add_months(month, 1)


def _ledger_rows(records: Records) -> None:
    for number, name, category, sub_category, kind in CHART:
        values: Row = {
            "number": number,
            "displayName": name,
            "category": category,
            "subCategory": sub_category,
            "accountType": kind,
            "directPosting": kind == "Posting" and number not in CONTROL,
        }
        records.insert("accounts", values)
    for code, text in _POSTING_GROUPS:
        values = {
            "code": code,
            "description": text,
            "defaultVATProductPostingGroup": "STANDARD",
            "autoInsertDefault": True,
        }
        records.insert("generalProductPostingGroups", values)
    records.insert("inventoryPostingGroups", {"code": "RESALE", "description": "Resale items"})


def _coded_rows(records: Records, profile: CompanyProfile) -> None:
    for set_name, codes in _CODES:
        more: dict[str, Value] = {"taxType": "VAT"} if set_name in {"taxAreas", "taxGroups"} else {}
        name = "description" if "description" in records.store.table(set_name).columns else "displayName"
        for code, text in codes:
            records.insert(set_name, {"code": code, name: text, **more})
    for code, formula in _TERMS:
        records.insert(
            "paymentTerms", {"code": code, "displayName": f"Net {code.lower()}", "dueDateCalculation": formula}
        )
    for family in profile.families:
        records.insert("itemCategories", {"code": family.code, "displayName": family.name})
    for code, text in profile.salespeople:
        address = f"{code.lower()}@{profile.name.lower().replace(' ', '')}.example"
        records.insert("salespeoplePurchasers", {"code": code, "displayName": text, "email": address})


def _currency_rows(records: Records, profile: CompanyProfile, first_day: date, last_day: date) -> None:
    """The foreign currency with a rate for every month, drifting to and fro."""
    code, name, symbol, rate = profile.foreign_currency
    records.insert(
        "currencies",
        {
            "code": code,
            "displayName": name,
            "symbol": symbol,
            "amountDecimalPlaces": "2:2",
            "amountRoundingPrecision": Decimal("0.01"),
        },
    )
    month, step = date(first_day.year, 1, 1), 0
    while month <= last_day:
        drift = Decimal((step * 7 + profile.seed) % 11 - 5) / 200
        records.insert(
            "currencyExchangeRates",
            {
                "currencyCode": code,
                "startingDate": month,
                "exchangeRateAmount": Decimal(100),
                "relationalExchangeRateAmount": (rate * (1 + drift) * 100).quantize(Decimal("0.01")),
            },
        )
        month, step = add_months(month, 1), step + 1


def _dimension_rows(records: Records) -> None:
    for code, name, values in DIMENSIONS:
        dimension = records.insert("dimensions", {"code": code, "displayName": name})
        for value, text in values:
            records.insert("dimensionValues", {"code": value, "displayName": text, "dimensionId": dimension["id"]})


def _journal_rows(records: Records, behaviour: Behaviour) -> None:
    bank = records.first("accounts", number="2920") or {}
    balancing: Row = {"balancingAccountId": bank["id"]}
    records.insert("bankAccounts", {"number": "B010", "displayName": "Current account", "currencyCode": LOCAL_CURRENCY})
    behaviour.create(records, "journals", {"code": "DEFAULT", "displayName": "Default journal"})
    behaviour.create(records, "journals", {"code": "MONTHLY", "displayName": "Monthly entries"})
    behaviour.create(
        records, "customerPaymentJournals", {"code": "BANK", "displayName": "Customer payments", **balancing}
    )
    behaviour.create(records, "vendorPaymentJournals", {"code": "BANK", "displayName": "Vendor payments", **balancing})
