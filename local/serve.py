"""One web process: `python -m local.serve FD`, on a listening socket that it inherits.

The supervisor keeps the socket, so requests that arrive while a web process is being restarted wait instead
of being refused, and any number of processes can share the port without a parent of their own.
"""

from __future__ import annotations

import socket
import sys

import uvicorn


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        "lexic.asgi:application",
        lifespan="off",
        timeout_graceful_shutdown=5,  # an open stream would hold the server for ever
        log_level="info",
        use_colors=False,
        proxy_headers=False,  # LEXIC_BEHIND_PROXY says whether they are believed, and Django reads them then
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
