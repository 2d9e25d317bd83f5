"""Webhooks: the handshake, the delay, what is told, and what ends a subscription (facts, section 9)."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from batuta.sandbox.service import SandboxSettings
from batuta.sandbox.webhooks import LONGEST_STATE, WebhookSettings
from tests.unit.sandbox.service import COMPANY, EVERY_ROW, OTHER, ROOT, ApiClient

RESOURCE = f"/api/v2.0/companies({COMPANY})/customers"
HOOK = "http://127.0.0.1:9/hook"


class Receiver:
    """An address that repeats tokens and keeps what it is told."""

    def __init__(self) -> None:
        self.now = 0.0
        self.status = 200
        self.repeats = True
        self.told: list[dict[str, Any]] = []

    def __call__(self, url: str, body: bytes) -> tuple[int, bytes]:
        token = parse_qs(urlsplit(url).query).get("validationToken")
        if token is not None:
            return 200, token[0].encode() if self.repeats else b"something else"
        if self.status == 200:
            self.told += json.loads(body)["value"]
        return self.status, b""

    def clock(self) -> float:
        return self.now


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def client(receiver: Receiver) -> ApiClient:
    settings = SandboxSettings(webhooks=WebhookSettings(delay=timedelta(seconds=30)))
    return ApiClient(settings, clock=receiver.clock, sender=receiver)


def subscribe(client: ApiClient, **more: str) -> dict[str, Any]:
    body = {"notificationUrl": HOOK, "resource": RESOURCE, "clientState": "s", **more}
    response = client.send("POST", f"{ROOT}/subscriptions", body)
    assert response.status == 201, response.body
    row: dict[str, Any] = response.json()
    return row


def test_changes_are_told_together_after_the_delay(client: ApiClient, receiver: Receiver) -> None:
    subscription = subscribe(client)
    one = client.send("POST", "customers", {"displayName": "Acme"}).json()
    two = client.send("POST", "customers", {"displayName": "Bolt"}).json()
    client.send("PATCH", f"customers({one['id']})", {"city": "Vigo"}, EVERY_ROW)
    client.send("DELETE", f"customers({two['id']})", headers=EVERY_ROW)
    receiver.now = 29
    assert client.sandbox.deliver_notifications() == 0
    receiver.now = 30
    assert client.sandbox.deliver_notifications() == 1
    assert [(each["changeType"], each["resource"]) for each in receiver.told] == [
        ("created", f"api/v2.0/companies({COMPANY})/customers({one['id']})")
    ]
    assert receiver.told[0]["subscriptionId"] == subscription["subscriptionId"]
    assert receiver.told[0]["clientState"] == "s"
    client.send("DELETE", f"customers({one['id']})", headers=EVERY_ROW)
    receiver.now = 90
    client.sandbox.deliver_notifications()
    assert receiver.told[1]["changeType"] == "deleted"


def test_only_the_company_and_set_that_were_asked_for_are_told(client: ApiClient, receiver: Receiver) -> None:
    subscribe(client)
    client.send("POST", f"{ROOT}/companies({OTHER})/customers", {"displayName": "Acme"})
    client.send("POST", "vendors", {"displayName": "Bolt"})
    receiver.now = 60
    assert client.sandbox.deliver_notifications() == 0


def test_what_was_refused_or_rehearsed_is_not_told(client: ApiClient, receiver: Receiver) -> None:
    subscribe(client)
    client.send("POST", "customers", {"displayName": "Acme"}, {"X-Sandbox-Preview": "true"})
    client.send("POST", "customers", {"displayName": 5})
    requests = [
        {"id": "1", "method": "POST", "url": "customers?company=ALPHA", "body": {"displayName": "Acme"}},
        {"id": "2", "method": "POST", "url": "customers?company=ALPHA", "body": {}},
    ]
    client.send("POST", f"{ROOT}/$batch", {"requests": requests}, {"Isolation": "snapshot"})
    receiver.now = 60
    assert client.sandbox.deliver_notifications() == 0


def test_more_than_a_thousand_changes_become_one(client: ApiClient, receiver: Receiver) -> None:
    subscribe(client)
    requests = [
        {"id": str(number), "method": "POST", "url": "customers?company=ALPHA", "body": {"displayName": "Acme"}}
        for number in range(100)
    ]
    for _ in range(11):
        client.send("POST", f"{ROOT}/$batch", {"requests": requests})
    receiver.now = 60
    client.sandbox.deliver_notifications()
    assert [each["changeType"] for each in receiver.told] == ["collection"]
    assert "lastModifiedDateTime" in receiver.told[0]["resource"]


def test_a_passing_failure_is_tried_again(client: ApiClient, receiver: Receiver) -> None:
    subscribe(client)
    client.send("POST", "customers", {"displayName": "Acme"})
    receiver.now, receiver.status = 30, 503
    client.sandbox.deliver_notifications()
    assert receiver.told == []
    receiver.now, receiver.status = 1000, 200
    client.sandbox.deliver_notifications()
    assert len(receiver.told) == 1


def test_any_other_answer_ends_the_subscription(client: ApiClient, receiver: Receiver) -> None:
    subscribe(client)
    client.send("POST", "customers", {"displayName": "Acme"})
    receiver.now, receiver.status = 30, 404
    client.sandbox.deliver_notifications()
    assert client.get(f"{ROOT}/subscriptions")["value"] == []


def test_a_subscription_is_renewed_by_a_change(client: ApiClient, receiver: Receiver) -> None:
    row = subscribe(client)
    place = f"{ROOT}/subscriptions('{row['subscriptionId']}')"
    assert client.send("PATCH", place, {}, {"If-Match": row["@odata.etag"]}).status == 200
    receiver.repeats = False
    assert client.refusal("PATCH", place, {}, EVERY_ROW)[0] == 400
    assert client.send("DELETE", place, headers=EVERY_ROW).status == 204


@pytest.mark.parametrize(
    "wrong",
    [
        {"notificationUrl": "http://example.com/hook"},
        {"notificationUrl": "http://127.0.0.1.evil.example/hook"},
        {"notificationUrl": "http://127.0.0.1@evil.example/hook"},
        {"notificationUrl": "file:///etc/passwd"},
        {"notificationUrl": "http://["},
        {"notificationUrl": ""},
        {"resource": "companies"},
        {"resource": f"companies({COMPANY})/salesOrderLines"},
        {"resource": "nonsense"},
        {"clientState": "x" * (LONGEST_STATE + 1)},
    ],
)
def test_a_wrong_subscription_is_refused(client: ApiClient, wrong: dict[str, str]) -> None:
    body = {"notificationUrl": HOOK, "resource": RESOURCE, **wrong}
    assert client.refusal("POST", f"{ROOT}/subscriptions", body)[0] == 400


def test_an_address_that_does_not_repeat_the_token_is_refused(client: ApiClient, receiver: Receiver) -> None:
    receiver.repeats = False
    assert client.refusal("POST", f"{ROOT}/subscriptions", {"notificationUrl": HOOK, "resource": RESOURCE})[0] == 400


def test_a_previewed_subscription_calls_no_one(client: ApiClient, receiver: Receiver) -> None:
    """Nothing of a rehearsal leaves the sandbox, not even the handshake; a wrong address is still refused."""
    preview = {"X-Sandbox-Preview": "true"}
    body = {"notificationUrl": HOOK, "resource": RESOURCE}
    receiver.repeats = False
    shown = client.send("POST", f"{ROOT}/subscriptions", body, preview).json()
    assert (shown["preview"], shown["status"]) == (True, 201)
    assert client.get(f"{ROOT}/subscriptions")["value"] == []
    wrong = {**body, "notificationUrl": "http://example.com/hook"}
    assert client.refusal("POST", f"{ROOT}/subscriptions", wrong, preview)[0] == 400
