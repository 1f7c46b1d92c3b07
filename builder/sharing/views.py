"""The pane of sharing: who works on the plugin, who may use it, and its export as one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.history import changed_labels, errors_as_messages, log_and_report, log_plugin_change
from builder.panes import may_edit_plugin, render_pane
from builder.readiness import reverse_pane
from builder.sharing.audience import audience_context, report_availability
from builder.sharing.forms import AvailabilityForm, InviteForm
from builder.sharing.public_chat import count_public_documents, widget_tag
from lexic.errors import LexicError
from lexic.http.downloads import DownloadResponse
from marketplace import bundle
from marketplace.collaborator_invitations import ROLE_PERMISSIONS, invite_and_mail
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.models import Install
from marketplace.publishing.membership import remove_from_plugin
from marketplace.publishing.ownership_transfer import (
    accept_for_organisation,
    accept_ownership,
    offer_ownership,
    offer_to_organisation,
)
from marketplace.sharing import installs as copies
from marketplace.sharing.copy_updates import update_offer
from marketplace.sharing.provenance import provenance_of
from marketplace.sharing.shareability import attached_knowledge_in_copy, sharing_blockers
from organisations.models import Organisation, OrganisationRole
from plugins import collaborators
from plugins.models import Invitation, OrganisationOffer, OwnershipOffer, Plugin, Role

View = Callable[..., HttpResponseBase]


def owner_required(view: View) -> View:
    """Editors change a plugin; who works on it is its owner's business."""

    @wraps(view)
    def guarded(request: SignedInRequest, plugin: Plugin, **captured: Any) -> HttpResponseBase:
        if not plugin.may_be_shared_by(request.user):
            raise PermissionDenied("Only its owner says who works on a plugin.")
        return view(request, plugin, **captured)

    return guarded


@owner_required
def invite_person(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return render_sharing(request, plugin, invite_form=form)
    said = form.cleaned_data
    try:
        invitation = invite_and_mail(plugin, email=said["email"], role=said["role"], by=request.user)
    except LexicError as error:
        form.add_error("email", error.message_with_hint)
        return render_sharing(request, plugin, invite_form=form)
    log_and_report(request, plugin, f"An invitation is on its way to {invitation.email}. It is open for 14 days.")
    return _to_pane(plugin)


@owner_required
def change_role(request: SignedInRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """To another role, or off it."""
    members = plugin.editors.values("pk").union(plugin.viewers.values("pk"))
    member = get_object_or_404(User.objects.filter(pk__in=members), pk=person)
    role = request.POST.get("role", "")
    if role in Role.values:
        collaborators.assign_role(plugin, person=member, role=role)
        log_and_report(request, plugin, f"{member.email} is {role} now.")
    else:
        remove_from_plugin(plugin, person=member)
        log_and_report(request, plugin, f"{member.email} no longer works on it. Their changes stay.")
    return _to_pane(plugin)


@owner_required
def revoke_invitation(request: SignedInRequest, plugin: Plugin, invitation: UUID) -> HttpResponse:
    found = get_object_or_404(Invitation, plugin=plugin, pk=invitation)
    found.delete()
    log_and_report(request, plugin, f"The invitation to {found.email} is revoked. Its link no longer works.")
    return _to_pane(plugin)


def offer_ownership_view(request: SignedInRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """Asks the owner once more, and then offers it to the editor. Operators do not give away what is not theirs."""
    _check_owned(request, plugin)
    editor = get_object_or_404(plugin.editors, pk=person)
    if request.method != "POST":
        granted = plugin.knowledge_grants.standing().filter(is_attached=True).select_related("knowledge_base__owner")
        context = {"person": editor, "granted": granted}
        return render_pane(request, plugin, "sharing", "builder/transfer_ownership.html", context)
    with errors_as_messages(request):
        offer_ownership(plugin, to=editor, by=request.user)
        log_and_report(request, plugin, f"It is offered to {editor.email}. It is yours until they accept.")
    return _to_pane(plugin)


def answer_ownership_offer(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The editor accepts or declines; the owner takes the offer back."""
    person = request.user
    offer = get_object_or_404(OwnershipOffer, plugin=plugin)
    if person.pk != offer.to_id and not plugin.is_owned_by(person):
        raise PermissionDenied("It is offered to somebody else.")
    if request.POST.get("act") == "accept":
        with errors_as_messages(request, "Nothing was changed."):
            accept_ownership(plugin, by=person)
            log_and_report(request, plugin, f"{person.email} owns it now.")
    else:
        offer.delete()
        log_and_report(request, plugin, "It is no longer offered.")
    return _to_pane(plugin)


def offer_to_organisation_view(request: SignedInRequest, plugin: Plugin, organisation: UUID) -> HttpResponse:
    """Asks the owner once more, and then offers it to an organisation of theirs; one that they own has it at once."""
    _check_owned(request, plugin)
    mine = Organisation.objects.open_to(request.user).exclude(plugins=plugin)
    found = get_object_or_404(mine, pk=organisation)
    if request.method != "POST":
        context = {"organisation": found}
        return render_pane(request, plugin, "sharing", "builder/offer_to_organisation.html", context)
    with errors_as_messages(request):
        offer_to_organisation(plugin, to=found, by=request.user)
        if Organisation.objects.open_to(request.user, roles=[OrganisationRole.OWNER]).contains(found):
            accept_for_organisation(plugin, by=request.user)
            log_and_report(request, plugin, f"It belongs to {found} now.")
        else:
            log_and_report(request, plugin, f"It is offered to {found}. Nothing changes until an owner there accepts.")
    return _to_pane(plugin)


def withdraw_organisation_offer(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    _check_owned(request, plugin)
    get_object_or_404(OrganisationOffer, plugin=plugin).delete()
    log_and_report(request, plugin, "It is no longer offered.")
    return _to_pane(plugin)


def _check_owned(request: SignedInRequest, plugin: Plugin) -> None:
    if not plugin.is_owned_by(request.user):
        raise PermissionDenied("Only its owner gives a plugin away.")


def change_availability(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = AvailabilityForm(request.POST, instance=plugin)
    with transaction.atomic():
        if (is_valid := form.is_valid()) and form.has_changed():
            plugin.save(update_fields=[*form.changed_data, "updated_at"])
        plugin.refresh_from_db()  # with what others have changed of it
        if is_valid and form.has_changed():
            update_listing_if_published(plugin)
    if not is_valid:
        return render_sharing(request, plugin, use_form=form)
    if form.has_changed():
        log_plugin_change(request, plugin, f"Changed who may use it: {changed_labels(form)}.")
    report_availability(request, plugin)
    return _to_pane(plugin)


def update_copy(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Replaces a draft without changes of its own by the original's latest release."""
    with errors_as_messages(request):
        install = copies.update_copy(plugin, by=request.user)
        log_and_report(request, plugin, f"Updated to release {install.version} of “{install.original_name}”.")
    return _to_pane(plugin)


def install_second_copy(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A new draft of the original's latest release, beside this one."""
    person = request.user
    with errors_as_messages(request):
        original, release = copies.original_and_release(plugin)
        there = len(copies.existing_copies(release, person=person))
        install = copies.install_copy(original.address, by=person, there=there).install
        messages.success(request, f"Release {install.version} is installed as “{install.copy.slug}”.")
        return redirect(reverse_pane(install.copy, "persona"))
    return _to_pane(plugin)


def leave_plugin(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    remove_from_plugin(plugin, person=request.user)
    log_plugin_change(request, plugin, "Left it.")
    messages.success(request, f"You no longer work on “{plugin}”.")
    return redirect("admin:index")


def download_bundle(request: SignedInRequest, plugin: Plugin) -> DownloadResponse:
    file = bundle.export_plugin(plugin)
    return DownloadResponse(file, name=f"{plugin.slug}.lexic.zip", content_type="application/zip")


def render_sharing(
    request: SignedInRequest,
    plugin: Plugin,
    *,
    invite_form: InviteForm | None = None,
    use_form: AvailabilityForm | None = None,
) -> HttpResponse:
    person = request.user
    organisations = list(Organisation.objects.open_to(person))
    context = {
        "is_owner": plugin.may_be_shared_by(person),
        "is_member": plugin.owner_id != person.pk and collaborators.find_role(plugin, person) is not None,
        "people": [
            *((editor, Role.EDITOR) for editor in plugin.editors.order_by("email")),
            *((viewer, Role.VIEWER) for viewer in plugin.viewers.order_by("email")),
        ],
        # Whoever only looks need not know who may come.
        "invitations": plugin.invitations.open().select_related("invited_by")
        if may_edit_plugin(request, plugin)
        else [],
        "invite_form": invite_form or InviteForm(),
        "use_form": use_form or AvailabilityForm(instance=plugin),
        "widget_tag": widget_tag(plugin),
        "obstacles": sharing_blockers(plugin),
        "bundled_knowledge": attached_knowledge_in_copy(plugin),
        "owns": plugin.is_owned_by(person),
        "organisations": organisations,
        "other_organisations": [one for one in organisations if one.pk != plugin.organisation_id],
        "organisation_offer": OrganisationOffer.objects.filter(plugin=plugin).select_related("to").first(),
        "ownership_offer": OwnershipOffer.objects.filter(plugin=plugin).select_related("to").first(),
        "made_from": provenance_of(plugin),
        "offer": update_offer(plugin),
        "copies": Install.objects.filter(original=plugin).count(),
        "roles": [(role, ROLE_PERMISSIONS[role]) for role in Role],
        "readable": count_public_documents(plugin),
        "me": person,
        **audience_context(plugin),
    }
    return render_pane(request, plugin, "sharing", "builder/sharing.html", context)


def _to_pane(plugin: Plugin) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse_pane(plugin, "sharing"))
