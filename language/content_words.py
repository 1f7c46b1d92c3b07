"""Generic words ("require", "typically"): a sentence may use them even where its source does not."""

from __future__ import annotations

from functools import cache, lru_cache

from language.number_words import SMALL_NUMBERS
from language.terms import terms

_GENERIC_WORDS = """
need require must shall may might could would provide use say said state accord document source value mean equal
amount give given ensure specify specification apply applicable also however therefore thus hence following note per
set made make take taken keep kept consider describe mention indicate show shown define list minimum maximum least
typically generally usually overall particular case situation example term respect regard include involve become
remain get put call refer different various certain additionally moreover furthermore instead within without upon
onto via among already still even yet since due based order kind type form purpose help offer design occur although
though like well especially important sure tip advise recommend variety range conclusion summary able aim intend
associated related relevant available deem expect assist depend suggest part aspect feature main key many basis
together whether either neither else etc ie eg fact way thing let exclude prohibit forbid forbidden refuse deny lack
unable fail exempt always every roughly approximately contain belong represent correspond determine constitute exist
fully beforehand contrast hand bear borne result carry serve act come came begin largely basically essentially
simply merely namely thereby therein thereof herein hereby hereto meanwhile similarly likewise nevertheless
nonetheless otherwise actually really indeed directly explicitly clearly entirely completely wholly automatically
whatever whichever whoever someone anyone somebody seek want wish desire plan appear seem treat count exactly
precisely currently
"""


@cache
def generic_stems() -> frozenset[str]:
    """The stems of the generic words, and of small numbers."""
    return frozenset(terms(f"{_GENERIC_WORDS} {' '.join(SMALL_NUMBERS[1:11])}"))


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """The stems that say what a text is about."""
    # The parts of "in-network" say enough; the parts joined would only be missed where it is spelt in another way.
    text = text.replace("-", " ")
    generic = generic_stems()
    return frozenset(stem for stem in terms(text) if stem not in generic and not stem[0].isdigit())
