"""What answers may cost in a month: of a plugin, of an account, of the site."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import caches
from django.utils import timezone

from accounts.models import User
from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.query_log.spending import (
    SpendingCapReached,
    account_spending,
    check_spending,
    plugin_spending,
    site_spending,
)
from querying.types.events import Delta, Failed
from querying.types.question import Caller, Question
from tests.querying.conftest import plugin, published
from tests.querying.scripted import Scripted

__all__ = ["plugin", "published"]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["process"].clear()


def paid() -> Scripted:
    llm = Scripted("x")
    llm.is_offline = False
    return llm


def asked(plugin: Plugin, person: User, **caller: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(
        text="What are spacers made of?", release=release, caller=Caller(name="t", user_id=person.pk, **caller)
    )


def spend(plugin: Plugin | None, person: User | None, cost: str, **columns: Any) -> None:
    Query.objects.create(
        plugin=plugin,
        user=person,
        release_name="x@1.0.0",
        question="?",
        outcome="answered",
        cost=Decimal(cost),
        **columns,
    )


def test_a_plugin_stops_at_its_cap_and_says_what_to_do(published: Plugin, bob: User) -> None:
    published.spending_cap = Decimal("2.00")
    published.save()
    spend(published, None, "1.99")
    check_spending(asked(published, bob), llm=paid())
    caches["process"].clear()
    spend(published, None, "0.01")
    with pytest.raises(SpendingCapReached, match=r"This plugin has spent 2\.00 of 2\.00 USD") as refused:
        check_spending(asked(published, bob), llm=paid())
    assert "Its owner can raise the cap" in refused.value.hint
    check_spending(asked(published, bob), llm=Scripted("x")), "quoting costs nothing"
    check_spending(asked(published, bob, is_evaluation=True), llm=paid())


def test_last_month_does_not_count(published: Plugin, bob: User) -> None:
    begin = timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    spend(published, None, "5", created_at=begin - timedelta(seconds=1))
    spend(published, None, "0.5", created_at=begin)
    assert plugin_spending(published) == Decimal("0.5")


def test_an_account_and_the_site_have_caps(published: Plugin, bob: User, charlie: User, settings: Any) -> None:
    settings.ACCOUNT_SPENDING_CAP = Decimal(1)
    spend(None, bob, "1")
    check_spending(asked(published, charlie), llm=paid())
    with pytest.raises(SpendingCapReached, match=r"This account has spent 1\.00 of 1\.00"):
        check_spending(asked(published, bob), llm=paid())
    settings.SITE_SPENDING_CAP = Decimal("0.5")
    with pytest.raises(SpendingCapReached, match="This site has spent"):
        check_spending(asked(published, charlie), llm=paid())


def test_erased_questions_and_deleted_plugins_still_count_for_the_account(
    published: Plugin, bob: User, settings: Any
) -> None:
    from privacy.plugin_deletion import delete_plugin

    settings.ACCOUNT_SPENDING_CAP = Decimal(1)
    question = asked(published, bob)
    spend(published, bob, "1")
    delete_plugin(published)
    with pytest.raises(SpendingCapReached):
        check_spending(question, llm=paid())


def test_the_pipeline_ends_with_the_refusal_and_asks_no_model(published: Plugin, bob: User) -> None:
    published.spending_cap = Decimal(0)
    published.save()
    llm = paid()
    last = async_to_sync(pipeline.answer)(asked(published, bob), llm=llm)
    assert isinstance(last, Failed)
    assert (last.code, last.status) == ("spending_cap", 429)
    assert Query.objects.get().reason == "spending_cap"


def test_the_pipeline_refuses_one_question_too_many_at_once(published: Plugin, bob: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_streams": 1}

    async def twice() -> list[str]:
        first = pipeline.stream(asked_first, llm=Scripted("x"))
        await anext(first)
        second = await pipeline.answer(asked_second, llm=Scripted("x"))
        await first.aclose()
        third = await pipeline.answer(replace(asked_second, id=asked_third.id), llm=Scripted("x"))
        return [second.code if isinstance(second, Failed) else "", third.code if isinstance(third, Failed) else ""]

    asked_first, asked_second, asked_third = (asked(published, bob) for _ in range(3))
    assert async_to_sync(twice)() == ["too_many_streams", ""]


def test_who_leaves_before_the_end_of_each_answer_does_not_pass_the_caps(
    published: Plugin, bob: User, settings: Any
) -> None:
    settings.LEXIC_LLM_PRICES = "priced=1000000/1000000"  # a token costs one
    llm = Scripted("For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 20, pause=0.01)
    llm.name, llm.is_offline = "x:priced", False

    @async_to_sync
    async def leave_at_the_first_words() -> None:
        async with aclosing(pipeline.stream(question, llm=llm)) as events:
            async for event in events:
                if isinstance(event, Delta):
                    return

    question = replace(asked(published, bob), text="What is the minimum cover for a beam exposed to weather?")
    leave_at_the_first_words()
    assert llm.was_closed_early
    assert Query.objects.get().cost is None, "what it cost is not made up"
    [prompt] = llm.prompts
    sent = sum(len(str(message["content"])) for message in prompt.messages)
    for spent in (plugin_spending(published), account_spending(bob), site_spending()):
        assert sent / 5 < spent < sent / 2
