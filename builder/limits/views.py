"""The pane of limits: retention, legal hold, the spending cap, and the quotas of the owner's account."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report
from builder.limits.forms import LimitsForm
from builder.panes import render_pane
from builder.readiness import reverse_pane
from builder.sharing.views import owner_required
from knowledge.storage_usage import account_usage
from plugins.models import Plugin
from plugins.retention import LegalHold
from querying.query_log.spending import plugin_spending


def render_limits(request: SignedInRequest, plugin: Plugin, *, form: LimitsForm | None = None) -> HttpResponse:
    owner = plugin.owner
    context = {
        "spent": plugin_spending(plugin),
        "currency": settings.LEXIC_LLM_CURRENCY,
        "uses": account_usage(owner) if owner == request.user or request.user.is_superuser else [],
        "form": form or LimitsForm(instance=plugin),
        "is_owner": plugin.may_be_shared_by(request.user),
        "may_lift": request.user.is_superuser or plugin.legal_hold != LegalHold.OPERATOR,
    }
    return render_pane(request, plugin, "limits", "builder/limits.html", context)


@owner_required
def save_limits(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = LimitsForm(request.POST, instance=plugin)
    with transaction.atomic():
        if is_valid := form.is_valid():
            plugin.save(update_fields=[*form.changed_data, "updated_at"])
    if not is_valid:
        plugin.refresh_from_db()
        return render_limits(request, plugin, form=form)
    log_and_report(request, plugin, "Changed its limits.")
    return HttpResponseRedirect(reverse_pane(plugin, "limits"))


@owner_required
def change_legal_hold(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """To what the button says, so that pressing it twice does not turn it back."""
    with errors_as_messages(request):
        if request.POST.get("to") == "on":
            plugin.set_legal_hold(by_operator=request.user.is_superuser)
            log_and_report(request, plugin, "Set the legal hold: nothing of the plugin is deleted until it is lifted.")
        else:
            plugin.lift_legal_hold(by_operator=request.user.is_superuser)
            log_and_report(request, plugin, "Lifted the legal hold: content is deleted again as the page says.")
    return HttpResponseRedirect(reverse_pane(plugin, "limits"))
