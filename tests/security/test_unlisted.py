"""An unlisted plugin opens to whoever has the address of its page, and is in no list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, ApiKeyPlugin, User
from api.cors import allows_origin
from api.mcp.handlers.expert_listings import complete_slug
from api.mcp.handlers.list_experts import find_experts
from api.mcp.handlers.search import plugins_to_search
from api.mcp.tools.list_experts import ExpertsArguments
from conversations.public_questions import UnknownChat, public_chat_plugin
from knowledge.models import Document, Page
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from marketplace.sharing.installs import install_copy
from marketplace.sharing.shareability import NotShared
from plugins.models import Plugin, Visibility
from plugins.visibility import is_page_token, new_page_token
from querying import releases
from tests.pages.conftest import browsing, plugin, published
from workspace.forms import plugin_choices

__all__ = ["browsing", "plugin", "published"]

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]

PUBLIC_LISTS = [
    "/",
    "/marketplace",
    "/marketplace?q=boots",
    "/marketplace?q=bots",
    "/marketplace/releases.atom",
    "/sitemap.xml",
    "/llms.txt",
    "/api/marketplace",
]
LISTS_FOR_KEYS = ["/v1/models", "/api/v1/me", "/api/marketplace"]


def show(plugin: Plugin, visibility: Visibility) -> str:
    """Who can see it from now on. Returns the address of its page."""
    plugin.visibility = visibility
    plugin.save()
    update_listing(plugin)
    return f"/marketplace/{plugin.address}"


def text_at(path: str, client: Client, **headers: str) -> str:
    response = client.get(path, headers=headers)
    assert response.status_code == 200, (path, response.status_code)
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    text: str = body.decode()
    return text.lower()


def key_of(person: User) -> ApiKey:
    return ApiKey.objects.issue(owner=person, name="agent")[0]


@pytest.mark.parametrize("visibility", [Visibility.PEOPLE, Visibility.KEY, Visibility.UNLISTED])
def test_it_is_in_no_list_of_others(published: Plugin, charlie: User, visibility: Visibility) -> None:
    key, secret = ApiKey.objects.issue(owner=charlie, name="agent")

    def naming() -> list[str]:
        lists = {path: text_at(path, Client()) for path in PUBLIC_LISTS}
        bearer = {"Authorization": f"Bearer {secret}"}
        lists |= {f"key {path}": text_at(path, Client(), **bearer) for path in LISTS_FOR_KEYS}
        lists |= {
            "experts": str(find_experts(ExpertsArguments(query="", limit=50), key=key)).lower(),
            "completions": str(complete_slug(key=key, typed="boo")),
            "search": str([one.slug for one in plugins_to_search("boots", key=key)]),
            "choices": str(plugin_choices(charlie)),
        }
        return [name for name, text in lists.items() if "boots" in text.replace("q=boots", "").replace("“boots”", "")]

    show(published, Visibility.MARKETPLACE)
    listed = naming()
    assert {"/marketplace", "/marketplace/releases.atom", "/sitemap.xml", "/llms.txt", "experts", "choices"} <= {
        *listed
    }
    show(published, visibility)
    assert set(naming()) <= {"/marketplace?q=boots"}  # the words that were typed
    assert not Listing.objects.filter(plugin=published).exists()


def test_its_page_opens_at_its_address_alone(published: Plugin) -> None:
    path = show(published, Visibility.UNLISTED)
    response = Client().get(path)
    assert (response.status_code, response["X-Robots-Tag"]) == (200, "noindex, nofollow")
    page = response.content.decode()
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert published.page_token in page
    assert "/marketplace/boots" not in page
    for closed in ("/marketplace/boots", "/marketplace/boots/card.png", "/marketplace/boots@1.0.0", "/chat/boots"):
        assert Client().get(closed).status_code == 404
    for opened in (f"{path}@1.0.0", f"{path}/card.png"):
        assert Client().get(opened).status_code == 200
    published.renew_page_token()
    published.save()
    gone = Client().get(path)
    assert (gone.status_code, gone["X-Robots-Tag"]) == (404, "noindex, nofollow")
    assert Client().get(f"/marketplace/{published.page_token}").status_code == 200
    assert "X-Robots-Tag" not in Client().get(show(published, Visibility.MARKETPLACE))
    assert Client().get(f"/marketplace/{published.page_token}").status_code == 404


def test_a_visitor_asks_at_its_address(published: Plugin) -> None:
    path = show(published, Visibility.UNLISTED)
    asked = Client().post(f"{path}/try", {"question": "After how long are boots replaced?"}).content.decode()
    assert "24 months" in asked
    assert Client().post("/marketplace/boots/try", {"question": "When?"}).status_code == 404


def test_its_chat_opens_at_its_address_alone(published: Plugin) -> None:
    Document.objects.update(is_public=True)
    published.public_chat, published.embed_origins = True, ["https://boots.example"]
    path = show(published, Visibility.UNLISTED)
    chat = f"/chat/{published.page_token}"
    assert Client().get(chat).status_code == 200
    answer = Client().post(
        f"{chat}/ask", {"question": "After how long are boots replaced?", "timezone": "UTC"}, follow=True
    )
    assert "24 months" in answer.content.decode()
    assert chat in answer.redirect_chain[0][0]
    assert public_chat_plugin(published.page_token) == published
    origin, api = "https://boots.example", "/api/public/{}/chat"
    assert allows_origin(origin, path=api.format(published.page_token))
    assert not allows_origin(origin, path=api.format("boots"))
    with pytest.raises(UnknownChat):
        public_chat_plugin("boots")
    assert chat in Client().get(path).content.decode()
    for visibility in (Visibility.PEOPLE, Visibility.KEY):
        show(published, visibility)
        for address in ("boots", published.page_token):
            with pytest.raises(UnknownChat):
                public_chat_plugin(address)


def test_programs_of_others_ask_it_by_its_address(published: Plugin, alice: User, charlie: User) -> None:
    show(published, Visibility.UNLISTED)
    key = key_of(charlie)
    for name in ("boots", "boots@1.0.0", str(published.pk), new_page_token()):
        with pytest.raises(releases.UnknownPlugin):
            releases.resolve(name, principal=key)
    assert releases.resolve(published.page_token, principal=key).plugin == published
    with pytest.raises(releases.UnknownPlugin):
        releases.resolve(f"{published.page_token}@draft", principal=key)
    assert releases.resolve("boots", principal=key_of(alice)).plugin == published
    ApiKeyPlugin.objects.create(apikey=key, plugin=Plugin.objects.create(owner=charlie, name="Hats", domain="hats"))
    with pytest.raises(releases.UnknownPlugin):
        releases.resolve(published.page_token, principal=key)


def test_for_keys_it_has_a_name_and_no_page(published: Plugin, charlie: User) -> None:
    path = show(published, Visibility.KEY)
    assert releases.resolve("boots", principal=key_of(charlie)).plugin == published
    assert Client().get(path).status_code == 404


def test_for_people_and_teams_others_find_nothing(published: Plugin, bob: User, charlie: User) -> None:
    path = show(published, Visibility.PEOPLE)
    published.viewers.add(bob)
    for name in ("boots", str(published.pk)):
        assert releases.resolve(name, principal=key_of(bob)).version == "1.0.0"
        with pytest.raises(releases.UnknownPlugin):
            releases.resolve(name, principal=key_of(charlie))
    assert Client().get(path).status_code == 404


def test_a_copy_needs_the_address_and_that_copies_are_allowed(published: Plugin, charlie: User) -> None:
    path = show(published, Visibility.UNLISTED)
    assert Client().get(f"{path}/install").status_code == 404
    published.is_shared = True
    show(published, Visibility.UNLISTED)
    assert Client().get(f"{path}/install").status_code == 200
    with pytest.raises(NotShared):
        install_copy("boots", by=charlie)
    copy = install_copy(published.page_token, by=charlie).install.copy
    assert (copy.visibility, copy.page_token, copy.is_published) == (Visibility.MARKETPLACE, "", False)
    for visibility in (Visibility.PEOPLE, Visibility.KEY):
        show(published, visibility)
        with pytest.raises(NotShared):
            install_copy("boots", by=charlie)


def test_whoever_counts_the_numbers_of_pages_finds_none_of_it(published: Plugin) -> None:
    Document.objects.update(is_public=True)
    published.is_shared = True
    show(published, Visibility.MARKETPLACE)
    assert Page.objects.visible_to(None).exists()
    for visibility in (Visibility.UNLISTED, Visibility.KEY, Visibility.PEOPLE):
        show(published, visibility)
        assert not Page.objects.visible_to(None).exists()


def test_a_key_for_it_is_named_after_it_and_not_after_its_address(
    browsing: Browse, published: Plugin, charlie: User
) -> None:
    show(published, Visibility.UNLISTED)
    asked = browsing(charlie).get(reverse("keys"), {"plugin": published.page_token})
    assert (asked.context["form"]["name"].value(), asked.context["form"]["plugin"].value()) == (
        published.slug,
        published.page_token,
    )
    unknown = browsing(charlie).get(reverse("keys"), {"plugin": new_page_token()})
    assert unknown.context["form"]["name"].value() == ""


def test_no_slug_looks_like_the_address_of_an_unlisted_page(plugin: Plugin) -> None:
    token = new_page_token()
    assert is_page_token(token)
    assert token != new_page_token()
    plugin.slug = token
    with pytest.raises(ValidationError, match="cannot look like an id"):
        plugin.clean()


def test_the_author_finds_it_where_they_did(browsing: Browse, alice: User, published: Plugin) -> None:
    show(published, Visibility.UNLISTED)
    content = browsing(alice).get(reverse("admin:builder_published", args=[published.pk])).content.decode()
    assert f"/marketplace/{published.page_token}" in content
    assert "Who can see it: Unlisted page" in content
