"""Makes `first_release.sql.gz` and `first_release.json`: `python -m tests.upgrades.make_first_release` (a minute).

The code is that of the first commit that could be asked, out of the history. Its own demo makes the site, and what
is done there by hand afterwards is in `_BY_HAND`. Run it again only where another old commit is to be upgraded from.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.embedded_services import Postgres, running_services

COMMIT = "5922fd4df2aa4f9ba895248d54634c0a92f53e1e"
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DUMP, SAID = HERE / "first_release.sql.gz", HERE / "first_release.json"
SECRETS = {"SECRET_KEY": "first" * 12, "ENCRYPTION_KEY": "release" * 8}
DATABASE = "lexic"
# What somebody has done with it: a colleague with a draft of their own, a further document, which makes a second
# release and is then deleted, a third release without it, a key that was revoked, and questions to all of them.
_BY_HAND = r"""
import json
from asgiref.sync import async_to_sync
from accounts.models import ApiKey, User
from knowledge.add import add_text, delete_document
from knowledge.attach import own_knowledge_base
from knowledge.ingest import ingest
from marketplace.publish import publish
from plugins.models import Plugin
from querying import pipeline, releases, wire
from querying.types import Asker, Options, Question

owner = User.objects.get(email="demo@lexic.example")
owner.set_password("a password of the first release")
owner.save()
plugin = Plugin.objects.get()
base = own_knowledge_base(plugin)

def add(base, title, text):
    document = add_text(knowledge_base=base, title=title, text=text, enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready", document.error
    return document

noticed = add(base, "Notice on spacers", "# Spacers\n\nSpacers of plastic are replaced after 17 months in storage.")
publish(plugin, by=owner, version="1.1.0")
delete_document(noticed)
publish(plugin, by=owner, version="1.2.0")
bob = User.objects.create_user("bob@lexic.example", "another password", display_name="Bob", is_staff=True)
draft = Plugin.objects.create(owner=bob, name="Ladders", slug="ladders", domain="safety", system_prompt="Answer.")
add(own_knowledge_base(draft), "Ladders", "# Ladders\n\nA ladder of aluminium is inspected every nine weeks.")
key, secret = ApiKey.objects.issue(owner=owner, name="of the first release")
revoked, revoked_secret = ApiKey.objects.issue(owner=owner, name="revoked")
revoked.revoke()

def ask(reference, text, **facts):
    person = bob if reference.startswith("ladders") else owner
    release = releases.resolve(reference, principal=person)
    asker = Asker(name="person", user_id=person.pk)
    asked = Question(text=text, release=release, asker=asker, facts=facts, options=Options())
    last = async_to_sync(pipeline.answer)(asked)
    return {"release": reference, "question": text, "facts": facts, **wire.answer_as_json(last.answer, question=asked)}

cover = plugin.slug
answers = [
    ask(cover, "What is the minimum cover for a beam exposed to weather?"),
    ask(f"{cover}@1.0.0", "What is the allowable shear force in a friction-grip bolt at a truss splice?"),
    ask(f"{cover}@1.1.0", "After how many months in storage are spacers of plastic replaced?"),
    ask(f"{cover}@1.0.0", "After how many months in storage are spacers of plastic replaced?"),
    ask(f"{cover}@1.2.0", "After how many months in storage are spacers of plastic replaced?"),
    ask(cover, "Do plaster and paint count as cover?"),
    ask(cover, "To which reinforcement is nominal cover measured?"),
    ask("ladders@draft", "How often is a ladder of aluminium inspected?"),
]
print(json.dumps({"key": secret, "revoked": revoked_secret, "answers": answers}))
"""


def main() -> None:
    with _old_checkout() as checkout, tempfile.TemporaryDirectory(prefix="lxf-", dir="/tmp") as place:
        data = Path(place)
        data.chmod(0o755)  # PostgreSQL does not run as root
        environment = {**os.environ, **SECRETS, "LEXIC_VAR_DIR": place, "LEXIC_LLM": "extractive"}
        environment |= {"DATABASE_URL": "", "REDIS_URL": "", "OPENAI_API_KEY": "", "PYTHONPATH": ""}

        def manage(*arguments: str) -> str:
            command = [sys.executable, "manage.py", *arguments]
            done = subprocess.run(command, cwd=checkout, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            return done.stdout

        manage("demo")
        said = json.loads(manage("shell", "-c", _BY_HAND).strip().splitlines()[-1])
        SAID.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
        dump = _dump(data)
    with gzip.GzipFile(DUMP, "wb", mtime=0) as file:
        file.write(dump)
    print(f"{DUMP.name}: {DUMP.stat().st_size:,} bytes of {len(dump):,}; {len(said['answers'])} answers")


@contextmanager
def _old_checkout() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lxo-") as place:
        folder = Path(place) / "lexic"
        subprocess.run(["git", "worktree", "add", "--detach", str(folder), COMMIT], cwd=ROOT, check=True)
        try:
            yield folder
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True)


def _dump(data: Path) -> bytes:
    """The database as statements that any client can send: without what only `psql` understands."""
    postgres = Postgres(data)
    program = Path(postgres.command()[0]).parent / "pg_dump"
    options = ["--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges", "--no-comments"]
    with running_services(data, database=DATABASE, needed=[postgres]):
        command = [str(program), "-h", str(postgres.socket_folder), "-U", "lexic", *options, DATABASE]
        text = subprocess.run(command, stdout=subprocess.PIPE, check=True, **postgres.user()).stdout
    return b"".join(line for line in text.splitlines(keepends=True) if not line.startswith(b"\\"))


if __name__ == "__main__":
    main()
