"""The admin's theme, under the types of what it replaces: django-unfold has none of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as ModelAdmin
    from django.contrib.admin.views.main import ChangeList as ChangeList
    from django.contrib.auth.forms import AdminPasswordChangeForm as AdminPasswordChangeForm
    from django.contrib.auth.forms import UserChangeForm as UserChangeForm
    from django.contrib.auth.forms import UserCreationForm as UserCreationForm
    from django.forms import RadioSelect as RadioSelect
    from django.forms import Textarea, TextInput

    TextareaWidget = Textarea
    TextWidget = TextInput
else:
    from unfold.admin import ModelAdmin  # noqa: F401
    from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm  # noqa: F401
    from unfold.views import ChangeList  # noqa: F401
    from unfold.widgets import UnfoldAdminRadioSelectWidget as RadioSelect  # noqa: F401
    from unfold.widgets import UnfoldAdminTextareaWidget as TextareaWidget  # noqa: F401
    from unfold.widgets import UnfoldAdminTextInputWidget as TextWidget  # noqa: F401
