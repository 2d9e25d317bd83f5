"""Which addresses are public (F-56, SE-12)."""

import pytest

from batuta.kernel.errors import ToolRefusedError
from batuta.tools.builtin.addresses import networks, require_reachable

NOT_PUBLIC = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.88.99.1",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1", "::127.0.0.1", "::7f00:1",
    "2002:7f00:1::", "2002:a9fe:a9fe::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "100::1", "192.0.0.192", "3fff::1",
    "2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:10.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_se12_an_address_that_is_not_public_is_refused(address: str) -> None:
    with pytest.raises(ToolRefusedError):
        require_reachable(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450:4003::1", "2a00::5efe:808:808"]
)
def test_a_public_address_may_be_reached(address: str) -> None:
    require_reachable(address)


def test_an_allowed_network_may_be_reached_and_its_neighbours_may_not() -> None:
    allowed = networks(["10.1.0.0/16", "fd00:1::/32"])

    require_reachable("10.1.2.3", allowed)
    require_reachable("fd00:1::5", allowed)
    for address in ("10.2.0.1", "fd00:2::1", "::ffff:10.1.2.3"):
        with pytest.raises(ToolRefusedError):
            require_reachable(address, allowed)
