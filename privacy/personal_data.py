"""Decides for every model that refers to a person what their data export contains, and whether it outlives the account.

A test walks all models: a new one that refers to a person has to be decided on here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PersonalDataRule:
    """`file` of the export holds these `columns` of the rows (empty: `why` not). `stays`: the row outlives the person,
    without them."""

    file: str = ""
    columns: tuple[str, ...] = ()
    extra_lookups: tuple[str, ...] = ()
    reason_omitted: str = ""
    outlives_account: bool = False


_AUTHORSHIP_REASON = "who did it, beside what was done, which the plugin's own file holds"

# By model and field. Columns are named one by one, so that a secret that a model gets some day is not among them.
PERSONAL_DATA_RULES: dict[str, PersonalDataRule] = {
    "account.EmailAddress.user": PersonalDataRule(file="addresses", columns=("email", "verified", "primary")),
    "socialaccount.SocialAccount.user": PersonalDataRule(
        file="connected_accounts", columns=("provider", "uid", "date_joined", "last_login", "extra_data")
    ),
    "connectors.DriveConnection.user": PersonalDataRule(
        file="connected_google_drive", columns=("account_email", "connected_at")
    ),
    "notifications.MailPreferences.user": PersonalDataRule(
        file="mail_preferences", columns=("weekly_digest", "failed_files", "refusals", "refused_percent")
    ),
    "notifications.NotificationMail.user": PersonalDataRule(
        file="notification_mails", columns=("kind", "key", "created_at", "sent_at")
    ),
    "mfa.Authenticator.user": PersonalDataRule(file="second_steps", columns=("type", "created_at", "last_used_at")),
    "usersessions.UserSession.user": PersonalDataRule(
        file="sessions", columns=("created_at", "last_seen_at", "ip", "user_agent")
    ),
    "admin.LogEntry.user": PersonalDataRule(
        file="builder_log", columns=("action_time", "object_repr", "action_flag", "change_message")
    ),
    "accounts.ApiKey.owner": PersonalDataRule(
        file="keys",
        columns=(
            "id",
            "name",
            "prefix",
            "capabilities",
            "per_minute",
            "per_day",
            "created_at",
            "expires_at",
            "last_used_at",
            "revoked_at",
        ),
    ),
    "accounts.AuthorizedClient.user": PersonalDataRule(
        file="programs_let_in", columns=("application__name", "application__client_id", "key_id", "authorized_at")
    ),
    # Of programs that somebody registered by hand. Those that register themselves name nobody.
    "oauth2_provider.Application.user": PersonalDataRule(
        file="programs_registered", columns=("client_id", "name", "redirect_uris", "created")
    ),
    "oauth2_provider.AccessToken.user": PersonalDataRule(
        file="program_access_tokens", columns=("application__client_id", "scope", "resource", "created", "expires")
    ),
    "oauth2_provider.RefreshToken.user": PersonalDataRule(
        file="program_refresh_tokens", columns=("application__client_id", "resource", "created", "revoked")
    ),
    "oauth2_provider.Grant.user": PersonalDataRule(reason_omitted="codes that work for a minute, once"),
    "oauth2_provider.IDToken.user": PersonalDataRule(reason_omitted="nothing here makes one"),
    "oauth2_provider.DeviceGrant.user": PersonalDataRule(reason_omitted="nothing here makes one"),
    "accounts.Reveal.by": PersonalDataRule(file="keys_revealed", columns=("key_id", "at"), outlives_account=True),
    "plugins.Plugin.owner": PersonalDataRule(
        file="plugins",
        columns=(
            "id",
            "slug",
            "name",
            "version",
            "is_published",
            "visibility",
            "is_shared",
            "created_at",
            "updated_at",
        ),
    ),
    "plugins.Plugin.editors": PersonalDataRule(file="plugins_edited", columns=("slug", "name")),
    "plugins.Plugin.viewers": PersonalDataRule(file="plugins_viewed", columns=("slug", "name")),
    "plugins.Invitation.invited_by": PersonalDataRule(
        file="invitations",
        columns=("plugin_id", "email", "role", "created_at", "expires_at"),
        outlives_account=True,
    ),
    "plugins.OwnershipOffer.to": PersonalDataRule(file="plugins_offered", columns=("plugin_id", "created_at")),
    "organisations.Membership.user": PersonalDataRule(
        file="organisations",
        columns=("organisation_id", "organisation__name", "role", "created_at", "signed_in_at"),
    ),
    "organisations.ProvisionedPerson.user": PersonalDataRule(
        file="directory_entries",
        columns=(
            "organisation_id",
            "organisation__name",
            "user_name",
            "external_id",
            "attributes",
            "created_at",
            "updated_at",
        ),
    ),
    "organisations.DirectoryToken.created_by": PersonalDataRule(
        reason_omitted=_AUTHORSHIP_REASON, outlives_account=True
    ),
    "organisations.MembershipInvitation.invited_by": PersonalDataRule(
        file="organisation_invitations",
        columns=("organisation_id", "email", "role", "created_at", "expires_at"),
        outlives_account=True,
    ),
    "plugins.Release.created_by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "marketplace.PublishingRun.requested_by": PersonalDataRule(
        reason_omitted=_AUTHORSHIP_REASON, outlives_account=True
    ),
    "webhooks.Webhook.created_by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "trees.DecisionTree.changed_by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "querying.Dismissal.by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "knowledge.PageCorrection.by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "knowledge.KnowledgeBase.owner": PersonalDataRule(
        file="knowledge_bases", columns=("id", "kind", "name", "embedder", "language", "created_at")
    ),
    "knowledge.KnowledgeGrant.granted_to": PersonalDataRule(
        file="knowledge_grants",
        columns=("knowledge_base_id", "plugin_id", "consent", "requested_at", "granted_at", "ended_at"),
        outlives_account=True,
    ),
    "knowledge.KnowledgeGrant.granted_by": PersonalDataRule(reason_omitted=_AUTHORSHIP_REASON, outlives_account=True),
    "querying.Query.user": PersonalDataRule(
        file="questions",
        columns=(
            "id",
            "created_at",
            "release_name",
            "api_key_id",
            "question",
            "context",
            "options",
            "facts",
            "answer",
            "citations",
            "decision_path",
            "confidence",
            "outcome",
            "reason",
            "cost",
        ),
        extra_lookups=("api_key__owner",),
        outlives_account=True,
    ),
    "querying.MonthlyCost.user": PersonalDataRule(file="monthly_costs", columns=("month", "cost")),
    "conversations.Project.owner": PersonalDataRule(
        file="projects", columns=("id", "name", "description", "plugin_id", "created_at", "updated_at")
    ),
    "conversations.ChatSession.user": PersonalDataRule(
        file="chats",
        columns=(
            "plugin_id",
            "project_id",
            "title",
            "created_at",
            "last_used_at",
            "messages__role",
            "messages__content",
        ),
    ),
    # What the agent wrote stands in the conversation; its journal quotes documents that may have been closed since.
    "agents.AgentRun.user": PersonalDataRule(
        file="agent_runs",
        columns=(
            "id",
            "session_id",
            "message__content",
            "release_name",
            "agent_type",
            "state",
            "model",
            "tokens",
            "cost",
            "error",
            "created_at",
            "ended_at",
        ),
    ),
    "querying.Feedback.user": PersonalDataRule(file="feedback", columns=("query_id", "verdict", "note", "created_at")),
    # Until the reply was mailed. The addresses of visitors are in rows that name nobody, and are erased by then too.
    "querying.ExpertRequest.user": PersonalDataRule(
        file="questions_to_experts", columns=("query_id", "created_at", "reply", "replied_by", "replied_at")
    ),
    "contracts.ContractReview.created_by": PersonalDataRule(
        file="contract_reviews",
        columns=("id", "document_id", "kind", "side", "playbook_name", "state", "classification", "created_at"),
        outlives_account=True,
    ),
    "contracts.Finding.decided_by": PersonalDataRule(
        file="findings_decided",
        columns=("review_id", "number", "decision", "note", "decided_at"),
        outlives_account=True,
    ),
    "marketplace.ReleaseApproval.requested_by": PersonalDataRule(
        file="approvals_requested", columns=("plugin_id", "state", "note", "requested_at"), outlives_account=True
    ),
    "marketplace.ReleaseApproval.decided_by": PersonalDataRule(
        file="approvals_decided", columns=("plugin_id", "state", "comment", "decided_at"), outlives_account=True
    ),
    "marketplace.Install.installed_by": PersonalDataRule(
        file="installs",
        columns=("copy_id", "original_name", "original_author", "version", "created_at"),
        outlives_account=True,
    ),
    "marketplace.Review.author": PersonalDataRule(
        file="reviews",
        columns=("plugin_id", "verdict", "text", "reply", "replied_at", "is_hidden", "created_at", "updated_at"),
    ),
    "marketplace.Report.reporter": PersonalDataRule(
        file="reports",
        columns=("plugin_id", "review_id", "reason", "text", "outcome", "created_at"),
        outlives_account=True,
    ),
    "marketplace.Report.decided_by": PersonalDataRule(
        file="reports_decided",
        columns=("plugin_id", "review_id", "reason", "outcome", "decided_at"),
        outlives_account=True,
    ),
}
