from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from knowledge import files, readers, tasks
from knowledge.embedders import get_embedder
from knowledge.models import Document, KnowledgeBase, SourceType
from lexic.errors import Conflict, LexicError
from marketplace.bundle.archive import MOST_DOCUMENTS, Archive
from marketplace.bundle.columns import BadBundle, checked, listed, require
from marketplace.bundle.write import FORMAT, VERSION
from plugins import slugs
from plugins.models import Plugin
from querying.models import GoldenQuestion
from trees.cases import MAX_CASES
from trees.models import DecisionTree, TreeCase

MOST_TREES = 200
MOST_GOLDEN = 5000
KEYS = {"format", "version", "plugin", "knowledge", "documents", "trees", "golden_questions"}


class SlugTaken(Conflict):
    """A plugin of this slug exists already."""

    code = "slug_taken"
    hint = "Nothing was imported. Choose another slug, or leave it out to get a free one."


@dataclass(frozen=True, kw_only=True)
class Imported:
    """`slug_was_taken` says that agents call it otherwise than where it came from."""

    plugin: Plugin
    documents: int
    slug_was_taken: bool


@dataclass(frozen=True, kw_only=True)
class Content:
    """What the manifest says, checked: columns of rows, and the hash and type of each document's bytes."""

    plugin: dict[str, Any]
    base: dict[str, Any]
    documents: list[tuple[dict[str, Any], str]]
    trees: list[tuple[dict[str, Any], list[dict[str, Any]]]]
    golden: list[dict[str, Any]]


def import_plugin(file: IO[bytes], *, owner: User, slug: str | None = None) -> Imported:
    """The plugin in the file as a draft of the owner's; a worker reads its documents again.

    Everything is checked before anything is kept. Raises `BadBundle`, `SlugTaken`.
    """
    archive = Archive(file)
    content = _content(archive)
    types = {sha256: _type(archive, sha256, said) for said, sha256 in content.documents if sha256}
    try:
        with transaction.atomic():
            plugin, was_taken = _plugin(content.plugin, owner=owner, slug=slug)
            base = KnowledgeBase.objects.create(plugin=plugin, owner=owner, name=plugin.name, **content.base)
            for said, sha256 in content.documents:
                _add(archive, said, sha256, base=base, source_type=types.get(sha256, SourceType.URL))
            _add_trees(plugin, content.trees)
            GoldenQuestion.objects.bulk_create(GoldenQuestion(plugin=plugin, **said) for said in content.golden)
    except IntegrityError as error:  # a slug that somebody took in this moment
        raise SlugTaken from error
    return Imported(plugin=plugin, documents=len(content.documents), slug_was_taken=was_taken)


def _content(archive: Archive) -> Content:
    data = archive.manifest()
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadBundle("Its manifest.json is not that of a plugin.")
    if data.get("version") != VERSION:
        raise BadBundle(f"It is of version {str(data.get('version'))[:20]}; this site reads version {VERSION}.")
    if wrong := sorted(KEYS ^ data.keys()):
        raise BadBundle(f"Its manifest.json lacks, or should not have, {wrong[0][:60]!r}.")
    plugin = checked(Plugin, data["plugin"], where="plugin")
    require(plugin, "name", "domain", where="plugin")
    golden = listed(data["golden_questions"], where="golden_questions", most=MOST_GOLDEN)
    return Content(
        plugin=plugin,
        base=_base(data["knowledge"]),
        documents=_documents(data["documents"], archive.documents),
        trees=_trees(data["trees"]),
        golden=[_golden(one, where=f"golden_questions[{number}]") for number, one in enumerate(golden)],
    )


def _golden(data: Any, *, where: str) -> dict[str, Any]:
    said = checked(GoldenQuestion, data, where=where)
    require(said, "question", where=where)
    return said


def _base(data: Any) -> dict[str, Any]:
    """An embedder that this site does not have is replaced by the one it uses for new plugins."""
    said = checked(KnowledgeBase, data, where="knowledge")
    try:
        get_embedder(said.get("embedder", settings.LEXIC_EMBEDDER))
    except LexicError:
        said["embedder"] = settings.LEXIC_EMBEDDER
    return {"embedder": settings.LEXIC_EMBEDDER, **said}


def _documents(data: Any, in_file: set[str]) -> list[tuple[dict[str, Any], str]]:
    """Columns and hash; the hash is empty for a web page, which is fetched again."""
    found: list[tuple[dict[str, Any], str]] = []
    for number, one in enumerate(listed(data, where="documents", most=MOST_DOCUMENTS)):
        where = f"documents[{number}]"
        sha256 = one.get("sha256", "") if isinstance(one, dict) else ""
        rest = {name: value for name, value in one.items() if name != "sha256"} if isinstance(one, dict) else one
        said = checked(Document, rest, where=where)
        require(said, "title", where=where)
        if not isinstance(sha256, str) or bool(said.get("url")) == bool(sha256):
            raise BadBundle(f"{where} of manifest.json has not exactly one of url and sha256.")
        found.append((said, sha256))
    named = [sha256 for _, sha256 in found if sha256]
    if len(named) != len(set(named)) or set(named) != in_file:
        raise BadBundle("The documents in it are not those that its manifest.json names.")
    return found


def _trees(data: Any) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    trees = []
    for number, one in enumerate(listed(data, where="trees", most=MOST_TREES)):
        where = f"trees[{number}]"
        if not isinstance(one, dict) or not {"name", "tree_data", "cases"} <= one.keys():
            raise BadBundle(f"{where} of manifest.json has no name, tree_data or cases.")
        said = checked(DecisionTree, {key: value for key, value in one.items() if key != "cases"}, where=where)
        require(said, "name", where=where)
        cases = listed(one["cases"], where=f"{where}.cases", most=MAX_CASES)
        trees.append((said, [checked(TreeCase, case, where=f"{where}.cases[{n}]") for n, case in enumerate(cases)]))
    return trees


def _type(archive: Archive, sha256: str, said: dict[str, Any]) -> str:
    head = archive.check_document(sha256)
    try:
        return readers.detect(said.get("file_name") or "document", head[: readers.HEAD_BYTES])
    except LexicError as error:
        raise BadBundle(f"“{said['title'][:80]}” cannot be read here: {error.message}") from None


def _plugin(said: dict[str, Any], *, owner: User, slug: str | None) -> tuple[Plugin, bool]:
    wanted = slug or said.get("slug") or ""
    is_taken = bool(wanted) and Plugin.objects.filter(slug=wanted).exists()
    if slug and is_taken:
        raise SlugTaken
    if is_taken:
        wanted = slugs.free_slug(wanted, taken=lambda one: Plugin.objects.filter(slug=one).exists())
    plugin = Plugin(**{**said, "slug": checked(Plugin, {"slug": wanted}, where="plugin")["slug"]}, owner=owner)
    if slugs.as_id(plugin.slug) or plugin.slug in slugs.TAKEN:
        raise BadBundle("Its slug looks like an id, or is an address of the API.")
    plugin.save()
    return plugin, is_taken


def _add(archive: Archive, said: dict[str, Any], sha256: str, *, base: KnowledgeBase, source_type: str) -> None:
    if sha256:
        with archive.open_document(sha256) as stream:
            files.store(stream, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
    document = Document.objects.create(knowledge_base=base, source_type=source_type, sha256=sha256, **said)
    tasks.enqueue(document.pk)


def _add_trees(plugin: Plugin, trees: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> None:
    now = timezone.now()
    for number, (said, cases) in enumerate(trees):
        # Among trees of the same order the older comes first: they keep the order they are listed in.
        made_at = now + timedelta(microseconds=number)
        tree = DecisionTree.objects.create(plugin=plugin, created_at=made_at, **said)
        TreeCase.objects.bulk_create(TreeCase(tree=tree, **case) for case in cases)
