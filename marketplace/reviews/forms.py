"""The forms of reviews, replies and reports."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from lexic.choice_labels import translated_choices
from lexic.multiline_field import MultilineField
from marketplace.models import Report, ReviewVerdict
from marketplace.reviews.save_review import MAX_CHARACTERS


class ReviewTextField(MultilineField):
    """A text of several lines that everybody may read."""

    def __init__(self, *, rows: int = 6, **options: Any) -> None:
        widget = forms.Textarea(attrs={"class": "input", "rows": rows, "maxlength": MAX_CHARACTERS})
        super().__init__(max_length=MAX_CHARACTERS, widget=widget, **options)


class ReviewForm(forms.Form):
    verdict = forms.ChoiceField(
        label=gettext_lazy("How was it to use?"),
        choices=translated_choices(ReviewVerdict),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of the three.")},
    )
    text = ReviewTextField(
        label=gettext_lazy("What should others know?"),
        required=False,
        help_text=gettext_lazy(
            "What you asked it about, what it got right, and where it failed you. Up to 2000 characters."
        ),
    )


class ReviewReplyForm(forms.Form):
    text = ReviewTextField(
        label=gettext_lazy("Your reply"),
        required=False,
        rows=4,
        help_text=gettext_lazy(
            "One reply, under the review, for everybody to read. You can change it later. Empty deletes it."
        ),
    )


class ReportForm(forms.Form):
    reason = forms.ChoiceField(
        label=gettext_lazy("What is wrong with it?"),
        choices=translated_choices(Report.Reason),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose what fits best.")},
    )
    text = ReviewTextField(
        label=gettext_lazy("What should we look at?"),
        required=False,
        help_text=gettext_lazy("Which sentence, which page, and how you know. Up to 2000 characters."),
    )
