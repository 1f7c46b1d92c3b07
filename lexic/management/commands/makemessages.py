"""`makemessages`, which also finds the texts of phrases (`lexic.phrases`), and looks only where visitors' texts are."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.commands import makemessages

from lexic.conf.languages import ENGLISH

_PHRASES = ["--keyword=phrase:1", "--keyword=counted_phrase:1,2"]
_IGNORED = ["var/*", "tests/*", "sdk/*", "sdk-ts/*", "node_modules/*", ".venv/*", "lexibrarian/*", "benchmarks/*"]


class Command(makemessages.Command):
    help = "Brings the catalogues of locale/ up to date with the texts of templates and modules. Needs GNU gettext."
    xgettext_options = [*makemessages.Command.xgettext_options, *_PHRASES]
    # Where a text stands changes with every edit, and says nothing to a translator.
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-location"]

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["locale"] or options["all"]):
            options["locale"] = [locale_name(code) for code, _ in settings.LANGUAGES if code != ENGLISH]
        options["ignore_patterns"] = [*options["ignore_patterns"], *_IGNORED]
        options |= {"add_location": "never", "no_obsolete": True}
        super().handle(*args, **options)


def locale_name(code: str) -> str:
    language, _, rest = code.partition("-")
    return f"{language}_{rest.title() if len(rest) > 2 else rest.upper()}" if rest else language
