from __future__ import annotations

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Cast, Coalesce, Now
from django.utils import timezone
from pgvector.django import HalfVectorField

from accounts.models import ApiKey, Principal
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from knowledge.chunking.title_path import title_path
from knowledge.embedding_spaces import EmbeddingSpace as EmbeddingSpace
from knowledge.grant_models import Consent as Consent
from knowledge.grant_models import KnowledgeGrant as KnowledgeGrant
from knowledge.grant_models import KnowledgeGrantQuerySet as KnowledgeGrantQuerySet
from knowledge.knowledge_base_models import KnowledgeBase as KnowledgeBase
from knowledge.knowledge_base_models import KnowledgeBaseQuerySet as KnowledgeBaseQuerySet
from knowledge.knowledge_base_models import Revision as Revision
from knowledge.lease_models import Lease as Lease
from knowledge.member_models import BaseKind as BaseKind
from knowledge.member_models import BaseMember as BaseMember
from knowledge.pin_models import PinKind as PinKind
from knowledge.pin_models import RevisionPin as RevisionPin
from knowledge.readers.types import MAX_LABEL_LENGTH
from knowledge.recognised_text import PageCorrection as PageCorrection
from knowledge.recognised_text import RecognisedText
from knowledge.revisioned_models import Revisioned as Revisioned
from knowledge.revisioned_models import RevisionQuerySet as RevisionQuerySet
from knowledge.source_models import REMOTE_KINDS
from knowledge.source_models import Source as Source
from knowledge.source_models import SourceItem as SourceItem
from knowledge.source_models import SourceQuerySet as SourceQuerySet
from knowledge.term_models import ChunkTerms as ChunkTerms
from knowledge.term_models import Term as Term
from knowledge.term_models import TermCount as TermCount
from knowledge.term_models import TermStem as TermStem
from language.language_identification import LANGUAGE_NAMES
from lexic.compiled_query import written_out
from lexic.name_field import NameField
from lexic.sql_files import read_sql
from plugins.models import Plugin

if TYPE_CHECKING:
    from knowledge.packed_words import WordBoxes


def validate_language(code: str) -> None:
    """Raises `ValidationError` for what is no code of a language that Lexic tells apart."""
    if code not in LANGUAGE_NAMES:
        raise ValidationError("“%(code)s” is no code of a language such as “de”.", params={"code": code})


class SourceType(models.TextChoices):
    PDF = "pdf", "PDF"
    MARKDOWN = "markdown", "Markdown"
    TEXT = "text", "plain text"
    HTML = "html", "HTML"
    JSON = "json", "JSON"
    DOCX = "docx", "Word (DOCX)"
    PPTX = "pptx", "slides (PPTX)"
    XLSX = "xlsx", "workbook (XLSX)"
    CSV = "csv", "table (CSV)"
    EPUB = "epub", "book (EPUB)"
    ODT = "odt", "OpenDocument text"
    RTF = "rtf", "RTF"
    EML = "eml", "e-mail"
    IMAGE = "image", "picture"
    URL = "url", "web page"
    CODE = "code", "source code"


class DocumentStatus(models.TextChoices):
    QUEUED = "queued", "queued"
    READING = "reading", "reading pages"
    CHUNKING = "chunking", "splitting"
    EMBEDDING = "embedding", "embedding"
    READY = "ready", "ready"
    FAILED = "failed", "failed"


_WAIT_PER_BYTE = timedelta(microseconds=10)


class DocumentQuerySet(AuditedQuerySet[Any], RevisionQuerySet):  # type: ignore[override]
    def editable_by(self, principal: Principal) -> DocumentQuerySet:
        return self.filter(knowledge_base__in=written_out(KnowledgeBase.objects.editable_by(principal).values("pk")))

    def visible_to(self, principal: Principal) -> DocumentQuerySet:
        return self.filter(knowledge_base__in=written_out(KnowledgeBase.objects.visible_to(principal).values("pk")))

    def of_plugin(self, plugin: Plugin) -> DocumentQuerySet:
        """What the plugin reads: the documents of its own knowledge base and of those attached to it."""
        bases = written_out(KnowledgeBase.objects.of_plugin(plugin).values("pk"))
        return self.present().filter(knowledge_base__in=bases)

    def name_contains(self, words: str) -> DocumentQuerySet:
        """Documents whose title, file name or address holds these words."""
        held = [models.Q(**{f"{name}__icontains": words}) for name in ("title", "file_name", "url")]
        return self.filter(held[0] | held[1] | held[2])

    def unfinished_first(self) -> DocumentQuerySet:
        """What moves first, then what waits, then what needs a person, then the rest; each by title."""
        last = [DocumentStatus.QUEUED, DocumentStatus.FAILED, DocumentStatus.READY]
        ranks = [models.When(status=status, then=models.Value(rank)) for rank, status in enumerate(last, start=1)]
        rank = models.Case(*ranks, default=models.Value(0), output_field=models.IntegerField())
        return self.order_by(rank, "title", "pk")

    def in_reading_order(self) -> DocumentQuerySet:
        """Who waited longest first; a file waits a second longer for each 100 kB, so that small ones pass large ones
        that came at the same time, and no large one waits for ever."""
        size = Coalesce(models.F("file_bytes"), 0)
        handicap = models.ExpressionWrapper(
            size * models.Value(_WAIT_PER_BYTE, output_field=models.DurationField()), models.DurationField()
        )
        turn = models.ExpressionWrapper(models.F("queued_at") + handicap, models.DateTimeField())
        return self.order_by(turn, "pk")

    def present(self) -> DocumentQuerySet:
        """Documents that have not been deleted."""
        return self.filter(removed_in=None)

    def not_fetched(self) -> DocumentQuerySet:
        """Without those that a source from elsewhere keeps in step with itself: these are no one's but the source's,
        whatever they are called."""
        return self.exclude(source_items__source__kind__in=REMOTE_KINDS)

    def not_synced(self) -> DocumentQuerySet:
        """Without those that any source keeps in step with itself, from a folder or from elsewhere."""
        return self.filter(source_items=None)

    def version(self, pk: uuid.UUID, *, sha256: str, title: str | None = None) -> DocumentQuerySet:
        """The document, as long as these bytes under this name (None: any) are still to be read."""
        rows = self.unfinished().filter(pk=pk, sha256=sha256)
        return rows if title is None else rows.filter(title=title)

    def new(self) -> DocumentQuerySet:
        """Documents of which nothing has been read: no version answers, and nothing is staged."""
        pages = Page.objects.filter(document=models.OuterRef("pk"))
        return self.filter(~models.Exists(pages), added_in=None, arrived_sha256="", is_unverified=False)

    def unfinished(self) -> DocumentQuerySet:
        return self.present().exclude(status__in=[DocumentStatus.READY, DocumentStatus.FAILED])


class Document(AuditedModel, Revisioned):
    """One source. `sha256` is the hash of the bytes that are to be read, `ready_sha256` of those that are live."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    knowledge_base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="documents")
    title = NameField(max_length=300)
    # Somebody gave the title: no heading of the document replaces it.
    is_named = models.BooleanField(default=False, db_default=False, editable=False)
    source_type = models.CharField(max_length=16, choices=SourceType.choices)
    file_name = NameField(max_length=300, blank=True, help_text="As it was called where it came from.")
    url = models.URLField(max_length=2000, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, editable=False)
    file_bytes = models.PositiveBigIntegerField(
        null=True, editable=False, help_text="Size of what is to be read. Null: not known."
    )
    ready_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    # What the version that answers was called and is read by, for when a newer one is given up.
    ready_file_name = NameField(max_length=300, blank=True, default="", db_default="", editable=False)
    ready_source_type = models.CharField(max_length=16, blank=True, default="", db_default="", editable=False)
    # Of the bytes whose pages and chunks are staged already, so that only their vectors are missing.
    arrived_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    status = models.CharField(
        max_length=16, choices=DocumentStatus.choices, default=DocumentStatus.QUEUED, editable=False
    )
    error_code = models.CharField(max_length=40, blank=True, editable=False)
    error = models.TextField(blank=True, editable=False)
    pages_total = models.PositiveIntegerField(null=True, editable=False)
    pages_done = models.PositiveIntegerField(default=0, editable=False)
    chunks_total = models.PositiveIntegerField(null=True, editable=False)
    chunks_done = models.PositiveIntegerField(default=0, editable=False)
    expected_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When the present stage ends, if the rest goes as fast as what is done. Null: not known yet.",
    )
    page_count = models.PositiveIntegerField(
        null=True, editable=False, help_text="Null where the source has no pages of its own."
    )
    language = models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        validators=[validate_language],
        help_text="Its code, such as “de”. Empty: not known.",
    )
    doc_type = models.CharField(max_length=60, blank=True)
    doc_date = models.DateField(null=True, blank=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    project = models.CharField(max_length=120, blank=True)
    doc_status = models.CharField("status of the content", max_length=60, blank=True)
    is_public = models.BooleanField(default=False)
    is_template = models.BooleanField(default=False)
    effective_from = models.DateField(null=True, blank=True)
    superseded_on = models.DateField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    # Its text came with a file of somebody else's, and has not been compared with the original yet.
    is_unverified = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    # When its waiting began: whatever is written on it meanwhile, its turn to be read comes no later.
    queued_at = models.DateTimeField(default=timezone.now, db_default=Now(), editable=False)

    objects = DocumentQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="document", name="title", person="knowledge_base__owner_id"),
        subject=Named(kind="base", pk="knowledge_base_id"),
        created=Action.DOCUMENT_ADDED,
        deleted=Action.DOCUMENT_DELETED,
        changed={
            "removed_in": Action.DOCUMENT_DELETED,
            "is_public": (Action.DOCUMENT_OPENED, Action.DOCUMENT_CLOSED),
            "is_template": (Action.TEMPLATE_MARKED, Action.TEMPLATE_UNMARKED),
        },
        named_if={"knowledge_base__kind": BaseKind.PLUGIN},
    )

    class Meta:
        ordering = ["title"]
        indexes = [
            models.Index(fields=["knowledge_base", "status"], name="document_base_status"),
            # The worker looks for unfinished documents when it starts.
            models.Index(
                fields=["status"],
                name="document_unfinished",
                condition=~models.Q(status__in=["ready", "failed"]),
            ),
        ]
        constraints = [
            # The same bytes are read once per knowledge base.
            models.UniqueConstraint(
                fields=["knowledge_base", "sha256"],
                name="document_bytes_once",
                condition=models.Q(removed_in=None) & ~models.Q(sha256=""),
            )
        ]

    def __str__(self) -> str:
        return self.title


class IsInSharedRelease(models.Func):
    """Whether the page is in a copy of a plugin that anybody may take.

    Takes the knowledge base, `added_in`, `removed_in`, whether the document is public, whether it is a template, the
    only plugins that count (null: all of them), and the ids of the grants that allow copies.
    """

    template = read_sql("knowledge", "read_by_shared")
    output_field = models.BooleanField()


class PageQuerySet(RevisionQuerySet):
    def visible_to(self, principal: Principal | None) -> PageQuerySet:
        """Pages whose text this person, this key or anybody at all (None) may read.

        These are the pages of the knowledge bases that they work on, and those that the latest release of a shared and
        published plugin reads, as a copy of it would.
        """
        plugins = principal.allowed_plugins() if isinstance(principal, ApiKey) else None
        base = models.F("document__knowledge_base_id")
        among = Cast(models.Value(plugins), ArrayField(models.UUIDField()))
        marks = (models.F("document__is_public"), models.F("document__is_template"))
        grants = ArraySubquery(KnowledgeGrant.objects.standing(Consent.SHARED).order_by().values("pk"))
        is_shared = IsInSharedRelease(base, models.F("added_in"), models.F("removed_in"), *marks, among, grants)
        if principal is None:
            return self.filter(is_shared)
        mine = written_out(KnowledgeBase.objects.visible_to(principal).values("pk"))
        return self.filter(models.Q(document__knowledge_base__in=mine) | models.Q(is_shared))


class Page(RecognisedText, Revisioned):
    """The text of one page as extracted. Never altered: a page that reads differently is a new row."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pages", db_index=False)
    number = models.PositiveIntegerField(help_text="From 1. A source without pages is one page, number 1.")
    text = models.TextField()
    label = models.CharField(
        max_length=MAX_LABEL_LENGTH,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="What people call it: “slide 3”, “sheet Prices, rows 2–40”. Empty where that is “page 3”.",
    )
    source_sha256 = models.CharField(max_length=64)
    # Of a file of a repository, whose text stands here line for line: where it was, and what was checked out then.
    repository_path = models.CharField(max_length=2000, blank=True, default="", db_default="", editable=False)
    commit = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    # As earlier versions kept the word boxes; `manage.py repack` packs what they left.
    words = models.JSONField(null=True, editable=False)
    packed_words = models.BinaryField(null=True, editable=False)
    # Its headings, [[start, level, title], …]; null where it was read before they were kept.
    headings = models.JSONField(null=True, editable=False)
    # Of a staged page after which an interrupted reading can go on: what the reader knew by then.
    reader_state = models.JSONField(null=True, editable=False)

    objects = PageQuerySet.as_manager()

    class Meta:
        ordering = ["document", "number"]
        # It also finds the pages of a document: the key has no index of its own.
        indexes = [models.Index(fields=["document", "number"], name="page_document_number")]

    def __str__(self) -> str:
        return f"{self.document} p. {self.number}"

    @property
    def has_word_boxes(self) -> bool:
        """Whether its words have places, as those of a PDF have."""
        return self.packed_words is not None or self.words is not None

    @property
    def word_boxes(self) -> list[list[float | int]] | None:
        """[[start, end, x0, top, x1, bottom], …], points from the top left corner."""
        from knowledge.packed_words import unpack_words  # NumPy: few processes that load the models read pages

        return self.words if self.packed_words is None else unpack_words(self.packed_words)

    @word_boxes.setter
    def word_boxes(self, boxes: WordBoxes | None) -> None:
        from knowledge.packed_words import pack_words

        self.words, self.packed_words = None, None if boxes is None else pack_words(boxes)


class Chunk(Revisioned):
    """A span of one page, `page.text[start:end] == content`: what is embedded, searched and cited from."""

    knowledge_base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="chunks")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks", db_index=False)
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField(help_text="From 0, in reading order of the document.")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    section_path = ArrayField(models.CharField(max_length=200), default=list)
    content = models.TextField()
    # How its document was called and made then: a release shows what it showed, whatever becomes of the document.
    document_title = NameField(max_length=300, blank=True, default="", db_default="")
    source_type = models.CharField(max_length=16, blank=True, default="", db_default="")
    is_paged = models.BooleanField(null=True, help_text="Whether its page has a number that people know.")
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of what is embedded: title path and content.")

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["document", "index"]
        indexes = [
            # Also finds the chunks of a document.
            models.Index(fields=["document", "index"], name="chunk_document_index"),
            # Finds a vector that can be reused instead of embedding the same text again.
            models.Index(fields=["knowledge_base", "content_hash"], name="chunk_content_hash"),
        ]

    def __str__(self) -> str:
        return f"{self.document} #{self.index}"

    @property
    def embedded_text(self) -> tuple[str, str]:
        """What the embedder reads: the title path and the content. A chunk that keeps no title has its document's."""
        return title_path(self.document_title or self.document.title, self.section_path), self.content


class Embedding(Revisioned):
    """One window of a chunk as a unit vector.

    Narrow on purpose, with PLAIN storage (set in the migration): beside the text the vector would move to
    TOAST and an exact scan would take three times as long. No global vector index exists: under a filter it
    silently loses neighbours. `knowledge/search/vector_index.py` gives large knowledge bases one of their own.
    `token_states` are what an answer is weighed by (`knowledge/embedders/packed_states.py`); they lie in TOAST.
    """

    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="embeddings", db_index=False)
    knowledge_base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    window = models.PositiveSmallIntegerField(default=0)
    # While a base moves to another embedder its chunks have vectors in two spaces: see knowledge/versions/reembed.py.
    space = models.PositiveSmallIntegerField(default=0, db_default=0)
    vector = HalfVectorField()
    token_states = models.BinaryField(null=True, editable=False)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        # Also finds the windows of a chunk.
        constraints = [models.UniqueConstraint(fields=["chunk", "space", "window"], name="embedding_window_once")]

    def __str__(self) -> str:
        return f"{self.chunk_id}/{self.window}"
