from __future__ import annotations

from knowledge.readers.isolation.compile_imports import compile_imports, imported_modules


def test_what_readers_import_inside_functions_is_compiled_too() -> None:
    assert {"openpyxl.worksheet._reader", "rapidocr", "docx", "pypdfium2"} <= set(imported_modules())
    assert not {"json", "pathlib"} & set(imported_modules())
    assert compile_imports() == []
