"""A person leaves: what is theirs goes with them, and what must stay no longer names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Q

from accounts import avatars
from accounts.email_addresses import confirmed_addresses
from accounts.models import ApiKey, User
from audit.models import AuditName
from connectors.revocation import disconnect_on_commit
from contracts.models import ContractReview
from conversations.models import ChatSession, Project
from knowledge import task_queue
from knowledge.models import BaseMember, Document, KnowledgeBase
from lexic.errors import Conflict
from marketplace.models import Install, Review
from marketplace.publishing.member_departure import leave_all, lock_organisations_of, organisations_without_other_owner
from marketplace.publishing.membership import end_lapsed_grants
from organisations.models import MembershipInvitation, Organisation
from plugins import collaborators
from plugins.models import Invitation, Plugin
from plugins.retention import UnderLegalHold
from privacy.plugin_deletion import (
    count_private_answers,
    delete_plugin,
    enqueue_file_deletion,
    erase_quotations,
    plugins_that_read,
)
from querying.models import ExpertRequest, Feedback, Query
from querying.query_log.spending import count_spending, spending_lost_with

DELETED_AUTHOR_NAME = "an author who left"


class LastOperator(Conflict):
    """You are the only operator of this site."""

    code = "last_operator"
    hint = "Make somebody else a superuser, then delete the account."


class PluginsUnderLegalHold(UnderLegalHold):
    """A plugin that would lose something is under legal hold, so the account stays."""

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        names = ", ".join(f"“{plugin.name}”" for plugin in plugins)
        super().__init__(f"Under legal hold, so that the account stays: {names}.")


@dataclass(frozen=True, kw_only=True)
class AccountDeletion:
    """What goes with an account: `plugins` with so many `documents` and `plugin_questions`, the person's keys, reviews
    and chats, and the `contract_reviews` of the person's documents or by their playbooks, whoever made them. Those that
    the person made of documents of others, `contract_reviews_left`, stay without a name. `private_answers` are those in
    conversations of others that quote the documents, as `count_private_answers` counts them. `readers` are plugins of
    others, which lose the documents that they read from the person's knowledge bases. `questions` to other people's
    plugins stay without a name. `held` plugins and `organisations` without another owner keep the account from going.
    """

    plugins: tuple[Plugin, ...]
    projects: int
    documents: int
    plugin_questions: int
    keys: int
    reviews: int
    chats: int
    questions: int
    contract_reviews: int
    contract_reviews_left: int
    private_answers: int
    readers: tuple[Plugin, ...]
    held: tuple[Plugin, ...]
    organisations: tuple[Organisation, ...]


def account_deletion(user: User) -> AccountDeletion:
    """What deleting the account deletes, for the page that asks for a confirmation."""
    bases = KnowledgeBase.objects.filter(owner=user, plugin__organisation=None)
    plugins = (
        Plugin.objects.filter(owner=user, organisation=None).order_by("name").only("name", "is_published", "legal_hold")
    )
    readers = plugins_that_read(bases.values_list("pk", flat=True)).exclude(owner=user, organisation=None)
    # Private ones name no plugin, and go with the account.
    asked = Query.objects.filter(Q(user=user) | Q(api_key__owner=user), is_private=False)
    contract_reviews = ContractReview.objects.that_read_bases(bases.values("pk"))
    return AccountDeletion(
        plugins=tuple(plugins),
        projects=Project.objects.filter(owner=user).count(),
        documents=Document.objects.present().filter(knowledge_base__in=bases).count(),
        plugin_questions=Query.objects.filter(plugin__in=plugins.values("pk"), erased_at=None).count(),
        keys=ApiKey.objects.filter(owner=user).count(),
        reviews=Review.objects.filter(author=user).count(),
        chats=ChatSession.objects.filter(user=user).count(),
        questions=asked.exclude(plugin__in=plugins.values("pk")).count(),
        contract_reviews=contract_reviews.count(),
        contract_reviews_left=user.contract_reviews.exclude(pk__in=contract_reviews.values("pk")).count(),
        private_answers=count_private_answers(bases.values_list("pk", flat=True), but_of=user),
        readers=tuple(readers),
        held=tuple(plugin for plugin in [*plugins, *readers] if plugin.legal_hold),
        organisations=tuple(organisations_without_other_owner(user)),
    )


def delete_account(user: User) -> None:
    """Deletes the account with everything that is the person's alone; what is an organisation's stays with it.

    Raises `LastOperator`, `PluginsUnderLegalHold`, `OnlyOwnerOfOrganisation`.
    """
    with transaction.atomic():
        lock_organisations_of(user)  # before the account, as whoever removes a member does
        locked = User.objects.select_for_update().get(pk=user.pk)
        _check_may_be_deleted(locked)
        leave_all(locked)
        _detach_what_is_held(locked)
        Install.objects.filter(original__owner=locked).update(original_author=DELETED_AUTHOR_NAME)
        for address in sorted(confirmed_addresses(locked)):  # anybody can sign up with anybody's address
            _erase_address(locked, address)
        bases = KnowledgeBase.objects.filter(owner=locked).values_list("pk", flat=True)
        erase_quotations(bases)
        own = Q(user=locked) | Q(project__owner=locked)
        ChatSession.objects.filter(own, is_private=True).lock_for_deletion()
        # Private questions belong to no plugin, so no other person needs them.
        private = Query.objects.private().filter(Q(user=locked) | Q(api_key__owner=locked))
        spent = spending_lost_with(locked, private)
        private.delete()
        for plugin in Plugin.objects.filter(owner=locked):
            delete_plugin(plugin)
        left = list(bases.all())  # of no plugin, or read by plugins of others
        enqueue_file_deletion(left)
        for base in left:
            task_queue.enqueue_index_check(base)
        for session in UserSession.objects.filter(user=locked):
            session.end()
        disconnect_on_commit(locked)
        KnowledgeBase.objects.filter(pk__in=left).delete()
        collaborators.remove_everywhere(locked)
        picture = locked.avatar
        locked.delete()
        end_lapsed_grants()
        count_spending(None, spent)  # last, because everybody's costs wait for that sum
        if picture:
            transaction.on_commit(lambda: avatars.delete_avatar(picture))


def _check_may_be_deleted(user: User) -> None:
    """Raises `LastOperator`, `PluginsUnderLegalHold`."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise LastOperator
    if held := account_deletion(user).held:
        raise PluginsUnderLegalHold(held)


def _erase_address(user: User, address: str) -> None:
    """Deletes what was sent or granted to this address of theirs, and erases it from the audit log."""
    Invitation.objects.for_address(address).delete()
    MembershipInvitation.objects.for_address(address).delete()
    BaseMember.objects.for_address(address).delete()
    ExpertRequest.objects.filter(email__iexact=address).update(email="")
    AuditName.objects.erase_person(user.pk, address=address)


def _detach_what_is_held(user: User) -> None:
    """What the person said to plugins of others under legal hold stays, without them."""
    public = ChatSession.objects.filter(user=user, is_private=False)
    public.exclude(plugin__legal_hold="").detach_from_person()
    Review.objects.filter(author=user).exclude(plugin__legal_hold="").detach_from_person()
    held = Plugin.objects.exclude(legal_hold="").values("pk")
    Feedback.objects.filter(user=user, query__plugin__in=held).update(user=None)
