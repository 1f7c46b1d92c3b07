"""The audit log by command: is it whole, take it out, and who could read a document on a day."""

from __future__ import annotations

import json
import uuid
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.actions import Action
from audit.chain import ChainHead
from audit.exports import entry_json, json_lines, names_of, syslog_lines
from audit.models import AuditEntry
from audit.record import record
from audit.unrecorded_changes import unrecorded_changes
from audit.verification import verify_and_remember
from knowledge.access_history import DocumentAccessHistory, document_access
from lexic.management.lexic_command import LexicCommand
from plugins.collaborators import unrecorded_roles


def _head(text: str) -> ChainHead:
    try:
        return ChainHead.parse(text)
    except ValueError:
        raise ArgumentTypeError("It looks like 4711:9f86d081…, as verify prints it.") from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("A day looks like 2026-11-17.") from None


class Command(LexicCommand):
    help = "Checks the audit log, takes it out, and answers who could read a document on a day."
    epilog = """examples:
  manage.py audit verify
  manage.py audit verify --head 4711:9f86d081…
  manage.py audit compare
  manage.py audit export --format syslog --since 2026-11-01 -o november.log
  manage.py audit access --document 1f0c… --at 2026-11-17"""

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        verify = parts.add_parser("verify", help="recomputes every hash; exits with 1 at the first broken entry")
        verify.add_argument("--head", type=_head, help="what an earlier verify printed, kept elsewhere")
        parts.add_parser(
            "compare", help="names rows and roles that were changed past Lexic: they are not as the log has them"
        )
        export = parts.add_parser("export", help="writes the log, the oldest entry first")
        export.add_argument("--format", choices=["json", "syslog"], default="json")
        export.add_argument("--since", type=_day, help="the first day (UTC)")
        export.add_argument("--until", type=_day, help="the last day (UTC)")
        export.add_argument("-o", "--output", type=Path, help="a file; otherwise standard output")
        access = parts.add_parser("access", help="who could read a document on a day, and who opened it to whom")
        access.add_argument("--document", type=uuid.UUID, required=True)
        access.add_argument("--at", type=_day, required=True, help="the day (UTC)")
        access.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        {"verify": self._verify, "compare": self._compare, "export": self._export, "access": self._access}[
            options["part"]
        ](options)

    def _verify(self, options: dict[str, Any]) -> None:
        found = verify_and_remember(known=options["head"])
        if found.head is None:
            self.stdout.write("The audit log is empty.")
            return
        self.stdout.write(f"{found.entries} entries, from number {found.first} on, are as they were written.")
        if found.erased:
            self.stdout.write(f"{found.erased} names in it were erased.")
        self.stdout.write(f"head {found.head}")
        if not options["head"]:
            self.stderr.write("Keep the head elsewhere: verify --head then also finds out what was cut off at the end.")

    def _compare(self, options: dict[str, Any]) -> None:
        found = [*unrecorded_changes(), *unrecorded_roles()]
        for sentence in found:
            self.stdout.write(sentence)
        if found:
            raise CommandError(f"{len(found)} changes have no entry in the audit log.")
        self.stdout.write("All rows and roles are as the audit log has them.")

    def _export(self, options: dict[str, Any]) -> None:
        since, until = options["since"], options["until"]
        record(
            Action.LOG_EXPORTED,
            details={"since": since and since.isoformat(), "until": until and until.isoformat()},
        )
        entries = AuditEntry.objects.all()
        if since:
            entries = entries.filter(at__gte=datetime.combine(since, time(), UTC))
        if until:
            entries = entries.filter(at__lte=datetime.combine(until, time.max, UTC))
        lines = (syslog_lines if options["format"] == "syslog" else json_lines)(entries)
        if not options["output"]:
            for line in lines:
                self.stdout.write(line)
            return
        try:
            with options["output"].open("w") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from error

    def _access(self, options: dict[str, Any]) -> None:
        found = document_access(options["document"], day=options["at"])
        if options["json"]:
            self.stdout.write(json.dumps(_access_json(found), ensure_ascii=False))
            return
        self.stdout.write(f"These could read document {options['document']} on {options['at']} (UTC):")
        for reader in found.readers:
            self.stdout.write(f"  {reader.name or reader.who}: {reader.why}")
        if not found.readers:
            self.stdout.write("  nobody")
        self.stdout.write("What opened and closed it until then:")
        names = names_of(found.deeds)
        for entry in found.deeds:
            known = entry.known_names(names)
            actor, object_, subject = (known.get(each, each) for each in (entry.actor, entry.object, entry.subject))
            line = f"  {entry.at:%Y-%m-%d %H:%M:%S} {entry.get_action_display()}: {object_}"
            self.stdout.write(line + (f" → {subject}" if subject else "") + f" by {actor or entry.via}")


def _access_json(found: DocumentAccessHistory) -> dict[str, Any]:
    names = names_of(found.deeds)
    return {
        "readers": [{"who": each.who, "name": each.name, "why": each.why} for each in found.readers],
        "deeds": [entry_json(each, names=each.known_names(names)) for each in found.deeds],
    }
