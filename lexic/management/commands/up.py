from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from django.core.management.base import BaseCommand

from local.console import Console
from local.up import ServerOptions, stop_with_parent, up


class Command(BaseCommand):
    help = (
        "Run everything in the foreground: database, broker, migrations, worker and web server. "
        "Example: manage.py up --port 8001 --workers 2"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
        parser.add_argument("--port", type=_parse_port, default=8000, help="0 takes any free one (default %(default)s)")
        parser.add_argument("--workers", type=_parse_count, default=1, help="web processes (default %(default)s)")
        parser.add_argument(
            "--concurrency",
            type=_parse_count,
            default=max(1, min(4, len(os.sched_getaffinity(0)))),
            help="processes that read documents (default %(default)s)",
        )
        parser.add_argument(
            "--with-parent", action="store_true", help="stop when the process that started this one dies"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["with_parent"]:
            stop_with_parent()
        shape = ServerOptions(
            host=options["host"],
            port=options["port"],
            web_processes=options["workers"],
            concurrency=options["concurrency"],
        )
        up(shape, console=Console(sys.stdout))


def _parse_port(text: str) -> int:
    return _parse_bounded_int(text, lowest=0, highest=65535)


def _parse_count(text: str) -> int:
    return _parse_bounded_int(text, lowest=1, highest=64)


def _parse_bounded_int(text: str, *, lowest: int, highest: int) -> int:
    if text.isascii() and text.isdigit() and lowest <= int(text) <= highest:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from {lowest} to {highest}")
