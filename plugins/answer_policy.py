"""The settings of a plugin that affect its answers, apart from knowledge and trees. A release has the same columns,
frozen."""

from __future__ import annotations

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from plugins.synonyms import check_synonyms


class CitationMode(models.TextChoices):
    MANDATORY = "mandatory", "mandatory: refuse what no source supports"
    OPTIONAL = "optional", "optional: answer, and lower the confidence of what no source supports"
    OFF = "off", "off: do not check citations"


class Planner(models.TextChoices):
    """Who turns a question into a plan: which time, which documents, a list or a text."""

    OFF = "off", "off: every question searches all the text"
    RULES = "rules", "rules: dates and labels that a question names narrow what is read"
    MODEL = "model", "language model: it makes the plan; rules where it fails"


class AnswerPolicy(models.Model):
    """Everything of a plugin, apart from knowledge and trees, that decides an answer.

    A plugin holds the draft; a release holds the same columns, frozen.
    """

    system_prompt = models.TextField(
        "persona",
        help_text="Who answers, for whom, in what tone, and what it must never do. "
        "Example: “You are a structural engineer who advises site engineers. Be brief, name the clause.”",
    )
    audience = models.CharField(
        max_length=300,
        blank=True,
        help_text="Who asks, and what they know already: “site engineers, two years in”.",
    )
    tone = models.CharField(max_length=300, blank=True, help_text="How it speaks: “brief; the value first, then why”.")
    limits = models.TextField(
        blank=True, help_text="What it must never do or decide: “Never extrapolate beyond a table.” One on a line."
    )
    disclaimer = models.TextField(blank=True, help_text="Added under every answer.")
    citation_mode = models.CharField(max_length=16, choices=CitationMode.choices, default=CitationMode.MANDATORY)
    top_k = models.PositiveSmallIntegerField(
        "passages read",
        default=8,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text="How many passages are read for one question.",
    )
    threshold = models.FloatField(
        "similarity threshold",
        default=0.1,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="A passage found by meaning alone must be more similar than this (cosine, 0 to 1).",
    )
    evidence_threshold = models.FloatField(
        "evidence needed",
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="Weaker evidence than this is refused (0 to 1). Empty: the default, which suits most plugins.",
    )
    synonyms = models.JSONField(
        default=list,
        blank=True,
        validators=[check_synonyms],
        help_text='Words and abbreviations that mean the same here: [["w/c", "water-cement ratio"]].',
    )
    planner = models.CharField(
        max_length=8,
        choices=Planner.choices,
        default=Planner.OFF,
        help_text="For notes and other dated, labelled documents: “What did I finish in March?” is no search for "
        "words.",
    )
    public_only = models.BooleanField(
        "only what is public",
        default=False,
        help_text="Everybody but the people listed under Sharing gets answers only from documents that are marked "
        "public. A public chat is always limited to those.",
    )
    calibration = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True

    @classmethod
    def policy_fields(cls) -> list[str]:
        return [field.name for field in AnswerPolicy._meta.fields]

    def policy(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.policy_fields()}
