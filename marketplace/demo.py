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
from knowledge.add import add_file
from knowledge.attach import own_knowledge_base
from knowledge.ingest import ingest
from knowledge.models import DocumentStatus
from lexic.errors import LexicError
from marketplace.publish import publish
from plugins.models import Plugin, Release
from querying import golden_rows
from trees.models import DecisionTree

CONTENT = Path(__file__).parent / "demo_content"
EMAIL = "demo@lexic.example"
KEY_NAME = "demo"


class DemoFailed(LexicError):
    """The demo could not be set up."""

    code = "demo_failed"


@dataclass(frozen=True, kw_only=True)
class Demo:
    plugin: Plugin
    release: Release
    key: str
    email: str
    password: str


def load(*, say: Callable[[str], None]) -> Demo:
    """Set the demo up, or find it as it stands: running it again makes nothing twice. Raises `DemoFailed`."""
    owner, password = _owner()
    plugin = _plugin(owner)
    _add_documents(plugin, say=say)
    _add_trees(plugin)
    golden_rows.import_rows(plugin, lines=_text("golden.jsonl").splitlines())
    publication = publish(plugin, by=owner, notes="The demo.")
    say(f"{'Published' if publication.is_new else 'Found'} {publication.release}")
    return Demo(plugin=plugin, release=publication.release, key=_key(owner), email=EMAIL, password=password)


def questions() -> tuple[str, str]:
    """One that the handbook answers, and one that it does not cover."""
    asked = _json("questions.json")
    return asked["answered"]["question"], asked["refused"]["question"]


def _owner() -> tuple[User, str]:
    """The demo's account. Its password is random, kept beside the data, and good for nothing but this machine."""
    path = settings.VAR_DIR / "demo_password.txt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(12))
    password = path.read_text().strip()
    owner = User.objects.filter(email=EMAIL).first()
    if owner is None:
        owner = User.objects.create_user(EMAIL, password, display_name="Demo author", is_staff=True)
    elif not owner.check_password(password):
        owner.set_password(password)
        owner.save(update_fields=["password"])
    return owner, password


def _plugin(owner: User) -> Plugin:
    described = _json("plugin.json")
    columns = {name: described[name] for name in ("name", "tagline", "description", "domain", "tags")}
    plugin, _ = Plugin.objects.get_or_create(
        slug=described["slug"],
        defaults={
            **columns,
            "owner": owner,
            "system_prompt": _text("persona.md"),
            "disclaimer": _text("disclaimer.txt"),
            "is_shared": True,
        },
    )
    return plugin


def _add_documents(plugin: Plugin, *, say: Callable[[str], None]) -> None:
    base = own_knowledge_base(plugin)
    for listed in _json("plugin.json")["documents"]:
        with (CONTENT / listed["file"]).open("rb") as stream:
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
    for order, name in enumerate(_json("plugin.json")["trees"]):
        tree_data = _json(name)
        DecisionTree.objects.get_or_create(
            plugin=plugin,
            name=tree_data.get("name", name),
            defaults={
                "description": tree_data.get("description", ""),
                "tree_data": tree_data,
                "order": order,
            },
        )


def _key(owner: User) -> str:
    """The demo's key again while it can be revealed, else a new one in its place."""
    for key in ApiKey.objects.usable().filter(owner=owner, name=KEY_NAME):
        if secret := key.reveal():
            return secret
        key.revoke()
    _, secret = ApiKey.objects.issue(owner=owner, name=KEY_NAME)
    return secret


def _text(name: str) -> str:
    return (CONTENT / name).read_text(encoding="utf-8").strip()


def _json(name: str) -> Any:
    return json.loads(_text(name))
