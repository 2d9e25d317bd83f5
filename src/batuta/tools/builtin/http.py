"""An HTTP tool for hosts on an allow-list, which cannot be turned against the network it runs in.

Every address is checked where its socket is made, after resolution and for each try, so no name, number form or
changing DNS answer leads past the check. Redirects are followed by hand and checked like the first address.
"""

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from batuta.kernel.errors import MissingExtraError, ToolFailedError, ToolRefusedError
from batuta.kernel.outgoing import outgoing_headers
from batuta.tools.builtin.addresses import Network, networks, require_reachable
from batuta.tools.tool import Tool, tool

try:
    import aiohttp
    from yarl import URL
except ImportError as error:
    raise MissingExtraError("tools", needed_for="the HTTP tool") from error

MAX_URL_CHARS = 2_048
MAX_BYTES = 1_000_000
MAX_REDIRECTS = 5
TIMEOUT = timedelta(seconds=20)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/yaml")
_TEXT_SUFFIXES = ("+json", "+xml")
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "batuta"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRules:
    """Where a tool may go."""

    hosts: frozenset[str]
    """`example.com`, `*.example.com` for everything below it, `example.com:8443` for a port of its own."""
    schemes: frozenset[str] = frozenset({"https"})
    networks: tuple[Network, ...] = ()
    """Networks that are not public and may be reached all the same."""
    max_bytes: int = MAX_BYTES
    timeout: timedelta = TIMEOUT

    def require_allowed(self, url: URL) -> None:
        """Raise `ToolRefusedError` unless the address is one of those allowed."""
        if url.scheme not in self.schemes:
            raise ToolRefusedError(f"the scheme {url.scheme!r} is not allowed; use {', '.join(sorted(self.schemes))}")
        if url.user is not None or url.password is not None:
            raise ToolRefusedError("an address carries no user name or password")
        host = (url.raw_host or "").rstrip(".").lower()
        place = host if url.is_default_port() else f"{host}:{url.port}"
        if not any(_fits(place, allowed) for allowed in self.hosts):
            raise ToolRefusedError(f"the host {place[:100]!r} is not on the allow-list")


def http_tool(
    hosts: Iterable[str],
    *,
    allows_plain_http: bool = False,
    allowed_networks: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    timeout: timedelta = TIMEOUT,
) -> Tool:
    """A tool `fetch_url` that reads pages of these hosts."""
    rules = HttpRules(
        hosts=frozenset(host.lower() for host in hosts),
        schemes=frozenset({"https", "http"} if allows_plain_http else {"https"}),
        networks=networks(allowed_networks),
        max_bytes=max_bytes,
        timeout=timeout,
    )

    @tool(kind="external", timeout=timeout + timedelta(seconds=1))
    async def fetch_url(url: str) -> dict[str, Any]:
        """Read a text page or a JSON document from the web.

        Args:
            url: The whole address, such as `https://example.com/prices.json`.
        """
        return await fetch(url, rules)

    return fetch_url


async def fetch(address: str, rules: HttpRules) -> dict[str, Any]:
    """Read an address, following redirects. Raises `ToolRefusedError` for what is not allowed."""
    url = _parsed(address)
    async with _session(rules) as session:
        for _ in range(MAX_REDIRECTS + 1):
            rules.require_allowed(url)
            _require_reachable_literal(url, rules)
            try:
                async with session.get(url, allow_redirects=False, headers=outgoing_headers()) as response:
                    if response.status not in _REDIRECTS:
                        return await _page(response, rules)
                    url = _redirected(response)
            except TimeoutError:
                raise ToolFailedError(f"{url.host} did not answer within {rules.timeout.total_seconds():g} s") from None
            except aiohttp.InvalidURL as error:
                raise ToolRefusedError(f"{url.host} is neither a name nor an address in its usual form") from error
            except aiohttp.ClientError as error:
                raise ConnectionError(f"{url.host} cannot be read: {type(error).__name__}") from error
    raise ToolRefusedError(f"more than {MAX_REDIRECTS} redirects")


def _session(rules: HttpRules) -> aiohttp.ClientSession:
    def checked_socket(info: Any) -> socket.socket:
        family, kind, protocol, _, place = info
        require_reachable(str(place[0]), rules.networks)
        made = socket.socket(family=family, type=kind, proto=protocol)
        made.setblocking(False)
        return made

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(socket_factory=checked_socket, use_dns_cache=False, force_close=True),
        timeout=aiohttp.ClientTimeout(total=rules.timeout.total_seconds()),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=_HEADERS,
        trust_env=False,
        auto_decompress=False,
    )


def _parsed(address: str) -> URL:
    if len(address) > MAX_URL_CHARS or any(ord(char) <= 32 or char in "\\\x7f" for char in address):
        raise ToolRefusedError(f"an address has at most {MAX_URL_CHARS} characters, no spaces and no backslashes")
    url = _url_or_nothing(address)
    if not url.host or not url.port:
        raise ToolRefusedError("this is no whole address; it begins with https:// and names a host")
    return url.with_fragment(None)


def _url_or_nothing(address: str) -> URL:
    try:
        return URL(address)
    except ValueError:
        return URL()


def _redirected(response: aiohttp.ClientResponse) -> URL:
    location = response.headers.get("Location", "")
    try:
        return _parsed(str(response.url.join(URL(location))))
    except ValueError:
        raise ToolFailedError("the server redirects to something that is no address") from None


def _require_reachable_literal(url: URL, rules: HttpRules) -> None:
    """A number in the place of a name is refused before anything is tried."""
    try:
        require_reachable(url.raw_host or "", rules.networks)
    except ValueError:
        return  # a name: its addresses are checked when they are known


async def _page(response: aiohttp.ClientResponse, rules: HttpRules) -> dict[str, Any]:
    kind = response.content_type
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise ToolFailedError("the server sent compressed content that was not asked for")
    if not kind.startswith(_TEXT_TYPES) and not kind.endswith(_TEXT_SUFFIXES):
        raise ToolFailedError(f"the content is {kind}; only text can be read")
    data = await _read(response, rules.max_bytes)
    text = data[: rules.max_bytes].decode(_charset(response), errors="replace")
    return {
        "status": response.status,
        "url": str(response.url),
        "content_type": kind,
        "text": text,
        "is_cut": len(data) > rules.max_bytes,
    }


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    data = bytearray()
    async for chunk in response.content.iter_chunked(16_384):
        data += chunk
        if len(data) > max_bytes:
            break
    return bytes(data[: max_bytes + 1])


def _charset(response: aiohttp.ClientResponse) -> str:
    try:
        return response.get_encoding()
    except (LookupError, RuntimeError):
        return "utf-8"


def _fits(place: str, allowed: str) -> bool:
    return place.endswith(allowed[1:]) if allowed.startswith("*.") else place == allowed
