"""Words that say nothing about what a text is about."""

from __future__ import annotations

from functools import cache

from stop_words import StopWordError, get_stop_words

# The words that PostgreSQL's `english` configuration leaves out, so the words that the search index leaves out.
_INDEX_STOP_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those am is are was were be
been being have has had having do does did doing a an the and but if or because as until while of at by for with
about against between into through during before after above below to from up down in out on off over under
again further then once here there when where why how all any both each few more most other some such no nor not
only own same so than too very s t can will just don should now
"""
_REQUEST_WORDS = "also could let please shall tell us use used using whether whose within without would yes"

STOP_WORDS = frozenset(_INDEX_STOP_WORDS.split())
# Those and what else a request is put into words with; the search index keeps these.
REQUEST_STOP_WORDS = STOP_WORDS | frozenset(_REQUEST_WORDS.split())


@cache
def stop_words_in(language: str) -> frozenset[str]:
    """The stop words of a language by its code; none where the package `stop-words` has no list of them."""
    try:
        return frozenset(get_stop_words(language))
    except StopWordError:
        return frozenset()
