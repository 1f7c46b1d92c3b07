"""What retrieval would give an answer to read, with both of its rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.lookup import DocumentAccess, get_document_access
from api.documents.serializers import FindingsSerializer, SearchParameters
from api.views import AuthorView
from language.word_matching import terms_by_word
from querying.releases import snapshot
from querying.retrieval.search_explanation import ExplainedPassage, explain_search


class SearchView(AuthorView):
    @extend_schema(parameters=[SearchParameters], responses=FindingsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """Passages of the draft's knowledge for a question, also those that its policy would leave out."""
        reach = get_document_access(request, plugin)
        said = SearchParameters.read(request)
        only = reach.document(said["document"]).pk if "document" in said else None
        probed = explain_search(snapshot(reach.plugin), said["q"], document_id=only)
        words = terms_by_word(said["q"])
        answer = {
            "query": said["q"],
            "topK": reach.plugin.top_k,
            "threshold": reach.plugin.threshold,
            "results": [_finding_json(finding, reach, words) for finding in probed.findings[: said["limit"]]],
            "missing": list(probed.missing),
        }
        return Response(FindingsSerializer(answer).data)


def _finding_json(
    finding: ExplainedPassage, reach: DocumentAccess, words: Mapping[str, set[str]]
) -> dict[str, Any]:
    passage = finding.passage
    may_read = passage.knowledge_base_id in reach.readable
    span = urlencode({"start": passage.start, "end": passage.end})
    return {
        "documentId": passage.document_id,
        "document": passage.document_title,
        "pageNumber": passage.page_number,
        "sectionPath": list(passage.section_path),
        "start": passage.start,
        "end": passage.end,
        "content": passage.content if may_read else None,
        "url": f"{reverse('source', args=[passage.page_id])}?{span}" if may_read else None,
        "cosine": passage.cosine,
        "lexical": passage.lexical,
        "score": passage.score,
        "isRead": finding.is_read,
        "whyNot": finding.why_not,
        "matched": [word for word, counted in words.items() if not counted.isdisjoint(finding.matched)],
    }
