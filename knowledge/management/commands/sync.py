from __future__ import annotations

import json
from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from knowledge.management.progress_bar import progress_bar
from knowledge.models import KnowledgeBase, Source
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.search.vector_index import ensure_index
from knowledge.source_models import REMOTE_KINDS
from knowledge.sync.library import has_library
from knowledge.sync.remote.addresses import normalise
from knowledge.sync.remote.source_settings import change_source, create_source
from knowledge.sync.runner import get_or_create_source, preview_sync, run_sync
from knowledge.sync.sync_report import SyncReport
from lexic.management.lexic_command import LexicCommand
from plugins.library_plugin import create_library_plugin
from plugins.management.owner_argument import find_owner
from plugins.management.plugin_argument import get_plugin
from plugins.models import Plugin

CHANGE_SIGNS = {"added": "+", "changed": "~", "described": "=", "removed": "-"}


class Command(LexicCommand):
    help = (
        "Keeps a plugin's own knowledge base in step with a folder of Markdown notes (or a checkout), with a "
        "repository that has a library (.lexibrary/), with a file of web addresses, or a web site, a feed, a Git "
        "repository or a bucket. Only what changed is read and embedded; what vanished is removed; releases keep it."
    )
    epilog = """examples:
  manage.py sync my-notes ~/notes --dry-run
  manage.py sync my-notes ~/notes --public-only
  manage.py sync my-code ~/work/shop --create --owner ruth@example.org
  manage.py sync my-notes addresses.txt --json
  manage.py sync my-rules https://example.org/rules/ --dry-run
  manage.py sync my-rules https://example.org/news.xml --kind feed
  manage.py sync my-rules s3://handbooks/current/"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the plugin")
        parser.add_argument(
            "folder",
            metavar="FOLDER",
            help="a folder of notes, a repository with a library, a file with one address a line, or an address",
        )
        parser.add_argument(
            "--kind",
            choices=[kind.value for kind in REMOTE_KINDS],
            help="what an address is; default: a repo where it ends with .git, a bucket for s3://, else a website",
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        parser.add_argument(
            "--public-only",
            action=BooleanOptionalAction,
            help="leave out notes that are not public; kept for the next time (default: as last time)",
        )
        parser.add_argument(
            "--public",
            action=BooleanOptionalAction,
            help="of a library: a public chat may read all of it; kept for the next time (default: as last time)",
        )
        parser.add_argument("--create", action="store_true", help="of a library: make a private plugin where none is")
        parser.add_argument("--owner", help="with --create: whose it will be; default: the only operator")
        parser.add_argument(
            "--allow-empty", action="store_true", help="remove what is gone, also when that is all of it"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")

    def handle(self, *, slug: str, folder: str, **options: Any) -> None:
        if is_address := "://" in folder:
            self._check_options_of_address(options)
        plugin = get_plugin(slug) if is_address else self._plugin(slug, Path(folder).expanduser(), options)
        run = self._preview if options["dry_run"] else self._sync
        report = run(plugin, folder, options)
        if options["json"]:
            place = folder if is_address else str(Path(folder).resolve())
            head = {"plugin": slug, "source": place, "dryRun": options["dry_run"]}
            self.stdout.write(json.dumps({**head, **report.as_dict()}, ensure_ascii=False))
        else:
            self._print(report)
        if report.problems:
            raise CommandError(f"{len(report.problems)} problem{'s' * (len(report.problems) != 1)} found.")

    def _check_options_of_address(self, options: dict[str, Any]) -> None:
        if options["public_only"] is not None or options["create"]:
            raise CommandError("--public-only and --create are for folders on this server.")

    def _plugin(self, slug: str, folder: Path, options: dict[str, Any]) -> Plugin:
        is_library = has_library(folder)
        if options["public"] is not None and not is_library:
            raise CommandError("--public is for a repository with a library; of notes each says whether it is public.")
        if not options["create"] or Plugin.objects.filter(slug=slug).exists():
            return get_plugin(slug)
        if not is_library:
            raise CommandError(f"{folder} has no library (.lexibrary/). Run `lexictl init` and `lexictl update` there.")
        if options["dry_run"]:
            raise CommandError("--create makes a plugin, and a dry run changes nothing.")
        owner = find_owner(options["owner"])
        try:
            return create_library_plugin(slug=slug, name=folder.resolve().name, owner=owner)
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from None

    def _preview(self, plugin: Plugin, folder: str, options: dict[str, Any]) -> SyncReport:
        # The rows that a first sync makes are made, and unmade.
        with transaction.atomic():
            report = preview_sync(self._source(plugin, folder, options))
            transaction.set_rollback(True)
        return report

    def _sync(self, plugin: Plugin, folder: str, options: dict[str, Any]) -> SyncReport:
        source = self._source(plugin, folder, options)
        with progress_bar("note") as show:
            report = run_sync(source, allow_empty=options["allow_empty"], on_progress=show)
        ensure_index(source.knowledge_base)
        return report

    def _source(self, plugin: Plugin, folder: str, options: dict[str, Any]) -> Source:
        base = own_knowledge_base(plugin)
        if "://" in folder:
            return _remote_source(base, folder, kind=options["kind"], is_public=options["public"])
        place = Path(folder).expanduser()
        return get_or_create_source(base, place, public_only=options["public_only"], is_public=options["public"])

    def _print(self, report: SyncReport) -> None:
        for name, sign in CHANGE_SIGNS.items():
            for path in getattr(report, name):
                self.stdout.write(f"{sign} {path}")
        for old, new in report.renamed:
            self.stdout.write(f"> {old} is now {new}")
        for path, reason in report.kept:
            self.stdout.write(f"  {path} stays as it was: {reason}")
        for path, reason in (*report.left_out, *report.skipped):
            self.stdout.write(f"  {path} is left out: {reason}")
        for problem in report.problems:
            self.stdout.write(f"! {problem}")
        for sentence in filter(None, (report.held, report.partly)):
            self.stdout.write(sentence)
        self.stdout.write(_summary_line(report))


def _remote_source(base: KnowledgeBase, address: str, *, kind: str | None, is_public: bool | None) -> Source:
    """The source with this address, made when it is new; credentials and limits are set in the builder."""
    known = base.sources.remote().filter(location__in=[address, address.rstrip("/"), normalise(address) or ""]).first()
    if known:
        return change_source(known, is_public=is_public)
    if kind is None:
        kind = "bucket" if address.startswith("s3://") else "repo" if address.endswith(".git") else "website"
    return create_source(base, kind=kind, location=address, is_public=bool(is_public))


def _summary_line(report: SyncReport) -> str:
    counts = {name: len(getattr(report, name)) for name in ("added", "changed", "described", "renamed", "removed")}
    changes = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing changed"
    embedded = "" if report.embedded is None else f"; {report.embedded} texts embedded"
    return f"{changes}; {report.unchanged} unchanged{embedded}."
