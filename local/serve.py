"""One web process: `python -m local.serve FD`, on a listening socket that it inherits.

The supervisor keeps the socket, so requests that arrive while a web process is being restarted wait instead
of being refused, and any number of processes can share the port without a parent of their own.
"""

from __future__ import annotations

import socket
import sys

import uvicorn

from local.slow_client_protocol import SlowClientTimeoutProtocol


def make_config() -> uvicorn.Config:
    return uvicorn.Config(
        "lexic.asgi:application",
        http=SlowClientTimeoutProtocol,
        ws="none",  # nothing here speaks WebSocket: a request to change to it is an ordinary request
        lifespan="off",
        timeout_graceful_shutdown=5,  # an open stream would hold the server for ever
        # Longer than the minute for which proxies keep an idle connection: else one sends into a connection that ends.
        timeout_keep_alive=75,
        log_level="info",
        use_colors=False,
        proxy_headers=False,  # LEXIC_BEHIND_PROXY says whether they are believed, and Django reads them then
    )


def main() -> None:
    uvicorn.Server(make_config()).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])


if __name__ == "__main__":
    main()
