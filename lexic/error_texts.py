"""The messages and hints of `LexicError`s that visitors see, for translation.

Pages translate these texts; all other errors stay English. A test compares each text with its error.
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
)
