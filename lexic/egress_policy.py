"""Which addresses may be reached: those of the public internet, however they are written."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_SIX_TO_FOUR_RELAY = ipaddress.ip_network("192.88.99.0/24")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.ip_network("64:ff9b:1::/48")
_IPV4_COMPATIBLE = ipaddress.ip_network("::/96")


@dataclass(frozen=True, kw_only=True)
class EgressPolicy:
    """Where a fetch may go. `exempt` are (address, port) pairs that are reached although they are not public."""

    ports: frozenset[int] = frozenset({80, 443})
    exempt: frozenset[tuple[str, int]] = frozenset()
    max_redirects: int = 5

    def allows_port(self, port: int) -> bool:
        return port in self.ports or any(port == exempt for _, exempt in self.exempt)

    def allows(self, address: Address, port: int) -> bool:
        if (str(address), port) in self.exempt:
            return True
        return port in self.ports and is_public(address)

    def allows_host(self, host: str, port: int) -> bool:
        """False for an address, not a name, that may not be reached. What a name leads to is only known later."""
        try:
            address = ipaddress.ip_address(host.strip("[]"))
        except ValueError:
            return True
        return self.allows(address, port)


def is_public(address: Address) -> bool:
    """Whether an address lies in the public internet, looking through every way to write IPv4 as IPv6."""
    if isinstance(address, ipaddress.IPv6Address):
        return all(map(is_public, _embedded_ipv4(address))) and _is_public_literal(address)
    return address not in _SIX_TO_FOUR_RELAY and _is_public_literal(address)


def _is_public_literal(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped or address in _NAT64:
            return True  # what it embeds has been checked
        if address in _IPV4_COMPATIBLE or address in _NAT64_LOCAL or address.is_site_local:
            return False
    special = address.is_private or address.is_loopback or address.is_link_local or address.is_unspecified
    return address.is_global and not (special or address.is_multicast or address.is_reserved)


def _embedded_ipv4(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]
