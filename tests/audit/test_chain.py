"""The audit log is only added to, and whoever changes it behind the database's back is found out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import InternalError, ProgrammingError, connection, transaction
from django.test import override_settings
from django.utils import timezone

from audit.actions import Action
from audit.chain import BrokenChain, ChainHead, verify_chain
from audit.exports import last_names
from audit.models import AuditEntry, AuditName
from audit.prune import prune_log
from audit.record import record
from audit.references import Reference
from audit.tasks import verify_audit_log
from tests.two_transactions import wait_in_turn


def commit() -> None:
    """What the database does at the end of a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def write(count: int) -> None:
    for number in range(count):
        record(Action.PUBLISHED, Reference("plugin", number, f"Plugin {number}"), details={"version": f"1.{number}.0"})
    commit()


def tamper(statement: str) -> None:
    """As somebody who may switch the triggers off."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditentry DISABLE TRIGGER USER")
        cursor.execute("ALTER TABLE audit_auditname DISABLE TRIGGER USER")
        cursor.execute(statement)


@pytest.mark.django_db
def test_whole() -> None:
    write(3)
    found = verify_chain()
    assert (found.entries, found.first, found.erased) == (3, 1, 0)
    assert verify_chain(known=found.head) == found


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditentry SET action = 'plugin.shared'",
        "UPDATE audit_auditentry SET hash = '-'",
        "DELETE FROM audit_auditentry",
        "TRUNCATE audit_auditentry",
        "UPDATE audit_auditname SET name = 'Somebody else'",
    ],
)
def test_refused_by_database(statement: str) -> None:
    write(2)
    with pytest.raises(ProgrammingError, match="audit log"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert verify_chain().entries == 2


@pytest.mark.django_db
def test_role_without_rights_over_the_table() -> None:
    """A role that may write the table, as an application may have that does not own it."""
    write(1)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE ROLE audit_writer")
        cursor.execute("GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON audit_auditentry TO audit_writer")
        cursor.execute("SET LOCAL ROLE audit_writer")
        for statement in ("UPDATE audit_auditentry SET via = ''", "DELETE FROM audit_auditentry"):
            with pytest.raises(ProgrammingError, match="only added to"), transaction.atomic():
                cursor.execute(statement)
        with pytest.raises(ProgrammingError, match="must be owner"), transaction.atomic():
            cursor.execute("ALTER TABLE audit_auditentry DISABLE TRIGGER USER")
        transaction.set_rollback(True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE audit_auditentry SET actor = 'person:1' WHERE number = 3", "Entry 3 was changed"),
        ("UPDATE audit_auditentry SET details = '{}' WHERE number = 2", "Entry 2 was changed"),
        ("UPDATE audit_auditentry SET at = at - interval '1 day' WHERE number = 4", "Entry 4 was changed"),
        ("DELETE FROM audit_auditentry WHERE number = 3", "Entry 3 is missing"),
        ("DELETE FROM audit_auditentry WHERE number = 1", "no entry says that they were deleted"),
        (
            "UPDATE audit_auditentry SET number = -number WHERE number IN (2, 3);"
            "UPDATE audit_auditentry SET number = 5 + number WHERE number < 0",
            "Entry 2 was changed",
        ),
        (
            "UPDATE audit_auditentry SET number = number + 10 WHERE number > 2;"
            "UPDATE audit_auditentry SET number = number - 9 WHERE number > 2;"
            "INSERT INTO audit_auditentry SELECT gen_random_uuid(), 3, repeat('0', 64), at, action, actor, via, object,"
            " subject, request_id, details, names FROM audit_auditentry WHERE number = 2",
            "Entry 3 was changed",
        ),
        ("UPDATE audit_auditname SET name = 'Another' WHERE reference = 'plugin:2'", "The name of plugin:2"),
    ],
    ids=["actor", "details", "time", "removed", "first removed", "reordered", "inserted", "name"],
)
def test_changes_are_found(statement: str, sentence: str) -> None:
    write(5)
    tamper(statement)
    with pytest.raises(BrokenChain, match=sentence):
        verify_chain()


@pytest.mark.django_db
def test_cut_off_at_the_end() -> None:
    write(5)
    head = verify_chain().head
    tamper("DELETE FROM audit_auditentry WHERE number > 3")
    assert verify_chain().entries == 3  # nothing in the log itself can tell
    with pytest.raises(BrokenChain, match="ends with entry 3, and entry 5 was there"):
        verify_chain(known=head)


@pytest.mark.django_db
def test_written_anew() -> None:
    write(3)
    head = verify_chain().head
    tamper("DELETE FROM audit_auditentry")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditentry ENABLE TRIGGER USER")
    write(4)
    assert verify_chain().entries == 4
    with pytest.raises(BrokenChain, match="written anew"):
        verify_chain(known=head)


@pytest.mark.django_db
def test_nobody_brings_a_number_along() -> None:
    write(1)
    AuditEntry.objects.create(action=Action.SHARED, via="x", number=77, hash="f" * 64)
    commit()
    assert [entry.number for entry in AuditEntry.objects.order_by("number")] == [1, 2]
    verify_chain()


@pytest.mark.django_db(transaction=True)
def test_many_at_once() -> None:
    """Twelve at a time, in transactions of different length, some of which are taken back."""
    people, rounds = 12, 8
    start = Barrier(people)

    def act(person: int) -> None:
        start.wait()
        for number in range(rounds):
            try:
                with transaction.atomic():
                    for part in range(1 + number % 3):
                        record(Action.ROLE_GIVEN, Reference("plugin", person), details={"of": [number, part]})
                    if number % 4 == 3:
                        raise InternalError
            except InternalError:
                pass
        connection.close()

    with ThreadPoolExecutor(people) as pool:
        list(pool.map(act, range(people)))
    kept = sum(1 + number % 3 for number in range(rounds) if number % 4 != 3)
    assert verify_chain().entries == people * kept


@pytest.mark.django_db(transaction=True)
def test_long_transaction_holds_nobody_up() -> None:
    """Somebody records and goes on working; others record and commit meanwhile."""

    def short() -> None:
        record(Action.SHARED)

    with transaction.atomic():
        record(Action.ACCOUNT_DELETED)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: (short(), connection.close())).result(60)
        first = AuditEntry.objects.get(action=Action.SHARED).number
    assert AuditEntry.objects.get(action=Action.ACCOUNT_DELETED).number == (first or 0) + 1
    verify_chain()


@pytest.mark.django_db(transaction=True)
def test_commit_does_not_deadlock_with_checks_of_foreign_keys(alice: object) -> None:
    """One writer waits at its commit for a row that another one holds, whose own entry comes first."""
    from plugins.models import Plugin

    plugin = Plugin.objects.create(owner=alice, name="Cover", system_prompt="x", domain="d")

    def hold_row(hold: object) -> None:
        with transaction.atomic():
            Plugin.objects.select_for_update().get(pk=plugin.pk)
            record(Action.HOLD_CHANGED, Reference("plugin", plugin.pk))
            hold()  # type: ignore[operator]

    def add_release() -> None:
        with transaction.atomic():
            record(Action.PUBLISHED, Reference("plugin", plugin.pk))
            plugin.releases.create(version="1.0.0", system_prompt="x")

    wait_in_turn(hold_row, add_release)
    assert AuditEntry.objects.filter(action__in=[Action.HOLD_CHANGED, Action.PUBLISHED]).count() == 2
    verify_chain()


@pytest.mark.django_db
def test_retention(monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = timezone.now() - timedelta(days=400)
    monkeypatch.setattr(AuditEntry._meta.get_field("at"), "default", lambda: long_ago)
    monkeypatch.setattr(AuditEntry._meta.get_field("at"), "_get_default", lambda: long_ago)
    write(3)
    monkeypatch.undo()
    write(1)
    head = verify_chain().head
    with override_settings(AUDIT={"keep_days": 0, "addresses": False}):
        assert prune_log() == 0
    with override_settings(AUDIT={"keep_days": 365, "addresses": False}):
        assert prune_log() == 3
    commit()
    found = verify_chain(known=head)
    assert (found.first, found.entries) == (4, 2)
    assert AuditEntry.objects.get(number=5).details["through"] == 3
    assert set(AuditName.objects.values_list("reference", flat=True)) == {"plugin:0"}
    # Another cut that no entry tells of is refused, and found out where the triggers were off.
    with pytest.raises(ProgrammingError), transaction.atomic():
        AuditEntry.objects.filter(number=4).delete()


@pytest.mark.parametrize("text", ["", "4711", "x:" + "0" * 64, "1:abc"])
def test_head_is_read_strictly(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        ChainHead.parse(text)


@pytest.mark.django_db
def test_head_is_in_the_log_of_the_worker(caplog: pytest.LogCaptureFixture) -> None:
    write(2)
    with caplog.at_level("INFO"):
        verify_audit_log()
    assert str(verify_chain().head) in caplog.text
    tamper("UPDATE audit_auditentry SET via = 'x' WHERE number = 2")
    with caplog.at_level("ERROR"):
        verify_audit_log()
    assert "Entry 2 was changed" in caplog.text


@pytest.mark.django_db
def test_former_names_go_with_the_entries_that_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = timezone.now() - timedelta(days=400)
    monkeypatch.setattr(AuditEntry._meta.get_field("at"), "_get_default", lambda: long_ago)
    record(Action.PUBLISHED, Reference("plugin", 7, "Former name"))
    commit()
    monkeypatch.undo()
    record(Action.PUBLISHED, Reference("plugin", 7, "Present name"))
    commit()
    assert last_names(["plugin:7", "plugin:8"]) == {"plugin:7": "Present name"}
    with override_settings(AUDIT={"keep_days": 365, "addresses": False}):
        prune_log()
    assert set(AuditName.objects.values_list("name", flat=True)) == {"Present name"}
