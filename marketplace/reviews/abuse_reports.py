"""Reports of plugins and reviews that should not be public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from accounts.key_secrets import contains_key
from accounts.models import User
from accounts.rate_limits import DAY, HOUR, RateLimited, count_or_wait
from marketplace.models import Report, Review
from marketplace.reviews.save_review import MAX_CHARACTERS, ReviewTextTooLong, TextContainsKey
from plugins.models import Plugin

# The limit of one person, or of one IP address if nobody has signed in. Offices and schools share addresses.
MAX_REPORTS_PER_HOUR, MAX_REPORTS_PER_DAY = 10, 30


class TooManyReports(RateLimited):
    """You have sent more reports than one person may at once."""

    code = "too_many_reports"

    def __init__(self, *, wait: float) -> None:
        super().__init__(wait=wait)
        self.hint += " What you reported before is with us."


@dataclass(frozen=True, kw_only=True)
class Reporter:
    """The sender of a report: the person, if signed in, and a hash of the IP address
    (`accounts.visitors.visitor_id`)."""

    person: User | None
    address: str

    @property
    def fingerprint(self) -> str:
        return f"person:{self.person.pk.hex}" if self.person else f"address:{self.address}"


def submit_report(
    plugin: Plugin, *, reporter: Reporter, reason: str, text: str, review: Review | None = None
) -> Report:
    """Adds the report to the queue of the operators.

    If the same person has reported the same thing and that report still waits, the new text is added to it. Raises
    `TooManyReports`, `ReviewTextTooLong` and `TextContainsKey`.
    """
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        raise ReviewTextTooLong
    if contains_key(text):
        raise TextContainsKey(hint="Take it out; say which plugin or page shows it instead.")
    limits = {HOUR: MAX_REPORTS_PER_HOUR, DAY: MAX_REPORTS_PER_DAY}
    if (wait := count_or_wait(f"reports:{reporter.fingerprint}", limits)) is not None:
        raise TooManyReports(wait=wait)
    words = {"reason": reason, "text": text}
    thing = {"plugin": plugin, "review": review, "fingerprint": reporter.fingerprint}
    try:
        with transaction.atomic():
            return Report.objects.create(reporter=reporter.person, **thing, **words)
    except IntegrityError:
        # None if the waiting report was decided just now.
        return _merge_into_open_report(thing, **words) or Report.objects.create(
            reporter=reporter.person, **thing, **words
        )


@transaction.atomic
def _merge_into_open_report(thing: Mapping[str, Any], *, reason: str, text: str) -> Report | None:
    found = Report.objects.select_for_update(of=["self"]).open().filter(**thing).first()
    if found is None:
        return None
    found.reason = reason
    if text not in found.text:
        # The newest text comes first; what no longer fits is cut off the earlier one.
        found.text = f"{text}\n\n{found.text}".strip()[:MAX_CHARACTERS]
    found.save(update_fields=["reason", "text"])
    return found
