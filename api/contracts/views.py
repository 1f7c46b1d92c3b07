"""`/api/contract-reviews` and `/api/playbooks`: contracts read against a playbook, by a worker."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Principal, User
from api.contracts import serializers
from api.contracts.access import get_contract
from api.fields import EmptySerializer, QueryParameters, validated
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import DefaultPagination, page_response
from api.views import PrivateView
from contracts.models import ContractReview
from contracts.playbook.playbook_sources import (
    playbook_documents,
    read_playbook_summaries,
    shipped_keys,
    shipped_playbook,
    summary_of,
)
from contracts.report.report_formats import write_report
from contracts.review.start_review import retry_review, start_review
from contracts.review_access import UnknownFinding, find_finding, find_review
from knowledge.readers.formats import DOCX_MEDIA_TYPE
from querying.question.user_limits import check_user_limit

_EXPORTS = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    (200, "text/markdown"): OpenApiTypes.STR,
    (200, "text/html"): OpenApiTypes.STR,
    (200, "text/csv"): OpenApiTypes.STR,
    (200, DOCX_MEDIA_TYPE): OpenApiTypes.BINARY,
}


def check_person_limit(principal: Principal) -> None:
    """Counts what a person asks of a worker; a key has its own limits. Raises `UserRateLimited`."""
    if isinstance(principal, User):
        check_user_limit(principal)


class ContractReviewsView(PrivateView):
    ordering = ("-created_at", "pk")

    def check_replay(self, request: Request) -> None:
        fields = validated(serializers.NewContractReviewSerializer(data=request.data))
        get_contract(self.principal, fields["documentId"])

    @extend_schema(
        parameters=[serializers.ContractReviewsParameters], responses=serializers.ContractReviewSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        """The reviews of documents that you may read, the newest first."""
        wanted = serializers.ContractReviewsParameters.read(request)
        reviews = ContractReview.objects.visible_to(self.principal).select_related("document")
        # The texts are of no use in a list.
        reviews = reviews.defer("playbook_text", "playbook_fields", "structure", "obligations", "escalations")
        if document := wanted.get("documentId"):
            reviews = reviews.filter(document=document)
        return page_response(self, reviews, serializers.ContractReviewSerializer, has_parameters=True)

    @extend_schema(
        request=serializers.NewContractReviewSerializer, responses={202: serializers.ContractReviewSerializer}
    )
    def post(self, request: Request) -> Response:
        """Begin a review of a document that you may change, against a playbook. A worker makes it: its findings come
        one by one, and `state` says when it is done."""
        maker = self.get_maker()
        fields = validated(serializers.NewContractReviewSerializer(data=request.data))
        document = get_contract(self.principal, fields["documentId"])
        check_person_limit(self.principal)
        earlier = fields.get("compareWith")
        compared = get_contract(self.principal, earlier, for_reading=True) if earlier else None
        review = start_review(
            document,
            by=maker,
            principal=self.principal,
            playbook=fields.get("playbook", ""),
            side=fields.get("side", ""),
            compare_with=compared,
        )
        shown = serializers.ContractReviewSerializer(review).data
        return Response(shown, status=202, headers={"Location": f"/api/contract-reviews/{review.pk}"})


class ContractReviewView(PrivateView):
    @extend_schema(parameters=[serializers.ContractReviewParameters], responses=serializers.OneContractReviewSerializer)
    def get(self, request: Request, review: UUID) -> Response:
        """One review with its findings, as far as they have come. Each quotes the contract and the playbook."""
        wanted = serializers.ContractReviewParameters.read(request)
        shown = serializers.OneContractReviewSerializer(find_review(self.principal, review)).data
        if wanted.get("include") != "structure":
            del shown["structure"]
        return Response(shown)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, review: UUID) -> Response:
        """Delete it with its findings. The document stays."""
        find_review(self.principal, review, for_editing=True).delete()
        return Response(status=204)


class RetryReviewView(PrivateView):
    def check_replay(self, request: Request) -> None:
        find_review(self.principal, self.kwargs["review"], for_editing=True)

    @extend_schema(request=EmptySerializer, responses={202: serializers.ContractReviewSerializer})
    def post(self, request: Request, review: UUID) -> Response:
        """Try again what failed; it goes on behind its last finding. Safe to repeat."""
        found = find_review(self.principal, review, for_editing=True)
        EmptySerializer.check(request)
        check_person_limit(self.principal)
        retry_review(found, by=self.user)
        return Response(serializers.ContractReviewSerializer(found).data, status=202)


class FindingView(PrivateView):
    @extend_schema(request=serializers.FindingDecisionSerializer, responses=serializers.ContractFindingSerializer)
    def patch(self, request: Request, review: UUID, finding: int) -> Response:
        """Say what you make of a finding. Decisions teach: later reviews by the same playbook regard them."""
        found = find_finding(self.principal, review, finding)
        fields = validated(serializers.FindingDecisionSerializer(data=request.data))
        if not found.decide(fields["decision"] or "", note=fields.get("note", found.note), by=self.user):
            raise UnknownFinding
        return Response(serializers.ContractFindingSerializer(found).data)


class ReviewExportView(PrivateView):
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(parameters=[serializers.ExportParameters], responses=_EXPORTS)
    def get(self, request: Request, review: UUID) -> HttpResponse:
        """The review as a file: its report as JSON, Markdown or HTML, or the obligations and dates of the contract as a
        table (`csv`), each quoted with its place. `docx` is a copy of an uploaded Word file with comments for
        findings and tracked changes for accepted suggestions, `docx-comments` one with comments only; for another
        original both are a new file that says so."""
        wanted = serializers.ExportParameters.read(request)
        found = find_review(self.principal, review)
        made = write_report(found, wanted["format"])
        name = f"{found.document.title}.{made.suffix}"
        headers = {"Content-Disposition": content_disposition_header(True, name) or "attachment"}
        return HttpResponse(made.content, content_type=made.content_type, headers=headers)


class PlaybooksView(PrivateView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.PlaybookSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The playbooks that a review may name: those that ship with Lexic, on the first page, and your documents that
        are marked as one."""
        QueryParameters.read(request)
        pages = DefaultPagination()
        page = pages.paginate_queryset(playbook_documents(self.principal), request, self) or []
        shipped = [(key, None, summary_of(shipped_playbook(key).playbook)) for key in shipped_keys()]
        rows = [] if "cursor" in request.query_params else [serializers.playbook_row(*one) for one in shipped]
        heads = zip(page, read_playbook_summaries(page), strict=True)
        rows += [serializers.playbook_row(str(document.pk), document.pk, head) for document, head in heads]
        return pages.get_paginated_response(serializers.PlaybookSerializer(rows, many=True).data)
