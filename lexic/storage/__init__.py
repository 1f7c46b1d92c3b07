"""The files of this site, in a folder or in a bucket: documents, pictures of pages and people, shared releases."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from lexic.infrastructure_errors import StorageUnavailable as StorageUnavailable
from lexic.storage.base import Storage as Storage
from lexic.storage.base import StoredObject as StoredObject
from lexic.storage.base import prune as prune
from lexic.storage.encrypted import EncryptedStorage as EncryptedStorage
from lexic.storage.folder import FolderStorage
from lexic.storage.s3 import connect_s3


def site_storage() -> Storage:
    """The one that the settings name, encrypted where they have a key for it."""
    bucket = settings.S3["bucket"]
    storage: Storage = connect_s3(**settings.S3) if bucket else FolderStorage(Path(settings.LEXIC_FILES_DIR))
    return EncryptedStorage(storage, keys=settings.FILES_KEYS) if settings.FILES_KEYS else storage
