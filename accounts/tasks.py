"""The background tasks of accounts: fetch the picture that a person has elsewhere, and delete tokens that have
ended."""

from __future__ import annotations

import logging

from accounts import authorized_clients, avatars
from accounts.models import User
from lexic.celery import app
from lexic.errors import LexicError

logger = logging.getLogger(__name__)


@app.task(name="accounts.fetch_avatar", acks_late=True)
def fetch_avatar(person: str, url: str, **kwargs: object) -> None:
    user = User.objects.filter(pk=person).first()
    if user is None or user.avatar:
        return
    try:
        avatars.import_avatar(user, url=url)
    except LexicError as error:
        logger.info("no picture for %s: %s", person, error.message)


@app.task(name="accounts.forget_tokens", ignore_result=True)
def forget_tokens(**kwargs: object) -> None:
    """Deletes OAuth tokens that have ended, and clients that no person has authorized."""
    authorized_clients.forget_ended()
