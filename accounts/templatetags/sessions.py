"""What a browser calls itself, in words."""

from __future__ import annotations

from django import template
from django.utils.text import Truncator
from django.utils.translation import gettext

register = template.Library()

MAX_RAW_CHARACTERS = 90
# What the makers call it today, where the data have an earlier name.
_SYSTEMS = {"Mac OS X": "macOS"}


@register.filter
def browser_name(user_agent: str) -> str:
    """“Firefox 133 on Linux” for the header of a request; a program's own words where nobody knows them.

    The version of the system is left out: browsers send an old one, whatever is installed."""
    from ua_parser import parse

    found = parse(user_agent)
    if not found.user_agent:
        return Truncator(user_agent).chars(MAX_RAW_CHARACTERS) or gettext("An unnamed browser")
    browser = " ".join(filter(None, (found.user_agent.family, found.user_agent.major)))
    if not found.os:
        return browser
    system = _SYSTEMS.get(found.os.family, found.os.family)
    return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
