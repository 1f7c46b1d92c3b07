"""The demo plugin: a handbook on concrete cover, a tree that selects it, published and ready to be asked."""

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
from evaluation.golden import jsonl
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import DocumentStatus
from knowledge.own_knowledge_base import own_knowledge_base
from lexic.errors import LexicError
from marketplace.publishing.publish import publish
from plugins.models import Plugin, Release
from trees.models import DecisionTree

CONTENT_DIR = Path(__file__).parent / "demo_content"
DEMO_EMAIL = "demo@lexic.example"
DEMO_KEY_NAME = "demo"


class DemoFailed(LexicError):
    """The demo could not be set up."""

    code = "demo_failed"


@dataclass(frozen=True, kw_only=True)
class LoadedDemo:
    plugin: Plugin
    release: Release
    key: str
    email: str
    password: str


def load_demo(*, say: Callable[[str], None]) -> LoadedDemo:
    """Set the demo up, or find it as it stands: running it again makes nothing twice. Raises `DemoFailed`."""
    owner, password = _demo_owner()
    plugin = _demo_plugin(owner)
    _add_documents(plugin, say=say)
    _add_trees(plugin)
    jsonl.import_golden_questions(plugin, lines=_content_text("golden.jsonl").splitlines())
    publication = publish(plugin, by=owner, notes="The demo.")
    say(f"{'Published' if publication.is_new else 'Found'} {publication.release}")
    return LoadedDemo(
        plugin=plugin, release=publication.release, key=_demo_key(owner), email=DEMO_EMAIL, password=password
    )


def demo_questions() -> tuple[str, str]:
    """One that the handbook answers, and one that it does not cover."""
    asked = _content_json("questions.json")
    return asked["answered"]["question"], asked["refused"]["question"]


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


def _demo_plugin(owner: User) -> Plugin:
    described = _content_json("plugin.json")
    columns = {name: described[name] for name in ("name", "tagline", "description", "domain", "tags")}
    plugin, _ = Plugin.objects.get_or_create(
        slug=described["slug"],
        defaults={
            **columns,
            "owner": owner,
            "system_prompt": _content_text("persona.md"),
            "disclaimer": _content_text("disclaimer.txt"),
            "is_shared": True,
        },
    )
    return plugin


def _add_documents(plugin: Plugin, *, say: Callable[[str], None]) -> None:
    base = own_knowledge_base(plugin)
    for listed in _content_json("plugin.json")["documents"]:
        with (CONTENT_DIR / listed["file"]).open("rb") as stream:
            added = add_file(
                knowledge_base=base, file_name=listed["file"], stream=stream, title=listed["title"], enqueue=False
            )
        document = added.document
        if document.status != DocumentStatus.READY:
            say(f"Reading {listed['file']}")
            ingest(document.pk)
            document.refresh_from_db()
        if document.status != DocumentStatus.READY:
            raise DemoFailed(f"{listed['file']} could not be read: {document.error}")


@transaction.atomic
def _add_trees(plugin: Plugin) -> None:
    for order, name in enumerate(_content_json("plugin.json")["trees"]):
        tree_data = _content_json(name)
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


def _content_text(name: str) -> str:
    return (CONTENT_DIR / name).read_text(encoding="utf-8").strip()


def _content_json(name: str) -> Any:
    return json.loads(_content_text(name))
