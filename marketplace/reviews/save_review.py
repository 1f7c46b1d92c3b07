"""A review and the reply to it: written, changed and taken back."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.key_secrets import contains_key
from accounts.models import User
from lexic.column_length import column_length
from lexic.errors import Conflict, InvalidInput
from marketplace.listings.review_counts import update_review_counts
from marketplace.models import Review
from marketplace.reviews.eligibility import OwnPlugin, check_may_review, is_team_member, plugin_use
from plugins.models import Plugin

MAX_CHARACTERS = column_length(Review, "text")


class TextContainsKey(InvalidInput):
    """There is an API key in this text, and everybody could read it."""

    code = "holds_key"
    hint = "Take it out. If it works, revoke it."


class ReviewIsHidden(Conflict):
    """Your review was removed after a report."""

    code = "review_hidden"
    hint = "It cannot be written again. If you think that this is a mistake, ask the operators of this site."


class ReviewTextTooLong(InvalidInput):
    """This is longer than 2000 characters."""

    code = "too_long"


def review_by(plugin: Plugin, person: User) -> Review | None:
    """What the person said of it, hidden or not."""
    return Review.objects.filter(plugin=plugin, author=person).select_related("release").first()


def check_may_save_review(plugin: Plugin, person: User) -> None:
    """As `check_may_review`; but a review that is there may be changed by whoever wrote it, unless they work on the
    plugin by now (`OwnPlugin`) or it was hidden (`ReviewIsHidden`)."""
    mine = review_by(plugin, person)
    if mine is None:
        check_may_review(plugin, person)
    elif mine.is_hidden:
        raise ReviewIsHidden
    elif is_team_member(plugin, person):
        raise OwnPlugin


def save_review(plugin: Plugin, *, by: User, verdict: str, text: str) -> Review:
    """Each person has one review of a plugin: this makes it, or puts it in the place of what they said before.

    The release and the questions that it rests on are those of this moment. A reply to it stays. Raises what
    `check_may_save_review` raises, `TextContainsKey`, `ReviewTextTooLong`, and `UnderLegalHold` where it would replace
    an earlier text.
    """
    check_may_save_review(plugin, by)
    if review_by(plugin, by):
        plugin.check_deletable()
    said = {"verdict": verdict, "text": _validated_review_text(text), "updated_at": timezone.now()}
    with transaction.atomic():
        review, _ = Review.objects.update_or_create(
            plugin=plugin, author=by, defaults={**said, **_use_columns(plugin, by)}
        )
        update_review_counts(plugin.pk)
    return review


def delete_review(review: Review) -> None:
    """Delete it. Of a hidden one the words and the verdict go and the row stays, or it could be written anew.

    Raises `UnderLegalHold`.
    """
    review.plugin.check_deletable()
    with transaction.atomic():
        if review.is_hidden:
            Review.objects.filter(pk=review.pk).update(verdict="", text="", reply="", replied_at=None)
        else:
            review.delete()
            update_review_counts(review.plugin_id)


def save_reply(review: Review, *, text: str) -> None:
    """Saves the one reply of those who work on the plugin; an empty text deletes it.

    Raises `TextContainsKey`, `ReviewTextTooLong`, and `UnderLegalHold` where it would replace an earlier reply. The
    caller has checked that the person may change the plugin.
    """
    if review.reply:
        review.plugin.check_deletable()
    review.reply = _validated_review_text(text)
    review.replied_at = timezone.now() if review.reply else None
    review.save(update_fields=["reply", "replied_at"])


def _use_columns(plugin: Plugin, person: User) -> dict[str, Any]:
    """What the review rests on. Nothing where the questions are gone by now: then what was written with it stays."""
    use = plugin_use(plugin, person)
    if not use.is_enough:
        return {}
    return {
        "release": use.release,
        "questions": use.questions,
        "asked_since": use.since,
        "has_installed": use.has_installed,
    }


def _validated_review_text(text: str) -> str:
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        raise ReviewTextTooLong
    if contains_key(text):
        raise TextContainsKey
    return text
