"""The fixtures. Tests import the rest from the module that defines them."""

from __future__ import annotations

from scripted_server import async_lexic, client, lexic, no_environment, server

__all__ = ["async_lexic", "client", "lexic", "no_environment", "server"]
