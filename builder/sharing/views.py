"""Who works on the plugin, who may use it, and how it leaves here as one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from builder.panes import may_edit_plugin, pane_route, render_pane
from builder.readiness import reverse_pane
from builder.releases.publication import log_plugin_change
from builder.sharing.public_chat import count_public_documents, mark_documents_public
from lexic.errors import LexicError
from lexic.http.downloads import DownloadResponse
from marketplace import bundle
from marketplace.invitations import ROLE_PERMISSIONS, invite_and_mail
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.models import Install
from marketplace.publishing.handover import transfer_ownership
from marketplace.sharing import installs as copies
from marketplace.sharing.copy_updates import update_offer
from marketplace.sharing.provenance import provenance_of
from marketplace.sharing.shareability import attached_knowledge_in_copy, sharing_blockers
from plugins import collaborators
from plugins.models import Invitation, Plugin, Role

View = Callable[..., HttpResponseBase]


class InviteForm(forms.Form):
    email = forms.CharField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "off", "aria-describedby": "invite-what"}),
    )
    role = forms.ChoiceField(
        label="As",
        choices=[(Role.EDITOR, "editor"), (Role.VIEWER, "viewer")],
        widget=forms.Select(attrs={"class": "input"}),
    )


class AvailabilityForm(forms.ModelForm):
    """The two doors besides the API."""

    class Meta:
        model = Plugin
        fields = ("is_shared", "shares_golden", "public_chat")

    def clean_is_shared(self) -> bool:
        """What is shared already may go on: then its downloads say what is wrong."""
        is_shared: bool = self.cleaned_data["is_shared"]
        if is_shared and not self.instance.is_shared and (reasons := sharing_blockers(self.instance)):
            raise forms.ValidationError(reasons)
        return is_shared


def urls() -> list[URLPattern]:
    return [
        pane_route("sharing/", require_GET(show_sharing), name="sharing"),
        pane_route("sharing/invite/", require_POST(invite_person), name="invite", for_editing=True),
        pane_route(
            "sharing/people/<uuid:person>/", require_POST(change_role), name="change_role", for_editing=True
        ),
        pane_route(
            "sharing/invitations/<uuid:invitation>/",
            require_POST(revoke_invitation),
            name="take_back",
            for_editing=True,
        ),
        pane_route("sharing/hand-over/<uuid:person>/", transfer_ownership_view, name="hand_over", for_editing=True),
        pane_route("sharing/use/", require_POST(change_availability), name="use", for_editing=True),
        pane_route(
            "sharing/public-documents/", require_POST(mark_documents_public), name="mark_public", for_editing=True
        ),
        pane_route("sharing/original/", require_POST(update_copy), name="update_copy", for_editing=True),
        pane_route("sharing/second-copy/", require_POST(install_second_copy), name="second_copy", for_editing=True),
        pane_route("sharing/leave/", require_POST(leave_plugin), name="leave", allow_reader_post=True),
        pane_route("sharing/file/", require_GET(download_bundle), name="download", for_editing=True),
    ]


def show_sharing(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return _render_sharing(request, plugin)


def owner_required(view: View) -> View:
    """Editors change a plugin; who works on it is its owner's business."""

    @wraps(view)
    def guarded(request: HttpRequest, plugin: Plugin, **captured: Any) -> HttpResponseBase:
        if not plugin.may_be_shared_by(_current_user(request)):
            raise PermissionDenied("Only its owner says who works on a plugin.")
        return view(request, plugin, **captured)

    return guarded


@owner_required
def invite_person(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _render_sharing(request, plugin, invite_form=form)
    said = form.cleaned_data
    try:
        invited = invite_and_mail(plugin, email=said["email"], role=said["role"], by=_current_user(request))
    except LexicError as error:
        form.add_error("email", f"{error.message} {error.hint}".strip())
        return _render_sharing(request, plugin, invite_form=form)
    if invited.person:
        return _redirect_with_message(request, plugin, f"{invited.email} is on it now, as {said['role']}.")
    return _redirect_with_message(
        request, plugin, f"An invitation is on its way to {invited.email}. It is open for 14 days."
    )


@owner_required
def change_role(request: HttpRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """To another role, or off it."""
    member = get_object_or_404(_members(plugin), pk=person)
    role = request.POST.get("role", "")
    if role in Role.values:
        collaborators.assign_role(plugin, person=member, role=role)
        return _redirect_with_message(request, plugin, f"{member.email} is {role} now.")
    collaborators.remove_collaborator(plugin, person=member)
    return _redirect_with_message(request, plugin, f"{member.email} is no longer on it. What they did stays.")


@owner_required
def revoke_invitation(request: HttpRequest, plugin: Plugin, invitation: UUID) -> HttpResponse:
    found = get_object_or_404(Invitation, plugin=plugin, pk=invitation)
    found.delete()
    return _redirect_with_message(
        request, plugin, f"The invitation to {found.email} is taken back. Its link opens nothing."
    )


@owner_required
def transfer_ownership_view(request: HttpRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """Asks once more, and then does it."""
    editor = get_object_or_404(plugin.editors, pk=person)
    if request.method != "POST":
        return render_pane(request, plugin, "sharing", "builder/transfer_ownership.html", {"person": editor})
    try:
        transfer_ownership(plugin, to=editor)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(reverse_pane(plugin, "sharing"))
    return _redirect_with_message(request, plugin, f"{editor.email} owns it now. You stay on it as an editor.")


def change_availability(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = AvailabilityForm(request.POST, instance=plugin)
    if not form.is_valid():
        plugin.refresh_from_db()
        return _render_sharing(request, plugin, use_form=form)
    if form.has_changed():
        plugin.save(update_fields=[*form.changed_data, "updated_at"])
        update_listing_if_published(plugin)
        log_plugin_change(request, plugin, f"Changed who may use it: {', '.join(form.changed_data)}.")
    return _redirect_with_message(request, plugin, "Saved who may use it.", is_logged=True)


def update_copy(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The original's latest release in the place of a draft that nobody has worked on."""
    try:
        install = copies.update_copy(plugin, by=_current_user(request))
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(reverse_pane(plugin, "sharing"))
    return _redirect_with_message(
        request, plugin, f"Brought up to release {install.version} of “{install.original_name}”."
    )


def install_second_copy(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """A new draft of the original's latest release, beside this one."""
    person = _current_user(request)
    try:
        original, release = copies.original_and_release(plugin)
        there = len(copies.existing_copies(release, person=person))
        made = copies.install_copy(original.slug, by=person, there=there)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(reverse_pane(plugin, "sharing"))
    messages.success(request, f"Release {made.install.version} is here as “{made.install.copy.slug}”.")
    return HttpResponseRedirect(reverse_pane(made.install.copy, "persona"))


def leave_plugin(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    collaborators.remove_collaborator(plugin, person=_current_user(request))
    log_plugin_change(request, plugin, "Left it.")
    messages.success(request, f"You are no longer on “{plugin}”.")
    return HttpResponseRedirect(reverse("admin:index"))


def download_bundle(request: HttpRequest, plugin: Plugin) -> DownloadResponse:
    file = bundle.export_plugin(plugin)
    return DownloadResponse(file, name=f"{plugin.slug}.lexic.zip", content_type="application/zip")


def _render_sharing(
    request: HttpRequest,
    plugin: Plugin,
    *,
    invite_form: InviteForm | None = None,
    use_form: AvailabilityForm | None = None,
) -> HttpResponse:
    person = _current_user(request)
    context = {
        "is_owner": plugin.may_be_shared_by(person),
        "is_member": plugin.owner_id != person.pk and collaborators.find_role(plugin, person) is not None,
        "people": [
            *((editor, Role.EDITOR) for editor in plugin.editors.order_by("email")),
            *((viewer, Role.VIEWER) for viewer in plugin.viewers.order_by("email")),
        ],
        "invitations": _open_invitations(request, plugin),
        "invite_form": invite_form or InviteForm(),
        "use_form": use_form,
        "obstacles": sharing_blockers(plugin),
        "bundled_knowledge": attached_knowledge_in_copy(plugin),
        "made_from": provenance_of(plugin),
        "offer": update_offer(plugin),
        "copies": Install.objects.filter(original=plugin).count(),
        "roles": [(role, ROLE_PERMISSIONS[role]) for role in Role],
        "readable": count_public_documents(plugin),
        "me": person,
    }
    return render_pane(request, plugin, "sharing", "builder/sharing.html", context)


def _open_invitations(request: HttpRequest, plugin: Plugin) -> Any:
    """Whoever only looks need not know who may come."""
    if not may_edit_plugin(request, plugin):
        return []
    return plugin.invitations.open().select_related("invited_by")


def _redirect_with_message(
    request: HttpRequest, plugin: Plugin, sentence: str, *, is_logged: bool = False
) -> HttpResponse:
    if not is_logged:
        log_plugin_change(request, plugin, sentence)
    messages.success(request, sentence)
    return HttpResponseRedirect(reverse_pane(plugin, "sharing"))


def _members(plugin: Plugin) -> Any:
    both = plugin.editors.values("pk").union(plugin.viewers.values("pk"))
    return User.objects.filter(pk__in=both)


def _current_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
