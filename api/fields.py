"""Fields that take a value as JSON has it, not one that could be made into it, and serializers that know their keys.

The framework's own read "yes" as true and 5 as "5", and pass over keys that they do not know: then a slip of the pen
looks like a success.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

MAX_FACT_COUNT = 50
_MAX_NAME_LENGTH, _MAX_VALUE_LENGTH = 200, 500
_INVALID_FACT = f"A fact is a text of at most {_MAX_VALUE_LENGTH} characters, a number, true or false."


class StrictCharField(serializers.CharField):
    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            self.fail("invalid")
        # Before the spaces around it are taken off: a limit holds for what is sent.
        if isinstance(data, str) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().run_validation(data)


class StrictListField(serializers.ListField):
    """A short list of short texts."""

    def __init__(self, *, each: int, most: int, **options: Any) -> None:
        super().__init__(child=StrictCharField(max_length=each), max_length=most, **options)


class StrictChoiceField(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=str(data)[:100])
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictIntegerField(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if not _is_number(data) or data != int(data):
            self.fail("invalid")
        return int(data)


class StrictFloatField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if not _is_number(data):
            self.fail("invalid")
        return super().to_internal_value(data)


class FactValueField(serializers.JSONField):
    """A text, a number, true or false."""

    def to_internal_value(self, data: Any) -> Any:
        if not _is_fact(data):
            raise serializers.ValidationError(_INVALID_FACT)
        return data


class FactsField(serializers.DictField):
    """What is known beside a question: names, and a text, a number, true or false for each."""

    def __init__(self, *, min_name_length: int = 1, **options: Any) -> None:
        super().__init__(child=FactValueField(), **options)
        self.min_name_length = min_name_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        facts: dict[str, Any] = super().to_internal_value(data)
        if len(facts) > MAX_FACT_COUNT:
            raise serializers.ValidationError(f"At most {MAX_FACT_COUNT} facts.")
        if any(not self.min_name_length <= len(name) <= _MAX_NAME_LENGTH for name in facts):
            wrong = f"The name of a fact has {self.min_name_length} to {_MAX_NAME_LENGTH} characters."
            raise serializers.ValidationError(wrong)
        return facts


class StrictSerializer(serializers.Serializer):
    """Refuses keys that it does not know. Those it only shows may come back, as a client that gets, changes and puts
    sends them, and are not looked at."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (unknown := sorted(str(key) for key in data if key not in self.fields)):
            known = ", ".join(name for name, field in self.fields.items() if not field.read_only) or "none"
            raise serializers.ValidationError({unknown[0][:60]: f"This is not known here. Known are: {known}."})
        return super().to_internal_value(data)


@extend_schema_serializer(component_name="Nothing")
class EmptySerializer(StrictSerializer):
    """The body of a request that says all in its address."""

    @classmethod
    def check(cls, request: Request) -> None:
        """What is said in vain should not look as if it counted. Raises `ValidationError`."""
        cls(data=request.data).is_valid(raise_exception=True)


class QueryParameters(StrictSerializer):
    """What an address says after its question mark. `limit` and `cursor` belong to the pages of a list."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """Those that were given, and the defaults of the others. Raises `ValidationError`."""
        of_pages = {"limit", "cursor"} - cls._declared_fields.keys()
        if twice := [name for name, values in request.query_params.lists() if len(values) > 1]:
            raise serializers.ValidationError({twice[0][:60]: "This was sent more than once."})
        given = {name: value for name, value in request.query_params.items() if name not in of_pages}
        parameters = cls(data=given)
        parameters.is_valid(raise_exception=True)
        return parameters.validated_data


def _is_number(data: Any) -> bool:
    """Finite; true and false are none, though Python counts them among its whole numbers."""
    if isinstance(data, float):
        return math.isfinite(data)
    return isinstance(data, int) and not isinstance(data, bool)


def _is_fact(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_VALUE_LENGTH and "\x00" not in value
    return isinstance(value, bool) or _is_number(value)
