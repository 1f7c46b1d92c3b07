"""The messages and hints of `LexicError`s that visitors and mails show, for translation.

Pages and mails translate these texts; all other errors stay English. A test compares each text with its error.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

ERROR_TEXTS = (
    gettext_noop("Too many requests."),
    gettext_noop("You have reached the limit for now."),
    gettext_noop("You have reached the limit for questions without an API key."),
    gettext_noop("This cannot be asked."),
    gettext_noop("Nothing was asked."),
    gettext_noop("There is no public chat with a plugin of this name."),
    gettext_noop("Its author may have closed it."),
    gettext_noop("This plugin cannot be copied: it reads knowledge that its author may not share."),
    gettext_noop("This plugin cannot be copied: something that its release reads is deleted."),
    gettext_noop("This plugin cannot be copied: some of its documents are not public, and a copy would hold them all."),
    gettext_noop("It may still be asked."),
    gettext_noop("There is no such conversation, or it is not yours."),
    gettext_noop("It may have been deleted; your question is kept in the box. Begin a new conversation with it."),
    gettext_noop("This conversation has reached its limit of questions."),
    gettext_noop("Your question is kept in the box. Begin a new conversation with it."),
    gettext_noop("This question back can no longer be answered."),
    gettext_noop("More than an hour has passed, or the plugin has a new release. Ask your question again."),
    gettext_noop("You work on this plugin, so you cannot review it."),
    gettext_noop("You can reply to each review once."),
    gettext_noop("Only people who have used the plugin can review it."),
    gettext_noop("A review needs an account whose email address is confirmed."),
    gettext_noop("Nobody else sees the address; it makes sure that each person has one review."),
    gettext_noop("There is an API key in this text, and everybody could read it."),
    gettext_noop("Take it out. If it works, revoke it."),
    gettext_noop("Your review was removed after a report."),
    gettext_noop("It cannot be written again. If you think that this is a mistake, ask the operators of this site."),
    gettext_noop("You have sent more reports than one person may at once."),
    gettext_noop("Something went wrong on our side."),
    gettext_noop("The database cannot be reached at the moment."),
    gettext_noop("Try again in a moment."),
    gettext_noop("The file storage of this site cannot be reached at the moment."),
    gettext_noop("Nothing was lost; try again in a moment."),
    gettext_noop("There is no room left on the server's disk, so nothing was stored."),
    gettext_noop("The operators of this site have to free some space; then try again."),
    gettext_noop("Too many wait for this server at the moment."),
    gettext_noop("This answer is not kept any more, or the page is more than a day old."),
    gettext_noop("Ask the question again."),
    gettext_noop("Only an answer that cites its sources can have a link, and no private one."),
    gettext_noop("Ask the plugin outside of your conversations, and share an answer that it gives."),
    gettext_noop("The plugin's author has revoked the link to this answer."),
    gettext_noop("Ask the author; only they can allow a new one."),
    gettext_noop("This link does not work any more."),
    gettext_noop("Ask the person who sent it for a new one."),
    gettext_noop("This answer quotes documents that you may not read."),
    gettext_noop("If you work on the plugin or may ask it, sign in and open the link again."),
    gettext_noop("This question cannot be put to the expert."),
    gettext_noop("Ask it again, and put it to the expert then."),
    gettext_noop("The address of your account is not confirmed."),
    gettext_noop("Confirm it on your account's page, or send the question without asking for a mail."),
    gettext_noop("This link is too old, or its question is gone."),
    gettext_noop("Put the question to the expert again."),
    gettext_noop("The request is too large."),
    gettext_noop("Send less at once."),
    gettext_noop("This link is not from a mail of this site, or its account is gone."),
    gettext_noop("Sign in, and choose your mails in the settings."),
    # Why a file could not be read, in mails to authors.
    gettext_noop("The document is locked with a password."),
    gettext_noop("Remove the password and upload the document again."),
    gettext_noop("The document holds no text that can be read."),
    gettext_noop("The document holds no text that could be cited."),
    gettext_noop("If it is a scan, run text recognition (OCR) on it and upload the result."),
    gettext_noop("The document is pictures, and OCR has recognised no text on them."),
    gettext_noop(
        "OCR reads printed letters of the Latin, Greek, Chinese and Japanese scripts. Add handwriting, and other "
        "scripts, as text."
    ),
    gettext_noop("The document is damaged and cannot be read."),
    gettext_noop("Open the document in its own program, save it again and upload the new file."),
    gettext_noop("The document is too large to be read."),
    gettext_noop("The document has too many pages."),
    gettext_noop("Split it into smaller documents."),
    gettext_noop("This type of document is not supported."),
    gettext_noop(
        "Upload a PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), CSV, EPUB, OpenDocument (.odt), RTF, e-mail "
        "(.eml, .msg), picture (PNG, JPEG, TIFF, WebP), Markdown, HTML, JSON or plain text file."
    ),
    gettext_noop("This is a password-protected or old Office file."),
    gettext_noop("Remove the password, or save it as .docx, .pptx, .xlsx or PDF, and upload that."),
    gettext_noop("Reading the document took too long."),
    gettext_noop(
        "Read it again: reading continues after the pages that were read. If it stops there once more, split it."
    ),
    gettext_noop("Reading the document needed too much memory."),
    gettext_noop("Split it into smaller documents, or save it again with its own program."),
    gettext_noop("The document is empty."),
    gettext_noop("Upload a document that holds text."),
    gettext_noop("The embedding provider could not be reached."),
    gettext_noop("Choose “Read again” when it is back: what was embedded already is kept."),
    gettext_noop("Something unexpected went wrong while this document was read."),
    gettext_noop("Try “Read again”. The server's log has the details."),
    gettext_noop("The worker ended several times while it read this document."),
    gettext_noop("The document may need more memory than the worker has. Split it, or give the worker more."),
)
