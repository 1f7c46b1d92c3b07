"""The plugins that a key may ask: as prompts, as resources, and by the letters of their slugs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, IntegerField, Value, When
from mcp.types import Prompt, PromptArgument, Resource

from accounts.models import ApiKey, may_read_documents
from api.mcp import resources
from knowledge.models import Document, KnowledgeBase
from lexic.errors import InvalidInput
from plugins.models import Plugin
from querying.forms import MAX_QUESTION_CHARACTERS
from querying.releases import find_plugin
from querying.sanitize import sanitize

PAGE_SIZE = 100
_MAX_DOCUMENTS = 200
_MAX_COMPLETIONS = 100  # the protocol allows no more


@dataclass(frozen=True, kw_only=True)
class ListPage:
    items: list[Any]
    next_cursor: str | None  # the last slug, where there are more


def list_prompts(*, key: ApiKey, after: str) -> ListPage:
    """A prompt for each plugin behind the slug `after`, in the order of slugs."""
    question = PromptArgument(name="question", description="What to ask, in whole sentences.", required=True)
    plugins, next_cursor = _plugins_after(after, key=key)
    prompts = [
        Prompt(name=plugin.slug, title=_plain_line(plugin.name), description=_summary(plugin), arguments=[question])
        for plugin in plugins
    ]
    return ListPage(items=prompts, next_cursor=next_cursor)


def list_resources(*, key: ApiKey, after: str) -> ListPage:
    """A resource for each plugin behind the slug `after`, in the order of slugs."""
    plugins, next_cursor = _plugins_after(after, key=key)
    found = [
        Resource(
            uri=resources.expert_uri(plugin.slug),
            name=plugin.slug,
            title=_plain_line(plugin.name),
            description=_summary(plugin),
            mime_type=resources.MIME_TYPE,
        )
        for plugin in plugins
    ]
    return ListPage(items=found, next_cursor=next_cursor)


def write_prompt(*, key: ApiKey, slug: str, arguments: Mapping[str, str]) -> str:
    """The question with the expert to ask, as a user would write it. Raises `UnknownPlugin`, `InvalidInput`."""
    plugin = find_plugin(slug, principal=key)
    question = arguments.get("question", "").strip()
    if arguments.keys() - {"question"} or not 1 <= len(question) <= MAX_QUESTION_CHARACTERS:
        limit = f"It has 1 to {MAX_QUESTION_CHARACTERS} characters."
        raise InvalidInput("A prompt takes one argument, question.", hint=limit)
    return (
        f"Ask the expert “{_plain_line(plugin.name)}” the question below: ask_expert with plugin “{plugin.slug}”. Keep "
        "the [Source N] marks of its answer in what you tell me. If it refuses, say so, and do not answer from "
        "memory.\n\n"
        f"{question}"
    )


def describe_expert(address: str, *, key: ApiKey) -> str:
    """What the expert at `lexic://experts/{slug}` says of itself. Raises `UnknownPlugin`.

    Its documents are named for keys that may read documents, of people who may read these.
    """
    plugin = find_plugin(address.removeprefix(resources.EXPERTS), principal=key)
    state = f"version {plugin.version}" if plugin.is_published else "a draft"
    lines = [f"{_plain_line(plugin.name)} ({plugin.slug}), {state}", f"Domain: {_plain_line(plugin.domain)}"]
    lines += [sanitize(text) for text in (plugin.tagline, plugin.description) if text]
    if titles := _document_titles(plugin, key):
        lines += ["Documents:", *(f"- {_plain_line(title)}" for title in titles)]
    return "\n".join(lines)


def complete_slug(*, key: ApiKey, typed: str) -> tuple[list[str], int]:
    """The slugs that have the typed letters, those that begin with them first; and how many there are in all."""
    plugins = Plugin.objects.discoverable_by(key).filter(slug__icontains=typed)
    begins = Case(When(slug__istartswith=typed, then=Value(0)), default=Value(1), output_field=IntegerField())
    return list(plugins.order_by(begins, "slug").values_list("slug", flat=True)[:_MAX_COMPLETIONS]), plugins.count()


def _plugins_after(slug: str, *, key: ApiKey) -> tuple[list[Plugin], str | None]:
    """One page of plugins, and the cursor of the next one."""
    plugins = list(Plugin.objects.discoverable_by(key).filter(slug__gt=slug).order_by("slug")[: PAGE_SIZE + 1])
    return plugins[:PAGE_SIZE], plugins[PAGE_SIZE - 1].slug if len(plugins) > PAGE_SIZE else None


def _document_titles(plugin: Plugin, key: ApiKey) -> list[str]:
    if not may_read_documents(key):
        return []
    bases = KnowledgeBase.objects.visible_to(key).filter(pk__in=KnowledgeBase.objects.of_plugin(plugin).values("pk"))
    documents = Document.objects.present().filter(knowledge_base__in=bases.values("pk"))
    return list(documents.order_by("title", "pk").values_list("title", flat=True)[:_MAX_DOCUMENTS])


def _summary(plugin: Plugin) -> str:
    """One line for a list. A model reads it: it has no markup and no control characters."""
    return f"{_plain_line(plugin.tagline)} Domain: {_plain_line(plugin.domain)}".strip()


def _plain_line(text: str) -> str:
    return " ".join(sanitize(text).split())
