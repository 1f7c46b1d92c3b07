"""Decides who may review a plugin: the people who have used it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.db import models
from django.utils.translation import gettext, ngettext

from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from lexic.errors import NotAllowed
from marketplace.models import Install
from plugins.collaborators import find_role
from plugins.models import Plugin, Release
from querying.models import Query, QueryQuerySet
from querying.types.answer import Outcome

# Questions, with a key or by hand. Fewer say little about a plugin; many more would keep out whoever finds out early
# that it is wrong for them. How many somebody asked stands beside what they say, so that readers can weigh it.
# Whoever has installed a copy has used it too: what they ask of the copy is counted there.
MIN_QUESTIONS = 5
_COUNTED_OUTCOMES = (Outcome.ANSWERED, Outcome.REFUSED, Outcome.CLARIFY)


class OwnPlugin(NotAllowed):
    """You work on this plugin, so you cannot review it."""

    code = "own_plugin"
    hint = "You can reply to each review once."


class NotEnoughUse(NotAllowed):
    """Only people who have used the plugin can review it."""

    code = "used_too_little"

    def __init__(self, *, questions: int) -> None:
        asked = gettext("You have asked it nothing yet.")
        if questions:
            counted = ngettext(
                "You have asked it %(count)s question.", "You have asked it %(count)s questions.", questions
            )
            asked = counted % {"count": questions}
        rule = gettext("From %(count)s questions on, or with a copy installed, you can review it.")
        super().__init__(hint=f"{asked} {rule % {'count': MIN_QUESTIONS}}")


class ReviewerNotConfirmed(NotAllowed):
    """A review needs an account whose email address is confirmed."""

    code = "address_not_confirmed"
    hint = "Nobody else sees the address; it makes sure that each person has one review."


@dataclass(frozen=True, kw_only=True)
class PluginUse:
    """What somebody did with a plugin. `since` is the day of the first question, `release` the latest one asked;
    both are None where nothing was asked."""

    questions: int
    since: date | None
    release: Release | None
    has_installed: bool

    @property
    def is_enough(self) -> bool:
        return self.has_installed or self.questions >= MIN_QUESTIONS


def plugin_use(plugin: Plugin, person: User) -> PluginUse:
    """Counts everything they asked of its releases; questions to a draft, and those that failed, are not use."""
    asked = _release_questions(plugin, person).order_by()
    counted = asked.aggregate(count=models.Count("pk"), first=models.Min("created_at"))
    last = asked.order_by("-created_at").select_related("release").only("release").first()
    return PluginUse(
        questions=counted["count"],
        since=counted["first"].date() if counted["first"] else None,
        release=last.release if last else None,
        has_installed=_has_installed(plugin, person),
    )


def check_may_review(plugin: Plugin, person: User) -> None:
    """Raises `OwnPlugin`, `ReviewerNotConfirmed` or `NotEnoughUse`. Counts no further than it has to."""
    if is_team_member(plugin, person):
        raise OwnPlugin
    if not _has_installed(plugin, person):
        asked = _release_questions(plugin, person).order_by()[:MIN_QUESTIONS].count()
        if asked < MIN_QUESTIONS:
            raise NotEnoughUse(questions=asked)
    if not has_confirmed_email(person):
        raise ReviewerNotConfirmed


def is_team_member(plugin: Plugin, person: User) -> bool:
    """Its owner, an editor, a viewer, or somebody of the organisation that owns it."""
    if plugin.owner_id == person.pk or find_role(plugin, person) is not None:
        return True
    return (
        plugin.organisation_id is not None and person.memberships.filter(organisation=plugin.organisation_id).exists()
    )


def _release_questions(plugin: Plugin, person: User) -> QueryQuerySet:
    asked = Query.objects.filter(plugin=plugin, user=person, release__isnull=False)
    return asked.filter(outcome__in=_COUNTED_OUTCOMES).questions()


def _has_installed(plugin: Plugin, person: User) -> bool:
    return Install.objects.filter(original=plugin, installed_by=person).exists()
