"""The choices of who can see a plugin, with sentences that tell its author what each makes public."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models

from knowledge.models import Document
from marketplace.listings.release_documents import rows_condition
from plugins.models import Plugin, PluginKind, Release, Visibility
from querying import releases
from querying.question.document_access import restricts_to_public


class Audience(models.TextChoices):
    """From the fewest to the most. Private is what is not published; the others are the plugin's `visibility`."""

    PRIVATE = "private", "Private"
    PEOPLE = Visibility.PEOPLE.value, "People and teams"
    KEY = Visibility.KEY.value, "Anyone with an API key"
    UNLISTED = Visibility.UNLISTED.value, "Unlisted page"
    MARKETPLACE = Visibility.MARKETPLACE.value, "Marketplace"


@dataclass(frozen=True, kw_only=True)
class AudienceChoice:
    """An audience, and what others can see then, each a sentence."""

    audience: Audience
    facts: list[str]

    @property
    def has_page(self) -> bool:
        return self.audience in (Audience.UNLISTED, Audience.MARKETPLACE)


@dataclass(frozen=True, kw_only=True)
class VisibilityFacts:
    """`now` is who can see it today; `choices` are the others as well. Of the `documents` that are read, so many are
    `public`. `copies` says what comes with a page that also has them; `never` what nobody else sees."""

    now: AudienceChoice
    choices: list[AudienceChoice]
    documents: int
    public: int
    copies: str
    never: str


def audience_of(plugin: Plugin) -> Audience:
    """Who can ask it as it is now."""
    return Audience(plugin.visibility) if plugin.is_published else Audience.PRIVATE


def describe_visibility(plugin: Plugin, *, of: Release | None = None) -> VisibilityFacts:
    """Of the latest release, or of the draft while nothing is published; or else `of` a release, which may be one that
    is about to be made. A fixed number of statements."""
    release = of or (plugin.latest_release() if plugin.is_published else None) or releases.snapshot(plugin)
    is_public = models.Q(is_public=True, is_template=False)
    counted = Document.objects.filter(rows_condition(release)).aggregate(
        all=models.Count("pk"), public=models.Count("pk", filter=is_public)
    )
    documents, public = counted["all"], counted["public"]
    is_restricted = restricts_to_public(release)
    page = _page(public if is_restricted else documents, restricted=is_restricted)
    tries = "" if is_restricted and not public else _tries(plugin)
    choices = [_choice(audience, plugin, page=page, tries=tries) for audience in Audience]
    now = audience_of(plugin)
    return VisibilityFacts(
        now=_with_extras(next(choice for choice in choices if choice.audience == now), plugin, public),
        choices=choices,
        documents=documents,
        public=public,
        copies=_COPIES,
        never=f"Never public: {'' if plugin.is_shared else 'the persona, '}the draft, keys, and who asked what.",
    )


_COPIES = "Others can install a copy with its persona, trees and documents, and keep it."
_COPIED_GOLDEN = "A copy holds its golden questions too."
_MARKETPLACE_COPIES = f"{_COPIES} Anyone can read the pages of its latest release."


def _choice(audience: Audience, plugin: Plugin, *, page: str, tries: str) -> AudienceChoice:
    facts: dict[Audience, list[str]] = {
        Audience.PRIVATE: [_PRIVATE, _WITHDRAWS if plugin.is_published else ""],
        Audience.PEOPLE: [_people(plugin), "It has no public page, and nobody else finds it."],
        Audience.KEY: [_askers(plugin), "It has no public page, and is in no list of others."],
        Audience.UNLISTED: [*_unlisted(plugin), page, tries, _UNLISTED_KEYS],
        Audience.MARKETPLACE: [_FOUND, page, tries, _askers(plugin)],
    }
    return AudienceChoice(audience=audience, facts=[fact for fact in facts[audience] if fact])


def _with_extras(choice: AudienceChoice, plugin: Plugin, public: int) -> AudienceChoice:
    """The choice that holds, with what its author has allowed besides."""
    if not choice.has_page:
        return choice
    copies = _MARKETPLACE_COPIES if choice.audience == Audience.MARKETPLACE else _COPIES
    if plugin.shares_golden:
        copies = f"{copies} {_COPIED_GOLDEN}"
    extras = [*([_chat(public)] if plugin.public_chat else []), *([copies] if plugin.is_shared else [])]
    return AudienceChoice(audience=choice.audience, facts=[*choice.facts, *extras])


def _people(plugin: Plugin) -> str:
    if plugin.organisation is None:
        return "Only you and the people listed under Sharing can ask its releases."
    return f"Only the people listed under Sharing and the members of {plugin.organisation} can ask its releases."


def _is_closed_library(plugin: Plugin) -> bool:
    return plugin.kind == PluginKind.LIBRARY and not plugin.is_shared


def _askers(plugin: Plugin) -> str:
    if _is_closed_library(plugin):
        return "The people who work on it can ask its releases. It is not in the marketplace."
    return f"Anyone with an API key of this site can ask its releases by the name {plugin.slug}."


def _unlisted(plugin: Plugin) -> list[str]:
    if _is_closed_library(plugin):
        return ["Others see nothing of it until copies of it are allowed."]
    return [
        "Anyone who has the address of its page can open it.",
        "Nobody can guess the address, and the page is in no list or search, here or on search engines.",
    ]


_PRIVATE = "Nothing is published. Only you and the people listed under Sharing can ask its draft."
_WITHDRAWS = "Choosing this withdraws what is published now."
_FOUND = "Anyone finds its page in the marketplace and by search engines."
_UNLISTED_KEYS = "With an API key, programs ask its releases by that address, not by its name."


def _tries(plugin: Plugin) -> str:
    return (
        ""
        if _is_closed_library(plugin)
        else "A visitor can try it there without an account, with a few single questions a day."
    )


def _page(documents: int, *, restricted: bool) -> str:
    plural = "" if documents == 1 else "s"
    which = f"{documents} public document{plural}" if restricted else f"{documents} document{plural}"
    return (
        "The page shows its name and description, how it did on its golden questions, and titles and dates of"
        f" {which}, not their text."
    )


def _chat(public: int) -> str:
    if not public:
        return "Anyone can chat with it on its page, but no document is marked public: every question is refused."
    return f"Anyone can chat with it on its page, and reads passages of {public} public document{'s' * (public != 1)}."
