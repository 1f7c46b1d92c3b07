"""Words of a question that stand nowhere in the documents, and are one slip away from a word that does.

A slip is a letter too many, too few, another, or two exchanged. Only plain words are corrected. Words in quotation
marks, with a digit or a capital, or in an identifier, a path or an address stay as they are. So does every word that
the tokenizer knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from django.db.models import QuerySet

from knowledge.models import Chunk
from knowledge.search.revision_statistics import BaseRevision, StatisticsCache
from language.lazy_pattern import lazy_pattern
from language.stemming import stem
from language.stop_words import STOP_WORDS
from language.terms import terms
from lexic.phrases import Phrase, phrase
from querying.question.document_access import access_filters
from querying.question.planning.spelling import is_word
from querying.releases import bases_of
from querying.types.question import Question

_QUOTED = lazy_pattern(r"[\"“„`][^\"“”„`\n]{0,200}[\"”“`]|(?<!\w)['‘][^'‘’\n]{1,200}['’](?!\w)")
_JOINED = r"\w'’@#$/\\"
# Lower-case words; the first letter of the text may be a capital.
_PLAIN_WORD = lazy_pattern(rf"(?<![{_JOINED}.-])(?:^[A-Z])?[a-z]{{4,30}}(?![{_JOINED}(-]|\.\w)")
# The most unknown words of a question that are corrected.
_MAX_UNKNOWN_WORDS = 3
# The intended word is in at least two chunks, and in eight times as many as the next candidate. What stands in one
# alone may be a slip of the documents themselves, or a rare name.
_MIN_CHUNKS, _MIN_LEAD = 2, 8
# Bases of so many chunks together say most words once. There one chunk is enough for a word that the tokenizer knows.
_MAX_SMALL_CHUNKS = 200
# The most candidates that are looked up, the most frequent first.
_MAX_CANDIDATES = 6


@dataclass(frozen=True, kw_only=True)
class _KnownStem:
    """The number of chunks with a stem, and the stem's id in each base."""

    chunks: int = 0
    ids: tuple[int, ...] = ()


def find_misspellings(text: str, *, question: Question, statistics: StatisticsCache | None = None) -> dict[str, str]:
    """What was meant by each misspelt word of the text: a word that stands in what the asker may read. Nothing where
    that is not clear.

    No statement where the tokenizer knows all words of the text. `statistics` keeps what is loaded for the search.
    """
    words = [word for word in _plain_words(text) if not (is_word(word) or is_word(word.removesuffix("s")))]
    if not words:
        return {}
    bases, statistics = bases_of(question), statistics or StatisticsCache()
    # The search asks for all terms of the text next.
    known = _known_terms({*map(stem, words), *terms(text)}, bases=bases, statistics=statistics)
    unknown = [word for word in words if stem(word) not in known][:_MAX_UNKNOWN_WORDS]
    if not unknown:
        return {}
    readable = _readable_chunks(question, bases)
    is_small = sum(base.chunk_count for base in statistics.load(bases, set())) <= _MAX_SMALL_CHUNKS
    meant = {
        word: _clearly_meant(word, bases=bases, readable=readable, statistics=statistics, is_small=is_small)
        for word in unknown
    }
    return {word: spelling for word, spelling in meant.items() if spelling}


def describe_misspellings(misspellings: Mapping[str, str]) -> str:
    """A sentence for the person who asked; empty where nothing was misspelt."""
    if not misspellings:
        return ""
    [(written, meant), *others] = misspellings.items()
    pairs: Phrase = phrase("“%(meant)s” as well as “%(written)s”", meant=meant, written=written)
    for also_written, also_meant in others:
        pair = phrase("“%(meant)s” as well as “%(written)s”", meant=also_meant, written=also_written)
        pairs = phrase("%(pairs)s, and for %(pair)s", pairs=pairs, pair=pair)
    return phrase("Searched for %(pairs)s.", pairs=pairs)


def _plain_words(text: str) -> list[str]:
    shown = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    words = dict.fromkeys(word.lower() for word in _PLAIN_WORD.findall(shown))
    return [word for word in words if len(word) >= 5 and word not in STOP_WORDS]


def _clearly_meant(
    word: str, *, bases: Sequence[BaseRevision], readable: QuerySet[Chunk], statistics: StatisticsCache, is_small: bool
) -> str:
    """The one frequent word that is a slip away; empty where there is none, or where a second one is nearly as
    frequent. Exchanged letters are the most common slip, so words that it explains are tried first."""
    exchanged = _exchanged(word)
    spellings = {one for one in exchanged | _changed(word) if one[0] == word[0] and one not in STOP_WORDS} - {word}
    known = _known_terms(map(stem, spellings), bases=bases, statistics=statistics)
    frequent = [(known[stem(one)].chunks, one) for one in spellings if stem(one) in known]
    enough = [pair for pair in frequent if pair[0] >= _MIN_CHUNKS]
    # "Panned" is a form of a word, and no slip of "planned".
    if not enough and is_small and not is_word(stem(word)):
        enough = [pair for pair in frequent if is_word(pair[1])]
    ranked = sorted(enough, key=lambda pair: (-pair[0], pair[1]))
    standing = [
        (chunks, one) for chunks, one in ranked[:_MAX_CANDIDATES] if _stands_in(readable, one, known[stem(one)].ids)
    ]
    preferred = [pair for pair in standing if pair[1] in exchanged] or standing
    if not preferred or (len(preferred) > 1 and preferred[0][0] < _MIN_LEAD * preferred[1][0]):
        return ""
    return preferred[0][1]


def _known_terms(
    stems: Iterable[str], *, bases: Sequence[BaseRevision], statistics: StatisticsCache
) -> dict[str, _KnownStem]:
    """The stems that are in a chunk of these bases."""
    asked, found = set(stems), dict[str, _KnownStem]()
    for base in statistics.load(bases, asked):
        for term, known in base.terms.items():
            before = found.get(term, _KnownStem())
            if known.document_frequency:
                found[term] = _KnownStem(chunks=before.chunks + known.document_frequency, ids=(*before.ids, known.id))
    return found


def _readable_chunks(question: Question, bases: Sequence[BaseRevision]) -> QuerySet[Chunk]:
    """What the asker may be answered from: a word of other documents must not be told."""
    chunks = Chunk.objects.none()
    for base in bases:
        chunks |= Chunk.objects.filter(knowledge_base=base.knowledge_base_id).alive_at(base.revision)
    allowed = access_filters(question)
    return chunks.filter(document__in=allowed.documents()) if allowed else chunks


def _stands_in(chunks: QuerySet[Chunk], word: str, term_ids: Sequence[int]) -> bool:
    """Whether one of the chunks has the word itself, and not only another one of the same stem."""
    return chunks.filter(terms__terms__overlap=list(term_ids), content__iregex=rf"(^|[^a-z]){word}($|[^a-z])").exists()


def _exchanged(word: str) -> set[str]:
    """The word with two neighbouring letters exchanged."""
    return {f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in range(len(word) - 1)}


def _changed(word: str) -> set[str]:
    """The word with a letter less, another, or one more."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    fewer = {before + after[1:] for before, after in cuts if after}
    others = {before + letter + after[1:] for before, after in cuts if after for letter in ascii_lowercase}
    return fewer | others | {before + letter + after for before, after in cuts for letter in ascii_lowercase}
