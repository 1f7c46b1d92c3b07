"""The words of the chunks and how many chunks have each: what lexical search reads."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from knowledge.revisioned_models import Revisioned, RevisionQuerySet


class Term(models.Model):
    """A stemmed word of one knowledge base. Its id stands for it in `ChunkTerms`, so that no posting list of the
    index mixes two knowledge bases."""

    knowledge_base = models.ForeignKey(
        "knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    text = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "text"], name="term_once")]

    def __str__(self) -> str:
        return self.text


class TermStem(models.Model):
    """The stem that a term has in the language of a document that uses it.

    Terms in Latin letters have English stems, whatever language they are in, so that one index serves all. In which
    forms the documents use a word of another language, these rows say (`knowledge/search/inflections.py`).
    """

    knowledge_base = models.ForeignKey(
        "knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    term = models.ForeignKey(Term, on_delete=models.CASCADE, related_name="+", db_index=False)
    language = models.CharField(max_length=8)
    stem = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["term", "language"], name="term_stem_once")]
        indexes = [models.Index(fields=["knowledge_base", "stem"], name="term_stem_of_base")]

    def __str__(self) -> str:
        return f"{self.term_id} {self.language}: {self.stem}"


class TermCount(models.Model):
    """In how many chunks a term occurs, from this revision on until the next row of the same term."""

    term = models.ForeignKey(Term, on_delete=models.CASCADE, related_name="counts", db_index=False)
    revision = models.PositiveIntegerField()
    document_frequency = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["term", "revision"], name="term_count_once")]

    def __str__(self) -> str:
        return f"{self.term_id} r{self.revision}: {self.document_frequency}"


class ChunkTerms(Revisioned):
    """The words of a chunk and its title path: ids of `Term`, and how often each occurs, in the same order."""

    chunk = models.OneToOneField("knowledge.Chunk", on_delete=models.CASCADE, primary_key=True, related_name="terms")
    knowledge_base = models.ForeignKey("knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey("knowledge.Document", on_delete=models.CASCADE, related_name="+")
    terms = ArrayField(models.IntegerField())
    counts = ArrayField(models.SmallIntegerField())
    length = models.PositiveIntegerField(help_text="In words, stop words left out.")

    objects = RevisionQuerySet.as_manager()

    class Meta:
        indexes = [GinIndex(fields=["terms"], name="chunk_terms_gin", fastupdate=False)]

    def __str__(self) -> str:
        return f"terms of chunk {self.chunk_id}"
