"""Decides what is searched for a question. Only this module and `resume` change the text of a question.

The pipeline calls `resolve_question`, which plans the question and adds the filters of the plan.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from knowledge.embedders.packed_states import PackedStates
from knowledge.search.filters import Filters
from knowledge.search.query_words import QueryWord, Synonyms, dedupe_by_weight
from knowledge.search.revision_statistics import BaseRevision, StatisticsCache
from knowledge.search.wording import Wording
from language.courtesies import without_courtesies
from language.personal_data import without_placeholders
from language.word_replacement import replace_words
from lexic.concurrency import in_turn
from plugins.models import Planner
from querying.llm_interface import LLM
from querying.question.answer_language import is_stored_refusal
from querying.question.clarifications import SUBJECT_FIELD, TIME_FIELD
from querying.question.courtesies import courtesy_of
from querying.question.planning import planner
from querying.question.planning.planner import PlanResult
from querying.question.planning.query_plan import TimeRange
from querying.question.planning.times import find_time, find_times
from querying.question.question_subject import exchange_subject, question_about_it, with_subject
from querying.question.standalone_question import is_fragment, named_thing, rewrite_follow_up
from querying.types.question import Question

logger = logging.getLogger(__name__)

# How much the words of earlier turns count beside the question's. Measured on conversations, see docs/evaluation.md.
_PREVIOUS_TURN_WEIGHT, _EARLIER_TURN_WEIGHT, _REPLY_WEIGHT = 0.3, 0.2, 0.1
# Shares of the vector: the question, all that the user said, and the last reply. The second holds for a long reply.
_VECTOR_SHARES, _VECTOR_SHARES_WITH_REPLY = (0.5, 0.5, 0.0), (0.5, 0.3, 0.2)
# Limits on earlier turns, because a conversation may be long.
_MAX_TURNS, _MAX_TURN_CHARACTERS = 12, 1000
# The most characters of the user's previous turn that give the words of the question their context.
_MAX_PRECEDING_CHARACTERS = 400
# The most characters that are embedded of the last reply, and of all that the user said.
_MAX_REPLY_CHARACTERS, _MAX_CONVERSATION_CHARACTERS = 400, 4000
# The most characters of the user's previous turn that a reranker reads.
_MAX_RERANKER_CHARACTERS = 500


@dataclass(frozen=True, kw_only=True)
class WeightedTurn:
    """A turn of the conversation, and the weight of its words beside those of the question."""

    text: str
    weight: float
    preceding_text: str = ""  # the text before it, which gives its words their meaning


@dataclass(frozen=True, kw_only=True)
class ResolvedQuestion(Question):
    """A question with everything that decides what is searched for it.

    `text` is what is answered, without greetings and thanks: it contains the subject if a clarification asked for it.
    `options` have the filters of the caller and of the plan. `search_text` is what passages have to mention: the text
    without its time, which is a filter. `asked` is the question as it came. `standalone` is the standalone question
    of a follow-up, empty for any other question. `misspellings` maps words that the documents do not have to what was
    meant: the texts to search for use that instead. So they do for `fact_options`: words that stated a fact of a
    tree, and the tree's option for them.
    """

    asked: Question
    search_text: str
    standalone: str = ""
    planned: PlanResult = field(default_factory=PlanResult)
    misspellings: Mapping[str, str] = field(default_factory=dict)
    fact_options: Mapping[str, str] = field(default_factory=dict)
    # Term statistics of the searches for this question; each step adds to them.
    statistics: StatisticsCache = field(default_factory=StatisticsCache, compare=False, repr=False)

    @classmethod
    def of(cls, question: Question, planned: PlanResult | None = None) -> ResolvedQuestion:
        """The question under its plan; without a plan it is searched as it is."""
        if isinstance(question, ResolvedQuestion):
            return question
        planned = planned or PlanResult()
        text = without_courtesies(question.text)
        options, search_text = question.options, text
        if planned.plan and planned.narrows:
            filters = planned.plan.narrowed(options.filters or Filters())
            options = replace(options, filters=filters or None)
            if planned.plan.time_range:
                search_text = _without_time(text, today=planner.local_today(question), days=planned.plan.time_range)
        search_text = without_placeholders(search_text)
        subject = question.facts.get(SUBJECT_FIELD)
        suffix = f" ({subject})" if isinstance(subject, str) and subject.strip() else ""
        values = {**vars(question), "options": options, "text": text + suffix}
        return cls(**values, asked=question, search_text=search_text + suffix, planned=planned)

    def with_misspellings(self, misspellings: Mapping[str, str]) -> ResolvedQuestion:
        """The question as it is searched if these words of it are misspelt."""
        return replace(self, search_text=replace_words(self.search_text, misspellings), misspellings=dict(misspellings))

    def with_fact_options(self, options: Mapping[str, str]) -> ResolvedQuestion:
        """The question as the pages are judged by it if these words of it stated facts of a tree. Without such words it
        is the same object, which keeps what was looked up for it."""
        text = replace_words(self.search_text, options)
        if not options or not re.search(r"\w", text):
            return self
        return replace(self, search_text=text, fact_options=dict(options))

    @property
    def standalone_text(self) -> str:
        return self.standalone or self.text

    @cached_property
    def synonyms(self) -> Synonyms:
        return Synonyms(self.release.synonyms)

    @cached_property
    def wordings(self) -> dict[tuple[tuple[BaseRevision, ...], str], Wording]:
        """The wordings of the question that were looked up for a search of these bases with these added words."""
        return {}

    @cached_property
    def token_states(self) -> dict[int, PackedStates | None]:
        """The token states of passages that were looked up for the question, by chunk; None where none were kept."""
        return {}

    @property
    def new_words(self) -> str:
        """The words of the last turn of a conversation, with their synonyms; empty if there are no earlier turns."""
        text = replace_words(without_courtesies(self.asked.text), {**self.misspellings, **self.fact_options})
        return " ".join([text, *self.synonyms.expansions(text)]) if self.context else ""

    @property
    def last_reply(self) -> str:
        """The last answer, as far as it counts; empty if there is none. A refusal does not count."""
        replies = [turn.content for turn in self.context if turn.role == "assistant"]
        if not replies or is_stored_refusal(replies[-1]):
            return ""
        return replies[-1][:_MAX_TURN_CHARACTERS]

    def weighted_turns(self, added: str = "") -> list[WeightedTurn]:
        """The question with the added words, then the user's earlier turns, latest first; the last reply comes last."""
        earlier = self.earlier_user_turns
        preceding_text = earlier[-1][-_MAX_PRECEDING_CHARACTERS:] if earlier else ""
        text = f"{self.search_text} {added}".strip()
        turns = [WeightedTurn(text=text, weight=1.0, preceding_text=preceding_text)]
        for at, content in enumerate(earlier[::-1][:_MAX_TURNS]):
            weight = _EARLIER_TURN_WEIGHT if at else _PREVIOUS_TURN_WEIGHT
            turns.append(WeightedTurn(text=content[:_MAX_TURN_CHARACTERS], weight=weight))
        reply = self.last_reply
        return [*turns, WeightedTurn(text=reply, weight=_REPLY_WEIGHT)] if reply else turns

    def weighted_words(self, added: str = "") -> list[QueryWord]:
        """The words to search for, each once, with the highest weight of the turns that contain it."""
        if added not in self._weighted_words:
            words = (self.synonyms.words(turn.text, weight=turn.weight) for turn in self.weighted_turns(added))
            self._weighted_words[added] = tuple(dedupe_by_weight(word for of_turn in words for word in of_turn))
        return list(self._weighted_words[added])

    @cached_property
    def _weighted_words(self) -> dict[str, tuple[QueryWord, ...]]:
        """By the added words: a search asks for its words, and for how the documents put them."""
        return {}

    def texts_to_embed(self) -> list[tuple[str, float]]:
        """The texts to embed, each with its share of the question's vector.

        A follow-up ("and for footings?") finds its subject in the turns before, so these have a share too.
        """
        text = _with_synonyms(self.search_text, self.synonyms)
        if not self.earlier_user_turns:
            return [(text, 1.0)]
        everything = " ".join([*self.earlier_user_turns, text])[-_MAX_CONVERSATION_CHARACTERS:]
        reply = self.last_reply[:_MAX_REPLY_CHARACTERS]
        length = len(reply) / _MAX_REPLY_CHARACTERS
        shares = [
            (1 - length) * one + length * other
            for one, other in zip(_VECTOR_SHARES, _VECTOR_SHARES_WITH_REPLY, strict=True)
        ]
        return [(text, share) for text, share in zip((text, everything, reply), shares, strict=True) if share]

    def reranker_text(self, added: str = "") -> str:
        """The question after the user's previous turn: a reranker knows nothing of the conversation."""
        earlier = [turn[-_MAX_RERANKER_CHARACTERS:] for turn in self.earlier_user_turns[-1:]]
        return " ".join([*earlier, f"{self.search_text} {added}".strip()])


async def resolve_question(question: Question, *, llm: LLM) -> ResolvedQuestion:
    """The question with its standalone form, and with its plan if its release plans questions. If planning fails, the
    question is searched without a plan, and its row in the log says so."""
    standalone = await in_turn(_standalone_text, question) if question.earlier_user_turns else ""
    planned = PlanResult()
    if question.release.planner != Planner.OFF:
        try:
            planned = await planner.make_plan(question, text=_text_to_plan(question, standalone), llm=llm)
        except Exception:
            logger.exception("query %s was not planned", question.id)
            planned = PlanResult(trouble="planning_failed")
    resolved = ResolvedQuestion.of(question, planned)
    if not standalone or planned.narrows:
        return replace(resolved, standalone=standalone)
    return replace(resolved, standalone=standalone, search_text=standalone)


def _standalone_text(question: Question) -> str:
    """The standalone question for a fragment such as "and for slabs?" or for one about "it"; empty for any other
    question."""
    earlier = [
        without_courtesies(text)[-_MAX_PRECEDING_CHARACTERS:] for text in _questions_before(question)[-_MAX_TURNS:]
    ]
    return _read_after(without_courtesies(question.text), earlier, today=planner.local_today(question))


def _questions_before(question: Question) -> list[str]:
    """The user's earlier turns but for answers to our questions back: nobody goes on from “30 days”. That we ask what
    else there is, in reply to a courtesy, is no question back."""
    found, asks_back, said = list[str](), False, ""
    for turn in question.context:
        if turn.role == "user":
            said = "" if asks_back else turn.content
            if said or "?" in turn.content:
                found.append(turn.content)
        asks_back = turn.role == "assistant" and _ends_with_question(turn.content) and not courtesy_of(said)
    return found


def _ends_with_question(reply: str) -> bool:
    return reply.partition("\n\n- ")[0].rstrip().endswith("?")


def _read_after(text: str, earlier: Sequence[str], *, today: date) -> str:
    """The standalone question for a text after these; empty for one that is whole. What it goes on from may itself be
    no whole question: then that one is read first."""
    if not earlier or courtesy_of(text):
        return ""
    if not is_fragment(text):
        return with_subject(text, _last_question(earlier, today=today)[1]) if question_about_it(text) else ""
    asked, before = _last_question(earlier, today=today)
    if find_time(text, today=today):
        return f"{text} {_without_time(before, today=today)}"
    rewritten = rewrite_follow_up(text, before)
    thing = named_thing(text) if rewritten.endswith(text) else ""  # nothing of the question before is like it
    return (exchange_subject(asked, before, thing) if thing else "") or rewritten


def _last_question(earlier: Sequence[str], *, today: date) -> tuple[str, str]:
    """The last of these that is no courtesy, as it was asked and as a standalone question."""
    at = next((at for at in reversed(range(len(earlier))) if not courtesy_of(earlier[at])), 0)
    return earlier[at], _read_after(earlier[at], earlier[:at], today=today) or earlier[at]


def _text_to_plan(question: Question, standalone: str) -> str:
    """The question, or its standalone form, with the time that was asked for."""
    answered = question.facts.get(TIME_FIELD)
    text = standalone or question.text
    return f"{text} {answered}" if isinstance(answered, str) and answered.strip() else text


def _without_time(text: str, *, today: date, days: TimeRange | None = None) -> str:
    """The text without its first time, or without the time of these days, unless nothing else would be left."""
    times = find_times(text, today=today)
    matching = [one for one in times if days is None or (one.days.first, one.days.last) == (days.start, days.end)]
    rest = " ".join(f"{text[: matching[0].start].rstrip()} {text[matching[0].end :]}".split()) if matching else text
    rest = re.sub(r" (?=[?.!,;:]+(?: |$))", "", rest)
    return rest if re.search(r"\w", rest) else text


def _with_synonyms(text: str, synonyms: Synonyms) -> str:
    """The text, and after it the longest synonym of each phrase: an abbreviation alone means nothing to an embedder."""
    spellings = [synonyms.spellings(word.original) for word in synonyms.words(text)]
    longest = [max(each, key=len) for each in spellings if each]
    return f"{text} ({', '.join(longest)})" if longest else text
