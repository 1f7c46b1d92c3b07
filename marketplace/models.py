"""The models of the marketplace: the listings of published plugins, installed copies, and reviews."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from accounts.models import User
from marketplace.approval_models import ReleaseApproval as ReleaseApproval
from marketplace.listings.stale_score_messages import shown_attention
from marketplace.publishing_run_models import PublishingRun as PublishingRun
from plugins.models import Plugin, Release


class Label(models.TextChoices):
    """What the measurement of a release says, in one word."""

    MEASURED = "measured", "Measured"
    ATTENTION = "attention", "Needs attention"
    NONE = "none", "Not measured"


# What may be long, and is on no page that shows a listing.
_UNLISTED_FIELDS = ("system_prompt", "limits", "synonyms", "calibration")


class ListingQuerySet(models.QuerySet["Listing"]):
    def public(self) -> ListingQuerySet:
        """The listings that everybody may see; those of withdrawn plugins are left out."""
        shown = self.filter(plugin__in=Plugin.objects.listed()).select_related("plugin", "plugin__owner", "release")
        unshown = [f"{of}__{name}" for of in ("plugin", "release") for name in _UNLISTED_FIELDS]
        return shown.defer(*unshown, "release__trees", "release__knowledge", "search", "vector")

    def of_slug(self, slug: str) -> Listing | None:
        """The public listing of this plugin. Two statements at most, none of them counts anything."""
        # The database takes no null character, not even to say that there is no such slug.
        return self.public().filter(plugin__slug=slug).first() if "\x00" not in slug else None


class Listing(models.Model):
    """How a published plugin is shown. Everything here is derived, and may be computed again at any time.

    Counts are None where nothing was measured. `vector` is the embedding of what the page says of the plugin, by
    `embedder`; None until it was computed.
    """

    plugin = models.OneToOneField(Plugin, on_delete=models.CASCADE, primary_key=True, related_name="listing")
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    domain = models.CharField(max_length=80)
    tags = ArrayField(models.CharField(max_length=40), default=list)
    label = models.CharField(max_length=12, choices=Label.choices, default=Label.NONE)
    # What needs attention, a sentence; empty where nothing does.
    attention = models.CharField(max_length=200, blank=True)
    answered_right = models.PositiveIntegerField(null=True)
    to_answer = models.PositiveIntegerField(null=True)
    refused_right = models.PositiveIntegerField(null=True)
    to_refuse = models.PositiveIntegerField(null=True)
    measured_on = models.DateField(null=True)
    share_right = models.FloatField(null=True, help_text="Of all golden questions, 0 to 1.")
    # The lower end of that share's likely range: three of three must not come before 117 of 120.
    right_at_least = models.FloatField(null=True)
    sources = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(default=0)
    superseded = models.PositiveIntegerField(default=0)
    newest = models.DateField(null=True)
    asked = models.PositiveIntegerField(default=0, help_text="Questions of the last 30 days.")
    dropped_share = models.FloatField(
        null=True, help_text="Of the sentences of the last 30 days, those that no source supported, 0 to 1."
    )
    installs = models.PositiveIntegerField(default=0)
    # How many reviews say so (`marketplace.listings.review_counts`).
    relied = models.PositiveIntegerField(default=0)
    care = models.PositiveIntegerField(default=0)
    wrong = models.PositiveIntegerField(default=0)
    released_at = models.DateTimeField()
    search = SearchVectorField(null=True)
    vector = HalfVectorField(null=True)
    embedder = models.CharField(max_length=120, blank=True)
    # Names the text that `vector` stands for, so that it is computed again when the text changes.
    embedded = models.CharField(max_length=64, blank=True)
    # A question that the plugin answers and what it said, as the API says it (`querying.json_format`); {} until it
    # was asked.
    sample = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ListingQuerySet.as_manager()

    class Meta:
        indexes = [
            GinIndex(fields=["search"], name="listing_search"),
            GinIndex(fields=["tags"], name="listing_tags"),
            models.Index(fields=["domain"], name="listing_domain"),
            # The orders of the marketplace, each to its last tie.
            models.Index(
                models.F("right_at_least").desc(nulls_last=True),
                models.F("released_at").desc(),
                models.F("plugin"),
                name="listing_right",
            ),
            models.Index(fields=["-asked", "-released_at", "plugin"], name="listing_asked"),
            models.Index(fields=["-released_at", "plugin"], name="listing_new"),
        ]

    def __str__(self) -> str:
        return f"{self.plugin_id} at {self.release_id}"

    @property
    def shown_attention(self) -> str:
        """What needs attention, in the language of the page."""
        return shown_attention(self.attention)

    @property
    def is_mostly_right(self) -> bool:
        """Whether the likely range of what went right lies above a half: four of four do, three of three do not."""
        return (self.right_at_least or 0) >= 0.5

    @property
    def author(self) -> str:
        """What anybody may read of the owner."""
        return self.plugin.owner.public_name


class Word(models.Model):
    """A word that stands in so many listings, for searches that misspell it (`catalogue.spelling`). `grams` are its
    letters by three."""

    text = models.CharField(max_length=40, primary_key=True)
    grams = ArrayField(models.TextField())
    listings = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [GinIndex(fields=["grams"], name="word_grams")]

    def __str__(self) -> str:
        return self.text


class DayOfPlugin(models.Model):
    """The questions to a plugin's releases on one day (UTC), counted once so that no page counts them again.

    What its authors ask its draft is not among them. `median_ms` and `p95_ms` are of
    the answered ones, None where there were none. `dropped` of the `sentences` written had no source.
    """

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    asked = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    clarified = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    median_ms = models.PositiveIntegerField(null=True)
    p95_ms = models.PositiveIntegerField(null=True)
    sentences = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plugin", "day"], name="day_of_plugin_once")]

    def __str__(self) -> str:
        return f"{self.plugin_id} on {self.day}"


class InstallQuerySet(models.QuerySet["Install"]):
    def of(self, person: User) -> InstallQuerySet:
        """The copies that this person made, and that are still there."""
        return self.filter(installed_by=person)


class Install(models.Model):
    """A copy of a shared plugin in somebody's account, and which release it was made from. It goes with the copy.

    `original` is None once the original is deleted, and where the copy came from a file: what a file says of itself
    nobody has checked (`is_unverified_origin`). `content` names what the draft held when it was made
    (`marketplace.sharing.draft_hash`), so that it shows whether somebody has worked on it since.
    """

    copy = models.OneToOneField(Plugin, on_delete=models.CASCADE, related_name="installed_from")
    original = models.ForeignKey(Plugin, on_delete=models.SET_NULL, null=True, related_name="copies")
    original_name = models.CharField(max_length=120)
    original_author = models.CharField(max_length=300)
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    version = models.CharField(max_length=32)
    is_unverified_origin = models.BooleanField(default=False)
    # The site that signed the file, and its public key in base64; empty where nobody did.
    signed_by = models.CharField(max_length=300, blank=True, default="", db_default="")
    signing_key = models.CharField(max_length=64, blank=True, default="", db_default="")
    content = models.CharField(max_length=64, blank=True)
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="installs"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = InstallQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.copy_id} from {self.original_name} {self.version}"


class ReviewVerdict(models.TextChoices):
    RELIED = "relied", "Relied on it"
    CARE = "care", "Used with care"
    WRONG = "wrong", "Was wrong for me"


class ReviewQuerySet(models.QuerySet["Review"]):
    def public(self) -> ReviewQuerySet:
        return self.filter(is_hidden=False, author__isnull=False).select_related("author", "release")

    def detach_from_person(self) -> int:
        """Detaches reviews under legal hold from a deleted account: they stay, without a name and on no page."""
        return self.update(author=None, is_hidden=True)


class Review(models.Model):
    """What a person who used the plugin says of it; one for each person. The author of the plugin may reply once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="reviews")
    # The latest release that the person used when writing.
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    # Nobody: it was detached under legal hold, and is hidden.
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="reviews"
    )
    verdict = models.CharField(max_length=8, choices=ReviewVerdict.choices)
    text = models.TextField(max_length=2000, blank=True)
    questions = models.PositiveIntegerField(default=0, help_text="How many the person had asked when writing.")
    asked_since = models.DateField(null=True, help_text="The day of the first of them.")
    has_installed = models.BooleanField(default=False)
    reply = models.TextField(max_length=2000, blank=True)
    replied_at = models.DateTimeField(null=True)
    is_hidden = models.BooleanField(default=False, help_text="Removed after a report.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    # When its author last wrote it; neither a reply nor a report makes it newer.
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["plugin", "author"], name="review_once")]
        indexes = [models.Index(fields=["plugin", "-updated_at"], name="review_newest")]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.text[:60]}"

    @property
    def is_deleted(self) -> bool:
        """Its author deleted it while it was hidden: nothing is left to show."""
        return not self.verdict

    @property
    def is_replied(self) -> bool:
        return self.replied_at is not None


class ReportQuerySet(models.QuerySet["Report"]):
    def visible_to(self, user: User) -> ReportQuerySet:
        """All reports for operators, none for other people: who reported what is confidential."""
        return self if user.is_superuser and user.is_active else self.none()

    def open(self) -> ReportQuerySet:
        return self.filter(outcome=Report.Outcome.OPEN)

    def about_the_same(self, report: Report) -> ReportQuerySet:
        """The reports of the same plugin, or of the same review, including this one."""
        return self.filter(plugin=report.plugin_id, review=report.review_id)


class Report(models.Model):
    """A report that a plugin or a review should not be public. `outcome` is what the operators did.

    `fingerprint` identifies the reporter, signed in or not, while the report waits: two reports of the same person on
    the same thing are one. It is deleted with the decision.
    """

    class Reason(models.TextChoices):
        WRONG = "wrong", "It says what is dangerously wrong"
        RIGHTS = "rights", "It shows what somebody else owns"
        ABUSE = "abuse", "It is abusive or spam"
        PRIVATE = "private", "It shows somebody's private data"
        OTHER = "other", "Something else"

    class Outcome(models.TextChoices):
        OPEN = "open", "waiting"
        HIDDEN = "hidden", "review hidden"
        WITHDRAWN = "withdrawn", "plugin withdrawn"
        DISMISSED = "dismissed", "nothing to do"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="reports")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, null=True, blank=True, related_name="reports")
    reason = models.CharField(max_length=8, choices=Reason.choices)
    text = models.TextField(max_length=2000, blank=True)
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    fingerprint = models.CharField(max_length=64, blank=True, editable=False)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["plugin", "fingerprint"],
                condition=models.Q(outcome="open", review=None),
                name="report_of_plugin_once",
            ),
            models.UniqueConstraint(
                fields=["review", "fingerprint"],
                condition=models.Q(outcome="open", review__isnull=False),
                name="report_of_review_once",
            ),
        ]
        indexes = [models.Index(fields=["outcome", "-created_at"], name="report_queue")]

    def __str__(self) -> str:
        return self.get_reason_display()

    @property
    def is_open(self) -> bool:
        return self.outcome == self.Outcome.OPEN
