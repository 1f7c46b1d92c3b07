from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts import avatars
from accounts.avatar_decoder import AVATAR_SIDE
from accounts.models import User
from lexic.egress import EgressPolicy, EgressRefused

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.LEXIC_FILES_DIR = tmp_path
    return tmp_path / "avatars"


def picture(kind: str = "PNG", size: tuple[int, int] = (300, 200), mode: str = "RGB", **options: Any) -> bytes:
    target = BytesIO()
    Image.new(mode, size, "teal").save(target, kind, **options)
    return target.getvalue()


def upload(client: Client, content: bytes, name: str = "me.png") -> str:
    form = {"picture": SimpleUploadedFile(name, content)}
    return client.post(reverse("keep_picture"), form, follow=True).content.decode()


@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("JPEG", "RGB"), ("WEBP", "RGB")]
)
def test_a_picture_is_drawn_anew_under_a_name_of_ours(
    alice: User, client: Client, folder: Path, kind: str, mode: str
) -> None:
    client.force_login(alice)
    page = upload(client, picture(kind, mode=mode), name="../../etc/passwd.html")
    alice.refresh_from_db()
    assert re.fullmatch(r"[0-9a-f]{32}\.webp", alice.avatar)
    assert alice.avatar_url in page
    shown = client.get(alice.avatar_url)
    assert shown.headers["Content-Type"] == "image/webp"
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in shown.headers["Content-Security-Policy"]
    with Image.open(BytesIO(shown.content)) as drawn:
        assert (drawn.format, drawn.size) == ("WEBP", (AVATAR_SIDE, AVATAR_SIDE))


def test_what_was_hidden_in_the_file_does_not_come_along(alice: User) -> None:
    exif = Image.Exif()
    exif[0x010E] = "<script>the place where it was taken</script>"
    avatars.save_avatar(alice, BytesIO(picture("JPEG", exif=exif) + b"<script>after the end</script>"))
    assert b"script" not in avatars.read_avatar(alice.avatar)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        b"GIF89a" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + b"not really",
        b"\xff\xd8\xff" + bytes(1000),
        b"RIFF\x00\x00\x00\x00WAVEfmt ",
        picture()[:200],
    ],
)
def test_what_is_no_picture_is_refused_and_the_old_one_stays(
    alice: User, client: Client, folder: Path, content: bytes
) -> None:
    avatars.save_avatar(alice, BytesIO(picture()))
    before = alice.avatar
    client.force_login(alice)
    page = upload(client, content)
    alice.refresh_from_db()
    assert alice.avatar == before
    assert [file.name for file in folder.iterdir()] == [before]
    assert "PNG, JPEG or WebP" in page


def test_a_file_that_is_too_large_is_not_even_read(alice: User, folder: Path) -> None:
    with pytest.raises(avatars.ImageTooLarge):
        avatars.save_avatar(alice, BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(avatars.MAX_AVATAR_BYTES)))


def test_a_picture_of_very_many_pixels_is_refused(alice: User) -> None:
    bomb = picture("PNG", size=(9_000, 9_000), mode="1")
    assert len(bomb) < 100_000
    with pytest.raises(avatars.UnreadableImage):
        avatars.save_avatar(alice, BytesIO(bomb))


def test_a_new_picture_takes_the_place_of_the_old_file(alice: User, folder: Path) -> None:
    avatars.save_avatar(alice, BytesIO(picture()))
    first = alice.avatar
    avatars.save_avatar(alice, BytesIO(picture("JPEG")))
    assert [file.name for file in folder.iterdir()] == [alice.avatar]
    assert first != alice.avatar


def test_a_picture_is_removed_with_its_file(alice: User, client: Client, folder: Path) -> None:
    avatars.save_avatar(alice, BytesIO(picture()))
    address = alice.avatar_url
    client.force_login(alice)
    client.post(reverse("remove_picture"))
    assert list(folder.iterdir()) == []
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["x.webp", "..%2Fsecret_key.txt", "0" * 32, f"{'0' * 32}.webp", f"{'0' * 32}.png"])
def test_no_other_file_is_served(client: Client, name: str) -> None:
    assert client.get(f"/accounts/avatars/{name}").status_code == 404


def test_pictures_are_kept_by_people_who_have_signed_in(client: Client) -> None:
    assert client.post(reverse("keep_picture")).status_code == 302
    assert client.get(reverse("profile")).status_code == 302


# --- The picture that somebody has elsewhere -------------------------------------------------------------


@contextmanager
def elsewhere(content: bytes, content_type: str = "image/png") -> Iterator[tuple[str, EgressPolicy]]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    try:
        yield f"http://127.0.0.1:{port}/me", EgressPolicy(exempt=frozenset({("127.0.0.1", port)}))
    finally:
        server.shutdown()
        server.server_close()


def test_it_is_fetched_once_and_kept_here(alice: User) -> None:
    with elsewhere(picture()) as (url, policy):
        avatars.import_avatar(alice, url=url, policy=policy)
    assert alice.avatar_url.startswith("/accounts/avatars/")


def test_it_is_not_fetched_from_inside(alice: User) -> None:
    with elsewhere(picture()) as (url, _), pytest.raises(EgressRefused):
        avatars.import_avatar(alice, url=url)
    assert alice.avatar == ""


def test_a_page_instead_of_a_picture_is_left_alone(alice: User) -> None:
    from lexic.egress import FetchFailed

    with elsewhere(b"<html>", "text/html") as (url, policy), pytest.raises(FetchFailed):
        avatars.import_avatar(alice, url=url, policy=policy)


def test_pictures_are_drawn_so_often_an_hour(alice: User, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avatars, "_PER_HOUR", 2)
    client.force_login(alice)
    for _ in range(2):
        assert "Your picture is saved." in upload(client, picture())
    alice.refresh_from_db()
    before = alice.avatar
    form = {"picture": SimpleUploadedFile("me.png", picture())}
    refused = client.post(reverse("keep_picture"), form)
    alice.refresh_from_db()
    assert (refused.status_code, alice.avatar) == (429, before)
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "You have sent many pictures within the hour" in refused.content.decode()
    assert "Try again in 60 minutes." in refused.content.decode()
