"""The network address that a request came from."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

# Whoever has an IPv6 address has at least so many more beside it.
_IPV6_PREFIX_LENGTH = 64


def client_address(request: HttpRequest) -> str:
    """The address that the request came from; of IPv6 the network. What a caller says of itself in
    `X-Forwarded-For` counts only behind a proxy (LEXIC_BEHIND_PROXY), and then what that proxy added: the last one."""
    said = str(request.META.get("REMOTE_ADDR", ""))
    if settings.BEHIND_PROXY and (forwarded := request.headers.get("X-Forwarded-For", "")):
        said = forwarded.rpartition(",")[2].strip()
    return client_network(said)


def client_network(said: str) -> str:
    """The address as it is counted: of IPv6 the network; "unknown" for a text that is no address."""
    try:
        address = ipaddress.ip_address(said)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, _IPV6_PREFIX_LENGTH), strict=False).network_address)
    return str(address)
