"""Who can see a plugin, and what of it is public, in words that its author reads before choosing."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models

from knowledge.models import Document
from marketplace.listings.release_documents import rows_condition
from plugins.models import Plugin, PluginKind, Release
from querying import releases


class Audience(models.TextChoices):
    """From the fewest to the most. It is not stored: `is_published` and `public_chat` say it."""

    PEOPLE = "people", "Only the people who work on it"
    KEY = "key", "Anyone with an API key"
    VISITORS = "visitors", "Anyone, without an account"


@dataclass(frozen=True, kw_only=True)
class AudienceChoice:
    """An audience, and what anybody can see then, each a sentence."""

    audience: Audience
    facts: list[str]


@dataclass(frozen=True, kw_only=True)
class Visibility:
    """`now` is who can see it today; `choices` are the others as well. Of the `documents` that are read, so many are
    `public`. `never` says what nobody else sees."""

    now: AudienceChoice
    choices: list[AudienceChoice]
    documents: int
    public: int
    never: str


def audience_of(plugin: Plugin) -> Audience:
    """Who can ask it as it is now."""
    if not plugin.is_published:
        return Audience.PEOPLE
    return Audience.VISITORS if plugin.public_chat else Audience.KEY


def describe_visibility(plugin: Plugin, *, of: Release | None = None) -> Visibility:
    """Of the latest release, or of the draft while nothing is published; or else `of` a release, which may be one that
    is about to be made. A fixed number of statements."""
    latest = of or (plugin.latest_release() if plugin.is_published else None)
    is_public = models.Q(is_public=True, is_template=False)
    counted = Document.objects.filter(rows_condition(latest or releases.snapshot(plugin))).aggregate(
        all=models.Count("pk"), public=models.Count("pk", filter=is_public)
    )
    documents, public = counted["all"], counted["public"]
    key_facts = [_askers(plugin), _page(public if plugin.public_only else documents, restricted=plugin.public_only)]
    copies = [_COPIES] if plugin.is_shared else []
    choices = [
        AudienceChoice(audience=Audience.PEOPLE, facts=[_PRIVATE]),
        AudienceChoice(audience=Audience.KEY, facts=[*key_facts, *copies]),
        AudienceChoice(
            audience=Audience.VISITORS, facts=[_askers(plugin), _page(public, restricted=True), _chat(public), *copies]
        ),
    ]
    now = audience_of(plugin)
    return Visibility(
        now=next(choice for choice in choices if choice.audience == now),
        choices=choices,
        documents=documents,
        public=public,
        never=f"Never public: {'' if plugin.is_shared else 'the persona, '}the draft, keys, and who asked what.",
    )


_PRIVATE = "Only you and the people listed under Sharing can ask it. Nothing of it is public."
_COPIES = "Others can install a copy with its persona, trees and documents, and anyone can read its pages."


def _askers(plugin: Plugin) -> str:
    if plugin.kind == PluginKind.LIBRARY and not plugin.is_shared:
        return "The people who work on it can ask its releases. It is not in the marketplace."
    return "Anyone with an API key of this site can ask its releases."


def _page(documents: int, *, restricted: bool) -> str:
    plural = "" if documents == 1 else "s"
    which = f"{documents} public document{plural}" if restricted else f"{documents} document{plural}"
    return (
        "Its page in the marketplace shows its name and description, how it did on its golden questions, and titles"
        f" and dates of {which}, not their text."
    )


def _chat(public: int) -> str:
    if not public:
        return "Anyone can chat with it on its page, but no document is marked public: every question is refused."
    return f"Anyone can chat with it on its page, and reads passages of {public} public document{'s' * (public != 1)}."
