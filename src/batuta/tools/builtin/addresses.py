"""Which network addresses a tool may connect to: public ones, and those an administrator allowed.

An IPv6 address that carries an IPv4 address inside is judged by both.
"""

from collections.abc import Iterable, Iterator
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from batuta.kernel.errors import ToolRefusedError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_TRANSLATED = IPv6Network("64:ff9b::/96")
_TUNNELLED = (0x0000_5EFE, 0x0200_5EFE)
"""The middle of an address whose end is an IPv4 address to tunnel to (ISATAP)."""
_REFUSED = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # of the protocol itself; clouds keep what they tell their machines there
            "3fff::/20",  # documentation
            "64:ff9b:1::/48",  # translation for local use
            "fec0::/10",  # site-local, of old
            "192.88.99.0/24",  # relays of 6to4
        ),
    )
)


def require_reachable(text: str, allowed: Iterable[Network] = ()) -> None:
    """Raise `ToolRefusedError` unless an address is public, or inside an allowed network."""
    address = ip_address(text.partition("%")[0])
    for judged in (address, *_inside(address)):
        if not _is_allowed(judged, allowed) and not _is_public(judged):
            raise ToolRefusedError("the address is not public")


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks from their written form, such as `10.1.0.0/16`."""
    return tuple(map(ip_network, texts))


def _is_allowed(address: Address, allowed: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in allowed)


def _is_public(address: Address) -> bool:
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified
    return address.is_global and not is_special and not _is_allowed(address, _REFUSED)


def _inside(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _TRANSLATED or int(address) >> 32 & 0xFFFF_FFFF in _TUNNELLED:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
