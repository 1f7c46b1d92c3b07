"""Forms with an optimistic lock: they overwrite nothing that the person has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.forms.forms import DeclarativeFieldsMetaclass
from django.forms.models import model_to_dict
from django.utils.functional import cached_property

from lexic.errors import LexicError
from lexic.optimistic_lock import changed_since, mark_values


class OptimisticLock(forms.BaseForm, metaclass=DeclarativeFieldsMetaclass):
    """A form of one row that carries a mark of what it showed. Where another value has been stored since, it is not
    valid and says so: what the person has typed stays, the other fields show what is stored now, and to send it again
    saves over what they have read by then.

    `is_valid` locks the row, so whoever saves calls it and the save in one transaction. Whoever inherits calls
    `mark_shown` when all fields are there.
    """

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def row_to_change(self) -> Model | None:
        """The row that the form changes; None where it makes a new one."""
        raise NotImplementedError

    def stored_initial(self, stored: Any) -> dict[str, Any]:
        """What the fields show of the row, as `initial` has it."""
        raise NotImplementedError

    def mark_shown(self) -> None:
        if "seen" in self.fields:
            self.fields["seen"].initial = mark_values(self._shown_texts(self.initial))

    @cached_property
    def changed_data(self) -> list[str]:
        return [name for name in super().changed_data if name != "seen"]

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        if self.row_to_change() is not None:
            self._check_seen(said.get("seen") or "")
        return said

    @transaction.atomic
    def save_by(self, save: Callable[[], object], *, field: str | None = None) -> bool:
        """Whether the form is valid and `save` raised no `LexicError`; if not, the form says why, at this field."""
        if not self.is_valid():
            return False
        try:
            save()
        except LexicError as error:
            self.add_error(field, error.message_with_hint)
            return False
        return True

    def _check_seen(self, seen: str) -> None:
        """Raises `ValidationError`."""
        stored = self.lock_row()
        if stored is None:
            raise ValidationError("Somebody deleted this after you had opened it. Your text is below.")
        initial = self.stored_initial(stored)
        if changed := changed_since(seen, self._shown_texts(initial)):
            self._show_again(seen, initial)
            names = ", ".join(str(self[name].label).lower() for name in changed)
            raise ValidationError(
                f"This was changed after you had opened it: {names}. "
                "Your text is below; nothing was overwritten. Save again to keep yours instead."
            )

    def lock_row(self) -> Any:
        """The row as it is stored, locked until the transaction ends; None where it is gone."""
        row: Any = self.row_to_change()
        return type(row)._base_manager.select_for_update(no_key=True).filter(pk=row.pk).first()

    def _show_again(self, seen: str, initial: dict[str, Any]) -> None:
        """The form, as it is shown once more: with what is stored where the person has changed nothing."""
        texts, typed = self._shown_texts(initial), self._typed_texts()
        data = {name: self.data.get(name) for name in self.data}
        touched = changed_since(seen, typed)
        for name in texts:
            key, field = self.add_prefix(name), self.fields[name]
            if _takes_several(field):
                data[key] = self[name].data if name in touched else initial.get(name)
            elif name not in touched:
                data.pop(key, None)
                if texts[name] or not _is_box(field):
                    data[key] = texts[name]
        data[self.add_prefix("seen")] = mark_values(texts)
        self.data = data

    def _shown_texts(self, initial: Mapping[str, Any]) -> dict[str, str]:
        """What stands in each field, as a browser sends it back."""
        said = {name: self.fields[name].prepare_value(initial.get(name)) for name in self._shown_names()}
        return {name: _as_text(self.fields[name], value) for name, value in said.items()}

    def _typed_texts(self) -> dict[str, str]:
        return {name: _as_text(self.fields[name], self[name].data) for name in self._shown_names()}

    def _shown_names(self) -> list[str]:
        return [name for name in self.fields if name != "seen"]


class OptimisticLockForm(OptimisticLock, forms.ModelForm):
    """A model form with an optimistic lock."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.show_hidden_initial = False  # which forgets what was typed before a mistake; the mark does it
        self.initial = {**self.stored_initial(self.instance), **self.initial}
        self.mark_shown()

    def row_to_change(self) -> Model | None:
        return None if self.instance._state.adding else self.instance

    def stored_initial(self, stored: Any) -> dict[str, Any]:
        return model_to_dict(stored, fields=self._meta.fields, exclude=self._meta.exclude)


def _takes_several(field: forms.Field) -> bool:
    return getattr(field.widget, "allow_multiple_selected", False)


def _is_box(field: forms.Field) -> bool:
    return isinstance(field.widget, forms.CheckboxInput)


def _as_text(field: forms.Field, value: Any) -> str:
    if _is_box(field):
        return "on" if value else ""
    shown = field.widget.format_value(value)
    text = ",".join(map(str, shown)) if isinstance(shown, list | tuple) else "" if shown is None else str(shown)
    return text.replace("\r\n", "\n")
