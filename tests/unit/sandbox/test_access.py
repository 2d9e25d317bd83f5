"""Tokens, limits, faults and the endpoints around the API."""

from datetime import timedelta

import pytest

from batuta.sandbox.limits import FAULTS, RequestLimits
from batuta.sandbox.service import SandboxSettings
from tests.unit.sandbox.service import COMPANY, ROOT, ApiClient

FORM = b"grant_type=client_credentials&client_id=app&client_secret=s3cret&scope=x"


class ManualClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def tick(self, text: str) -> str:
        self.now += 1
        return text


def client_with(settings: SandboxSettings) -> tuple[ApiClient, ManualClock, list[float]]:
    """A client whose clock and sleep are ours."""
    clock, slept = ManualClock(), list[float]()
    return ApiClient(settings, clock=clock, sleep=slept.append), clock, slept


def token_of(client: ApiClient, form: bytes = FORM) -> dict[str, str]:
    body = client.send("POST", "/tenant/oauth2/v2.0/token", form).json()
    return {"Authorization": f"Bearer {body['access_token']}"}


def test_registered_clients_need_a_token_that_has_not_expired() -> None:
    settings = SandboxSettings(clients={"app": "s3cret"}, token_lifetime=timedelta(minutes=10))
    client, clock, _ = client_with(settings)
    assert client.refusal("GET", "customers") == (401, "Authentication_InvalidCredentials")
    assert client.send("GET", "customers").headers["WWW-Authenticate"] == "Bearer"
    headers = token_of(client)
    assert client.send("GET", "customers", headers=headers).status == 200
    clock.now += 601
    assert client.refusal("GET", "customers", headers=headers) == (401, "Authentication_InvalidCredentials")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        (FORM.replace(b"s3cret", b"guess"), 401, "invalid_client"),
        (FORM.replace(b"id=app", b"id=nobody"), 401, "invalid_client"),
        (b"grant_type=password", 400, "unsupported_grant_type"),
        (b"\xff\xfe", 400, "invalid_request"),
        (b"", 400, "unsupported_grant_type"),
    ],
)
def test_wrong_credentials_get_no_token(form: bytes, status: int, error: str) -> None:
    client, _, _ = client_with(SandboxSettings(clients={"app": "s3cret"}))
    response = client.send("POST", "/tenant/oauth2/v2.0/token", form)
    assert (response.status, response.json()["error"]) == (status, error)


@pytest.mark.parametrize("token", ["x", "x.y", "e30.", "é.é", ".", "eyJzdWIiOiJhIn0=.AAAA"])
def test_a_forged_token_is_refused(token: str) -> None:
    client, _, _ = client_with(SandboxSettings(clients={"app": "s3cret"}))
    assert client.refusal("GET", "customers", headers={"Authorization": f"Bearer {token}"})[0] == 401


def test_a_token_of_another_sandbox_is_refused() -> None:
    settings = SandboxSettings(clients={"app": "s3cret"})
    headers = token_of(client_with(settings)[0])
    assert client_with(settings)[0].refusal("GET", "customers", headers=headers)[0] == 401


def test_too_many_requests_are_told_when_to_come_back() -> None:
    settings = SandboxSettings(limits=RequestLimits(requests=3, window=timedelta(seconds=60)))
    client, clock, _ = client_with(settings)
    for _ in range(3):
        assert client.send("GET", "customers").status == 200
        clock.now += 10
    refused = client.send("GET", "customers")
    assert (refused.status, refused.headers["Retry-After"]) == (429, "30")
    clock.now += 30
    assert client.send("GET", "customers").status == 200
    assert client.send("GET", "customers").status == 429


def test_limits_count_by_client() -> None:
    settings = SandboxSettings(limits=RequestLimits(requests=1))
    client, _, _ = client_with(settings)
    one, two = token_of(client), token_of(client, FORM.replace(b"id=app", b"id=other"))
    assert client.send("GET", "customers", headers=one).status == 200
    assert client.send("GET", "customers", headers=one).status == 429
    assert client.send("GET", "customers", headers=two).status == 200


@pytest.mark.parametrize(("name", "status"), [(name, fault.status) for name, fault in FAULTS.items() if not fault.loss])
def test_a_fault_comes_when_it_is_asked_for(name: str, status: int) -> None:
    client, _, slept = client_with(SandboxSettings(slow_answer=timedelta(seconds=9)))
    response = client.send("POST", "customers", {"displayName": "Acme"}, {"X-Sandbox-Fault": name})
    assert response.status == status
    assert len(client.get("customers")["value"]) == (1 if name == "executed-504" else 0)
    assert slept == ([9.0] if name == "timeout" else [])


def test_faults_can_be_put_up_for_clients_that_send_no_header() -> None:
    client, _, _ = client_with(SandboxSettings())
    assert client.send("POST", "/sandbox/faults", {"faults": ["503", "none", "429"]}).status == 204
    statuses = [client.send("GET", "customers").status for _ in range(4)]
    assert statuses == [503, 200, 429, 200]
    assert client.refusal("POST", "/sandbox/faults", {"faults": ["nonsense"]})[0] == 400


def test_an_unknown_fault_names_the_known_ones() -> None:
    client, _, _ = client_with(SandboxSettings())
    assert client.refusal("GET", "customers", headers={"X-Sandbox-Fault": "418"})[0] == 400


def test_a_large_body_is_refused() -> None:
    client, _, _ = client_with(SandboxSettings(largest_body_bytes=100))
    assert client.refusal("POST", "customers", {"displayName": "x" * 100})[0] == 413


def test_a_request_that_works_too_long_is_stopped() -> None:
    client, clock, _ = client_with(SandboxSettings(time_limit=timedelta(seconds=5)))
    with client.store.transaction():
        for number in range(3_000):
            client.records.insert("customers", {"number": str(number), "displayName": "x" * 90})
    client.store.connection.create_function("unicode_lower", 1, clock.tick)
    path = "customers?$filter=tolower(displayName)%20eq%20'a'"
    assert client.refusal("GET", path) == (408, "Unknown")
    assert client.send("GET", "customers?$top=1").status == 200


def test_environments_and_the_sandbox_itself_can_be_asked() -> None:
    client, _, _ = client_with(SandboxSettings(environment="demo"))
    assert client.get("/environments/v1.2")["value"][0]["name"] == "demo"
    about = client.get("/sandbox")
    assert (about["today"], about["companies"][0]["id"]) == ("2026-06-30", COMPANY)


def test_the_automation_route_has_its_own_sets() -> None:
    client = ApiClient()
    root = ROOT.replace("v2.0/tenant/production/api/v2.0", "v2.0/tenant/production/api/microsoft/automation/v2.0")
    names = [row["name"] for row in client.get(f"{root}/companies({COMPANY})/automationCompanies")["value"]]
    assert names == ["ALPHA", "BETA"]
    assert len(client.get(f"{root}/companies({COMPANY})/extensions")["value"]) == 1
    assert len(client.get(f"{root}/companies({COMPANY})/users")["value"]) == 1
    assert client.refusal("GET", f"{root}/companies({COMPANY})/customers")[0] == 404
    assert client.refusal("GET", "users")[0] == 404
