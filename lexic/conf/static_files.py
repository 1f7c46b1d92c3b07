"""The URL from which browsers load style sheets, scripts and fonts: this site, or a CDN in front of it."""

from __future__ import annotations

from urllib.parse import urlsplit

from environs import Env, ValidationError


def read_static_url(env: Env) -> str:
    """`static/` on this site unless another address is set. Raises `ValidationError` for one that cannot be used."""
    url = env.str("LEXIC_STATIC_URL", "") or "static/"
    if url != "static/" and not (url.startswith("https://") and url.endswith("/static/")):
        raise ValidationError(
            'Environment variable "LEXIC_STATIC_URL" invalid: it begins with https:// and ends with /static/.'
        )
    return url


def static_origins(url: str) -> list[str]:
    """The origin of the address, for the content security policy; none for a path on this site."""
    parts = urlsplit(url)
    return [f"{parts.scheme}://{parts.netloc}"] if parts.netloc else []
