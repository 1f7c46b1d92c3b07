"""Decides which IP addresses may be reached: those of the public internet, however they are written, and those that are
listed.

The table is our own, because Python's `ipaddress` knows the registries of the day it was released. A test compares it
with IANA's registries of special-purpose addresses (tests/lexic/iana_registries).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_REFUSED_IPV4 = tuple(
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers; some clouds keep their metadata here
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's platform: a public address that every machine there reaches as its host
        "169.254.0.0/16",  # link-local, the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels (AMT)
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)

# All global addresses of IPv6 lie in this block: whatever lies outside is refused without being named.
_GLOBAL_IPV6 = ipaddress.IPv6Network("2000::/3")
_REFUSED_IPV6 = tuple(
    ipaddress.IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments, with Teredo and ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # the test network 6bone, returned
        "3fff::/20",  # documentation
    )
)

# Where clouds tell a machine its secrets: refused also where a list has the network around them.
_CLOUD_METADATA = tuple(
    ipaddress.ip_network(block)
    for block in (
        "100.100.100.200/32",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "192.0.0.192/32",
        "fd00:ec2::/32",
        "fd20:ce::/32",
        "fe80::/10",
    )
)

# An IPv4 address in its last 32 bits is where a connection to one of these ends.
_IPV4_CARRIERS = (
    ipaddress.IPv6Network("::ffff:0:0/96"),  # IPv4-mapped
    ipaddress.IPv6Network("64:ff9b::/96"),  # NAT64: a network without IPv4 reaches every IPv4 site by it
)
# So does ISATAP, in any block: `…:0:5efe:10.0.0.1`, or with the universal bit set.
_ISATAP_MARKS = frozenset({0x0000_5EFE, 0x0200_5EFE})


@dataclass(frozen=True, kw_only=True)
class EgressPolicy:
    """Where a fetch may go: to the usual ports of public addresses, and to what is listed.

    `exempt` are (address, port) pairs. `networks` are reached on all ports, and so is every address of `hosts`, which
    are names in small letters; neither is ever where a cloud keeps its metadata.
    """

    ports: frozenset[int] = frozenset({80, 443})
    exempt: frozenset[tuple[str, int]] = frozenset()
    networks: frozenset[Network] = frozenset()
    hosts: frozenset[str] = frozenset()
    max_redirects: int = 5

    def allows_port(self, port: int) -> bool:
        """Whether the port may be tried at all; with a list, only the address tells."""
        return bool(port in self.ports or self.networks or self.hosts) or any(port == one for _, one in self.exempt)

    def allows(self, address: Address, port: int, *, host: str = "") -> bool:
        """Whether this address, of this host, may be connected to."""
        if (str(address), port) in self.exempt or self._lists_address(address):
            return True
        if self._lists_name(host):
            return not _is_metadata(address)
        return port in self.ports and is_public(address)

    def allows_host(self, host: str, port: int) -> bool:
        """False for an address, not a name, that may not be reached. What a name leads to is only known later."""
        address = _read_address(host)
        return True if address is None else self.allows(address, port)

    def lists(self, host: str) -> bool:
        """Whether the host, a name or an address, is in the list of networks and hosts."""
        address = _read_address(host)
        return self._lists_name(host) if address is None else self._lists_address(address)

    def _lists_address(self, address: Address) -> bool:
        real = getattr(address, "ipv4_mapped", None) or address
        return not _is_metadata(real) and any(real in network for network in self.networks)

    def _lists_name(self, host: str) -> bool:
        return host.lower().rstrip(".") in self.hosts


def _read_address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def _is_metadata(address: Address) -> bool:
    real = getattr(address, "ipv4_mapped", None) or address
    return any(real in block for block in _CLOUD_METADATA)


def is_public(address: Address) -> bool:
    """Whether an address lies in the public internet. One of IPv6 that leads to one of IPv4 is judged by that one."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in block for block in _REFUSED_IPV4)
    inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if any(address in block for block in _IPV4_CARRIERS):
        return is_public(inner)
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP_MARKS and not is_public(inner):
        return False
    return address in _GLOBAL_IPV6 and not any(address in block for block in _REFUSED_IPV6)
