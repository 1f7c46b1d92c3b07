"""The site that is soaked: two plugins of two experts, private documents, webhooks, and where it all lies."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ingestion import NOUNS, random_sentences
from tests.lexic import running
from tests.webhooks.reachable_receiver import PORT_VARIABLE
from tests.webhooks.receiver import Receiver, receiving

if TYPE_CHECKING:
    from accounts.models import User
    from plugins.models import Plugin

PLUGINS = ("bench", "quarry")
PASSWORD = "correct horse battery"
FILES_MEGABYTES = 256
# The facts of the second expert, whose subjects no document of the first one names.
MACHINES = ("jaw crusher", "dump truck", "rock drill", "screen deck", "blasting mat")
PRIVATE_FACT = "The site office of Marrow House is closed on the second Friday of every month."
PRIVATE_QUESTION = "When is the site office of Marrow House closed?"
WEB_PROCESSES = 2


@dataclass(frozen=True, kw_only=True)
class Expert:
    """An author with a plugin, and their key."""

    plugin: str
    email: str
    secret: str


@dataclass(frozen=True, kw_only=True)
class Site:
    """`folder` is the data folder, `files` a file system of its own where one may be mounted, `vault` the backups."""

    address: str
    supervisor: int
    folder: Path
    files: Path
    has_own_disk: bool
    vault: Path
    log: Path
    experts: tuple[Expert, Expert]
    receiver: Receiver
    environment: dict[str, str]


@contextmanager
def running_site() -> Iterator[Site]:
    """Starts Lexic as `manage.py up` does, with two web processes, and makes what is asked and changed."""
    with tempfile.TemporaryDirectory(prefix="lxs-", dir="/tmp") as place, receiving() as receiver:
        root = Path(place)
        root.chmod(0o755)  # PostgreSQL does not run as root
        folder, files = root / "site", root / "files"
        environment = site_environment(folder, files=files, receiver=receiver)
        os.environ.clear()
        os.environ.update(environment)
        options = ("--workers", str(WEB_PROCESSES))
        with small_disk(files) as has_own_disk, running_server(folder, *options, environment=environment) as started:
            started.wait_for_worker()
            import django

            django.setup()
            yield Site(
                address=started.url,
                supervisor=started.process.pid,
                folder=folder,
                files=files,
                has_own_disk=has_own_disk,
                vault=root / "vault",
                log=started.log,
                experts=(make_expert(PLUGINS[0], receiver), make_expert(PLUGINS[1], receiver)),
                receiver=receiver,
                environment=environment,
            )


@contextmanager
def running_server(folder: Path, *options: str, environment: dict[str, str]) -> Iterator[running.Lexic]:
    """`manage.py up` with these options, until the end of the block."""
    program = (sys.executable, "manage.py", "up", "--port", "0", *options)
    started = running.Lexic(folder, program=program, env=environment)
    try:
        yield started.wait_until_up()
    finally:
        if started.process.poll() is None:
            started.stop()


def site_environment(folder: Path, *, files: Path, receiver: Receiver | None = None) -> dict[str, str]:
    """The secrets are set, so that a restored copy of the site can have the same."""
    more = {"LEXIC_FILES_DIR": str(files), "LEXIC_EMBEDDER": "local", "LEXIC_ACCOUNT_PLUGINS": "5000"}
    more |= {"SECRET_KEY": "soak" * 16, "ENCRYPTION_KEY": "c29ha3NvYWtzb2Frc29ha3NvYWtzb2Frc29ha3NvYWs="}
    more |= {"LEXIC_ACCOUNT_RUNS": "20", "LEXIC_VISITOR_PER_MINUTE": "1000", "LEXIC_VISITOR_PER_DAY": "100000"}
    if receiver:
        more |= {"DJANGO_SETTINGS_MODULE": "benchmarks.soak.settings"}
        more |= {PORT_VARIABLE: str(receiver.server_address[1])}
    else:
        more |= {"DJANGO_SETTINGS_MODULE": "lexic.settings"}
    return running.environment(folder, **more)


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A file system of its own for this folder, which can be filled. False where nothing may be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={FILES_MEGABYTES}m,mode=755", "tmpfs", str(folder)]
    is_mounted = not subprocess.run(mount, capture_output=True, check=False).returncode
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def make_expert(slug: str, receiver: Receiver) -> Expert:
    """A published plugin with a handbook, a webhook that hears everything, and a key that may do everything."""
    from accounts.models import ApiKey, User
    from plugins.models import Plugin

    owner = User.objects.create_user(f"{slug}@example.org", PASSWORD, is_staff=True)
    plugin = Plugin.objects.create(
        owner=owner, name=slug.title(), slug=slug, domain="safety", system_prompt="Answer.", public_chat=True
    )
    _add_handbook(plugin, owner)
    _listen(plugin, owner, receiver)
    _, secret = ApiKey.objects.issue(
        owner=owner, name="soak", capabilities=["query", "read", "author"], per_minute=100_000, per_day=1_000_000
    )
    return Expert(plugin=slug, email=owner.email, secret=secret)


def _add_handbook(plugin: Plugin, owner: User) -> None:
    from knowledge.documents.lifecycle import add_text
    from knowledge.ingest import ingest
    from knowledge.personal_knowledge_base import personal_knowledge_base
    from knowledge.plugin_knowledge_base import own_knowledge_base
    from marketplace.publishing.publish import publish

    choose = random.Random(1)
    subjects = NOUNS if plugin.slug == PLUGINS[0] else MACHINES
    text = "\n\n".join(f"# On the {noun}\n\n{' '.join(random_sentences(choose, noun=noun))}" for noun in subjects)
    base = own_knowledge_base(plugin)
    handbook = add_text(knowledge_base=base, title=f"Handbook of {plugin.name}", text=text, enqueue=False).document
    handbook.is_public = True
    handbook.save()
    private = add_text(
        knowledge_base=personal_knowledge_base(owner), title="Marrow House", text=PRIVATE_FACT, enqueue=False
    ).document
    for document in (handbook, private):
        ingest(document.pk)
    publish(plugin, by=owner)


def _listen(plugin: Plugin, owner: User, receiver: Receiver) -> None:
    from webhooks.models import Event, Webhook

    webhook = Webhook(plugin=plugin, url=receiver.url, events=Event.values, created_by=owner)
    webhook.set_new_secret()
    webhook.save()
