from __future__ import annotations

import argparse
import os
import sys
from typing import Any, TextIO

from django.core.management.base import BaseCommand

from lexic.console import Console
from lexic.up import Shape, stop_with_parent, up


class Command(BaseCommand):
    help = (
        "Run everything in the foreground: database, broker, migrations, worker and web server. "
        "Example: manage.py up --port 8001 --workers 2"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
        parser.add_argument("--port", type=_port, default=8000, help="0 takes any free one (default %(default)s)")
        parser.add_argument("--workers", type=_count, default=1, help="web processes (default %(default)s)")
        parser.add_argument(
            "--concurrency",
            type=_count,
            default=_cores(),
            help="processes that read documents (default %(default)s)",
        )
        parser.add_argument(
            "--with-parent", action="store_true", help="stop when the process that started this one dies"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["with_parent"]:
            stop_with_parent()
        shape = Shape(
            host=options["host"],
            port=options["port"],
            web_processes=options["workers"],
            concurrency=options["concurrency"],
        )
        up(shape, console=Console(_stdout()))


def _stdout() -> TextIO:
    return sys.stdout


def _cores() -> int:
    return max(1, min(4, len(os.sched_getaffinity(0))))


def _port(text: str) -> int:
    return _number(text, lowest=0, highest=65535)


def _count(text: str) -> int:
    return _number(text, lowest=1, highest=64)


def _number(text: str, *, lowest: int, highest: int) -> int:
    if text.isascii() and text.isdigit() and lowest <= int(text) <= highest:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from {lowest} to {highest}")
