from __future__ import annotations

from accounts.api_keys import issue_key
from accounts.models import User
from querying.query_log.key_names import key_label, visible_key_names


def test_a_key_of_somebody_else_is_not_named(alice: User, bob: User) -> None:
    mine, _ = issue_key(alice, name="Mine")
    theirs, _ = issue_key(bob, name="Theirs")
    names = visible_key_names([mine.pk, theirs.pk, None], viewer=alice)
    assert key_label(mine.pk, names) == str(mine)
    assert key_label(theirs.pk, names) == "another person’s key"
    assert key_label(None, names) == "people, by hand"
