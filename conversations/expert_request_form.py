"""The form that sends a question to the expert."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.http import HttpRequest

from accounts import visitors
from accounts.rate_limits import RateLimited
from accounts.signed_in_request import user_or_none
from lexic.errors import InvalidInput, LexicError
from querying.models import ExpertRequest, Query
from querying.query_log.send_expert_request import AddressNotConfirmed, send_expert_request


class ExpertRequestForm(forms.Form):
    """`email` is asked of visitors alone, and whoever gives one wants the reply by mail. Whoever has signed in says so
    by `mail`, and gets it at the account's address."""

    email = forms.EmailField(required=False)
    mail = forms.BooleanField(required=False)


def put_posted_question(request: HttpRequest, query: Query) -> ExpertRequest:
    """Raises `InvalidInput`, and what `send_expert_request` raises."""
    form = ExpertRequestForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    user, said = user_or_none(request), form.cleaned_data
    asker = f"user:{user.pk}" if user else visitors.visitor_id(request)
    wants_mail = said["mail"] if user else bool(said["email"])
    return send_expert_request(query, asker=asker, user=user, email=said["email"], wants_mail=wants_mail)


@dataclass(frozen=True, kw_only=True)
class RefusedRequest:
    """What was sent and refused, to stand in the form. `answer` names the answer, as the form does."""

    answer: str
    email: str
    wants_mail: bool
    error: LexicError


def refused_request(request: HttpRequest, *, field: str, error: LexicError) -> RefusedRequest | None:
    """None where sending it again would not help. `field` is the one that names the answer."""
    if not isinstance(error, (InvalidInput, RateLimited, AddressNotConfirmed)):
        return None
    sent = request.POST
    return RefusedRequest(
        answer=sent.get(field, ""), email=sent.get("email", ""), wants_mail="mail" in sent, error=error
    )
