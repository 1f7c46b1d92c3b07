"""A person leaves: what is theirs goes with them, and what must stay no longer names them."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Q

from accounts import avatars
from accounts.models import ApiKey, User
from knowledge import task_queue
from knowledge.models import KnowledgeBase
from lexic.errors import Conflict
from marketplace.models import Install, Review
from marketplace.publishing.deletion import delete_plugin
from plugins.models import Invitation, Plugin
from querying.models import Query

DELETED_AUTHOR_NAME = "an author who left"


class LastOperator(Conflict):
    """Nobody else runs this site."""

    code = "last_operator"
    hint = "Make somebody else a superuser first."


@dataclass(frozen=True, kw_only=True)
class DeletionSummary:
    """What goes, and how many questions stay without a name."""

    plugins: tuple[Plugin, ...]
    keys: int
    reviews: int
    questions: int


def deletion_summary(user: User) -> DeletionSummary:
    return DeletionSummary(
        plugins=tuple(Plugin.objects.filter(owner=user).order_by("name").only("pk", "name", "slug", "is_published")),
        keys=ApiKey.objects.filter(owner=user).count(),
        reviews=Review.objects.filter(author=user).count(),
        questions=Query.objects.filter(Q(user=user) | Q(api_key__owner=user)).count(),
    )


def delete_account(user: User) -> None:
    """Deletes the account with everything that is the person's alone. Raises `LastOperator`."""
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        _check_other_operator(locked)
        _reassign_shared_rows(locked)
        for plugin in Plugin.objects.filter(owner=locked):
            delete_plugin(plugin)
        for base in KnowledgeBase.objects.filter(owner=locked).values_list("pk", flat=True):
            task_queue.enqueue_index_check(base)
        for session in UserSession.objects.filter(user=locked):
            session.end()
        picture = locked.avatar
        locked.delete()
        if picture:
            transaction.on_commit(lambda: avatars.avatar_path(picture).unlink(missing_ok=True))


def _check_other_operator(user: User) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise LastOperator


def _reassign_shared_rows(user: User) -> None:
    """What bears the person's name and is somebody else's."""
    for base in KnowledgeBase.objects.filter(owner=user).exclude(plugin=None).exclude(plugin__owner=user):
        assert base.plugin
        KnowledgeBase.objects.filter(pk=base.pk).update(owner=base.plugin.owner)
    Install.objects.filter(original__owner=user).update(original_author=DELETED_AUTHOR_NAME)
    Invitation.objects.for_address(user.email).delete()
