"""Which pages a shared plugin opens to anybody: those that a copy of it holds."""

from __future__ import annotations

import pytest

from accounts.models import User
from knowledge.documents.lifecycle import delete_document
from knowledge.models import Document, Page
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import roll_back
from marketplace.sharing.installs import install_copy
from plugins.models import Plugin
from tests.marketplace.sharing.conftest import add

pytestmark = pytest.mark.django_db


def open_titles() -> set[str]:
    return set(Page.objects.visible_to(None).values_list("document__title", flat=True))


def test_what_is_open_is_what_a_copy_holds(boots: Plugin, alice: User, charlie: User) -> None:
    add(boots.knowledge_base, "Gloves", "# Gloves\n\nGloves are worn with boots.")
    delete_document(Document.objects.get(title="Shops"))
    assert open_titles() == {"Rules", "Shops"}
    publish(boots, by=alice)
    assert open_titles() == {"Rules", "Gloves"}
    copy = install_copy("boots", by=charlie).install.copy
    assert set(Document.objects.of_plugin(copy).values_list("title", flat=True)) == open_titles()


def test_going_back_opens_what_the_earlier_release_read(boots: Plugin, alice: User) -> None:
    first = boots.latest_release()
    assert first is not None
    add(boots.knowledge_base, "Gloves", "# Gloves\n\nGloves are worn with boots.")
    publish(boots, by=alice)
    roll_back(boots, to=first, by=alice)
    assert open_titles() == {"Rules", "Shops"}


def test_what_is_off_the_air_or_not_shared_opens_nothing(boots: Plugin) -> None:
    for column in ("is_published", "is_shared"):
        Plugin.objects.filter(pk=boots.pk).update(**{column: False})
        assert open_titles() == set()
        Plugin.objects.filter(pk=boots.pk).update(**{column: True})
    assert open_titles() == {"Rules", "Shops"}
