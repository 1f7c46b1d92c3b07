"""The texts of the scripts of visitors' pages (`static/texts.js`), for translation. A text must be listed here word for
word, or it stays English."""

from __future__ import annotations

from django.utils.translation import gettext_noop

SCRIPT_TEXTS = (
    gettext_noop("Copied"),
    gettext_noop("a moment"),
    gettext_noop("Reading your message"),
    gettext_noop("This was interrupted. It continues in a moment."),
    gettext_noop("The answer stopped early."),
    gettext_noop("What you see is verified; the rest was not sent."),
    gettext_noop("The server cannot be reached."),
    gettext_noop("Your question is kept in the box; ask again in a moment."),
    gettext_noop("Stopped."),
    gettext_noop("What you see is verified; the rest was not written."),
    gettext_noop("The answer cannot be shown here any more."),
    gettext_noop("Open the page again."),
    gettext_noop("This cannot be asked just now; you may no longer be signed in. Open the page again."),
    gettext_noop("It stays open. Ask something else, or ask this again once you know."),
    gettext_noop("You were signed out before this was saved. What you typed is back; save it again."),
    gettext_noop("You were signed out before this was sent. Choose the file again:"),
    gettext_noop("No passkey came from this device. Try again, or use another way."),
)
