from __future__ import annotations

from django import template

from connectors.google_oauth import is_set_up

register = template.Library()


@register.simple_tag
def has_connectors() -> bool:
    """Whether there is anything that a person can connect here."""
    return is_set_up()
