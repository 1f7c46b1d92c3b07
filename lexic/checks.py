"""System checks: what would be a mistake in production (`manage.py check --deploy`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.utils.module_loading import import_string

OFFLINE_LLM_NAME = "extractive"
_LEAST_SECRET_LENGTH = 16


@register()
def check_email_backend(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    try:
        import_string(settings.EMAIL_BACKEND)
    except ImportError:
        hint = "django.core.mail.backends.smtp.EmailBackend sends mails by EMAIL_HOST; unset, they are files."
        return [checks.Error(f"There is no EMAIL_BACKEND “{settings.EMAIL_BACKEND}”.", hint=hint, id="lexic.E008")]
    return []


@register(Tags.security)
def check_secret_lengths(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        checks.Error(
            f"{name} has {len(getattr(settings, name).strip())} characters: so few can be guessed.",
            hint=f"Set one of {_LEAST_SECRET_LENGTH} or more, and name this one in {name}_FALLBACKS: what it has "
            "sealed or signed is read with that.",
            id="lexic.E009",
        )
        for name in ("SECRET_KEY", "ENCRYPTION_KEY")
        if len(getattr(settings, name).strip()) < _LEAST_SECRET_LENGTH
    ]


@register(Tags.security, deploy=True)
def check_offline_llm(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if settings.LEXIC_LLM != OFFLINE_LLM_NAME:
        return []
    return [
        checks.Warning(
            "Answers come from the offline answerer, which only quotes.",
            hint="Set OPENAI_API_KEY (and OPENAI_BASE_URL), or silence this if quoting is what you want.",
            id="lexic.W001",
        )
    ]


@register(Tags.security, deploy=True)
def check_offline_embedder(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if settings.LEXIC_EMBEDDER.partition(":")[0] != "local":
        return []
    return [
        checks.Warning(
            "New knowledge bases are embedded by the small model on this machine.",
            hint="Set LEXIC_EMBEDDER, or silence this if that is what you want.",
            id="lexic.W002",
        )
    ]


@register(Tags.security, deploy=True)
def check_public_url(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if urlsplit(settings.PUBLIC_URL).scheme == "https":
        return []
    return [
        checks.Warning(
            f"LEXIC_PUBLIC_URL is {settings.PUBLIC_URL}: links in answers and e-mails are not https.",
            hint="Set it to the address that people use.",
            id="lexic.W003",
        )
    ]


@register(Tags.security, deploy=True)
def check_secrets_location(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warns where machines that share an external database would each make their own secrets."""
    paths = {name: settings.VAR_DIR / f"{name.lower()}.txt" for name in ("SECRET_KEY", "ENCRYPTION_KEY")}
    kept = [
        name for name, path in paths.items() if path.exists() and path.read_text().strip() == getattr(settings, name)
    ]
    if not settings.DATABASE_URL or not kept:
        return []
    return [
        checks.Warning(
            f"{' and '.join(kept)} come from files in {settings.VAR_DIR}, but the data is elsewhere.",
            hint="Set them in the environment: with other secrets, sessions and stored API keys are lost.",
            id="lexic.W004",
        )
    ]


@register(Tags.security, deploy=True)
def check_debug_is_off(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if not settings.DEBUG:
        return []
    return [checks.Warning("LEXIC_DEBUG is on: error pages show source code.", hint="Unset it.", id="lexic.W005")]


@register(Tags.security, deploy=True)
def check_sign_up_is_silent(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return []
    return [
        checks.Warning(
            "Sign-up tells who has an account, because people come in before they have proved their address.",
            hint="Set EMAIL_BACKEND to one that sends mail, and LEXIC_EMAIL_VERIFICATION=mandatory.",
            id="lexic.W006",
        )
    ]
