"""Input and output of the routes of decision trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    FactsField,
    QueryParameters,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictSerializer,
)
from api.pagination import page_serializer
from api.query.serializers import TreeStepSerializer
from trees.definition.key_order import order_tree_keys
from trees.definition.nodes import OPERATORS
from trees.drafts import MAX_DESCRIPTION_LENGTH, MAX_TREE_NAME_LENGTH
from trees.models import DecisionTree, TreeCase
from trees.tree_test_cases import MAX_CASE_NAME_LENGTH, MAX_CASES, MAX_EXPECTED_LENGTH, MAX_SENTENCE_LENGTH
from trees.validation.tree_problems import find_problems

_TREE_FORMAT = (
    '`{"rootNodeId": id, "nodes": {id: node}}`; a node has `id`, `type` (condition, question or action), `label`.'
    " The operator of a condition is one of " + ", ".join(f"`{one}`" for one in OPERATORS) + "."
)


class TreeProblemSerializer(serializers.Serializer):
    """Something wrong with a tree. Errors keep it from being published, warnings are worth a look."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning"])
    node = serializers.CharField(allow_null=True)
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class TreeProblemsSerializer(serializers.Serializer):
    # The base class has an attribute of this name too, and one called `label`.
    errors = serializers.IntegerField()  # type: ignore[assignment]
    warnings = serializers.IntegerField()
    problems = TreeProblemSerializer(many=True)


class TreeRowSerializer(serializers.Serializer):
    """A tree in a list: all of it but what it says."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    isActive = serializers.BooleanField(source="is_active")
    order = serializers.IntegerField(help_text="Trees are tried in this order.")
    nodeCount = serializers.IntegerField(source="node_count")
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")


class TreeSerializer(TreeRowSerializer):
    """A tree, and what is wrong with it."""

    treeData = serializers.SerializerMethodField(help_text=_TREE_FORMAT)
    problems = serializers.SerializerMethodField()

    @extend_schema_field(serializers.DictField(child=serializers.JSONField()))
    def get_treeData(self, tree: DecisionTree) -> Any:
        return order_tree_keys(tree.tree_data)

    @extend_schema_field(TreeProblemSerializer(many=True))
    def get_problems(self, tree: DecisionTree) -> list[dict[str, Any]]:
        return [problem.as_dict() for problem in find_problems(order_tree_keys(tree.tree_data))]


TreesSerializer = page_serializer("Trees", TreeRowSerializer)


class TreesParameters(QueryParameters):
    active = serializers.BooleanField(required=False, allow_null=True, default=None)


class TreeDataField(serializers.DictField):
    def __init__(self, **options: Any) -> None:
        super().__init__(child=serializers.JSONField(allow_null=True), help_text=_TREE_FORMAT, **options)


class TreeCaseSerializer(StrictSerializer):
    """What the tree must do with a sentence or with facts: `reaches` the node with the id `expected`, or `asks` for
    the fact of that name."""

    name = StrictCharField(max_length=MAX_CASE_NAME_LENGTH)
    sentence = StrictCharField(max_length=MAX_SENTENCE_LENGTH, allow_blank=True, required=False)
    facts = FactsField(required=False)
    expectation = StrictChoiceField(TreeCase.Expectation.choices)
    expected = StrictCharField(max_length=MAX_EXPECTED_LENGTH)


class SavedTreeCaseSerializer(TreeCaseSerializer):
    id = serializers.UUIDField(read_only=True)


class NewTreeSerializer(StrictSerializer):
    """A tree that has problems can be saved, and is not published before they are gone."""

    name = StrictCharField(max_length=MAX_TREE_NAME_LENGTH)
    description = StrictCharField(max_length=MAX_DESCRIPTION_LENGTH, allow_blank=True, required=False)
    treeData = TreeDataField()
    isActive = StrictBooleanField(required=False, help_text="Whether it is tried at all. True for a new tree.")
    cases = TreeCaseSerializer(
        many=True,
        required=False,
        max_length=MAX_CASES,  # type: ignore[call-arg]
        help_text="In the place of all others.",
    )

    def to_internal_value(self, data: Any) -> Any:
        """Fields that are only shown are ignored: a client that gets a tree, changes it and puts it sends them."""
        if isinstance(data, Mapping):
            only_shown = TreeSerializer().fields.keys() - self.fields.keys()
            data = {name: value for name, value in data.items() if name not in only_shown}
        return super().to_internal_value(data)


class TreeOrderSerializer(StrictSerializer):
    """Every tree of the plugin once, in the order in which they are tried."""

    ids = serializers.ListField(child=serializers.UUIDField(), max_length=10_000)


@extend_schema_serializer(component_name="BareTree")
class UnsavedTreeSerializer(StrictSerializer):
    treeData = serializers.JSONField(allow_null=True, help_text=_TREE_FORMAT)


class TreeWalkSerializer(StrictSerializer):
    """By what a question says and by what is given beside it, which counts more."""

    question = StrictCharField(max_length=MAX_SENTENCE_LENGTH, allow_blank=True, default="")
    facts = FactsField(required=False)
    treeData = TreeDataField(required=False)


class TreeActionSerializer(serializers.Serializer):
    node = serializers.CharField()
    recommendation = serializers.CharField()
    sourceHint = serializers.CharField(allow_blank=True)
    severity = serializers.ChoiceField(["info", "warning", "critical"], allow_null=True)


class TreeClarificationSerializer(serializers.Serializer):
    """The question to answer next: send the answer as the fact `field`."""

    node = serializers.CharField()
    field = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField(), help_text="Empty: any answer will do.")


@extend_schema_serializer(component_name="TreeWalked")
class TreeWalkResultSerializer(serializers.Serializer):
    """`outcome` is `decided`, with an action; `clarify`, with a question; or `nowhere`."""

    outcome = serializers.ChoiceField(["decided", "clarify", "nowhere"])
    path = TreeStepSerializer(many=True)
    action = TreeActionSerializer(allow_null=True)
    clarification = TreeClarificationSerializer(allow_null=True)
    facts = serializers.DictField(child=serializers.JSONField(), help_text="Those the way was decided by.")
    unknownFacts = serializers.ListField(child=serializers.CharField(), help_text="That the tree does not read.")


@extend_schema_serializer(component_name="TreeRun")
class TreeCaseRunSerializer(StrictSerializer):
    """`treeData` stands in for the tree that is saved."""

    treeData = TreeDataField(required=False)


class CaseResultSerializer(serializers.Serializer):
    """How a case went; `said` is what the tree did."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    passed = serializers.BooleanField()
    said = serializers.CharField()
    nodes = serializers.ListField(child=serializers.CharField())


class TreeCoverageSerializer(serializers.Serializer):
    """What the cases reached of the tree. A branch is the id of its node, and the answer, `true` or `false`."""

    ends = serializers.IntegerField()
    branches = serializers.IntegerField()
    missedEnds = serializers.ListField(child=serializers.CharField())
    missedBranches = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class CaseResultsSerializer(serializers.Serializer):
    total = serializers.IntegerField()
    passed = serializers.IntegerField()
    results = CaseResultSerializer(many=True)
    coverage = TreeCoverageSerializer()


class TreeCasesSerializer(serializers.Serializer):
    results = SavedTreeCaseSerializer(many=True)
