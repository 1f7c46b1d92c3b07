"""What somebody sends who puts a question to the expert."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts import visitors
from accounts.signed_in_request import user_or_none
from lexic.errors import InvalidInput
from querying.models import ExpertRequest, Query
from querying.query_log.put_to_expert import put_to_expert


class ExpertRequestForm(forms.Form):
    """`email` is asked of visitors alone; whoever has signed in gets the reply at the account's address."""

    email = forms.EmailField(required=False)
    mail = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("email") and not said.get("mail"):
            raise forms.ValidationError(
                gettext("Tick that the reply may be mailed to this address, or leave the address out.")
            )
        return said


def put_posted_question(request: HttpRequest, query: Query) -> ExpertRequest:
    """Raises `InvalidInput`, and what `put_to_expert` raises."""
    form = ExpertRequestForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    user, said = user_or_none(request), form.cleaned_data
    asker = f"user:{user.pk}" if user else visitors.visitor_id(request)
    wants_mail = said["mail"] and bool(user or said["email"])
    return put_to_expert(query, asker=asker, user=user, email=said["email"], wants_mail=wants_mail)
