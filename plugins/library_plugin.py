"""A plugin that answers from the library of a codebase."""

from __future__ import annotations

from accounts.models import User
from plugins.models import CitationMode, Plugin, PluginKind
from plugins.starter_persona import fill_empty_fields


def create_library_plugin(*, slug: str, name: str, owner: User) -> Plugin:
    """A private draft that cites every sentence, and tells people who do not work on it only what is public.

    Raises `SlugTaken`, `TooManyPlugins` and `ValidationError`.
    """
    plugin = Plugin(
        owner=owner,
        name=name,
        slug=slug,
        kind=PluginKind.LIBRARY,
        domain="software",
        tagline=f"What the library of {name} says of its code."[:160],
        citation_mode=CitationMode.MANDATORY,
        public_only=True,
    )
    fill_empty_fields(plugin)
    plugin.check_slug()
    plugin.full_clean(exclude=["owner"])
    plugin.save()
    return plugin
