"""Reading: companies, selection, order, paging, expansion, counting."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from batuta.sandbox.behaviour import Behaviour, FlowFilter
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row
from tests.unit.sandbox.service import COMPANY, OTHER, ROOT, ApiClient


@pytest.fixture
def client() -> ApiClient:
    client = ApiClient()
    customer = client.records.insert("customers", {"number": "C1", "displayName": "Acme"})
    for number in range(7):
        order = client.records.insert(
            "salesOrders",
            {
                "number": f"O{number}",
                "customerId": customer["id"],
                "totalAmountIncludingTax": Decimal(number % 3),
                "salesperson": "AB",
            },
        )
        for sequence in range(number):
            client.records.insert(
                "salesOrderLines", {"documentId": order["id"], "sequence": sequence, "quantity": Decimal(sequence)}
            )
    return client


def numbers(body: dict[str, list[dict[str, str]]]) -> list[str]:
    return [row["number"] for row in body["value"]]


def test_the_service_document_lists_every_set(client: ApiClient) -> None:
    listed = client.get(ROOT)["value"]
    assert len(listed) == 150
    assert {"name": "customers", "kind": "EntitySet", "url": "customers"} in listed


def test_companies_stand_beside_their_sets(client: ApiClient) -> None:
    assert [row["name"] for row in client.get(f"{ROOT}/companies")["value"]] == ["ALPHA", "BETA"]


@pytest.mark.parametrize("company", [COMPANY, "ALPHA", COMPANY.upper()])
def test_a_company_may_be_named_in_the_query(client: ApiClient, company: str) -> None:
    assert numbers(client.get(f"{ROOT}/customers?company={company}")) == ["C1"]


def test_another_company_has_other_records(client: ApiClient) -> None:
    assert client.get(f"{ROOT}/companies({OTHER})/customers")["value"] == []


def test_a_request_without_company_is_refused_where_there_are_several(client: ApiClient) -> None:
    assert client.refusal("GET", f"{ROOT}/customers") == (404, "Internal_CompanyNotFound")
    assert client.refusal("GET", f"{ROOT}/customers?company=GAMMA") == (404, "Internal_CompanyNotFound")


def test_the_tenant_may_be_left_out_of_the_path(client: ApiClient) -> None:
    for root in ("/v2.0/production/api/v2.0", "/api/v2.0", ROOT):
        assert numbers(client.get(f"{root}/companies({COMPANY})/customers")) == ["C1"]


def test_selected_properties_come_in_the_order_of_the_schema(client: ApiClient) -> None:
    row = client.get("salesOrders?$select=totalAmountIncludingTax,number&$top=1")["value"][0]
    assert list(row) == ["@odata.etag", "number", "totalAmountIncludingTax"]


def test_rows_are_ordered_by_several_properties(client: ApiClient) -> None:
    body = client.get(
        "salesOrders?$orderby=totalAmountIncludingTax desc,number desc&$select=number".replace(" ", "%20")
    )
    assert numbers(body) == ["O5", "O2", "O4", "O1", "O6", "O3", "O0"]


@pytest.mark.parametrize("order", ["", "&$orderby=totalAmountIncludingTax%20desc,number", "&$orderby=salesperson"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pages_together_are_the_whole(client: ApiClient, order: str, size: int) -> None:
    whole = numbers(client.get(f"salesOrders?$select=number{order}"))
    collected: list[str] = []
    path: str | None = f"salesOrders?$select=number{order}"
    while path:
        body = client.get(path, {"Prefer": f"odata.maxpagesize={size}"})
        assert len(body["value"]) <= size
        collected += numbers(body)
        path = body.get("@odata.nextLink", "").removeprefix("http://sandbox.local") or None
    assert collected == whole


def test_a_row_inserted_meanwhile_shifts_no_page(client: ApiClient) -> None:
    body = client.get("salesOrders?$orderby=number", {"Prefer": "odata.maxpagesize=3"})
    client.records.insert("salesOrders", {"number": "A0"})
    rest = client.get(body["@odata.nextLink"].removeprefix("http://sandbox.local"))
    assert numbers(body) + numbers(rest) == [f"O{number}" for number in range(7)]


def test_top_and_skip_cut_before_the_pages_do(client: ApiClient) -> None:
    body = client.get("salesOrders?$top=4&$skip=1", {"Prefer": "odata.maxpagesize=3"})
    rest = client.get(body["@odata.nextLink"].removeprefix("http://sandbox.local"))
    assert (numbers(body), numbers(rest), "@odata.nextLink" in rest) == (["O1", "O2", "O3"], ["O4"], False)


def test_counts_know_the_filter_and_not_the_page(client: ApiClient) -> None:
    assert client.get("salesOrders?$count=true&$top=2")["@odata.count"] == 7
    assert client.send("GET", "salesOrders/$count?$filter=totalAmountIncludingTax%20eq%202").body == b"2"


def test_children_are_expanded_with_their_own_options(client: ApiClient) -> None:
    options = "$select=sequence;$filter=sequence gt 0;$orderby=sequence desc;$top=2;$count=true".replace(" ", "%20")
    rows = client.get(f"salesOrders?$expand=salesOrderLines({options})&$select=number")["value"]
    assert [line["sequence"] for line in rows[6]["salesOrderLines"]] == [5, 4]
    assert rows[6]["salesOrderLines@odata.count"] == 5
    assert rows[0]["salesOrderLines"] == []


def test_expansion_goes_several_levels_and_back(client: ApiClient) -> None:
    path = "salesOrders?$expand=salesOrderLines($expand=salesOrder($expand=customer($select=number)))&$top=2"
    row = client.get(path)["value"][1]
    assert row["salesOrderLines"][0]["salesOrder"]["customer"]["number"] == "C1"


def test_a_company_expands_to_its_sets(client: ApiClient) -> None:
    rows = client.get(f"{ROOT}/companies?$expand=customers($select=number)")["value"]
    assert [[each["number"] for each in row["customers"]] for row in rows] == [["C1"], []]


def test_expansion_is_bounded_in_depth(client: ApiClient) -> None:
    path = "salesOrders?$expand=" + "customer($expand=" * 7 + "currency" + ")" * 7
    assert client.refusal("GET", path)[0] == 400


def test_a_path_leads_over_navigation_to_values(client: ApiClient) -> None:
    order = client.get("salesOrders")["value"][3]
    place = f"salesOrders({order['id']})"
    assert len(client.get(f"{place}/salesOrderLines")["value"]) == 3
    line = client.get(f"{place}/salesOrderLines")["value"][2]
    assert client.get(f"{place}/salesOrderLines({line['id']})/quantity")["value"] == 2
    assert client.send("GET", f"{place}/number/$value").body == b"O3"
    assert client.get(f"{place}/customer")["number"] == "C1"
    assert client.send("GET", f"{place}/salesOrderLines/$count").body == b"3"


def test_a_line_is_not_found_below_another_order(client: ApiClient) -> None:
    orders = client.get("salesOrders")["value"]
    line = client.get(f"salesOrders({orders[1]['id']})/salesOrderLines")["value"][0]
    assert client.refusal("GET", f"salesOrders({orders[2]['id']})/salesOrderLines({line['id']})")[0] == 404


def test_lines_need_their_document(client: ApiClient) -> None:
    assert client.refusal("GET", "salesOrderLines") == (400, "Application_DialogException")
    order = client.get("salesOrders")["value"][2]
    assert len(client.find("salesOrderLines", f"documentId eq {order['id']}")) == 2


def test_without_metadata_only_values_come(client: ApiClient) -> None:
    body = client.get("customers", {"Accept": "application/json;odata.metadata=none"})
    assert "@odata.context" not in body
    assert "@odata.etag" not in body["value"][0]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("nonsense", 404),
        ("customers(5)", 400),
        ("customers('C1')", 400),
        ("customers(00000000-0000-4000-8000-000000000000)", 404),
        ("customers/nonsense", 404),
        ("customers?$select=nonsense", 400),
        ("customers?$orderby=nonsense", 400),
        ("customers?$orderby=number up", 400),
        ("customers?$expand=nonsense", 400),
        ("customers?$top=-1", 400),
        ("customers?$top=x", 400),
        ("customers?$count=maybe", 400),
        ("customers?$apply=x", 400),
        ("customers?$search=x", 400),
        ("customers?$top=1&$top=2", 400),
        ("customers?$skiptoken=abc", 400),
        ("customers?$skiptoken=WzEsMl0", 400),
        ("customers?$expand=currency($top=1", 400),
        ("customers/$value", 404),
        ("/elsewhere", 404),
        ("/api/v1.0/companies", 404),
    ],
)
def test_a_wrong_address_says_what_is_wrong(client: ApiClient, path: str, status: int) -> None:
    assert client.refusal("GET", path.replace(" ", "%20"))[0] == status


def test_an_error_has_the_shape_of_business_central(client: ApiClient) -> None:
    body = client.send("GET", "nonsense").json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    assert "  CorrelationId:  " in body["error"]["message"]


def test_a_report_is_computed_and_then_queried_like_any_set() -> None:
    behaviour = Behaviour()
    asked: list[dict[str, FlowFilter]] = []

    @behaviour.report("trialBalances")
    def balances(records: Records, flow: Mapping[str, FlowFilter]) -> list[Row]:
        asked.append(dict(flow))
        return [
            {"accountId": str(record["id"]), "number": str(record["number"])} for record in records.find("accounts")
        ]

    client = ApiClient(behaviour=behaviour)
    for number in ("1000", "2000", "3000"):
        client.records.insert("accounts", {"number": number})
    test = "dateFilter ge 2026-01-01 and dateFilter le 2026-06-30 and number ne '2000'"
    assert [row["number"] for row in client.find("trialBalances", test)] == ["1000", "3000"]
    assert str(asked[0]["dateFilter"].lowest) == "2026-01-01"
    assert str(asked[0]["dateFilter"].highest) == "2026-06-30"
    expanded = client.get("accounts?$expand=trialBalance($select=number)&$select=number")["value"]
    assert [row["trialBalance"]["number"] for row in expanded] == ["1000", "2000", "3000"]


def test_an_instruction_to_a_report_cannot_be_negated() -> None:
    client = ApiClient()
    assert client.refusal("GET", "trialBalances?$filter=not%20(dateFilter%20ge%202026-01-01)") == (
        400,
        "Application_FilterErrorException",
    )


def test_journals_show_only_those_of_the_general_template_unless_asked() -> None:
    client = ApiClient()
    for code, template in (("A", "GENERAL"), ("B", "PAYMENT")):
        client.records.insert("journals", {"code": code, "templateDisplayName": template})
    assert [row["code"] for row in client.get("journals")["value"]] == ["A"]
    assert [row["code"] for row in client.find("journals", "code ne 'X'")] == ["A"]
    assert [row["code"] for row in client.find("journals", "templateDisplayName ne 'X'")] == ["A", "B"]
    assert client.send("GET", "journals/$count").body == b"1"
    other = client.find("journals", "templateDisplayName eq 'PAYMENT'")[0]
    assert client.get(f"journals({other['id']})")["code"] == "B"


def test_the_rows_of_a_query_come_in_an_order_of_their_own() -> None:
    assert ApiClient().refusal("GET", "customerSales?$orderby=name") == (400, "BadRequest_MethodNotImplemented")
