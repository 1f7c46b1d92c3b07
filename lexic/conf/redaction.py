"""The personal data that is removed from questions before they are stored."""

from __future__ import annotations

from dataclasses import dataclass

from environs import Env, ValidationError


@dataclass(frozen=True, kw_only=True)
class Redaction:
    """Whether mail addresses and numbers of people are left out of questions, whether names are as well, and the
    regions (ISO 3166) whose phone numbers are found without their country code."""

    questions: bool
    names: bool
    phone_regions: list[str]


def read_redaction(env: Env) -> Redaction:
    """Raises `ValidationError` where names are to be left out and nothing else."""
    regions: list[str] = env.list("LEXIC_PHONE_REGIONS", [], validate=_validate_regions)
    questions, names = env.bool("LEXIC_REDACT_QUESTIONS", False), env.bool("LEXIC_REDACT_NAMES", False)
    if names and not questions:
        raise ValidationError("LEXIC_REDACT_NAMES adds names to what is left out: set LEXIC_REDACT_QUESTIONS as well.")
    return Redaction(questions=questions, names=names, phone_regions=[region.strip() for region in regions])


def _validate_regions(regions: list[str]) -> None:
    if not regions:
        return
    # Imported here, because it takes a while, and most sites name no region.
    from phonenumbers import SUPPORTED_REGIONS

    for region in regions:
        if region.strip() not in SUPPORTED_REGIONS:
            raise ValidationError(f"{region!r} is no region: write two capitals, such as DE or US.")
