from __future__ import annotations

import logging

from audit.chain import BrokenChain
from audit.prune import prune_log
from audit.verification import verify_and_remember
from lexic.celery import app

logger = logging.getLogger(__name__)


@app.task(name="audit.prune")
def prune_audit_log(**kwargs: object) -> None:
    prune_log()


@app.task(name="audit.verify")
def verify_audit_log(**kwargs: object) -> None:
    """Once a day. Where logs are kept elsewhere, the head that stands in them proves later what was there."""
    try:
        found = verify_and_remember()
    except BrokenChain as error:
        logger.error("%s", error.message_with_hint)
    else:
        logger.info("the audit log is as it was written; its head is %s", found.head)
