"""What is left out of questions before they are stored."""

from __future__ import annotations

from environs import Env, ValidationError


def read_redaction(env: Env) -> tuple[bool, list[str]]:
    """Whether mail addresses and numbers of people are left out, and the regions (ISO 3166) whose phone numbers are
    found without their country code."""
    regions: list[str] = env.list("LEXIC_PHONE_REGIONS", [], validate=_validate_regions)
    return env.bool("LEXIC_REDACT_QUESTIONS", False), [region.strip() for region in regions]


def _validate_regions(regions: list[str]) -> None:
    if not regions:
        return
    # Imported here, because it takes a while, and most sites name no region.
    from phonenumbers import SUPPORTED_REGIONS

    for region in regions:
        if region.strip() not in SUPPORTED_REGIONS:
            raise ValidationError(f"{region!r} is no region: write two capitals, such as DE or US.")
