"""The query log, to be read: what was asked, what was answered, and why."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.signed_in_request import signed_in_user
from knowledge.citation_url import source_path
from knowledge.models import Chunk
from lexic.scoped_admin import ReadOnlyAdmin, column
from lexic.short_text import shorten
from plugins.admin_display import change_link, json_block, key_value_table, text_block
from querying.models import Query
from querying.presentation import answer_text
from querying.query_log.quotations import withhold_quotations
from querying.types.answer import Outcome


@admin.register(Query)
class QueryAdmin(ReadOnlyAdmin):
    list_title = "Questions asked"
    list_display = [
        "question_start",
        "shown_outcome",
        "confidence",
        column("release_name", "release"),
        "took",
        column("created_at", "asked"),
    ]
    list_filter = [
        "outcome",
        "confidence",
        ("plugin", admin.RelatedOnlyFieldListFilter),
        ("created_at", admin.DateFieldListFilter),
    ]
    not_in_lists = ("answer", "citations", "context", "decision_path", "facts", "knowledge", "passages", "plan")
    # Not the answer: whoever searches it learns of quotations that are withheld from them.
    search_fields = ["question"]
    search_help_text = "Words of the question."
    date_hierarchy = "created_at"
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "shown_question",
                    "shown_answer",
                    "sources",
                    "shown_outcome",
                    "shown_confidence",
                    "shown_path",
                    "known_facts",
                ]
            },
        ),
        ("What it was asked of", {"fields": ["of_plugin", "release_name", "created_at", "asked_by"]}),
        ("Why", {"fields": ["shown_evidence", "passages_read", "shown_context", "shown_options"]}),
        ("How", {"fields": ["took", "shown_timings", "written_by", "tokens"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Query | None = None) -> Any:
        """An author reads what was asked of a plugin, not who asked: their address and key are theirs."""
        person = signed_in_user(request)
        is_theirs = obj is not None and person.pk in (obj.user_id, obj.api_key and obj.api_key.owner_id)
        if is_theirs or person.is_superuser:
            return self.fieldsets
        return [
            (name, {"fields": [field for field in of["fields"] if field != "asked_by"]}) for name, of in self.fieldsets
        ]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Query | None:
        """The row without the quotations that this person may not read."""
        row = super().get_object(request, object_id, from_field)
        return withhold_quotations([row], viewer=signed_in_user(request))[0] if row else None

    # --- Question and answer -----------------------------------------------------------------------------

    @admin.display(description="question", ordering="question")
    def question_start(self, query: Query) -> str:
        return shorten(query.question, 80)

    @admin.display(description="question")
    def shown_question(self, query: Query) -> SafeString:
        return text_block(query.question)

    @admin.display(description="answer")
    def shown_answer(self, query: Query) -> SafeString:
        return text_block(query.answer or query.error or "none")

    @admin.display(description="sources")
    def sources(self, query: Query) -> SafeString | str:
        """What is withheld links nowhere and quotes nothing."""
        rows = (
            (source.url, source.document, source.place, source.excerpt)
            for source in map(answer_text.source_link, query.citations)
        )
        row = '<li><a href="{}">{}</a>, {}<div class="lx-text">{}</div></li>'
        cited = format_html_join("", row, rows)
        return format_html('<ol class="lx-sources">{}</ol>', cited) if cited else "none"

    @admin.display(description="outcome", ordering="outcome")
    def shown_outcome(self, query: Query) -> str:
        return f"{query.outcome} ({query.reason})" if query.reason else query.outcome

    @admin.display(description="decision path")
    def shown_path(self, query: Query) -> SafeString | str:
        return (
            key_value_table(answer_text.path_steps(query.decision_path)) if query.decision_path else "no tree was asked"
        )

    @admin.display(description="facts")
    def known_facts(self, query: Query) -> SafeString | str:
        return key_value_table(query.facts.items()) if query.facts else "none"

    # --- Of what, by whom --------------------------------------------------------------------------------

    @admin.display(description="plugin")
    def of_plugin(self, query: Query) -> SafeString | str:
        if query.is_private:
            return "asked in private: only you see this"
        return change_link("plugins_plugin", str(query.plugin), query.plugin_id) if query.plugin else "it is gone"

    @admin.display(description="asked by")
    def asked_by(self, query: Query) -> str:
        way = f"with the key {query.api_key}" if query.api_key else "by hand"
        return f"{query.user or 'somebody who is gone'}, {way}"

    # --- Why and how -------------------------------------------------------------------------------------

    @admin.display(description="evidence")
    def shown_evidence(self, query: Query) -> str:
        if query.evidence is None:
            return "none was weighed"
        shown = f"{query.evidence:.2f} of 1 for the best sentence"
        if query.evidence_score is not None:
            shown += f", {query.evidence_score:.2f} less the signs of contradiction, which decides"
        return shown

    @admin.display(description="confidence", ordering="confidence")
    def shown_confidence(self, query: Query) -> str:
        if query.outcome != Outcome.ANSWERED:
            return "none was stated"
        calibrated = "not calibrated" if query.probability is None else f"right with {query.probability:.2f}"
        return f"{query.confidence} ({calibrated})"

    @admin.display(description="chunks read")
    def passages_read(self, query: Query) -> SafeString | str:
        """Best first. Each links to its place on the page, unless the chunk is gone."""
        chunks = Chunk.objects.in_bulk([passage["chunk"] for passage in query.passages])
        return key_value_table(
            (_chunk_link(passage["chunk"], chunks.get(passage["chunk"])), _scores_text(passage))
            for passage in query.passages
        )

    @admin.display(description="earlier turns")
    def shown_context(self, query: Query) -> SafeString | str:
        return json_block(query.context) if query.context else "none"

    @admin.display(description="options")
    def shown_options(self, query: Query) -> SafeString:
        return key_value_table((name, "default" if value is None else value) for name, value in query.options.items())

    @admin.display(description="time", ordering="latency_ms")
    def took(self, query: Query) -> str:
        return f"{query.latency_ms / 1000:.1f} s"

    @admin.display(description="by step")
    def shown_timings(self, query: Query) -> SafeString:
        return key_value_table((step, f"{milliseconds} ms") for step, milliseconds in query.timings.items())

    @admin.display(description="written by")
    def written_by(self, query: Query) -> str:
        return f"{query.llm}; chunks found with the embedder {query.embedder or 'of nobody'}"

    @admin.display(description="tokens")
    def tokens(self, query: Query) -> str:
        return f"{query.prompt_tokens} read, {query.completion_tokens} written"


def _chunk_link(pk: int, chunk: Chunk | None) -> SafeString | str:
    if chunk is None:
        return f"chunk {pk}"
    return format_html('<a href="{}">chunk {}</a>', source_path(chunk.page_id, start=chunk.start, end=chunk.end), pk)


def _scores_text(passage: dict[str, Any]) -> str:
    parts = ((name, passage.get(name)) for name in ("score", "cosine", "lexical"))
    return ", ".join(f"{name} {value:.2f}" for name, value in parts if isinstance(value, (int, float)))
