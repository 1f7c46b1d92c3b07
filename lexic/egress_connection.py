"""Connections to addresses that were checked, under one limit of time. Only `lexic.egress` opens any."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from lexic.egress_errors import EgressRefused, FetchFailed, FetchTimedOut
from lexic.egress_policy import Address, EgressPolicy

_MAX_ADDRESSES_TRIED = 3

# A name and a port in, addresses out. Raises OSError where there are none.
Resolver = Callable[[str, int], Iterable[str]]


def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a name, by the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class Deadline:
    """One limit for everything: names, connections, redirects, and a body that drips."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def seconds_left(self, timeout: float | None = None) -> float:
        """Seconds left, at most `timeout`. Raises `FetchTimedOut` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchTimedOut()
        return left if timeout is None else min(left, timeout)


class PinnedBackend(httpcore2.NetworkBackend):
    """Connects to addresses that were checked, never to names."""

    def __init__(self, policy: EgressPolicy, resolver: Resolver, deadline: Deadline) -> None:
        self._policy = policy
        self._resolver = resolver
        self.deadline = deadline
        self._tcp = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failure: Exception | None = None
        for address in self._resolve_checked(host, port)[:_MAX_ADDRESSES_TRIED]:
            try:
                stream = self._tcp.connect_tcp(
                    str(address), port, self.deadline.seconds_left(timeout), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _DeadlineStream(stream, self.deadline)
        raise FetchFailed("The server could not be reached.") from failure

    def _resolve_checked(self, host: str, port: int) -> list[Address]:
        """Every address of the host. One that may not be reached spoils them all."""
        try:
            addresses = [ipaddress.ip_address(text) for text in self._resolver(host.strip("[]"), port)]
        except (OSError, ValueError) as error:
            raise FetchFailed("The name of the server is not known.") from error
        if not all(self._policy.allows(address, port, host=host) for address in addresses):
            raise EgressRefused()
        if not addresses:
            raise FetchFailed("The name of the server is not known.")
        return addresses


class _DeadlineStream(httpcore2.NetworkStream):
    """A connection whose every step ends at the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.seconds_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.seconds_left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.seconds_left(timeout))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
