"""Puts what a template says into a new plugin."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from evaluation.models import GoldenQuestion
from marketplace.plugin_templates.templates import PluginTemplate
from plugins.models import Plugin
from plugins.starter_persona import fill_empty_fields
from trees.drafts import create_tree, parse_draft


def fill_new_plugin(plugin: Plugin, template: PluginTemplate | None) -> None:
    """Writes into the fields that a new plugin leaves open, and sets what the template sets. Nothing is saved."""
    fill_empty_fields(plugin, task=template.task if template else "")
    for name, value in (template.settings if template else {}).items():
        setattr(plugin, name, value)


def add_template_content(plugin: Plugin, template: PluginTemplate, *, by: User) -> None:
    """The sample tree, which is not asked before it is switched on, and the questions that are to be refused."""
    with transaction.atomic():
        if template.tree is not None:
            create_tree(parse_draft(dict(template.tree)), plugin=plugin, by=by, is_active=False)
        GoldenQuestion.objects.bulk_create(
            GoldenQuestion(plugin=plugin, question=question, expectation=GoldenQuestion.Expectation.REFUSE)
            for question in template.refused
        )
