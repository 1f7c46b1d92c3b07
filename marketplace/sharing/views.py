"""Plain pages around a copy: what it will hold, and what was made."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.author_access import find_author_refusal, make_author
from accounts.models import User
from accounts.signed_in_request import user_or_none
from lexic.errors import LexicError
from lexic.http.error_handlers import with_retry_after
from lexic.http.parameters import parse_natural
from marketplace.bundle.signature import site_key
from marketplace.models import Install
from marketplace.sharing import installs as copies
from marketplace.sharing.copy_contents import copy_contents
from marketplace.sharing.shareability import NotShared, shared_release
from plugins.models import Plugin


@require_safe
def site_key_view(request: HttpRequest) -> JsonResponse:
    """The key that this site signs the files of releases with, for operators of other sites."""
    return JsonResponse({"site": settings.PUBLIC_URL, "algorithm": "Ed25519", "key": site_key()})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def install_view(request: HttpRequest, slug: str) -> HttpResponse:
    """What a copy of the plugin will hold, and the button that makes it."""
    plugin = get_object_or_404(Plugin.objects.copied().at_address(slug))
    person = user_or_none(request)
    if request.method != "POST":
        return _install_page(request, plugin, person)
    if person is None:
        return redirect_to_login(request.path)
    try:
        make_author(person)
        there = parse_natural(request.POST.get("copies", ""), max_digits=4)
        copies.install_copy(slug, by=person, there=there)
    except NotShared:  # in this moment
        raise Http404 from None
    except LexicError as error:
        return _install_page(request, plugin, person, error=error)
    return redirect("installed", slug)


@require_safe
@never_cache
def installed_view(request: HttpRequest, slug: str) -> HttpResponse:
    """One's newest copy of the plugin, and what to do with it."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.path)
    mine = (
        Install.objects.of(request.user)
        .filter(original__in=Plugin.objects.at_address(slug))
        .select_related("copy", "original")
    )
    found = mine.order_by("-created_at", "-pk").first()
    if found is None:
        raise Http404("You have no copy of this plugin.")
    context = {"section": "marketplace", "install": found, "contents": copy_contents(found.copy)}
    return render(request, "marketplace/installed.html", context)


def _install_page(
    request: HttpRequest, plugin: Plugin, person: User | None, *, error: LexicError | None = None
) -> HttpResponse:
    try:
        release = shared_release(plugin.address)
    except LexicError as reason:
        context = {"section": "marketplace", "plugin": plugin, "error": reason, "is_closed": True}
        return render(request, "marketplace/install.html", context, status=reason.status)
    context = {
        "section": "marketplace",
        "plugin": plugin,
        "release": release,
        "author": release.plugin.owner.public_name,
        "contents": copy_contents(release),
        "copies": copies.existing_copies(release, person=person) if person else [],
        "becomes_author": person is not None and not person.is_staff,
        "error": error or (find_author_refusal(person) if person else None),
        "is_barred": person is not None and find_author_refusal(person) is not None,
    }
    response = render(request, "marketplace/install.html", context, status=error.status if error else 200)
    return with_retry_after(response, error)
