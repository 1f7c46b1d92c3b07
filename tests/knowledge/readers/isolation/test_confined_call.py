from __future__ import annotations

import pytest

from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import DamagedDocument, OutOfMemory
from lexic.errors import Conflict

PROBE = "tests.knowledge.readers.isolation.probe"


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "document"
    path.write_text("words")
    return path


def test_values_come_back_as_they_were_given(document):
    arguments = {"edits": [{"start": 1, "text": "“ä”\n"}], "long": "x" * 300_000}
    assert list(confined_call(f"{PROBE}:echo", document, arguments=arguments)) == ["words", arguments]


def test_the_child_has_given_up_its_powers(document, tmp_path):
    found = list(confined_call(f"{PROBE}:powers", document, arguments={"folder": str(tmp_path)}))
    assert found == ["PermissionError", "PermissionError", "OSError", "MemoryError"]


def test_the_child_knows_nothing_of_the_site(document, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert list(confined_call(f"{PROBE}:surroundings", document, arguments={})) == [[], False, 0]


def test_errors_come_through_where_they_are_expected(document):
    values = confined_call(f"{PROBE}:refuse", document, arguments={}, errors={"conflict": Conflict})
    assert next(values) == "begun"
    with pytest.raises(Conflict) as caught:
        next(values)
    assert (caught.value.message, caught.value.hint) == ("It is taken.", "Take another.")
    with pytest.raises(DamagedDocument):
        list(confined_call(f"{PROBE}:refuse", document, arguments={}))


@pytest.mark.parametrize(("function", "error"), [("fall_silent", DamagedDocument), ("fill_memory", OutOfMemory)])
def test_a_child_that_ends_early_is_an_error(document, function, error):
    with pytest.raises(error):
        list(confined_call(f"{PROBE}:{function}", document, arguments={}))
