from __future__ import annotations

from typing import Any

from allauth.mfa.webauthn.forms import AddWebAuthnForm


class AddPasskeyForm(AddWebAuthnForm):
    """What is added is a passkey, unless the person has one that cannot be."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["passwordless"]
        field.initial, field.label = True, "Sign in with it alone, without the password"
        field.help_text = "Not ticked: it is asked for after the password. Older keys can only do that."
