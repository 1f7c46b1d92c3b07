"""The query of a catalogue search: words, facets, an order. Every part has a limit, whatever was sent."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from lexic.http.parameters import MAX_SEARCH_LENGTH, single_line
from marketplace.listings.listing_text import normalize_domain, normalize_tag

MAX_QUERY_WORDS, MAX_DOMAINS, MAX_TAGS = 16, 20, 10
# A word in quotation marks, or a word; either may have a minus before it.
_WORD_OR_PHRASE = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')
_NON_WORD = re.compile(r"[^\w]")
_shorten = partial(single_line, max_length=MAX_SEARCH_LENGTH)


class TrustFilter(enum.StrEnum):
    ANY = "any"
    MEASURED = "measured"
    RIGHT = "right"


class UseFilter(enum.StrEnum):
    API = "api"
    CHAT = "chat"
    INSTALL = "install"


class ListingSort(enum.StrEnum):
    BEST = "best"
    RIGHT = "right"
    ASKED = "asked"
    NEWEST = "newest"
    NAME = "name"


@dataclass(frozen=True, kw_only=True)
class ParsedWords:
    """`begun` is the last word, as far as it is typed; `phrases` must all occur, none of the `excluded` may."""

    plain: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.plain or self.phrases or self.excluded)

    @property
    def query_text(self) -> str:
        """All that is looked for, as one text."""
        return " ".join([*self.plain, *self.phrases])


@dataclass(frozen=True, kw_only=True)
class ListingQuery:
    """`sort` None: the best match where there are words, else what is most often right. Empty facets let all pass;
    one of the domains is enough, tags and uses must all be there."""

    words: str = ""
    domains: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trust: TrustFilter = TrustFilter.ANY
    uses: tuple[UseFilter, ...] = ()
    sort: ListingSort | None = None

    @property
    def order(self) -> ListingSort:
        """An order by how well it fits needs something to fit to."""
        if self.sort is None or (self.sort == ListingSort.BEST and not self.words):
            return ListingSort.BEST if self.words else ListingSort.RIGHT
        return self.sort

    @property
    def is_filtered(self) -> bool:
        return bool(self.domains or self.tags or self.uses or self.trust != TrustFilter.ANY)

    def query(self, **changed: object) -> str:
        """The part of an address after its question mark that asks for this, with some of it changed."""
        one = replace(self, **changed)  # type: ignore[arg-type]
        pairs = [("q", one.words)] if one.words else []
        pairs += [("domain", domain) for domain in one.domains] + [("tag", tag) for tag in one.tags]
        pairs += [("trust", one.trust.value)] if one.trust != TrustFilter.ANY else []
        pairs += [("use", use.value) for use in one.uses]
        pairs += [("sort", one.sort.value)] if one.sort else []
        return urlencode(pairs)


def parse_listing_query(said: Mapping[str, Sequence[str]]) -> ListingQuery:
    """Out of the lists of an address (`q`, `domain`, `tag`, `trust`, `use`, `sort`). What is not known is left out."""
    return ListingQuery(
        words=_shorten(_first_value(said, "q")),
        domains=_unique_values(map(normalize_domain, map(_shorten, said.get("domain", ()))), most=MAX_DOMAINS),
        tags=_unique_values(map(normalize_tag, map(_shorten, said.get("tag", ()))), most=MAX_TAGS),
        trust=TrustFilter(value) if (value := _first_value(said, "trust")) in set(TrustFilter) else TrustFilter.ANY,
        uses=tuple(use for use in UseFilter if use in said.get("use", ())),
        sort=ListingSort(value) if (value := _first_value(said, "sort")) in set(ListingSort) else None,
    )


def parse_words(words: str) -> ParsedWords:
    """As people write searches: "in quotation marks" must occur as it is, and what has a - before it must not."""
    plain, phrases, excluded = [], [], []
    for minus, phrase, word in _WORD_OR_PHRASE.findall(words)[:MAX_QUERY_WORDS]:
        if minus:
            excluded.append(phrase or word)
        elif phrase:
            phrases.append(phrase)
        elif word.strip('"'):
            plain.append(word.strip('"'))
    ends_in_word = bool(plain) and words.endswith(plain[-1])
    begun = _NON_WORD.sub("", plain[-1]) if ends_in_word else ""
    return ParsedWords(
        plain=tuple(plain),
        phrases=tuple(phrases),
        excluded=tuple(one for one in excluded if one),
        prefix=(begun,) if len(begun) > 1 else (),
    )


def _first_value(said: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(said.get(name) or ()), "")


def _unique_values(values: object, *, most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:most]  # type: ignore[attr-defined]
