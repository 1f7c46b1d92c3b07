"""How long a plugin's questions, chats and removed documents are kept, and its legal hold."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.models import User
from builder.history import errors_as_messages, log_and_report
from builder.limits.forms import RetentionForm
from builder.panes import render_pane
from builder.readiness import reverse_pane
from builder.sharing.views import owner_required
from plugins.models import Plugin


def render_limits(request: HttpRequest, plugin: Plugin, *, form: RetentionForm | None = None) -> HttpResponse:
    assert isinstance(request.user, User)
    context = {
        "form": form or RetentionForm(instance=plugin),
        "is_owner": plugin.may_be_shared_by(request.user),
        "may_lift": request.user.is_superuser or plugin.legal_hold != "operator",
    }
    return render_pane(request, plugin, "limits", "builder/limits.html", context)


@owner_required
def save_retention(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = RetentionForm(request.POST, instance=plugin)
    if not form.is_valid():
        plugin.refresh_from_db()
        return render_limits(request, plugin, form=form)
    plugin.save(update_fields=[*form.changed_data, "updated_at"])
    log_and_report(request, plugin, "Changed how long its content is kept.")
    return HttpResponseRedirect(reverse_pane(plugin, "limits"))


@owner_required
def change_legal_hold(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """To what the button says, so that pressing it twice does not turn it back."""
    assert isinstance(request.user, User)
    with errors_as_messages(request):
        if request.POST.get("to") == "on":
            plugin.set_legal_hold(by_operator=request.user.is_superuser)
            log_and_report(request, plugin, "Set the legal hold: nothing of the plugin is deleted until it is lifted.")
        else:
            plugin.lift_legal_hold(by_operator=request.user.is_superuser)
            log_and_report(request, plugin, "Lifted the legal hold: content is deleted again as the page says.")
    return HttpResponseRedirect(reverse_pane(plugin, "limits"))
