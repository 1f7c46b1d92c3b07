"""The table of refused addresses, against IANA's registries and against the ways to write IPv4 as IPv6."""

from __future__ import annotations

import csv
import ipaddress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexic.egress_policy import EgressPolicy, is_public

REGISTRIES = Path(__file__).parent / "iana_registries"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# What lies in these two blocks is judged by the IPv4 address at its end.
CARRIERS = {"::ffff:0:0/96", "64:ff9b::/96"}


def registered() -> list[str]:
    found = []
    for path in sorted(REGISTRIES.glob("*.csv")):
        with path.open() as file:
            found += [row["block"] for row in csv.DictReader(file)]
    return found


def samples(block: Network) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The ends of a block, and places in between."""
    steps = 16
    return [block[(block.num_addresses - 1) * step // steps] for step in range(steps + 1)]


def test_both_registries_are_here():
    blocks = registered()
    assert (sum("." in block for block in blocks), sum(":" in block for block in blocks)) == (26, 25)


@pytest.mark.parametrize("block", [block for block in registered() if block not in CARRIERS])
def test_every_block_of_the_registries_is_refused_to_both_its_ends(block):
    assert [str(address) for address in samples(ipaddress.ip_network(block)) if is_public(address)] == []


@pytest.mark.parametrize("block", [block for block in registered() if "." in block])
@pytest.mark.parametrize("carrier", sorted(CARRIERS))
def test_every_ipv4_block_is_refused_as_ipv6_too(block, carrier):
    start = int(ipaddress.ip_network(carrier).network_address)
    written = [ipaddress.IPv6Address(start + int(address)) for address in samples(ipaddress.ip_network(block))]
    assert [str(address) for address in written if is_public(address)] == []


@given(st.ip_addresses(v=4))
def test_what_tunnels_ipv4_is_refused_whatever_it_embeds(address):
    number = int(address)
    six_to_four = ipaddress.IPv6Address((0x2002 << 112) | (number << 80) | 1)
    teredo = ipaddress.IPv6Address((0x20010000 << 96) | (number << 64) | (number ^ 0xFFFFFFFF))
    compatible, translated = ipaddress.IPv6Address(number), ipaddress.IPv6Address(f"::ffff:0:{address}")
    assert not any(map(is_public, (six_to_four, teredo, compatible, translated)))


@pytest.mark.parametrize("mark", ["0:5efe", "200:5efe"])
def test_isatap_in_a_public_block_is_judged_by_what_it_embeds(mark):
    assert not is_public(ipaddress.ip_address(f"2606:4700::{mark}:10.0.0.1"))
    assert is_public(ipaddress.ip_address(f"2606:4700::{mark}:8.8.8.8"))


@pytest.mark.parametrize(
    "address", ["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"]
)
def test_no_port_of_a_cloud_platform_is_reached(address):
    policy = EgressPolicy()
    assert not any(policy.allows_host(address, port) for port in (80, 443, 32526))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "128.0.0.1",
        "168.63.129.17",
        "169.253.255.255",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "198.17.255.255",
        "223.255.255.255",
        "2001:200::1",
        "2003::1",
        "2606:4700::1111",
        "2a00:1450::1",
    ],
)
def test_the_neighbours_of_refused_blocks_are_reached(address):
    assert is_public(ipaddress.ip_address(address))
