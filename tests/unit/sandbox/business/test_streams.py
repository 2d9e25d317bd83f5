"""Random streams of documents through the API: after every one of them the books hold."""

import hashlib
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.service import Sandbox
from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.streams import DRAFTS, RandomClient

DOCUMENTS = int(os.environ.get("BATUTA_DOCUMENTS", "60"))
"""Documents in each of the streams; `make fuzz` asks for many more."""


@pytest.fixture
def client(founded: tuple[SandboxStore, Behaviour, str], request: pytest.FixtureRequest) -> Iterator[RandomClient]:
    store, behaviour, company = founded
    seed = getattr(request, "param", 0)
    with store.rehearsal():
        sandbox = Sandbox(store, behaviour)
        sandbox.store = store
        yield RandomClient(sandbox=sandbox, company=company, rng=random.Random(seed))


@pytest.mark.parametrize("client", range(4), indirect=True)
def test_whatever_clients_do_the_books_hold(client: RandomClient) -> None:
    """Debit is credit, control accounts are open entries, stock is its movements, totals are their lines."""
    client.prepare()
    checked = 0
    while client.documents < DOCUMENTS:
        client.step()
        if client.documents - checked >= max(DOCUMENTS // 10, 5):
            checked = client.documents
            check_books(client.records)
    check_books(client.records)
    assert client.answers[204] > client.documents // 4, "too little was posted to mean anything"


@pytest.mark.parametrize("client", [7], indirect=True)
def test_what_is_posted_cannot_be_posted_again(client: RandomClient) -> None:
    client.prepare()
    while client.documents < 25:
        client.step()
    for set_name in ("salesInvoices", "salesCreditMemos", "purchaseInvoices", "purchaseCreditMemos"):
        for row in client.records.find(set_name):
            if row["status"] != "Draft":
                response = client.call("POST", f"{set_name}({row['id']})/Microsoft.NAV.{DRAFTS[set_name]}")
                assert response.status == 400
                assert "already posted" in response.json()["error"]["message"]
    check_books(client.records)


@pytest.mark.parametrize("client", [11], indirect=True)
def test_a_batch_that_fails_leaves_the_database_byte_for_byte(client: RandomClient) -> None:
    """Everything a batch did before its last part failed is taken back, numbers of series included."""
    client.prepare()
    while client.documents < 10:
        client.step()
    before = fingerprint(client)
    customer, item = client._any("customers"), client._any("items")
    invoice = {"customerId": customer, "salesInvoiceLines": [{"itemId": item, "quantity": 2}]}
    path = f"companies({client.company})"
    requests = [
        {"id": "1", "method": "POST", "url": f"{path}/salesInvoices", "body": invoice},
        {
            "id": "2",
            "method": "PATCH",
            "url": f"{path}/items({item})",
            "body": {"inventory": 77},
            "headers": {"If-Match": "*"},
        },
        {"id": "3", "method": "POST", "url": f"{path}/salesInvoices", "body": {"customerNumber": "NOBODY"}},
    ]
    for request in requests:
        request["headers"] = {"Content-Type": "application/json", **(request.get("headers") or {})}  # type: ignore[dict-item]
    answer = client.send("POST", "/v2.0/sandbox/api/v2.0/$batch", {"requests": requests}, Isolation="snapshot")
    statuses = [each["status"] for each in answer.json()["responses"]]
    assert statuses[-1] >= 400
    assert fingerprint(client) == before


def fingerprint(client: RandomClient) -> str:
    """A digest of every row of every table."""
    connection = client.sandbox.store.connection
    digest = hashlib.sha256()
    tables: list[Any] = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    ).fetchall()
    for (table,) in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            digest.update(repr(row).encode())
    return digest.hexdigest()
