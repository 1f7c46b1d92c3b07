"""Stored files under the present LEXIC_FILES_KEY: those that were kept before, or under an earlier one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from lexic.storage import EncryptedStorage, site_storage


class Command(LexicCommand):
    help = "Encrypts the stored files that are not yet encrypted under the present LEXIC_FILES_KEY."
    epilog = "The site keeps running meanwhile. After an interruption, run it again: it continues where it stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        storage = site_storage()
        if not isinstance(storage, EncryptedStorage):
            raise CommandError("Files are kept as they are. Set LEXIC_FILES_KEY, and restart Lexic.")
        encrypted = kept = 0
        # The names first: what is written meanwhile would come again.
        for name in [found.name for found in storage.files()]:
            try:
                is_new = storage.encrypt_anew(name)
            except FileNotFoundError:  # deleted meanwhile
                continue
            encrypted, kept = encrypted + is_new, kept + (not is_new)
        self.stdout.write(f"{encrypted} files were encrypted, {kept} were already.")
