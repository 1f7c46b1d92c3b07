"""Who may review a plugin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from accounts.models import ApiKey, User
from marketplace.models import Install
from marketplace.reviews.eligibility import (
    MIN_QUESTIONS,
    NotEnoughUse,
    OwnPlugin,
    ReviewerNotConfirmed,
    check_may_review,
    plugin_use,
)
from plugins.models import Plugin, Release
from tests.marketplace.reviews.conftest import ask

pytestmark = pytest.mark.django_db


def test_whoever_has_asked_enough_may_review(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora, times=MIN_QUESTIONS - 1)
    ask(plugin, dora, times=1, reason="courtesy")  # "Thanks" is no question
    with pytest.raises(NotEnoughUse) as refused:
        check_may_review(plugin, dora)
    assert refused.value.hint.startswith("You have asked it 4 questions. From 5 questions on")
    ask(plugin, dora, times=1)
    check_may_review(plugin, dora)


def test_questions_with_a_key_are_its_owners(plugin: Plugin, dora: User) -> None:
    key, _ = ApiKey.objects.issue(owner=dora, name="agent")
    ask(plugin, dora, times=MIN_QUESTIONS, api_key=key)
    check_may_review(plugin, dora)


def test_refusals_and_questions_back_count_and_failures_do_not(plugin: Plugin, dora: User) -> None:
    for outcome in ("answered", "refused", "clarify", "failed", "abandoned"):
        ask(plugin, dora, times=2, outcome=outcome)
    assert plugin_use(plugin, dora).questions == 6


def test_questions_to_a_draft_and_those_of_others_are_no_use(plugin: Plugin, dora: User, charlie: User) -> None:
    ask(plugin, dora, times=MIN_QUESTIONS, release=None)
    ask(plugin, charlie, times=MIN_QUESTIONS)
    with pytest.raises(NotEnoughUse) as refused:
        check_may_review(plugin, dora)
    assert refused.value.hint.startswith("You have asked it nothing yet.")


def test_whoever_installed_a_copy_may_review(plugin: Plugin, dora: User) -> None:
    copy = Plugin.objects.create(owner=dora, name="Mine", domain="safety", system_prompt="Brief.")
    Install.objects.create(copy=copy, original=plugin, original_name="Boots", version="1.0.0", installed_by=dora)
    check_may_review(plugin, dora)
    assert plugin_use(plugin, dora).has_installed


def test_nobody_reviews_what_they_work_on(plugin: Plugin, alice: User, bob: User, charlie: User) -> None:
    plugin.editors.add(bob)
    plugin.viewers.add(charlie)
    for person in (alice, bob, charlie):
        ask(plugin, person)
        with pytest.raises(OwnPlugin):
            check_may_review(plugin, person)


def test_an_address_that_nobody_confirmed_is_not_enough(plugin: Plugin, dora: User) -> None:
    ask(plugin, dora)
    address = EmailAddress.objects.create(user=dora, email=dora.email, verified=False)
    with pytest.raises(ReviewerNotConfirmed):
        check_may_review(plugin, dora)
    address.verified = True
    address.save()
    check_may_review(plugin, dora)


def test_use_names_the_first_day_and_the_latest_release_asked(plugin: Plugin, dora: User) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    ask(plugin, dora, times=1, created_at=long_ago)
    newer = Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="Brief.")
    ask(plugin, dora, times=2)
    Release.objects.create(plugin=plugin, version="1.2.0", system_prompt="Brief.")
    use = plugin_use(plugin, dora)
    assert (use.questions, use.since, use.release) == (3, long_ago.date(), newer)


def test_whoever_asked_nothing_has_no_use(plugin: Plugin, dora: User) -> None:
    use = plugin_use(plugin, dora)
    assert (use.questions, use.since, use.release, use.is_enough) == (0, None, None, False)
