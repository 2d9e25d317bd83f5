"""`$batch`: JSON and multipart, one after another or all or nothing."""

import re

import pytest

from tests.unit.sandbox.service import COMPANY, ROOT, ApiClient

SNAPSHOT = {"Isolation": "snapshot"}
CUSTOMERS = f"companies({COMPANY})/customers"


@pytest.fixture
def client() -> ApiClient:
    return ApiClient()


def part(number: str, body: object, method: str = "POST", url: str = CUSTOMERS) -> dict[str, object]:
    return {"id": number, "method": method, "url": url, "body": body, "headers": {"Content-Type": "application/json"}}


GOOD, BAD = {"displayName": "Acme"}, {"displayName": 5}


def test_the_parts_are_answered_in_order(client: ApiClient) -> None:
    requests = [part("a", GOOD), {"id": "b", "method": "GET", "url": f"{CUSTOMERS}?$select=displayName"}]
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()
    assert [(each["id"], each["status"]) for each in body["responses"]] == [("a", 201), ("b", 200)]
    assert body["responses"][1]["body"]["value"][0]["displayName"] == "Acme"


@pytest.mark.parametrize(
    "url", [CUSTOMERS, f"/{CUSTOMERS}", f"{ROOT}/{CUSTOMERS}", f"http://sandbox.local{ROOT}/{CUSTOMERS}"]
)
def test_a_part_may_be_addressed_in_several_ways(client: ApiClient, url: str) -> None:
    requests = [part("a", GOOD, url=url)]
    assert client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()["responses"][0]["status"] == 201


def test_a_failed_snapshot_leaves_the_database_byte_for_byte(client: ApiClient) -> None:
    before = client.store.connection.serialize()
    requests = [part(str(number), GOOD) for number in range(20)] + [part("last", BAD)]
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}, SNAPSHOT).json()
    assert [each["status"] for each in body["responses"]] == [424] * 20 + [400]
    assert client.store.connection.serialize() == before


def test_without_a_snapshot_what_was_done_stays_done(client: ApiClient) -> None:
    requests = [part("a", GOOD), part("b", BAD), part("c", GOOD)]
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()
    assert [each["status"] for each in body["responses"]] == [201, 400]
    assert len(client.get("customers")["value"]) == 1


def test_a_batch_may_go_on_after_an_error(client: ApiClient) -> None:
    requests = [part("a", BAD), part("b", GOOD), {**part("c", GOOD), "dependsOn": ["a"]}]
    headers = {"Prefer": "odata.continue-on-error"}
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}, headers).json()
    assert [each["status"] for each in body["responses"]] == [400, 201, 424]


def test_a_group_succeeds_or_fails_together(client: ApiClient) -> None:
    requests = [{**part("a", GOOD), "atomicityGroup": "g"}, {**part("b", BAD), "atomicityGroup": "g"}, part("c", GOOD)]
    headers = {"Prefer": "odata.continue-on-error"}
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}, headers).json()
    assert [(each["id"], each["status"]) for each in body["responses"]] == [("a", 424), ("b", 400), ("c", 201)]
    assert len(client.get("customers")["value"]) == 1


def test_what_depends_on_a_failure_answers_so_also_after_the_end(client: ApiClient) -> None:
    """Without continue-on-error the batch ends; a dependent, and what depends on that, still get an answer."""
    requests = [
        part("a", BAD),
        part("b", GOOD),
        {**part("c", GOOD), "dependsOn": ["a"]},
        {**part("d", GOOD), "dependsOn": ["c"]},
    ]
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()
    assert [(each["id"], each["status"]) for each in body["responses"]] == [("a", 400), ("c", 424), ("d", 424)]


def test_a_request_may_depend_on_a_group(client: ApiClient) -> None:
    requests = [{**part("a", BAD), "atomicityGroup": "g"}, {**part("b", GOOD), "dependsOn": ["g"]}]
    headers = {"Prefer": "odata.continue-on-error"}
    body = client.send("POST", f"{ROOT}/$batch", {"requests": requests}, headers).json()
    assert [each["status"] for each in body["responses"]] == [400, 424]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"requests": 5},
        {"requests": [5]},
        {"requests": [{"id": "a", "method": "GET"}]},
        {"requests": [part("a", GOOD), part("a", GOOD)]},
        {"requests": [part("a", GOOD, method="TRACE")]},
        {"requests": [{**part("a", GOOD), "headers": {"a": 5}}]},
        {"requests": [{**part("a", GOOD), "dependsOn": "b"}]},
        {"requests": [{**part("a", GOOD), "dependsOn": ["nothing"]}]},
        {"requests": [{**part("a", GOOD), "dependsOn": ["a"]}]},
        {"requests": [{**part("a", GOOD), "dependsOn": ["b"]}, part("b", GOOD)]},
        {"requests": [{**part(each, GOOD), "atomicityGroup": group} for each, group in zip("abc", "ghg", strict=True)]},
        {"requests": [{**part("a", GOOD), "atomicityGroup": "b"}, part("b", GOOD)]},
        {"requests": [part("a", GOOD, url="http://[")]},
        {"requests": [part(str(number), GOOD) for number in range(101)]},
    ],
)
def test_a_wrong_batch_is_refused_before_anything_is_done(client: ApiClient, body: object) -> None:
    assert client.refusal("POST", f"{ROOT}/$batch", body) == (400, "BadRequest")
    assert client.get("customers")["value"] == []


def test_a_batch_inside_a_batch_is_refused(client: ApiClient) -> None:
    requests = [part("a", {"requests": []}, url="$batch")]
    assert client.send("POST", f"{ROOT}/$batch", {"requests": requests}).json()["responses"][0]["status"] == 404


MULTIPART = """--outer
Content-Type: multipart/mixed; boundary=inner

--inner
Content-Type: application/http
Content-ID: 1

POST customers?company=ALPHA HTTP/1.1
Content-Type: application/json

{"displayName": "Acme"}
--inner
Content-Type: application/http
Content-ID: 2

POST customers?company=ALPHA HTTP/1.1
Content-Type: application/json

{"displayName": SECOND}
--inner--
--outer
Content-Type: application/http

GET customers/$count?company=ALPHA HTTP/1.1
Accept: text/plain

--outer--
"""


@pytest.mark.parametrize(("second", "count"), [('"Bolt"', b"2"), ("5", b"0")])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_change_set_of_a_multipart_batch_is_one_transaction(
    client: ApiClient, second: str, count: bytes, newline: str
) -> None:
    text = MULTIPART.replace("SECOND", second).replace("\n", newline).encode()
    headers = {"Content-Type": "multipart/mixed; boundary=outer", "Prefer": "odata.continue-on-error"}
    response = client.send("POST", f"{ROOT}/$batch", text, headers)
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("multipart/mixed; boundary=")
    assert response.body.rstrip().endswith(b"--batchresponse_sandbox--")
    assert b"\r\n\r\n" + count + b"\r\n" in response.body
    statuses = re.findall(rb"HTTP/1.1 (\d+ [A-Za-z ]+)\r\n", response.body)
    assert statuses == ([b"201 Created"] * 2 if count == b"2" else [b"400 Bad Request"]) + [b"200 OK"]


def test_an_answer_repeats_the_content_id(client: ApiClient) -> None:
    text = MULTIPART.replace("SECOND", '"Bolt"').encode()
    response = client.send("POST", f"{ROOT}/$batch", text, {"Content-Type": "multipart/mixed; boundary=outer"})
    assert re.findall(rb"Content-ID: (\d+)", response.body) == [b"1", b"2"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"--outer",
        b"--outer\nContent-Type: text/plain\n\nx\n--outer--",
        b"--outer\nContent-Type: application/http\n\n\n--outer--",
    ],
)
def test_a_wrong_multipart_body_is_refused(client: ApiClient, text: bytes) -> None:
    assert client.send("POST", f"{ROOT}/$batch", text, {"Content-Type": "multipart/mixed"}).status == 400
    response = client.send("POST", f"{ROOT}/$batch", text, {"Content-Type": "multipart/mixed; boundary=outer"})
    assert response.status == 400
