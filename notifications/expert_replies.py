"""Mails to those who put a question to an expert: whether their address may be used, and the reply. They are in the
language of the account, or else in that of the question."""

from __future__ import annotations

import logging
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from knowledge.lease import try_lease
from lexic.publish_task import publish_task
from notifications.mails import mail_language, send_to_address
from querying.models import ExpertRequest
from querying.query_log.send_expert_request import make_confirmation_token
from querying.question.answer_language import text_language

logger = logging.getLogger(__name__)


def ask_to_confirm(request_id: int) -> bool:
    """Asks the owner of the address. The mail holds nothing that whoever entered the address wrote. Whether it went
    out."""
    request = ExpertRequest.objects.filter(pk=request_id).exclude(email="").select_related("query").first()
    if request is None or request.confirmed_at:
        return False
    link = settings.PUBLIC_URL + reverse("confirm_expert_request", args=[make_confirmation_token(request)])
    with translation.override(_language(request)):
        subject = gettext("Confirm your address to get the expert’s reply")
        return _send_mail(request.email, subject=subject, template="expert_confirmation", context={"link": link})


def mail_reply(request_id: int) -> bool:
    """Mails the reply and erases the address. One at a time; done twice, it sends nothing more. Whether it went out."""
    with try_lease(f"expert-reply:{request_id}") as is_alone:
        due = ExpertRequest.objects.due().filter(pk=request_id).select_related("query__plugin", "user")
        request = due.first() if is_alone else None
        if request is None:
            return False
        request.attempts += 1
        request.save(update_fields=["attempts"])
        plugin = request.query.plugin
        name = plugin.name if plugin else request.query.release_name
        page = settings.PUBLIC_URL + reverse("plugin", args=[plugin.address]) if plugin and plugin.has_page else ""
        context = {"request": request, "question": request.query.question, "plugin": name, "page": page}
        address = request.user.email if request.user else request.email
        with translation.override(_language(request)):
            subject = gettext("A reply from the expert of %(plugin)s") % {"plugin": name}
            sent = _send_mail(address, subject=subject, template="expert_reply", context=context)
        if sent:
            request.mark_sent()
        return sent


def tidy_up(*, now: datetime) -> None:
    """Erases addresses that are of no use any more, and tries again what could not be mailed."""
    ExpertRequest.objects.erase_old_addresses(now=now)
    for pk in ExpertRequest.objects.due().values_list("pk", flat=True):
        publish_task("notifications.mail_expert_reply", request_id=pk, expires=3600)


def _language(request: ExpertRequest) -> str:
    chosen = request.user.language if request.user else ""
    return mail_language(chosen or text_language(request.query.question))


def _send_mail(address: str, *, subject: str, template: str, context: dict[str, object]) -> bool:
    try:
        send_to_address(address, subject=subject, template=template, context=context)
    except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
        logger.warning("a mail about a question to an expert could not be sent: %s", error)
        return False
    return True
