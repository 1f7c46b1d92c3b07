"""Input and output of the routes of documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from api.documents.access import DocumentAccessProtocol
from api.fields import QueryParameters, StrictBooleanField, StrictCharField, StrictListField, StrictSerializer
from api.pagination import page_serializer
from knowledge.documents.forms import MAX_TEXT_LENGTH
from knowledge.documents.metadata_columns import METADATA_COLUMNS
from knowledge.models import Document, DocumentStatus, SourceType
from knowledge.search.query_words import MAX_QUERY_CHARACTERS
from lexic.column_length import column_length
from lexic.http.parameters import MAX_SEARCH_LENGTH

MAX_TAGS = 50
MAX_METADATA_LENGTH = 20_000
IN_PROGRESS = "working"
MAX_INTEGER = 2_000_000_000
_MAX_PAGE_LENGTH = 200_000


class ReadingProgressSerializer(serializers.Serializer):
    """How far the reading has come. A total is null as long as nobody knows it."""

    pagesDone = serializers.IntegerField(source="pages_done")
    pagesTotal = serializers.IntegerField(source="pages_total", allow_null=True)
    chunksDone = serializers.IntegerField(source="chunks_done")
    chunksTotal = serializers.IntegerField(source="chunks_total", allow_null=True)
    expectedAt = serializers.DateTimeField(
        source="expected_at", allow_null=True, help_text="When the present stage ends, at the pace it goes now."
    )


class ReadingTroubleSerializer(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


class DocumentSerializer(serializers.Serializer):
    """A document. `status` is the stage its reading is at, `docStatus` what people say about its content.

    `isAnswering`: some version of it is part of answers, whatever becomes of a newer one. Needs `access` in the
    context.
    """

    id = serializers.UUIDField()
    title = serializers.CharField()
    sourceType = serializers.ChoiceField(SourceType.choices, source="source_type")
    fileType = serializers.ChoiceField(SourceType.choices, source="source_type", help_text="As `sourceType`.")
    fileName = serializers.CharField(source="file_name")
    url = serializers.CharField()
    sha256 = serializers.SerializerMethodField(help_text="Of the bytes last asked to be read.")
    status = serializers.ChoiceField(DocumentStatus.choices)
    progress = ReadingProgressSerializer(source="*")
    error = serializers.SerializerMethodField()
    isAnswering = serializers.SerializerMethodField()
    isUnverified = serializers.BooleanField(
        source="is_unverified",
        help_text="Its text came with a plugin's file, and was not compared with the original yet.",
    )
    pageCount = serializers.IntegerField(
        source="page_count", allow_null=True, help_text="Null where the source has no pages of its own."
    )
    language = serializers.CharField(help_text="Its code, such as “de”. Empty where it cannot be told.")
    docType = serializers.CharField(source="doc_type")
    docDate = serializers.DateField(source="doc_date", allow_null=True)
    docStatus = serializers.CharField(source="doc_status")
    tags = serializers.ListField(child=serializers.CharField())
    project = serializers.CharField()
    isPublic = serializers.BooleanField(source="is_public")
    isTemplate = serializers.BooleanField(source="is_template")
    effectiveFrom = serializers.DateField(source="effective_from", allow_null=True)
    supersededOn = serializers.DateField(source="superseded_on", allow_null=True)
    metadata = serializers.SerializerMethodField(help_text="`file` holds what the file says about itself.")
    knowledgeBase = serializers.CharField(source="knowledge_base.name")
    mayRead = serializers.SerializerMethodField(help_text="Whether its text and metadata are shown to you.")
    mayChange = serializers.SerializerMethodField()
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")

    @property
    def access(self) -> DocumentAccessProtocol:
        access: DocumentAccessProtocol = self.context["access"]
        return access

    def get_sha256(self, document: Document) -> str:
        return document.sha256 if self.access.may_read(document) else ""

    @extend_schema_field(ReadingTroubleSerializer(allow_null=True))
    def get_error(self, document: Document) -> dict[str, str] | None:
        if not document.error:
            return None
        return {"code": document.error_code, "message": document.error}

    def get_isAnswering(self, document: Document) -> bool:
        return document.added_in is not None

    def get_metadata(self, document: Document) -> dict[str, Any]:
        return document.metadata if self.access.may_read(document) else {}

    def get_mayRead(self, document: Document) -> bool:
        return self.access.may_read(document)

    def get_mayChange(self, document: Document) -> bool:
        return self.access.may_change(document)


def document_json(document: Document, access: DocumentAccessProtocol) -> dict[str, Any]:
    """The document as this caller sees it."""
    return dict(DocumentSerializer(document, context={"access": access}).data)


class DocumentCountsSerializer(serializers.Serializer):
    """How many there are in each state, whatever `status` asks for."""

    total = serializers.IntegerField()
    working = serializers.IntegerField(help_text="Neither ready nor failed.")
    queued = serializers.IntegerField()
    reading = serializers.IntegerField()
    chunking = serializers.IntegerField()
    embedding = serializers.IntegerField()
    ready = serializers.IntegerField()
    failed = serializers.IntegerField()


DocumentsSerializer = page_serializer("Documents", DocumentSerializer, counts=DocumentCountsSerializer)


class DocumentsParameters(QueryParameters):
    """Which documents are listed."""

    status = serializers.ChoiceField([*DocumentStatus.values, IN_PROGRESS], required=False)
    sourceType = serializers.ChoiceField(SourceType.choices, required=False)
    docType = serializers.CharField(max_length=column_length(Document, "doc_type"), required=False)
    tag = serializers.CharField(max_length=column_length(Document, "tags"), required=False)
    q = serializers.CharField(
        max_length=MAX_SEARCH_LENGTH, required=False, help_text="Part of a title, file name or address."
    )


class DocumentLabelsSerializer(StrictSerializer):
    """What people say about a document. What is left out stays as it is."""

    title = StrictCharField(
        max_length=column_length(Document, "title"), required=False, help_text="What citations call it."
    )
    docType = StrictCharField(
        source="doc_type", max_length=column_length(Document, "doc_type"), allow_blank=True, required=False
    )
    docDate = serializers.DateField(source="doc_date", allow_null=True, required=False)
    docStatus = StrictCharField(
        source="doc_status",
        max_length=column_length(Document, "doc_status"),
        allow_blank=True,
        required=False,
        help_text="Such as “in force”.",
    )
    tags = StrictListField(max_item_length=column_length(Document, "tags"), max_items=MAX_TAGS, required=False)
    project = StrictCharField(max_length=column_length(Document, "project"), allow_blank=True, required=False)
    isPublic = StrictBooleanField(source="is_public", required=False)
    isTemplate = StrictBooleanField(source="is_template", required=False)
    effectiveFrom = serializers.DateField(
        source="effective_from", allow_null=True, required=False, help_text="First day on which it is valid."
    )
    supersededOn = serializers.DateField(
        source="superseded_on",
        allow_null=True,
        required=False,
        help_text="First day on which it is no longer valid.",
    )
    metadata = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        required=False,
        help_text="Anything else. What the file says about itself, under `file`, is kept as it is.",
    )

    def validate_metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        metadata = {name: value for name, value in metadata.items() if name != "file"}
        if taken := sorted(metadata.keys() & set(METADATA_COLUMNS)):
            raise serializers.ValidationError(f"“{taken[0]}” has a field of its own.")
        if len(json.dumps(metadata)) > MAX_METADATA_LENGTH:
            raise serializers.ValidationError(f"At most {MAX_METADATA_LENGTH} characters of JSON.")
        return metadata

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first = attrs.get("effective_from", getattr(self.instance, "effective_from", None))
        last = attrs.get("superseded_on", getattr(self.instance, "superseded_on", None))
        if first and last and last <= first:
            raise serializers.ValidationError({"supersededOn": "This is not after the day from which it is valid."})
        return attrs

    @property
    def validated_labels(self) -> dict[str, Any]:
        """The valid labels, by column."""
        return {name: value for name, value in self.validated_data.items() if name in METADATA_COLUMNS}

    @property
    def document_options(self) -> dict[str, Any]:
        """Labels and other metadata, as the functions that add documents take them."""
        return {**self.validated_data.get("metadata", {}), **self.validated_labels}


class DocumentChangeSerializer(DocumentLabelsSerializer):
    """The same, and its language. What is only shown may come back: a client may get, change and put a document."""

    language = StrictCharField(
        max_length=column_length(Document, "language"),
        allow_blank=True,
        required=False,
        help_text="Its code, such as “de”: searching finds each form of a word in it. It is told on the first reading.",
    )

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            only_shown = DocumentSerializer().fields.keys() - self.fields.keys()
            data = {name: value for name, value in data.items() if name not in only_shown}
        return super().to_internal_value(data)


class NewDocumentSerializer(DocumentLabelsSerializer):
    """A document without a file: `url`, or `title` and `text`."""

    url = StrictCharField(
        max_length=column_length(Document, "url"),
        required=False,
        help_text="Of a public web page or file. The worker fetches it.",
    )
    text = StrictCharField(
        max_length=MAX_TEXT_LENGTH, trim_whitespace=False, required=False, help_text="Plain text or Markdown."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("url" in attrs) == ("text" in attrs):
            raise serializers.ValidationError("Send either url, or title and text.")
        if "text" in attrs and "title" not in attrs:
            raise serializers.ValidationError({"title": "A text needs a title, for citations to name it."})
        return super().validate(attrs)


class UploadSerializer(DocumentLabelsSerializer):
    """Files, as multipart/form-data. The labels hold for all of them; `tags` may be repeated or have commas,
    `metadata` is JSON."""

    file = serializers.ListField(child=serializers.FileField(), help_text="One or several.")


class NewVersionSerializer(StrictSerializer):
    """The bytes alone: what people say about the document stays, and is changed at its own address."""

    file = serializers.FileField()


class RefusalSerializer(serializers.Serializer):
    """Why a file did not come in."""

    error = serializers.CharField()
    code = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class UploadedSerializer(serializers.Serializer):
    """What became of one of several files. `outcome` is `created`; `unchanged`, when these bytes were read before;
    `reading`, when the document was there and these bytes are read now; or `refused`."""

    fileName = serializers.CharField()
    outcome = serializers.ChoiceField(["created", "unchanged", "reading", "refused"])
    document = DocumentSerializer(allow_null=True)
    error = RefusalSerializer(allow_null=True)


class UploadsSerializer(serializers.Serializer):
    results = UploadedSerializer(many=True)


# What came of adding: one document, or what became of each file.
ADDED_SCHEMA = PolymorphicProxySerializer(
    component_name="Added",
    serializers=[DocumentSerializer, UploadsSerializer],
    resource_type_field_name=None,
)


class DocumentPageSerializer(serializers.Serializer):
    """The text of a page as it was extracted; `text` is the part from `start` to `end`, of `length` characters."""

    number = serializers.IntegerField(help_text="From 1. A source without pages is one page.")
    pageLabel = serializers.CharField(
        source="label", help_text="What people call it, as “slide 3”; empty where that is “page 3”."
    )
    ocr = serializers.BooleanField(source="is_recognised", help_text="Whether it was recognised on a picture (OCR).")
    confidence = serializers.FloatField(
        allow_null=True, help_text="How surely OCR has read it, 0 to 1; null for other pages."
    )
    length = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField(source="piece", allow_blank=True, trim_whitespace=False)


class ChunkSerializer(serializers.Serializer):
    """A span of a page, `page.text[start:end] == content`: what is embedded, searched and cited from."""

    id = serializers.IntegerField()
    chunkIndex = serializers.IntegerField(source="index")
    pageNumber = serializers.SerializerMethodField(help_text="Null where the source has no pages of its own.")
    pageLabel = serializers.CharField(source="page_label", help_text="“slide 3”; empty where it is “page 3”.")
    sectionTitle = serializers.SerializerMethodField()
    sectionPath = serializers.ListField(child=serializers.CharField(), source="section_path")
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    content = serializers.CharField()

    def get_pageNumber(self, chunk: Any) -> int | None:
        return chunk.page_number if chunk.is_paged is not False else None

    def get_sectionTitle(self, chunk: Any) -> str | None:
        return chunk.section_path[-1] if chunk.section_path else None


DocumentPagesSerializer = page_serializer("DocumentPages", DocumentPageSerializer)
ChunksSerializer = page_serializer("Chunks", ChunkSerializer)


class PageExcerptParameters(QueryParameters):
    start = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER, default=0)
    length = serializers.IntegerField(min_value=1, max_value=_MAX_PAGE_LENGTH, default=_MAX_PAGE_LENGTH)


class SearchParameters(QueryParameters):
    q = serializers.CharField(max_length=MAX_QUERY_CHARACTERS)
    limit = serializers.IntegerField(min_value=1, max_value=50, default=20)
    document = serializers.UUIDField(required=False, help_text="Look into this document alone.")


class FindingSerializer(serializers.Serializer):
    """A passage. `cosine` ranks by meaning, `lexical` by words, `score` by both; an answer is made from those that
    are read, and `whyNot` says why another is not."""

    documentId = serializers.UUIDField()
    document = serializers.CharField()
    pageNumber = serializers.IntegerField(allow_null=True)
    pageLabel = serializers.CharField(help_text="“slide 3”; empty where it is “page 3”.")
    sectionPath = serializers.ListField(child=serializers.CharField())
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    content = serializers.CharField(allow_null=True, help_text="Null where the text is not yours to read.")
    url = serializers.CharField(allow_null=True)
    cosine = serializers.FloatField(allow_null=True)
    lexical = serializers.FloatField()
    score = serializers.FloatField()
    isRead = serializers.BooleanField()
    whyNot = serializers.CharField(allow_blank=True)
    matched = serializers.ListField(child=serializers.CharField(), help_text="Words of the question.")


class FindingsSerializer(serializers.Serializer):
    query = serializers.CharField()
    topK = serializers.IntegerField()
    threshold = serializers.FloatField()
    results = FindingSerializer(many=True)
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Words of the question that no passage found has."
    )
