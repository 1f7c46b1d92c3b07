"""The draft of a plugin with what stands in the form of its persona, which is not saved."""

from __future__ import annotations

from collections.abc import Mapping

from plugins.models import CitationMode, Plugin, Release
from querying.releases import snapshot

# What the form says in words; everything else is as it was saved.
WRITTEN_FIELDS = ("system_prompt", "audience", "tone", "limits", "disclaimer")


def draft_as_written(plugin: Plugin, said: Mapping[str, str]) -> Release:
    """The draft with these words and this citation mode. What the form does not say, or says wrongly, is as saved."""
    release = snapshot(plugin)
    for name in WRITTEN_FIELDS:
        if name in said:
            setattr(release, name, said[name].strip())
    if said.get("citation_mode") in CitationMode.values:
        release.citation_mode = said["citation_mode"]
    return release
