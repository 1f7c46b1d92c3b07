"""The shapes of options and answers as pydantic models, which tools give as their schemas: made from the serializers
of the REST API, so that each is declared once."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from rest_framework import serializers

from api.query.serializers import (
    AnswerSerializer,
    AnswerUsageSerializer,
    FilePlaceSerializer,
    NearestSerializer,
    OptionsSerializer,
    TreeStepSerializer,
)

# What clients know these parts by; any other is called as its serializer is.
_MODEL_NAMES = {NearestSerializer: "Place", AnswerUsageSerializer: "Usage", TreeStepSerializer: "Step"}
_TYPES: tuple[tuple[type[serializers.Field], Any], ...] = (
    (serializers.BooleanField, bool),
    (serializers.IntegerField, int),
    (serializers.FloatField, float),
    (serializers.DateField, date),
    (serializers.DictField, dict[str, Any]),
    (serializers.CharField, str),
    (serializers.UUIDField, str),
)
_models: dict[type[serializers.Serializer], type[BaseModel]] = {}


def model_for(
    serializer: type[serializers.Serializer], *, suffix: str = "Result", config: ConfigDict | None = None
) -> type[BaseModel]:
    """The model for this serializer. A field's own `style["tool"]` beats what the serializer says of it."""
    if serializer not in _models:
        name = _MODEL_NAMES.get(serializer, serializer.__name__.removesuffix("Serializer"))
        fields: dict[str, Any] = {name: _model_field(field) for name, field in serializer().fields.items()}
        _models[serializer] = create_model(f"{name}{suffix}", __config__=config, **fields)
    return _models[serializer]


def _model_field(field: serializers.Field) -> tuple[Any, Any]:
    differences = field.style.get("tool", {})
    annotation: Any = _annotation(field, items=differences.get("items"))
    if field.allow_null or (not field.required and field.default is serializers.empty):
        annotation = annotation | None
    default = field.default
    if default is serializers.empty:
        default = differences.get("default", ...) if field.required else None
    return annotation, Field(
        default=default,
        description=differences.get("description", field.help_text),
        ge=getattr(field, "min_value", None),
        le=getattr(field, "max_value", None),
        max_length=getattr(field, "max_length", None),
    )


def _annotation(field: serializers.Field, *, items: type[serializers.Serializer] | None = None) -> Any:
    if isinstance(field, serializers.ListField | serializers.ListSerializer):
        child: Any = items() if items else field.child
        return list[_annotation(child)]  # type: ignore[misc]
    if isinstance(field, serializers.Serializer):
        return model_for(type(field))
    if isinstance(field, serializers.ChoiceField):
        return Literal[tuple(field.choices)]
    return next(annotation for kind, annotation in _TYPES if isinstance(field, kind))


OptionsArgument = model_for(OptionsSerializer, suffix="Argument", config=ConfigDict(extra="forbid"))
AnswerResult = model_for(AnswerSerializer)
FilePlaceResult = model_for(FilePlaceSerializer)
StepResult = model_for(TreeStepSerializer)


class DocumentPlaceResult(FilePlaceResult):  # type: ignore[misc, valid-type]
    """Where something stands in a document."""

    document: str
    documentId: str
    page: int | None = Field(default=None, description="Left out where the document has no pages.")
    pageLabel: str | None = Field(default=None, description="What the page is called where that is not its number.")
    ocr: bool | None = Field(default=None, description="True where the page was read by OCR.")
    section: str | None = None
