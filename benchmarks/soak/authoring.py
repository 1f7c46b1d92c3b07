"""What authors do meanwhile: upload, edit, delete, publish, move plugins as files, and open pages."""

from __future__ import annotations

import random
import time

import httpx2

from benchmarks.ingestion import NOUNS, random_sentences
from benchmarks.soak.questions import headers_of, question
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.site import PASSWORD, Expert, Site
from benchmarks.soak.verdicts import CLEAN, verdict, verdict_of_page

RETRY_SECONDS = 0.5
# Authors hand in nothing while so many documents wait: a queue that grows on a slow machine is no stuck document.
MOST_WAITING = 8


def _author(site: Site) -> Expert:
    """The expert whose documents change; those of the other one stay."""
    return site.experts[0]


def _note(choose: random.Random) -> str:
    return f"Note {choose.randrange(10**9):09}. {' '.join(random_sentences(choose, noun=choose.choice(NOUNS)))}"


def _wait_for_readers(record: SoakRecord) -> None:
    while not record.is_over.is_set() and _readers_are_behind():
        time.sleep(RETRY_SECONDS)


def _readers_are_behind() -> bool:
    from django.db import DatabaseError, connections

    from knowledge.models import Document

    try:
        return Document.objects.unfinished().count() >= MOST_WAITING
    except DatabaseError:
        return False
    finally:
        connections.close_all()


def upload(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """A new document; one that was refused, or whose connection broke, is sent again until it is taken."""
    expert, text = _author(site), _note(choose)
    name = f"note {text[5:14]}.md"
    _wait_for_readers(record)
    while True:
        begun = time.monotonic()
        try:
            response = client.post(
                f"/api/plugins/{expert.plugin}/documents",
                files={"file": (name, text.encode(), "text/markdown")},
                headers=headers_of(expert),
            )
        except httpx2.HTTPError:
            if not record.was_cut(begun, time.monotonic()):
                raise
            record.add_outcome("upload", "cut", seconds=time.monotonic() - begun)
            continue
        if response.is_success:
            record.uploaded[name] = response.json()["id"]
        if (outcome := verdict(response)) != CLEAN or record.is_over.is_set():
            return outcome
        record.add_outcome("upload", CLEAN, seconds=time.monotonic() - begun)
        time.sleep(RETRY_SECONDS)


def edit(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """Other bytes for a document, or other words about it."""
    if not (names := sorted(record.uploaded.keys() - record.deleted)):
        return "right"
    expert = _author(site)
    path = f"/api/plugins/{expert.plugin}/documents/{record.uploaded[name := choose.choice(names)]}"
    _wait_for_readers(record)
    if choose.random() < 0.5:
        file = {"file": (name, _note(choose).encode(), "text/markdown")}
        response = client.put(f"{path}/file", files=file, headers=headers_of(expert))
    else:
        response = client.patch(path, json={"tags": [choose.choice(NOUNS)]}, headers=headers_of(expert))
    # It may have been deleted while this waited for the readers.
    was_deleted = response.status_code == 404 and name in record.deleted
    return "right" if was_deleted else verdict(response)


def delete(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """The oldest ones go. Whether one is gone is only known from the response."""
    names = [name for name in record.uploaded if name not in record.deleted]
    if len(names) < 10:
        return "right"
    expert, name = _author(site), names[0]
    record.deleted.add(name)  # from now on nobody edits it, and it need not be there
    path = f"/api/plugins/{expert.plugin}/documents/{record.uploaded[name]}"
    response = client.delete(path, headers=headers_of(expert))
    return "right" if response.status_code == 404 else verdict(response)


def publish(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    expert = _author(site)
    return verdict(client.post(f"/api/plugins/{expert.plugin}/publish", json={}, headers=headers_of(expert)))


def export_and_import(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """The second expert's plugin as a file, made a draft, which is deleted again."""
    expert = site.experts[1]
    exported = client.get(f"/api/plugins/{expert.plugin}/export", headers=headers_of(expert))
    if exported.status_code != 200:
        return verdict(exported)
    file = {"file": ("plugin.zip", exported.content, "application/zip")}
    slug = f"copy-{choose.randrange(10**9)}"
    imported = client.post("/api/plugins/import", files=file, data={"slug": slug}, headers=headers_of(expert))
    if imported.status_code != 201:
        return verdict(imported)
    return verdict(client.delete(f"/api/plugins/{slug}", headers=headers_of(expert)))


def search(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    expert = choose.choice(site.experts)
    path = f"/api/plugins/{expert.plugin}/search"
    return verdict(client.get(path, params={"q": question(choose)}, headers=headers_of(expert)))


def read_sign_in_page(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    return verdict_of_page(client.get("/accounts/login/"))


def sign_in(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """Each time from the beginning; too many are refused with 429."""
    client.cookies.clear()
    page = client.get("/accounts/login/")
    if "csrftoken" not in client.cookies:
        return verdict_of_page(page)
    said = {"login": _author(site).email, "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
    return verdict_of_page(client.post("/accounts/login/", data=said))


def open_builder(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    if "sessionid" not in client.cookies and (outcome := sign_in(site, record, client, choose)) != "right":
        return outcome
    return verdict_of_page(client.get("/admin/"))
