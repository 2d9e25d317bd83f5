"""What surrounds every request: problems, headers, sizes, ids, health, pages, the API described (P-3, SE-35)."""

import gzip
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from batuta.server.app import create_api
from batuta.server.config import Settings
from batuta.server.database.upgrade import migrate_server
from tests.support.platform import Running, running, settings_for
from tests.support.servers import PostgresServer


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "NOT_FOUND"),
        ("GET", "/api/sessions/nonsense", 401, "UNAUTHORIZED"),
        ("POST", "/api/meta", 405, "HTTP_405"),
        ("GET", "/assets/nothing.js", 404, "NOT_FOUND"),
        ("POST", "/api/auth/login", 422, "INVALID"),
    ],
)
async def test_errors_are_problems(embedded: Running, method: str, path: str, status: int, code: str) -> None:
    answer = await embedded.stranger().http.request(method, path)
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code)
    assert set(body) >= {"type", "title", "detail"}


async def test_se30_an_unexpected_error_tells_nothing_of_itself(
    embedded: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SE-30: a generic text and an id to look for."""

    async def broken(*_: object) -> None:
        raise RuntimeError("password=hunter2 in /etc/passwd")

    ana = await embedded.person()
    monkeypatch.setattr("batuta.server.settings.service.UserPreferences.get", broken)
    answer = await ana.http.get("/api/settings")
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL")
    assert "hunter2" not in answer.text
    assert answer.headers["x-correlation-id"]


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/meta", "/api/me", "/api/nothing", "/openapi.json"])
async def test_se35_every_response_keeps_browsers_safe(embedded: Running, path: str) -> None:
    """SE-35."""
    headers = (await embedded.stranger().http.get(path)).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


async def test_answers_of_the_api_are_not_kept_by_anybody(embedded: Running) -> None:
    assert (await embedded.stranger().http.get("/api/meta")).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("given", "is_kept"), [("order-42", True), ("a b", False), ("x" * 65, False), ("<script>", False), ("", False)]
)
async def test_a_correlation_id_comes_back_if_it_is_harmless(embedded: Running, given: str, is_kept: bool) -> None:
    answer = await embedded.stranger().http.get("/healthz", headers={"X-Correlation-ID": given})
    assert (answer.headers["x-correlation-id"] == given) is is_kept
    assert answer.headers["x-correlation-id"]


async def test_a_body_beyond_the_limit_is_refused(embedded: Running) -> None:
    """Announced or not."""
    stranger = embedded.stranger()
    limit = embedded.platform.settings.max_body_bytes
    announced = await stranger.http.post("/api/auth/login", content=b"x" * (limit + 1))
    assert (announced.status_code, announced.json()["code"]) == (413, "TOO_LARGE")

    async def pieces() -> object:
        for _ in range(limit // 65_536 + 2):
            yield b"x" * 65_536

    unannounced = await stranger.http.post("/api/auth/login", content=pieces())  # type: ignore[arg-type]
    assert unannounced.status_code == 413


async def test_health_and_readiness(site: Running) -> None:
    """P-3, S-10: dependencies and the active durability, read back from the store."""
    stranger = site.stranger()
    assert (await stranger.http.get("/healthz")).json() == {"status": "ok"}
    ready = (await stranger.http.get("/readyz")).json()
    assert ready["status"] == "ok"
    assert ready["checks"] == {"event log": "ok", "database": "ok", "writes": "ok", "background work": "ok"}
    assert ready["durability"]["rpo_seconds"] == 0.0
    assert ready["durability"]["settings"]


async def test_readiness_tells_of_a_lost_database(private_postgres: PostgresServer, tmp_path: Path) -> None:
    """P-3: 503 while it is away, and requests that need it are told so; it comes back by itself."""
    url = private_postgres.url(private_postgres.create_database())
    await migrate_server(url)
    async with running(settings_for(tmp_path, database_url=url)) as site:
        ana = await site.person()
        private_postgres.kill()
        ready = await ana.http.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "unavailable")
        answer = await ana.http.get("/api/sessions")
        assert (answer.status_code, answer.json()["code"]) == (503, "STORE_UNAVAILABLE")
        assert (await ana.http.get("/healthz")).status_code == 200
        private_postgres.start()
        assert (await ana.http.get("/api/sessions")).status_code == 200
        assert (await ana.http.get("/readyz")).status_code == 200


async def test_readiness_tells_of_a_database_that_takes_no_writes(
    private_postgres: PostgresServer, tmp_path: Path
) -> None:
    """After a failover to the wrong server: it is told at once, and not after the first message was refused."""
    database = private_postgres.create_database()
    url = private_postgres.url(database)
    await migrate_server(url)
    connections = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    async with running(settings_for(tmp_path, database_url=url)) as site:
        stranger = site.stranger()
        private_postgres.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
        private_postgres.execute(connections)
        ready = await stranger.http.get("/readyz")
        assert (ready.status_code, "read-only" in ready.json()["checks"]["writes"]) == (503, True), ready.json()
        private_postgres.execute(f"ALTER DATABASE {database} RESET default_transaction_read_only")
        private_postgres.execute(connections)
        ana = await site.person()
        await ana.ask(await ana.session(), "hello")
        assert (await stranger.http.get("/readyz")).status_code == 200


async def test_se17_figures_are_for_this_machine_and_for_administrators(embedded: Running) -> None:
    """SE-17: they are those of all tenants. A role that was taken away takes the key with it."""
    from_outside = {"X-Forwarded-For": "203.0.113.9"}
    stranger = embedded.stranger()
    local = await stranger.http.get("/metrics")
    assert local.status_code == 200
    assert "process_resident_memory_bytes" in local.text
    assert (await stranger.http.get("/metrics", headers=from_outside)).status_code == 401
    ben = await embedded.person("ben@example.com", roles=("user", "approver", "analyst"))
    assert (await ben.http.get("/metrics", headers=from_outside)).status_code == 403
    refused = await ben.http.post("/api/keys", json={"name": "probe", "scopes": ["read", "metrics"]})
    assert (refused.status_code, (await ben.http.get("/api/keys")).json()["items"]) == (403, [])
    ana = await embedded.person(roles=("admin",))
    assert (await ana.http.get("/metrics", headers=from_outside)).status_code == 200
    secret = (await ana.http.post("/api/keys", json={"name": "probe", "scopes": ["metrics"]})).json()["secret"]
    headers = {**from_outside, "Authorization": f"Bearer {secret}"}
    assert (await stranger.http.get("/metrics", headers=headers)).status_code == 200
    await embedded.platform.identity.change_roles(ana.user_id, ("user",))
    assert (await stranger.http.get("/metrics", headers=headers)).status_code == 403


async def test_the_description_of_the_api_is_openapi_3_1(embedded: Running) -> None:
    described = (await embedded.stranger().http.get("/openapi.json")).json()
    assert described["openapi"] == "3.1.0"
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert "/api/sessions/{session_id}/messages" in described["paths"]
    assert json.dumps(described) == json.dumps(create_api(embedded.platform).openapi())


async def test_without_the_application_a_page_says_what_to_do(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path / "data"), static=tmp_path / "not-built") as site:
        page = await site.stranger().http.get("/sessions/anything")
    assert page.status_code == 200
    assert "make web" in page.text


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """An application as it is built: a page, and files whose names change with their content."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<title>Batuta</title>")
    (folder / "assets" / "app-1a2b.js").write_text("1")
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


async def test_the_application_answers_every_address_it_knows_itself(tmp_path: Path, built: Path) -> None:
    async with running(settings_for(tmp_path / "data"), static=built) as site:
        http = site.stranger().http
        for path in ("/", "/login", "/sessions/01A1DD8B"):
            page = await http.get(path)
            assert (page.text, page.headers["cache-control"]) == ("<title>Batuta</title>", "no-cache")
        script = await http.get("/assets/app-1a2b.js")
        assert (script.text, script.headers["cache-control"]) == ("1", "public, max-age=31536000, immutable")
        assert (await http.get("/assets/app-old.js")).status_code == 404
        assert (await http.get("/api/nothing")).status_code == 404


@pytest.mark.parametrize(
    ("accepted", "packing"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("identity", None),
        ("", None),
    ],
)
async def test_a_browser_gets_the_packing_it_can_unpack(
    tmp_path: Path, built: Path, accepted: str, packing: str | None
) -> None:
    script = built / "assets" / "app-1a2b.js"
    contents = {"br": b"packed by brotli", "gzip": gzip.compress(b"1"), None: b"1"}
    script.with_name(f"{script.name}.br").write_bytes(contents["br"])
    script.with_name(f"{script.name}.gz").write_bytes(contents["gzip"])
    async with running(settings_for(tmp_path / "data"), static=built) as site:
        request = site.stranger().http.stream("GET", "/assets/app-1a2b.js", headers={"Accept-Encoding": accepted})
        async with request as answer:
            raw = b"".join([chunk async for chunk in answer.aiter_raw()])
        assert (raw, answer.headers.get("content-encoding")) == (contents[packing], packing)
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/..%5csecret.txt", "//etc/passwd"]
)
async def test_se18_no_file_outside_the_application_is_served(tmp_path: Path, built: Path, path: str) -> None:
    """SE-18."""
    async with running(settings_for(tmp_path / "data"), static=built) as site:
        answer = await site.stranger().http.get(path)
        assert "secret" not in answer.text
        assert "root:" not in answer.text


ODD_NAMES = (
    "a" * 300,
    "a" * 8_000,
    "/".join(["a" * 200] * 30),
    "%00",
    "a%00b",
    "%ff%fe",
    "%ed%a0%80",
    "%F0%9F%92%A9" * 80,
    "%2e%2e/" * 100,
    ".",
    "..",
    "...",
    "." * 300,
    "%2f" * 300,
    "%0d%0aSet-Cookie:x=y",
    "index.html/a",
    "index.html/" + "a" * 300,
)


async def test_no_address_is_too_long_or_too_odd_for_an_answer(
    tmp_path: Path, built: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The page, or nothing there: never an error, never a traceback, for anybody without a login."""
    async with running(settings_for(tmp_path / "data"), static=built) as site:
        http = site.stranger().http
        for folder in ("", "assets/", "api/", "s/"):
            for name in ODD_NAMES:
                answer = await http.get(f"/{folder}{name}")
                assert answer.status_code in (200, 404), (folder, name[:20], answer.status_code)
                is_page = not answer.url.path.startswith(("/assets/", "/api/"))
                assert is_page or answer.status_code == 404, (folder, name[:20])
    assert [record for record in caplog.records if record.exc_info] == []


async def test_a_platform_keeps_its_data_over_a_restart(settings: Settings) -> None:
    """P-1: accounts, sessions and logins are there again."""
    async with running(settings) as site:
        ana = await site.person()
        session = await ana.session(title="Kept")
        token = ana.http.cookies["batuta_session"]
    async with running(settings) as site:
        again = site.stranger()
        again.http.cookies.set("batuta_session", token, domain="127.0.0.1")
        assert (await again.http.get(f"/api/sessions/{session}")).json()["title"] == "Kept"
