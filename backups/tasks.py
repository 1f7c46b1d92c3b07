from __future__ import annotations

import logging

from django.conf import settings

from backups.backup_errors import BackupRuns, VerificationRuns
from backups.backup_store import open_backup_store
from backups.create_backup import create_backup
from backups.verify import verify_backup
from lexic.celery import app
from lexic.errors import LexicError

logger = logging.getLogger(__name__)


@app.task(name="backups.create")
def make_scheduled_backup(**kwargs: object) -> None:
    """Once a day, where LEXIC_BACKUP_TO says where to."""
    if settings.BACKUPS["to"]:
        try:
            manifest = create_backup(open_backup_store(), keep=settings.BACKUPS["keep"])
        except BackupRuns:
            logger.info("no second backup is made while one is")  # a long task is handed out again
        except LexicError as error:
            logger.error("no backup was made: %s", error.message_with_hint)
        else:
            logger.info("backup %s was made; %d files are missing or damaged", manifest.name, len(manifest.missing))


@app.task(name="backups.verify")
def verify_scheduled_backup(**kwargs: object) -> None:
    """Once a week, the newest one."""
    if where := settings.BACKUPS["to"]:
        try:
            found = verify_backup(open_backup_store(), where=where)
        except VerificationRuns:
            logger.info("backups are verified already")
        except LexicError as error:
            logger.error("the backup could not be verified: %s", error.message_with_hint)
        else:
            logger.info("backup %s is whole: %d golden questions were asked", found.name, found.asked)
