"""Programs compare `code`: one code means one status everywhere."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator

from lexic.errors import InvalidInput, LexicError
from tests.our_modules import ROOT, paths


def test_one_code_has_one_status() -> None:
    _import_all()
    statuses = defaultdict(set)
    for error in _subclasses(LexicError):
        statuses[error.code].add(error.status)
    assert len(statuses) > 100
    assert {code: found for code, found in statuses.items() if len(found) > 1} == {}


def test_every_invalid_error_says_what_to_do() -> None:
    _import_all()
    invalid = {error for error in _subclasses(LexicError) if error.code == "invalid"} | {*_subclasses(InvalidInput)}
    assert len(invalid) > 50
    assert [error.__name__ for error in invalid if not error.hint] == []


def _import_all() -> None:
    importlib.import_module("lexic.urls")  # first, as a server does: some of our admin pages replace those of others
    for path in paths():
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not {"migrations", "settings"} & set(parts) and parts[0] in {"lexic", *_apps()}:
            importlib.import_module(".".join(parts).removesuffix(".__init__"))


def _apps() -> set[str]:
    from django.apps import apps

    return {config.name for config in apps.get_app_configs() if (ROOT / config.name).is_dir()}


def _subclasses(error: type[LexicError]) -> Iterator[type[LexicError]]:
    for one in error.__subclasses__():
        if not one.__module__.startswith("tests."):
            yield from (one, *_subclasses(one))
