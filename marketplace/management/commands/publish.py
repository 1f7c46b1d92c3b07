from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from lexic.management.lexic_command import LexicCommand
from marketplace.publishing.publish import publish
from marketplace.publishing.withdraw import withdraw_from_marketplace
from marketplace.reviews.moderation import unblock_publishing
from plugins.management.plugin_argument import get_plugin


class Command(LexicCommand):
    help = (
        "Publish a plugin as it stands: make a release that agents can ask. Its visibility stays as it is. That is "
        "“marketplace” unless another was set, so the first release lists it publicly.\n\n"
        "Example: manage.py publish concrete-cover --notes 'Adds the table of fire ratings'"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--release", metavar="VERSION", help="such as 1.2.0; default: the next minor one")
        parser.add_argument("--notes", default="")
        parser.add_argument("--withdraw", action="store_true", help="withdraw it instead of publishing it")
        parser.add_argument("--lift", action="store_true", help="let it be published after it was withdrawn")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, slug: str, **options: Any) -> None:
        plugin = get_plugin(slug)
        if options["withdraw"]:
            withdraw_from_marketplace(plugin)
            self._say({"plugin": slug, "published": False}, f"{slug} is withdrawn.", options)
            return
        if options["lift"]:
            unblock_publishing(plugin)
            self._say({"plugin": slug, "held": False}, f"{slug} may be published again by its owner.", options)
            return
        done = publish(plugin, by=plugin.owner, version=options["release"], notes=options["notes"])
        shown = {"plugin": slug, "published": True, "release": str(done.release), "new": done.is_new}
        if done.warning:
            self.stderr.write(done.warning)
        self._say(shown, f"{done.release} is {'published' if done.is_new else 'published already'}.", options)

    def _say(self, shown: dict[str, Any], sentence: str, options: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(shown) if options["json"] else sentence)
