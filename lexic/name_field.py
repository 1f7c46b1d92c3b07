"""The column for names that people, files and web pages give to things."""

from __future__ import annotations

import re
from typing import Any

from django.db import models

# They turn round what follows: “gpj.exe” is shown as “exe.jpg”.
_DIRECTION_OVERRIDES = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


class NameField(models.CharField):
    """Text of one line without characters that show it in another order than it is written, however it is saved."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return _DIRECTION_OVERRIDES.sub("", value) if isinstance(value, str) else value

    def to_python(self, value: Any) -> Any:
        value = super().to_python(value)
        return _DIRECTION_OVERRIDES.sub("", value) if isinstance(value, str) else value

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """The instance shows what is stored, not what came."""
        value = self.get_prep_value(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, value)
        return value
