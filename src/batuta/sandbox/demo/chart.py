"""The chart of accounts of a demo company, and which account takes what."""

from decimal import Decimal

from batuta.sandbox.business.company import DOMESTIC, EXPORT, UNION
from batuta.sandbox.ledger.setup import PostingSetup, TaxRate
from batuta.sandbox.ledger.statements import (
    ASSETS,
    CASH,
    COST,
    EQUITY,
    EXPENSE,
    FIXED_ASSETS,
    INCOME,
    LIABILITIES,
    RETAINED_EARNINGS,
)

BEGIN, END, POSTING, HEADING = "Begin_x002D_Total", "End_x002D_Total", "Posting", "Heading"
CONTROL = frozenset({"2110", "2310", "2320", "5410", "5420", "5510"})
"""Accounts that only documents post to."""
CHART = (
    ("1000", "BALANCE SHEET", "_x0020_", "", HEADING),
    ("1002", "ASSETS", ASSETS, "", BEGIN),
    ("1100", "Fixed assets", ASSETS, "", BEGIN),
    ("1110", "Buildings", ASSETS, FIXED_ASSETS, POSTING),
    ("1210", "Machinery and vehicles", ASSETS, FIXED_ASSETS, POSTING),
    ("1290", "Accumulated depreciation", ASSETS, FIXED_ASSETS, POSTING),
    ("1299", "Fixed assets, total", ASSETS, "", END),
    ("2000", "Current assets", ASSETS, "", BEGIN),
    ("2110", "Resale items", ASSETS, "Inventory", POSTING),
    ("2310", "Customers, domestic", ASSETS, "Accounts Receivable", POSTING),
    ("2320", "Customers, foreign", ASSETS, "Accounts Receivable", POSTING),
    ("2910", "Cash", ASSETS, CASH, POSTING),
    ("2920", "Bank", ASSETS, CASH, POSTING),
    ("2989", "Current assets, total", ASSETS, "", END),
    ("2999", "TOTAL ASSETS", ASSETS, "", END),
    ("3000", "LIABILITIES AND EQUITY", EQUITY, "", BEGIN),
    ("3110", "Share capital", EQUITY, "Common Stock", POSTING),
    ("3120", "Retained earnings", EQUITY, RETAINED_EARNINGS, POSTING),
    ("5000", "Liabilities", LIABILITIES, "", BEGIN),
    ("5310", "Bank loan", LIABILITIES, "Long-term Liabilities", POSTING),
    ("5410", "Vendors, domestic", LIABILITIES, "Accounts Payable", POSTING),
    ("5420", "Vendors, foreign", LIABILITIES, "Accounts Payable", POSTING),
    ("5510", "Goods received, not invoiced", LIABILITIES, "Accounts Payable", POSTING),
    ("5610", "Sales tax", LIABILITIES, "Taxes", POSTING),
    ("5620", "Tax on purchases within the Union", LIABILITIES, "Taxes", POSTING),
    ("5630", "Purchase tax", LIABILITIES, "Taxes", POSTING),
    ("5810", "Salaries payable", LIABILITIES, "Payroll Liabilities", POSTING),
    ("5990", "Liabilities, total", LIABILITIES, "", END),
    ("5999", "TOTAL LIABILITIES AND EQUITY", EQUITY, "", END),
    ("6000", "INCOME STATEMENT", "_x0020_", "", HEADING),
    ("6100", "Sales", INCOME, "", BEGIN),
    ("6110", "Sales, domestic", INCOME, "Sales", POSTING),
    ("6120", "Sales, European Union", INCOME, "Sales", POSTING),
    ("6130", "Sales, export", INCOME, "Sales", POSTING),
    ("6410", "Services", INCOME, "Services", POSTING),
    ("6910", "Discounts given", INCOME, "Discounts", POSTING),
    ("6995", "Sales, total", INCOME, "", END),
    ("7000", "Cost of goods", COST, "", BEGIN),
    ("7110", "Purchases, domestic", COST, "Purchases", POSTING),
    ("7120", "Purchases, European Union", COST, "Purchases", POSTING),
    ("7130", "Purchases, import", COST, "Purchases", POSTING),
    ("7170", "Inventory adjustment", COST, "Inventory", POSTING),
    ("7190", "Cost of goods sold", COST, "Cost of Goods Sold", POSTING),
    ("7995", "Cost of goods, total", COST, "", END),
    ("8000", "Operating expenses", EXPENSE, "", BEGIN),
    ("8110", "Rent", EXPENSE, "Rent", POSTING),
    ("8120", "Electricity and heating", EXPENSE, "Utilities", POSTING),
    ("8240", "Insurance", EXPENSE, "Insurance", POSTING),
    ("8310", "Advertising", EXPENSE, "Marketing", POSTING),
    ("8430", "Freight", EXPENSE, "Freight", POSTING),
    ("8510", "Vehicles", EXPENSE, "Vehicles", POSTING),
    ("8610", "Software and telephone", EXPENSE, "Office", POSTING),
    ("8720", "Salaries", EXPENSE, "Salaries", POSTING),
    ("8820", "Depreciation", EXPENSE, "Depreciation", POSTING),
    ("8995", "Operating expenses, total", EXPENSE, "", END),
    ("9100", "Financial items", EXPENSE, "", BEGIN),
    ("9210", "Interest", EXPENSE, "Interest", POSTING),
    ("9330", "Realised exchange gains", INCOME, "Exchange Gains", POSTING),
    ("9340", "Realised exchange losses", EXPENSE, "Exchange Losses", POSTING),
    ("9395", "Financial items, total", EXPENSE, "", END),
)
"""Number, name, category, sub-category, type."""
TAX_GROUPS = (("STANDARD", "Standard rate"), ("REDUCED", "Reduced rate"), ("LOW", "Lowest rate"), ("ZERO", "No tax"))
_PRODUCTS = ("RETAIL", "SERVICES", "FREIGHT", "MISC")
_REGIONS = (DOMESTIC, UNION, EXPORT)


def posting_setup(standard: str, reduced: str, low: str) -> PostingSetup:
    """Posting groups with the tax rates of a country; sales abroad carry no tax, purchases within the Union reverse."""
    rates = {"STANDARD": Decimal(standard), "REDUCED": Decimal(reduced), "LOW": Decimal(low), "ZERO": Decimal(0)}
    none = TaxRate(percent=Decimal(0))
    sales_tax = {(DOMESTIC, group): TaxRate(percent=rate) for group, rate in rates.items()}
    purchase_tax = dict(sales_tax)
    for group, rate in rates.items():
        sales_tax[UNION, group] = sales_tax[EXPORT, group] = purchase_tax[EXPORT, group] = none
        purchase_tax[UNION, group] = TaxRate(percent=rate, is_reverse_charge=True)
    sales = dict(zip(_REGIONS, ("6110", "6120", "6130"), strict=True))
    purchases = dict(zip(_REGIONS, ("7110", "7120", "7130"), strict=True))
    return PostingSetup(
        receivables={DOMESTIC: "2310", UNION: "2320", EXPORT: "2320"},
        payables={DOMESTIC: "5410", UNION: "5420", EXPORT: "5420"},
        sales={
            (region, product): "6410" if product == "SERVICES" else sales[region]
            for region in _REGIONS
            for product in _PRODUCTS
        },
        purchases={
            (region, product): "8430" if product == "FREIGHT" else purchases[region]
            for region in _REGIONS
            for product in _PRODUCTS
        },
        sales_tax=sales_tax,
        purchase_tax=purchase_tax,
    )
