"""Input and output of a collaboration, whole and as events. `collaboration.collaboration_json` makes the values."""

from __future__ import annotations

from rest_framework import serializers

from api.fields import (
    FactsField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    in_tools,
)
from api.query.joined_answer_serializers import ConflictSerializer, PluginsField
from api.query.serializers import (
    CitationSerializer,
    ClarificationSerializer,
    ErrorEventSerializer,
    union_of_events,
)
from collaboration.collaboration_types import MAX_EXPERTS, MAX_ROUNDS, MIN_EXPERTS, Mode, Stance
from querying.answering.grounding.conflict_types import ConflictKind
from querying.forms import MAX_QUESTION_CHARACTERS
from querying.types.answer import Outcome
from querying.types.confidence import Confidence

_LEVELS = [level.value for level in Confidence]
_OUTCOMES = [Outcome.ANSWERED.value, Outcome.REFUSED.value, Outcome.CLARIFY.value]


class CollaborateSerializer(StrictSerializer):
    """A question to several plugins that hear each other."""

    experts = PluginsField(
        least=MIN_EXPERTS, help_text=f"{MIN_EXPERTS} to {MAX_EXPERTS} plugins, by slug or id; each once."
    )
    query = StrictCharField(max_length=MAX_QUESTION_CHARACTERS, help_text="The question.")
    mode = StrictChoiceField(
        [mode.value for mode in Mode],
        default=Mode.DEBATE.value,
        help_text="debate: all answer, then regard what the others say; consensus: all answer once; review: the first "
        "answers, the others hold that against their documents.",
    )
    maxRounds = StrictIntegerField(
        min_value=1,
        max_value=MAX_ROUNDS,
        default=MAX_ROUNDS,
        help_text="It ends earlier where nobody has anything new to regard. Of consensus there is one round.",
    )
    facts = FactsField(required=False, allow_null=True, help_text="What is known already, for all of them.")
    stream = StrictBooleanField(default=False)


class ReactionSerializer(serializers.Serializer):
    """What an expert's own documents say of another's statement."""

    expert = serializers.CharField(help_text="Whose statement it is, by slug.", style=in_tools(description=None))
    statement = serializers.CharField()
    stance = serializers.ChoiceField([stance.value for stance in Stance])
    kind = serializers.ChoiceField([kind.value for kind in ConflictKind], allow_null=True)
    certain = serializers.BooleanField(allow_null=True)
    citations = serializers.ListField(child=serializers.CharField(), help_text="Ids of its own citations.")


class SaidSerializer(serializers.Serializer):
    answer = serializers.CharField()
    citations = CitationSerializer(many=True)
    confidence = serializers.ChoiceField(_LEVELS)
    revised = serializers.BooleanField(help_text="It says something else than in the round before.")
    outcome = serializers.ChoiceField([*_OUTCOMES, Outcome.FAILED.value])
    reason = serializers.CharField(allow_null=True)
    clarification = ClarificationSerializer(allow_null=True)
    reactions = ReactionSerializer(many=True)
    queryId = serializers.UUIDField()
    release = serializers.CharField()


class ExpertResponseSerializer(SaidSerializer):
    pluginSlug = serializers.CharField()
    pluginName = serializers.CharField()
    domain = serializers.CharField()
    revisionNote = serializers.CharField(required=False)


class RoundSerializer(serializers.Serializer):
    roundNumber = serializers.IntegerField()
    responses = ExpertResponseSerializer(many=True)


class ContributionSerializer(serializers.Serializer):
    expert = serializers.CharField(help_text="Its name.", style=in_tools(description=None))
    plugin = serializers.CharField()
    domain = serializers.CharField()
    keyPoints = serializers.ListField(child=serializers.CharField())


class ConsensusSerializer(serializers.Serializer):
    """Put together from verified sentences; no model writes it."""

    answer = serializers.CharField()
    outcome = serializers.ChoiceField(_OUTCOMES)
    confidence = serializers.ChoiceField(_LEVELS)
    agreementLevel = serializers.FloatField(
        help_text="0 to 1, over all pairs of those who answered; 0 where one answered alone."
    )
    citations = CitationSerializer(many=True)
    conflicts = ConflictSerializer(many=True)
    expertContributions = ContributionSerializer(many=True)


class CollaborationSerializer(serializers.Serializer):
    rounds = RoundSerializer(many=True)
    consensus = ConsensusSerializer()
    latencyMs = serializers.IntegerField()


class RoomStatusEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["status"])
    status = serializers.ChoiceField(["settled", "synthesizing"])
    message = serializers.CharField()


class ResolvedExpertSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    domain = serializers.CharField()
    sourceCount = serializers.IntegerField(help_text="How many documents it may answer you from.")
    hasDecisionTree = serializers.BooleanField()


class ExpertsResolvedEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["experts_resolved"])
    experts = ResolvedExpertSerializer(many=True)


class RoundStartEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["round_start"])
    round = serializers.IntegerField()
    totalRounds = serializers.IntegerField(help_text="At most.")


class SpeakerSerializer(serializers.Serializer):
    expert = serializers.CharField()
    expertName = serializers.CharField()
    domain = serializers.CharField()


class ExpertThinkingEventSerializer(SpeakerSerializer):
    type = serializers.ChoiceField(["expert_thinking"])
    message = serializers.CharField()


class ExpertResponseEventSerializer(SpeakerSerializer, SaidSerializer):
    type = serializers.ChoiceField(["expert_response"])
    round = serializers.IntegerField()


class RoundCompleteEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["round_complete"])
    round = serializers.IntegerField()


class RoomDoneEventSerializer(CollaborationSerializer):
    type = serializers.ChoiceField(["done"])


COLLABORATION_EVENT = union_of_events(
    "CollaborationEvent",
    status=RoomStatusEventSerializer,
    experts_resolved=ExpertsResolvedEventSerializer,
    round_start=RoundStartEventSerializer,
    expert_thinking=ExpertThinkingEventSerializer,
    expert_response=ExpertResponseEventSerializer,
    round_complete=RoundCompleteEventSerializer,
    done=RoomDoneEventSerializer,
    error=ErrorEventSerializer,
)
