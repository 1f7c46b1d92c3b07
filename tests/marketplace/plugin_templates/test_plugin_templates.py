"""A new plugin may begin with a template."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from accounts.models import User
from evaluation.models import GoldenQuestion
from marketplace.plugin_templates.apply_template import add_template_content, fill_new_plugin
from marketplace.plugin_templates.templates import PluginTemplate, UnknownTemplate, get_template, plugin_templates
from plugins.models import Plugin
from trees.drafts import parse_draft
from trees.validation.tree_problems import find_problems

NEW = "/admin/plugins/plugin/add/"


@pytest.mark.parametrize("template", plugin_templates(), ids=lambda template: template.name)
def test_each_is_whole(template: PluginTemplate) -> None:
    assert template.title
    assert template.summary.endswith(".")
    assert template.task.endswith(".")
    assert len(template.refused) >= 2
    for name, value in template.settings.items():
        Plugin._meta.get_field(name).clean(value, None)
    if template.tree is not None:
        draft = parse_draft(dict(template.tree))
        assert draft.name.startswith("Sample: ")
        assert find_problems(json.loads(json.dumps(draft.tree_data))) == []


def test_a_template_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownTemplate):
        get_template("nothing")


@pytest.mark.django_db
@pytest.mark.parametrize("template", plugin_templates(), ids=lambda template: template.name)
def test_a_plugin_gets_what_its_template_says(template: PluginTemplate, alice: User) -> None:
    plugin = Plugin(owner=alice, name="House rules", domain="people", slug="house-rules", system_prompt="")
    fill_new_plugin(plugin, template)
    plugin.full_clean()
    plugin.save()
    add_template_content(plugin, template, by=alice)
    assert template.task in plugin.system_prompt
    questions = plugin.golden_questions.all()
    assert {question.expectation for question in questions} == {GoldenQuestion.Expectation.REFUSE}
    assert [question.question for question in questions] == list(template.refused)
    # Nobody is asked by a tree that its author has not read.
    assert [tree.is_active for tree in plugin.trees.all()] == ([False] if template.tree else [])


@pytest.mark.django_db
def test_the_form_offers_them_and_the_draft_follows(alice: User, client: Client) -> None:
    client.force_login(alice)
    page = client.get(NEW).content.decode()
    assert all(f'value="{template.name}"' in page for template in plugin_templates())
    address = "/admin/plugins/plugin/starting/?name=Leave&domain=people"
    assert "which role decides" in client.get(f"{address}&template=handbook").content.decode()
    assert "which role decides" not in client.get(address).content.decode()


@pytest.mark.django_db
def test_a_plugin_is_made_with_one_and_without(alice: User, client: Client) -> None:
    client.force_login(alice)
    for number, (chosen, trees, golden) in enumerate((("handbook", 1, 3), ("", 0, 0))):
        posted = {"name": f"Leave {number}", "domain": "people", "slug": f"leave-{number}", "template": chosen}
        assert client.post(NEW, posted).status_code == 302
        plugin = Plugin.objects.get(slug=f"leave-{number}")
        assert (plugin.trees.count(), plugin.golden_questions.count()) == (trees, golden)
        assert ("which role decides" in plugin.system_prompt) == bool(chosen)
    wrong = {"name": "Leave", "domain": "people", "slug": "leave", "template": "nothing"}
    assert client.post(NEW, wrong).status_code == 200
    assert Plugin.objects.count() == 2
