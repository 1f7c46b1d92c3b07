"""The composer."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts.models import User
from builder.persona.forms import PluginForm
from builder.readiness import reverse_pane
from knowledge.models import KnowledgeBase
from marketplace.models import Listing
from marketplace.publishing.release_change_summary import draft_changes, release_changes
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin
from plugins.retention import LegalHold
from plugins.starter_persona import compose_persona
from querying.answering import prompts
from querying.models import Query
from querying.releases import snapshot

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def form_of(client: Client, plugin: Plugin) -> dict[str, Any]:
    """What a browser would send back of the form as it stands."""
    form = client.get(reverse_pane(plugin, "persona")).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    return {name: "" if value is None else value for name, value in values.items()}


def prompt_in(answer: Any) -> str:
    [shown] = html.fromstring(answer.content.decode()).xpath("//pre[@class='prompt']")
    return shown.text_content()


def test_a_new_plugin_begins_with_a_draft_made_from_its_field(browsing: Browse, alice: User) -> None:
    client = browsing(alice)
    said = {"name": "Adult sepsis", "domain": "emergency medicine", "slug": ""}
    answer = client.post(reverse("admin:plugins_plugin_add"), said, follow=True)
    plugin = Plugin.objects.get()
    draft = compose_persona(name="Adult sepsis", domain="emergency medicine")
    assert (plugin.system_prompt, plugin.limits) == (draft.system_prompt, draft.limits)
    assert (plugin.audience, plugin.tone, plugin.disclaimer) == (draft.audience, draft.tone, draft.disclaimer)
    assert (plugin.slug, plugin.owner) == ("adult-sepsis", alice)
    assert KnowledgeBase.objects.filter(plugin=plugin).exists()
    assert answer.redirect_chain[-1][0] == reverse_pane(plugin, "knowledge")


def test_the_draft_is_shown_while_name_and_field_are_typed(browsing: Browse, alice: User) -> None:
    client = browsing(alice)
    starting = reverse("admin:builder_starting")
    shown = unescape(client.get(starting, {"name": "Boots", "domain": "safety"}).content.decode())
    assert "You answer questions about Boots." in shown
    assert "Type a name and a domain" in client.get(starting, {"name": "Boots"}).content.decode()
    assert not Plugin.objects.exists()


def test_the_preview_is_what_a_model_is_told_and_nothing_is_saved(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    client = browsing(alice)
    said = {
        **form_of(client, plugin),
        "system_prompt": "You are <b>brief</b>.\r\nYou & me.",
        "audience": "site engineers",
        "tone": "value first",
        "limits": "Never guess.",
        "citation_mode": "optional",
    }
    shown = prompt_in(client.post(reverse("admin:builder_preview", args=[plugin.pk]), said))
    assert Plugin.objects.get().system_prompt == "You are a safety engineer."
    client.post(reverse_pane(plugin, "persona"), said)
    plugin.refresh_from_db()
    assert plugin.audience == "site engineers"
    sent = prompts.build_system_prompt(snapshot(plugin))
    assert shown.splitlines() == sent.splitlines()
    assert prompt_in(client.get(reverse_pane(plugin, "persona"))).splitlines() == sent.splitlines()


def test_a_preview_of_nonsense_is_still_a_preview(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    answer = client.post(reverse("admin:builder_preview", args=[plugin.pk]), {"citation_mode": "loud"})
    assert prompt_in(answer) == prompts.STRICT_RULES


def test_only_those_who_change_it_preview_changes(browsing: Browse, bob: User, plugin: Plugin) -> None:
    plugin.viewers.add(bob)
    client = browsing(bob)
    assert client.post(reverse("admin:builder_preview", args=[plugin.pk])).status_code == 404
    page = client.get(reverse_pane(plugin, "persona"))
    assert prompt_in(page) == prompts.build_system_prompt(snapshot(plugin))
    assert b'name="system_prompt"' not in page.content


def test_synonyms_are_written_one_group_on_a_line(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    said = {**form_of(client, plugin), "synonyms": "w/c = water-cement ratio\nSFRC = fibre concrete"}
    client.post(reverse_pane(plugin, "persona"), said)
    plugin.refresh_from_db()
    assert plugin.synonyms == [["w/c", "water-cement ratio"], ["SFRC", "fibre concrete"]]
    assert "w/c = water-cement ratio" in client.get(reverse_pane(plugin, "persona")).content.decode()


def test_a_line_that_is_no_group_is_named_and_nothing_is_saved(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    said = {**form_of(client, plugin), "synonyms": "w/c\n", "tone": "new"}
    content = client.post(reverse_pane(plugin, "persona"), said).content.decode()
    assert "Line 1: it needs two to 12 different phrases." in content
    assert "w/c" in content
    plugin.refresh_from_db()
    assert (plugin.synonyms, plugin.tone) == ([], "")


def test_nobody_overwrites_what_they_have_not_seen(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    mine = {**form_of(client, plugin), "tone": "mine"}
    client.post(reverse_pane(plugin, "persona"), {**form_of(client, plugin), "tone": "theirs"})
    answer = client.post(reverse_pane(plugin, "persona"), mine)
    assert "Your text is below; nothing was overwritten." in answer.content.decode()
    plugin.refresh_from_db()
    assert plugin.tone == "theirs"
    again = {**mine, "seen": answer.context["adminform"].form["seen"].value()}
    client.post(reverse_pane(plugin, "persona"), again)
    plugin.refresh_from_db()
    assert plugin.tone == "mine"


def test_saving_the_composer_undoes_nothing_that_was_decided_meanwhile(
    browsing: Browse, alice: User, published: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    valid = PluginForm.is_valid

    def withdrawn_meanwhile(form: PluginForm) -> bool:
        is_valid = valid(form)
        withdraw_from_marketplace(Plugin.objects.get())
        Plugin.objects.update(legal_hold=LegalHold.OPERATOR, is_held=True, visibility="people", next_notes="Kept.")
        return is_valid

    client = browsing(alice)
    said = {**form_of(client, published), "tone": "brief"}
    monkeypatch.setattr(PluginForm, "is_valid", withdrawn_meanwhile)
    answer = client.post(reverse_pane(published, "persona"), said, follow=True)
    assert "Nothing is published yet." in answer.content.decode()
    published.refresh_from_db()
    assert (published.tone, published.is_published, published.is_held) == ("brief", False, True)
    assert (published.legal_hold, published.visibility, published.next_notes) == ("operator", "people", "Kept.")
    assert not Listing.objects.exists()


def test_saving_twice_what_one_sees_is_no_conflict(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    for tone in ("first", "second"):
        client.post(reverse_pane(plugin, "persona"), {**form_of(client, plugin), "tone": tone})
    plugin.refresh_from_db()
    assert plugin.tone == "second"


def test_every_choice_is_explained(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = browsing(alice).get(reverse_pane(plugin, "persona")).content.decode()
    for words in ("no source, no answer", "lower the confidence", "Publish only when the share below passes"):
        assert words in content


def test_what_the_next_release_changes_names_audience_tone_and_limits(published: Plugin) -> None:
    latest = published.latest_release()
    assert latest
    published.audience, published.tone, published.limits = "site engineers", "value first", "Never guess."
    assert draft_changes(published, since=latest) == [
        "The audience is now “site engineers”.",
        "The tone is now “value first”.",
        "The limits are different.",
    ]


def test_the_ends_of_lines_that_browsers_send_change_nothing(browsing: Browse, alice: User, published: Plugin) -> None:
    limits = "Never guess.\nNever advise."
    Plugin.objects.filter(pk=published.pk).update(limits=limits)
    before = snapshot(Plugin.objects.get(pk=published.pk))
    client = browsing(alice)
    sent = form_of(client, published) | {"tone": "short", "limits": "Never guess.\r\nNever advise."}
    client.post(reverse_pane(published, "persona"), sent)
    saved = Plugin.objects.get(pk=published.pk)
    assert (saved.tone, saved.limits) == ("short", limits)
    saved.limits = "Never guess.\r\nNever advise."  # as an older version kept it
    assert release_changes(snapshot(saved), since=before) == ["The tone is now “short”."]


def test_a_slug_that_the_page_made_of_the_name_gets_a_number_where_it_is_taken(
    browsing: Browse, bob: User, plugin: Plugin
) -> None:
    bob.is_staff = True
    bob.save()
    said = {"name": "Boots", "domain": "safety", "slug": "boots", "template": ""}
    response = browsing(bob).post(reverse("admin:plugins_plugin_add"), said)
    assert response.status_code == 302, response.content
    assert Plugin.objects.get(owner=bob).slug == "boots-1"
    taken = browsing(bob).post(reverse("admin:plugins_plugin_add"), {**said, "name": "Shoes"})
    assert "slug" in taken.context["adminform"].form.errors


# --- A question to the form as it stands ----------------------------------------------------------------


def ask(client: Client, plugin: Plugin, **said: str) -> str:
    address = reverse("admin:builder_persona_try", args=[plugin.pk])
    response = client.post(address, said, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return response.content.decode()


def test_lx_074_the_answer_beside_the_form_uses_words_that_are_not_saved(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    form = {**form_of(browsing(alice), plugin), "disclaimer": "Ask the site manager too."}
    said = {name: value for name, value in form.items() if isinstance(value, str)}
    answer = ask(browsing(alice), plugin, question="After how many months are boots replaced?", **said)
    assert "24 months of wear" in answer
    assert "Ask the site manager too." in answer
    assert "not saved yet" in answer
    plugin.refresh_from_db()
    assert plugin.disclaimer != "Ask the site manager too."
    assert Query.objects.get().release_name == "boots@draft"


def test_a_question_that_no_document_answers_is_refused_beside_the_form(
    browsing: Browse, alice: User, plugin: Plugin
) -> None:
    assert "no_evidence" in ask(browsing(alice), plugin, question="What is the capital of France?")
    assert "Type a question first." in ask(browsing(alice), plugin, question=" ")


def test_only_those_who_change_it_try_changes_and_without_a_script_the_sandbox_opens(
    browsing: Browse, alice: User, bob: User, plugin: Plugin
) -> None:
    address = reverse("admin:builder_persona_try", args=[plugin.pk])
    assert browsing(bob).post(address, {"question": "Boots?"}).status_code == 404
    response = browsing(alice).post(address, {"question": "Boots?"})
    assert response["Location"] == reverse("admin:builder_sandbox", args=[plugin.pk]) + "?question=Boots%3F"


def test_the_form_says_what_has_no_effect_without_a_language_model(
    browsing: Browse, alice: User, plugin: Plugin, settings: Any
) -> None:
    address, notice = reverse_pane(plugin, "persona"), "only the disclaimer changes an answer today"
    assert notice in browsing(alice).get(address).content.decode()
    settings.LEXIC_LLM = "openai"
    assert notice not in browsing(alice).get(address).content.decode()
