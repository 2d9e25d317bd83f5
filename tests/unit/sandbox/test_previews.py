"""Previews: a request is carried out, shown, and taken back (spec A-2, A-3)."""

import pytest

from batuta.sandbox.behaviour import Behaviour, PreviewedLedger
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row
from tests.unit.sandbox.service import COMPANY, EVERY_ROW, ROOT, ApiClient

PREVIEW = {"X-Sandbox-Preview": "true"}


@pytest.fixture
def client() -> ApiClient:
    behaviour = Behaviour()
    behaviour.tables("CREATE TABLE _entries (company TEXT, number TEXT, amount INTEGER NOT NULL)")
    behaviour.ledger("_entries", PreviewedLedger(name="saleEntries", decimals=frozenset({"amount"})))

    @behaviour.action("salesInvoices", "post")
    def post(records: Records, row: Row, parameters: object) -> None:
        records.sql("INSERT INTO _entries VALUES (?, ?, ?)", (records.company, str(row["number"]), 1_250_000))
        records.update("salesInvoices", row["id"], values={"status": "Open"})
        draft = records.first("salesOrders")
        if draft:
            records.delete("salesOrders", draft["id"])

    return ApiClient(behaviour=behaviour)


def test_an_action_shows_the_entries_and_documents_that_would_arise(client: ApiClient) -> None:
    invoice = client.records.insert("salesInvoices", {"number": "I1", "status": "Draft"})
    client.records.insert("salesOrders", {"number": "O1"})
    before = client.store.connection.serialize()
    shown = client.send("POST", f"salesInvoices({invoice['id']})/Microsoft.NAV.post", headers=PREVIEW).json()
    changes = shown["changes"]
    assert (shown["preview"], shown["status"]) == (True, 204)
    assert shown["ledgers"] == {
        "saleEntries": [{"kind": "added", "before": None, "after": {"number": "I1", "amount": 12.5}}]
    }
    assert (changes["salesInvoices"][0]["before"]["status"], changes["salesInvoices"][0]["after"]["status"]) == (
        "Draft",
        "Open",
    )
    assert [(each["kind"], each["before"]["number"]) for each in changes["salesOrders"]] == [("removed", "O1")]
    assert client.store.connection.serialize() == before


def test_a_new_record_is_shown_as_it_would_be_stored(client: ApiClient) -> None:
    shown = client.send("POST", "customers", {"displayName": "Acme"}, PREVIEW).json()
    assert (shown["status"], shown["body"]["displayName"]) == (201, "Acme")
    assert [each["kind"] for each in shown["changes"]["customers"]] == ["added"]
    assert client.get("customers")["value"] == []


def test_a_refused_request_is_refused_in_a_preview_too(client: ApiClient) -> None:
    assert client.refusal("POST", "customers", {}, PREVIEW) == (400, "BadRequest_RequiredParamNotProvided")


def test_a_whole_batch_can_be_rehearsed(client: ApiClient) -> None:
    requests = [
        {"id": str(number), "method": "POST", "url": "customers?company=ALPHA", "body": {"displayName": "Acme"}}
        for number in range(3)
    ]
    shown = client.send("POST", f"{ROOT}/$batch", {"requests": requests}, PREVIEW).json()
    assert len(shown["changes"]["customers"]) == 3
    assert client.get("customers")["value"] == []


def test_writes_after_a_preview_are_kept(client: ApiClient) -> None:
    client.send("POST", "customers", {"displayName": "Acme"}, PREVIEW)
    row = client.send("POST", "customers", {"displayName": "Acme"}).json()
    client.send("PATCH", f"customers({row['id']})", {"city": "Vigo"}, {**EVERY_ROW, **PREVIEW})
    assert [each["city"] for each in client.get("customers")["value"]] == [""]
    assert client.records.sql("SELECT COUNT(*) FROM temp._touched") == [(0,)]


def test_an_answer_that_is_no_json_is_shown_as_text(client: ApiClient) -> None:
    shown = client.send("GET", "customers/$count", headers=PREVIEW).json()
    assert (shown["body"], shown["changes"]) == ("0", {})


@pytest.mark.parametrize("value", ["1", "yes", "on", "tru"])
def test_a_value_that_means_nothing_writes_nothing(client: ApiClient, value: str) -> None:
    """Who asks for a rehearsal must not write by a slip of the pen."""
    before = client.store.connection.serialize()
    answer = client.send("POST", "customers", {"displayName": "Ana"}, headers={"X-Sandbox-Preview": value})
    assert answer.status == 400
    assert client.store.connection.serialize() == before


def test_a_part_of_a_batch_cannot_be_rehearsed_alone_and_writes_nothing(client: ApiClient) -> None:
    part = {"id": "1", "method": "POST", "url": "companies", "headers": PREVIEW, "body": {}}
    requests = [{**part, "url": f"companies({COMPANY})/customers", "body": {"displayName": "Ana"}}]
    answers = client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()["responses"]
    assert answers[0]["status"] == 400
    assert client.records.first("customers") is None


@pytest.mark.parametrize(("method", "path"), [("PUT", "/sandbox/snapshots/x"), ("POST", "/sandbox/faults")])
def test_the_switches_of_the_sandbox_are_not_rehearsed(client: ApiClient, method: str, path: str) -> None:
    assert client.refusal(method, path, {"faults": ["503"]}, PREVIEW) == (400, "BadRequest")
    assert client.get("/sandbox")["snapshots"] == []
    assert client.get("customers")["value"] == []
