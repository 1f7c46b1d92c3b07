from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from local.module_loading import loading_modules

_HELP = """Speak the Model Context Protocol on the standard streams, for a client that starts its servers itself.

A client elsewhere uses the running server instead: https://HOST/mcp with the header Authorization: Bearer lx_...

Example, for the configuration file of a desktop client:

  {
    "mcpServers": {
      "lexic": {
        "command": "/path/to/lexic/.venv/bin/python",
        "args": ["/path/to/lexic/manage.py", "mcp"],
        "env": {"LEXIC_API_KEY": "lx_..."}
      }
    }
  }

With the built-in database, keep Lexic running (manage.py up): several clients can then share it.
The key decides which experts can be asked, and how often. Make one with: manage.py create_api_key"""


class Command(LexicCommand):
    help = _HELP
    # What Django has to say about the project would be read as the protocol.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--key",
            default="",
            metavar="lx_...",
            help="the API key; others on this machine can see it, LEXIC_API_KEY they cannot",
        )

    def handle(self, *, key: str, **options: Any) -> None:
        secret = key or os.environ.get("LEXIC_API_KEY", "")
        if not secret:
            raise CommandError("No API key. Set the variable LEXIC_API_KEY, or give --key lx_...")
        # Only here: loading the library takes longer than most commands do.
        with loading_modules():
            from api.mcp import stdio

        stdio.serve(secret)
