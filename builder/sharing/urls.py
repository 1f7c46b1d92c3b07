"""Addresses of who works on the plugin, and who may use it."""

from __future__ import annotations

from django.views.decorators.http import require_GET, require_POST

from builder.panes import get_route, pane_route, post_route
from builder.releases.views import change_audience
from builder.sharing import answer_links, audience, original_changes, public_chat, qr_image, views

urlpatterns = [
    get_route("sharing/", views.render_sharing, "sharing"),
    post_route("sharing/invite/", views.invite_person, "invite", pane="sharing"),
    post_route("sharing/people/<uuid:person>/", views.change_role, "change_role"),
    post_route("sharing/invitations/<uuid:invitation>/", views.revoke_invitation, "take_back"),
    pane_route("sharing/hand-over/<uuid:person>/", views.offer_ownership_view, "hand_over", for_editing=True),
    post_route("sharing/offer/", views.answer_ownership_offer, "ownership_offer"),
    pane_route(
        "sharing/organisations/<uuid:organisation>/",
        views.offer_to_organisation_view,
        "offer_to_organisation",
        for_editing=True,
    ),
    post_route("sharing/organisation-offer/", views.withdraw_organisation_offer, "organisation_offer"),
    post_route("sharing/use/", views.change_availability, "use"),
    post_route("sharing/audience/", change_audience, "audience"),
    post_route("sharing/audience/address/", audience.renew_page_address, "renew_page_address"),
    post_route("sharing/public-documents/", public_chat.mark_documents_public, "mark_public"),
    post_route("sharing/original/", views.update_copy, "update_copy"),
    get_route("sharing/original/changes/", original_changes.show_original_changes, "original_changes"),
    post_route("sharing/second-copy/", views.install_second_copy, "second_copy"),
    pane_route("sharing/leave/", require_POST(views.leave_plugin), "leave", allow_reader_post=True),
    get_route("sharing/links/", answer_links.show_links, "answer_links"),
    post_route("sharing/links/<uuid:query>/revoke/", answer_links.revoke_link, "revoke_answer_link"),
    get_route("sharing/qr.svg", qr_image.show_qr_image, "qr_image"),
    pane_route("sharing/file/", require_GET(views.download_bundle), "download", for_editing=True),
]
