"""The field of a form for words with commas between them, such as tags."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.forms import SimpleArrayField


class CommaListField(SimpleArrayField):
    """Each word once; a comma too many says nothing."""

    default_error_messages = {"item_invalid": "Entry %(nth)s:"}

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):
            words = (word.strip() for word in value.split(","))
            value = ",".join(dict.fromkeys(filter(None, words)))
        return super().to_python(value)
