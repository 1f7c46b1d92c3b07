"""What a form says of the limits of a key."""

from __future__ import annotations

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext

from accounts.models import default_per_day, default_per_minute


def limit_help_texts() -> dict[str, str]:
    """By the name of the field: what is counted, how high it may be, what an empty field means, and what happens to
    requests beyond it."""
    per_minute = gettext(
        "Requests in 60 seconds, at most %(most)s. Empty: %(default)s. Further ones are refused with status 429 and"
        " the seconds to wait."
    )
    per_day = gettext(
        "Requests from midnight to midnight UTC, at most %(most)s. Empty: %(default)s. Further ones are refused with"
        " status 429 until midnight."
    )
    limits = {
        "per_minute": (per_minute, settings.KEY_MAX_PER_MINUTE, default_per_minute()),
        "per_day": (per_day, settings.KEY_MAX_PER_DAY, default_per_day()),
    }
    return {
        name: words % {"most": _grouped(most), "default": _grouped(default)}
        for name, (words, most, default) in limits.items()
    }


def _grouped(number: int) -> str:
    return number_format(number, force_grouping=True)
