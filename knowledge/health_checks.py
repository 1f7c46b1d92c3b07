"""The checks of knowledge for `manage.py doctor`."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Count
from django.utils import timezone

from knowledge import lease
from knowledge.documents import file_store
from knowledge.embedders import get_embedder
from knowledge.models import BaseKind, Document, DocumentStatus
from knowledge.search import replica
from lexic.diagnostics import CheckFailed, CheckSkipped, register_check
from lexic.gauges import register_gauge

STUCK_AFTER = timedelta(minutes=30)
_NEWEST = 10


@register_check("embedder")
def check_embedder() -> str:
    """Builds the one that new knowledge bases get, and uses it once."""
    chosen = get_embedder(settings.LEXIC_EMBEDDER)
    chosen.embed_one("Is anybody there?")
    return f"{chosen.name}, {chosen.dimensions} dimensions"


@register_check("replica")
def check_replica() -> str:
    """How far the copy that searches may ask is behind. Without it they ask the database itself."""
    if replica.REPLICA not in connections.databases:
        raise CheckSkipped("none; set DATABASE_REPLICA_URL for one")
    try:
        behind = replica.bytes_behind()
    except DatabaseError as error:
        hint = "The database itself is searched meanwhile. Look at the server of DATABASE_REPLICA_URL."
        raise CheckFailed(f"It does not answer: {str(error).splitlines()[0]}", hint=hint) from error
    if behind is None:
        hint = "Name a server that follows that of DATABASE_URL by streaming replication."
        raise CheckFailed("The server of DATABASE_REPLICA_URL follows no other.", hint=hint)
    return f"{behind} bytes of the log behind"


@register_check("documents")
def check_documents() -> str:
    stuck = Document.objects.unfinished().filter(updated_at__lt=timezone.now() - STUCK_AFTER)
    if count := stuck.count():
        # What people keep for themselves has no title here.
        shown = stuck.filter(knowledge_base__kind=BaseKind.PLUGIN).values_list("title", flat=True)[:3]
        examples = f", for example: {'; '.join(title[:60] for title in shown)}" if shown else ""
        raise CheckFailed(
            f"{count} documents have not moved for half an hour{examples}.",
            hint="Is a worker running? It takes them up again when it starts.",
        )
    return "none is stuck"


@register_check("uploads")
def check_uploads() -> str:
    """Whether the files of the newest documents are there and can be read: the disk may not be mounted, the folder or
    the key of the files be another one. `manage.py sweep` looks at all of them."""
    stored = Document.objects.present().exclude(sha256="").order_by("-created_at")
    hashes = list(stored.values_list("sha256", flat=True)[:_NEWEST])
    if missing := [sha256 for sha256 in hashes if not file_store.is_stored(sha256)]:
        raise CheckFailed(
            f"{len(missing)} of the {len(hashes)} newest documents have no file where uploads are kept.",
            hint="Is that the right folder or bucket, and mounted? “manage.py sweep --dry-run” names all that lack it.",
        )
    for sha256 in hashes[:1]:
        with file_store.open_stored(sha256) as file:
            file.read(1)
    return f"the files of the newest {len(hashes)} documents are there"


@register_check("leases")
def check_leases() -> str:
    """Takes a lease and gives it back, as a reader of documents does."""
    with lease.try_lease(f"doctor:{uuid4()}") as is_ours:
        if not is_ours:
            raise CheckFailed("No lease can be taken, so no document is read.", hint="Run `manage.py migrate`.")
        held = len(lease.held_names()) - 1
    return f"{held} held; nothing here needs a session of its own, so a transaction pooler will do"


@register_gauge("lexic_documents", "Documents that are there, by how far they have been read.", label="state")
def count_documents() -> dict[str, float]:
    rows = Document.objects.present().values("status").annotate(number=Count("pk")).order_by()
    return {**dict.fromkeys(DocumentStatus.values, 0.0), **{row["status"]: float(row["number"]) for row in rows}}
