"""Forms whose inputs look like those of the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm, CheckboxInput, Field, RadioSelect


class StyledFormMixin(BaseForm):
    """Gives each input its class, except what is hidden and the boxes and circles that are ticked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        style_fields(self.fields)


def style_fields(fields: Mapping[str, Field]) -> None:
    for field in fields.values():
        if not (field.widget.is_hidden or isinstance(field.widget, CheckboxInput | RadioSelect)):
            field.widget.attrs["class"] = "input"
