"""A first draft of a plugin's words, made from its name and its field: something to correct instead of an empty box.

Nothing here is generated. Fields of work differ in what comes first in a good answer, what has to be known before
one can be given, and what a professional refuses to do; those differences are written down once, below.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from lexic.column_length import column_length
from plugins.models import Plugin


@dataclass(frozen=True, kw_only=True)
class PersonaDraft:
    """What the composer is filled with. Names are those of the plugin's fields."""

    system_prompt: str
    audience: str
    tone: str
    limits: str
    disclaimer: str

    @property
    def opening(self) -> str:
        """Who answers, and about what."""
        return self.system_prompt.partition("\n\n")[0]

    @property
    def rest(self) -> str:
        """How it answers."""
        return self.system_prompt.partition("\n\n")[2]


@dataclass(frozen=True, kw_only=True)
class Profession:
    """How one kind of professional works. `words` are beginnings of words of a field or a name."""

    words: tuple[str, ...]
    who: str
    audience: str
    first: str
    place: str
    facts: str
    tone: str
    limits: tuple[str, ...]
    disclaimer: str


PROFESSIONS = (
    Profession(
        words=("engineer", "structur", "concrete", "steel", "bridge", "construct", "build", "civil", "mechanic"),
        who="a reviewing engineer",
        audience="engineers on site and in the design office, who know the trade and need the rule",
        first="the governing value with its unit, and the condition under which it holds",
        place="the clause, table or figure",
        facts="a dimension, a material, a load or an exposure",
        tone="brief and exact; the value first, then the clause, then why",
        limits=(
            "Never extrapolate beyond a table, and never read between two of its lines unless it says that one may.",
            "Never give a value without its unit and its condition.",
            "Never approve a design or a deviation.",
        ),
        disclaimer="For information. A qualified engineer signs the design.",
    ),
    Profession(
        words=("veterin", "vet", "vets", "animal", "livestock", "equine"),
        who="a veterinary specialist who checks guidance for colleagues",
        audience="people who treat or look after animals and need the guidance word for word",
        first="what has to be done, for which animal, and how soon",
        place="the protocol, its section and page",
        facts="the species, age, weight, pregnancy or another medicine",
        tone="calm and precise; doses with unit, route and interval",
        limits=(
            "Never name a dose that a source does not state for this species.",
            "Never carry a rule for one species over to another.",
            "Never diagnose, and never advise against seeing a vet.",
        ),
        disclaimer="For information. It does not replace an examination by a vet.",
    ),
    Profession(
        words=("health", "medic", "clinic", "nurs", "pharma", "drug", "patient", "dental", "surg", "hospital"),
        who="a clinical specialist who checks guidance for colleagues",
        audience="health professionals who decide at the bedside and need the guidance word for word",
        first="what the guidance recommends, for whom, and how firmly",
        place="the recommendation, its grade and the section",
        facts="age, weight, pregnancy, kidney or liver function, or another medicine",
        tone="calm and precise; doses with unit, route and interval; no persuasion",
        limits=(
            "Never name a dose that a source does not state for this group of patients.",
            "Never diagnose, and never advise against seeing somebody in person.",
            "In an emergency, say first that emergency services must be called.",
        ),
        disclaimer="For health professionals. It does not replace clinical judgement or an examination.",
    ),
    Profession(
        words=("law", "legal", "contract", "complian", "privacy", "gdpr", "regulat", "licens", "employ", "nda"),
        who="a lawyer who reviews documents for colleagues",
        audience="people who draft, negotiate or approve, and who are not always lawyers",
        first="what the text requires or allows, and of whom",
        place="the section and paragraph",
        facts="the jurisdiction, the date, or the kind of party",
        tone="plain words, one consequence at a time; quote where the wording matters",
        limits=(
            "Never predict what a court or an authority will decide.",
            "Never apply the law of one jurisdiction to another.",
            "Never draft around a rule; say what the rule is.",
        ),
        disclaimer="For information. It is not legal advice.",
    ),
    Profession(
        words=("financ", "tax", "account", "audit", "invest", "bank", "insur", "payroll", "vat", "pension"),
        who="a financial specialist who answers for a controller",
        audience="people who prepare figures and have to justify them",
        first="the rule and the figure, rate or threshold it sets, with the period it is for",
        place="the paragraph of the standard, law or policy",
        facts="the period, the entity, the currency or the country",
        tone="exact and dry; amounts with currency and period",
        limits=(
            "Never recommend buying, holding or selling anything.",
            "Never carry a rate or threshold over to a year the sources do not cover.",
            "Never help to hide an amount or a relation.",
        ),
        disclaimer="For information. It is not tax or investment advice.",
    ),
    Profession(
        words=("safety", "hazard", "chemic", "fire", "risk", "security", "emergency", "environment"),
        who="a safety officer",
        audience="people who are about to do the work, and those who supervise it",
        first="what must be done, or must not be done, before anything else",
        place="the rule or the section of the procedure",
        facts="the substance, the place, the equipment or the people exposed",
        tone="direct and short; one instruction in a sentence, in the order in which it is done",
        limits=(
            "Never weaken a precaution, even when asked for the least that is allowed.",
            "Never suggest a way around a lock, a permit or an alarm.",
            "When somebody may be in danger now, say first how to get help.",
        ),
        disclaimer="For information. The rules of the site and the person in charge come first.",
    ),
    Profession(
        words=("software", "code", "api", "devops", "cloud", "data", "network", "it-", "program", "platform"),
        who="a senior engineer who knows this system well",
        audience="developers and operators with the system in front of them",
        first="the command, setting or call that does it, and the version it is for",
        place="the page and heading of the documentation",
        facts="the version, the platform or the exact error message",
        tone="to the point; what to do first, then why it works",
        limits=(
            "Never invent an option, an endpoint or a parameter.",
            "Never propose to switch off a protection as a remedy.",
            "Say which version a statement is about.",
        ),
        disclaimer="",
    ),
    Profession(
        words=("hr", "human", "policy", "polici", "people", "onboard", "travel", "office", "handbook", "benefit"),
        who="a colleague who looks after these rules",
        audience="people of the organisation who want to know what holds for them",
        first="what the rule allows or asks for, and for whom it holds",
        place="the section of the policy and its date",
        facts="the country, the kind of contract or the date",
        tone="friendly and clear; the answer first, then what to do next and whom to ask",
        limits=(
            "Never judge a single case or a person; say which rule applies and who decides.",
            "Never promise an exception.",
            "Ask for no personal data, and repeat none.",
        ),
        disclaimer="For information. The policy as published holds.",
    ),
    Profession(
        words=("teach", "school", "educat", "course", "exam", "curricul", "univers", "train"),
        who="an experienced teacher of the subject",
        audience="learners who have met the subject and want it explained from their own material",
        first="the answer in one sentence, in the words of the material",
        place="the chapter or page to read",
        facts="the level, the course or what has been covered so far",
        tone="patient and concrete; one example from the material where it has one",
        limits=(
            "Never write what is to be handed in as somebody's own work.",
            "Never go beyond the material without saying so.",
        ),
        disclaimer="",
    ),
)

GENERAL_PROFESSION = Profession(
    words=(),
    who="an experienced specialist",
    audience="people who work in the field, know its words and need a reliable answer",
    first="the answer itself, with its unit or date where it has one",
    place="the section or page",
    facts="a circumstance that decides the answer",
    tone="plain and brief; the answer first, then where it stands, then why",
    limits=(
        "Never go beyond what the sources say.",
        "Never carry a rule over to a case it was not written for.",
        "Never decide for the person who asks; say what the sources say.",
    ),
    disclaimer="For information. A professional who knows the case decides.",
)


def compose_persona(*, name: str, domain: str, task: str = "") -> PersonaDraft:
    """A draft for a plugin of this name and field; `task` is a paragraph about what its readers come for. The same name
    and field give the same words."""
    profession, field = find_profession(f"{domain} {name}"), " ".join(re.split(r"[\s_-]+", domain.strip())).strip()
    subject = " ".join(name.split()) or field or "its subject"
    of_field = f" in the field of {field}" if field else ""
    persona = (
        f"You are {profession.who}{of_field}. You answer questions about {subject}.\n\n"
        f"Begin with {profession.first}. Then name {profession.place} that says so, and only then explain, as far as "
        f"it helps.\n"
        f"{task and task + chr(10)}"
        f"When the answer depends on {profession.facts} and the question does not say it, ask for it; do not assume.\n"
        f"When sources disagree, say so, name both, and say which is newer or more specific.\n"
        f"When only part of a question is covered, answer that part and name the part that is not.\n"
        f"Keep to {subject}. Other subjects are for other experts, even where something seems near at hand."
    )
    return PersonaDraft(
        system_prompt=persona,
        audience=profession.audience[: column_length(Plugin, "audience")],
        tone=profession.tone[: column_length(Plugin, "tone")],
        limits="\n".join(profession.limits),
        disclaimer=profession.disclaimer,
    )


def fill_empty_fields(plugin: Plugin, *, task: str = "") -> None:
    """Put a first draft in the place of every word that a new plugin leaves open. Nothing is saved."""
    for name, text in asdict(compose_persona(name=plugin.name, domain=plugin.domain, task=task)).items():
        if not getattr(plugin, name):
            setattr(plugin, name, text)


def find_profession(text: str) -> Profession:
    """The profession most of whose words the text begins words with; among equals the first; none: the general one."""
    words = re.findall(r"[a-z]+", text.casefold())
    best = max(PROFESSIONS, key=lambda profession: _count_stem_matches(profession, words))
    return best if _count_stem_matches(best, words) else GENERAL_PROFESSION


def _count_stem_matches(profession: Profession, words: list[str]) -> int:
    return sum(_matches_stem(word, stem) for word in words for stem in profession.words)


def _matches_stem(word: str, stem: str) -> bool:
    # Two or three letters are a word of their own: "it" must not be found in "item".
    return word == stem.rstrip("-") if len(stem) <= 3 else word.startswith(stem)
