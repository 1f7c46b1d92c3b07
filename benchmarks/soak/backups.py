"""Backups under load, and the proof that one of them is the site: a hundred questions, asked here and there."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.ingestion import NOUNS, VERBS
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.site import Site, running_server, site_environment

EVERY_SECONDS = 120.0
KEPT = 3
QUESTION_COUNT = 100
COMPARED = ("answer", "citations", "decisionPath", "confidence", "outcome", "reason", "pluginVersion")
_TRIES = 20  # of one question, where the site says that it is away


def backup_command(site: Site) -> list[str]:
    return [sys.executable, "manage.py", "backup", "create", str(site.vault), "--keep", str(KEPT), "--json"]


def make_backup(site: Site) -> subprocess.CompletedProcess[str]:
    return subprocess.run(backup_command(site), env=site.environment, capture_output=True, text=True, check=False)


def make_backups(site: Site, record: SoakRecord) -> None:
    """Every two minutes, until the soak is over. One that fails has to say why in a sentence."""
    while not record.is_over.wait(EVERY_SECONDS):
        begun = time.monotonic()
        done = make_backup(site)
        said = done.stderr.strip()
        if done.returncode and "Traceback" in said:
            record.add_violation(f"a backup ended with a traceback: {said[-200:]}")
        outcome = "right" if not done.returncode else "clean"
        record.add_outcome("backup", outcome, seconds=time.monotonic() - begun)
        if not done.returncode and (missing := json.loads(done.stdout)["missing"]):
            record.add_violation(f"a backup lacks {missing} files")


def compare_restored(site: Site, record: SoakRecord) -> dict[str, Any]:
    """While traffic goes on, makes a backup and asks; then restores it elsewhere and asks the same there."""
    expert = site.experts[0]
    with httpx2.Client(base_url=site.address, timeout=60, trust_env=False) as client:
        release = f"{expert.plugin}@{_latest_release(client, expert.secret, expert.plugin)}"
        done = make_backup(site)
        if done.returncode:
            record.add_violation(f"no backup could be made under load: {done.stderr.strip()[-300:]}")
            return {"asked": 0}
        here = ask_hundred(client, release, expert.secret)
    with tempfile.TemporaryDirectory(prefix="lxr-", dir="/tmp") as place:
        Path(place).chmod(0o755)  # PostgreSQL does not run as root
        there = _ask_restored(site, Path(place), release, expert.secret)
    different = [text for text in here if here[text] != there.get(text)]
    for text in different:
        record.add_violation(f"a restored copy answers “{text}” otherwise")
    answered = sum(one["outcome"] == "answered" for one in here.values())
    return {"asked": len(here), "answered": answered, "different": len(different), "release": release}


def ask_hundred(client: httpx2.Client, release: str, secret: str) -> dict[str, dict[str, Any]]:
    """By question what is compared of its answer."""
    texts = [f"When is the {noun} {verb}?" for noun, verb in itertools.product(NOUNS, VERBS)]
    step = len(texts) // QUESTION_COUNT
    return {text: _ask(client, release, text, secret) for text in texts[::step][:QUESTION_COUNT]}


def _ask(client: httpx2.Client, release: str, text: str, secret: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {secret}"}
    for _ in range(_TRIES):
        response = client.post("/api/v1/query", json={"plugin": release, "query": text}, headers=headers)
        if response.status_code == 200:
            answer = {name: value for name, value in response.json().items() if name in COMPARED}
            for citation in answer.get("citations") or []:
                citation.pop("url", None)  # the two sites have two addresses
            return answer
        time.sleep(1)
    raise RuntimeError(f"the question was refused {_TRIES} times: {response.text[:300]}")


def _latest_release(client: httpx2.Client, secret: str, plugin: str) -> str:
    for _ in range(_TRIES):
        response = client.get(f"/api/plugins/{plugin}/releases", headers={"Authorization": f"Bearer {secret}"})
        if response.status_code == 200:
            return str(response.json()["results"][0]["version"])
        time.sleep(1)
    raise RuntimeError(f"the releases could not be listed: {response.text[:300]}")


def _ask_restored(site: Site, place: Path, release: str, secret: str) -> dict[str, dict[str, Any]]:
    """Restores the newest backup into an empty installation and asks there, over HTTP."""
    folder = place / "restored"
    environment = site_environment(folder, files=place / "files")
    command = [sys.executable, "manage.py", "restore", str(site.vault)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    with (
        running_server(folder, environment=environment) as started,
        httpx2.Client(base_url=started.url, timeout=60, trust_env=False) as client,
    ):
        return ask_hundred(client, release, secret)
