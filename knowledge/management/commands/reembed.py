from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from knowledge.embedders import get_embedder
from knowledge.management.progress_bar import progress_bar
from knowledge.models import KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.search.vector_index import ensure_index
from knowledge.versions.reembed import count_missing, reembed_base
from lexic.management.lexic_command import LexicCommand
from plugins.management.plugin_argument import get_plugin


class Command(LexicCommand):
    help = (
        "Moves a knowledge base to another embedder, beside the old one and without a pause in answering. Interrupted, "
        "it continues where it stopped when it is run again."
    )
    epilog = """examples:
  manage.py reembed structural-engineering openai:text-embedding-3-small --dry-run
  manage.py reembed structural-engineering openai:text-embedding-3-small:768
  manage.py reembed --base 7 local --json"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="the plugin whose own knowledge base is meant")
        parser.add_argument(
            "embedder", help="“local”, “openai”, “openai:MODEL”, “openai:MODEL:DIMENSIONS” or “server:MODEL:DIMENSIONS”"
        )
        parser.add_argument("--base", type=int, metavar="ID", help="the knowledge base itself, in place of a plugin")
        parser.add_argument("--dry-run", action="store_true", help="only say how many chunks would be embedded")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")

    def handle(self, *, slug: str | None, embedder: str, **options: Any) -> None:
        base = _resolve_base(slug, options["base"])
        chosen = get_embedder(embedder)
        if options["dry_run"]:
            missing = count_missing(base, embedder=chosen)
            report = {"knowledgeBase": base.pk, "embedder": chosen.name, "wouldEmbed": missing}
        else:
            with progress_bar("chunk") as show:
                moved = reembed_base(base, embedder=chosen, on_progress=show)
            ensure_index(base)
            report = {"knowledgeBase": base.pk, **asdict(moved)}
        self.stdout.write(json.dumps(report, ensure_ascii=False) if options["json"] else _summary_line(base, report))


def _resolve_base(slug: str | None, pk: int | None) -> KnowledgeBase:
    if (slug is None) == (pk is None):
        raise CommandError("Name either a plugin or, with --base, a knowledge base.")
    if slug is not None:
        return own_knowledge_base(get_plugin(slug))
    assert pk is not None
    base = KnowledgeBase.objects.filter(pk=pk).first()
    if base is None:
        raise CommandError(f"There is no knowledge base {pk}.")
    return base


def _summary_line(base: KnowledgeBase, report: dict[str, Any]) -> str:
    if (count := report.get("wouldEmbed")) is not None:
        return f"{base}: {count} chunks would be embedded with {report['embedder']}. Nothing was changed."
    return (
        f"{base}: searched by {report['embedder']} ({report['dimensions']} dimensions) from revision"
        f" {report['revision']} on; {report['embedded']} of {report['chunks']} chunks were embedded now."
    )
