"""Content words that carry no subject: a sentence may use them whether its source does or not."""

from __future__ import annotations

from functools import lru_cache

from language.terms import terms

_GENERIC_WORDS = """
need needs needed require requires required requirement must shall should may might can could would provide
provides provided use uses used using say says said state states stated accord according document documents
source sources value values mean means equal equals amount amounts give gives given ensure ensures specify
specifies specified specification apply applies applied applicable also however therefore thus hence
following follow follows note per set sets made make makes making take takes taken taking keep keeps kept
consider considered describe described describes mention mentioned mentions indicate indicates indicated
show shows shown define defined defines list listed lists minimum maximum least most typically generally
usually overall specific specifically particular case cases situation example term terms respect regard
regarding include includes included involve involves become becomes remain remains get gets put call called
refer refers different various certain respectively respective additionally moreover furthermore instead
within without upon onto via among already still even yet since because due based order kind type form
purpose addition help helps helped helping offer offers offered offering design designed occur occurs
occurred although though while like well especially particularly important importantly sure useful tip tips
note noted advise advised recommend recommended recommends variety range conclusion summary order able aim
aims intend intended ensure associated related relating relevant available considering considered deem
deemed expect expected assist assists assisted assisting depend depends suggest suggests suggested part
parts help aspect aspects feature features main key many some any basis further together whether
either neither both else etc ie eg fact way thing things let lets exclude excludes excluded excluding
prohibit prohibits prohibited forbid forbids forbidden refuse refuses refused deny denies denied lack lacks
lacking unable fail fails failed failing exempt exempts exempted always every each roughly approximately
contain contains contained belong belongs represent represents represented correspond corresponds corresponding
determine determines determined constitute constitutes exist exists existing fully beforehand contrast hand bear
bears borne result results resulted carry carries carried serve serves served act acts acting come comes came
begin mainly largely basically essentially simply merely namely thereby therein thereof herein hereby hereto
accordingly meanwhile similarly likewise nevertheless nonetheless otherwise actually really indeed directly
explicitly clearly entirely completely wholly automatically whatever whichever whoever someone anyone somebody
seek want wish desire plan appear appears seem seems treat treated count counts counted
exactly precisely just simply currently one two three four five six seven eight nine ten
"""
GENERIC_STEMS = frozenset(stem for stem in terms(_GENERIC_WORDS))


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """The stems that say what a text is about."""
    # The parts of "in-network" say enough; the parts joined would only be missed where it is spelt in another way.
    text = text.replace("-", " ")
    return frozenset(stem for stem in terms(text) if stem not in GENERIC_STEMS and not stem[0].isdigit())
