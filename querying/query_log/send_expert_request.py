"""Sends a question to the plugin's author: it appears in the inbox, and the reply may be mailed to whoever asked.

The site cannot be made to mail strangers. An address that does not belong to a signed-in account gets one mail, which
asks whether it may be used and has no text of the sender. After a no, or two mails without a reaction, the address gets
no more.
"""

from __future__ import annotations

from django.core import signing
from django.db import transaction
from django.utils import timezone

from accounts import rate_limits
from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from accounts.rate_limits import DAY, HOUR, RateLimited
from lexic.errors import Conflict, NotFound
from lexic.publish_task import publish_task, run_task
from querying.expert_requests import CONFIRMATION_PERIOD, hash_address
from querying.models import ExpertRequest, Query

REQUEST_LIMITS = {HOUR: 10, DAY: 20}  # of one visitor
_PLUGIN_LIMITS = {DAY: 500}  # to one plugin, by everybody together
_MAIL_LIMITS = {HOUR: 200}  # confirmations that the whole site sends
_SALT = "expert-request"
_CONFIRMATION = "notifications.ask_to_confirm"


class NotForExperts(Conflict):
    """This question cannot be put to the expert."""

    code = "not_for_the_expert"
    hint = "Ask it again, and put it to the expert then."


class AddressNotConfirmed(Conflict):
    """The address of your account is not confirmed."""

    code = "expert_reply_address_not_confirmed"
    hint = "Confirm it on your account's page, or send the question without asking for a mail."


class UnknownExpertRequest(NotFound):
    """This link is too old, or its question is gone."""

    code = "unknown_expert_request"
    hint = "Put the question to the expert again."


def send_expert_request(query: Query, *, asker: str, user: User | None, email: str, wants_mail: bool) -> ExpertRequest:
    """Done again, it changes nothing. `asker` is whom the limits count: a visitor or an account.

    Raises `NotForExperts`, `AddressNotConfirmed` and `RateLimited`.
    """
    if query.is_private or query.plugin_id is None or query.erased_at is not None:
        raise NotForExperts
    if user is not None and wants_mail and not has_confirmed_email(user):
        raise AddressNotConfirmed
    known = ExpertRequest.objects.filter(query=query).first()
    if known:
        return known
    _count_request(asker, query)
    address = email if user is None and wants_mail else ""
    may_mail = bool(address) and ExpertRequest.objects.may_mail(address, now=timezone.now())
    if may_mail and rate_limits.count_or_wait("expert-confirmations", _MAIL_LIMITS):
        may_mail = False
    with transaction.atomic():
        if Query.objects.lock_kept(query.pk) is None:  # erased meanwhile
            raise NotForExperts
        request, is_new = ExpertRequest.objects.get_or_create(
            query=query,
            defaults={
                "user": user if wants_mail else None,
                # Whoever asks is told the same of every address, also of one that gets no mail.
                "email": address,
                "address_hash": hash_address(address) if may_mail else "",
            },
        )
    # Nothing asks for it later, as the timetable does for replies.
    if is_new and may_mail and not publish_task(_CONFIRMATION, request_id=request.pk):
        run_task(_CONFIRMATION, request_id=request.pk)
    return request


def make_confirmation_token(request: ExpertRequest) -> str:
    return signing.dumps(request.pk, salt=_SALT)


def find_by_token(token: str) -> ExpertRequest:
    """Raises `UnknownExpertRequest`."""
    try:
        pk = signing.loads(token, salt=_SALT, max_age=CONFIRMATION_PERIOD)
    except signing.BadSignature:
        raise UnknownExpertRequest from None
    request = ExpertRequest.objects.filter(pk=pk).first()
    if request is None:
        raise UnknownExpertRequest
    return request


def confirm(request: ExpertRequest) -> None:
    """The reply is mailed to the address; at once, where the expert was faster."""
    request.confirm()
    if request.replied_at:
        publish_task("notifications.mail_expert_reply", request_id=request.pk)


def reply_to_requests(queries: list[Query], *, reply: str, by: User) -> int:
    """Keeps the reply for everybody who waits for one of these questions, and has it mailed. Returns how many wait."""
    with transaction.atomic():
        rows = ExpertRequest.objects.waiting().filter(query__in=queries)
        # Locked: of two replies at once the first one is kept, and the other is not promised to anybody.
        waiting = list(rows.select_for_update(of=("self",)).order_by("pk"))
        for request in waiting:
            request.reply, request.replied_by, request.replied_at = reply, by.public_name, timezone.now()
        ExpertRequest.objects.bulk_update(waiting, ["reply", "replied_by", "replied_at"])
    for request in waiting:
        publish_task("notifications.mail_expert_reply", request_id=request.pk)
    return len(waiting)


def _count_request(asker: str, query: Query) -> None:
    wait = rate_limits.count_or_wait(f"expert:{asker}", REQUEST_LIMITS)
    if wait is None:
        wait = rate_limits.count_or_wait(f"expert-plugin:{query.plugin_id}", _PLUGIN_LIMITS)
    if wait is not None:
        raise RateLimited(wait=wait)
