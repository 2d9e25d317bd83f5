"""Names the platform answers to (DNS rebinding), and the address behind trusted proxies."""

from typing import Any

import pytest
from starlette.datastructures import Headers

from batuta.server.config import Settings, load_settings
from batuta.server.http.middleware import AllowedHosts, see_through_proxies

SETTINGS: Settings = load_settings(
    {"BATUTA_PUBLIC_URL": "https://team.example:8443", "BATUTA_ALLOWED_HOSTS": "inside.example, second.example"}
)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "10.0.0.7:80", "localhost", "LOCALHOST:8000"),
        *("team.example", "team.example:8443", "Team.Example.", "inside.example", "second.example:1"),
    ],
)
def test_own_names_and_plain_addresses_are_answered(host: str) -> None:
    assert AllowedHosts(SETTINGS).allows(Headers({"host": host}))


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8000", "127.0.0.1.evil.test", "team.example.evil.test", "localhost@evil.test", "", ":80"],
)
def test_se11_other_names_are_not(host: str) -> None:
    assert not AllowedHosts(SETTINGS).allows(Headers({"host": host}))


def test_two_hosts_are_none() -> None:
    twice = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])
    assert not AllowedHosts(SETTINGS).allows(twice)
    assert not AllowedHosts(SETTINGS).allows(Headers({}))


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "1.1.1.1, 203.0.113.9", "203.0.113.9"),
        (2, "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (2, "10.0.0.2", "10.0.0.2"),
        (1, "", "192.0.2.1"),
        (1, "203.0.113.9:50123", "203.0.113.9"),
        (1, "[2001:db8::7]:50123", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
        (1, "unknown", "unknown"),
        (1, "_hidden:50123", "_hidden:50123"),
    ],
)
def test_the_address_is_what_the_outermost_trusted_proxy_saw(trusted: int, forwarded: str, address: str) -> None:
    """What a caller wrote into the header itself stands before, and is not believed."""
    scope: dict[str, Any] = {
        "type": "http",
        "scheme": "http",
        "client": ("192.0.2.1", 5),
        "headers": [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", b"https")],
    }
    see_through_proxies(scope, trusted)
    assert scope["client"][0] == address
    assert scope["scheme"] == ("https" if trusted else "http")
