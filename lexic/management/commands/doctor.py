from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lexic.diagnostics import CheckResult, run_checks


class Command(BaseCommand):
    help = (
        "Check that everything Lexic needs is there and works. Ends with 1 when something does not. "
        "Example: manage.py doctor --json"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(run_checks())
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in found], indent=2))
        else:
            for finding in found:
                self._show(finding)
        problems = [finding.name for finding in found if finding.status == "problem"]
        if problems:
            raise CommandError(f"Something is wrong with: {', '.join(problems)}.")

    def _show(self, finding: CheckResult) -> None:
        style = {"ok": self.style.SUCCESS, "problem": self.style.ERROR}.get(finding.status, str)
        self.stdout.write(f"{style(f'{finding.status:8}')} {finding.name}: {finding.detail}")
        if finding.hint:
            self.stdout.write(f"{'':8} {finding.hint}")
