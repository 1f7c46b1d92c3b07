from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authors import let_in, why_not
from accounts.models import User
from lexic.errors import NotAllowed


@require_http_methods(["GET", "POST"])
@never_cache
def become_author(request: HttpRequest) -> HttpResponse:
    """What building a plugin means, and the one button that opens the builder."""
    user = request.user if isinstance(request.user, User) else None
    if user is None:
        if request.method == "POST":
            return redirect(reverse("account_login", query={"next": request.path}))
        return render(request, "accounts/become_author.html")
    if request.method == "POST":
        try:
            let_in(user)
        except NotAllowed as reason:
            return render(request, "accounts/become_author.html", {"reason": reason}, status=reason.status)
    if user.is_staff:
        return redirect("admin:index")
    return render(request, "accounts/become_author.html", {"reason": why_not(user)})
