"""Errors of `lexic.egress`: a URL that may not be fetched, or that does not answer."""

from __future__ import annotations

from lexic.errors import LexicError


class EgressRefused(LexicError):
    """This address may not be fetched."""

    code = "url_refused"
    status = 422
    hint = "Use the http or https address of a public web page or document."


class FetchFailed(LexicError):
    """The address could not be fetched."""

    code = "fetch_failed"
    status = 502
    hint = "Open the address in a browser to see whether it works, then try again."


class FetchTooLarge(FetchFailed):
    """What the address returned is too large."""

    code = "too_large"
    status = 413
    hint = "Download the document, split it into smaller ones and upload those."


class FetchTimedOut(FetchFailed):
    """The address took too long to answer."""

    code = "fetch_timeout"
    status = 504
