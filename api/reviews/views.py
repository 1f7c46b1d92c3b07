"""`GET /api/marketplace/{plugin}/reviews`: what people who used a published plugin say of it. For anybody."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.pagination import DefaultPagination
from api.views import PublicView
from marketplace.models import Review, Verdict
from plugins.models import Plugin


class ReviewSerializer(serializers.Serializer):
    """How somebody fared with the plugin. `questions`: how many they had asked when they wrote it, since `askedSince`.
    `release` is the latest one that they asked. `reply` is the author's, null where there is none."""

    id = serializers.UUIDField()
    verdict = serializers.ChoiceField(Verdict.values)
    text = serializers.CharField()
    author = serializers.CharField(source="author.public_name", help_text="The name they go by.")
    questions = serializers.IntegerField()
    askedSince = serializers.DateField(source="asked_since", allow_null=True)
    hasInstalled = serializers.BooleanField(source="has_installed")
    release = serializers.CharField(source="release.version", allow_null=True, default=None)
    isOlderRelease = serializers.SerializerMethodField(help_text="Whether agents ask another release by now.")
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")
    reply = serializers.SerializerMethodField()

    def get_isOlderRelease(self, review: Review) -> bool:
        return review.release is not None and review.release.version != self.context["latest"]

    def get_reply(self, review: Review) -> str | None:
        return review.reply or None


class ReviewsView(PublicView):
    ordering = ("-updated_at", "pk")
    pagination_class = DefaultPagination

    @extend_schema(responses=ReviewSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """What people say of a published plugin, the newest first. The counts of verdicts stand with the plugin."""
        found = get_object_or_404(Plugin.objects.filter(is_published=True), slug=plugin)
        pages = self.pagination_class()
        rows = pages.paginate_queryset(Review.objects.filter(plugin=found).public(), request, self)
        said = ReviewSerializer(rows, many=True, context={"latest": found.version})
        return pages.get_paginated_response(said.data)
