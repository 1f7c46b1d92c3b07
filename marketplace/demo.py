"""The demo: a handbook on concrete cover with a tree that selects it, a contract desk with templates and a project, the
support desk of a machine, and a company's policy; all published and ready to be asked."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import ApiKey, User
from contracts.models import ContractReview
from contracts.review.start_review import start_review
from contracts.tasks import make_review
from conversations.models import Project
from evaluation.golden import golden_file
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.errors import LexicError
from marketplace.publishing.publish import publish
from plugins.models import Plugin, Release
from trees.models import DecisionTree

CONTENT_DIR = Path(__file__).parent / "demo_content"
DESK_DIR = CONTENT_DIR / "desk"
# Plugins that are there to be looked at and asked; the first two have parts of the demo of their own.
FURTHER_DIRS = (CONTENT_DIR / "espresso", CONTENT_DIR / "remote_work")
DESK_PROJECT = "Cooperation with Harbour Analytics"
DEMO_EMAIL = "demo@lexic.example"
DEMO_KEY_NAME = "demo"


class DemoFailed(LexicError):
    """The demo could not be set up."""

    code = "demo_failed"


Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class LoadedDemo:
    """`contract` is a contract to review, in a project that asks the `desk`."""

    plugin: Plugin
    desk: Plugin
    release: Release
    contract: Document
    key: str
    email: str
    password: str


def load_demo(*, say: Say) -> LoadedDemo:
    """Set the demo up, or find it as it stands: running it again makes nothing twice. Raises `DemoFailed`."""
    owner, password = _demo_owner()
    release = _load_plugin(CONTENT_DIR, owner, say=say)
    desk = _load_plugin(DESK_DIR, owner, say=say)
    for folder in FURTHER_DIRS:
        _load_plugin(folder, owner, say=say)
    return LoadedDemo(
        plugin=release.plugin,
        desk=desk.plugin,
        release=release,
        contract=_desk_contract(owner, desk=desk.plugin, say=say),
        key=_demo_key(owner),
        email=DEMO_EMAIL,
        password=password,
    )


def demo_questions() -> tuple[str, str]:
    """One that the handbook answers, and one that it does not cover."""
    asked = _json(CONTENT_DIR, "questions.json")
    return asked["answered"]["question"], asked["refused"]["question"]


def desk_messages() -> list[str]:
    """What is said to the desk: a question, and a request for a draft with the facts for it."""
    return list(_json(DESK_DIR, "messages.json"))


def review_contract(loaded: LoadedDemo) -> ContractReview:
    """A review of the contract against the playbook that ships for its kind, made here and now; that of an earlier demo
    where there is one. Raises `DemoFailed`."""
    owner = loaded.contract.knowledge_base.owner
    reviews = loaded.contract.contract_reviews.all()
    review = reviews.first() or start_review(loaded.contract, by=owner, principal=owner)
    make_review(review_id=str(review.pk))
    review.refresh_from_db()
    if review.error:
        raise DemoFailed(review.error)
    return review


def _load_plugin(folder: Path, owner: User, *, say: Say) -> Release:
    plugin = _demo_plugin(folder, owner)
    for listed in _json(folder, "plugin.json")["documents"]:
        document = _read_file(own_knowledge_base(plugin), folder / listed["file"], title=listed["title"], say=say)
        marks = {"is_template": listed.get("template", False), "is_public": listed.get("public", document.is_public)}
        Document.objects.filter(pk=document.pk).update(**marks)
    _add_trees(folder, plugin)
    golden_file.import_golden_questions(plugin, lines=_read_text(folder, "golden.jsonl").splitlines())
    publication = publish(plugin, by=owner, notes="The demo.")
    say(f"{'Published' if publication.is_new else 'Found'} {publication.release}")
    return publication.release


def _desk_contract(owner: User, *, desk: Plugin, say: Say) -> Document:
    """The contract in the demo's project, both made where they are missing."""
    project = Project.objects.filter(owner=owner, name=DESK_PROJECT).first()
    if project is None:
        project = Project.objects.create_with_base(
            owner=owner, name=DESK_PROJECT, description="An NDA to look at before the first talk.", plugin=desk
        )
    return _read_file(project.knowledge_base, DESK_DIR / "sample-nda.md", title="NDA of Harbour Analytics", say=say)


def _demo_owner() -> tuple[User, str]:
    """The demo's account. Its password is random, kept beside the data, and good for nothing but this machine."""
    path = settings.VAR_DIR / "demo_password.txt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(12))
    password = path.read_text().strip()
    owner = User.objects.filter(email=DEMO_EMAIL).first()
    if owner is None:
        owner = User.objects.create_user(DEMO_EMAIL, password, display_name="Demo author", is_staff=True)
    elif not owner.check_password(password):
        owner.set_password(password)
        owner.save(update_fields=["password"])
    return owner, password


def _demo_plugin(folder: Path, owner: User) -> Plugin:
    described = _json(folder, "plugin.json")
    columns = {name: described[name] for name in ("name", "tagline", "description", "domain", "tags")}
    plugin, _ = Plugin.objects.get_or_create(
        slug=described["slug"],
        defaults={
            **columns,
            "owner": owner,
            "system_prompt": _read_text(folder, "persona.md"),
            "disclaimer": _read_text(folder, "disclaimer.txt"),
            "is_shared": True,
            "public_chat": described.get("public_chat", False),
        },
    )
    return plugin


def _read_file(base: KnowledgeBase, path: Path, *, title: str, say: Say) -> Document:
    """The file as a document that is ready. Raises `DemoFailed`."""
    with path.open("rb") as stream:
        added = add_file(knowledge_base=base, file_name=path.name, stream=stream, title=title, enqueue=False)
    document = added.document
    if document.status != DocumentStatus.READY:
        say(f"Reading {path.name}")
        ingest(document.pk)
        document.refresh_from_db()
    if document.status != DocumentStatus.READY:
        raise DemoFailed(f"{path.name} could not be read: {document.error}")
    return document


@transaction.atomic
def _add_trees(folder: Path, plugin: Plugin) -> None:
    for order, name in enumerate(_json(folder, "plugin.json")["trees"]):
        tree_data = _json(folder, name)
        DecisionTree.objects.get_or_create(
            plugin=plugin,
            name=tree_data.get("name", name),
            defaults={
                "description": tree_data.get("description", ""),
                "tree_data": tree_data,
                "order": order,
            },
        )


def _demo_key(owner: User) -> str:
    """The demo's key again while it can be revealed, else a new one in its place."""
    for key in ApiKey.objects.usable().filter(owner=owner, name=DEMO_KEY_NAME):
        if secret := key.reveal():
            return secret
        key.revoke()
    _, secret = ApiKey.objects.issue(owner=owner, name=DEMO_KEY_NAME)
    return secret


def _read_text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8").strip()


def _json(folder: Path, name: str) -> Any:
    return json.loads(_read_text(folder, name))
