"""Pictures of people: drawn anew by us, under names of ours, and served from here alone.

What somebody uploads, or has elsewhere, is never served as it came. A confined child process turns it into pixels
(`avatar_decoder`), and the file is made here from those.
"""

from __future__ import annotations

import logging
import re
import secrets
import subprocess
import sys
import time
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from PIL import Image

from accounts.avatar_decoder import AVATAR_SIDE, PIXEL_BYTES
from accounts.models import User
from accounts.rate_limits import RateLimited, check_hourly_limit
from lexic import egress
from lexic.errors import InvalidInput
from lexic.storage import StorageUnavailable, site_storage

logger = logging.getLogger(__name__)

MAX_AVATAR_BYTES = 5 * 1024 * 1024
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp"})
# How files of these three kinds begin; a WebP says so again at the ninth byte.
_IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
_AVATARS_FOLDER = "avatars"
_AVATAR_NAME = re.compile(r"[0-9a-f]{32}\.webp")
_DECODER_SCRIPT = Path(__file__).parent / "avatar_decoder.py"
_DECODE_TIMEOUT_SECONDS = 10.0  # seconds
_FETCH_TIMEOUT_SECONDS = 10.0
_WEBP_QUALITY = 84
_PER_HOUR = 20


class UnreadableImage(InvalidInput):
    """This picture cannot be read."""

    code = "not_a_picture"
    hint = "Use a PNG, JPEG or WebP file of at most 5 MB."


class ImageTooLarge(UnreadableImage):
    """The picture is too large."""

    code = "too_large"
    status = 413


class TooManyUploads(RateLimited):
    """You have sent many pictures within the hour; the one you have stays."""


def upload_avatar(user: User, file: IO[bytes]) -> None:
    """Saves a picture as `save_avatar` does, a limited number each hour. Raises `TooManyUploads` as well."""
    check_hourly_limit(f"pictures:{user.pk}", most=_PER_HOUR, refusal=TooManyUploads)
    save_avatar(user, file)


def save_avatar(user: User, file: IO[bytes]) -> None:
    """The person's picture is this from now on. Raises `UnreadableImage`, `ImageTooLarge`, `StorageUnavailable`."""
    name = f"{secrets.token_hex(16)}.webp"
    content = BytesIO()
    _decode_image(_read_upload(file)).save(content, "WEBP", quality=_WEBP_QUALITY)
    site_storage().save(content.getvalue(), _stored_name(name))
    _replace_avatar(user, name)


def remove_avatar(user: User) -> None:
    """Deletes the person's picture."""
    _replace_avatar(user, "")


def import_avatar(user: User, *, url: str, policy: egress.EgressPolicy | None = None) -> None:
    """Downloads the picture at this address and saves it. Raises `LexicError`."""
    fetched = egress.fetch(
        url, max_bytes=MAX_AVATAR_BYTES, timeout=_FETCH_TIMEOUT_SECONDS, content_types=_IMAGE_TYPES, policy=policy
    )
    save_avatar(user, BytesIO(fetched.body))


def read_avatar(name: str) -> bytes:
    """The WebP file. Raises `FileNotFoundError`, and `UnreadableImage` for a name that this module did not make."""
    return site_storage().read(_stored_name(name))


def delete_avatar(name: str) -> None:
    """Deletes a picture that no account has any more. Where the storage is away, the sweep does it later."""
    try:
        site_storage().delete(_stored_name(name))
    except StorageUnavailable:
        logger.warning("the picture %s is left to the sweep", name)


def is_stored(name: str) -> bool:
    """Whether there is such a picture."""
    return site_storage().exists(_stored_name(name))


def stored_avatars(*, older_than: timedelta = timedelta()) -> set[str]:
    """The names of the pictures in the storage. A younger one may belong to an account that is not saved yet."""
    before = time.time() - older_than.total_seconds()
    found = ((one.name.rpartition("/")[2], one) for one in site_storage().files(f"{_AVATARS_FOLDER}/"))
    return {name for name, one in found if _AVATAR_NAME.fullmatch(name) and one.modified <= before}


def named_avatars(cursor: Any) -> set[str]:
    """The stored names of the pictures that accounts have. `cursor` is a cursor of Django or of psycopg."""
    cursor.execute("SELECT avatar FROM accounts_user WHERE avatar <> ''")
    return {f"{_AVATARS_FOLDER}/{name}" for (name,) in cursor.fetchall()}


def _replace_avatar(user: User, name: str) -> None:
    before, user.avatar = user.avatar, name
    user.save(update_fields=["avatar"])
    if before:
        delete_avatar(before)


def _read_upload(file: IO[bytes]) -> bytes:
    content = file.read(MAX_AVATAR_BYTES + 1)
    if len(content) > MAX_AVATAR_BYTES:
        raise ImageTooLarge
    if not content.startswith(_IMAGE_SIGNATURES):
        raise UnreadableImage
    return content


def _decode_image(content: bytes) -> Image.Image:
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed program; the picture is its input
            [sys.executable, "-P", "-s", str(_DECODER_SCRIPT)],
            input=content,
            capture_output=True,
            timeout=_DECODE_TIMEOUT_SECONDS,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableImage from None
    if done.returncode != 0 or len(done.stdout) != PIXEL_BYTES:
        raise UnreadableImage
    return Image.frombytes("RGB", (AVATAR_SIDE, AVATAR_SIDE), done.stdout)


def _stored_name(name: str) -> str:
    if not _AVATAR_NAME.fullmatch(name):
        raise UnreadableImage
    return f"{_AVATARS_FOLDER}/{name}"
