"""Compiles the catalogues of `locale/`, as Django's own command does where GNU gettext is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = "Compiles the catalogues of locale/ for the pages. Needs polib, which the development tools have."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            import polib
        except ImportError:
            raise CommandError("polib is missing: it comes with requirements-dev.lock.") from None
        for written in sorted(Path(settings.LOCALE_PATHS[0]).glob("*/LC_MESSAGES/django.po")):
            texts = polib.pofile(str(written))
            texts.save_as_mofile(str(written.with_suffix(".mo")))
            self.stdout.write(f"{written.parent.parent.name}: {texts.percent_translated()} % translated")
