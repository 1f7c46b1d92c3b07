"""Files in a bucket of any store that speaks the protocol of S3. Whoever needs a path gets a copy on this machine."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import IO, Any, cast

from lexic import atomic_files
from lexic.infrastructure_errors import StorageUnavailable
from lexic.storage.base import Storage, StoredObject

logger = logging.getLogger(__name__)

_CONNECT_SECONDS, _READ_SECONDS = 3, 20
_CONNECTIONS = 16
# Up to here a file is copied to memory, and above it to the disk.
_MEMORY_BYTES = 8 * 1024 * 1024
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
# So long a write that succeeded is taken for a sign that the next one would.
_PROBE_SECONDS = 60.0
_PROBE_NAME = "probe"


@cache
def connect_s3(**settings: Any) -> S3Storage:
    """The storage with these settings (see `lexic.conf.storage`); nothing is sent before it is used."""
    return S3Storage(**settings)


class S3Storage(Storage):
    def __init__(
        self,
        *,
        bucket: str,
        endpoint_url: str,
        region: str,
        prefix: str,
        access_key_id: str,
        secret_access_key: str,
        path_style: bool,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._endpoint_url, self._region = endpoint_url, region
        self._keys = (access_key_id, secret_access_key)
        self._style = "path" if path_style else "virtual"
        self._written_at = float("-inf")

    @cached_property
    def client(self) -> Any:
        """The client of the store. Threads may share it; where no keys were given, it finds those of the machine."""
        # Imported here, because most commands and most tests never ask a store.
        import boto3
        from botocore.config import Config

        access_key_id, secret_access_key = self._keys
        # Checksums that are optional in the protocol are refused by some stores that are not Amazon's.
        config = Config(
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=_CONNECTIONS,
            s3={"addressing_style": self._style},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        # A session of its own: the one that boto3 shares may not be made by two threads at once.
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self._endpoint_url or None,
            region_name=self._region,
            aws_access_key_id=access_key_id or None,
            aws_secret_access_key=secret_access_key or None,
            config=config,
        )

    def new_file(self, folder: str = "") -> AbstractContextManager[IO[bytes]]:
        return atomic_files.temporary_file(Path(tempfile.gettempdir()))

    def keep(self, file: IO[bytes], name: str) -> None:
        from boto3.s3.transfer import TransferConfig

        file.flush()
        # Opened anew, because the client closes what it has sent.
        with _translated_errors(name), Path(file.name).open("rb") as source:
            # Large files are sent in parts, so that there is no limit of 5 GB.
            self.client.upload_fileobj(source, self._bucket, self._key(name), Config=TransferConfig(use_threads=False))

    def keep_and_open(self, file: IO[bytes], name: str) -> IO[bytes]:
        self.keep(file, name)
        return Path(file.name).open("rb")  # readable until it is closed, also when it has no name any more

    def open(self, name: str) -> IO[bytes]:
        copy = tempfile.SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115  # the caller closes it
        try:
            self._download(name, cast("IO[bytes]", copy))
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return cast("IO[bytes]", copy)

    def read_beginning(self, name: str, size: int) -> bytes:
        """What comes behind it is not fetched."""
        with _translated_errors(name):
            answer = self.client.get_object(Bucket=self._bucket, Key=self._key(name))
            with answer["Body"] as body:
                return cast("bytes", body.read(size))

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        with self.new_file() as copy:
            self._download(name, copy)
            copy.flush()
            yield Path(copy.name)

    def find(self, name: str) -> StoredObject | None:
        try:
            with _translated_errors(name):
                about = self.client.head_object(Bucket=self._bucket, Key=self._key(name))
        except FileNotFoundError:
            return None
        return StoredObject(name=name, size=about["ContentLength"], modified=about["LastModified"].timestamp())

    def find_many(self, names: Collection[str]) -> Iterator[StoredObject]:
        if len(names) < _CONNECTIONS:
            yield from super().find_many(names)
            return
        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            yield from filter(None, pool.map(self.find, names))

    def touch(self, name: str) -> bool:
        key = self._key(name)
        try:
            with _translated_errors(name):
                self.client.copy_object(
                    Bucket=self._bucket,
                    Key=key,
                    CopySource={"Bucket": self._bucket, "Key": key},
                    MetadataDirective="REPLACE",
                )
        except FileNotFoundError:
            return False
        return True

    def delete(self, name: str) -> None:
        with _translated_errors(name):
            self.client.delete_object(Bucket=self._bucket, Key=self._key(name))

    def delete_folder(self, folder: str) -> None:
        for found in self.files(f"{folder}/"):
            self.delete(found.name)

    def files(self, beginning: str = "") -> Iterator[StoredObject]:
        with _translated_errors(beginning):
            pages = self.client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._key(beginning)
            )
            for page in pages:
                for one in page.get("Contents", ()):
                    name = one["Key"].removeprefix(self._prefix)
                    if name != _PROBE_NAME:
                        yield StoredObject(name=name, size=one["Size"], modified=one["LastModified"].timestamp())

    def check(self) -> str:
        if time.monotonic() - self._written_at > _PROBE_SECONDS:
            with _translated_errors(_PROBE_NAME):
                self.client.put_object(Bucket=self._bucket, Key=self._key(_PROBE_NAME), Body=b"")
            self._written_at = time.monotonic()
        return f"uploads can be kept in the bucket {self._bucket} at {self.client.meta.endpoint_url}"

    def _key(self, name: str) -> str:
        return self._prefix + name

    def _download(self, name: str, target: IO[bytes]) -> None:
        with _translated_errors(name):
            answer = self.client.get_object(Bucket=self._bucket, Key=self._key(name))
            with answer["Body"] as body:
                shutil.copyfileobj(body, target)


@contextmanager
def _translated_errors(name: str) -> Iterator[None]:
    """Raises `FileNotFoundError` where the store has no such file, and `StorageUnavailable` for its other errors."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in _MISSING:
            raise FileNotFoundError(name) from error
        logger.warning("the file storage refused %s: %s", name, error)
        raise StorageUnavailable from error
    except (BotoCoreError, Boto3Error) as error:
        logger.warning("the file storage could not be asked for %s: %s", name, error)
        raise StorageUnavailable from error
