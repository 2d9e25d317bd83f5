"""Writing: create, change, delete, ETags, deep insert, the rules of the catalogue, actions and streams."""

import pytest

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, Value
from tests.unit.sandbox.service import EVERY_ROW, OTHER, ROOT, ApiClient

UNKNOWN = "00000000-0000-4000-8000-00000000dead"


@pytest.fixture
def client() -> ApiClient:
    client = ApiClient()
    client.records.insert("currencies", {"code": "USD"})
    client.records.insert("currencies", {"code": "GBP"})
    client.records.insert("generalLedgerSetup", {"localCurrencyCode": "EUR"})
    client.records.insert("customers", {"number": "C1", "displayName": "Acme"})
    client.records.insert("customers", {"number": "C2", "displayName": "Bolt"})
    return client


def id_of(client: ApiClient, set_name: str, **equals: Value) -> str:
    found = client.records.first(set_name, **equals)
    assert found is not None
    return str(found["id"])


def new_order(client: ApiClient) -> str:
    return str(client.send("POST", "salesOrders", {"customerNumber": "C1"}).json()["id"])


def test_a_new_record_comes_back_with_its_address_and_etag(client: ApiClient) -> None:
    response = client.send("POST", "customers", {"displayName": "Core", "blocked": "Ship", "creditLimit": 12.5})
    row = response.json()
    assert response.status == 201
    assert response.headers["Location"].endswith(f"customers({row['id']})")
    assert response.headers["ETag"] == row["@odata.etag"]
    assert (row["displayName"], row["blocked"], row["creditLimit"]) == ("Core", "Ship", 12.5)


def test_a_record_may_be_given_its_id(client: ApiClient) -> None:
    given = "0f0f0f0f-0000-4000-8000-000000000001"
    body = {"id": given.upper(), "displayName": "Core"}
    assert client.send("POST", "customers", body).json()["id"] == given
    assert client.refusal("POST", "customers", body) == (409, "Internal_EntityWithSameKeyExists")


def test_a_change_needs_the_etag_that_was_seen(client: ApiClient) -> None:
    customer = client.get("customers")["value"][0]
    place, tag = f"customers({customer['id']})", customer["@odata.etag"]
    assert client.refusal("PATCH", place, {"city": "Cádiz"}) == (400, "BadRequest_InvalidToken")
    assert client.refusal("PATCH", place, {"city": "Cádiz"}, {"If-Match": "nonsense"}) == (
        400,
        "BadRequest_InvalidToken",
    )
    changed = client.send("PATCH", place, {"city": "Cádiz"}, {"If-Match": tag})
    assert (changed.status, changed.json()["city"]) == (200, "Cádiz")
    assert client.refusal("PATCH", place, {"city": "León"}, {"If-Match": tag}) == (409, "Request_EntityChanged")
    assert client.refusal("DELETE", place, headers={"If-Match": tag}) == (409, "Request_EntityChanged")
    assert client.send("PATCH", place, {"city": "León"}, EVERY_ROW).status == 200


def test_the_etag_of_one_record_does_not_fit_another(client: ApiClient) -> None:
    first, second = client.get("customers")["value"]
    refused = client.refusal("PATCH", f"customers({second['id']})", {"city": "x"}, {"If-Match": first["@odata.etag"]})
    assert refused == (409, "Request_EntityChanged")


def test_a_deleted_record_is_gone(client: ApiClient) -> None:
    place = f"customers({id_of(client, 'customers', number='C1')})"
    assert client.send("DELETE", place, headers=EVERY_ROW).status == 204
    assert client.refusal("GET", place) == (404, "Internal_RecordNotFound")
    assert client.refusal("DELETE", place, headers=EVERY_ROW)[0] == 404


def test_a_record_of_one_company_cannot_be_changed_through_another(client: ApiClient) -> None:
    customer = id_of(client, "customers", number="C1")
    place = f"{ROOT}/companies({OTHER})/customers({customer})"
    assert client.refusal("PATCH", place, {"city": "x"}, EVERY_ROW)[0] == 404
    assert client.refusal("DELETE", place, headers=EVERY_ROW)[0] == 404


REFUSED = [
    ({}, "BadRequest_RequiredParamNotProvided"),
    ({"displayName": ""}, "Application_FieldValidationException"),
    ({"displayName": "x" * 101}, "Application_StringExceededLength"),
    ({"displayName": 5}, "BadRequest"),
    ({"displayName": "x", "colour": "red"}, "BadRequest"),
    ({"displayName": "x", "blocked": "Sometimes"}, "Unknown"),
    ({"displayName": "x", "blocked": 1}, "BadRequest"),
    ({"displayName": "x", "creditLimit": "12"}, "BadRequest"),
    ({"displayName": "x", "creditLimit": True}, "BadRequest"),
    ({"displayName": "x", "creditLimit": 1e300}, "Application_EvaluateException"),
    ({"displayName": "x", "taxLiable": "yes"}, "BadRequest"),
    ({"displayName": "x", "currencyId": "no guid"}, "Application_InvalidGUID"),
    ({"displayName": "x", "currencyId": UNKNOWN}, "Application_DialogException"),
    ({"displayName": "x", "currencyCode": "XXX"}, "Application_DialogException"),
    ({"displayName": "x", "paymentTermsId": UNKNOWN}, "Internal_InvalidTableRelation"),
    ({"displayName": "x", "balanceDue": 5}, "BadRequest_InvalidOperation"),
    ({"displayName": "x", "lastModifiedDateTime": "2026-01-01T00:00:00Z"}, "BadRequest_InvalidOperation"),
    ({"displayName": "\ud800"}, "BadRequest"),
]


@pytest.mark.parametrize(("body", "code"), REFUSED)
def test_a_wrong_customer_is_refused_with_its_reason(client: ApiClient, body: Row, code: str) -> None:
    assert client.refusal("POST", "customers", body) == (400, code)
    assert len(client.get("customers")["value"]) == 2


@pytest.mark.parametrize("raw", [b"{", b"[]", b'"x"', b"\xff", b'{"displayName": NaN}', b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(client: ApiClient, raw: bytes) -> None:
    assert client.refusal("POST", "customers", raw) == (400, "BadRequest")


def test_another_content_type_is_refused(client: ApiClient) -> None:
    assert client.refusal("POST", "customers", b"<a/>", {"Content-Type": "application/xml"})[0] == 415


def test_two_names_for_one_thing_are_completed_and_have_to_agree(client: ApiClient) -> None:
    usd, gbp = (id_of(client, "currencies", code=code) for code in ("USD", "GBP"))
    by_code = client.send("POST", "customers", {"displayName": "x", "currencyCode": "USD"}).json()
    by_id = client.send("POST", "customers", {"displayName": "x", "currencyId": gbp}).json()
    assert (by_code["currencyId"], by_id["currencyCode"]) == (usd, "GBP")
    both = {"displayName": "x", "currencyId": usd, "currencyCode": "GBP"}
    assert client.refusal("POST", "customers", both) == (400, "Application_DialogException")


def test_the_local_currency_has_no_id(client: ApiClient) -> None:
    row = client.send("POST", "customers", {"displayName": "x", "currencyCode": "EUR"}).json()
    assert (row["currencyCode"], row["currencyId"]) == ("EUR", "00000000-0000-0000-0000-000000000000")


def test_a_document_needs_its_customer(client: ApiClient) -> None:
    assert client.refusal("POST", "salesOrders", {}) == (400, "Application_DialogException")


def test_a_line_takes_an_item_or_an_account(client: ApiClient) -> None:
    item, account = (client.records.insert(name, {"number": "1"})["id"] for name in ("items", "accounts"))
    place = f"salesOrders({new_order(client)})/salesOrderLines"
    assert client.refusal("POST", place, {"itemId": item, "accountId": account})[1] == "Application_DialogException"


def test_a_line_stays_with_its_document(client: ApiClient) -> None:
    first, second = new_order(client), new_order(client)
    line = client.send("POST", f"salesOrders({first})/salesOrderLines", {"description": "a"}).json()
    assert line["documentId"] == first
    place = f"salesOrderLines({line['id']})"
    assert client.refusal("PATCH", place, {"documentId": second}, EVERY_ROW) == (400, "Application_DialogException")
    assert client.send("PATCH", place, {"documentId": first, "quantity": 2}, EVERY_ROW).json()["quantity"] == 2


def test_stock_is_refused_on_a_new_item(client: ApiClient) -> None:
    body = {"displayName": "x", "inventory": 5}
    assert client.refusal("POST", "items", body) == (400, "Application_DialogException")


def test_children_are_stored_with_their_parent_or_not_at_all(client: ApiClient) -> None:
    good = {"customerNumber": "C1", "salesOrderLines": [{"description": "a"}, {"description": "b"}]}
    order = client.send("POST", "salesOrders?$expand=salesOrderLines", good).json()
    assert [line["description"] for line in order["salesOrderLines"]] == ["a", "b"]
    bad = {"customerNumber": "C1", "salesOrderLines": [{"description": "a"}, {"description": 5}]}
    assert client.send("POST", "salesOrders", bad).status == 400
    assert len(client.get("salesOrders")["value"]) == 1


def test_there_is_no_deep_change(client: ApiClient) -> None:
    body = {"salesOrderLines": [{"description": "a"}]}
    assert client.refusal("PATCH", f"salesOrders({new_order(client)})", body, EVERY_ROW) == (400, "BadRequest")


def test_annotations_in_a_body_are_passed_over(client: ApiClient) -> None:
    body = {"@odata.etag": "x", "displayName": "Core", "currency@odata.bind": "currencies(1)"}
    assert client.send("POST", "customers", body).status == 201


def test_reading_intent_goes_with_reading_only(client: ApiClient) -> None:
    headers = {"Data-Access-Intent": "ReadOnly"}
    assert client.send("GET", "customers", headers=headers).status == 200
    assert client.refusal("POST", "customers", {"displayName": "x"}, headers)[0] == 400


def test_a_bound_action_is_called_on_its_record() -> None:
    behaviour = Behaviour()
    called: list[Value] = []

    @behaviour.action("salesInvoices", "post", "postAndSend")
    def post(records: Records, row: Row, parameters: object) -> None:
        if row["status"] != "Draft":
            raise ApplicationError("The invoice is posted already.")
        called.append(row["number"])
        records.update("salesInvoices", row["id"], values={"status": "Open"})

    client = ApiClient(behaviour=behaviour)
    invoice = client.records.insert("salesInvoices", {"number": "I1", "status": "Draft"})
    place = f"salesInvoices({invoice['id']})"
    assert client.send("POST", f"{place}/Microsoft.NAV.post").status == 204
    assert client.refusal("POST", f"{place}/Microsoft.NAV.post") == (400, "Application_DialogException")
    assert called == ["I1"]
    assert client.refusal("GET", f"{place}/Microsoft.NAV.post")[0] == 405
    assert client.refusal("POST", f"{place}/Microsoft.NAV.nonsense")[0] == 404
    assert client.refusal("POST", f"{place}/Microsoft.NAV.send") == (400, "BadRequest_MethodNotImplemented")
    assert client.refusal("POST", f"{place}/Microsoft.NAV.post", {"x": 1})[0] == 400
    assert client.refusal("POST", f"salesInvoices({UNKNOWN})/Microsoft.NAV.post")[0] == 404


def test_an_attachment_keeps_its_bytes(client: ApiClient) -> None:
    order = new_order(client)
    body = {"fileName": "a.bin", "parentId": order, "parentType": "Sales_x0020_Order"}
    row = client.send("POST", "documentAttachments", body).json()
    place = row["attachmentContent@odata.mediaEditLink"].removeprefix("http://sandbox.local")
    assert client.send("GET", place).status == 204
    content, kind = bytes(range(256)), {"Content-Type": "image/png"}
    assert client.refusal("PATCH", place, content, kind)[1] == "BadRequest_InvalidToken"
    assert client.send("PATCH", place, content, {**EVERY_ROW, **kind}).status == 204
    read = client.send("GET", place)
    assert (read.body, read.headers["Content-Type"]) == (content, "image/png")
    assert client.get(f"documentAttachments({row['id']})")["byteSize"] == 256
    client.send("DELETE", f"documentAttachments({row['id']})", headers=EVERY_ROW)
    assert client.records.sql("SELECT COUNT(*) FROM _streams") == [(0,)]
