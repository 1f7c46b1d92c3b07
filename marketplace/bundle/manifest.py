"""The parts of the manifest that both versions share: a plugin, its trees, its golden questions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from evaluation.golden.golden_file import MAX_GOLDEN_ROWS
from evaluation.models import GoldenQuestion
from knowledge import readers
from knowledge.embedders import get_embedder
from knowledge.models import KnowledgeBase
from lexic.errors import LexicError
from marketplace.bundle.columns import (
    PLUGIN_COLUMNS,
    UNSHARED_COLUMNS,
    BadBundle,
    require_columns,
    validated_columns,
    validated_list,
)
from plugins import slugs
from plugins.models import Plugin
from plugins.slugs import SlugTaken
from trees.models import DecisionTree, TreeCase
from trees.tree_test_cases import MAX_CASES

MAX_TREES = 200

# A tree's columns, and those of its cases.
ParsedTree = tuple[dict[str, Any], list[dict[str, Any]]]


def parse_plugin(data: Any, *, columns: Sequence[str] = PLUGIN_COLUMNS) -> dict[str, Any]:
    """These columns of the plugin; the others that a file of an earlier version has are ignored."""
    if isinstance(data, dict):
        ignored = {*PLUGIN_COLUMNS, *UNSHARED_COLUMNS} - {*columns}
        data = {name: value for name, value in data.items() if name not in ignored}
    plugin = validated_columns(Plugin, data, where="plugin")
    require_columns(plugin, "name", "domain", where="plugin")
    return plugin


def parse_golden_questions(data: Any) -> list[dict[str, Any]]:
    golden = validated_list(data, where="golden_questions", most=MAX_GOLDEN_ROWS)
    return [_parse_golden_question(one, where=f"golden_questions[{number}]") for number, one in enumerate(golden)]


def _parse_golden_question(data: Any, *, where: str) -> dict[str, Any]:
    said = validated_columns(GoldenQuestion, data, where=where)
    require_columns(said, "question", where=where)
    return said


def parse_knowledge_base(data: Any, *, where: str = "knowledge") -> dict[str, Any]:
    """An embedder that this site does not have is replaced by the one it uses for new plugins."""
    said = validated_columns(KnowledgeBase, data, where=where)
    try:
        get_embedder(said.get("embedder", settings.LEXIC_EMBEDDER))
    except LexicError:
        said["embedder"] = settings.LEXIC_EMBEDDER
    return {"embedder": settings.LEXIC_EMBEDDER, **said}


def parse_trees(data: Any) -> list[ParsedTree]:
    trees = []
    for number, one in enumerate(validated_list(data, where="trees", most=MAX_TREES)):
        where = f"trees[{number}]"
        if not isinstance(one, dict) or not {"name", "tree_data", "cases"} <= one.keys():
            raise BadBundle(f"{where} of manifest.json has no name, tree_data or cases.")
        said = validated_columns(
            DecisionTree, {key: value for key, value in one.items() if key != "cases"}, where=where
        )
        require_columns(said, "name", where=where)
        cases = validated_list(one["cases"], where=f"{where}.cases", most=MAX_CASES)
        trees.append(
            (said, [validated_columns(TreeCase, case, where=f"{where}.cases[{n}]") for n, case in enumerate(cases)])
        )
    return trees


def detect_source_type(head: bytes, *, name: str, title: str) -> str:
    """The source type of a document by its first bytes (`BundleArchive.check_document`). Raises `BadBundle` for a type
    that no reader reads."""
    try:
        return readers.detect_type(name or "document", head[: readers.DETECTION_BYTES])
    except LexicError as error:
        raise BadBundle(f"“{title[:80]}” cannot be read here: {error.message}") from None


def create_plugin(said: dict[str, Any], *, owner: User, slug: str | None) -> tuple[Plugin, bool]:
    """A draft of the owner's, saved; and whether it could not be called what the file calls it. Raises `SlugTaken`."""
    wanted = slug or said.get("slug") or ""
    plugin = Plugin(
        **{**said, "slug": validated_columns(Plugin, {"slug": wanted}, where="plugin")["slug"]}, owner=owner
    )
    if slugs.parse_id(plugin.slug):
        raise BadBundle("Its slug looks like an id.")
    is_taken = False
    try:
        plugin.check_slug()
    except SlugTaken:
        if slug:
            raise
        is_taken, plugin.slug = True, plugin.free_slug()
    plugin.save()
    return plugin, is_taken


def create_trees(plugin: Plugin, trees: list[ParsedTree]) -> None:
    now = timezone.now()
    for number, (said, cases) in enumerate(trees):
        # Among trees of the same order the older comes first: they keep the order they are listed in.
        made_at = now + timedelta(microseconds=number)
        tree = DecisionTree.objects.create(plugin=plugin, created_at=made_at, **said)
        TreeCase.objects.bulk_create(TreeCase(tree=tree, **case) for case in cases)


def create_golden_questions(plugin: Plugin, golden: list[dict[str, Any]]) -> None:
    GoldenQuestion.objects.bulk_create(GoldenQuestion(plugin=plugin, **said) for said in golden)
