"""A plan by rules alone: dates, the labels that the documents really have, and the words that ask for a list.

Nothing is guessed. A label becomes a filter where the question says that it is one ("tagged budget", "posts about
procurement") or where it cannot be anything else (a type of document, a project by its name); a word that merely
occurs in a question ("how does procurement work?") filters nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from knowledge.terms import terms
from querying.plan.dates import time_of
from querying.plan.types import LIMIT, MOST, AnswerMode, Intent, Plan, TimeRange
from querying.plan.vocabulary import Vocabulary, places_of, stem_of

# From this share of dated documents on, a time is a filter and a recap without one is asked back.
_DATED = 0.5
_THING = r"(?:posts?|notes?|articles?|documents?|docs?|entries|entry|pages?|files?|items?|pieces?|stories|write-?ups?|blogs?|papers?|records?|logs?)"
_THINGS = re.compile(rf"\s+{_THING}\b", re.IGNORECASE)
_LISTING = re.compile(
    rf"^\s*(?:please\s+)?(?:(?:(?:can|could|would)\s+you|(?:can|could|may)\s+i|i\s+(?:want|need|would\s+like)\s+to|i['’]d\s+like\s+to)\s+)?(?:please\s+)?(?:see|list|show|find|give|get|name|enumerate|pull\s+up|dig\s+(?:out|up)|bring\s+up|look\s+up|fetch|(?:i\s+am\s+|i['’]m\s+)?(?:looking|searching|hunting)\s+for|i['’]m\s+after)\b"
    rf"|\b(?:which|what|how\s+many|all|any|every|the\s+(?:latest|newest|most\s+recent|last|first))\s+(?:of\s+)?(?:the\s+|my\s+|our\s+|your\s+)?(?:[\w-]+\s+){{0,3}}{_THING}\b"
    rf"|^\s*(?:[\w-]+\s+){{0,4}}{_THING}\s+(?:about|on|from|in|of|since|before|after|between|tagged|published|written|dated|with|by|during|under|for|that)\b"
    rf"|\b(?:everything|anything|what\s+(?:did|have|has|was|were))\s+(?:\w+\s+){{0,3}}(?:write|wrote|written|publish|published|post|posted)\b"
    rf"|\b(?:everything|anything)\s+(?:tagged|about|on|from)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|on|regarding|concerning|covering|tagged(?:\s+(?:as|with))?|with\s+(?:the\s+)?tags?|under\s+(?:the\s+)?(?:tag|topic)|filed\s+under|labelled|labeled|mention\w*|related\s+to|dealing\s+with|topics?\s+of|in\s+the\s+category|categori[sz]ed\s+(?:as|under)|that\s+(?:discuss|cover|deal\s+with)|discussing)\b[\s:]*",
    re.IGNORECASE,
)
_THING_ABOUT = re.compile(rf"\b{_THING}\s+{_ABOUT.pattern}", re.IGNORECASE)
_TAGGED = re.compile(r"\b(?:tag|tagged|tags|filed\s+under|labell?ed)\b", re.IGNORECASE)
_HASH = re.compile(r"(?<!\w)#([\w/-]{2,60})")
# Beside these a status is one; in "a final deadline" it is an ordinary word.
_MARKED = re.compile(
    r"\b(?:still|currently|now|marked|status|are|is|in|on|as)\s+(?:still\s+|currently\s+)?(?:in\s+|on\s+|as\s+)?$",
    re.IGNORECASE,
)
# What somebody did, without a word on what it was about: "what did we work on?", not "what did we do about the roof?".
_WORK = r"(?:did|have|has|was|were|had)\s+(?:i|we|they|you|the\s+team)\s+(?:been\s+)?(?:do(?:ing|ne)?|work(?:ing|ed)?\s+on|get\s+up\s+to|gotten\s+up\s+to|busy\s+with)(?=\s*(?:$|[?.,;!]))"
_INTENTS = {
    Intent.ACCOMPLISHMENTS: re.compile(
        r"\b(?:accomplish\w*|achiev\w*|finish(?:ed)?|complet(?:ed?|ions?)|shipped|ship|delivered|got\s+done|get\s+done|wrap(?:ped)?\s+up|tick(?:ed)?\s+off|done)\b",
        re.IGNORECASE,
    ),
    Intent.IN_FLIGHT: re.compile(
        r"\b(?:in\s+flight|in[\s-]progress|under\s*way|in\s+the\s+middle\s+of|in\s+the\s+works|on\s+the\s+go|ongoing|on-going|unfinished|still\s+open|(?:am|are|is|currently)\s+(?:\w+\s+){0,2}working\s+on|working\s+on\s+(?:now|right\s+now|at\s+the\s+moment)|on\s+(?:my|our)\s+plate|active|still\s+(?:in\s+)?\w+ing|still\s+(?:in|on|at)\s+\w+|(?:are|is)\s+still\s+\w+|(?:have|has)(?:n['’]t|\s+not)\s+(?:yet\s+)?(?:been\s+)?(?:finished|completed|done))\b",
        re.IGNORECASE,
    ),
    Intent.RECAP: re.compile(
        rf"\b(?:recap\w*|summar(?:y|ise|ize|ies)|what\s+(?:happened|went\s+on|has\s+happened)|overview|round-?up|look\s+back|retrospective|what(?:\s+has|'s|’s)?\s+(?:is\s+)?new|highlights?|(?:week|month|year|quarter)\s+in\s+review|sum(?:ming)?\s+up|run-?down|catch\s+(?:me|us)\s+up|(?:bring|get)\s+(?:me|us)\s+up\s+to\s+(?:date|speed)|did\s+(?:i|we)\s+miss|(?:was|were|been)\s+(?:i|we|they)?\s*up\s+to|{_WORK}|been\s+(?:happening|going\s+on))\b",
        re.IGNORECASE,
    ),
}
_HOW_TO = re.compile(
    r"\s*(?:how\s+(?:do|does|can|could|should|to|is|are|would)|why|(?:can|could|should|may|must)\s+(?:i|we|they|one))\b",
    re.IGNORECASE,
)
# What a status is called when something is finished, or not yet. Which of them count, the documents say.
_FINISHED = frozenset(
    [
        "done",
        "complete",
        "completed",
        "finished",
        "shipped",
        "closed",
        "archived",
        "delivered",
        "achieved",
        "published",
        "final",
        "finalised",
        "finalized",
        "approved",
        "resolved",
        "submitted",
        "merged",
        "signed-off",
    ]
)
_OPEN = frozenset(
    [
        "active",
        "open",
        "ongoing",
        "started",
        "doing",
        "wip",
        "current",
        "in-progress",
        "in_progress",
        "underway",
        "draft",
        "in-review",
    ]
) | {
    "in progress",
    "in review",
}
_NUMBERS = dict(
    zip(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"],
        [*range(2, 11), 12, 20],
        strict=True,
    )
) | {"dozen": 12}
_FEW = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_COUNT = re.compile(
    rf"\b(?:top|last|latest|newest|first|most\s+recent|previous)\s+{_FEW}\s+(?!(?:day|week|fortnight|month|quarter|year)s?\b)"
    rf"|\b(?:list|show|give|name|find|get)\s+(?:me\s+|us\s+)?(?:the\s+)?(?:up\s+to\s+)?{_FEW}\s+(?!(?:day|week|month|year)s?\b)"
    rf"|(?:^|\bthe\s+|\bmy\s+|\bour\s+){_FEW}\s+(?:newest|latest|most\s+recent|last|oldest|best)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    rf"\bthe\s+(?:latest|newest|most\s+recent)\s+{_THING.replace('posts?', 'post').replace('notes?', 'note')}\b(?<!s)",
    re.IGNORECASE,
)
PERIOD_OPTIONS = ("this week", "this month", "last month", "this year", "any time")
_ASKS = re.compile(r"\s*(?:what|who|why|when|where|how|is|are|do|does|did|can|may|should)\b", re.IGNORECASE)
_ANY_TIME = re.compile(r"\b(?:any|all)\s*time\b|\bever\b|\boverall\b|\bso\s+far\b|\bin\s+general\b", re.IGNORECASE)


def plan_of(question: str, *, vocabulary: Vocabulary, today: date, timezone: str) -> Plan:
    """What the question asks for. `today` is the day in the asker's time zone."""
    said = time_of(question, today=today) if vocabulary.dated >= _DATED else None
    rest = f"{question[: said.start]} {question[said.end :]}" if said else question
    rest = _ANY_TIME.sub(" ", rest)
    days = TimeRange(start=said.days.first, end=said.days.last, timezone=timezone) if said else None
    intent = _intent(rest)
    plan, labels, is_list = _read(rest, vocabulary, Plan(intent=intent, time_range=days, limit=_limit(question)))
    if _lacks_time(plan, question, vocabulary):
        if not labels.left_over():
            return replace(
                plan,
                answer_mode=AnswerMode.SQL_ONLY,
                followup_question="Which time do you mean?",
                options=PERIOD_OPTIONS,
            )
        # "Summarise the parking rules", "what happened to the boiler" speak of something, and not of a time.
        plan, labels, is_list = _read(rest, vocabulary, replace(plan, intent=Intent.LOOKUP))
    return _with_mode(plan, labels=labels, question=question, is_list=is_list)


def _read(text: str, vocabulary: Vocabulary, plan: Plan) -> tuple[Plan, _Labels, bool]:
    """The plan with the labels that the text names, these, and whether it asks for a list."""
    labels = _Labels(text, vocabulary)
    project = labels.project()
    doc_types = labels.doc_types()
    statuses = labels.statuses(plan.intent)
    is_list = bool(_LISTING.search(labels.shape()))
    is_list = is_list or (plan.intent != Intent.LOOKUP and bool(plan.time_range or statuses))
    tags = labels.tags(is_list=is_list)
    named = replace(plan, project=project, doc_types=doc_types, statuses=statuses, tags=tags)
    return named, labels, is_list


def _with_mode(plan: Plan, *, labels: _Labels, question: str, is_list: bool) -> Plan:
    if not plan.has_filters:
        # Nothing to narrow: all the text is searched, unless all the newest documents are what is asked for.
        is_all = is_list and plan.intent == Intent.LOOKUP and not labels.left_over()
        return replace(plan, answer_mode=AnswerMode.SQL_ONLY) if is_all else plan
    # Where every word is a label the metadata answers; what is left over has to be searched for.
    is_about = bool(plan.tags or plan.time_range)
    is_covered = not labels.left_over() and (is_list or is_about or not _ASKS.match(question))
    return replace(plan, answer_mode=AnswerMode.SQL_ONLY if is_covered else AnswerMode.HYBRID)


def _intent(text: str) -> Intent:
    if _HOW_TO.match(text):
        return Intent.LOOKUP
    return next((intent for intent, words in _INTENTS.items() if words.search(text)), Intent.LOOKUP)


def _limit(question: str) -> int:
    found = _COUNT.search(question)
    if found is None:
        return 1 if _SINGLE.search(question) else LIMIT
    number = next(group for group in found.groups() if group)
    return max(1, min(MOST, _NUMBERS.get(number.lower()) or int(number)))


def _lacks_time(plan: Plan, question: str, vocabulary: Vocabulary) -> bool:
    """A recap or a list of what was done, of everything ever: more than anybody wants to read."""
    wants = plan.intent in (Intent.RECAP, Intent.ACCOMPLISHMENTS)
    is_narrow = plan.time_range or plan.project or plan.tags
    return wants and not is_narrow and vocabulary.dated >= _DATED and not _ANY_TIME.search(question)


@dataclass
class _Word:
    text: str
    stem: str
    start: int
    is_used: bool = False


class _Labels:
    """The labels that a question names. Each word of it is part of one label at most, the longest first."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._text = text
        self._vocabulary = vocabulary
        self._things: list[tuple[int, int]] = []
        self._words = [
            _Word(text=match.group(), stem=stem, start=match.start())
            for match in re.finditer(r"[^\W_]+", text)
            for stem in [stem_of(match.group())]
        ]

    def doc_types(self) -> tuple[str, ...]:
        return tuple(self._take(self._vocabulary.doc_types, only=self._is_thing))

    def shape(self) -> str:
        """The text with every type of document that it names as just a "note": what makes a list of it is the same."""
        text = self._text
        for start, end in sorted(self._things, reverse=True):
            text = f"{text[:start]}notes{text[end:]}"
        return text

    def project(self) -> str | None:
        named = [project for project in self._vocabulary.projects if self._is_named(project)]
        found = next(iter(self._take(named)), None)
        if found:  # "the Atlas project" names one project, and not a type of document
            self._claim_beside(found)
        return found

    def statuses(self, intent: Intent) -> tuple[str, ...]:
        known = self._vocabulary.statuses
        by_intent = {Intent.ACCOMPLISHMENTS: _FINISHED, Intent.IN_FLIGHT: _OPEN}.get(intent, frozenset())
        is_open = intent != Intent.LOOKUP
        named = tuple(self._take(known, only=lambda group: is_open or self._is_status(group)))
        return named or tuple(status for status in known if status.lower() in by_intent)

    def tags(self, *, is_list: bool) -> tuple[str, ...]:
        """Tags that are named as tags, that stand before documents or that documents are about ("procurement posts", "notes
        on design"); in a list also those that follow "about" anywhere; and any where nothing else is said."""
        hashed = {match.group(1).lower() for match in _HASH.finditer(self._text)}
        marks = [match.span() for match in _HASH.finditer(self._text)]
        for word in self._words:
            word.is_used = word.is_used or any(start <= word.start < end for start, end in marks)
        exact = [tag for tag in self._vocabulary.tags if tag.lower() in hashed]
        before = [word.is_used for word in self._words]
        anywhere = list(self._take(self._vocabulary.tags))
        if not self.left_over():
            return tuple(dict.fromkeys([*exact, *anywhere]))
        for word, was_used in zip(self._words, before, strict=True):
            word.is_used = was_used
        is_named = is_list or bool(_TAGGED.search(self._text))
        about = (_ABOUT if is_named else _THING_ABOUT).search(self._text)
        start = about.end() if about else 0 if is_named else len(self._text)
        found = self._take(
            self._vocabulary.tags, only=lambda group: group[0].start >= start or self._is_before_thing(group)
        )
        return tuple(dict.fromkeys([*exact, *found]))

    def _is_before_thing(self, group: Sequence[_Word]) -> bool:
        after = group[-1].start + len(group[-1].text)
        is_type = any(0 <= start - after <= 1 for start, _ in self._things)
        return is_type or bool(_THINGS.match(self._text[after:]))

    def left_over(self) -> list[str]:
        """Content words that are no label and none of the words that ask for a list."""
        left = (word for word in self._words if not word.is_used and not word.text.isdigit())
        return [word.text for word in left if terms(word.text) and word.stem not in _ASKING and not self._owns(word)]

    def _owns(self, word: _Word) -> bool:
        """"The clinic's work" says whose, and not what."""
        after = self._text[word.start + len(word.text) :]
        return bool(re.match(r"['’]s\s+\w", after))

    def _is_thing(self, group: Sequence[_Word]) -> bool:
        """Whether these words name documents. A single word may be a verb ("who do they report to") or a measure."""
        before = self._text[: group[0].start].rstrip()
        if group[0].text.lower() in ("minutes", "hours", "seconds") and re.search(
            r"\bhow\s+many$", before, re.IGNORECASE
        ):
            return False
        after = self._text[group[-1].start + len(group[-1].text) :]
        is_plural = group[-1].text.lower().endswith("s")
        # "The letter slot", "a policy number": the first of two nouns names no document, but in "meeting notes".
        is_first = bool(re.match(r"\s+[^\W\d]", after)) and not _GOES_ON.match(after)
        if len(group) == 1 and not is_plural and is_first and not _THINGS.match(after):
            return False
        is_sure = len(group) > 1 or not before or is_plural or self._is_used_at(before)
        if is_sure or _DETERMINED.search(before):
            self._things.append((group[0].start, group[-1].start + len(group[-1].text)))
            return True
        return False

    def _is_status(self, group: Sequence[_Word]) -> bool:
        """Whether these words say how far something is: before or after what is listed, or after "is", "still"."""
        after = group[-1].start + len(group[-1].text)
        beside = any(start - after in (0, 1) or 0 <= group[0].start - end <= 1 for start, end in self._things)
        is_before = beside or self._is_before_thing(group)
        has_things = bool(self._things) or bool(re.search(rf"\b{_THING}\b", self._text, re.IGNORECASE))
        return is_before or (has_things and bool(_MARKED.search(self._text[: group[0].start])))

    def _is_used_at(self, before: str) -> bool:
        """Whether the last word of this beginning is part of a label: "draft memo", "Atlas report"."""
        return any(word.is_used and before.endswith(word.text) for word in self._words)

    def _take(
        self, labels: Iterable[str], *, only: Callable[[Sequence[_Word]], bool] = lambda _: True
    ) -> Iterator[str]:
        longest_first = sorted(labels, key=lambda label: -len(self._vocabulary.stems(label)))
        for label in longest_first:
            if self._claim(self._vocabulary.stems(label), only=only):
                yield label

    def _claim(self, stems: Sequence[str], *, only: Callable[[Sequence[_Word]], bool]) -> bool:
        for at in places_of(stems, [word.stem for word in self._words]):
            group = self._words[at : at + len(stems)]
            if not any(word.is_used for word in group) and only(group):
                for word in group:
                    word.is_used = True
                return True
        return False

    def _claim_beside(self, project: str) -> None:
        beside = re.search(
            rf"\bproject\s+[\"“]?{re.escape(project)}|{re.escape(project)}[\"”]?\s+project\b",
            self._text,
            re.IGNORECASE,
        )
        for word in self._words:
            if beside and beside.start() <= word.start < beside.end():
                word.is_used = True

    def _is_named(self, project: str) -> bool:
        """A name of one ordinary word needs its capital, or the word "project" beside it."""
        if len(self._vocabulary.stems(project)) > 1:
            return True
        name = re.escape(project)
        # Who writes without any capitals writes names without them too.
        if self._text.islower() or project.islower():
            return bool(re.search(rf"\b(?:for|on|of|in|about|the|my|our)\s+{name}\b", self._text, re.IGNORECASE))
        beside = rf"\bproject\s+[\"“]?{name}\b|\b{name}\s+project\b"
        return bool(re.search(rf"\b{name}\b", self._text) and project[:1].isupper()) or bool(
            re.search(beside, self._text, re.IGNORECASE)
        )


_GOES_ON = re.compile(
    r"\s+(?:about|on|of|from|in|for|by|at|with|to|that|which|who|dated|tagged|labell?ed|mention\w*|say|says|said|cover\w*|is|are"
    r"|was|were|do|does|did|has|have|had|i|we|you|they|and|or|since|before|after|between|under|written|published|made|sent)\b",
    re.IGNORECASE,
)
_DETERMINED = re.compile(
    r"(?:\b(?:the|a|an|my|our|your|their|which|what|all|any|every|each|these|those|latest|newest|last|first|recent|in|of|from"
    r"|list|show|find|get|me|\d+)|,)$",
    re.IGNORECASE,
)
_ASKING_WORDS = """
    list show find give get name enumerate tell post note article document doc entry page file item piece story write wrote
    written writing publish published posted blog all every any latest newest recent first last most top many everything
    anything please can could you me tag tagged topic category label labelled filed finish finished complete completed done
    accomplish accomplished accomplishment achieve achieved achievement ship shipped deliver delivered work working happen
    happened recap summary summarise summarize overview roundup highlight review new current currently active progress
    ongoing open project time period day week month year quarter there exist got made make about regarding concerning dated
    two three five ten related mention mentioning discussing cover covering deal dealing been went look back flight plate quick brief short right moment pull put paper record log catch bring date speed miss going
    up out still round dig fetch came come filed file whatever arrived received got added add wrote wrap off middle works way
    under remind know tick looking look seeking search searching blog weblog number count often dozen oldest newer older archive
    archives sum rundown went posted posting anything possible interested mostly only just please hi hello hey thanks thank stuff four six seven eight nine twelve twenty oldest best need want like would love see thing stuff us drafting
    appear appeared surface surfaced circulate circulated status marked flagged
"""
_ASKING = frozenset(stem for word in _ASKING_WORDS.split() for stem in terms(word))
