"""`$filter`: what it finds, and what Business Central would get silently wrong (sandbox facts, section 5)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from batuta.sandbox.errors import BadRequestError
from batuta.sandbox.filter_syntax import MOST_CHARACTERS, parse_filter
from batuta.sandbox.quirks import Manner
from batuta.sandbox.service import SandboxSettings
from batuta.sandbox.values import Row
from tests.unit.sandbox.service import ApiClient

ITEMS: list[Row] = [
    {"number": "1000", "displayName": "Oak desk", "unitPrice": Decimal("250.5"), "type": "Inventory"},
    {"number": "1001", "displayName": "Ähre's lamp", "unitPrice": Decimal("19.99"), "type": "Service", "blocked": True},
    {"number": "1002", "displayName": "Oak chair", "unitPrice": Decimal(100), "type": "Non_x002D_Inventory"},
]


@pytest.fixture
def client() -> ApiClient:
    client = ApiClient()
    for row in ITEMS:
        client.records.insert("items", row)
    client.records.insert(
        "salesInvoices",
        {"number": "I1", "dueDate": date(2026, 1, 31), "lastModifiedDateTime": datetime(2026, 2, 1, 9, tzinfo=UTC)},
    )
    return client


FOUND = {
    "number eq '1000'": ["1000"],
    "number ne '1000'": ["1001", "1002"],
    "unitPrice gt 99.99999": ["1000", "1002"],
    "unitPrice ge 100 and unitPrice lt 250.5": ["1002"],
    "unitPrice gt 19.989999": ["1000", "1001", "1002"],
    "100 le unitPrice": ["1000", "1002"],
    "number eq '1000' or number eq '1002'": ["1000", "1002"],
    "not (number eq '1000' or number eq '1002')": ["1001"],
    "blocked": ["1001"],
    "not blocked": ["1000", "1002"],
    "blocked eq false": ["1000", "1002"],
    "type eq 'Service'": ["1001"],
    "type eq Microsoft.NAV.itemType'Service'": ["1001"],
    "type eq 'Non_x002D_Inventory'": ["1002"],
    "type eq 'Non-Inventory'": ["1002"],
    "startswith(displayName,'Oak')": ["1000", "1002"],
    "endswith(displayName,'lamp')": ["1001"],
    "contains(displayName,'k d')": ["1000"],
    "contains(displayName,'')": ["1000", "1001", "1002"],
    "contains(displayName,'hre''s')": ["1001"],
    "contains(displayName,'%')": [],
    "startswith(displayName,'Oak') eq false": ["1001"],
    "tolower(displayName) eq 'ähre''s lamp'": ["1001"],
    "toupper(displayName) eq 'OAK DESK'": ["1000"],
    "substring(displayName,4) eq 'desk'": ["1000"],
    "substring(displayName,0,3) eq 'Oak'": ["1000", "1002"],
    "gtin eq null": ["1000", "1001", "1002"],
    "itemCategoryId eq 00000000-0000-0000-0000-000000000000 and number eq '1000'": ["1000"],
    "number eq '1000' and number eq '1001' or number eq '1002'": ["1002"],
    "number eq '1000' and (number eq '1001' or number eq '1002')": [],
    "unitPrice eq 1e2": ["1002"],
    "unitPrice gt -1": ["1000", "1001", "1002"],
}


@pytest.mark.parametrize(("test", "numbers"), FOUND.items())
def test_a_filter_finds_the_rows_it_names(client: ApiClient, test: str, numbers: list[str]) -> None:
    assert [row["number"] for row in client.find("items", test)] == numbers


@pytest.mark.parametrize(
    ("test", "count"),
    [
        ("dueDate eq 2026-01-31", 1),
        ("dueDate lt 2026-01-31", 0),
        ("invoiceDate eq 0001-01-01", 1),
        ("lastModifiedDateTime gt 2026-02-01T08:59:59.999Z", 1),
        ("lastModifiedDateTime gt 2026-02-01T10:00:00+01:00", 0),
        ("lastModifiedDateTime ge 2026-02-01T10:00:00+01:00", 1),
        ("lastModifiedDateTime gt 2026-02-01", 1),
    ],
)
def test_dates_and_times_compare_by_what_they_mean(client: ApiClient, test: str, count: int) -> None:
    assert len(client.find("salesInvoices", test)) == count


REFUSED = {
    "number eq '1000' or displayName eq 'x'": "Application_FilterErrorException",
    "number in ('1000','1001')": "BadRequest",
    "contains(tolower(displayName),'oak')": "BadRequest_MethodNotImplemented",
    "itemVariants/any(v: v/code eq 'x')": "BadRequest",
    "indexof(displayName,'x') eq 1": "BadRequest_MethodNotImplemented",
    "length(displayName) gt 3": "BadRequest_MethodNotImplemented",
    "unitPrice gt unitCost": "BadRequest_MethodNotImplemented",
    "itemCategory/code eq 'x'": "BadRequest_MethodNotImplemented",
    "unitPrice add 1 gt 2": "BadRequest",
    "colour eq 'red'": "BadRequest",
    "type eq 'Nonsense'": "Unknown",
    "type gt 'Service'": "BadRequest",
    "unitPrice eq 'abc'": "BadRequest",
    "number eq 1000": "BadRequest",
    "itemCategoryId eq 'abc'": "BadRequest",
    "number": "BadRequest",
    "number eq": "BadRequest",
    "(number eq '1'": "BadRequest",
    "number eq '1' number": "BadRequest",
    "number eq 'x": "BadRequest",
    "1 eq 1": "BadRequest",
    "contains(unitPrice,'1')": "BadRequest",
    "contains(displayName)": "BadRequest",
    "dueDate eq 2026-13-45": "BadRequest",
    "": "BadRequest",
    "number eq '1'; drop table items": "BadRequest",
}


@pytest.mark.parametrize(("test", "code"), REFUSED.items())
def test_what_business_central_does_not_take_is_refused(client: ApiClient, test: str, code: str) -> None:
    path = client.send("GET", f"items?$filter={test.replace(' ', '%20')}")
    assert (path.status, path.json()["error"]["code"]) == (400, code)


def test_the_manner_of_business_central_ignores_in_and_lambda_silently(client: ApiClient) -> None:
    """The two traps: every row comes back, and nothing says so."""
    client.sandbox.settings = SandboxSettings(manner=Manner.BC)
    assert len(client.find("items", "number in ('1000')")) == 3
    assert len(client.find("items", "itemVariants/any(v: v/code eq 'x')")) == 3


def test_schema_2_1_understands_in_and_nested_calls(client: ApiClient) -> None:
    more = "&$schemaversion=2.1"
    assert [row["number"] for row in client.find("items", "number in ('1000','1002')", more)] == ["1000", "1002"]
    assert [row["number"] for row in client.find("items", "contains(tolower(displayName),'oak')", more)] == [
        "1000",
        "1002",
    ]


@pytest.mark.parametrize("test", ["'; DROP TABLE items; --", '" OR 1=1', "x' OR '1'='1", "%", "_", "\\"])
def test_se14_a_value_never_becomes_part_of_the_statement(client: ApiClient, test: str) -> None:
    quoted = test.replace("'", "''")
    assert client.find("items", f"displayName eq '{quoted}'") == []
    assert len(client.get("items")["value"]) == 3


@pytest.mark.parametrize(
    "text",
    ["(" * 100 + "a eq 1" + ")" * 100, " and ".join(["a eq 1"] * 500), "a" * (MOST_CHARACTERS + 1), "not " * 200 + "a"],
)
def test_the_cost_of_a_filter_is_bounded(text: str) -> None:
    with pytest.raises(BadRequestError):
        parse_filter(text)
