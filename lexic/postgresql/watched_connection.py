"""Connections of the web processes to PostgreSQL, which do not wait for a server that has stopped answering.

A machine that hangs, or a network that drops what it is sent, ends no connection: whoever waits for a statement would
wait for ever. A slow statement looks the same, so after a while without a word the server is asked whether it takes
another connection. While it does, a statement may take as long as it does.
"""

from __future__ import annotations

import functools
import math
import select
import threading
import time
from collections.abc import Generator
from typing import Any, Self

import psycopg
from psycopg.abc import PQGen, Query

CONNECT_SECONDS = 3
_PATIENCE_SECONDS = 3.0
_PATIENCE_AFTER_SILENCE_SECONDS = 0.5
# What was just found out for one statement holds for the others that wait.
_VERDICT_SECONDS = 1.0
# So long after an answer a connection is taken to work: to ask first takes as long as a small statement.
_TRUST_SECONDS = 0.5


class ServerSilent(psycopg.OperationalError):
    """The database has stopped answering."""


class Server:
    """Whether the server that connections of these parameters lead to answers at all."""

    def __init__(self, conninfo: str, parameters: dict[str, Any]) -> None:
        self._conninfo, self._parameters = conninfo, {**parameters, "connect_timeout": CONNECT_SECONDS}
        self._lock = threading.Lock()
        self._asked_at = -_VERDICT_SECONDS
        self.was_silent = False

    def answers(self) -> bool:
        """Whether it takes a connection now."""
        with self._lock:
            if time.monotonic() - self._asked_at > _VERDICT_SECONDS:
                self.note(silent=not self._ask())
            return not self.was_silent

    def note(self, *, silent: bool) -> None:
        self.was_silent, self._asked_at = silent, time.monotonic()

    def patience(self) -> float:
        """How long a statement waits without a word, in seconds."""
        return _PATIENCE_AFTER_SILENCE_SECONDS if self.was_silent else _PATIENCE_SECONDS

    def _ask(self) -> bool:
        try:
            psycopg.connect(self._conninfo, **self._parameters).close()
        except psycopg.errors.ConnectionTimeout:
            return False
        except psycopg.OperationalError:
            return True  # it has said no: that it has too many connections, say
        return True


@functools.cache
def _server(conninfo: str, parameters: tuple[tuple[str, Any], ...]) -> Server:
    return Server(conninfo, dict(parameters))


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose statements fail with `ServerSilent` where the server has stopped answering. To a server that
    was silent a moment ago, none is made."""

    _server: Server | None = None
    answered_at = -math.inf  # when the server last answered, by the monotonic clock

    @classmethod
    def connect(cls, conninfo: str = "", **parameters: Any) -> Self:
        of_libpq = {name: value for name, value in parameters.items() if isinstance(value, (str, int))}
        server = _server(conninfo, tuple(sorted(of_libpq.items())))
        if server.was_silent and not server.answers():
            raise ServerSilent("The database does not answer.")
        try:
            connection = super().connect(conninfo, **parameters)
        except psycopg.errors.ConnectionTimeout:
            server.note(silent=True)
            raise
        server.was_silent, connection._server = False, server
        return connection

    def execute(self, query: Query, *args: Any, **options: Any) -> psycopg.Cursor[Any]:
        """An empty statement is what a pool asks before it gives the connection away. It is left out where the server
        has answered a moment ago, and nothing has come since: the end of a connection can be read."""
        if query == "" and time.monotonic() - self.answered_at < _TRUST_SECONDS and not self._has_input():
            return self.cursor()
        return super().execute(query, *args, **options)

    def _has_input(self) -> bool:
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def wait(self, gen: PQGen[Any], *args: Any, **kwargs: Any) -> Any:
        given = super().wait(gen if self._server is None else self._watch(gen, self._server), *args, **kwargs)
        self.answered_at = time.monotonic()
        return given

    def _watch(self, gen: PQGen[Any], server: Server) -> Generator[Any, Any, Any]:
        """What the generator does, until nothing has come for too long."""
        ready, since = None, time.monotonic()
        while True:
            try:
                wanted = next(gen) if ready is None else gen.send(ready)
            except StopIteration as end:
                return end.value
            ready = yield wanted
            if ready:
                since = time.monotonic()
            elif time.monotonic() - since > server.patience():
                if not server.answers():
                    # Whatever comes later belongs to a statement that nobody waits for any more.
                    self.pgconn.finish()
                    raise ServerSilent("The database has stopped answering.")
                since = time.monotonic()
