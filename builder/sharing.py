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
from builder.panes import may_change, pane_url, render
from builder.public_chat import mark_public, readable_of
from builder.publishing import log
from builder.readiness import url_of
from lexic.downloads import Download
from lexic.errors import LexicError
from marketplace import bundle
from marketplace.catalogue.listing import listed_anew_if_public
from marketplace.handover import hand_over
from marketplace.invitations import MAY, invite
from marketplace.models import Install
from marketplace.sharing import install as copies
from marketplace.sharing.obstacles import knowledge_that_goes_along, obstacles
from marketplace.sharing.provenance import made_from
from marketplace.sharing.updates import offer
from plugins import sharing
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


class UseForm(forms.ModelForm):
    """The two doors besides the API."""

    class Meta:
        model = Plugin
        fields = ("is_shared", "shares_golden", "public_chat")

    def clean_is_shared(self) -> bool:
        """What is shared already may go on: then its downloads say what is wrong."""
        is_shared: bool = self.cleaned_data["is_shared"]
        if is_shared and not self.instance.is_shared and (reasons := obstacles(self.instance)):
            raise forms.ValidationError(reasons)
        return is_shared


def urls() -> list[URLPattern]:
    return [
        pane_url("sharing/", require_GET(show), name="sharing"),
        pane_url("sharing/invite/", require_POST(invite_view), name="invite", to_change=True),
        pane_url("sharing/people/<uuid:person>/", require_POST(change_role), name="change_role", to_change=True),
        pane_url(
            "sharing/invitations/<uuid:invitation>/", require_POST(take_back), name="take_back", to_change=True
        ),
        pane_url("sharing/hand-over/<uuid:person>/", hand_over_view, name="hand_over", to_change=True),
        pane_url("sharing/use/", require_POST(use), name="use", to_change=True),
        pane_url("sharing/public-documents/", require_POST(mark_public), name="mark_public", to_change=True),
        pane_url("sharing/original/", require_POST(update), name="update_copy", to_change=True),
        pane_url("sharing/second-copy/", require_POST(second_copy), name="second_copy", to_change=True),
        pane_url("sharing/leave/", require_POST(leave), name="leave", readers_may_post=True),
        pane_url("sharing/file/", require_GET(download), name="download", to_change=True),
    ]


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return _pane(request, plugin)


def owners_only(view: View) -> View:
    """Editors change a plugin; who works on it is its owner's business."""

    @wraps(view)
    def guarded(request: HttpRequest, plugin: Plugin, **captured: Any) -> HttpResponseBase:
        if not plugin.may_be_shared_by(_person(request)):
            raise PermissionDenied("Only its owner says who works on a plugin.")
        return view(request, plugin, **captured)

    return guarded


@owners_only
def invite_view(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _pane(request, plugin, invite_form=form)
    said = form.cleaned_data
    try:
        invited = invite(plugin, email=said["email"], role=said["role"], by=_person(request))
    except LexicError as error:
        form.add_error("email", f"{error.message} {error.hint}".strip())
        return _pane(request, plugin, invite_form=form)
    if invited.person:
        return _done(request, plugin, f"{invited.email} is on it now, as {said['role']}.")
    return _done(request, plugin, f"An invitation is on its way to {invited.email}. It is open for 14 days.")


@owners_only
def change_role(request: HttpRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """To another role, or off it."""
    member = get_object_or_404(_members(plugin), pk=person)
    role = request.POST.get("role", "")
    if role in Role.values:
        sharing.give(plugin, person=member, role=role)
        return _done(request, plugin, f"{member.email} is {role} now.")
    sharing.take_off(plugin, person=member)
    return _done(request, plugin, f"{member.email} is no longer on it. What they did stays.")


@owners_only
def take_back(request: HttpRequest, plugin: Plugin, invitation: UUID) -> HttpResponse:
    found = get_object_or_404(Invitation, plugin=plugin, pk=invitation)
    found.delete()
    return _done(request, plugin, f"The invitation to {found.email} is taken back. Its link opens nothing.")


@owners_only
def hand_over_view(request: HttpRequest, plugin: Plugin, person: UUID) -> HttpResponse:
    """Asks once more, and then does it."""
    editor = get_object_or_404(plugin.editors, pk=person)
    if request.method != "POST":
        return render(request, plugin, "sharing", "builder/hand_over.html", {"person": editor})
    try:
        hand_over(plugin, to=editor)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(url_of(plugin, "sharing"))
    return _done(request, plugin, f"{editor.email} owns it now. You stay on it as an editor.")


def use(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = UseForm(request.POST, instance=plugin)
    if not form.is_valid():
        plugin.refresh_from_db()
        return _pane(request, plugin, use_form=form)
    if form.has_changed():
        plugin.save(update_fields=[*form.changed_data, "updated_at"])
        listed_anew_if_public(plugin)
        log(request, plugin, f"Changed who may use it: {', '.join(form.changed_data)}.")
    return _done(request, plugin, "Saved who may use it.", is_logged=True)


def update(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The original's latest release in the place of a draft that nobody has worked on."""
    try:
        install = copies.bring_up_to_date(plugin, by=_person(request))
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(url_of(plugin, "sharing"))
    return _done(request, plugin, f"Brought up to release {install.version} of “{install.original_name}”.")


def second_copy(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """A new draft of the original's latest release, beside this one."""
    person = _person(request)
    try:
        original, release = copies.original_of(plugin)
        there = len(copies.copies_of(release, person=person))
        made = copies.install(original.slug, by=person, there=there)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(url_of(plugin, "sharing"))
    messages.success(request, f"Release {made.install.version} is here as “{made.install.copy.slug}”.")
    return HttpResponseRedirect(url_of(made.install.copy, "persona"))


def leave(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    sharing.take_off(plugin, person=_person(request))
    log(request, plugin, "Left it.")
    messages.success(request, f"You are no longer on “{plugin}”.")
    return HttpResponseRedirect(reverse("admin:index"))


def download(request: HttpRequest, plugin: Plugin) -> Download:
    file = bundle.export_plugin(plugin)
    return Download(file, name=f"{plugin.slug}.lexic.zip", content_type="application/zip")


def _pane(
    request: HttpRequest,
    plugin: Plugin,
    *,
    invite_form: InviteForm | None = None,
    use_form: UseForm | None = None,
) -> HttpResponse:
    person = _person(request)
    context = {
        "is_owner": plugin.may_be_shared_by(person),
        "is_member": plugin.owner_id != person.pk and sharing.role_of(plugin, person) is not None,
        "people": [
            *((editor, Role.EDITOR) for editor in plugin.editors.order_by("email")),
            *((viewer, Role.VIEWER) for viewer in plugin.viewers.order_by("email")),
        ],
        "invitations": _open_invitations(request, plugin),
        "invite_form": invite_form or InviteForm(),
        "use_form": use_form,
        "obstacles": obstacles(plugin),
        "goes_along": knowledge_that_goes_along(plugin),
        "made_from": made_from(plugin),
        "offer": offer(plugin),
        "copies": Install.objects.filter(original=plugin).count(),
        "roles": [(role, MAY[role]) for role in Role],
        "readable": readable_of(plugin),
        "me": person,
    }
    return render(request, plugin, "sharing", "builder/sharing.html", context)


def _open_invitations(request: HttpRequest, plugin: Plugin) -> Any:
    """Whoever only looks need not know who may come."""
    if not may_change(request, plugin):
        return []
    return plugin.invitations.open().select_related("invited_by")


def _done(request: HttpRequest, plugin: Plugin, sentence: str, *, is_logged: bool = False) -> HttpResponse:
    if not is_logged:
        log(request, plugin, sentence)
    messages.success(request, sentence)
    return HttpResponseRedirect(url_of(plugin, "sharing"))


def _members(plugin: Plugin) -> Any:
    both = plugin.editors.values("pk").union(plugin.viewers.values("pk"))
    return User.objects.filter(pk__in=both)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
