"""The plugin of a codebase's library: private, whatever is published, until its owner shares it."""

from __future__ import annotations

import pytest

from accounts.models import User
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from plugins.library_plugin import create_library_plugin
from plugins.models import CitationMode, Plugin, PluginKind, Release
from plugins.slugs import SlugTaken

pytestmark = pytest.mark.django_db


@pytest.fixture
def library(alice: User) -> Plugin:
    return create_library_plugin(slug="shop-code", name="shop", owner=alice)


def test_it_is_a_draft_with_a_persona_that_cites_every_sentence(library: Plugin) -> None:
    library.refresh_from_db()
    assert (library.kind, library.citation_mode, library.public_only) == (
        PluginKind.LIBRARY,
        CitationMode.MANDATORY,
        True,
    )
    assert "shop" in library.system_prompt
    assert [library.is_published, library.is_shared, library.public_chat] == [False, False, False]


def test_a_slug_that_is_taken_is_refused(library: Plugin, alice: User) -> None:
    with pytest.raises(SlugTaken):
        create_library_plugin(slug="shop-code", name="other", owner=alice)


def test_published_it_is_seen_by_its_people_alone_until_it_is_shared(library: Plugin, alice: User, bob: User) -> None:
    library.set_live_release(Release.objects.create(plugin=library, version="1.0.0", **library.policy()))
    assert update_listing(library) is None
    assert Plugin.objects.askable_by(alice).contains(library)
    assert not Plugin.objects.askable_by(bob).contains(library)
    assert not Listing.objects.filter(pk=library.pk).exists()
    Plugin.objects.filter(pk=library.pk).update(is_shared=True)
    library.refresh_from_db()
    assert Plugin.objects.askable_by(bob).contains(library)
    assert update_listing(library) is not None
    assert Listing.objects.public().filter(pk=library.pk).exists()
