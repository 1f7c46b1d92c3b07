from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from marketplace.catalogue import listing_refresh
from marketplace.listings.update_listing import relist
from marketplace.tasks import complete_listing
from plugins.management.plugin_argument import get_plugin


class Command(LexicCommand):
    help = (
        "Rebuild the listings of the marketplace, and count the questions of days that were not counted yet.\n\n"
        "Needed after a restored backup and after changes to the database by hand; otherwise the listings stay up to "
        "date by themselves.\n\n"
        "Example: manage.py relist\n"
        "         manage.py relist concrete-cover   (one plugin, with its sample answer)"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="only this plugin; default: all that are published")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, slug: str | None, **options: Any) -> None:
        relisted = self._one(slug) if slug else listing_refresh.rebuild_all_listings()
        noun = "plugin" if relisted == 1 else "plugins"
        self.stdout.write(json.dumps({"relisted": relisted}) if options["json"] else f"Relisted {relisted} {noun}.")

    def _one(self, slug: str) -> int:
        plugin = get_plugin(slug)
        if relist(plugin) is None:
            raise CommandError(f"{slug} is not published, so it is not listed.")
        complete_listing(plugin_id=str(plugin.pk))
        return 1
