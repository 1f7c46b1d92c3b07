"""The QR code of a plugin's public page, as an image to print or to put on a slide."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpResponse
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from marketplace.plugin_page.qr_code import build_qr_code
from plugins.models import Plugin

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {size} {size}" width="480" height="480">'
    '<path fill="#fff" d="M-2-2h{size}v{size}h-{size}z"/><path stroke="#000" d="{path}"/></svg>'
)


def show_qr_image(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """404 where the plugin has no public page."""
    if not plugin.has_page:
        raise Http404
    code = build_qr_code(f"{settings.PUBLIC_URL}{reverse('plugin', args=[plugin.address])}")
    return HttpResponse(_SVG.format(size=code.size + 4, path=code.path), content_type="image/svg+xml")
