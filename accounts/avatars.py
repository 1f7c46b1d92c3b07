"""Pictures of people: drawn anew by us, under names of ours, and served from here alone.

What somebody uploads, or has elsewhere, is never served as it came. A confined child process turns it into pixels
(`redraw`), and the file is made here from those.
"""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import IO

from django.conf import settings
from PIL import Image

from accounts.limits import TooOften, check_hour
from accounts.models import User
from accounts.redraw import PIXEL_BYTES, SIDE
from lexic import egress
from lexic.errors import InvalidInput

MOST_BYTES = 5 * 1024 * 1024
_TYPES = frozenset({"image/png", "image/jpeg", "image/webp"})
# How files of these three kinds begin; a WebP says so again at the ninth byte.
_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
_NAME = re.compile(r"[0-9a-f]{32}\.webp")
_REDRAW = Path(__file__).parent / "redraw.py"
_PATIENCE = 10.0  # seconds
_FETCH_PATIENCE = 10.0
_QUALITY = 84
_PER_HOUR = 20


class NotAPicture(InvalidInput):
    """This is not a picture that can be read."""

    code = "not_a_picture"
    hint = "Use a PNG, JPEG or WebP file of at most 5 MB."


class PictureTooLarge(NotAPicture):
    """The picture is too large."""

    code = "too_large"
    status = 413


class TooManyPictures(TooOften):
    """You have sent many pictures within the hour; the one you have stays."""


def take_in(user: User, file: IO[bytes]) -> None:
    """`keep` for what people send, so many an hour. Raises `TooManyPictures` as well."""
    check_hour(f"pictures:{user.pk}", most=_PER_HOUR, refusal=TooManyPictures)
    keep(user, file)


def keep(user: User, file: IO[bytes]) -> None:
    """The person's picture is this from now on. Raises `NotAPicture`, `PictureTooLarge`."""
    name = f"{secrets.token_hex(16)}.webp"
    picture = _drawn(_read(file))
    _root().mkdir(parents=True, exist_ok=True)
    picture.save(_root() / name, "WEBP", quality=_QUALITY)
    _replace(user, name)


def forget(user: User) -> None:
    """The person has no picture any more."""
    _replace(user, "")


def fetch(user: User, *, url: str, policy: egress.EgressPolicy | None = None) -> None:
    """Keeps the picture at this address, if it can be had. Raises `LexicError`."""
    fetched = egress.fetch(url, max_bytes=MOST_BYTES, timeout=_FETCH_PATIENCE, content_types=_TYPES, policy=policy)
    keep(user, BytesIO(fetched.body))


def path_of(name: str) -> Path:
    """Raises `NotAPicture` for what is no name of ours."""
    if not _NAME.fullmatch(name):
        raise NotAPicture
    return _root() / name


def _replace(user: User, name: str) -> None:
    before, user.avatar = user.avatar, name
    user.save(update_fields=["avatar"])
    if before:
        path_of(before).unlink(missing_ok=True)


def _read(file: IO[bytes]) -> bytes:
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise PictureTooLarge
    if not content.startswith(_BEGINNINGS):
        raise NotAPicture
    return content


def _drawn(content: bytes) -> Image.Image:
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed program; the picture is its input
            [sys.executable, "-P", "-s", str(_REDRAW)],
            input=content,
            capture_output=True,
            timeout=_PATIENCE,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotAPicture from None
    if done.returncode != 0 or len(done.stdout) != PIXEL_BYTES:
        raise NotAPicture
    return Image.frombytes("RGB", (SIDE, SIDE), done.stdout)


def _root() -> Path:
    return Path(settings.LEXIC_FILES_DIR) / "avatars"
