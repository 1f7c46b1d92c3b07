"""An answer that is being written stops when its caller may no longer ask: at whichever of the doors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import ApiKey, ApiKeyPlugin, User
from plugins.models import Plugin
from querying import releases
from querying.models import Query
from querying.question import caller_access
from querying.types.events import Delta, Failed
from querying.types.question import Caller, Question
from tests.querying.scripted import Scripted
from tests.querying.test_pipeline import WEATHER, events_of

pytestmark = pytest.mark.django_db

SEVERE = "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. "


@pytest.fixture(autouse=True)
def checked_at_every_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", 0.0)


class Ending(Scripted):
    """A language model, while which writes somebody ends the access."""

    def __init__(self, end: Callable[[], object]) -> None:
        super().__init__(SEVERE * 20)
        self._end = end

    async def generate(self, prompt):
        from asgiref.sync import sync_to_async

        written = super().generate(prompt)
        try:
            for number in range(60):
                yield await anext(written)
                if number == 30:
                    await sync_to_async(self._end)()
            async for piece in written:
                yield piece
        finally:
            await written.aclose()


def ask(plugin: Plugin, caller: Caller, end: Callable[[], object], *, draft: bool = False) -> list[object]:
    release = releases.release_at(plugin, version="draft" if draft else "1.0.0")
    return events_of(Question(text=WEATHER, release=release, caller=caller), Ending(end))


def of_key(owner: User) -> Caller:
    key = ApiKey.objects.issue(owner=owner, name="agent")[0]
    return Caller(name="key", api_key_id=key.pk, user_id=owner.pk)


def limit_to_another_plugin(alice: User) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    ApiKeyPlugin.objects.create(apikey=ApiKey.objects.get(), plugin=other)


ENDS: dict[str, Callable[[User], object]] = {
    "revoked": lambda charlie: ApiKey.objects.get().revoke(),
    "expired": lambda charlie: ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1)),
    "limited": limit_to_another_plugin,
    "owner gone": lambda charlie: User.objects.filter(pk=charlie.pk).update(is_active=False),
    "withdrawn": lambda charlie: Plugin.objects.get().unpublish(),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_answer_to_a_key_stops(published: Plugin, charlie: User, end: str) -> None:
    events = ask(published, of_key(charlie), lambda: ENDS[end](charlie))
    assert isinstance(events[-1], Failed)
    assert (events[-1].code, events[-1].status) == ("access_ended", 403)
    shown = "".join(event.text for event in events if isinstance(event, Delta))
    assert shown.count("45 mm") < 20
    assert Query.objects.get().outcome == "failed"


def test_the_answer_to_a_visitor_stops_when_the_plugin_is_withdrawn(published: Plugin) -> None:
    visitor = Caller(name="public")
    assert isinstance(ask(published, visitor, published.unpublish)[-1], Failed)


def test_the_answer_from_a_draft_stops_for_who_no_longer_works_on_it(published: Plugin, bob: User) -> None:
    published.editors.add(bob)
    caller = Caller(name="user", user_id=bob.pk)
    events = ask(published, caller, lambda: published.editors.remove(bob), draft=True)
    assert isinstance(events[-1], Failed)


def test_nothing_stops_while_the_access_lasts(published: Plugin, alice: User, charlie: User) -> None:
    for caller in (of_key(charlie), of_key(alice), Caller(name="user", user_id=alice.pk), Caller(name="public")):
        assert not isinstance(ask(published, caller, lambda: None)[-1], Failed)
    evaluation = Caller(name="evaluation", is_evaluation=True)
    assert not isinstance(ask(published, evaluation, published.unpublish)[-1], Failed)
