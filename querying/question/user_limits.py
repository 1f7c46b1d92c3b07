"""How much people may ask by hand. A signed-in person who asks faster than this is a script with a borrowed session;
visitors are limited by their address, because nobody knows who they are."""

from __future__ import annotations

import math
from dataclasses import replace

from django.utils.translation import gettext

from accounts import rate_limits
from accounts.models import User
from accounts.rate_limits import DAY, MINUTE, count_or_wait
from lexic.errors import LexicError, try_again_in
from querying.types.question import Question

USER_LIMITS = {MINUTE: 30, DAY: 2000}


class TooManyQuestions(LexicError):
    """You have asked very often just now."""

    code = "rate_limited"
    status = 429

    def __init__(self, retry_after: int, *, hint: str) -> None:
        self.retry_after = retry_after
        super().__init__(hint=hint)


class UserRateLimited(TooManyQuestions):
    """You have asked very often just now."""


class VisitorRateLimited(TooManyQuestions):
    """You have reached the limit for questions without an API key."""


def check_user_limit(user: User) -> None:
    """Counts a question asked by hand. Raises `UserRateLimited`."""
    wait = count_or_wait(f"sandbox:{user.pk}", USER_LIMITS)
    if wait is not None:
        seconds = math.ceil(wait)
        raise UserRateLimited(seconds, hint=try_again_in(seconds))


def question_of_visitor(question: Question, who: str) -> Question:
    """The question as one of this visitor, from any public page, counted against the visitor's limits. `who` is the
    hash of the IP address (`accounts.visitors.visitor_id`). Raises `VisitorRateLimited`."""
    wait = rate_limits.count_visitor_request(who, place=str(question.release.plugin_id)).retry_after
    if wait is not None:
        with_key = gettext("With a key you can continue at once.")
        raise VisitorRateLimited(wait, hint=f"{try_again_in(wait)} {with_key}")
    return replace(question, caller=replace(question.caller, visitor=who))
