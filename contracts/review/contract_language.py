"""The language of a contract. The rules of reviews read only English; a model judges contracts in other languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contracts.clauses.parsed_contract import ContractPage
from contracts.models import ENGLISH
from language.language_identification import language_of
from lexic.errors import LexicError

# A model is given the whole of a contract in another language, because searching it needs words of that language.
MAX_CHARACTERS = 60_000
_SAMPLES, _SAMPLE_CHARACTERS = 7, 600


class UnreadLanguage(LexicError):
    """The rules of reviews read English, and this contract is in another language."""

    code = "contract_language"
    status = 422
    hint = "It needs a language model: set OPENAI_API_KEY. Or add an English translation, and have that reviewed."


def contract_language(pages: Sequence[ContractPage]) -> str:
    """The code of the language that most of the contract is in ("en", "zh"); English where that cannot be told."""
    text = "\n".join(page.text for page in pages)
    samples = min(_SAMPLES, 1 + len(text) // _SAMPLE_CHARACTERS)
    starts = [len(text) * number // samples for number in range(samples)]
    told = Counter(language_of(text[start : start + _SAMPLE_CHARACTERS]) for start in dict.fromkeys(starts))
    del told[""]
    return max(told, key=lambda language: (told[language], language == ENGLISH), default=ENGLISH)


def check_language(pages: Sequence[ContractPage], language: str, *, has_model: bool, is_comparison: bool) -> None:
    """Raises `UnreadLanguage` where nothing here reads a contract in this language."""
    if language == ENGLISH:
        return
    if not has_model:
        raise UnreadLanguage
    if is_comparison:
        raise UnreadLanguage(
            "Two versions are compared in English only.", hint="Have each version reviewed for itself."
        )
    if sum(len(page.text) for page in pages) > MAX_CHARACTERS:
        raise UnreadLanguage(
            f"A contract in another language than English is read up to {MAX_CHARACTERS:,} characters.",
            hint="Split it into its parts, or add an English translation.",
        )
