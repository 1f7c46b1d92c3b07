"""The form that sends a question to the expert."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest

from accounts import visitors
from accounts.signed_in_request import user_or_none
from lexic.errors import InvalidInput
from querying.models import ExpertRequest, Query
from querying.query_log.put_to_expert import put_to_expert


class ExpertRequestForm(forms.Form):
    """`email` is asked of visitors alone, and whoever gives one wants the reply by mail. Whoever has signed in says so
    by `mail`, and gets it at the account's address."""

    email = forms.EmailField(required=False)
    mail = forms.BooleanField(required=False)


def put_posted_question(request: HttpRequest, query: Query) -> ExpertRequest:
    """Raises `InvalidInput`, and what `put_to_expert` raises."""
    form = ExpertRequestForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    user, said = user_or_none(request), form.cleaned_data
    asker = f"user:{user.pk}" if user else visitors.visitor_id(request)
    wants_mail = said["mail"] if user else bool(said["email"])
    return put_to_expert(query, asker=asker, user=user, email=said["email"], wants_mail=wants_mail)
