from __future__ import annotations

from typing import Any

from allauth.socialaccount.apps import SocialAccountConfig
from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class LexicConfig(AppConfig):
    default = True  # Django wants one named where a module has two
    name = "lexic"
    verbose_name = "Lexic"

    def ready(self) -> None:
        from lexic import checks  # noqa: F401 -- registers the system checks


class UnloadedAdminConfig(SimpleAdminConfig):
    """The admin, whose modules `lexic.urls` loads: workers and commands that show no page never wait for them."""

    default_site = "unfold.sites.UnfoldAdminSite"

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_loaded_admin, checks.Tags.admin)


class UnloadedUnfoldConfig(AppConfig):
    """The theme of the admin. Its own configuration would make the admin's site at once."""

    name = "unfold"


class UnloadedSocialAccountConfig(SocialAccountConfig):
    """Signing in with an account elsewhere. `allauth.urls` loads the providers, or whoever asks for them first."""

    def ready(self) -> None:
        from allauth.socialaccount import checks  # noqa: F401


def _check_loaded_admin(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    admin.autodiscover()
    return check_admin_app(app_configs, **kwargs)
