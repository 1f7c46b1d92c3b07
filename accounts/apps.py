from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People and keys"

    def ready(self) -> None:
        from accounts import sign_in_log

        sign_in_log.connect()
