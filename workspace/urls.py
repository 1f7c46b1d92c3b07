from __future__ import annotations

from django.urls import URLPattern, path

from workspace import (
    conversations,
    documents,
    google_drive,
    knowledge_page,
    mail_preferences,
    message_views,
    organisation_invitations,
    organisation_sign_in,
    organisations,
    projects,
    reviews,
    run_pages,
    settings_page,
)


def _document_routes(root: str, prefix: str) -> list[URLPattern]:
    """The addresses of documents below a project, or below one's own."""
    return [
        path(f"{root}/documents", documents.list_documents, name=f"{prefix}_documents"),
        path(f"{root}/files", documents.add_files, name=f"{prefix}_files"),
        path(f"{root}/text", documents.add_pasted_text, name=f"{prefix}_text"),
        path(f"{root}/google-drive", google_drive.choose_drive_files, name=f"{prefix}_drive"),
        path(f"{root}/addresses", documents.add_addresses, name=f"{prefix}_addresses"),
        path(f"{root}/documents/<uuid:document>/review", reviews.new_review, name=f"{prefix}_review"),
        path(f"{root}/documents/<uuid:document>/compare", reviews.new_comparison, name=f"{prefix}_compare"),
        path(f"{root}/documents/<uuid:document>/retry", documents.retry_document, name=f"{prefix}_retry"),
        path(f"{root}/documents/<uuid:document>/delete", documents.remove_document, name=f"{prefix}_delete_document"),
    ]


urlpatterns = [
    path("chats", conversations.list_conversations, name="chats"),
    path("chats/new", conversations.begin_conversation, name="new_conversation"),
    path("chats/ask", message_views.ask, name="ask"),
    path("c/<uuid:conversation>", conversations.show_conversation, name="conversation"),
    path("c/<uuid:conversation>/runs/<uuid:run>", message_views.follow, name="follow_run"),
    path("c/<uuid:conversation>/runs/<uuid:run>/flow", run_pages.show_flow, name="run_flow"),
    path("c/<uuid:conversation>/runs/<uuid:run>/save", run_pages.save_draft, name="save_draft"),
    path("c/<uuid:conversation>/stop", message_views.stop, name="stop_run"),
    path("c/<uuid:conversation>/title", conversations.rename_conversation, name="rename_conversation"),
    path("c/<uuid:conversation>/delete", conversations.remove_conversation, name="delete_conversation"),
    path("settings/mail", mail_preferences.change_mail_preferences, name="mail_preferences"),
    path("mail/unsubscribe/<str:token>", mail_preferences.unsubscribe, name="unsubscribe"),
    path("projects", projects.list_projects, name="projects"),
    path("projects/<uuid:project>", projects.show_project, name="project"),
    path("projects/<uuid:project>/delete", projects.remove_project, name="delete_project"),
    path("projects/<uuid:project>/leave", projects.leave_project, name="leave_project"),
    path("projects/<uuid:project>/members", projects.save_member, name="save_member"),
    path("projects/<uuid:project>/members/remove", projects.remove_member, name="remove_member"),
    *_document_routes("projects/<uuid:project>", "project"),
    path("organisations", organisations.list_organisations, name="organisations"),
    path(
        "organisations/invitations/<uuid:invitation>/accept",
        organisation_invitations.accept_without_link,
        name="accept_organisation_invitation",
    ),
    path(
        "organisations/invitations/<str:token>",
        organisation_invitations.invitation_page,
        name="organisation_invitation",
    ),
    path("organisations/<uuid:organisation>", organisations.show_organisation, name="organisation"),
    path("organisations/<uuid:organisation>/invite", organisations.invite, name="invite_to_organisation"),
    path(
        "organisations/<uuid:organisation>/invitations/<uuid:invitation>/revoke",
        organisations.revoke_invitation,
        name="revoke_organisation_invitation",
    ),
    path(
        "organisations/<uuid:organisation>/members/<uuid:person>",
        organisations.change_member,
        name="change_organisation_member",
    ),
    path(
        "organisations/<uuid:organisation>/offers/<uuid:plugin>",
        organisations.answer_offer,
        name="answer_organisation_offer",
    ),
    path("organisations/sign-in", organisation_sign_in.find_provider, name="find_provider"),
    path(
        "organisations/<uuid:organisation>/sign-in",
        organisation_sign_in.sign_in_settings,
        name="organisation_sign_in",
    ),
    path("organisations/<uuid:organisation>/leave", organisations.leave, name="leave_organisation"),
    path("organisations/<uuid:organisation>/delete", organisations.remove, name="delete_organisation"),
    path("contracts/reviews/<uuid:review>", reviews.show_review, name="review"),
    path("contracts/reviews/<uuid:review>/findings", reviews.list_findings, name="review_findings"),
    path("contracts/reviews/<uuid:review>/findings/<int:number>", reviews.decide_finding, name="decide_finding"),
    path("contracts/reviews/<uuid:review>/retry", reviews.try_again, name="retry_review"),
    path("contracts/reviews/<uuid:review>/delete", reviews.remove_review, name="delete_review"),
    path("settings", settings_page.show_settings, name="settings"),
    path("knowledge", knowledge_page.show_knowledge, name="knowledge"),
    *_document_routes("knowledge", "own"),
]
