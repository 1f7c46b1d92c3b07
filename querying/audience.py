"""Which documents somebody may be answered from: the one place that keeps private notes out of answers.

Anybody in a public chat reads only documents that are marked public, no templates, and nothing that is superseded.
Where a plugin says so, everybody who does not work on it reads only what is public and no templates. It is asked of the
documents as they are marked today: what is made private disappears from the answers of every release at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from accounts.models import User
from knowledge.filters import Filters
from plugins.models import Plugin, Release
from querying.types import Question

PUBLIC = Filters(is_public=True, exclude_templates=True)


def allowed(question: Question) -> Filters | None:
    """What every search for this question has to keep to; None: there is nothing to keep to."""
    asker = question.asker
    if asker.is_anybody:
        return of_anybody()
    if not question.release.public_only or asker.is_measurement:
        return None
    person = User.objects.filter(pk=asker.user_id).first() if asker.user_id else None
    works_on_it = (
        person is not None and Plugin.objects.readable_by(person).filter(pk=question.release.plugin_id).exists()
    )
    return None if works_on_it else PUBLIC


def of_anybody() -> Filters:
    """What anybody at all may read today."""
    return replace(PUBLIC, as_of=timezone.localdate())


def keeps_private(release: Release) -> bool:
    """Whether its author tells public documents from others: then visitors are told of public ones alone, at whichever
    door they stand."""
    return release.public_only or release.plugin.public_chat


def readable_by_anybody(documents: Iterable[UUID | str]) -> set[str]:
    """Those of these documents that anybody may read today. No statement for none."""
    named = set(documents)
    if not named:
        return set()
    return {str(pk) for pk in of_anybody().documents().filter(pk__in=named).values_list("pk", flat=True)}


def within(filters: Filters | None, allowed: Filters | None) -> Filters | None:
    """Both conditions at once. Nothing that the first one says can widen the second."""
    if allowed is None:
        return filters
    return Filters(all_of=(allowed, filters)) if filters else allowed
