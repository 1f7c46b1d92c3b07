"""The private addresses that people may have this site fetch: none, unless the operator lists them."""

from __future__ import annotations

import ipaddress
import re

from environs import Env, ValidationError

from lexic.egress_policy import EgressPolicy, Network

# Where webhooks are sent, where providers of organisations may be, and where sources of documents may be.
VARIABLE = "LEXIC_WEBHOOK_ALLOWLIST"
SSO_VARIABLE = "LEXIC_SSO_ALLOWLIST"
SOURCES_VARIABLE = "LEXIC_SOURCES_ALLOWLIST"

_HOST_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}")


def read_webhook_policy(env: Env) -> EgressPolicy:
    """The policy for webhooks, from LEXIC_WEBHOOK_ALLOWLIST; see `read_policy`."""
    return read_policy(env, VARIABLE)


def read_policy(env: Env, variable: str) -> EgressPolicy:
    """Public addresses, and the networks, addresses and host names of the list.

    Raises `ValidationError`, naming the variable, for what is none of these.
    """
    networks: set[Network] = set()
    hosts: set[str] = set()
    entries: list[str] = env.list(variable, [])
    for entry in entries:
        text = entry.strip().lower()
        if network := _read_network(text):
            networks.add(network)
        elif _HOST_NAME.fullmatch(text) and not text.rpartition(".")[2].isdigit():
            hosts.add(text)
        else:
            raise ValidationError(
                f'Environment variable "{variable}" invalid: {entry!r} is no network (10.20.0.0/16), no address and no '
                "name of a host."
            )
    return EgressPolicy(networks=frozenset(networks), hosts=frozenset(hosts))


def _read_network(text: str) -> Network | None:
    """A network, or an address as a network of one."""
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None
