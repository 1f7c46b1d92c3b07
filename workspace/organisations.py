"""`/organisations`: the organisations that a person is in, their members, plugins and offers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db.models import Exists, OuterRef
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from accounts.author_access import EmailNotConfirmed
from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from accounts.second_step import second_factors_of
from accounts.signed_in_request import SignedInRequest
from lexic.errors import LexicError, NotAllowed
from lexic.http.parameters import get_page
from marketplace.publishing.member_departure import change_member_role, delete_organisation, remove_member
from marketplace.publishing.ownership_transfer import accept_for_organisation
from organisations import invitations
from organisations.invitation_mail import invite_and_mail
from organisations.invitations import NotAdministrator
from organisations.models import (
    IdentityProvider,
    Membership,
    MembershipInvitation,
    Organisation,
    OrganisationRole,
    UnknownOrganisation,
)
from organisations.role_descriptions import ROLE_PERMISSIONS
from organisations.sso_session import provider_id
from plugins.models import OrganisationOffer, Plugin
from workspace.organisation_forms import InviteMemberForm, OrganisationForm
from workspace.page_base import render_page, workspace_view

_PER_PAGE = 50
_MAX_PLUGINS = 100


class NotOwner(NotAllowed):
    """Only an owner of the organisation may do this."""

    code = "not_owner"
    hint = "Ask one of its owners."


class SecondStepNeeded(NotAllowed):
    """This organisation is open to people who sign in with a second step."""

    code = "second_step_needed"
    hint = "Add an authenticator app or a passkey to your account."


class ProviderNeeded(NotAllowed):
    """This organisation is open to people who sign in through its provider."""

    code = "provider_needed"
    hint = "Open the organisation, and sign in through its provider from there."


@workspace_view("GET", "POST")
def list_organisations(request: SignedInRequest) -> HttpResponse:
    """GET: the list, and what one is invited to. POST: make an organisation, and go to it."""
    form = OrganisationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            return redirect("organisation", _create(request.user, form.cleaned_data["name"]).pk)
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
    mine = Membership.objects.filter(user=request.user).select_related("organisation")
    context = {
        "memberships": mine.order_by("organisation__name", "pk"),
        "invitations": _open_invitations(request.user),
        "form": form,
        "has_confirmed_email": has_confirmed_email(request.user),
    }
    status = 400 if form.errors else 200
    return render_page(request, "workspace/organisations.html", context, section="organisations", status=status)


@workspace_view("GET", "POST")
def show_organisation(request: SignedInRequest, organisation: UUID) -> HttpResponse:
    """GET: its people and plugins, as far as the person's role shows them. POST: save its settings."""
    if request.method != "POST":
        return _render(request, _find_membership(request.user, organisation))
    membership = acting_membership(request.user, organisation)
    check_owner(membership)
    form = OrganisationForm(request.POST, by=membership)
    if not form.is_valid():
        return _render(request, membership, status=400, form=form)
    for name, value in form.cleaned_data.items():
        setattr(membership.organisation, name, value)
    membership.organisation.save(update_fields=[*form.cleaned_data])
    messages.success(request, "Saved.")
    return redirect("organisation", organisation)


@workspace_view("POST")
def invite(request: SignedInRequest, organisation: UUID) -> HttpResponse:
    """Sends an invitation. It says the same whether anybody has the address."""
    membership = acting_membership(request.user, organisation)
    form = InviteMemberForm(request.POST, by=membership)
    if form.is_valid():
        try:
            invitation = invite_and_mail(membership, **form.cleaned_data)
        except NotAllowed:
            raise
        except LexicError as error:
            form.add_error("email", error.message_with_hint)
        else:
            messages.success(request, f"An invitation is on its way to {invitation.email}. It is open for 14 days.")
            return _to_people(organisation)
    if not membership.may_administer:
        raise NotAdministrator
    return _render(request, membership, status=400, invite_form=form)


@workspace_view("POST")
def revoke_invitation(request: SignedInRequest, organisation: UUID, invitation: UUID) -> HttpResponse:
    membership = acting_membership(request.user, organisation)
    if not membership.may_administer:
        raise NotAdministrator
    found = get_object_or_404(MembershipInvitation, organisation=organisation, pk=invitation)
    invitations.revoke_invitation(found, by=membership)
    messages.success(request, f"The invitation to {found.email} is revoked. Its link no longer works.")
    return _to_people(organisation)


@workspace_view("POST")
def change_member(request: SignedInRequest, organisation: UUID, person: UUID) -> HttpResponse:
    """To another role, or out of the organisation."""
    acting = acting_membership(request.user, organisation)
    member = get_object_or_404(Membership.objects.select_related("user"), organisation=organisation, user=person)
    role = request.POST.get("role")
    if role is None or role not in ("", *OrganisationRole.values):
        raise BadRequest("There is no such role. Nothing was changed.")
    try:
        if role:
            change_member_role(member, role=role, by=acting)
            messages.success(request, f"{member.user.email} is {role} now.")
        else:
            remove_member(member, by=acting)
            messages.success(request, f"{member.user.email} is no longer in it.")
    except NotAllowed:
        raise
    except LexicError as error:
        messages.error(request, error.message_with_hint)
    return redirect("organisations") if member.user == request.user and not role else _to_people(organisation)


@workspace_view("POST")
def answer_offer(request: SignedInRequest, organisation: UUID, plugin: UUID) -> HttpResponse:
    """An owner accepts or declines a plugin that is offered to the organisation."""
    membership = acting_membership(request.user, organisation)
    check_owner(membership)
    offer = get_object_or_404(OrganisationOffer.objects.select_related("plugin"), to=organisation, plugin=plugin)
    if request.POST.get("act") == "accept":
        try:
            accept_for_organisation(offer.plugin, by=request.user)
            messages.success(request, f"“{offer.plugin}” belongs to {membership.organisation} now.")
        except LexicError as error:
            messages.error(request, f"Nothing was changed. {error.message_with_hint}")
    else:
        offer.delete()
        messages.success(request, f"“{offer.plugin}” is no longer offered.")
    return redirect("organisation", organisation)


@workspace_view("GET", "POST")
def leave(request: SignedInRequest, organisation: UUID) -> HttpResponse:
    """Says what somebody gives up; then, when that is confirmed, takes them out."""
    membership = _find_membership(request.user, organisation)
    error: LexicError | None = None
    if request.method == "POST":
        try:
            remove_member(membership, by=membership)
        except LexicError as reason:
            error = reason
        else:
            messages.success(request, f"You are no longer in “{membership.organisation}”.")
            return redirect("organisations")
    context = {"membership": membership, "organisation": membership.organisation}
    return render_page(request, "workspace/leave_organisation.html", context, section="organisations", error=error)


@workspace_view("GET", "POST")
def remove(request: SignedInRequest, organisation: UUID) -> HttpResponse:
    """Says what goes with it; then, when that is confirmed, deletes it. Only its owners may."""
    membership = acting_membership(request.user, organisation)
    check_owner(membership)
    error: LexicError | None = None
    if request.method == "POST":
        try:
            delete_organisation(membership.organisation)
        except LexicError as reason:
            error = reason
        else:
            messages.success(request, f"“{membership.organisation}” is deleted.")
            return redirect("organisations")
    found = membership.organisation
    context = {"organisation": found, "people": found.memberships.count(), "plugins": found.plugins.count()}
    return render_page(request, "workspace/delete_organisation.html", context, section="organisations", error=error)


def _create(person: User, name: str) -> Organisation:
    """Raises `EmailNotConfirmed`, `TooManyOrganisations`."""
    if not has_confirmed_email(person):
        raise EmailNotConfirmed("Who makes an organisation needs a confirmed address, and yours is not confirmed yet.")
    return Organisation.objects.create_with_owner(name=name, owner=person)


def _find_membership(person: User, organisation: UUID) -> Membership:
    """Raises `UnknownOrganisation`."""
    found = Membership.objects.select_related("organisation", "user").filter(organisation=organisation, user=person)
    if membership := found.first():
        return membership
    raise UnknownOrganisation


def acting_membership(person: User, organisation: UUID) -> Membership:
    """Of somebody who changes something there. Raises `UnknownOrganisation`, `SecondStepNeeded`, `ProviderNeeded`."""
    membership = _find_membership(person, organisation)
    if not Organisation.objects.open_to(person).contains(membership.organisation):
        raise SecondStepNeeded if needs_second_step(membership) else ProviderNeeded
    return membership


def needs_second_step(membership: Membership) -> bool:
    """Whether it is closed to this member because they have none."""
    wanted = membership.organisation.requires_second_step
    return wanted and not second_factors_of(membership.user).exists()


def check_owner(membership: Membership) -> None:
    """Raises `NotOwner`."""
    if membership.role != OrganisationRole.OWNER:
        raise NotOwner


def _open_invitations(person: User) -> Any:
    if not has_confirmed_email(person):
        return MembershipInvitation.objects.none()
    mine = MembershipInvitation.objects.open().for_address(person.email)
    return mine.select_related("organisation", "invited_by")


def _render(request: SignedInRequest, membership: Membership, *, status: int = 200, **forms: Any) -> HttpResponse:
    """The page; `forms` stand in for the empty ones where something in them was wrong."""
    organisation = membership.organisation
    is_owner = membership.role == OrganisationRole.OWNER
    members = organisation.memberships.select_related("user").order_by("user__email")
    members = members.annotate(has_second_step=Exists(second_factors_of(OuterRef("user"))))
    is_open = Organisation.objects.open_to(request.user).contains(organisation)
    context: dict[str, Any] = {
        "organisation": organisation,
        "membership": membership,
        "is_owner": is_owner,
        "is_open": is_open,
        "needs_second_step": needs_second_step(membership),
        "provider_login": provider_login(membership),
        "may": ROLE_PERMISSIONS[OrganisationRole(membership.role)],
        "page": get_page(request, members, per_page=_PER_PAGE),
        "permissions": [(role, ROLE_PERMISSIONS[role]) for role in OrganisationRole],
        "roles": membership.assignable_roles,
    }
    if membership.may_read and is_open:
        readable = Plugin.objects.viewable_by(request.user).filter(organisation=organisation)
        context["plugins"] = readable.order_by("name").only("pk", "name", "is_published", "version")[:_MAX_PLUGINS]
    if membership.may_approve and is_open:
        context["approvals"] = organisation.approvals.open().current().select_related("plugin", "requested_by")
    if membership.may_administer and is_open:
        context["invitations"] = organisation.invitations.open().select_related("invited_by")
        context["invite_form"] = InviteMemberForm(by=membership)
    if is_owner and is_open:
        context["offers"] = organisation.plugin_offers.select_related("plugin__owner")
        context["form"] = OrganisationForm(by=membership)
    return render_page(
        request, "workspace/organisation.html", {**context, **forms}, section="organisations", status=status
    )


def provider_login(membership: Membership) -> str:
    """Where this member signs in through the provider: to the account that it knows, or to connect this one."""
    organisation = membership.organisation
    if not IdentityProvider.objects.filter(organisation=organisation).exists():
        return ""
    name = provider_id(organisation.pk)
    is_known = SocialAccount.objects.filter(user=membership.user, provider=name).exists()
    query = {"process": "login" if is_known else "connect", "next": reverse("organisation", args=[organisation.pk])}
    return reverse("openid_connect_login", kwargs={"provider_id": name}, query=query)


def _to_people(organisation: UUID) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{redirect('organisation', organisation).url}#people-title")
