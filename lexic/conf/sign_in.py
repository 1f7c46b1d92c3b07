"""How people sign in, for Django and allauth: by address, with a second step, or with another site's account; and what
programs that sign in for them need of Django."""

from __future__ import annotations

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_FORMS = {
    "signup": "accounts.forms.SilentSignupForm",
    "change_password": "accounts.forms.NewPasswordForm",
    "set_password": "accounts.forms.FirstPasswordForm",
    "reset_password_from_key": "accounts.forms.ForgottenPasswordForm",
}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_DISPLAY = "accounts.models.display_name"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Lexic: "
# Whoever finds a session left open must not get hold of the account: not of its address, and not in silence.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
SOCIALACCOUNT_ADAPTER = "organisations.social_adapter.OrganisationSocialAdapter"
# An account is connected by its address where the provider has verified that address, see accounts/social_login.py.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
MFA_ADAPTER = "accounts.adapters.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Lexic"
MFA_TOTP_TOLERANCE = 1  # a code of the half minute before is taken too (RFC 6238, 5.2): it is typed and sent meanwhile
MFA_FORMS = {"add_webauthn": "accounts.forms.AddPasskeyForm"}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
# Where foreign keys to a client lead, for migrations.
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"
# Plain http is for programs on somebody's own machine alone, see api/oauth/redirects.py.
SILENCED_SYSTEM_CHECKS = ["oauth2_provider.W008"]
