"""Another ENCRYPTION_KEY: what is sealed can be read before, during and after, and is counted until it is done."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts import key_secrets
from accounts.models import ApiKey, User
from audit.actions import Action
from audit.models import AuditEntry
from lexic import secret_files
from lexic.diagnostics import CheckFailed
from local import locks, running_server
from plugins.models import Plugin
from privacy import key_rotation
from privacy.health_checks import check_sealed_secrets
from tests.lexic.running import command
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
TOTP_SECRET = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def sealed(alice: User, settings: Any) -> dict[str, Any]:
    """Something of each kind, sealed under “old”; the site has “new” by now and knows “old”."""
    settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEY_FALLBACKS = "old", []
    key, secret = ApiKey.objects.issue(owner=alice, name="agent")
    plugin = Plugin.objects.create(owner=alice, name="P", domain="x", system_prompt="x")
    webhook = Webhook(plugin=plugin, url="https://example.org/hook", events=[])
    webhook.set_new_secret()
    webhook.save()
    TOTP.activate(alice, TOTP_SECRET)
    codes = RecoveryCodes.activate(alice).get_unused_codes()
    settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEY_FALLBACKS = "new", ["old"]
    return {
        "key": key,
        "secret": secret,
        "webhook": webhook,
        "webhook_secrets": webhook.valid_secrets(now=timezone.now()),
        "codes": codes,
    }


def read(sealed: dict[str, Any], alice: User) -> list[Any]:
    """All of it, as its users read it."""
    key, webhook = ApiKey.objects.get(pk=sealed["key"].pk), Webhook.objects.get(pk=sealed["webhook"].pk)
    app = Authenticator.objects.get(user=alice, type=Authenticator.Type.TOTP)
    recovery = Authenticator.objects.get(user=alice, type=Authenticator.Type.RECOVERY_CODES)
    secret = key_secrets.decrypt(app.data["secret"])
    return [key.reveal(), webhook.valid_secrets(now=timezone.now()), secret, RecoveryCodes(recovery).get_unused_codes()]


def expected(sealed: dict[str, Any]) -> list[Any]:
    return [sealed["secret"], sealed["webhook_secrets"], TOTP_SECRET, sealed["codes"]]


def totals(reports: list[key_rotation.ColumnReport]) -> tuple[int, ...]:
    return tuple(sum(getattr(one, name) for one in reports) for name in ("current", "resealed", "left", "unreadable"))


def test_everything_is_read_before_during_and_after(sealed: dict[str, Any], alice: User, settings: Any) -> None:
    assert read(sealed, alice) == expected(sealed)
    assert totals(key_rotation.reseal_all(dry_run=True)) == (0, 0, 4, 0)
    assert totals(key_rotation.reseal_all()) == (0, 4, 0, 0)
    assert totals(key_rotation.reseal_all()) == (4, 0, 0, 0)
    settings.ENCRYPTION_KEY_FALLBACKS = []
    assert read(sealed, alice) == expected(sealed)


def test_the_audit_log_has_it_once_with_figures_and_no_secret(sealed: dict[str, Any]) -> None:
    key_rotation.reseal_all(dry_run=True)
    key_rotation.reseal_all()
    key_rotation.reseal_all()
    (entry,) = AuditEntry.objects.filter(action=Action.ENCRYPTION_ROTATED)
    assert entry.details == {"resealed": 4, "left": 0}


def test_broken_off_it_goes_on_where_it_was(sealed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    seal, done = key_secrets.encrypt, []

    def break_off(secret: str) -> str:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(secret)
        return seal(secret)

    monkeypatch.setattr(key_secrets, "encrypt", break_off)
    with pytest.raises(KeyboardInterrupt):
        key_rotation.reseal_all()
    monkeypatch.undo()
    assert totals(key_rotation.reseal_all()) == (2, 2, 0, 0)


def test_whoever_changes_a_row_meanwhile_wins(
    sealed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seal = key_secrets.encrypt

    def revoke_meanwhile(secret: str) -> str:
        ApiKey.objects.filter(pk=sealed["key"].pk).update(key_encrypted="")
        return seal(secret)

    monkeypatch.setattr(key_secrets, "encrypt", revoke_meanwhile)
    with pytest.raises(CommandError, match="1 values were changed meanwhile"):
        call_command("rotate_keys")
    assert ApiKey.objects.get(pk=sealed["key"].pk).key_encrypted == ""
    call_command("rotate_keys")
    assert "Nothing needs ENCRYPTION_KEY_FALLBACKS any more." in capsys.readouterr().out


def test_what_no_known_key_opens_is_named_and_left(
    sealed: dict[str, Any], settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ApiKey.objects.get(pk=sealed["key"].pk).key_encrypted
    settings.ENCRYPTION_KEY_FALLBACKS = ["another"]
    call_command("rotate_keys", "--json")
    reports = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert reports["accounts.ApiKey.key_encrypted"] | {"name": ""} == {
        "name": "", "current": 0, "resealed": 0, "left": 0, "unreadable": 1,
    }  # fmt: skip
    assert ApiKey.objects.get(pk=sealed["key"].pk).key_encrypted == before
    call_command("rotate_keys")
    assert "Add it to ENCRYPTION_KEY_FALLBACKS" in capsys.readouterr().err


def test_every_column_that_is_sealed_is_walked() -> None:
    walked = {column.name for column in key_rotation.sealed_columns()}
    columns = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if re.search("encrypted|sealed|cipher", field.name)
    }
    # Sealed under a name as well that is kept nowhere, and deleted after a day.
    columns -= {"api.IdempotentRequest.sealed_response"}
    assert columns | {"mfa.Authenticator.data"} == walked
    assert len(walked) >= 7


# --- The secrets that Lexic keeps itself ------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR, settings.ENCRYPTION_KEY = tmp_path, "first"
    (tmp_path / "encryption_key.txt").write_text("first\n")
    return tmp_path


def test_a_new_secret_keeps_the_one_before_until_the_end(kept: Path, settings: Any) -> None:
    secret_files.begin_rotation("ENCRYPTION_KEY")
    second = (kept / "encryption_key.txt").read_text()
    assert len(second) >= 50
    assert (kept / "encryption_key_fallbacks.txt").read_text() == "first"
    settings.ENCRYPTION_KEY = second
    secret_files.begin_rotation("ENCRYPTION_KEY")
    assert (kept / "encryption_key_fallbacks.txt").read_text().split() == [second, "first"]
    for path in kept.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_files.end_rotation("ENCRYPTION_KEY")
    assert not secret_files.end_rotation("ENCRYPTION_KEY")
    assert [path.name for path in kept.iterdir()] == ["encryption_key.txt"]


def test_a_rotation_does_not_end_before_lexic_was_restarted(kept: Path) -> None:
    """What the running server seals meanwhile is sealed under the earlier key."""
    running_server.write_server_status(kept, url="http://localhost", status="up")
    os.utime(kept / "up.json", (1e9, 1e9))
    with locks.hold_lock(kept, running_server.SUPERVISOR_LOCK):
        secret_files.begin_rotation("ENCRYPTION_KEY")
        with pytest.raises(secret_files.RestartFirst):
            secret_files.end_rotation("ENCRYPTION_KEY")
        assert (kept / "encryption_key_fallbacks.txt").read_text() == "first"
        os.utime(kept / "up.json", (9e9, 9e9))
        assert secret_files.end_rotation("ENCRYPTION_KEY")


def test_a_secret_of_the_environment_is_changed_there(kept: Path, settings: Any) -> None:
    settings.ENCRYPTION_KEY = "of the environment"
    with pytest.raises(secret_files.SecretElsewhere, match="comes from the environment"):
        secret_files.begin_rotation("ENCRYPTION_KEY")
    assert (kept / "encryption_key.txt").read_text() == "first\n"


def test_keys_are_not_thrown_away_in_a_rehearsal() -> None:
    with pytest.raises(CommandError, match="without --dry-run"):
        call_command("rotate_keys", "--end", "ENCRYPTION_KEY", "--dry-run")


def test_the_settings_read_what_the_command_keeps(tmp_path: Path) -> None:
    program = "from django.conf import settings; print([settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS])"
    (tmp_path / "secret_key.txt").write_text("second")
    (tmp_path / "secret_key_fallbacks.txt").write_text("first")
    read_files = command(tmp_path, "shell", "-v0", "-c", program, DATABASE_URL="postgres://x@y/z")
    assert read_files.stdout == "['second', 'first']\n", read_files.stderr
    given = {"SECRET_KEY": "c", "SECRET_KEY_FALLBACKS": "b,a", "DATABASE_URL": "postgres://x@y/z"}
    assert command(tmp_path, "shell", "-v0", "-c", program, **given).stdout == "['c', 'b', 'a']\n"


def test_people_stay_signed_in_under_another_secret_key(client: Client, alice: User, settings: Any) -> None:
    client.force_login(alice)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another secret key of this site"
    assert client.get("/settings").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/settings").status_code == 200  # the session was renewed under the new one


@pytest.mark.usefixtures("sealed")
def test_doctor_finds_out_that_the_key_is_another_one(settings: Any) -> None:
    assert check_sealed_secrets() == "the newest 4 that are sealed can be read"
    settings.ENCRYPTION_KEY_FALLBACKS = []
    with pytest.raises(CheckFailed, match="4 of the 4 newest sealed secrets cannot be read by ENCRYPTION_KEY"):
        check_sealed_secrets()


def test_the_newest_secrets_are_the_last_that_were_sealed(alice: User, settings: Any) -> None:
    """The ids of keys are random."""
    for number, key in ((2, "old"), (1, "new")):
        settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEY_FALLBACKS = key, []
        made, _ = ApiKey.objects.issue(owner=alice, name=key)
        ApiKey.objects.filter(pk=made.pk).update(id=UUID(int=number))
    assert key_rotation.count_unreadable(newest=1) == (0, 1)


def test_doctor_is_content_where_nothing_is_sealed() -> None:
    assert check_sealed_secrets() == "none is sealed yet"
