"""The form of how long a plugin's content is kept, and what its answers may cost."""

from __future__ import annotations

from typing import Any

from django import forms

from lexic.styled_form import StyledFormMixin
from plugins.models import Plugin
from plugins.retention import KINDS, site_retention_days


class LimitsForm(StyledFormMixin, forms.ModelForm):
    """Its placeholders are what the site keeps."""

    class Meta:
        model = Plugin
        fields = (*(f"keep_{kind}_days" for kind in KINDS), "spending_cap")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in KINDS:
            self.fields[f"keep_{kind}_days"].widget.attrs["placeholder"] = str(site_retention_days(kind))
