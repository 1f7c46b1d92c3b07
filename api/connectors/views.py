"""`/api/connectors/google-drive`: a person connects their Google Drive, and has files of it read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseRedirect
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from api.connectors import serializers
from api.documents.serializers import document_json
from api.fields import EmptySerializer, QueryParameters, validated
from api.knowledge.access import PrivateDocumentAccess, personal_documents
from api.permissions import BySession
from api.projects.access import project_documents
from api.views import PrivateView
from connectors import revocation
from connectors.authorization import begin_authorization, complete_authorization
from connectors.drive_access import open_connection
from connectors.drive_client import DriveClient
from connectors.drive_import import ImportResult, import_files
from knowledge.personal_knowledge_base import personal_knowledge_base
from lexic.errors import LexicError
from lexic.http.error_handlers import retry_headers

# What Google sends people back with; it sends more.
_SENT_BACK = ("state", "code", "error")


class DriveView(PrivateView):
    """For people who have signed in: no key reaches what somebody has elsewhere."""

    permission_classes = [BySession]


class DriveAuthorizeView(DriveView):
    @extend_schema(responses={302: None})
    def get(self, request: Request) -> HttpResponseRedirect:
        """Go to Google, which asks you whether your files may be read, and sends you back to the callback. Open it in a
        browser in which you have signed in."""
        QueryParameters.read(request)
        return HttpResponseRedirect(begin_authorization(request.session, self.user))


class DriveCallbackView(DriveView):
    @extend_schema(parameters=[OpenApiParameter(name, str) for name in _SENT_BACK], responses={302: None})
    def get(self, request: Request) -> HttpResponseRedirect:
        """Where Google sends you back. It keeps the connection, or says why there is none, and shows the page of your
        connections. It counts once, in the browser in which you began, for ten minutes."""
        said = {name: request.query_params.get(name, "") for name in _SENT_BACK}
        try:
            complete_authorization(
                request.session, self.user, state=said["state"], code=said["code"], refusal=said["error"]
            )
        except LexicError as error:
            messages.error(request._request, error.message_with_hint)
        else:
            messages.success(request._request, "Your Google Drive is connected.")
        return HttpResponseRedirect(reverse("connections"))


class DriveDisconnectView(DriveView):
    @extend_schema(request=EmptySerializer, responses=serializers.DriveDisconnectedSerializer)
    def post(self, request: Request) -> Response:
        """Forget the connection, and have Google take the permission back. Documents that were imported stay. Safe to
        repeat."""
        EmptySerializer.check(request)
        return Response({"isRevoked": revocation.disconnect(self.user)})


class DriveFilesView(DriveView):
    @extend_schema(parameters=[serializers.DriveFilesParameters], responses=serializers.DriveFilesSerializer)
    def get(self, request: Request) -> Response:
        """Files in your Google Drive, the last changed first. A page may hold fewer than `limit` although there is a
        `next`."""
        wanted = serializers.DriveFilesParameters.read(request)
        client = DriveClient(open_connection(self.user))
        found = client.list_files(name=wanted.get("q", ""), cursor=wanted.get("cursor", ""), limit=wanted["limit"])
        address = request.build_absolute_uri()
        following = replace_query_param(address, "cursor", found.next_cursor) if found.next_cursor else None
        body = {"results": found.entries, "next": following, "previous": None}
        return Response(serializers.DriveFilesSerializer(body).data)


class DriveImportView(DriveView):
    @extend_schema(request=serializers.DriveImportSerializer, responses={202: serializers.DriveImportResultsSerializer})
    def post(self, request: Request) -> Response:
        """Have files read: as documents of your own, or of a project that you may change. What was imported before
        becomes a new version of its document.

        202 with what became of each file. Where all were refused it is an error, with status and words of the first
        one's, and the `results` beside them. A Google Doc is read as the Word file that it is exported as; Slides and
        Sheets are refused.
        """
        body = validated(serializers.DriveImportSerializer(data=request.data))
        connection = open_connection(self.user)
        access = self._get_access(request, body.get("projectId"))
        results = import_files(connection, base=access.new_document_base(), file_ids=body["fileIds"])
        return _import_response(results, access)

    def _get_access(self, request: Request, project: UUID | None) -> PrivateDocumentAccess:
        """Raises `UnknownProject`, `ReadOnlyProject`."""
        if project:
            return project_documents(request, project)
        return personal_documents(self.principal, made=personal_knowledge_base(self.user))


def _import_response(results: list[ImportResult], access: PrivateDocumentAccess) -> Response:
    shown = [_result_json(one, access) for one in results]
    errors = [one.error for one in results if one.error]
    if len(errors) == len(results):
        body = {**errors[0].as_dict(), "results": shown}
        return Response(body, status=errors[0].status, headers=retry_headers(errors[0]))
    return Response({"results": shown}, status=202)


def _result_json(result: ImportResult, access: PrivateDocumentAccess) -> dict[str, Any]:
    return {
        "fileId": result.file_id,
        "fileName": result.file_name,
        "outcome": result.outcome,
        "document": document_json(result.document, access) if result.document else None,
        "error": result.error.as_dict() if result.error else None,
    }
