"""The tests' database behind an address that can stop answering and end no connection, as a machine that hangs does."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import connection


class FreezingProxy:
    """What is sent while it is frozen arrives when it is thawed."""

    def __init__(self) -> None:
        self._target = f"{connection.settings_dict['HOST']}/.s.PGSQL.5432"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._may_pass, self._may_enter, self._is_over = threading.Event(), True, False
        self.thaw()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    def freeze(self) -> None:
        self._may_pass.clear()

    def thaw(self) -> None:
        self._may_pass.set()

    def refuse_others(self) -> None:
        """Who is in stays; whoever comes is sent away at once."""
        self._may_enter = False

    def close(self) -> None:
        self._is_over = True
        self.thaw()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                if self._may_enter:
                    threading.Thread(target=self._serve, args=[client], daemon=True).start()
                else:
                    client.close()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        with client, server, suppress(OSError):
            self._may_pass.wait()
            server.connect(self._target)
            while not self._is_over:
                for one in select.select([client, server], [], [], 0.1)[0]:
                    sent = one.recv(65536)
                    self._may_pass.wait()
                    if not sent:
                        return
                    (server if one is client else client).sendall(sent)


@contextmanager
def freezing_proxy() -> Iterator[FreezingProxy]:
    proxy = FreezingProxy()
    try:
        yield proxy
    finally:
        proxy.close()
