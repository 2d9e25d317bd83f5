"""Which names the platform answers to, and where a request comes from behind trusted proxies.

A page of another site can give its own name our address (DNS rebinding): its requests then look like those of our own
pages, except for the name in `Host`. A name that is not configured is refused, for HTTP and sockets alike. A plain
address needs no configuration, because no DNS stands behind it.
"""

import ipaddress
from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from batuta.server.config import Settings

LOCAL_NAME = "localhost"


class AllowedHosts:
    """Knows the names of the platform."""

    def __init__(self, settings: Settings) -> None:
        public = urlsplit(settings.public_url or "").hostname
        names = (LOCAL_NAME, settings.host, public or LOCAL_NAME, *settings.allowed_hosts)
        self._names = frozenset(name.lower().rstrip(".") for name in names)

    def allows(self, headers: Headers) -> bool:
        """Whether a request names us, once."""
        given = headers.getlist("host")
        return len(given) == 1 and (is_address(given[0]) or _name(given[0]) in self._names)


def is_address(host: str) -> bool:
    """Whether a host is a plain IP address, with or without a port."""
    try:
        ipaddress.ip_address(_name(host).strip("[]"))
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """A host without its port, and without the dot that may end a name."""
    head, _, port = host.rpartition(":")
    is_with_port = bool(head) and port.isdigit() and (head.endswith("]") or ":" not in head)
    return (head if is_with_port else host).lower().rstrip(".")


def see_through_proxies(scope: MutableMapping[str, Any], trusted: int) -> None:
    """Put the address and the scheme that the outermost trusted proxy saw into a request.

    Each proxy adds the address it was called from at the end of `X-Forwarded-For`. So only the last entries are
    theirs, one for each proxy; whatever stands before them was written by the caller.
    """
    if trusted < 1:
        return
    headers = Headers(scope=scope)
    addresses = _listed(headers.getlist("x-forwarded-for"))
    if addresses:
        scope["client"] = (addresses[-min(trusted, len(addresses))], 0)
    schemes = _listed(headers.getlist("x-forwarded-proto"))
    scheme = schemes[-min(trusted, len(schemes))].lower() if schemes else ""
    if scheme in ("http", "https"):
        is_socket = scope["type"] == "websocket"
        scope["scheme"] = scheme.replace("http", "ws") if is_socket else scheme


def _listed(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]
