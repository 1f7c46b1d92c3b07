"""What somebody looks for in the catalogue: words, facets, an order. Everything in it is bounded, whatever was sent."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from marketplace.catalogue.wording import as_domain, as_tag

LONGEST_WORDS = 200
MOST_WORDS, MOST_DOMAINS, MOST_TAGS = 16, 20, 10
# A word in quotation marks, or a word; either may have a minus before it.
_PART = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')
_NO_WORD = re.compile(r"[^\w]")


class Trust(enum.StrEnum):
    ANY = "any"
    MEASURED = "measured"
    RIGHT = "right"


class Use(enum.StrEnum):
    API = "api"
    CHAT = "chat"
    INSTALL = "install"


class Sort(enum.StrEnum):
    BEST = "best"
    RIGHT = "right"
    ASKED = "asked"
    NEWEST = "newest"
    NAME = "name"


@dataclass(frozen=True, kw_only=True)
class Words:
    """`begun` is the last word, as far as it is typed; `phrases` must all occur, none of the `excluded` may."""

    plain: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.plain or self.phrases or self.excluded)

    @property
    def meant(self) -> str:
        """All that is looked for, as one text."""
        return " ".join([*self.plain, *self.phrases])


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """`sort` None: the best match where there are words, else what is most often right. Empty facets let all pass;
    one of the domains is enough, tags and uses must all be there."""

    words: str = ""
    domains: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trust: Trust = Trust.ANY
    uses: tuple[Use, ...] = ()
    sort: Sort | None = None

    @property
    def order(self) -> Sort:
        """An order by how well it fits needs something to fit to."""
        if self.sort is None or (self.sort == Sort.BEST and not self.words):
            return Sort.BEST if self.words else Sort.RIGHT
        return self.sort

    @property
    def is_narrowed(self) -> bool:
        return bool(self.domains or self.tags or self.uses or self.trust != Trust.ANY)

    def query(self, **changed: object) -> str:
        """The part of an address after its question mark that asks for this, with some of it changed."""
        one = replace(self, **changed)  # type: ignore[arg-type]
        pairs = [("q", one.words)] if one.words else []
        pairs += [("domain", domain) for domain in one.domains] + [("tag", tag) for tag in one.tags]
        pairs += [("trust", one.trust.value)] if one.trust != Trust.ANY else []
        pairs += [("use", use.value) for use in one.uses]
        pairs += [("sort", one.sort.value)] if one.sort else []
        return urlencode(pairs)


def wanted(said: Mapping[str, Sequence[str]]) -> Wanted:
    """Out of the lists of an address (`q`, `domain`, `tag`, `trust`, `use`, `sort`). What is not known is left out."""
    return Wanted(
        words=tidy(_first(said, "q")),
        domains=_some(map(as_domain, map(tidy, said.get("domain", ()))), most=MOST_DOMAINS),
        tags=_some(map(as_tag, map(tidy, said.get("tag", ()))), most=MOST_TAGS),
        trust=Trust(value) if (value := _first(said, "trust")) in set(Trust) else Trust.ANY,
        uses=tuple(use for use in Use if use in said.get("use", ())),
        sort=Sort(value) if (value := _first(said, "sort")) in set(Sort) else None,
    )


def tidy(text: str) -> str:
    """On one line, not too long, and without what the database does not take."""
    return " ".join(text[: 4 * LONGEST_WORDS].replace("\x00", " ").split())[:LONGEST_WORDS].strip()


def parsed(words: str) -> Words:
    """As people write searches: "in quotation marks" must occur as it is, and what has a - before it must not."""
    plain, phrases, excluded = [], [], []
    for minus, phrase, word in _PART.findall(words)[:MOST_WORDS]:
        if minus:
            excluded.append(phrase or word)
        elif phrase:
            phrases.append(phrase)
        elif word.strip('"'):
            plain.append(word.strip('"'))
    ends_in_word = bool(plain) and words.endswith(plain[-1])
    begun = _NO_WORD.sub("", plain[-1]) if ends_in_word else ""
    return Words(
        plain=tuple(plain),
        phrases=tuple(phrases),
        excluded=tuple(one for one in excluded if one),
        begun=(begun,) if len(begun) > 1 else (),
    )


def _first(said: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(said.get(name) or ()), "")


def _some(values: object, *, most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:most]  # type: ignore[attr-defined]
