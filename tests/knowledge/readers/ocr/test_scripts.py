from __future__ import annotations

import pytest

from knowledge.documents.reading_limits import check_ocr_languages, reading_limits
from knowledge.readers.ocr.scripts import is_of_scripts, scripts_of


@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        ("Überdeckung", ["de"], True),
        ("45 mm²", ["de"], True),
        ("5 µm", ["en"], True),
        ("覆盖", ["en"], False),
        ("覆盖", ["zh"], True),
        ("カバー", ["zh"], False),
        ("カバー", ["ja"], True),
        ("覆盖", [], True),
    ],
)
def test_letters_of_scripts_that_no_language_has_are_not_believed(text, languages, expected):
    assert is_of_scripts(text, scripts_of(languages)) == expected


def test_languages_that_ocr_does_not_read_are_named(settings):
    settings.LEXIC_OCR_LANGUAGES = ["en", "hi", "ar"]
    [error] = check_ocr_languages(None)
    assert "hi, ar" in error.msg
    assert "Latin, Greek, Chinese and Japanese" in error.hint
    settings.LEXIC_OCR_LANGUAGES = ["el"]
    assert check_ocr_languages(None) == []
    assert set(reading_limits().ocr_scripts) == {"latin", "greek"}
    settings.LEXIC_OCR = False
    assert not reading_limits().ocr
